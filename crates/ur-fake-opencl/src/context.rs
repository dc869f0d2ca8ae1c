//! Contexts.

use crate::call::{Raw, call, code, list, made, tell};
use crate::cl::*;
use crate::world::{Body, Kind};
use std::ffi::c_void;

/// A context.
#[derive(Debug)]
pub struct Context {
    /// Its devices.
    pub devices: Vec<usize>,
}

/// Makes a context.
pub unsafe extern "C" fn clCreateContext(
    _: *const cl_properties,
    count: cl_uint,
    devices: *const cl_device_id,
    _: ContextNotify,
    _: *mut c_void,
    place: *mut cl_int,
) -> cl_context {
    let result = call("clCreateContext", |world| {
        // SAFETY: as the caller says.
        let devices = unsafe { list(devices, count as usize) };
        let devices: Vec<_> = devices.iter().map(|device| device.to_native()).collect();
        let first = *devices.first().ok_or(CL_INVALID_VALUE)?;
        let platform = world.platform_of(first, Kind::Device)?;
        for device in &devices {
            if world.platform_of(*device, Kind::Device)? != platform {
                return Err(CL_INVALID_DEVICE);
            }
        }
        let holds = devices.clone();
        Ok(world.add(platform, Body::Context(Context { devices }), holds))
    });
    // SAFETY: as the caller says.
    unsafe { made(place, result, cl_context::from_native) }
}

/// Answers a question about a context.
pub unsafe extern "C" fn clGetContextInfo(
    context: cl_context,
    name: cl_uint,
    size: usize,
    value: *mut c_void,
    told: *mut usize,
) -> cl_int {
    code(call("clGetContextInfo", |world| {
        let context = world.context(context.to_native())?;
        let answer = match name {
            CL_CONTEXT_DEVICES => context.devices[..].raw(),
            CL_CONTEXT_NUM_DEVICES => (context.devices.len() as cl_uint).raw(),
            _ => return Err(CL_INVALID_VALUE),
        };
        // SAFETY: as the caller says.
        unsafe { tell(&answer, size, value, told) }
    }))
}

/// Adds a reference.
pub unsafe extern "C" fn clRetainContext(context: cl_context) -> cl_int {
    code(call("clRetainContext", |world| {
        world.retain(context.to_native(), Kind::Context)
    }))
}

/// Gives a reference up.
pub unsafe extern "C" fn clReleaseContext(context: cl_context) -> cl_int {
    code(call("clReleaseContext", |world| {
        world.release(context.to_native(), Kind::Context)
    }))
}
