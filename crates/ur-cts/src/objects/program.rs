//! Programs.

use super::counted::counted;
use super::queue::Context;
use crate::failure::Stop;
use crate::ok;
use crate::ur;
use std::ffi::CStr;
use std::ptr::null;
use ur_api::*;

counted! {
    /// A program.
    Program(ur_program_handle_t): urProgramRetain, urProgramRelease,
    urProgramGetInfo(ur_program_info_t), UR_PROGRAM_INFO_REFERENCE_COUNT
}

impl Program {
    /// A program of a SPIR-V module, not built.
    ///
    /// # Errors
    /// When it cannot be made.
    #[track_caller]
    pub fn from_il(context: &Context, il: &[u8]) -> Result<Program, Stop> {
        Program::made("urProgramCreateWithIL", |out| {
            let words = il.as_ptr().cast();
            ur!(urProgramCreateWithIL(
                context.get(),
                words,
                il.len(),
                null(),
                out
            ))
        })
    }

    /// Builds it for all devices of its context, without options unless some are given.
    ///
    /// # Errors
    /// When that fails.
    #[track_caller]
    pub fn build(&self, context: &Context, options: Option<&CStr>) -> Result<(), Stop> {
        let options = options.map_or(null(), CStr::as_ptr);
        ok!(urProgramBuild(context.get(), self.get(), options))?;
        Ok(())
    }

    /// A program of a SPIR-V module, built for all devices of the context.
    ///
    /// # Errors
    /// When it cannot be made or built.
    #[track_caller]
    pub fn built(context: &Context, il: &[u8]) -> Result<Program, Stop> {
        let program = Program::from_il(context, il)?;
        program.build(context, None)?;
        Ok(program)
    }
}
