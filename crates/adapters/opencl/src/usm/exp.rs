//! Pools of devices, and copies without a queue.

use super::{device_of, kind_of};
use crate::OpenCl;
use crate::cl::{self, check};
use crate::context::Context;
use crate::device::Device;
use std::ffi::c_void;
use ur_adapter::{Error, Handle, Object, Result, UsmExpFns};
use ur_api::*;

/// The device whose memory is at an address, if it is known to be one's.
fn home(context: &Context, memory: *const c_void) -> Option<Handle<Device>> {
    if let Some(allocation) = context.known().find(memory) {
        return allocation.device;
    }
    match kind_of(context, memory) {
        Ok(UR_USM_TYPE_DEVICE | UR_USM_TYPE_SHARED) => {
            device_of(context, memory).ok().flatten().cloned()
        }
        _ => None,
    }
}

impl UsmExpFns for OpenCl {
    ur_adapter::device_pools!();

    unsafe fn usm_context_memcpy_exp(
        context: &Object<Context>,
        dst: *mut c_void,
        src: *const c_void,
        size: usize,
    ) -> Result {
        if size == 0 {
            return Err(Error::code(UR_RESULT_ERROR_INVALID_SIZE));
        }
        let copy = context.usm().memcpy()?;
        // A device reaches its own memory, and the host's.
        let device = home(context, dst).or_else(|| home(context, src));
        let queue = context.service_queue(device.as_ref().unwrap_or(&context.devices()[0]))?;
        let (none, nothing) = (std::ptr::null(), std::ptr::null_mut());
        // SAFETY: a live queue, and memory of that size as the program says.
        check(unsafe { copy(queue, cl::CL_TRUE, dst, src, size, 0, none, nothing) })
    }

    unsafe fn usm_import_exp(_: &Object<Context>, _: *mut c_void, size: usize) -> Result {
        if size == 0 {
            return Err(Error::code(UR_RESULT_ERROR_INVALID_SIZE));
        }
        // A hint, of which OpenCL has none like it.
        Ok(())
    }

    unsafe fn usm_release_exp(_: &Object<Context>, _: *mut c_void) -> Result {
        Ok(())
    }
}
