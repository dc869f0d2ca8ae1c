//! Contexts.

use crate::Mock;
use crate::device::Device;
use std::ffi::c_void;
use std::sync::Mutex;
use ur_adapter::{ContextFns, Error, Handle, Info, Object, Result};
use ur_api::*;

/// A context over some devices of the mock.
#[derive(Debug)]
pub struct Context {
    devices: Vec<Handle<Device>>,
    deleters: Mutex<Vec<Deleter>>,
}

#[derive(Debug)]
struct Deleter(ur_context_extended_deleter_t, *mut c_void);

// SAFETY: the pointer is the caller's, only ever handed back to its callback.
unsafe impl Send for Deleter {}

impl Context {
    /// The devices.
    pub fn devices(&self) -> &[Handle<Device>] {
        &self.devices
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        let deleters = std::mem::take(
            self.deleters
                .get_mut()
                .unwrap_or_else(std::sync::PoisonError::into_inner),
        );
        for Deleter(callback, user) in deleters.into_iter().rev() {
            if let Some(callback) = callback {
                // SAFETY: the program asked for this call with this argument.
                unsafe { callback(user) };
            }
        }
    }
}

impl ContextFns for Mock {
    fn context_create(
        devices: &[&Object<Device>],
        _properties: Option<&ur_context_properties_t>,
    ) -> Result<Handle<Context>> {
        if devices.is_empty() {
            return Err(UR_RESULT_ERROR_INVALID_SIZE.into());
        }
        Handle::new(Context {
            devices: devices.iter().map(|device| device.handle()).collect(),
            deleters: Mutex::default(),
        })
    }

    fn context_get_info(
        context: &Object<Context>,
        prop: ur_context_info_t,
        info: &mut Info<'_>,
    ) -> Result {
        match prop {
            UR_CONTEXT_INFO_NUM_DEVICES => info.value(context.devices.len() as u32),
            UR_CONTEXT_INFO_DEVICES => info.handles(&context.devices),
            UR_CONTEXT_INFO_USM_MEMCPY2D_SUPPORT | UR_CONTEXT_INFO_USM_FILL2D_SUPPORT => {
                info.bool(false)
            }
            _ => Err(Error::unsupported_query()),
        }
    }

    unsafe fn context_set_extended_deleter(
        context: &Object<Context>,
        deleter: ur_context_extended_deleter_t,
        user_data: *mut c_void,
    ) -> Result {
        context
            .deleters
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
            .push(Deleter(deleter, user_data));
        Ok(())
    }
}
