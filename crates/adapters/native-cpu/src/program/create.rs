//! Making programs of SPIR-V and of saved programs.

use super::Program;
use crate::binary::{self, MachineCode, Saved, Stage};
use crate::context::Context;
use crate::device::Device;
use crate::{cpu, facts, jit};
use std::ffi::c_void;
use ur_adapter::{Error, Handle, Object, Result};
use ur_api::*;

/// Checks that machine code can run here.
///
/// # Errors
/// `INVALID_BINARY` if it is for another CPU; the message names both.
fn check_cpu(code: &MachineCode) -> Result {
    if code.cpu == *cpu::fingerprint() {
        return Ok(());
    }
    let own = &facts::get().name;
    let difference = if code.cpu_name == *own {
        " with other features"
    } else {
        ""
    };
    Err(Error::new(
        UR_RESULT_ERROR_INVALID_BINARY,
        format!(
            "the program was built for {}{difference}, and this is {own}",
            code.cpu_name
        ),
    ))
}

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
/// `INVALID_BINARY` for what is no SPIR-V.
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
    // SAFETY: the program passes that many bytes.
    let bytes = unsafe { std::slice::from_raw_parts(il.cast::<u8>(), length) };
    let (words, rest) = bytes.as_chunks::<4>();
    if !rest.is_empty() {
        return Err(Error::new(
            UR_RESULT_ERROR_INVALID_BINARY,
            format!("{length} bytes are no whole number of SPIR-V words"),
        ));
    }
    let saved = Saved {
        stage: Stage::Executable,
        constants: Vec::new(),
        options: String::new(),
        words: words.iter().map(|word| u32::from_ne_bytes(*word)).collect(),
        code: None,
    };
    Program::create(context, context.devices().to_vec(), saved, false)
}

/// A program that was saved, the same for each device.
///
/// # Errors
/// `INVALID_NATIVE_BINARY` for what is no saved program, `INVALID_BINARY` for one that was built for
/// another CPU.
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
    if !devices.iter().all(|device| context.has(device)) {
        return Err(Error::code(UR_RESULT_ERROR_INVALID_DEVICE));
    }
    let refuse = |reason: String| Error::new(UR_RESULT_ERROR_INVALID_NATIVE_BINARY, reason);
    let mut program: Option<Saved> = None;
    for (&length, &start) in lengths.iter().zip(binaries) {
        if start.is_null() {
            return Err(Error::code(UR_RESULT_ERROR_INVALID_NULL_POINTER));
        }
        // SAFETY: the program passes that many bytes.
        let bytes = unsafe { std::slice::from_raw_parts(start, length) };
        let saved = binary::read(bytes).map_err(|refusal| refuse(refusal.to_string()))?;
        match &program {
            Some(first) if *first != saved => {
                return Err(refuse("the devices have different programs".into()));
            }
            _ => program = Some(saved),
        }
    }
    let mut saved = program.ok_or_else(|| Error::code(UR_RESULT_ERROR_INVALID_SIZE))?;
    if let Some(code) = &saved.code {
        check_cpu(code)?;
        saved
            .examine()
            .map_err(|refusal| refuse(refusal.to_string()))?;
    }
    // Code that another JIT made is made again: it may call what this one does not have.
    saved.code = saved.code.take().filter(|code| {
        jit::build_id().is_none_or(|own| own == code.build_id || code.build_id.is_empty())
    });
    let devices = devices.iter().map(|device| device.handle()).collect();
    Program::create(context, devices, saved, true).map_err(|error| match error.code {
        UR_RESULT_ERROR_INVALID_BINARY => Error {
            code: UR_RESULT_ERROR_INVALID_NATIVE_BINARY,
            ..error
        },
        _ => error,
    })
}
