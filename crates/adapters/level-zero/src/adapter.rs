//! The adapter itself.

use crate::command_buffer::{BufferCommand, CommandBuffer};
use crate::context::Context;
use crate::device::Device;
use crate::event::Event;
use crate::kernel::Kernel;
use crate::memory::Mem;
use crate::platform::Platform;
use crate::program::Program;
use crate::queue::Queue;
use crate::sampler::Sampler;
use crate::usm::UsmPool;
use crate::virtual_mem::PhysicalMem;
use std::sync::OnceLock;
use ur_adapter::kind;
use ur_adapter::logger::Logger;
use ur_adapter::{Absent, AdapterFns, Backend, Error, Handle, Info, Object, Result};
use ur_api::*;

/// The type that names this adapter to the kit.
#[derive(Debug)]
pub struct LevelZero;

/// What an adapter handle names: nothing but the adapter.
#[derive(Debug)]
pub struct Adapter(());

ur_adapter::values!(LevelZero:
    Adapter = Adapter, Platform = Platform, Device = Device, Context = Context, Queue = Queue,
    Event = Event, Mem = Mem, Sampler = Sampler, Program = Program, Kernel = Kernel,
    UsmPool = UsmPool, PhysicalMem = PhysicalMem, CommandBuffer = CommandBuffer,
    CommandBufferCommand = BufferCommand,
);

impl Backend for LevelZero {
    type Adapter = Adapter;
    type Platform = Platform;
    type Device = Device;
    type Context = Context;
    type Queue = Queue;
    type Event = Event;
    type Mem = Mem;
    type Sampler = Sampler;
    type UsmPool = UsmPool;
    type PhysicalMem = PhysicalMem;
    type Program = Program;
    type Kernel = Kernel;
    type CommandBuffer = CommandBuffer;
    type CommandBufferCommand = BufferCommand;
    type Graph = Absent<Self, kind::Graph>;
    type ExecutableGraph = Absent<Self, kind::ExecutableGraph>;
    type ExternalMem = Absent<Self, kind::ExternalMem>;
    type ExternalSemaphore = Absent<Self, kind::ExternalSemaphore>;

    fn table() -> &'static ur_dditable_t {
        &crate::TABLE
    }

    fn logger() -> &'static Logger {
        static LOGGER: Logger = Logger::named("UR_LOG_LEVEL_ZERO", "LEVEL_ZERO");
        &LOGGER
    }
}

/// The adapter's only object of its kind.
pub fn adapter() -> &'static Object<Adapter> {
    static ADAPTER: OnceLock<Object<Adapter>> = OnceLock::new();
    ADAPTER.get_or_init(|| Object::kept(Adapter(())))
}

impl AdapterFns for LevelZero {
    fn adapter_get() -> Result<Vec<Handle<Adapter>>> {
        Ok(vec![adapter().handle()])
    }

    fn adapter_get_info(
        _: &Object<Adapter>,
        prop_name: ur_adapter_info_t,
        info: &mut Info<'_>,
    ) -> Result {
        match prop_name {
            UR_ADAPTER_INFO_BACKEND => info.value(UR_BACKEND_LEVEL_ZERO.0),
            UR_ADAPTER_INFO_VERSION => info.value(1u32),
            _ => Err(Error::unsupported_query()),
        }
    }
}
