//! The kinds of object behind handles.

use crate::backend::Value;
use crate::object::Object;
use ur_api::attach::Attached;
use ur_api::*;

/// A kind of object: what its handles are called in C and which error names a wrong one.
pub trait Kind: 'static {
    /// Written into every object of this kind and checked on every handle that comes in.
    const TAG: u32;
    /// The error for a handle of another kind or another adapter.
    const INVALID: ur_result_t;
    /// The C handle type.
    type Raw: Copy;
    /// What an object of this kind has room for besides its value, for a loader's use.
    type Extra: Default + Send + Sync;
    /// The handle of `object`.
    fn raw<T: Value<Kind = Self>>(object: *const Object<T>) -> Self::Raw;
    /// The object that a handle claims to be.
    fn object<T: Value<Kind = Self>>(raw: Self::Raw) -> *const Object<T>;
}

/// Tag of an object whose last reference is gone; a handle that still names it is refused for as
/// long as the memory keeps this value.
pub const DEAD: u32 = 0xDEAD_0BEC;

macro_rules! kinds {
    (@extra) => { () };
    (@extra $extra:ty) => { $extra };
    ($($(#[$doc:meta])* $name:ident = $tag:literal, $raw:ty, $invalid:ident $(, $extra:ty)?;)*) => {$(
        $(#[$doc])*
        #[derive(Debug)]
        pub enum $name {}
        impl Kind for $name {
            const TAG: u32 = 0x5552_0000 | $tag;
            const INVALID: ur_result_t = $invalid;
            type Raw = $raw;
            type Extra = kinds!(@extra $($extra)?);
            fn raw<T: Value<Kind = Self>>(object: *const Object<T>) -> $raw {
                object.cast_mut().cast()
            }
            fn object<T: Value<Kind = Self>>(raw: $raw) -> *const Object<T> {
                raw.cast_const().cast()
            }
        }
    )*};
}

kinds! {
    /// An adapter.
    Adapter = 1, ur_adapter_handle_t, UR_RESULT_ERROR_INVALID_ARGUMENT;
    /// A platform.
    Platform = 2, ur_platform_handle_t, UR_RESULT_ERROR_INVALID_PLATFORM;
    /// A device or sub-device.
    Device = 3, ur_device_handle_t, UR_RESULT_ERROR_INVALID_DEVICE;
    /// A context.
    Context = 4, ur_context_handle_t, UR_RESULT_ERROR_INVALID_CONTEXT;
    /// A queue.
    Queue = 5, ur_queue_handle_t, UR_RESULT_ERROR_INVALID_QUEUE;
    /// An event.
    Event = 6, ur_event_handle_t, UR_RESULT_ERROR_INVALID_EVENT;
    /// A buffer or image.
    Mem = 7, ur_mem_handle_t, UR_RESULT_ERROR_INVALID_MEM_OBJECT;
    /// A sampler.
    Sampler = 8, ur_sampler_handle_t, UR_RESULT_ERROR_INVALID_SAMPLER;
    /// A USM pool.
    UsmPool = 9, ur_usm_pool_handle_t, UR_RESULT_ERROR_INVALID_ARGUMENT;
    /// Physical memory.
    PhysicalMem = 10, ur_physical_mem_handle_t, UR_RESULT_ERROR_INVALID_ARGUMENT;
    /// A program.
    Program = 11, ur_program_handle_t, UR_RESULT_ERROR_INVALID_PROGRAM;
    /// A kernel.
    Kernel = 12, ur_kernel_handle_t, UR_RESULT_ERROR_INVALID_KERNEL, Attached;
    /// A command buffer.
    CommandBuffer = 13, ur_exp_command_buffer_handle_t, UR_RESULT_ERROR_INVALID_COMMAND_BUFFER_EXP;
    /// A command in a command buffer.
    CommandBufferCommand = 14, ur_exp_command_buffer_command_handle_t,
        UR_RESULT_ERROR_INVALID_COMMAND_BUFFER_COMMAND_HANDLE_EXP;
    /// A graph being captured.
    Graph = 15, ur_exp_graph_handle_t, UR_RESULT_ERROR_INVALID_ARGUMENT;
    /// A graph ready to run.
    ExecutableGraph = 16, ur_exp_executable_graph_handle_t, UR_RESULT_ERROR_INVALID_ARGUMENT;
    /// Memory imported from another API.
    ExternalMem = 17, ur_exp_external_mem_handle_t, UR_RESULT_ERROR_INVALID_ARGUMENT;
    /// A semaphore imported from another API.
    ExternalSemaphore = 18, ur_exp_external_semaphore_handle_t, UR_RESULT_ERROR_INVALID_ARGUMENT;
}
