//! Samplers.

use crate::OpenCl;
use crate::cl::{self, Owned};
use crate::context::Context;
use ur_adapter::{Handle, SamplerFns};

/// What a sampler handle names.
#[derive(Debug)]
pub struct Sampler {
    native: Owned<cl::cl_sampler>,
    context: Handle<Context>,
}

impl Sampler {
    /// OpenCL's own handle.
    pub fn native(&self) -> cl::cl_sampler {
        self.native.get()
    }

    /// Its context.
    pub fn context(&self) -> &Handle<Context> {
        &self.context
    }
}

impl SamplerFns for OpenCl {}
