//! The one adapter object.

use crate::Mock;
use crate::platform::Platform;
use std::sync::OnceLock;
use ur_adapter::{AdapterFns, Handle, Info, Object, Result};
use ur_api::*;

/// The adapter: it owns the platforms.
#[derive(Debug)]
pub struct Adapter {
    platforms: OnceLock<Vec<&'static Object<Platform>>>,
}

/// The adapter object, which lives as long as the library.
pub fn get() -> &'static Object<Adapter> {
    static ADAPTER: OnceLock<Object<Adapter>> = OnceLock::new();
    ADAPTER.get_or_init(|| {
        Object::kept(Adapter {
            platforms: OnceLock::new(),
        })
    })
}

impl Adapter {
    /// The platforms, made at the first call.
    pub fn platforms(&self) -> &[&'static Object<Platform>] {
        self.platforms.get_or_init(|| {
            (0..crate::config::platforms())
                .map(Platform::leaked)
                .collect()
        })
    }
}

impl AdapterFns for Mock {
    fn adapter_get() -> Result<Vec<Handle<Adapter>>> {
        Ok(vec![get().handle()])
    }

    fn adapter_get_info(
        _adapter: &Object<Adapter>,
        prop: ur_adapter_info_t,
        info: &mut Info<'_>,
    ) -> Result {
        match prop {
            UR_ADAPTER_INFO_BACKEND => info.value(UR_BACKEND_UNKNOWN.0),
            UR_ADAPTER_INFO_VERSION => info.value(1u32),
            _ => Err(UR_RESULT_ERROR_UNSUPPORTED_ENUMERATION.into()),
        }
    }
}
