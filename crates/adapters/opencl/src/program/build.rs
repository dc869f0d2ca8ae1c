//! Building, compiling and linking.

use super::Program;
use crate::cl::{self, Owned, check};
use crate::context::Context;
use crate::device::Device;
use std::ffi::CStr;
use ur_adapter::{Error, Handle, Object, Result};
use ur_api::*;

/// Refuses flags that OpenCL cannot follow.
///
/// # Errors
/// `INVALID_ENUMERATION` for unknown ones, `UNSUPPORTED_FEATURE` for programs with missing functions.
pub fn check_flags(flags: ur_exp_program_flags_t) -> Result {
    if flags & !UR_EXP_PROGRAM_FLAG_ALLOW_UNRESOLVED_SYMBOLS.0 != 0 {
        return Err(Error::code(UR_RESULT_ERROR_INVALID_ENUMERATION));
    }
    match flags {
        0 => Ok(()),
        _ => Err(Error::unsupported()),
    }
}

/// Refuses a program of another context.
///
/// # Errors
/// `INVALID_PROGRAM`.
pub fn expect_context(context: &Object<Context>, program: &Object<Program>) -> Result {
    match program.context().is(context) {
        true => Ok(()),
        false => Err(Error::new(
            UR_RESULT_ERROR_INVALID_PROGRAM,
            "the program is of another context",
        )),
    }
}

/// OpenCL's handles of devices, of which there may be none for all.
fn natives(devices: &[&Object<Device>]) -> Vec<cl::cl_device_id> {
    devices.iter().map(|device| device.native()).collect()
}

/// The list's address; null if it is empty.
fn pointer<T>(list: &[T]) -> *const T {
    match list {
        [] => std::ptr::null(),
        list => list.as_ptr(),
    }
}

fn text(options: Option<&CStr>) -> *const std::ffi::c_char {
    options.map_or(std::ptr::null(), CStr::as_ptr)
}

/// Compiles and links a program for some of its devices, or for all if none is named.
///
/// # Errors
/// `PROGRAM_BUILD_FAILURE`, and what the driver says.
pub fn build(program: &Program, devices: &[&Object<Device>], options: Option<&CStr>) -> Result {
    let devices = natives(devices);
    // SAFETY: a live program and devices; the text is terminated; no callback, so the call waits.
    check(unsafe {
        (program.api().clBuildProgram)(
            program.native(),
            devices.len() as u32,
            pointer(&devices),
            text(options),
            None,
            std::ptr::null_mut(),
        )
    })
}

/// Compiles a program for some of its devices, or for all if none is named.
///
/// # Errors
/// `PROGRAM_BUILD_FAILURE`, and what the driver says.
pub fn compile(program: &Program, devices: &[&Object<Device>], options: Option<&CStr>) -> Result {
    let devices = natives(devices);
    // SAFETY: as for `build`; no headers.
    check(unsafe {
        (program.api().clCompileProgram)(
            program.native(),
            devices.len() as u32,
            pointer(&devices),
            text(options),
            0,
            std::ptr::null(),
            std::ptr::null(),
            None,
            std::ptr::null_mut(),
        )
    })
}

/// Links compiled programs for some devices, or for all of the context if none is named.
///
/// # Errors
/// `INVALID_SIZE` for nothing to link, `PROGRAM_LINK_FAILURE`, and what the driver says.
pub fn link(
    context: &Object<Context>,
    devices: &[&Object<Device>],
    programs: &[&Object<Program>],
    options: Option<&CStr>,
) -> Result<Handle<Program>> {
    if programs.is_empty() {
        return Err(Error::code(UR_RESULT_ERROR_INVALID_SIZE));
    }
    for program in programs {
        expect_context(context, program)?;
    }
    let devices = natives(devices);
    let parts: Vec<_> = programs.iter().map(|program| program.native()).collect();
    let mut code = 0;
    // SAFETY: live objects; the text is terminated; no callback, so the call waits.
    let native = unsafe {
        (context.api().clLinkProgram)(
            context.native(),
            devices.len() as u32,
            pointer(&devices),
            text(options),
            parts.len() as u32,
            parts.as_ptr(),
            None,
            std::ptr::null_mut(),
            &raw mut code,
        )
    };
    // A link that failed may leave a program with the log.
    // SAFETY: made for this call.
    let native = (!native.is_null()).then(|| unsafe { Owned::new(context.api(), native) });
    check(code)?;
    let native = native.ok_or(UR_RESULT_ERROR_PROGRAM_LINK_FAILURE)?;
    let exports = programs.iter().flat_map(|program| program.exports());
    Program::new(context, native, exports.collect())
}
