//! Kernels.

use super::counted::counted;
use super::program::Program;
use crate::failure::Stop;
use crate::ur;
use std::ffi::CStr;
use ur_api::*;

counted! {
    /// A kernel.
    Kernel(ur_kernel_handle_t): urKernelRetain, urKernelRelease,
    urKernelGetInfo(ur_kernel_info_t), UR_KERNEL_INFO_REFERENCE_COUNT
}

impl Kernel {
    /// The kernel of that name.
    ///
    /// # Errors
    /// When it cannot be made.
    #[track_caller]
    pub fn new(program: &Program, name: &CStr) -> Result<Kernel, Stop> {
        Kernel::made("urKernelCreate", |out| {
            ur!(urKernelCreate(program.get(), name.as_ptr(), out))
        })
    }
}
