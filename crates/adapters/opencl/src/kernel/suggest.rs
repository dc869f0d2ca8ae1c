//! The work-group size that a launch without one would get.

use super::{Kernel, info};
use crate::cl::{self, check};
use crate::queue::Queue;
use ur_adapter::{Error, Object, Result};
use ur_api::*;

/// Sizes of a launch.
pub struct Range {
    /// Number of dimensions.
    pub dimensions: u32,
    /// Global offset, may be null.
    pub offset: *const usize,
    /// Global size.
    pub global: *const usize,
}

/// Writes the size. Without `args` it is asked for with those that the kernel has, if it has all.
///
/// # Errors
/// `UNSUPPORTED_FEATURE` where the driver does not tell, and what it says.
///
/// # Safety
/// The arrays have a number, and `to` room for one, for each dimension; pointers and handles in the
/// arguments are what their types say.
pub unsafe fn local_size(
    kernel: &Object<Kernel>,
    queue: &Object<Queue>,
    range: &Range,
    args: Option<&[ur_exp_kernel_arg_properties_t]>,
    to: *mut usize,
) -> Result {
    if !(1..=3).contains(&range.dimensions) {
        return Err(Error::code(UR_RESULT_ERROR_INVALID_WORK_DIMENSION));
    }
    let dimensions = range.dimensions as usize;
    // SAFETY: as the caller says.
    let global = unsafe { std::slice::from_raw_parts(range.global, dimensions) };
    if global.contains(&0) {
        return Err(Error::code(UR_RESULT_ERROR_INVALID_GLOBAL_WIDTH_DIMENSION));
    }
    let mut local = [1; 3];
    let required = info::required(kernel, queue.device())?;
    if required[0] != 0 {
        // Not every driver thinks of it.
        local = required;
    } else {
        let get = queue.extensions().clGetKernelSuggestedLocalWorkSizeKHR;
        let get = get.ok_or_else(Error::unsupported)?;
        let place = local.as_mut_ptr();
        let ask = |native: cl::cl_kernel| {
            // SAFETY: live objects; the arrays are as the caller says, and the place has room for
            // three.
            unsafe {
                get(
                    queue.native(),
                    native,
                    range.dimensions,
                    range.offset,
                    range.global,
                    place,
                )
            }
        };
        let code = match args {
            // SAFETY: forwarded.
            Some(args) => unsafe { kernel.with_args(args, ask) }?,
            None => {
                let _guard = kernel.lock();
                ask(kernel.native())
            }
        };
        match code {
            cl::CL_INVALID_KERNEL_ARGS => {
                return Err(Error::new(
                    UR_RESULT_ERROR_UNSUPPORTED_FEATURE,
                    "the driver needs the kernel's arguments for that",
                ));
            }
            code => check(code)?,
        }
    }
    // SAFETY: as the caller says.
    unsafe { std::ptr::copy_nonoverlapping(local.as_ptr(), to, dimensions) };
    Ok(())
}
