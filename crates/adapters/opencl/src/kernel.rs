//! Kernels.

use crate::OpenCl;
use crate::cl::{self, Owned};
use crate::program::Program;
use ur_adapter::{Handle, KernelFns};

/// What a kernel handle names.
#[derive(Debug)]
pub struct Kernel {
    native: Owned<cl::cl_kernel>,
    program: Handle<Program>,
}

impl Kernel {
    /// OpenCL's own handle.
    pub fn native(&self) -> cl::cl_kernel {
        self.native.get()
    }

    /// The program that it is of.
    pub fn program(&self) -> &Handle<Program> {
        &self.program
    }
}

impl KernelFns for OpenCl {}
