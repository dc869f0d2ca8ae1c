//! Making programs of SPIR-V, of binaries and of OpenCL's own.

use super::Program;
use crate::cl::{self, Owned, Version, check, query};
use crate::context::Context;
use crate::device::Device;
use std::ffi::c_void;
use ur_adapter::{Error, Handle, Object, Result, il};
use ur_api::*;

/// Metadata has no meaning for OpenCL, but must be whole.
fn check_properties(properties: Option<&ur_program_properties_t>) -> Result {
    match properties {
        Some(list) if list.count > 0 && list.pMetadatas.is_null() => {
            Err(Error::code(UR_RESULT_ERROR_INVALID_NULL_POINTER))
        }
        Some(list) if list.count == 0 && !list.pMetadatas.is_null() => {
            Err(Error::code(UR_RESULT_ERROR_INVALID_SIZE))
        }
        _ => Ok(()),
    }
}

/// A program of SPIR-V, or of what else the driver takes.
///
/// # Errors
/// `COMPILER_NOT_AVAILABLE` where no device takes any, `INVALID_BINARY` for a module that is broken,
/// and what the driver says.
///
/// # Safety
/// `il` has `length` bytes.
pub unsafe fn from_il(
    context: &Object<Context>,
    il: *const c_void,
    length: usize,
    properties: Option<&ur_program_properties_t>,
) -> Result<Handle<Program>> {
    check_properties(properties)?;
    if length == 0 {
        return Err(Error::code(UR_RESULT_ERROR_INVALID_SIZE));
    }
    let devices = context.devices();
    if !devices.iter().any(|device| device.facts().takes_il) {
        return Err(Error::new(
            UR_RESULT_ERROR_COMPILER_NOT_AVAILABLE,
            "the driver takes no SPIR-V",
        ));
    }
    let core = context.platform().version() >= Version(2, 1)
        && devices
            .iter()
            .all(|device| device.version() >= Version(2, 1));
    let create = context.api().clCreateProgramWithIL.filter(|_| core);
    let create = create.or(context.extensions().clCreateProgramWithILKHR);
    let create = create.ok_or(UR_RESULT_ERROR_COMPILER_NOT_AVAILABLE)?;
    // SAFETY: the program passes that many bytes.
    let bytes = unsafe { std::slice::from_raw_parts(il.cast::<u8>(), length) };
    // A driver need not survive what is broken.
    il::check(bytes).map_err(|reason| Error::new(UR_RESULT_ERROR_INVALID_BINARY, reason))?;
    let mut code = 0;
    // SAFETY: a live context and that many bytes; the code's place is ours.
    let native = unsafe { create(context.native(), il, length, &raw mut code) };
    match code {
        // What is given is a value only by its bytes.
        cl::CL_INVALID_VALUE => {
            return Err(Error::code(UR_RESULT_ERROR_INVALID_BINARY).with_native(code));
        }
        code => check(code)?,
    }
    // SAFETY: made for this call.
    let native = unsafe { Owned::new(context.api(), native) };
    Program::new(context, native, Vec::new())
}

/// A program of a binary for each device.
///
/// # Errors
/// `INVALID_NATIVE_BINARY` for what the driver does not know, `INVALID_DEVICE`, and what the driver
/// says.
pub fn from_binaries(
    context: &Object<Context>,
    devices: &[&Object<Device>],
    lengths: &[usize],
    binaries: &[*const u8],
    properties: Option<&ur_program_properties_t>,
) -> Result<Handle<Program>> {
    check_properties(properties)?;
    if devices.is_empty() {
        return Err(Error::code(UR_RESULT_ERROR_INVALID_SIZE));
    }
    if lengths.len() != devices.len() || binaries.len() != devices.len() {
        return Err(Error::code(UR_RESULT_ERROR_INVALID_SIZE));
    }
    if !devices.iter().all(|device| context.has(device)) {
        return Err(Error::code(UR_RESULT_ERROR_INVALID_DEVICE));
    }
    if binaries.iter().any(|binary| binary.is_null()) {
        return Err(Error::code(UR_RESULT_ERROR_INVALID_NULL_POINTER));
    }
    if lengths.contains(&0) {
        return Err(Error::code(UR_RESULT_ERROR_INVALID_NATIVE_BINARY));
    }
    let natives: Vec<_> = devices.iter().map(|device| device.native()).collect();
    let mut statuses = vec![cl::CL_SUCCESS; natives.len()];
    let mut code = 0;
    // SAFETY: a live context and lists of that length; each binary has its length, as the program
    // says; the other places are ours.
    let native = unsafe {
        (context.api().clCreateProgramWithBinary)(
            context.native(),
            natives.len() as u32,
            natives.as_ptr(),
            lengths.as_ptr(),
            binaries.as_ptr(),
            statuses.as_mut_ptr(),
            &raw mut code,
        )
    };
    match code {
        cl::CL_INVALID_BINARY | cl::CL_INVALID_VALUE => {
            return Err(Error::code(UR_RESULT_ERROR_INVALID_NATIVE_BINARY).with_native(code));
        }
        code => check(code)?,
    }
    // SAFETY: made for this call.
    let native = unsafe { Owned::new(context.api(), native) };
    if let Some(status) = statuses.iter().find(|status| **status != cl::CL_SUCCESS) {
        return Err(Error::code(UR_RESULT_ERROR_INVALID_NATIVE_BINARY).with_native(*status));
    }
    Program::new(context, native, Vec::new())
}

/// A program of OpenCL's that a program hands in, for instance one of OpenCL C.
///
/// # Errors
/// `INVALID_PROGRAM`, and `INVALID_CONTEXT` for one of another context.
pub fn from_native(
    native: ur_native_handle_t,
    context: &Object<Context>,
    properties: Option<&ur_program_native_properties_t>,
) -> Result<Handle<Program>> {
    let api = context.api();
    let native = cl::cl_program::from_native(native);
    if native.is_null() {
        return Err(Error::code(UR_RESULT_ERROR_INVALID_PROGRAM));
    }
    let of: cl::cl_context = query::value(|size, value, told| {
        // SAFETY: the program passes a live one; the places are as `query` says.
        unsafe { (api.clGetProgramInfo)(native, cl::CL_PROGRAM_CONTEXT, size, value, told) }
    })?;
    if of != context.native() {
        return Err(Error::code(UR_RESULT_ERROR_INVALID_CONTEXT));
    }
    let given = properties.is_some_and(|properties| properties.isNativeHandleOwned);
    // SAFETY: a live program; its owner says whether the reference is ours.
    let native = unsafe { Owned::of_native(api, native, given) }?;
    Program::new(context, native, Vec::new())
}
