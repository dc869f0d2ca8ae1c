//! Commands on USM.

use super::buffer::Ties;
use super::{invalid_size, marker};
use crate::cl;
use crate::event::submit;
use crate::queue::Queue;
use std::ffi::c_void;
use ur_adapter::{Error, Object, Result};
use ur_api::*;

/// Enqueues a copy.
///
/// # Errors
/// `UNSUPPORTED_FEATURE` without USM, `INVALID_SIZE` for nothing to copy, and what the driver says.
///
/// # Safety
/// Both pointers have `size` bytes until the command ends.
#[inline]
pub unsafe fn memcpy(
    queue: &Object<Queue>,
    blocking: bool,
    to: *mut c_void,
    from: *const c_void,
    size: usize,
    ties: Ties<'_, '_>,
) -> Result {
    if size == 0 {
        return Err(invalid_size("nothing to copy"));
    }
    let enqueue = queue.context().usm().memcpy()?;
    let blocking = cl::cl_bool::from(blocking);
    submit(queue, UR_COMMAND_USM_MEMCPY, ties.waits, ties.event, |c| {
        // SAFETY: live objects, and memory as the caller says.
        unsafe { enqueue(c.queue, blocking, to, from, size, c.count, c.waits, c.event) }
    })
}

/// The largest pattern that a driver fills with by itself.
pub const LARGEST_PATTERN: usize = 128;

/// Whether a driver fills what begins at `to` with such a pattern by itself.
pub fn is_plain(to: *const c_void, pattern_size: usize) -> bool {
    pattern_size.is_power_of_two()
        && pattern_size <= LARGEST_PATTERN
        && (to as usize).is_multiple_of(pattern_size)
}

/// `size` bytes of a pattern again and again.
///
/// # Errors
/// `OUT_OF_HOST_MEMORY`.
///
/// # Safety
/// `pattern` has its bytes.
pub unsafe fn repeated(
    pattern: *const c_void,
    pattern_size: usize,
    size: usize,
) -> Result<Vec<u8>> {
    // SAFETY: as the caller says.
    let pattern = unsafe { std::slice::from_raw_parts(pattern.cast::<u8>(), pattern_size) };
    let mut bytes = Vec::new();
    let room = bytes.try_reserve_exact(size);
    room.map_err(|_| Error::code(UR_RESULT_ERROR_OUT_OF_HOST_MEMORY))?;
    bytes.extend(pattern.iter().copied().cycle().take(size));
    Ok(bytes)
}

/// Enqueues a fill.
///
/// # Errors
/// `UNSUPPORTED_FEATURE` without USM, `INVALID_SIZE` for a pattern that does not fit, and what the
/// driver says.
///
/// # Safety
/// `to` has `size` bytes until the command ends; `pattern` has its bytes.
pub unsafe fn fill(
    queue: &Object<Queue>,
    to: *mut c_void,
    pattern: *const c_void,
    pattern_size: usize,
    size: usize,
    ties: Ties<'_, '_>,
) -> Result {
    if pattern_size == 0 || size == 0 || !size.is_multiple_of(pattern_size) {
        return Err(invalid_size("the pattern does not fit"));
    }
    if !is_plain(to, pattern_size) {
        // SAFETY: as the caller says.
        return unsafe {
            let bytes = repeated(pattern, pattern_size, size)?;
            super::staged::copy(queue, to, bytes, UR_COMMAND_USM_FILL, ties)
        };
    }
    let enqueue = queue.context().usm().fill()?;
    submit(queue, UR_COMMAND_USM_FILL, ties.waits, ties.event, |c| {
        // SAFETY: live objects, and memory as the caller says; the pattern is copied in the call.
        unsafe {
            enqueue(
                c.queue,
                to,
                pattern,
                pattern_size,
                size,
                c.count,
                c.waits,
                c.event,
            )
        }
    })
}

/// Enqueues moving USM to where it is needed next. That is a hint, which drivers take from the
/// accesses themselves.
///
/// # Errors
/// `INVALID_ENUMERATION` for unknown flags, `INVALID_SIZE` for nothing to move.
pub fn prefetch(
    queue: &Object<Queue>,
    size: usize,
    flags: ur_usm_migration_flags_t,
    ties: Ties<'_, '_>,
) -> Result {
    check_prefetch(size, flags)?;
    marker(queue, UR_COMMAND_USM_PREFETCH, ties)
}

/// Refuses what is no prefetch.
///
/// # Errors
/// As [`prefetch`].
pub fn check_prefetch(size: usize, flags: ur_usm_migration_flags_t) -> Result {
    let known = UR_USM_MIGRATION_FLAG_HOST_TO_DEVICE.0 | UR_USM_MIGRATION_FLAG_DEVICE_TO_HOST.0;
    if flags & !known != 0 {
        return Err(Error::code(UR_RESULT_ERROR_INVALID_ENUMERATION));
    }
    if size == 0 {
        return Err(invalid_size("nothing to prefetch"));
    }
    Ok(())
}

/// Enqueues advice on USM, a hint as well.
///
/// # Errors
/// `INVALID_ENUMERATION` for unknown advice, `INVALID_SIZE` for no memory.
pub fn advise(
    queue: &Object<Queue>,
    size: usize,
    advice: ur_usm_advice_flags_t,
    ties: Ties<'_, '_>,
) -> Result {
    check_advice(size, advice)?;
    marker(queue, UR_COMMAND_USM_ADVISE, ties)
}

/// Refuses what is no advice.
///
/// # Errors
/// As [`advise`].
pub fn check_advice(size: usize, advice: ur_usm_advice_flags_t) -> Result {
    if advice & UR_USM_ADVICE_FLAGS_MASK != 0 {
        return Err(Error::code(UR_RESULT_ERROR_INVALID_ENUMERATION));
    }
    if size == 0 {
        return Err(invalid_size("no memory to advise on"));
    }
    Ok(())
}
