//! Contexts: which devices work together.

use crate::NativeCpu;
use crate::device::Device;
use crate::fork::Mutex;
use crate::usm::pool::ContextPools;
use std::ffi::c_void;
use ur_adapter::{ContextFns, Error, Handle, Info, Object, Result};
use ur_api::*;

/// A function of the program to be called when the context ends.
struct Deleter {
    function: unsafe extern "C" fn(*mut c_void),
    user_data: *mut c_void,
}

// SAFETY: the pointer is only handed back to the program.
unsafe impl Send for Deleter {}

/// What a context handle names.
pub struct Context {
    devices: Vec<Handle<Device>>,
    deleters: Mutex<Vec<Deleter>>,
    pools: ContextPools,
}

impl Context {
    /// Its devices.
    pub fn devices(&self) -> &[Handle<Device>] {
        &self.devices
    }

    /// The pools that it keeps for its devices.
    pub fn pools(&self) -> &ContextPools {
        &self.pools
    }

    /// Whether `device` is one of its devices or a part of one.
    pub fn has(&self, device: &Object<Device>) -> bool {
        self.devices.iter().any(|own| device.is_part_of(own))
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        while let Some(Deleter {
            function,
            user_data,
        }) = self.deleters.get_mut().pop()
        {
            // SAFETY: the program gave the function for this call.
            unsafe { function(user_data) };
        }
    }
}

impl ContextFns for NativeCpu {
    fn context_create(
        devices: &[&Object<Device>],
        properties: Option<&ur_context_properties_t>,
    ) -> Result<Handle<Context>> {
        if devices.is_empty() {
            return Err(Error::code(UR_RESULT_ERROR_INVALID_SIZE));
        }
        if properties.is_some_and(|p| p.flags & !UR_CONTEXT_FLAG_TBD.0 != 0) {
            return Err(Error::code(UR_RESULT_ERROR_INVALID_ENUMERATION));
        }
        Handle::new(Context {
            devices: devices.iter().map(|device| device.handle()).collect(),
            deleters: Mutex::default(),
            pools: ContextPools::default(),
        })
    }

    fn context_get_info(
        context: &Object<Context>,
        prop_name: ur_context_info_t,
        info: &mut Info<'_>,
    ) -> Result {
        match prop_name {
            UR_CONTEXT_INFO_NUM_DEVICES => info.value(context.devices.len() as u32),
            UR_CONTEXT_INFO_DEVICES => info.handles(&context.devices),
            UR_CONTEXT_INFO_USM_MEMCPY2D_SUPPORT | UR_CONTEXT_INFO_USM_FILL2D_SUPPORT => {
                info.bool(true)
            }
            _ => Err(Error::unsupported_query()),
        }
    }

    unsafe fn context_set_extended_deleter(
        context: &Object<Context>,
        deleter: ur_context_extended_deleter_t,
        user_data: *mut c_void,
    ) -> Result {
        let function = deleter.ok_or_else(|| Error::code(UR_RESULT_ERROR_INVALID_NULL_POINTER))?;
        context.deleters.lock().push(Deleter {
            function,
            user_data,
        });
        Ok(())
    }
}
