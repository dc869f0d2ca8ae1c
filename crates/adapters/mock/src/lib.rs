//! The mock adapter: fake platforms and devices for tests of loaders, layers and clients.
//!
//! Its objects are real objects of the adapter kit, its buffers and USM hold real memory and its
//! commands run at once; its kernels do nothing. Three things make it a test instrument:
//!
//! * every entry point can be watched or replaced by a callback ([`callback`]);
//! * the memory of its objects can come from an allocator of the test's, such as an arena that
//!   hands a freed address out again at once, shared by several adapters ([`arena`]);
//! * the number of platforms and devices is the test's choice ([`config`]).
//!
//! Two copies of the library are two adapters with tables of their own.

pub mod arena;
pub mod callback;
pub mod config;
pub mod generated;

mod adapter;
mod context;
mod device;
mod enqueue;
mod event;
mod kernel;
mod memory;
mod platform;
mod program;
mod queue;
mod sampler;
mod unsupported;
mod usm;

use std::alloc::Layout;
use ur_adapter::logger::Logger;
use ur_adapter::{Absent, Backend, kind};
use ur_api::ur_dditable_t;

/// The mock as an adapter of the kit.
#[derive(Debug)]
pub struct Mock;

impl Backend for Mock {
    type Adapter = adapter::Adapter;
    type Platform = platform::Platform;
    type Device = device::Device;
    type Context = context::Context;
    type Queue = queue::Queue;
    type Event = event::Event;
    type Mem = memory::Mem;
    type Sampler = sampler::Sampler;
    type UsmPool = usm::Pool;
    type PhysicalMem = Absent<Self, kind::PhysicalMem>;
    type Program = program::Program;
    type Kernel = kernel::Kernel;
    type CommandBuffer = Absent<Self, kind::CommandBuffer>;
    type CommandBufferCommand = Absent<Self, kind::CommandBufferCommand>;
    type Graph = Absent<Self, kind::Graph>;
    type ExecutableGraph = Absent<Self, kind::ExecutableGraph>;
    type ExternalMem = Absent<Self, kind::ExternalMem>;
    type ExternalSemaphore = Absent<Self, kind::ExternalSemaphore>;

    fn table() -> &'static ur_dditable_t {
        &TABLE
    }

    fn logger() -> &'static Logger {
        static LOGGER: Logger = Logger::named("UR_LOG_MOCK", "MOCK");
        &LOGGER
    }

    fn allocate(layout: Layout) -> *mut u8 {
        arena::allocate(layout)
    }

    unsafe fn deallocate(memory: *mut u8, layout: Layout) {
        // SAFETY: forwarded from the caller.
        unsafe { arena::deallocate(memory, layout) }
    }
}

ur_adapter::values!(Mock:
    Adapter = adapter::Adapter,
    Platform = platform::Platform,
    Device = device::Device,
    Context = context::Context,
    Queue = queue::Queue,
    Event = event::Event,
    Mem = memory::Mem,
    Sampler = sampler::Sampler,
    UsmPool = usm::Pool,
    Program = program::Program,
    Kernel = kernel::Kernel,
);

/// The dispatch table that every object of this adapter points to.
pub static TABLE: ur_dditable_t = generated::entries::table();

#[cfg(feature = "export")]
ur_adapter::export_tables!(&crate::TABLE);

#[cfg(feature = "export")]
ur_adapter::export_kit!(Mock, &crate::TABLE);
