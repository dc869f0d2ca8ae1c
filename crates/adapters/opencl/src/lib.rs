//! The OpenCL adapter: any OpenCL platform, through the OpenCL library opened at run time.
//!
//! [`cl`] is OpenCL itself: its types and numbers, the library's functions, those of each platform's
//! extensions, and what its errors are here. The other modules are named after the objects of the API
//! that they hold; each owns the OpenCL object behind it by exactly one reference ([`cl::Owned`]).

pub mod adapter;
pub mod cl;
pub mod command_buffer;
pub mod context;
pub mod device;
pub mod enqueue;
pub mod event;
pub mod image;
#[cfg(feature = "export")]
pub mod interop;
pub mod kernel;
pub mod launch;
pub mod memory;
pub mod platform;
pub mod program;
pub mod queue;
pub mod sampler;
pub mod unsupported;
pub mod usm;

pub use adapter::OpenCl;

#[cfg(feature = "export")]
ur_adapter::adapter!(export OpenCl);
#[cfg(not(feature = "export"))]
ur_adapter::adapter!(OpenCl);
