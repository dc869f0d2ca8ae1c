//! What a program says of itself and of its builds.

use super::Program;
use super::source::Source;
use crate::device::Device;
use std::ffi::CString;
use ur_adapter::{Error, Info, Object, Result};
use ur_api::*;

/// Answers `urProgramGetInfo`.
///
/// # Errors
/// `UNSUPPORTED_ENUMERATION` for an unknown question, and what the driver says.
pub fn answer(program: &Program, name: ur_program_info_t, info: &mut Info<'_>) -> Result {
    match name {
        UR_PROGRAM_INFO_CONTEXT => info.handle(&**program.context()),
        UR_PROGRAM_INFO_NUM_DEVICES => info.value(program.devices().len() as u32),
        UR_PROGRAM_INFO_DEVICES => info.handles(program.devices()),
        UR_PROGRAM_INFO_IL => match program.source() {
            Source::Il(il) => info.bytes(&il.bytes),
            _ => info.bytes(&[]),
        },
        UR_PROGRAM_INFO_BINARY_SIZES => {
            let size = |code: &Option<super::Code>| match code {
                Some(code) => code.module.binary_size(),
                None => Ok(0),
            };
            let sizes: Vec<_> = program.codes().iter().map(size).collect::<Result<_>>()?;
            info.slice(&sizes)
        }
        UR_PROGRAM_INFO_BINARIES => {
            let wanted = info.wants_value();
            let binary = |code: &Option<super::Code>| match code {
                Some(code) if wanted => code.module.binary(),
                _ => Ok(Vec::new()),
            };
            let binaries: Vec<_> = program.codes().iter().map(binary).collect::<Result<_>>()?;
            let binaries: Vec<&[u8]> = binaries.iter().map(Vec::as_slice).collect();
            // SAFETY: this is the query whose buffer is an array of pointers, each with room for its
            // binary.
            unsafe { info.blobs(&binaries) }
        }
        UR_PROGRAM_INFO_NUM_KERNELS => info.value(names(program).len()),
        UR_PROGRAM_INFO_KERNEL_NAMES => {
            let names = names(program);
            let names: Vec<_> = names.iter().map(|name| name.to_string_lossy()).collect();
            info.text(&names.join(";"))
        }
        _ => Err(Error::unsupported_query()),
    }
}

/// The names of its kernels: those of the first module that was made, or those of its SPIR-V.
pub fn names(program: &Program) -> Vec<CString> {
    let first = program.codes().into_iter().flatten().next();
    if let Some(code) = first {
        return code.module.kernel_names();
    }
    let contents = program.source().contents();
    let entries = contents.flat_map(|contents| &contents.entries);
    let names = entries.map(|entry| CString::new(entry.name.clone()));
    names.filter_map(std::result::Result::ok).collect()
}

/// Answers `urProgramGetBuildInfo`.
///
/// # Errors
/// `INVALID_DEVICE`, `UNSUPPORTED_ENUMERATION` for an unknown question.
pub fn answer_build(
    program: &Program,
    device: &Object<Device>,
    name: ur_program_build_info_t,
    info: &mut Info<'_>,
) -> Result {
    let build = program.build_at(program.position(device)?);
    match name {
        UR_PROGRAM_BUILD_INFO_STATUS => info.value(build.status.0),
        UR_PROGRAM_BUILD_INFO_BINARY_TYPE => info.value(build.binary.0),
        UR_PROGRAM_BUILD_INFO_OPTIONS => info.text(&build.options.to_string_lossy()),
        UR_PROGRAM_BUILD_INFO_LOG => info.text(&build.log),
        _ => Err(Error::unsupported_query()),
    }
}
