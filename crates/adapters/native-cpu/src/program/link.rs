//! Making one program of several.

use super::contents::Contents;
use super::specialise::specialise;
use super::{Code, Program, options};
use crate::binary::{Saved, Stage};
use crate::code::{Module, Source};
use crate::context::Context;
use crate::device::Device;
use std::ffi::CStr;
use std::sync::Arc;
use ur_adapter::{Error, Handle, Object, Result};
use ur_api::*;

fn failed(reason: impl Into<String>) -> Error {
    Error::new(UR_RESULT_ERROR_PROGRAM_LINK_FAILURE, reason.into())
}

fn check(context: &Object<Context>, programs: &[&Object<Program>]) -> Result {
    if programs.is_empty() {
        return Err(Error::code(UR_RESULT_ERROR_INVALID_SIZE));
    }
    if programs
        .iter()
        .any(|program| !std::ptr::eq(&*program.context, context))
    {
        return Err(Error::new(
            UR_RESULT_ERROR_INVALID_PROGRAM,
            "a program of another context",
        ));
    }
    Ok(())
}

/// One module of those of several programs, each with the values of its own constants.
fn merge(programs: &[&Object<Program>]) -> Result<Vec<u32>> {
    let modules: Vec<Vec<u32>> = programs
        .iter()
        .map(|program| {
            let mut words = program.words.to_vec();
            specialise(&mut words, &program.state().constants);
            words
        })
        .collect();
    if let [one] = &modules[..] {
        return Ok(one.clone());
    }
    let modules: Vec<&[u32]> = modules.iter().map(Vec::as_slice).collect();
    ur_spirv::link(&modules).map_err(|error| failed(error.to_string()))
}

/// Makes one program of several compiled ones and builds it, for the devices given or those of the
/// first program. With `-create-library` it stays one to be linked with others.
///
/// # Errors
/// `INVALID_OPERATION` for a program that was not compiled; `PROGRAM_LINK_FAILURE` for what does not
/// fit together or is missing, unless `unlinked` allows that.
pub fn link(
    context: &Object<Context>,
    devices: Option<&[&Object<Device>]>,
    programs: &[&Object<Program>],
    options: Option<&CStr>,
    unlinked: bool,
) -> Result<Handle<Program>> {
    check(context, programs)?;
    let built_for = |program: &Object<Program>, device: usize| {
        let state = program.state();
        let build = state.builds.get(device);
        build.is_some_and(|build| build.status == UR_PROGRAM_BUILD_STATUS_SUCCESS)
    };
    let devices: Vec<Handle<Device>> = match devices {
        Some(devices) => devices.iter().map(|device| device.handle()).collect(),
        None => programs[0].devices.clone(),
    };
    for program in programs {
        for device in &devices {
            if !built_for(program, program.device(device)?) {
                return Err(Error::new(
                    UR_RESULT_ERROR_INVALID_OPERATION,
                    "a program has not been compiled",
                ));
            }
        }
    }
    let text = options.map(|options| options.to_string_lossy().into_owned());
    let stage = match &text {
        Some(text) if options::has(text, "-create-library") => Stage::Library,
        _ => Stage::Executable,
    };
    let linked = Program::create(
        context,
        devices,
        Saved {
            stage,
            constants: Vec::new(),
            options: String::new(),
            words: merge(programs)?,
            code: None,
        },
        false,
    )?;
    // Without options of its own it is built as the first was compiled.
    let compiled = programs[0].state().builds[0].options.clone();
    let compiled = std::ffi::CString::new(compiled).unwrap_or_default();
    let options = options
        .filter(|options| !options.is_empty())
        .unwrap_or(&compiled);
    linked
        .build(&linked.all_devices(), Some(options), stage, unlinked)
        .map_err(|error| Error {
            code: UR_RESULT_ERROR_PROGRAM_LINK_FAILURE,
            ..error
        })?;
    Ok(linked)
}

/// Gives built programs one module made of all of theirs, so that each finds in the others what it
/// misses, and all share their variables. Kernels made before keep the code that they have.
///
/// # Errors
/// `INVALID_PROGRAM` for a program that was not built, `PROGRAM_LINK_FAILURE` for what does not fit
/// together or is missing.
pub fn link_built(context: &Object<Context>, programs: &[&Object<Program>]) -> Result {
    check(context, programs)?;
    for program in programs {
        let state = program.state();
        let built = |build: &super::Build| build.binary == UR_PROGRAM_BINARY_TYPE_EXECUTABLE;
        if !state.builds.iter().any(built) {
            return Err(Error::new(
                UR_RESULT_ERROR_INVALID_PROGRAM,
                "a program has not been built",
            ));
        }
    }
    let words = merge(programs)?;
    let contents = Contents::read(&words).map_err(|error| Error {
        code: UR_RESULT_ERROR_PROGRAM_LINK_FAILURE,
        ..error
    })?;
    let mut options: Vec<String> = Vec::new();
    for program in programs {
        let own = program.state().builds[0].options.clone();
        if !options.contains(&own) {
            options.push(own);
        }
    }
    let module = Module::build(Source {
        words: words.into(),
        options: options.join(" "),
        constants: Vec::new(),
    })
    .map_err(failed)?;
    let code = Code {
        module: Arc::new(module),
        merged: Some(Arc::new(contents)),
    };
    for program in programs {
        let mut state = program.state();
        state.code = Some(code.clone());
        state.saved = None;
        for build in &mut state.builds {
            build.link();
        }
    }
    Ok(())
}
