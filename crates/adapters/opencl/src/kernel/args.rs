//! Arguments of kernels.

use super::Kernel;
use super::last::Was;
use crate::cl::{self, check};
use crate::context::Context;
use crate::memory::Mem;
use crate::sampler::Sampler;
use crate::usm::driver::Source;
use std::ffi::c_void;
use ur_adapter::args::Given;
use ur_adapter::{Error, Object, Result};
use ur_api::*;

/// How an argument that is a pointer is set.
#[derive(Clone, Copy, Debug)]
pub struct SetPointer(
    Option<unsafe extern "C" fn(cl::cl_kernel, cl::cl_uint, *const c_void) -> cl::cl_int>,
);

impl SetPointer {
    /// The function for kernels of a context: by USM, or else by shared virtual memory. None where
    /// memory has no addresses.
    pub fn of(context: &Context) -> Self {
        Self(match context.usm().source() {
            Source::Intel => context.extensions().clSetKernelArgMemPointerINTEL,
            Source::Svm(_) => context.api().clSetKernelArgSVMPointer,
            Source::None => None,
        })
    }
}

impl Kernel {
    /// Sets all arguments and hands the kernel to `call`, which is alone with it. What `call` gives is
    /// given back.
    ///
    /// # Errors
    /// What is wrong with an argument; `INVALID_VALUE` for one that is missing.
    ///
    /// # Safety
    /// Pointers and handles in the arguments are what their types say.
    #[inline]
    pub unsafe fn with_args<R>(
        &self,
        args: &[ur_exp_kernel_arg_properties_t],
        call: impl FnOnce(cl::cl_kernel) -> R,
    ) -> Result<R> {
        let mut guard = self.lock();
        let held = self.reach_new(&mut guard.seen)?;
        let changes = self.context().usm_changes();
        let mut given = Given::new(self.arg_count);
        for arg in args {
            // SAFETY: forwarded.
            let now = changes.and_then(|changes| unsafe { Was::of(arg, changes) });
            // SAFETY: forwarded.
            let set = || unsafe { self.set(arg) };
            guard.last.update(arg.index, now, set)?;
            given.set(arg.index);
        }
        // OpenCL would take what an earlier launch left.
        if let Some(missing) = given.missing(self.arg_count) {
            return Err(Error::value(format!("argument {missing} is not set")));
        }
        let result = call(self.native());
        drop((held, guard));
        Ok(result)
    }

    /// Sets an argument. The kernel must be this thread's.
    ///
    /// # Safety
    /// Pointers and handles in it are what its type says.
    #[inline]
    unsafe fn set(&self, arg: &ur_exp_kernel_arg_properties_t) -> Result {
        let (kernel, index) = (self.native(), arg.index);
        let plain = self.api().clSetKernelArg;
        let code = match arg.r#type {
            UR_EXP_KERNEL_ARG_TYPE_VALUE => {
                // SAFETY: the type says which member is set.
                let value = unsafe { arg.value.value };
                if value.is_null() {
                    return Err(Error::code(UR_RESULT_ERROR_INVALID_NULL_POINTER));
                }
                // SAFETY: a live kernel; the program passes `size` bytes.
                unsafe { plain(kernel, index, arg.size, value) }
            }
            UR_EXP_KERNEL_ARG_TYPE_POINTER => {
                // SAFETY: the type says which member is set.
                let pointer = unsafe { arg.value.pointer };
                match self.set_pointer.0 {
                    // SAFETY: a live kernel; a pointer is not looked at.
                    Some(set) => unsafe { set(kernel, index, pointer) },
                    None => return Err(Error::unsupported()),
                }
            }
            UR_EXP_KERNEL_ARG_TYPE_MEM_OBJ => {
                // SAFETY: the type says which member is set.
                let raw = unsafe { arg.value.memObjTuple.hMem };
                let native = match raw.is_null() {
                    true => cl::cl_mem::NULL,
                    // SAFETY: the program passes a live handle.
                    false => unsafe { Object::<Mem>::from_raw(raw) }?.native(),
                };
                let size = size_of_val(&native);
                // SAFETY: a live kernel and a handle of that size.
                unsafe { plain(kernel, index, size, (&raw const native).cast()) }
            }
            UR_EXP_KERNEL_ARG_TYPE_LOCAL => {
                // SAFETY: a live kernel; local memory has no value.
                unsafe { plain(kernel, index, arg.size, std::ptr::null()) }
            }
            UR_EXP_KERNEL_ARG_TYPE_SAMPLER => {
                // SAFETY: the type says which member is set, and the program passes a live handle.
                let native = unsafe { Object::<Sampler>::from_raw(arg.value.sampler) }?.native();
                let size = size_of_val(&native);
                // SAFETY: a live kernel and a handle of that size.
                unsafe { plain(kernel, index, size, (&raw const native).cast()) }
            }
            _ => return Err(Error::code(UR_RESULT_ERROR_INVALID_ENUMERATION)),
        };
        match code {
            cl::CL_SUCCESS => Ok(()),
            code => Err(refused(index, code)),
        }
    }
}

/// Why an argument was not taken.
#[cold]
fn refused(index: u32, code: cl::cl_int) -> Error {
    let result = match code {
        cl::CL_INVALID_ARG_VALUE => UR_RESULT_ERROR_INVALID_VALUE,
        code => match check(code) {
            Err(error) => error.code,
            Ok(()) => UR_RESULT_ERROR_UNKNOWN,
        },
    };
    Error::new(result, format!("argument {index} is refused")).with_native(code)
}
