//! Command buffers (`cl_khr_command_buffer`), and changes of recorded launches. A run notes the launches
//! with the arguments that they have then.
//!
//! A command buffer does not keep what its commands use: who lets go of that before a run is noted.

mod record;
mod update;

pub use record::*;
pub use update::*;

use crate::call::{call_of, code, list, made};
use crate::cl::*;
use crate::kernel::Launch;
use crate::queue::Queue;
use crate::world::{Body, Kind, World};

/// A command buffer.
#[derive(Debug)]
pub struct CommandBuffer {
    queue: usize,
    flags: cl_properties64,
    is_final: bool,
    commands: Vec<Recorded>,
    /// Runs by their events and the times at which they were enqueued.
    runs: Vec<(usize, u64)>,
}

/// A recorded command.
#[derive(Debug, Default)]
struct Recorded {
    /// Handle of the command; 0 if nobody asked for it.
    handle: usize,
    /// What it uses.
    uses: Vec<(usize, Kind)>,
    launch: Option<Launch>,
}

impl Recorded {
    fn of(uses: &[(usize, Kind)]) -> Self {
        Self {
            uses: uses.to_vec(),
            ..Self::default()
        }
    }
}

impl CommandBuffer {
    fn is_mutable(&self) -> bool {
        self.flags & CL_COMMAND_BUFFER_MUTABLE_KHR != 0
    }

    /// What runs of it have not ended.
    fn pending(&self) -> &[(usize, u64)] {
        &self.runs
    }
}

impl World {
    /// Forgets the runs that have ended.
    fn prune(&mut self, buffer: usize) -> Result<&mut CommandBuffer, cl_int> {
        let runs = self.command_buffer(buffer)?.runs.clone();
        let alive = runs.into_iter().filter(|(event, queued)| {
            let event = self.peek(*event);
            event.is_some_and(|event| event.queued() == *queued && event.status() > CL_COMPLETE)
        });
        let alive = alive.collect();
        let buffer = self.command_buffer(buffer)?;
        buffer.runs = alive;
        Ok(buffer)
    }

    /// The memory objects among arguments.
    fn mems_in(&self, launch: &Launch) -> Vec<(usize, Kind)> {
        let values = launch.args.iter().filter_map(|bytes| {
            let bytes: [u8; 8] = bytes.as_slice().try_into().ok()?;
            Some(usize::from_ne_bytes(bytes))
        });
        values
            .filter(|value| self.kind_of(*value) == Some(Kind::Mem))
            .map(|value| (value, Kind::Mem))
            .collect()
    }
}

/// Makes a command buffer for one queue.
pub unsafe extern "C" fn clCreateCommandBufferKHR<const P: usize>(
    count: cl_uint,
    queues: *const cl_command_queue,
    properties: *const cl_properties64,
    place: *mut cl_int,
) -> cl_command_buffer_khr {
    // SAFETY: as the caller says.
    let queues = unsafe { list(queues, count as usize) };
    let queue = queues.first().map_or(0, |queue| queue.to_native());
    // SAFETY: as the caller says.
    let flags = unsafe { crate::queue::property(properties, CL_COMMAND_BUFFER_FLAGS_KHR) };
    let of = (queue, Kind::Queue);
    let result = call_of(P, "clCreateCommandBufferKHR", of, |world| {
        if queues.len() != 1 {
            return Err(CL_INVALID_VALUE);
        }
        let context = world.queue(queue)?.context;
        let device = world.queue(queue)?.device;
        let settings = world.device(device)?.settings();
        let simultaneous = flags & CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR != 0;
        let mutable = flags & CL_COMMAND_BUFFER_MUTABLE_KHR != 0;
        let changes = settings.has("cl_khr_command_buffer_mutable_dispatch");
        if (simultaneous && !settings.simultaneous) || (mutable && !changes) {
            return Err(CL_INVALID_PROPERTY);
        }
        let buffer = CommandBuffer {
            queue,
            flags,
            is_final: false,
            commands: Vec::new(),
            runs: Vec::new(),
        };
        Ok(world.add(P, Body::CommandBuffer(buffer), vec![context, queue]))
    });
    // SAFETY: as the caller says.
    unsafe { made(place, result, cl_command_buffer_khr::from_native) }
}

/// Gives a reference up.
pub unsafe extern "C" fn clReleaseCommandBufferKHR<const P: usize>(
    buffer: cl_command_buffer_khr,
) -> cl_int {
    let handle = buffer.to_native();
    let of = (handle, Kind::CommandBuffer);
    code(call_of(P, "clReleaseCommandBufferKHR", of, |world| {
        world.release(handle, Kind::CommandBuffer)
    }))
}

/// Ends the recording.
pub unsafe extern "C" fn clFinalizeCommandBufferKHR<const P: usize>(
    buffer: cl_command_buffer_khr,
) -> cl_int {
    let handle = buffer.to_native();
    let of = (handle, Kind::CommandBuffer);
    code(call_of(P, "clFinalizeCommandBufferKHR", of, |world| {
        let buffer = world.command_buffer(handle)?;
        match std::mem::replace(&mut buffer.is_final, true) {
            true => Err(CL_INVALID_OPERATION),
            false => Ok(()),
        }
    }))
}

/// Whether a command buffer for one queue may run on another.
fn fits(own: &Queue, other: &Queue) -> Result<(), cl_int> {
    if own.context != other.context {
        return Err(CL_INVALID_CONTEXT);
    }
    match own.device == other.device && own.properties == other.properties {
        true => Ok(()),
        false => Err(CL_INCOMPATIBLE_COMMAND_QUEUE_KHR),
    }
}

/// Enqueues all commands, on the queue that is given or its own.
pub unsafe extern "C" fn clEnqueueCommandBufferKHR<const P: usize>(
    count: cl_uint,
    queues: *const cl_command_queue,
    buffer: cl_command_buffer_khr,
    wait_count: cl_uint,
    waits: *const cl_event,
    event: *mut cl_event,
) -> cl_int {
    // SAFETY: as the caller says.
    let (queues, waits) = unsafe {
        (
            list(queues, count as usize),
            list(waits, wait_count as usize),
        )
    };
    let handle = buffer.to_native();
    let of = (handle, Kind::CommandBuffer);
    code(call_of(P, "clEnqueueCommandBufferKHR", of, |world| {
        let buffer = world.prune(handle)?;
        if !buffer.is_final {
            return Err(CL_INVALID_OPERATION);
        }
        let simultaneous = buffer.flags & CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR != 0;
        if !simultaneous && !buffer.pending().is_empty() {
            world.fault("a command buffer is enqueued while it runs".to_owned());
            return Err(CL_INVALID_OPERATION);
        }
        let own = buffer.queue;
        let uses = buffer.commands.iter().flat_map(|one| one.uses.clone());
        let uses: Vec<_> = uses.collect();
        let launches: Vec<_> = buffer
            .commands
            .iter()
            .map(|one| one.launch.clone())
            .collect();
        let target = match queues[..] {
            [] => own,
            [queue] => queue.to_native(),
            _ => return Err(CL_INVALID_VALUE),
        };
        let own = world.queue(own)?.clone();
        fits(&own, world.queue(target)?)?;
        for (object, kind) in uses {
            world.object(object, kind)?;
        }
        let target = cl_command_queue::from_native(target);
        let run = world.command(target, CL_COMMAND_COMMAND_BUFFER_KHR, &waits)?;
        world.launches.extend(launches.into_iter().flatten());
        // The run holds the command buffer, as every command holds what it works on.
        world.tie(run, handle);
        let queued = world.event(run)?.queued();
        world.command_buffer(handle)?.runs.push((run, queued));
        match event.is_null() {
            true => world.release(run, Kind::Event),
            false => {
                // SAFETY: as the caller says.
                unsafe { event.write(cl_event::from_native(run)) };
                Ok(())
            }
        }
    }))
}
