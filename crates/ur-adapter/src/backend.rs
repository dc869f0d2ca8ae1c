//! What an adapter says of itself.

use crate::kind::{self, Kind};
use crate::logger::Logger;
use crate::object::Object;
use std::alloc::Layout;
use std::marker::PhantomData;
use ur_api::attach::{Attached, KIT_VERSION, Kit};
use ur_api::{ur_dditable_t, ur_kernel_handle_t};

/// The payload of an object: the adapter's own type behind one kind of handle.
pub trait Value: Send + Sync + Sized + 'static {
    /// The adapter it belongs to.
    type Backend: Backend;
    /// The kind of handle that names it.
    type Kind: Kind;
}

/// An adapter: the types behind its handles and its dispatch table.
///
/// Kinds that an adapter never makes are [`Absent`].
pub trait Backend: Sized + 'static {
    /// Behind `ur_adapter_handle_t`.
    type Adapter: Value<Backend = Self, Kind = kind::Adapter>;
    /// Behind `ur_platform_handle_t`.
    type Platform: Value<Backend = Self, Kind = kind::Platform>;
    /// Behind `ur_device_handle_t`.
    type Device: Value<Backend = Self, Kind = kind::Device>;
    /// Behind `ur_context_handle_t`.
    type Context: Value<Backend = Self, Kind = kind::Context>;
    /// Behind `ur_queue_handle_t`.
    type Queue: Value<Backend = Self, Kind = kind::Queue>;
    /// Behind `ur_event_handle_t`.
    type Event: Value<Backend = Self, Kind = kind::Event>;
    /// Behind `ur_mem_handle_t`.
    type Mem: Value<Backend = Self, Kind = kind::Mem>;
    /// Behind `ur_sampler_handle_t`.
    type Sampler: Value<Backend = Self, Kind = kind::Sampler>;
    /// Behind `ur_usm_pool_handle_t`.
    type UsmPool: Value<Backend = Self, Kind = kind::UsmPool>;
    /// Behind `ur_physical_mem_handle_t`.
    type PhysicalMem: Value<Backend = Self, Kind = kind::PhysicalMem>;
    /// Behind `ur_program_handle_t`.
    type Program: Value<Backend = Self, Kind = kind::Program>;
    /// Behind `ur_kernel_handle_t`.
    type Kernel: Value<Backend = Self, Kind = kind::Kernel>;
    /// Behind `ur_exp_command_buffer_handle_t`.
    type CommandBuffer: Value<Backend = Self, Kind = kind::CommandBuffer>;
    /// Behind `ur_exp_command_buffer_command_handle_t`.
    type CommandBufferCommand: Value<Backend = Self, Kind = kind::CommandBufferCommand>;
    /// Behind `ur_exp_graph_handle_t`.
    type Graph: Value<Backend = Self, Kind = kind::Graph>;
    /// Behind `ur_exp_executable_graph_handle_t`.
    type ExecutableGraph: Value<Backend = Self, Kind = kind::ExecutableGraph>;
    /// Behind `ur_exp_external_mem_handle_t`.
    type ExternalMem: Value<Backend = Self, Kind = kind::ExternalMem>;
    /// Behind `ur_exp_external_semaphore_handle_t`.
    type ExternalSemaphore: Value<Backend = Self, Kind = kind::ExternalSemaphore>;

    /// The table that every object of this adapter points to; the macro
    /// [`adapter!`](crate::adapter) makes it.
    fn table() -> &'static ur_dditable_t;

    /// Where the adapter's log messages go.
    fn logger() -> &'static Logger;

    /// Memory for one object. Null when there is none.
    ///
    /// Adapters keep the default, the global allocator; the mock has one that reuses addresses at
    /// once.
    fn allocate(layout: Layout) -> *mut u8 {
        // SAFETY: an object holds at least its header, so the layout's size is not 0.
        unsafe { std::alloc::alloc(layout) }
    }

    /// Gives memory of [`allocate`](Self::allocate) back.
    ///
    /// # Safety
    /// `memory` came from `allocate` with the same layout and is not used any more.
    unsafe fn deallocate(memory: *mut u8, layout: Layout) {
        // SAFETY: forwarded from the caller.
        unsafe { std::alloc::dealloc(memory, layout) }
    }
}

/// The type behind a kind of handle that an adapter never makes: it has no values.
pub struct Absent<B, K> {
    never: std::convert::Infallible,
    of: PhantomData<fn() -> (B, K)>,
}

impl<B, K> Absent<B, K> {
    /// Turns the impossible value into anything.
    pub fn never(&self) -> ! {
        match self.never {}
    }
}

impl<B, K> std::fmt::Debug for Absent<B, K> {
    fn fmt(&self, _: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.never()
    }
}

impl<B: Backend, K: Kind> Value for Absent<B, K> {
    type Backend = B;
    type Kind = K;
}

/// Says which kinds of object an adapter's types are: `values!(NativeCpu: Context = ContextState, …)`.
#[macro_export]
macro_rules! values {
    ($backend:ty: $($kind:ident = $value:ty),* $(,)?) => {$(
        impl $crate::Value for $value {
            type Backend = $backend;
            type Kind = $crate::kind::$kind;
        }
    )*};
}

/// Makes an adapter's dispatch table and, with `export`, the library's `urGet…ProcAddrTable`
/// functions: `adapter!(NativeCpu)` or `adapter!(export NativeCpu)`. A second argument is another
/// table than the one of the adapter's traits.
///
/// Inside `impl Backend`, `table()` returns `&TABLE`.
#[macro_export]
macro_rules! adapter {
    ($backend:ty) => {
        $crate::adapter!($backend, $crate::generated::table::table::<$backend>());
    };
    ($backend:ty, $table:expr) => {
        /// The dispatch table that every object of this adapter points to.
        pub static TABLE: $crate::ur_api::ur_dditable_t = $table;

        /// What this adapter tells a loader besides the API.
        pub static KIT: $crate::ur_api::attach::Kit = $crate::backend::kit::<$backend>(&TABLE);
    };
    (export $backend:ty) => {
        $crate::adapter!(export $backend, $crate::generated::table::table::<$backend>());
    };
    (export $backend:ty, $table:expr) => {
        $crate::adapter!($backend, $table);
        $crate::export_tables!(&TABLE);
        $crate::export_kit!($backend, &TABLE);
    };
}

/// The place where a loader may attach what belongs to a kernel; null if the handle is none of a
/// kernel of this adapter.
///
/// # Safety
/// A handle that is not null points to a live object of some adapter.
pub unsafe extern "C" fn kernel_place<B: Backend>(kernel: ur_kernel_handle_t) -> *const Attached {
    // SAFETY: forwarded.
    let kernel = unsafe { Object::<B::Kernel>::from_raw(kernel) };
    kernel.map_or(std::ptr::null(), |kernel| {
        std::ptr::from_ref(kernel.extra())
    })
}

/// What an adapter tells a loader besides the API.
pub const fn kit<B: Backend>(table: &'static ur_dditable_t) -> Kit {
    Kit {
        version: KIT_VERSION,
        table,
        kernel: kernel_place::<B>,
    }
}

/// Exports what a loader can use of an adapter besides the API: `export_kit!(NativeCpu, &TABLE)`.
#[macro_export]
macro_rules! export_kit {
    ($backend:ty, $table:expr) => {
        /// What this adapter tells a loader besides the API.
        #[unsafe(no_mangle)]
        pub static concord_kit: $crate::ur_api::attach::Kit =
            $crate::backend::kit::<$backend>($table);
    };
}
