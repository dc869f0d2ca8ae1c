//! Enqueueing of commands.

use crate::call::{call, call_of, code, list, wait};
use crate::cl::*;
use crate::world::{Kind, World};
use std::ffi::c_void;

/// What is the same for all commands.
#[derive(Debug)]
pub struct Ties {
    queue: cl_command_queue,
    command: cl_uint,
    waits: Vec<cl_event>,
    event: *mut cl_event,
}

impl Ties {
    /// A command of a queue, with events to wait for and a place for its own.
    pub fn new(
        queue: cl_command_queue,
        command: cl_uint,
        waits: Vec<cl_event>,
        event: *mut cl_event,
    ) -> Self {
        Self {
            queue,
            command,
            waits,
            event,
        }
    }
}

/// Enqueues a command, by a function of a platform's extension or of the core, if `check` has nothing
/// against it, and waits for it if it is blocking.
///
/// # Safety
/// The place for the event is null or has room for one.
pub unsafe fn enqueue(
    name: &'static str,
    platform: Option<usize>,
    ties: Ties,
    blocking: cl_bool,
    check: impl FnOnce(&mut World) -> Result<(), cl_int>,
) -> cl_int {
    let queue = ties.queue.to_native();
    let body = |world: &mut World| {
        world.queue(queue)?;
        check(world)?;
        let event = world.command(ties.queue, ties.command, &ties.waits)?;
        if blocking != CL_FALSE {
            world.flush(queue);
        }
        Ok(event)
    };
    let enqueued = match platform {
        Some(platform) => call_of(platform, name, (queue, Kind::Queue), body),
        None => call(name, body),
    };
    let event = match enqueued {
        Ok(event) => event,
        Err(code) => return code,
    };
    let ended = match blocking {
        CL_FALSE => Ok(()),
        _ => wait(name, |world| match world.peek(event)?.status() {
            1.. => None,
            CL_COMPLETE => Some(Ok(())),
            _ => Some(Err(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST)),
        }),
    };
    // A call that fails gives no event.
    match ties.event.is_null() || ended.is_err() {
        // Nobody else has had the reference.
        true => drop(crate::call::world().release(event, Kind::Event)),
        // SAFETY: as the caller says.
        false => unsafe { ties.event.write(cl_event::from_native(event)) },
    }
    code(ended)
}

macro_rules! commands {
    ($(
        $(#[$doc:meta])*
        $name:ident($($arg:ident: $type:ty),* $(,)?) is $command:ident, $blocking:expr, $check:expr;
    )*) => {$(
        $(#[$doc])*
        pub unsafe extern "C" fn $name(
            queue: cl_command_queue,
            $($arg: $type,)*
            count: cl_uint,
            waits: *const cl_event,
            event: *mut cl_event,
        ) -> cl_int {
            // SAFETY: as the caller says.
            let waits = unsafe { list(waits, count as usize) };
            let ties = Ties::new(queue, $command, waits, event);
            let check = $check;
            // SAFETY: as the caller says.
            unsafe { enqueue(stringify!($name), None, ties, $blocking, check) }
        }
    )*};
}

/// That both are memory objects.
fn both(world: &mut World, one: cl_mem, other: cl_mem) -> Result<(), cl_int> {
    world.mem(one.to_native())?;
    world.mem(other.to_native()).map(|_| ())
}

commands! {
    /// Enqueues a read.
    clEnqueueReadBuffer(
        buffer: cl_mem, blocking: cl_bool, offset: usize, size: usize, _to: *mut c_void,
    ) is CL_COMMAND_READ_BUFFER, blocking,
        |world: &mut World| world.mem(buffer.to_native())?.expect_range(offset, size);
    /// Enqueues a write.
    clEnqueueWriteBuffer(
        buffer: cl_mem, blocking: cl_bool, offset: usize, size: usize, _from: *mut c_void,
    ) is CL_COMMAND_WRITE_BUFFER, blocking,
        |world: &mut World| world.mem(buffer.to_native())?.expect_range(offset, size);
    /// Enqueues a read of a box.
    clEnqueueReadBufferRect(
        buffer: cl_mem, blocking: cl_bool, _origin: *const usize, _host_origin: *const usize,
        _region: *const usize, _row: usize, _slice: usize, _host_row: usize, _host_slice: usize,
        _to: *mut c_void,
    ) is CL_COMMAND_READ_BUFFER_RECT, blocking,
        |world: &mut World| world.mem(buffer.to_native()).map(|_| ());
    /// Enqueues a write of a box.
    clEnqueueWriteBufferRect(
        buffer: cl_mem, blocking: cl_bool, _origin: *const usize, _host_origin: *const usize,
        _region: *const usize, _row: usize, _slice: usize, _host_row: usize, _host_slice: usize,
        _from: *mut c_void,
    ) is CL_COMMAND_WRITE_BUFFER_RECT, blocking,
        |world: &mut World| world.mem(buffer.to_native()).map(|_| ());
    /// Enqueues a copy.
    clEnqueueCopyBuffer(
        from: cl_mem, to: cl_mem, from_offset: usize, to_offset: usize, size: usize,
    ) is CL_COMMAND_COPY_BUFFER, CL_FALSE, |world: &mut World| {
        world.mem(from.to_native())?.expect_range(from_offset, size)?;
        world.mem(to.to_native())?.expect_range(to_offset, size)
    };
    /// Enqueues a copy of a box.
    clEnqueueCopyBufferRect(
        from: cl_mem, to: cl_mem, _from_origin: *const usize, _to_origin: *const usize,
        _region: *const usize, _from_row: usize, _from_slice: usize, _to_row: usize,
        _to_slice: usize,
    ) is CL_COMMAND_COPY_BUFFER_RECT, CL_FALSE, |world: &mut World| both(world, from, to);
    /// Enqueues a fill.
    clEnqueueFillBuffer(
        buffer: cl_mem, _pattern: *const c_void, _pattern_size: usize, offset: usize, size: usize,
    ) is CL_COMMAND_FILL_BUFFER, CL_FALSE,
        |world: &mut World| world.mem(buffer.to_native())?.expect_range(offset, size);
    /// Enqueues a read of an image.
    clEnqueueReadImage(
        image: cl_mem, blocking: cl_bool, _origin: *const usize, _region: *const usize, _row: usize,
        _slice: usize, _to: *mut c_void,
    ) is CL_COMMAND_READ_IMAGE, blocking, |world: &mut World| world.mem(image.to_native()).map(|_| ());
    /// Enqueues a write of an image.
    clEnqueueWriteImage(
        image: cl_mem, blocking: cl_bool, _origin: *const usize, _region: *const usize, _row: usize,
        _slice: usize, _from: *mut c_void,
    ) is CL_COMMAND_WRITE_IMAGE, blocking, |world: &mut World| world.mem(image.to_native()).map(|_| ());
    /// Enqueues a copy of an image.
    clEnqueueCopyImage(
        from: cl_mem, to: cl_mem, _from_origin: *const usize, _to_origin: *const usize,
        _region: *const usize,
    ) is CL_COMMAND_COPY_IMAGE, CL_FALSE, |world: &mut World| both(world, from, to);
    /// Enqueues the end of a map.
    clEnqueueUnmapMemObject(
        mem: cl_mem, _mapped: *mut c_void,
    ) is CL_COMMAND_UNMAP_MEM_OBJECT, CL_FALSE, |world: &mut World| world.mem(mem.to_native()).map(|_| ());
    /// Enqueues a launch, and notes the arguments that the kernel has now.
    clEnqueueNDRangeKernel(
        kernel: cl_kernel, dimensions: cl_uint, _offset: *const usize, global: *const usize,
        _local: *const usize,
    ) is CL_COMMAND_NDRANGE_KERNEL, CL_FALSE, |world: &mut World| {
        // SAFETY: as the caller says.
        let global = unsafe { list(global, dimensions as usize) };
        let launch = world.kernel(kernel.to_native())?.launch(global)?;
        world.launches.push(launch);
        Ok(())
    };
    /// Enqueues moving memory objects, which does nothing here.
    clEnqueueMigrateMemObjects(
        mem_count: cl_uint, mems: *const cl_mem, _flags: cl_bitfield,
    ) is CL_COMMAND_MIGRATE_MEM_OBJECTS, CL_FALSE, |world: &mut World| {
        // SAFETY: as the caller says.
        let mems = unsafe { list(mems, mem_count as usize) };
        if mems.is_empty() {
            return Err(CL_INVALID_VALUE);
        }
        mems.iter().try_for_each(|mem| world.mem(mem.to_native()).map(|_| ()))
    };
    /// Enqueues what waits for others.
    clEnqueueMarkerWithWaitList() is CL_COMMAND_MARKER, CL_FALSE, |_: &mut World| Ok(());
    /// Enqueues what others wait for.
    clEnqueueBarrierWithWaitList() is CL_COMMAND_BARRIER, CL_FALSE, |_: &mut World| Ok(());
}

/// Enqueues a map.
pub unsafe extern "C" fn clEnqueueMapBuffer(
    queue: cl_command_queue,
    buffer: cl_mem,
    blocking: cl_bool,
    _: cl_bitfield,
    offset: usize,
    size: usize,
    count: cl_uint,
    waits: *const cl_event,
    event: *mut cl_event,
    place: *mut cl_int,
) -> *mut c_void {
    // SAFETY: as the caller says.
    let waits = unsafe { list(waits, count as usize) };
    let ties = Ties::new(queue, CL_COMMAND_MAP_BUFFER, waits, event);
    let mut mapped = std::ptr::null_mut();
    // SAFETY: as the caller says.
    let code = unsafe {
        enqueue("clEnqueueMapBuffer", None, ties, blocking, |world| {
            let mem = world.mem(buffer.to_native())?;
            mem.expect_range(offset, size)?;
            mapped = mem.map(offset);
            Ok(())
        })
    };
    if !place.is_null() {
        // SAFETY: as the caller says.
        unsafe { place.write(code) };
    }
    match code {
        CL_SUCCESS => mapped,
        _ => std::ptr::null_mut(),
    }
}
