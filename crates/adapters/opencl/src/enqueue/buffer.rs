//! Commands on buffers.

use super::invalid_size;
use crate::cl;
use crate::event::{Call, Event, submit};
use crate::memory::Mem;
use crate::queue::Queue;
use std::ffi::c_void;
use ur_adapter::rect::{self, Placement};
use ur_adapter::{Error, Object, Result, Slot};
use ur_api::*;

/// What a command waits for, and the event that stands for it.
pub struct Ties<'a, 'b> {
    /// Events to wait for.
    pub waits: &'a [&'a Object<Event>],
    /// Where the new event goes.
    pub event: &'b mut Slot<Event>,
}

/// A copy between a buffer and memory of the program.
pub struct Transfer<'a> {
    /// The buffer.
    pub buffer: &'a Mem,
    /// Whether the call waits for it.
    pub blocking: bool,
    /// Where it begins in the buffer.
    pub offset: usize,
    /// Bytes.
    pub size: usize,
}

/// A copy of a box between a buffer and memory of the program.
pub struct RectTransfer<'a> {
    /// The buffer.
    pub buffer: &'a Mem,
    /// Whether the call waits for it.
    pub blocking: bool,
    /// Where it lies in the buffer.
    pub in_buffer: Placement,
    /// Where it lies in memory.
    pub in_memory: Placement,
    /// Bytes in a row, rows in a slice, slices.
    pub extent: [usize; 3],
}

/// Which way a copy between an object and memory goes.
#[derive(Clone, Copy, Debug)]
pub enum Way {
    /// To the memory.
    Read,
    /// From the memory, which is not changed.
    Write,
}

impl Way {
    /// Makes a call that enqueues a copy, and waits for it if it is to block: for a read the driver
    /// does, for a write [`Call::blocking`].
    pub fn enqueue(
        self,
        queue: &Queue,
        call: Call,
        blocking: bool,
        enqueue: impl FnOnce(Call, cl::cl_bool) -> cl::cl_int,
    ) -> cl::cl_int {
        match self {
            Way::Read => enqueue(call, blocking.into()),
            Way::Write => call.blocking(queue, blocking, |call| enqueue(call, cl::CL_FALSE)),
        }
    }
}

/// Enqueues a copy between a buffer and memory.
///
/// # Errors
/// `INVALID_SIZE` for a range outside of the buffer, and what the driver says.
///
/// # Safety
/// The memory has the bytes, or room for them, until the command ends.
#[inline]
pub unsafe fn transfer(
    queue: &Object<Queue>,
    way: Way,
    what: &Transfer<'_>,
    memory: *mut c_void,
    ties: Ties<'_, '_>,
) -> Result {
    what.buffer.expect_range(what.offset, what.size)?;
    let (api, buffer) = (queue.api(), what.buffer.native());
    let (enqueue, kind) = match way {
        Way::Read => (api.clEnqueueReadBuffer, UR_COMMAND_MEM_BUFFER_READ),
        Way::Write => (api.clEnqueueWriteBuffer, UR_COMMAND_MEM_BUFFER_WRITE),
    };
    submit(queue, kind, ties.waits, ties.event, |call| {
        way.enqueue(queue, call, what.blocking, |c, blocking| {
            // SAFETY: live objects, and memory as the caller says.
            unsafe {
                enqueue(
                    c.queue,
                    buffer,
                    blocking,
                    what.offset,
                    what.size,
                    memory,
                    c.count,
                    c.waits,
                    c.event,
                )
            }
        })
    })
}

/// Fails unless a box lies inside a buffer. Not every driver looks.
///
/// # Errors
/// `INVALID_SIZE`; `INVALID_MEM_OBJECT` for an image.
pub fn expect_in(buffer: &Mem, place: Placement, extent: [usize; 3]) -> Result {
    buffer.expect_range(0, place.end_of(extent)?)
}

impl RectTransfer<'_> {
    fn check(&self) -> Result {
        expect_in(self.buffer, self.in_buffer, self.extent)?;
        self.in_memory.end_of(self.extent).map(|_| ())
    }
}

/// Enqueues a copy of a box between a buffer and memory.
///
/// # Errors
/// `INVALID_SIZE` for a box outside of the buffer or pitches that do not fit, and what the driver says.
///
/// # Safety
/// The memory has the box, or room for it, until the command ends.
pub unsafe fn transfer_rect(
    queue: &Object<Queue>,
    way: Way,
    what: &RectTransfer<'_>,
    memory: *mut c_void,
    ties: Ties<'_, '_>,
) -> Result {
    what.check()?;
    let api = queue.api();
    let (enqueue, kind) = match way {
        Way::Read => (api.clEnqueueReadBufferRect, UR_COMMAND_MEM_BUFFER_READ_RECT),
        Way::Write => (
            api.clEnqueueWriteBufferRect,
            UR_COMMAND_MEM_BUFFER_WRITE_RECT,
        ),
    };
    submit(queue, kind, ties.waits, ties.event, |call| {
        way.enqueue(queue, call, what.blocking, |c, blocking| {
            // SAFETY: live objects, and memory as the caller says.
            unsafe {
                enqueue(
                    c.queue,
                    what.buffer.native(),
                    blocking,
                    what.in_buffer.origin.as_ptr(),
                    what.in_memory.origin.as_ptr(),
                    what.extent.as_ptr(),
                    what.in_buffer.row_pitch,
                    what.in_buffer.slice_pitch,
                    what.in_memory.row_pitch,
                    what.in_memory.slice_pitch,
                    memory,
                    c.count,
                    c.waits,
                    c.event,
                )
            }
        })
    })
}

/// Enqueues a copy between buffers; from and to are a buffer and an offset.
pub fn copy(
    queue: &Object<Queue>,
    from: (&Mem, usize),
    to: (&Mem, usize),
    size: usize,
    ties: Ties<'_, '_>,
) -> Result {
    from.0.expect_range(from.1, size)?;
    to.0.expect_range(to.1, size)?;
    let enqueue = queue.api().clEnqueueCopyBuffer;
    let kind = UR_COMMAND_MEM_BUFFER_COPY;
    submit(queue, kind, ties.waits, ties.event, |c| {
        let (src, dst) = (from.0.native(), to.0.native());
        // SAFETY: live objects.
        unsafe {
            enqueue(
                c.queue, src, dst, from.1, to.1, size, c.count, c.waits, c.event,
            )
        }
    })
}

/// Enqueues a copy of a box between buffers; from and to are a buffer and where the box lies in it.
pub fn copy_rect(
    queue: &Object<Queue>,
    from: (&Mem, Placement),
    to: (&Mem, Placement),
    region: ur_rect_region_t,
    ties: Ties<'_, '_>,
) -> Result {
    let extent = rect::extent(region);
    expect_in(from.0, from.1, extent)?;
    expect_in(to.0, to.1, extent)?;
    let enqueue = queue.api().clEnqueueCopyBufferRect;
    let kind = UR_COMMAND_MEM_BUFFER_COPY_RECT;
    submit(queue, kind, ties.waits, ties.event, |c| {
        // SAFETY: live objects, and arrays of three.
        unsafe {
            enqueue(
                c.queue,
                from.0.native(),
                to.0.native(),
                from.1.origin.as_ptr(),
                to.1.origin.as_ptr(),
                extent.as_ptr(),
                from.1.row_pitch,
                from.1.slice_pitch,
                to.1.row_pitch,
                to.1.slice_pitch,
                c.count,
                c.waits,
                c.event,
            )
        }
    })
}

/// Fails unless a pattern and what it fills fit each other.
///
/// # Errors
/// `INVALID_SIZE`.
pub fn expect_pattern(pattern_size: usize, offset: usize, size: usize) -> Result {
    let fits = pattern_size.is_power_of_two()
        && size != 0
        && size.is_multiple_of(pattern_size)
        && offset.is_multiple_of(pattern_size);
    match fits {
        true => Ok(()),
        false => Err(invalid_size("the pattern does not fit")),
    }
}

/// Enqueues filling a part of a buffer.
///
/// # Safety
/// `pattern` has its bytes.
pub unsafe fn fill(
    queue: &Object<Queue>,
    what: &Transfer<'_>,
    pattern: *const c_void,
    pattern_size: usize,
    ties: Ties<'_, '_>,
) -> Result {
    what.buffer.expect_range(what.offset, what.size)?;
    expect_pattern(pattern_size, what.offset, what.size)?;
    let enqueue = queue.api().clEnqueueFillBuffer;
    let kind = UR_COMMAND_MEM_BUFFER_FILL;
    submit(queue, kind, ties.waits, ties.event, |c| {
        // SAFETY: live objects; the pattern is copied in the call.
        unsafe {
            enqueue(
                c.queue,
                what.buffer.native(),
                pattern,
                pattern_size,
                what.offset,
                what.size,
                c.count,
                c.waits,
                c.event,
            )
        }
    })
}

/// The flags of maps have OpenCL's numbers.
const MAP: u32 = UR_MAP_FLAG_READ.0 | UR_MAP_FLAG_WRITE.0 | UR_MAP_FLAG_WRITE_INVALIDATE_REGION.0;

/// Enqueues mapping a part of a buffer and gives its address.
pub fn map(
    queue: &Object<Queue>,
    what: &Transfer<'_>,
    flags: ur_map_flags_t,
    ties: Ties<'_, '_>,
) -> Result<*mut c_void> {
    if flags & !MAP != 0 {
        return Err(Error::code(UR_RESULT_ERROR_INVALID_ENUMERATION));
    }
    if what.size == 0 {
        return Err(invalid_size("nothing to map"));
    }
    what.buffer.expect_range(what.offset, what.size)?;
    let enqueue = queue.api().clEnqueueMapBuffer;
    let mut address = std::ptr::null_mut();
    let kind = UR_COMMAND_MEM_BUFFER_MAP;
    submit(queue, kind, ties.waits, ties.event, |c| {
        let mut code = 0;
        // SAFETY: live objects; the code's place is ours.
        address = unsafe {
            enqueue(
                c.queue,
                what.buffer.native(),
                what.blocking.into(),
                flags.into(),
                what.offset,
                what.size,
                c.count,
                c.waits,
                c.event,
                &raw mut code,
            )
        };
        code
    })?;
    Ok(address)
}

/// Enqueues the end of a mapping.
///
/// # Safety
/// The address came from a mapping of the object.
pub unsafe fn unmap(
    queue: &Object<Queue>,
    mem: &Mem,
    address: *mut c_void,
    ties: Ties<'_, '_>,
) -> Result {
    let enqueue = queue.api().clEnqueueUnmapMemObject;
    let kind = UR_COMMAND_MEM_UNMAP;
    submit(queue, kind, ties.waits, ties.event, |c| {
        // SAFETY: live objects; the driver looks whether it knows the address.
        unsafe { enqueue(c.queue, mem.native(), address, c.count, c.waits, c.event) }
    })
}
