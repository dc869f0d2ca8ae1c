//! Command buffers: commands recorded once and enqueued many times, through `cl_khr_command_buffer`.

mod append;
mod change;
mod enqueue;
mod record;
mod update;

pub use enqueue::enqueue;
pub use update::{BufferCommand, changes};

use crate::cl::{self, Extensions, Owned, check};
use crate::context::Context;
use crate::device::Device;
use crate::kernel::Kernel;
use crate::memory::Mem;
use crate::sampler::Sampler;
use std::sync::{Mutex, MutexGuard, PoisonError};
use ur_adapter::{Error, Handle, Info, Object, Result};
use ur_api::*;

/// What a command buffer handle names.
#[derive(Debug)]
pub struct CommandBuffer {
    /// First, so that it goes before what it is of.
    native: Native,
    /// The queue that it is made for. It is enqueued on others, too.
    queue: Owned<cl::cl_command_queue>,
    context: Handle<Context>,
    device: Handle<Device>,
    is_updatable: bool,
    is_in_order: bool,
    is_profiled: bool,
    state: Mutex<State>,
}

/// What changes with each call.
#[derive(Debug, Default)]
struct State {
    is_final: bool,
    /// The end of the latest run: runs come one after the other.
    latest: Option<Owned<cl::cl_event>>,
    /// What the commands use.
    kept: Vec<Kept>,
    /// The handles of commands that were given out. They belong to the command buffer: the API has
    /// no call to release one.
    given: Vec<Handle<BufferCommand>>,
}

/// Something that lasts as long as the command buffer.
#[derive(Debug)]
enum Kept {
    Kernel { _kernel: Handle<Kernel> },
    Mem { _mem: Handle<Mem> },
    Sampler { _sampler: Handle<Sampler> },
    Bytes { _bytes: Box<[u8]> },
}

impl From<&Object<Mem>> for Kept {
    fn from(mem: &Object<Mem>) -> Self {
        Self::Mem { _mem: mem.handle() }
    }
}

/// One reference to OpenCL's object, given up when dropped.
#[derive(Debug)]
struct Native {
    object: cl::cl_command_buffer_khr,
    release: unsafe extern "C" fn(cl::cl_command_buffer_khr) -> cl::cl_int,
}

impl Drop for Native {
    fn drop(&mut self) {
        // SAFETY: the value owns the reference.
        unsafe { (self.release)(self.object) };
    }
}

fn invalid(message: &'static str) -> Error {
    Error::new(UR_RESULT_ERROR_INVALID_OPERATION, message)
}

impl CommandBuffer {
    /// An empty command buffer.
    ///
    /// # Errors
    /// `INVALID_DEVICE` for a device that is not the context's, `UNSUPPORTED_FEATURE` for one without
    /// command buffers or, if they are to be changed, without changes; what the driver says.
    pub fn create(
        context: &Object<Context>,
        device: &Object<Device>,
        desc: &ur_exp_command_buffer_desc_t,
    ) -> Result<Handle<CommandBuffer>> {
        if !context.has(device) {
            return Err(Error::new(
                UR_RESULT_ERROR_INVALID_DEVICE,
                "the device does not belong to the context",
            ));
        }
        let able = device.facts().command_buffers;
        let able = able.ok_or_else(Error::unsupported)?;
        let (is_updatable, is_in_order) = (desc.isUpdatable != 0, desc.isInOrder != 0);
        if is_updatable && able.mutable == 0 {
            return Err(Error::unsupported());
        }
        let functions = context.extensions();
        let create = functions.clCreateCommandBufferKHR;
        let create = create.ok_or_else(Error::unsupported)?;
        let release = functions.clReleaseCommandBufferKHR;
        let release = release.ok_or_else(Error::unsupported)?;

        let mut wanted = 0;
        if !is_in_order {
            wanted |= cl::CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
        }
        if desc.enableProfiling != 0 {
            wanted |= cl::CL_QUEUE_PROFILING_ENABLE;
        }
        let queue = own_queue(context, device, wanted & able.queue_properties)?;

        let mut flags = 0;
        if is_updatable {
            flags |= cl::CL_COMMAND_BUFFER_MUTABLE_KHR;
        }
        if able.simultaneous {
            flags |= cl::CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR;
        }
        let properties = [cl::CL_COMMAND_BUFFER_FLAGS_KHR, flags, 0];
        let mut code = 0;
        // SAFETY: one live queue, and a list that ends with 0; the code's place is ours.
        let object = unsafe { create(1, &queue.get(), properties.as_ptr(), &raw mut code) };
        check(code)?;
        Handle::new(CommandBuffer {
            native: Native { object, release },
            queue,
            context: context.handle(),
            device: device.handle(),
            is_updatable,
            is_in_order,
            is_profiled: desc.enableProfiling != 0,
            state: Mutex::default(),
        })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn extensions(&self) -> &'static Extensions {
        self.context.extensions()
    }

    /// OpenCL's own handle.
    pub fn native(&self) -> cl::cl_command_buffer_khr {
        self.native.object
    }

    /// Ends the recording.
    ///
    /// # Errors
    /// `INVALID_OPERATION` when it has ended before, and what the driver says.
    pub fn finalize(&self) -> Result {
        let mut state = self.state();
        if state.is_final {
            return Err(invalid("the command buffer is finalized"));
        }
        let finalize = self.extensions().clFinalizeCommandBufferKHR;
        let finalize = finalize.ok_or_else(Error::unsupported)?;
        // SAFETY: a live command buffer.
        check(unsafe { finalize(self.native()) })?;
        state.is_final = true;
        Ok(())
    }

    /// Answers a query.
    ///
    /// # Errors
    /// `UNSUPPORTED_ENUMERATION`.
    pub fn info(&self, name: ur_exp_command_buffer_info_t, info: &mut Info<'_>) -> Result {
        if name != UR_EXP_COMMAND_BUFFER_INFO_DESCRIPTOR {
            return Err(Error::unsupported_query());
        }
        // The structure byte by byte: its padding is to be defined.
        let mut bytes = [0u8; size_of::<ur_exp_command_buffer_desc_t>()];
        let kind = UR_STRUCTURE_TYPE_EXP_COMMAND_BUFFER_DESC.0.to_ne_bytes();
        bytes[..kind.len()].copy_from_slice(&kind);
        for (at, value) in [
            (
                std::mem::offset_of!(ur_exp_command_buffer_desc_t, isUpdatable),
                self.is_updatable,
            ),
            (
                std::mem::offset_of!(ur_exp_command_buffer_desc_t, isInOrder),
                self.is_in_order,
            ),
            (
                std::mem::offset_of!(ur_exp_command_buffer_desc_t, enableProfiling),
                self.is_profiled,
            ),
        ] {
            bytes[at] = u8::from(value);
        }
        info.bytes(&bytes)
    }
}

impl Drop for CommandBuffer {
    fn drop(&mut self) {
        let state = self.state.get_mut();
        let state = state.unwrap_or_else(PoisonError::into_inner);
        for command in state.given.drain(..) {
            // SAFETY: the program was given a reference with the handle and no call to give it back;
            // it ends here, with the command buffer.
            drop(unsafe { Handle::from_owned(&command) });
        }
    }
}

/// A queue to record for.
fn own_queue(
    context: &Context,
    device: &Device,
    properties: cl::cl_bitfield,
) -> Result<Owned<cl::cl_command_queue>> {
    let api = context.api();
    let mut code = 0;
    // SAFETY: live objects; the code's place is ours.
    let queue = unsafe {
        (api.clCreateCommandQueue)(context.native(), device.native(), properties, &raw mut code)
    };
    check(code)?;
    // SAFETY: made for this call.
    Ok(unsafe { Owned::new(api, queue) })
}
