//! Building, compiling and linking.

use super::create;
use crate::call::{call, code, list, made};
use crate::cl::*;
use std::ffi::{CStr, c_char, c_void};

/// A text of the caller's, which may be missing.
unsafe fn text(options: *const c_char) -> String {
    match options.is_null() {
        true => String::new(),
        // SAFETY: as the caller says.
        false => unsafe { CStr::from_ptr(options) }
            .to_string_lossy()
            .into_owned(),
    }
}

/// Compiles and links.
pub unsafe extern "C" fn clBuildProgram(
    program: cl_program,
    _: cl_uint,
    _: *const cl_device_id,
    options: *const c_char,
    _: ProgramNotify,
    _: *mut c_void,
) -> cl_int {
    code(call("clBuildProgram", |world| {
        // SAFETY: as the caller says.
        let options = unsafe { text(options) };
        let program = world.program(program.to_native())?;
        let becomes = CL_PROGRAM_BINARY_TYPE_EXECUTABLE;
        program.build(options, becomes, CL_BUILD_PROGRAM_FAILURE)
    }))
}

/// Compiles.
pub unsafe extern "C" fn clCompileProgram(
    program: cl_program,
    _: cl_uint,
    _: *const cl_device_id,
    options: *const c_char,
    _: cl_uint,
    _: *const cl_program,
    _: *const *const c_char,
    _: ProgramNotify,
    _: *mut c_void,
) -> cl_int {
    code(call("clCompileProgram", |world| {
        // SAFETY: as the caller says.
        let options = unsafe { text(options) };
        let program = world.program(program.to_native())?;
        let becomes = CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT;
        program.build(options, becomes, CL_COMPILE_PROGRAM_FAILURE)
    }))
}

/// Links: the new program has the kernels of all.
pub unsafe extern "C" fn clLinkProgram(
    context: cl_context,
    _: cl_uint,
    _: *const cl_device_id,
    options: *const c_char,
    count: cl_uint,
    programs: *const cl_program,
    _: ProgramNotify,
    _: *mut c_void,
    place: *mut cl_int,
) -> cl_program {
    let result = call("clLinkProgram", |world| {
        // SAFETY: as the caller says.
        let (options, programs) = unsafe { (text(options), list(programs, count as usize)) };
        let mut whole = "kernels".to_owned();
        for program in programs {
            let program = world.program(program.to_native())?;
            if program.binary != CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT {
                return Err(CL_INVALID_OPERATION);
            }
            whole += " ";
            whole += &program.text;
        }
        let linked = create(world, context, None, whole.as_bytes(), false)?;
        let becomes = CL_PROGRAM_BINARY_TYPE_EXECUTABLE;
        let program = world.program(linked)?;
        program.build(options, becomes, CL_LINK_PROGRAM_FAILURE)?;
        Ok(linked)
    });
    // SAFETY: as the caller says.
    unsafe { made(place, result, cl_program::from_native) }
}
