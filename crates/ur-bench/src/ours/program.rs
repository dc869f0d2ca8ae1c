//! Programs and kernels.

use super::{Ours, Owned, ur};
use crate::case::{Code, Range};
use std::ffi::CString;
use std::ptr::{null, null_mut};
use ur_api::*;

/// A built program.
pub(super) struct Program(Owned<ur_program_handle_t>);
/// A kernel.
pub(super) struct Kernel(Owned<ur_kernel_handle_t>);

impl Ours {
    /// A program in the form that the device takes; `options` are for a build from OpenCL C.
    pub(super) fn program(&self, code: &Code, options: &str) -> Result<Program, String> {
        if self.takes_il {
            self.program_of_il(code.il)
        } else {
            self.program_of_source(code.source, options)
        }
    }

    /// A program from SPIR-V, built.
    pub(super) fn program_of_il(&self, il: &[u8]) -> Result<Program, String> {
        let mut program = null_mut();
        // SAFETY: the code is readable for its length; the out-parameter is ours.
        unsafe {
            ur!(
                self.functions,
                urProgramCreateWithIL(
                    self.context,
                    il.as_ptr().cast(),
                    il.len(),
                    null(),
                    &raw mut program
                )
            )
        }?;
        self.built(program, "")
    }

    /// A program from OpenCL C, built. OpenCL makes it in the context behind ours, and it is handed
    /// over.
    fn program_of_source(&self, source: &str, options: &str) -> Result<Program, String> {
        let library = self.opencl.ok_or("it takes no SPIR-V, and has no OpenCL")?;
        let mut context = 0;
        // SAFETY: a live context; the out-parameter is ours.
        unsafe {
            ur!(
                self.functions,
                urContextGetNativeHandle(self.context, &raw mut context)
            )
        }?;
        // SAFETY: the context lives as long as ours.
        let native = unsafe { library.program(context as ur_opencl::Handle, source) }?;
        let properties = ur_program_native_properties_t {
            isNativeHandleOwned: true,
            ..Default::default()
        };
        let mut program = null_mut();
        // SAFETY: a program of this context with one reference, which goes with it; the structure is
        // valid and the out-parameter is ours.
        unsafe {
            ur!(
                self.functions,
                urProgramCreateWithNativeHandle(
                    native as ur_native_handle_t,
                    self.context,
                    &raw const properties,
                    &raw mut program
                )
            )
        }?;
        self.built(program, options)
    }

    /// Builds a program, which it takes over.
    fn built(&self, program: ur_program_handle_t, options: &str) -> Result<Program, String> {
        let program = Program(Owned(program, self.functions.urProgramRelease));
        let options = CString::new(options).map_err(|error| error.to_string())?;
        // SAFETY: live handles and a terminated text.
        let built = unsafe {
            ur!(
                self.functions,
                urProgramBuild(self.context, program.0.0, options.as_ptr())
            )
        };
        built.map_err(|failure| format!("{failure}: {}", self.log(&program)))?;
        Ok(program)
    }

    fn log(&self, program: &Program) -> String {
        let mut text = vec![0u8; 4096];
        let mut size = 0;
        // SAFETY: live handles; the place has the size named.
        let asked = unsafe {
            ur!(
                self.functions,
                urProgramGetBuildInfo(
                    program.0.0,
                    self.device,
                    UR_PROGRAM_BUILD_INFO_LOG,
                    text.len(),
                    text.as_mut_ptr().cast(),
                    &raw mut size,
                )
            )
        };
        text.truncate(asked.map_or(0, |()| size.saturating_sub(1)));
        String::from_utf8_lossy(&text).into_owned()
    }

    pub(super) fn kernel(&self, program: &Program, name: &str) -> Result<Kernel, String> {
        let name = CString::new(name).map_err(|error| error.to_string())?;
        let mut kernel = null_mut();
        // SAFETY: a live program and a terminated name; the out-parameter is ours.
        unsafe {
            ur!(
                self.functions,
                urKernelCreate(program.0.0, name.as_ptr(), &raw mut kernel)
            )
        }?;
        Ok(Kernel(Owned(kernel, self.functions.urKernelRelease)))
    }

    /// Launches a kernel.
    pub(super) fn enqueue(
        &self,
        queue: ur_queue_handle_t,
        kernel: &Kernel,
        range: &Range,
        args: &[ur_exp_kernel_arg_properties_t],
    ) -> Result<(), String> {
        let local = range.local.as_ref().map_or(null(), |local| local.as_ptr());
        // SAFETY: live handles; the arrays have the lengths named; values of arguments are readable
        // during the call, which copies them, and memory lives until it was waited for; no events.
        unsafe {
            ur!(
                self.functions,
                urEnqueueKernelLaunchWithArgsExp(
                    queue,
                    kernel.0.0,
                    range.global.len() as u32,
                    [0usize; 3].as_ptr(),
                    range.global.as_ptr(),
                    local,
                    args.len() as u32,
                    args.as_ptr(),
                    null(),
                    0,
                    null(),
                    null_mut()
                )
            )
        }
    }
}
