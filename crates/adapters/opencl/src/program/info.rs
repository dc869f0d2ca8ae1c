//! What a program says of itself and of its builds.

use super::Program;
use crate::cl::{self, check, query};
use crate::device::Device;
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
        UR_PROGRAM_INFO_IL => info.bytes(&match program.list::<u8>(cl::CL_PROGRAM_IL) {
            Ok(il) => il,
            // A driver without the question has no program of that kind either.
            Err(error) if error.native == cl::CL_INVALID_VALUE => Vec::new(),
            Err(error) => return Err(error),
        }),
        UR_PROGRAM_INFO_BINARY_SIZES => {
            info.slice(&program.list::<usize>(cl::CL_PROGRAM_BINARY_SIZES)?)
        }
        UR_PROGRAM_INFO_BINARIES => {
            let binaries = if info.wants_value() {
                binaries(program)?
            } else {
                vec![Vec::new(); program.devices().len()]
            };
            let binaries: Vec<&[u8]> = binaries.iter().map(Vec::as_slice).collect();
            // SAFETY: this is the query whose buffer is an array of pointers, each with room for its
            // binary.
            unsafe { info.blobs(&binaries) }
        }
        UR_PROGRAM_INFO_NUM_KERNELS => {
            let numbers = program.list::<usize>(cl::CL_PROGRAM_NUM_KERNELS)?;
            info.slice(&numbers)
        }
        UR_PROGRAM_INFO_KERNEL_NAMES => {
            let mut names = program.list::<u8>(cl::CL_PROGRAM_KERNEL_NAMES)?;
            if names.last() != Some(&0) {
                names.push(0);
            }
            info.bytes(&names)
        }
        _ => Err(Error::unsupported_query()),
    }
}

/// The binaries, one for each device.
fn binaries(program: &Program) -> Result<Vec<Vec<u8>>> {
    let sizes = program.list::<usize>(cl::CL_PROGRAM_BINARY_SIZES)?;
    let mut binaries: Vec<_> = sizes.iter().map(|size| vec![0u8; *size]).collect();
    let mut places: Vec<_> = binaries.iter_mut().map(|one| one.as_mut_ptr()).collect();
    // SAFETY: a live program, and a pointer for each device to room for its binary.
    check(unsafe {
        (program.api().clGetProgramInfo)(
            program.native(),
            cl::CL_PROGRAM_BINARIES,
            size_of_val(&places[..]),
            places.as_mut_ptr().cast(),
            std::ptr::null_mut(),
        )
    })?;
    Ok(binaries)
}

/// Answers `urProgramGetBuildInfo`.
///
/// # Errors
/// `UNSUPPORTED_ENUMERATION` for an unknown question, and what the driver says.
pub fn answer_build(
    program: &Program,
    device: &Object<Device>,
    name: ur_program_build_info_t,
    info: &mut Info<'_>,
) -> Result {
    let ask = |name| {
        move |size, value, told| {
            let get = program.api().clGetProgramBuildInfo;
            // SAFETY: live objects; the places are as `query` says.
            unsafe { get(program.native(), device.native(), name, size, value, told) }
        }
    };
    match name {
        UR_PROGRAM_BUILD_INFO_STATUS => {
            let status = query::value(ask(cl::CL_PROGRAM_BUILD_STATUS))?;
            info.value(self::status(status).0)
        }
        UR_PROGRAM_BUILD_INFO_BINARY_TYPE => {
            let kind = query::value(ask(cl::CL_PROGRAM_BINARY_TYPE))?;
            info.value(self::kind(kind).0)
        }
        UR_PROGRAM_BUILD_INFO_OPTIONS => {
            info.text(&query::text(ask(cl::CL_PROGRAM_BUILD_OPTIONS))?)
        }
        UR_PROGRAM_BUILD_INFO_LOG => info.text(&query::text(ask(cl::CL_PROGRAM_BUILD_LOG))?),
        _ => Err(Error::unsupported_query()),
    }
}

fn status(native: cl::cl_int) -> ur_program_build_status_t {
    match native {
        cl::CL_BUILD_SUCCESS => UR_PROGRAM_BUILD_STATUS_SUCCESS,
        cl::CL_BUILD_NONE => UR_PROGRAM_BUILD_STATUS_NONE,
        cl::CL_BUILD_IN_PROGRESS => UR_PROGRAM_BUILD_STATUS_IN_PROGRESS,
        _ => UR_PROGRAM_BUILD_STATUS_ERROR,
    }
}

fn kind(native: cl::cl_uint) -> ur_program_binary_type_t {
    match native {
        cl::CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT => UR_PROGRAM_BINARY_TYPE_COMPILED_OBJECT,
        cl::CL_PROGRAM_BINARY_TYPE_LIBRARY => UR_PROGRAM_BINARY_TYPE_LIBRARY,
        cl::CL_PROGRAM_BINARY_TYPE_EXECUTABLE => UR_PROGRAM_BINARY_TYPE_EXECUTABLE,
        _ => UR_PROGRAM_BINARY_TYPE_NONE,
    }
}
