//! The adapter itself, and the objects that exist once.

use crate::command_buffer::{BufferCommand, CommandBuffer};
use crate::context::Context;
use crate::device::Device;
use crate::event::Event;
use crate::fork::{self, once};
use crate::graph::{ExecutableGraph, Graph};
use crate::kernel::Kernel;
use crate::memory::Mem;
use crate::platform::Platform;
use crate::program::Program;
use crate::queue::Queue;
use crate::sampler::Sampler;
use crate::usm::pool::UsmPool;
use crate::virtual_mem::PhysicalMem;
use std::sync::OnceLock;
use ur_adapter::kind;
use ur_adapter::logger::Logger;
use ur_adapter::{Absent, AdapterFns, Backend, Error, Handle, Info, Object, Result};
use ur_api::*;

/// The type that names this adapter to the kit.
#[derive(Debug)]
pub struct NativeCpu;

/// What an adapter handle names: nothing but the adapter.
#[derive(Debug)]
pub struct Adapter(());

ur_adapter::values!(NativeCpu:
    Adapter = Adapter, Platform = Platform, Device = Device, Context = Context, Queue = Queue,
    Event = Event, Mem = Mem, Sampler = Sampler, Program = Program, Kernel = Kernel, Graph = Graph, ExecutableGraph = ExecutableGraph, UsmPool = UsmPool, PhysicalMem = PhysicalMem,
    CommandBuffer = CommandBuffer, CommandBufferCommand = BufferCommand,
);

impl Backend for NativeCpu {
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
    type Graph = Graph;
    type ExecutableGraph = ExecutableGraph;
    type ExternalMem = Absent<Self, kind::ExternalMem>;
    type ExternalSemaphore = Absent<Self, kind::ExternalSemaphore>;

    fn table() -> &'static ur_dditable_t {
        &crate::TABLE
    }

    fn logger() -> &'static Logger {
        static LOGGER: Logger = Logger::named("UR_LOG_NATIVE_CPU", "NATIVE_CPU");
        &LOGGER
    }
}

/// The objects that exist once and stay for the life of the process.
pub struct Roots {
    /// The adapter.
    pub adapter: Object<Adapter>,
    /// Its only platform.
    pub platform: Object<Platform>,
    /// The platform's only root device.
    pub device: Object<Device>,
}

/// The objects that exist once.
pub fn roots() -> &'static Roots {
    static ROOTS: OnceLock<Box<Roots>> = OnceLock::new();
    once::<Box<Roots>>(&ROOTS, || {
        Box::new(Roots {
            adapter: Object::kept(Adapter(())),
            platform: Object::fixed(Platform(())),
            device: Object::fixed(Device::root()),
        })
    })
}

/// The backend that the adapter passes for. SYCL runtimes give SPIR-V only to devices of the
/// OpenCL and Level Zero backends, so OpenCL is the default; `UR_NATIVE_CPU_BACKEND=native_cpu`
/// makes it tell its own.
pub fn backend() -> ur_backend_t {
    static BACKEND: OnceLock<ur_backend_t> = OnceLock::new();
    *once(&BACKEND, || match std::env::var("UR_NATIVE_CPU_BACKEND") {
        Ok(name) if name.eq_ignore_ascii_case("native_cpu") => UR_BACKEND_NATIVE_CPU,
        _ => UR_BACKEND_OPENCL,
    })
}

impl AdapterFns for NativeCpu {
    fn adapter_get() -> Result<Vec<Handle<Adapter>>> {
        fork::watch();
        Ok(vec![roots().adapter.handle()])
    }

    fn adapter_get_info(
        _: &Object<Adapter>,
        prop_name: ur_adapter_info_t,
        info: &mut Info<'_>,
    ) -> Result {
        match prop_name {
            UR_ADAPTER_INFO_BACKEND => info.value(backend().0),
            UR_ADAPTER_INFO_VERSION => info.value(1u32),
            _ => Err(Error::unsupported_query()),
        }
    }
}
