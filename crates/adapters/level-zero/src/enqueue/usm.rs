//! Commands on USM.

use super::copy::{self, Area};
use super::fill::Fill;
use super::{Ties, invalid_size};
use crate::event::{Command, submit};
use crate::queue::Queue;
use crate::usm::driver;
use crate::ze::{self, check};
use std::ffi::c_void;
use ur_adapter::{Error, Object, Result};
use ur_api::*;

/// Enqueues a copy.
///
/// # Errors
/// `INVALID_SIZE` for nothing to copy, and what the driver says.
///
/// # Safety
/// Both pointers have `size` bytes until the command ends.
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
    let command = Command::new(UR_COMMAND_USM_MEMCPY, ties.waits);
    let command = command.copies().blocking(blocking);
    submit(queue, &command, ties.event, (), |call| {
        // SAFETY: as the caller says.
        unsafe { copy::bytes(call, to, from, size) }
    })
}

/// Enqueues a fill.
///
/// # Errors
/// `INVALID_SIZE` for a pattern that does not fit, and what the driver says.
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
    // SAFETY: as the caller says.
    let fill = unsafe { Fill::new(queue, pattern, pattern_size, size) }?;
    let command = Command::new(UR_COMMAND_USM_FILL, ties.waits);
    submit(queue, &command, ties.event, fill.clone(), |call| {
        // SAFETY: as the caller says; the command holds a copy of the fill.
        unsafe { fill.append(call, to, size) }
    })
}

/// Rows in memory.
#[derive(Clone, Copy, Debug)]
pub struct Rows {
    /// Bytes in a row.
    pub width: usize,
    /// How many there are.
    pub height: usize,
}

impl Rows {
    /// Fails unless there are any, and each ends before the next begins.
    ///
    /// # Errors
    /// `INVALID_SIZE`.
    pub fn expect_pitch(&self, pitch: usize) -> Result {
        let fits = self.width > 0
            && self.height > 0
            && pitch >= self.width
            && pitch.checked_mul(self.height).is_some();
        match fits {
            true => Ok(()),
            false => Err(invalid_size("rows that do not fit")),
        }
    }
}

/// Enqueues a copy of rows. From and to are an address and a distance in bytes from one row to the
/// next.
///
/// # Errors
/// `INVALID_SIZE` for rows that do not fit, and what the driver says.
///
/// # Safety
/// All rows are there until the command ends.
pub unsafe fn memcpy_2d(
    queue: &Object<Queue>,
    rows: Rows,
    blocking: bool,
    to: (*mut c_void, usize),
    from: (*const c_void, usize),
    ties: Ties<'_, '_>,
) -> Result {
    rows.expect_pitch(to.1)?;
    rows.expect_pitch(from.1)?;
    let area = |(at, row_pitch)| Area {
        at,
        row_pitch,
        slice_pitch: 0,
    };
    let (to, from) = (area(to), area((from.0.cast_mut(), from.1)));
    let command = Command::new(UR_COMMAND_USM_MEMCPY_2D, ties.waits).blocking(blocking);
    submit(queue, &command, ties.event, (), |call| {
        // SAFETY: as the caller says.
        unsafe { copy::boxes(call, to, from, [rows.width, rows.height, 1]) }
    })
}

/// Enqueues filling rows, each of which begins with the pattern. To is an address and a distance in
/// bytes from one row to the next.
///
/// # Errors
/// `INVALID_SIZE` for rows or a pattern that do not fit, `UNSUPPORTED_FEATURE` for a pattern that goes on
/// in the next row, and what the driver says.
///
/// # Safety
/// All rows are there until the command ends; the pattern has its bytes.
pub unsafe fn fill_2d(
    queue: &Object<Queue>,
    rows: Rows,
    to: (*mut c_void, usize),
    pattern: *const c_void,
    pattern_size: usize,
    ties: Ties<'_, '_>,
) -> Result {
    rows.expect_pitch(to.1)?;
    let Rows { width, height } = rows;
    if !pattern_size.is_power_of_two() {
        return Err(invalid_size("a pattern that is no power of two"));
    }
    // SAFETY: as the caller says.
    let fill = unsafe { Fill::new(queue, pattern, pattern_size, width * height) }?;
    if !width.is_multiple_of(pattern_size) {
        return Err(Error::unsupported());
    }
    let command = Command::new(UR_COMMAND_USM_FILL_2D, ties.waits);
    submit(queue, &command, ties.event, fill.clone(), |call| {
        // SAFETY: as the caller says; the command holds a copy of the fill.
        unsafe { fill.append_rows(call, to.0, to.1, width, height) }
    })
}

/// Whether memory moves, so that hints about it mean something.
fn moves(queue: &Queue, memory: *const c_void) -> bool {
    let told = driver::tell(queue.context(), memory);
    told.is_ok_and(|told| told.kind == UR_USM_TYPE_SHARED)
}

/// Enqueues moving USM to where it is needed next.
///
/// # Errors
/// `INVALID_ENUMERATION` for unknown flags, `INVALID_SIZE` for nothing to move.
///
/// # Safety
/// The memory has `size` bytes until the command ends.
pub unsafe fn prefetch(
    queue: &Object<Queue>,
    memory: *const c_void,
    size: usize,
    flags: ur_usm_migration_flags_t,
    ties: Ties<'_, '_>,
) -> Result {
    let known = UR_USM_MIGRATION_FLAG_HOST_TO_DEVICE.0 | UR_USM_MIGRATION_FLAG_DEVICE_TO_HOST.0;
    if flags & !known != 0 {
        return Err(Error::code(UR_RESULT_ERROR_INVALID_ENUMERATION));
    }
    if size == 0 {
        return Err(invalid_size("nothing to prefetch"));
    }
    // Level Zero has no way back to the host.
    let to_device = flags & UR_USM_MIGRATION_FLAG_DEVICE_TO_HOST.0 == 0 && moves(queue, memory);
    let command = Command::new(UR_COMMAND_USM_PREFETCH, ties.waits);
    submit(queue, &command, ties.event, (), |call| {
        call.several(|list| {
            if !to_device {
                return Ok(());
            }
            // SAFETY: a list that the call has for itself, memory as the caller says.
            check(unsafe { (call.api.zeCommandListAppendMemoryPrefetch)(list, memory, size) })
        })
    })
}

/// The API's advice and Level Zero's. Of the rest, Level Zero has none.
const ADVICE: [(ur_usm_advice_flag_t, u32); 8] = [
    (
        UR_USM_ADVICE_FLAG_SET_READ_MOSTLY,
        ze::ZE_MEMORY_ADVICE_SET_READ_MOSTLY,
    ),
    (
        UR_USM_ADVICE_FLAG_CLEAR_READ_MOSTLY,
        ze::ZE_MEMORY_ADVICE_CLEAR_READ_MOSTLY,
    ),
    (
        UR_USM_ADVICE_FLAG_SET_PREFERRED_LOCATION,
        ze::ZE_MEMORY_ADVICE_SET_PREFERRED_LOCATION,
    ),
    (
        UR_USM_ADVICE_FLAG_CLEAR_PREFERRED_LOCATION,
        ze::ZE_MEMORY_ADVICE_CLEAR_PREFERRED_LOCATION,
    ),
    (
        UR_USM_ADVICE_FLAG_SET_NON_ATOMIC_MOSTLY,
        ze::ZE_MEMORY_ADVICE_SET_NON_ATOMIC_MOSTLY,
    ),
    (
        UR_USM_ADVICE_FLAG_CLEAR_NON_ATOMIC_MOSTLY,
        ze::ZE_MEMORY_ADVICE_CLEAR_NON_ATOMIC_MOSTLY,
    ),
    (
        UR_USM_ADVICE_FLAG_BIAS_CACHED,
        ze::ZE_MEMORY_ADVICE_BIAS_CACHED,
    ),
    (
        UR_USM_ADVICE_FLAG_BIAS_UNCACHED,
        ze::ZE_MEMORY_ADVICE_BIAS_UNCACHED,
    ),
];

/// Enqueues advice on USM.
///
/// # Errors
/// `INVALID_ENUMERATION` for unknown advice, `INVALID_SIZE` for no memory.
///
/// # Safety
/// The memory has `size` bytes until the command ends.
pub unsafe fn advise(
    queue: &Object<Queue>,
    memory: *const c_void,
    size: usize,
    advice: ur_usm_advice_flags_t,
    ties: Ties<'_, '_>,
) -> Result {
    if advice & UR_USM_ADVICE_FLAGS_MASK != 0 {
        return Err(Error::code(UR_RESULT_ERROR_INVALID_ENUMERATION));
    }
    if size == 0 {
        return Err(invalid_size("no memory to advise on"));
    }
    let moves = moves(queue, memory);
    let given = ADVICE
        .iter()
        .filter(|(flag, _)| moves && advice & flag.0 != 0);
    let device = queue.device().native();
    let command = Command::new(UR_COMMAND_USM_ADVISE, ties.waits);
    submit(queue, &command, ties.event, (), |call| {
        call.several(|list| {
            let advise = call.api.zeCommandListAppendMemAdvise;
            for (_, native) in given {
                // SAFETY: a list that the call has for itself, a live device, memory as the caller says.
                check(unsafe { advise(list, device, memory, size, *native) })?;
            }
            Ok(())
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_end_before_the_next_begins() {
        let rows = |width, height| Rows { width, height };
        assert!(rows(4, 3).expect_pitch(4).is_ok());
        assert!(rows(4, 3).expect_pitch(3).is_err());
        assert!(rows(0, 3).expect_pitch(3).is_err());
        assert!(rows(4, 0).expect_pitch(4).is_err());
        assert!(rows(4, 3).expect_pitch(usize::MAX).is_err());
    }
}
