//! Making programs of SPIR-V, of binaries and of Level Zero's own modules.

use super::build::{Build, Code};
use super::module::{Input, Module};
use super::source::{Il, Source};
use super::{Program, takes_il};
use crate::context::Context;
use crate::device::Device;
use crate::ze;
use std::ffi::c_void;
use std::sync::Arc;
use ur_adapter::{Error, Handle, Object, Result, il};
use ur_api::*;

/// Metadata has no meaning for Level Zero, but must be whole.
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

/// A program of SPIR-V.
///
/// # Errors
/// `COMPILER_NOT_AVAILABLE` where no device takes any, `INVALID_BINARY` for what is no module or a
/// broken one.
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
    if !context.devices().iter().any(|device| takes_il(device)) {
        return Err(Error::new(
            UR_RESULT_ERROR_COMPILER_NOT_AVAILABLE,
            "the driver takes no SPIR-V",
        ));
    }
    // SAFETY: the program passes that many bytes.
    let bytes = unsafe { std::slice::from_raw_parts(il.cast::<u8>(), length) };
    let broken = |reason| Error::new(UR_RESULT_ERROR_INVALID_BINARY, reason);
    if !il::is_module(bytes) {
        return Err(broken("this is no SPIR-V"));
    }
    // A driver need not survive what is broken.
    il::check(bytes).map_err(broken)?;
    let il = Il {
        bytes: bytes.into(),
        contents: il::Contents::read(bytes),
    };
    let devices = context.devices().iter().cloned();
    let devices = devices.map(|device| (device, Build::default()));
    Program::new(context, devices.collect(), Source::Il(Arc::new(il)))
}

/// A program of a binary for each device. Modules are made at once, since only the driver knows whether
/// the binaries are any.
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
    if devices.is_empty() || lengths.len() != devices.len() || binaries.len() != devices.len() {
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
    let (mut built, mut all) = (Vec::new(), Vec::new());
    for ((device, length), start) in devices.iter().zip(lengths).zip(binaries) {
        // SAFETY: the program passes that many bytes.
        let bytes = unsafe { std::slice::from_raw_parts(*start, *length) };
        let (module, log) = Module::create(context, device, Input::Binary(bytes, c""));
        let module = Arc::new(module?);
        let build = Build {
            binary: UR_PROGRAM_BINARY_TYPE_EXECUTABLE,
            log,
            code: Some(Code {
                unresolved: module.imports(),
                module,
                linked: None,
            }),
            ..Build::default()
        };
        built.push((device.handle(), build));
        all.push(bytes.into());
    }
    Program::new(context, built, Source::Binaries(all))
}

/// A program of a module of Level Zero's that a program hands in. Which device it is for Level Zero does
/// not tell: it counts as one for each of the context's.
///
/// # Errors
/// `INVALID_PROGRAM`.
pub fn from_native(
    native: ur_native_handle_t,
    context: &Object<Context>,
    properties: Option<&ur_program_native_properties_t>,
) -> Result<Handle<Program>> {
    let native = ze::ze_module_handle_t::from_native(native);
    if native.is_null() {
        return Err(Error::code(UR_RESULT_ERROR_INVALID_PROGRAM));
    }
    let given = properties.is_some_and(|properties| properties.isNativeHandleOwned);
    // SAFETY: a live module; its owner says whether it is ours.
    let module = Arc::new(unsafe { Module::of_native(context, native, given) });
    let build = Build {
        // That it is linked is for the program to know, and for the driver when kernels are made.
        code: Some(Code {
            module,
            linked: None,
            unresolved: false,
        }),
        ..Build::success(UR_PROGRAM_BINARY_TYPE_EXECUTABLE, c"")
    };
    let devices = context.devices().iter().cloned();
    let devices = devices.map(|device| (device, build.clone()));
    Program::new(context, devices.collect(), Source::Native)
}
