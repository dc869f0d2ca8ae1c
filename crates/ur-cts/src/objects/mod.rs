//! Objects of the loader under test that release themselves.

mod command_buffer;
mod counted;
mod dam;
mod event;
mod gate;
mod kernel;
mod launch;
mod memory;
mod physical;
mod program;
mod queue;
mod sampler;
mod transfer;
mod usm;

pub use command_buffer::CommandBuffer;
pub(crate) use counted::problems;
pub use counted::{Counted, problem};
pub use dam::Dam;
pub use event::{Event, or_null};
pub use gate::Gate;
pub use kernel::Kernel;
pub use launch::{Arg, Range, argument};
pub use memory::{Buffer, Memory, RGBA8, flat};
pub use physical::PhysicalMem;
pub use program::Program;
pub use queue::{Context, Device, Queue};
pub use sampler::Sampler;
pub use usm::{Pool, Usm, UsmKind};
