//! Commands on buffers.

use super::Ties;
use super::copy::{self, Area};
use super::fill::Fill;
use crate::event::{Command, submit};
use crate::memory::Mem;
use crate::memory::storage::Storage;
use crate::queue::Queue;
use std::ffi::c_void;
use std::sync::Arc;
use ur_adapter::rect::Placement;
use ur_adapter::{Error, Object, Result};
use ur_api::*;

/// A copy between a buffer and memory of the program.
#[derive(Debug)]
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
#[derive(Debug)]
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

/// Fails unless a buffer belongs to the queue's context.
///
/// # Errors
/// `INVALID_CONTEXT`.
pub fn expect_same_context(queue: &Queue, mem: &Mem) -> Result {
    match mem.context().is(queue.context()) {
        true => Ok(()),
        false => Err(Error::new(
            UR_RESULT_ERROR_INVALID_CONTEXT,
            "a memory object of another context than the queue",
        )),
    }
}

/// What a command on memory objects holds until it has ended.
fn held(mem: &Mem) -> Arc<Storage> {
    mem.storage().clone()
}

/// Enqueues a read.
///
/// # Errors
/// `INVALID_SIZE` for bytes beyond the buffer, and what the driver says.
///
/// # Safety
/// `to` has room for the bytes until the command ends.
pub unsafe fn read(
    queue: &Object<Queue>,
    what: &Transfer<'_>,
    to: *mut c_void,
    ties: Ties<'_, '_>,
) -> Result {
    expect_same_context(queue, what.buffer)?;
    let from = what.buffer.at(what.offset, what.size)?;
    let command = Command::new(UR_COMMAND_MEM_BUFFER_READ, ties.waits);
    let command = command.copies().blocking(what.blocking);
    submit(queue, &command, ties.event, held(what.buffer), |call| {
        // SAFETY: a part of the buffer, and memory as the caller says.
        unsafe { copy::bytes(call, to, from, what.size) }
    })
}

/// Enqueues a write.
///
/// # Errors
/// As [`read`].
///
/// # Safety
/// `from` has the bytes until the command ends.
pub unsafe fn write(
    queue: &Object<Queue>,
    what: &Transfer<'_>,
    from: *const c_void,
    ties: Ties<'_, '_>,
) -> Result {
    expect_same_context(queue, what.buffer)?;
    let to = what.buffer.at(what.offset, what.size)?;
    let command = Command::new(UR_COMMAND_MEM_BUFFER_WRITE, ties.waits);
    let command = command.copies().blocking(what.blocking);
    submit(queue, &command, ties.event, held(what.buffer), |call| {
        // SAFETY: a part of the buffer, and memory as the caller says.
        unsafe { copy::bytes(call, to, from, what.size) }
    })
}

/// Where a box lies that must be inside of a buffer.
fn in_buffer(buffer: &Mem, place: Placement, extent: [usize; 3]) -> Result<Area> {
    let start = buffer.at(0, place.end_of(extent)?)?;
    Ok(area(start, place, extent))
}

/// Where a box lies that begins at an address, if its numbers make sense.
fn area(start: *mut c_void, place: Placement, extent: [usize; 3]) -> Area {
    let place = place.with_pitches(extent);
    Area {
        at: start.wrapping_byte_add(place.start()),
        row_pitch: place.row_pitch,
        slice_pitch: place.slice_pitch,
    }
}

/// Enqueues a read of a box.
///
/// # Errors
/// `INVALID_SIZE` for a box that does not fit, and what the driver says.
///
/// # Safety
/// `to` has room for the box until the command ends.
pub unsafe fn read_rect(
    queue: &Object<Queue>,
    what: &RectTransfer<'_>,
    to: *mut c_void,
    ties: Ties<'_, '_>,
) -> Result {
    expect_same_context(queue, what.buffer)?;
    let from = in_buffer(what.buffer, what.in_buffer, what.extent)?;
    what.in_memory.end_of(what.extent)?;
    let to = area(to, what.in_memory, what.extent);
    let command = Command::new(UR_COMMAND_MEM_BUFFER_READ_RECT, ties.waits);
    let command = command.blocking(what.blocking);
    submit(queue, &command, ties.event, held(what.buffer), |call| {
        // SAFETY: a part of the buffer, and memory as the caller says.
        unsafe { copy::boxes(call, to, from, what.extent) }
    })
}

/// Enqueues a write of a box.
///
/// # Errors
/// As [`read_rect`].
///
/// # Safety
/// `from` has the box until the command ends.
pub unsafe fn write_rect(
    queue: &Object<Queue>,
    what: &RectTransfer<'_>,
    from: *const c_void,
    ties: Ties<'_, '_>,
) -> Result {
    expect_same_context(queue, what.buffer)?;
    let to = in_buffer(what.buffer, what.in_buffer, what.extent)?;
    what.in_memory.end_of(what.extent)?;
    let from = area(from.cast_mut(), what.in_memory, what.extent);
    let command = Command::new(UR_COMMAND_MEM_BUFFER_WRITE_RECT, ties.waits);
    let command = command.blocking(what.blocking);
    submit(queue, &command, ties.event, held(what.buffer), |call| {
        // SAFETY: a part of the buffer, and memory as the caller says.
        unsafe { copy::boxes(call, to, from, what.extent) }
    })
}

/// Fails if two areas of memory have a byte in common, which Level Zero does not copy.
fn expect_apart(from: *const c_void, to: *const c_void, size: usize) -> Result {
    match (from as usize).abs_diff(to as usize) < size {
        true => Err(Error::new(
            UR_RESULT_ERROR_OVERLAPPING_REGIONS,
            "from and to overlap",
        )),
        false => Ok(()),
    }
}

/// Enqueues a copy between buffers; from and to are a buffer and an offset.
///
/// # Errors
/// `INVALID_SIZE` for bytes beyond a buffer, `OVERLAPPING_REGIONS`, and what the driver says.
pub fn copy(
    queue: &Object<Queue>,
    from: (&Mem, usize),
    to: (&Mem, usize),
    size: usize,
    ties: Ties<'_, '_>,
) -> Result {
    expect_same_context(queue, from.0)?;
    expect_same_context(queue, to.0)?;
    let keep = (held(from.0), held(to.0));
    let (from, to) = (from.0.at(from.1, size)?, to.0.at(to.1, size)?);
    expect_apart(from, to, size)?;
    let command = Command::new(UR_COMMAND_MEM_BUFFER_COPY, ties.waits).copies();
    submit(queue, &command, ties.event, keep, |call| {
        // SAFETY: parts of the buffers.
        unsafe { copy::bytes(call, to, from, size) }
    })
}

/// Enqueues a copy of a box between buffers; from and to are a buffer and where the box lies in it.
///
/// # Errors
/// `INVALID_SIZE` for a box that does not fit, and what the driver says.
pub fn copy_rect(
    queue: &Object<Queue>,
    from: (&Mem, Placement),
    to: (&Mem, Placement),
    extent: [usize; 3],
    ties: Ties<'_, '_>,
) -> Result {
    expect_same_context(queue, from.0)?;
    expect_same_context(queue, to.0)?;
    let keep = (held(from.0), held(to.0));
    let from = in_buffer(from.0, from.1, extent)?;
    let to = in_buffer(to.0, to.1, extent)?;
    let command = Command::new(UR_COMMAND_MEM_BUFFER_COPY_RECT, ties.waits);
    submit(queue, &command, ties.event, keep, |call| {
        // SAFETY: parts of the buffers.
        unsafe { copy::boxes(call, to, from, extent) }
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
        false => Err(super::invalid_size("the pattern does not fit")),
    }
}

/// Enqueues filling a part of a buffer.
///
/// # Errors
/// `INVALID_SIZE` for bytes beyond the buffer or a pattern that does not fit, and what the driver says.
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
    expect_same_context(queue, what.buffer)?;
    let to = what.buffer.at(what.offset, what.size)?;
    expect_pattern(pattern_size, what.offset, what.size)?;
    // SAFETY: as the caller says.
    let fill = unsafe { Fill::new(queue, pattern, pattern_size, what.size) }?;
    let command = Command::new(UR_COMMAND_MEM_BUFFER_FILL, ties.waits);
    let keep = (fill.clone(), held(what.buffer));
    submit(queue, &command, ties.event, keep, |call| {
        // SAFETY: a part of the buffer; the command holds a copy of the fill.
        unsafe { fill.append(call, to, what.size) }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_do_not_overlap() {
        let at = |address: usize| address as *const c_void;
        assert!(expect_apart(at(100), at(110), 10).is_ok());
        assert!(expect_apart(at(110), at(100), 10).is_ok());
        assert!(expect_apart(at(100), at(109), 10).is_err());
        assert!(expect_apart(at(109), at(100), 10).is_err());
        assert!(expect_apart(at(100), at(100), 0).is_ok());
    }

    #[test]
    fn an_area_begins_at_its_origin() {
        let place = Placement {
            origin: [1, 2, 3],
            row_pitch: 0,
            slice_pitch: 50,
        };
        let area = area(std::ptr::without_provenance_mut(1000), place, [10, 5, 2]);
        assert_eq!(area.at as usize, 1000 + 1 + 20 + 150);
        assert_eq!((area.row_pitch, area.slice_pitch), (10, 50));
    }
}
