//! Kernels, which do nothing.

use crate::Mock;
use crate::program::Program;
use std::ffi::{CStr, CString};
use ur_adapter::{Error, Handle, Info, KernelFns, Object, Result};
use ur_api::*;

/// A kernel has a name.
#[derive(Debug)]
pub struct Kernel {
    program: Handle<Program>,
    name: CString,
}

impl KernelFns for Mock {
    fn kernel_create(program: &Object<Program>, kernel_name: &CStr) -> Result<Handle<Kernel>> {
        Handle::new(Kernel {
            program: program.handle(),
            name: kernel_name.to_owned(),
        })
    }

    fn kernel_get_info(
        kernel: &Object<Kernel>,
        prop: ur_kernel_info_t,
        info: &mut Info<'_>,
    ) -> Result {
        match prop {
            UR_KERNEL_INFO_FUNCTION_NAME => info.bytes(kernel.name.as_bytes_with_nul()),
            UR_KERNEL_INFO_PROGRAM => info.handle(&kernel.program),
            UR_KERNEL_INFO_CONTEXT => info.handle(&kernel.program.context),
            _ => Err(Error::unsupported_query()),
        }
    }
}
