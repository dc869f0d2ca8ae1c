//! Buffers, sub-buffers and images.

use crate::OpenCl;
use crate::cl::{self, Owned};
use crate::context::Context;
use ur_adapter::{Handle, MemFns};

/// What a memory handle names.
#[derive(Debug)]
pub struct Mem {
    native: Owned<cl::cl_mem>,
    context: Handle<Context>,
}

impl Mem {
    /// OpenCL's own handle.
    pub fn native(&self) -> cl::cl_mem {
        self.native.get()
    }

    /// Its context.
    pub fn context(&self) -> &Handle<Context> {
        &self.context
    }
}

impl MemFns for OpenCl {}
