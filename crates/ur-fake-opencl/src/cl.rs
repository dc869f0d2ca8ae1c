//! OpenCL's types and numbers: those that the OpenCL adapter declares, and what only a driver needs.

#[path = "../../adapters/opencl/src/cl/constants.rs"]
pub mod constants;
#[cfg(test)]
#[path = "../../adapters/opencl/src/cl/extensions.rs"]
pub mod extensions;
#[cfg(test)]
#[path = "../../adapters/opencl/src/cl/functions.rs"]
pub mod functions;
#[path = "../../adapters/opencl/src/cl/types.rs"]
pub mod types;

pub use constants::*;
pub use types::*;

/// What the driver's functions may be called beside those of the OpenCL library (`cl_khr_icd`).
pub const CL_PLATFORM_ICD_SUFFIX_KHR: cl_uint = 0x0920;
/// A command that is the run of a command buffer.
pub const CL_COMMAND_COMMAND_BUFFER_KHR: cl_uint = 0x12a8;
/// How many devices a context has.
pub const CL_CONTEXT_NUM_DEVICES: cl_uint = 0x1083;
