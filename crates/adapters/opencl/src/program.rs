//! Programs.

use crate::OpenCl;
use crate::cl::{self, Owned};
use crate::context::Context;
use ur_adapter::{Handle, ProgramExpFns, ProgramFns};

/// What a program handle names.
#[derive(Debug)]
pub struct Program {
    native: Owned<cl::cl_program>,
    context: Handle<Context>,
}

impl Program {
    /// OpenCL's own handle.
    pub fn native(&self) -> cl::cl_program {
        self.native.get()
    }

    /// Its context.
    pub fn context(&self) -> &Handle<Context> {
        &self.context
    }
}

impl ProgramFns for OpenCl {}
impl ProgramExpFns for OpenCl {}
