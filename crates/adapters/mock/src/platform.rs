//! Fake platforms.

use crate::Mock;
use crate::adapter::{self, Adapter};
use crate::device::Device;
use std::ffi::{CStr, c_char};
use ur_adapter::{Handle, Info, Object, PlatformFns, Result};
use ur_api::*;

/// A platform with a fixed set of devices.
#[derive(Debug)]
pub struct Platform {
    index: u32,
    devices: Vec<&'static Object<Device>>,
}

impl Platform {
    /// A platform that lives as long as the process, with its devices.
    pub fn leaked(index: u32) -> &'static Object<Self> {
        let devices = (0..crate::config::devices())
            .map(|device| Device::leaked(index, device))
            .collect();
        Box::leak(Box::new(Object::fixed(Self { index, devices })))
    }

    /// The devices.
    pub fn devices(&self) -> &[&'static Object<Device>] {
        &self.devices
    }

    /// The platform with that number.
    pub fn of_index(index: u32) -> Option<&'static Object<Self>> {
        adapter::get().platforms().get(index as usize).copied()
    }
}

impl PlatformFns for Mock {
    fn platform_get(adapter: &Object<Adapter>) -> Result<Vec<Handle<Platform>>> {
        Ok(adapter.platforms().iter().map(|p| p.handle()).collect())
    }

    fn platform_get_info(
        platform: &Object<Platform>,
        prop: ur_platform_info_t,
        info: &mut Info<'_>,
    ) -> Result {
        match prop {
            UR_PLATFORM_INFO_NAME => info.text(&format!("Mock platform {}", platform.index)),
            UR_PLATFORM_INFO_VENDOR_NAME => info.text("Concord"),
            UR_PLATFORM_INFO_VERSION => info.text("0.1"),
            UR_PLATFORM_INFO_EXTENSIONS | UR_PLATFORM_INFO_PROFILE => info.text(""),
            UR_PLATFORM_INFO_BACKEND => info.value(UR_BACKEND_UNKNOWN.0),
            UR_PLATFORM_INFO_ADAPTER => info.handle(adapter::get()),
            _ => Err(UR_RESULT_ERROR_UNSUPPORTED_ENUMERATION.into()),
        }
    }

    fn platform_get_api_version(_platform: &Object<Platform>) -> Result<ur_api_version_t> {
        Ok(UR_API_VERSION_CURRENT)
    }

    fn platform_get_backend_option(
        _platform: &Object<Platform>,
        _frontend_option: &CStr,
    ) -> Result<*const c_char> {
        Ok(c"".as_ptr())
    }
}
