//! Making one program of several, and linking programs that are built.

use super::build::{Build, Code, is_success};
use super::module::{Module, said};
use super::options;
use super::source::{Part, Source};
use super::{Program, not_built};
use crate::context::Context;
use crate::device::Device;
use crate::ze::{self, Owned, check};
use std::ffi::CStr;
use std::sync::Arc;
use ur_adapter::{Error, Handle, Object, Result};
use ur_api::*;

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

/// Whether a device's driver links several modules of SPIR-V to one.
pub fn takes_several(device: &Device) -> bool {
    device.platform().has(ze::ZE_MODULE_PROGRAM_EXP_NAME)
}

/// Refuses to link where the driver does not.
///
/// # Errors
/// `UNSUPPORTED_FEATURE`.
pub fn expect_linker(program: &Program) -> Result {
    let mut devices = program.devices().iter();
    match devices.all(|device| takes_several(device)) {
        true => Ok(()),
        false => Err(Error::new(
            UR_RESULT_ERROR_UNSUPPORTED_FEATURE,
            "the driver does not link SPIR-V",
        )),
    }
}

/// Programs of a context, of which there is at least one.
fn expect_programs(context: &Object<Context>, programs: &[&Object<Program>]) -> Result {
    if programs.is_empty() {
        return Err(Error::code(UR_RESULT_ERROR_INVALID_SIZE));
    }
    let mut programs = programs.iter();
    programs.try_for_each(|program| expect_context(context, program))
}

/// What a program that was compiled, or linked to a library, gives to what it is linked to.
fn given(program: &Object<Program>, devices: &[Handle<Device>]) -> Result<Vec<Part>> {
    let not_compiled = || {
        Error::new(
            UR_RESULT_ERROR_INVALID_OPERATION,
            "a program has not been compiled",
        )
    };
    let mut options = None;
    for device in devices {
        let at = program.position(device)?;
        if !is_success(program, at) {
            return Err(not_compiled());
        }
        options.get_or_insert_with(|| program.build_at(at).options);
    }
    let options = match program.source() {
        Source::Il(_) => options::of(&options.unwrap_or_default()),
        // Those of its parts are there already.
        _ => Default::default(),
    };
    program.parts(&options).ok_or_else(not_compiled)
}

/// Makes one program of several compiled ones and builds it, for the devices given or those of the
/// first program. With `-create-library` it stays one to be linked with others.
///
/// # Errors
/// `INVALID_OPERATION` for a program that was not compiled, `UNSUPPORTED_FEATURE` for several where the
/// driver does not link them; `PROGRAM_LINK_FAILURE` for what does not fit together or is missing,
/// unless `unresolved` allows that.
pub fn link(
    context: &Object<Context>,
    devices: &[&Object<Device>],
    programs: &[&Object<Program>],
    options: Option<&CStr>,
    unresolved: bool,
) -> Result<Handle<Program>> {
    expect_programs(context, programs)?;
    let devices: Vec<_> = match devices {
        [] => programs[0].devices().to_vec(),
        devices => devices.iter().map(|device| device.handle()).collect(),
    };
    let mut parts = Vec::new();
    for program in programs {
        parts.extend(given(program, &devices)?);
    }
    let text = options.unwrap_or_default();
    let library = options::makes_library(text);
    let build = match library {
        true => Build::success(UR_PROGRAM_BINARY_TYPE_LIBRARY, text),
        false => Build::default(),
    };
    let devices = devices.into_iter().map(|device| (device, build.clone()));
    let linked = Program::new(context, devices.collect(), Source::Parts(parts))?;
    if library {
        return Ok(linked);
    }
    let built = linked.build(&linked.all(), options, unresolved);
    built.map(|()| linked).map_err(|error| Error {
        code: match error.code {
            UR_RESULT_ERROR_PROGRAM_BUILD_FAILURE => UR_RESULT_ERROR_PROGRAM_LINK_FAILURE,
            other => other,
        },
        ..error
    })
}

/// Lets built programs use each other's symbols, for each device that they are built for.
///
/// # Errors
/// `INVALID_PROGRAM` for a program that was not built for the devices of the first, and
/// `PROGRAM_LINK_FAILURE` for what is missing.
pub fn link_built(context: &Object<Context>, programs: &[&Object<Program>]) -> Result {
    expect_programs(context, programs)?;
    let not_built = || Error {
        code: UR_RESULT_ERROR_INVALID_PROGRAM,
        ..not_built()
    };
    let mut any = false;
    for device in programs[0].devices() {
        let Ok(_) = programs[0].code(device) else {
            continue;
        };
        any = true;
        let codes = programs.iter().map(|program| program.code(device));
        let codes: Vec<Code> = codes.collect::<Result<_>>().map_err(|_| not_built())?;
        let mut modules: Vec<Arc<Module>> = Vec::new();
        for code in &codes {
            // What one was linked with before stays with all.
            for module in code.linked.iter().flat_map(|linked| linked.iter()) {
                add(&mut modules, module);
            }
            add(&mut modules, &code.module);
        }
        let (linked, log) = link_modules(&modules);
        let modules: Arc<[Arc<Module>]> = modules.into();
        for program in programs {
            let at = program.position(device)?;
            let mut state = program.state();
            let Some(build) = state.builds.get_mut(at) else {
                continue;
            };
            if !log.is_empty() {
                build.say(&log);
            }
            if let (Ok(()), Some(code)) = (&linked, &mut build.code) {
                code.linked = Some(modules.clone());
                code.unresolved = false;
            }
        }
        linked?;
    }
    match any {
        true => Ok(()),
        false => Err(not_built()),
    }
}

/// Adds a module that is not there yet.
fn add(modules: &mut Vec<Arc<Module>>, module: &Arc<Module>) {
    if !modules.iter().any(|other| Arc::ptr_eq(other, module)) {
        modules.push(module.clone());
    }
}

/// Links modules of one device. What the driver said comes along.
fn link_modules(modules: &[Arc<Module>]) -> (Result, String) {
    let Some(first) = modules.first() else {
        return (Ok(()), String::new());
    };
    let natives: Vec<_> = modules.iter().map(|module| module.native()).collect();
    let (api, count) = (first.api(), natives.len() as u32);
    let mut log = ze::ze_module_build_log_handle_t::NULL;
    // SAFETY: live modules and a place of ours.
    let code = unsafe { (api.zeModuleDynamicLink)(count, natives.as_ptr(), &raw mut log) };
    // SAFETY: made for this call.
    let log = (!log.is_null()).then(|| unsafe { Owned::new(api, log) });
    let text = log.as_ref().map(said).unwrap_or_default();
    (check(code), text)
}
