//! Mapping of buffers to the host.

use super::buffer::{Transfer, expect_same_context};
use super::{Ties, copy, invalid_size};
use crate::event::{Command, submit};
use crate::memory::Mem;
use crate::memory::storage::{Map, Place, Staging, Storage, Through};
use crate::queue::Queue;
use std::ffi::c_void;
use ur_adapter::{Error, Object, Result};
use ur_api::*;

const READ: u32 = UR_MAP_FLAG_READ.0;
const INVALIDATE: u32 = UR_MAP_FLAG_WRITE_INVALIDATE_REGION.0;
const WRITE: u32 = UR_MAP_FLAG_WRITE.0 | INVALIDATE;

/// Whether the host reaches what is behind a buffer.
fn is_visible(storage: &Storage) -> bool {
    matches!(storage.place(), Place::Memory { visible: true, .. })
}

/// Where the bytes of a part will be, by the address that the program gets.
fn place(mem: &Mem, part: *mut c_void, offset: usize, size: usize) -> Result<(usize, Through)> {
    let storage = mem.storage();
    if !storage.host().is_null() {
        let at = storage.host().wrapping_byte_add(offset) as usize;
        return Ok((at, Through::Program));
    }
    if is_visible(storage) {
        return Ok((part as usize, Through::Itself));
    }
    let staging = Staging::new(storage.context(), size)?;
    Ok((staging.at() as usize, Through::Staging(staging)))
}

/// Enqueues mapping a part of a buffer and gives its address.
///
/// # Errors
/// `INVALID_ENUMERATION` for unknown flags, `INVALID_SIZE` for no bytes or some beyond the buffer, and
/// what the driver says.
pub fn map(
    queue: &Object<Queue>,
    what: &Transfer<'_>,
    flags: ur_map_flags_t,
    ties: Ties<'_, '_>,
) -> Result<*mut c_void> {
    if flags & !(READ | WRITE) != 0 {
        return Err(Error::code(UR_RESULT_ERROR_INVALID_ENUMERATION));
    }
    if what.size == 0 {
        return Err(invalid_size("nothing to map"));
    }
    expect_same_context(queue, what.buffer)?;
    let from = what.buffer.at(what.offset, what.size)?;
    let offset = what.buffer.offset() + what.offset;
    let (at, through) = place(what.buffer, from, offset, what.size)?;
    // What is not read but written in part must keep the rest.
    let copies = !matches!(through, Through::Itself) && flags & INVALIDATE == 0;
    let to = at as *mut c_void;
    let storage = what.buffer.storage();
    let keep = (storage.clone(), through.clone());
    let command = Command::new(UR_COMMAND_MEM_BUFFER_MAP, ties.waits).blocking(what.blocking);
    let command = if copies { command.copies() } else { command };
    submit(queue, &command, ties.event, keep, |call| match copies {
        // SAFETY: a part of the buffer, and as many bytes that stay until it is unmapped.
        true => unsafe { copy::bytes(call, to, from, what.size) },
        false => call.several(|_| Ok(())),
    })?;
    storage.maps().push(Map {
        at,
        offset,
        size: what.size,
        writes: flags & WRITE != 0,
        through,
    });
    Ok(to)
}

/// Enqueues the end of a mapping.
///
/// # Errors
/// `INVALID_VALUE` for an address that is not mapped, and what the driver says.
///
/// # Safety
/// The address came from a mapping of the object.
pub unsafe fn unmap(
    queue: &Object<Queue>,
    mem: &Mem,
    address: *mut c_void,
    ties: Ties<'_, '_>,
) -> Result {
    expect_same_context(queue, mem)?;
    let storage = mem.storage();
    let map = {
        let mut maps = storage.maps();
        // The last one, should the program have mapped the same bytes several times.
        let found = maps.iter().rposition(|map| map.at == address as usize);
        let found = found.ok_or_else(|| Error::value("nothing is mapped there"))?;
        maps.remove(found)
    };
    let copies = map.writes && !matches!(map.through, Through::Itself);
    let Place::Memory { start, .. } = storage.place() else {
        return Err(Error::code(UR_RESULT_ERROR_INVALID_MEM_OBJECT));
    };
    let to = (start + map.offset) as *mut c_void;
    let command = Command::new(UR_COMMAND_MEM_UNMAP, ties.waits);
    let command = if copies { command.copies() } else { command };
    let keep = (storage.clone(), map.through.clone());
    let unmapped = submit(queue, &command, ties.event, keep, |call| match copies {
        // SAFETY: a part of the buffer, and as many bytes that the command holds or the program keeps.
        true => unsafe { copy::bytes(call, to, address, map.size) },
        false => call.several(|_| Ok(())),
    });
    if unmapped.is_err() {
        storage.maps().push(map);
    }
    unmapped
}
