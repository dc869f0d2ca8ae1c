//! Commands on rows of USM that lie apart. OpenCL has none, so there is one command for each row.

use super::buffer::Ties;
use super::invalid_size;
use crate::cl::{self, Owned};
use crate::event::{Call, submit};
use crate::queue::Queue;
use std::ffi::c_void;
use ur_adapter::{Error, Object, Result};
use ur_api::*;

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

    /// Enqueues `one` for the number of each row, which is also told whether the call must wait for
    /// the command. The event stands for all of them.
    ///
    /// # Errors
    /// What the driver says of the first command that it refuses; those before it are enqueued.
    fn each(
        &self,
        queue: &Object<Queue>,
        kind: ur_command_t,
        blocking: bool,
        ties: Ties<'_, '_>,
        mut one: impl FnMut(usize, cl::cl_bool, Call) -> cl::cl_int,
    ) -> Result {
        let last = self.height - 1;
        if queue.is_in_order() {
            return submit(queue, kind, ties.waits, ties.event, |call| {
                for row in 0..self.height {
                    let mut own = call;
                    if row > 0 {
                        (own.count, own.waits) = (0, std::ptr::null());
                    }
                    if row < last {
                        own.event = std::ptr::null_mut();
                    }
                    let code = one(row, (blocking && row == last).into(), own);
                    if code != cl::CL_SUCCESS {
                        return code;
                    }
                }
                cl::CL_SUCCESS
            });
        }
        submit(queue, kind, ties.waits, ties.event, |call| {
            let mut ends = Ends {
                queue,
                events: Vec::new(),
            };
            let mut code = cl::CL_SUCCESS;
            for row in 0..self.height {
                let mut event = cl::cl_event::NULL;
                let mut own = call;
                own.event = &raw mut event;
                code = one(row, cl::CL_FALSE, own);
                if code != cl::CL_SUCCESS {
                    break;
                }
                // SAFETY: made for this call.
                ends.events.push(unsafe { Owned::new(queue.api(), event) });
            }
            match code {
                cl::CL_SUCCESS => ends.join(call.event, blocking),
                code => code,
            }
        })
    }
}

/// The ends of commands that nothing else puts in order.
struct Ends<'a> {
    queue: &'a Object<Queue>,
    events: Vec<Owned<cl::cl_event>>,
}

impl Ends<'_> {
    /// Waits for all of them if the call must, and makes one event of them if there is a place for it.
    fn join(&self, place: *mut cl::cl_event, blocking: bool) -> cl::cl_int {
        let api = self.queue.api();
        let events: Vec<_> = self.events.iter().map(Owned::get).collect();
        let count = events.len() as cl::cl_uint;
        if place.is_null() {
            return match blocking {
                // SAFETY: live events.
                true => unsafe { (api.clWaitForEvents)(count, events.as_ptr()) },
                false => cl::CL_SUCCESS,
            };
        }
        let mut end = cl::cl_event::NULL;
        // SAFETY: live events; the new event's place is ours.
        let code = unsafe {
            self.queue
                .enqueue_wait(count, events.as_ptr(), &raw mut end)
        };
        if code != cl::CL_SUCCESS {
            return code;
        }
        // SAFETY: made for this call.
        let owned = unsafe { Owned::new(api, end) };
        if blocking {
            // SAFETY: a live event.
            let code = unsafe { (api.clWaitForEvents)(1, &raw const end) };
            if code != cl::CL_SUCCESS {
                return code;
            }
        }
        // SAFETY: the place is a caller's for an event, which takes the reference over.
        unsafe { place.write(owned.give()) };
        cl::CL_SUCCESS
    }
}

/// Enqueues a copy of rows. From and to are an address and a distance in bytes from one row to the
/// next.
///
/// # Errors
/// `INVALID_SIZE` for rows that do not fit, `UNSUPPORTED_FEATURE` without USM, and what the driver
/// says.
///
/// # Safety
/// All rows are there until the command ends.
pub unsafe fn memcpy(
    queue: &Object<Queue>,
    rows: Rows,
    blocking: bool,
    to: (*mut c_void, usize),
    from: (*const c_void, usize),
    ties: Ties<'_, '_>,
) -> Result {
    rows.expect_pitch(to.1)?;
    rows.expect_pitch(from.1)?;
    let enqueue = queue.context().usm().memcpy()?;
    let (mut rows, Rows { width, height }) = (rows, rows);
    if to.1 == width && from.1 == width {
        // All in one piece. Cannot overflow: pitch times height does not.
        rows = Rows {
            width: width * height,
            height: 1,
        };
    }
    rows.each(
        queue,
        UR_COMMAND_USM_MEMCPY_2D,
        blocking,
        ties,
        |row, blocking, c| {
            let to = to.0.wrapping_byte_add(row * to.1);
            let from = from.0.wrapping_byte_add(row * from.1);
            // SAFETY: live objects, and memory as the caller says.
            unsafe {
                enqueue(
                    c.queue, blocking, to, from, rows.width, c.count, c.waits, c.event,
                )
            }
        },
    )
}

/// Enqueues filling rows, each of which begins with the pattern. To is an address and a distance in
/// bytes from one row to the next.
///
/// # Errors
/// `INVALID_SIZE` for rows or a pattern that do not fit, `UNSUPPORTED_FEATURE` without USM or for
/// patterns that the driver does not have, and what it says.
///
/// # Safety
/// All rows are there until the command ends; the pattern has its bytes.
pub unsafe fn fill(
    queue: &Object<Queue>,
    rows: Rows,
    to: (*mut c_void, usize),
    pattern: *const c_void,
    pattern_size: usize,
    ties: Ties<'_, '_>,
) -> Result {
    rows.expect_pitch(to.1)?;
    let bytes = rows.width * rows.height;
    if !pattern_size.is_power_of_two() || !bytes.is_multiple_of(pattern_size) {
        return Err(invalid_size("the pattern does not fit the rows"));
    }
    let enqueue = queue.context().usm().fill()?;
    // A pattern that goes on in the next row, or that rows do not begin at a multiple of, is none of
    // OpenCL's.
    let plain = rows.width.is_multiple_of(pattern_size)
        && to.1.is_multiple_of(pattern_size)
        && (to.0 as usize).is_multiple_of(pattern_size)
        && pattern_size <= super::usm::LARGEST_PATTERN;
    if !plain {
        return Err(Error::unsupported());
    }
    let width = rows.width;
    rows.each(queue, UR_COMMAND_USM_FILL_2D, false, ties, |row, _, c| {
        let to = to.0.wrapping_byte_add(row * to.1);
        // SAFETY: live objects, and memory as the caller says; the pattern is copied in the call.
        unsafe {
            enqueue(
                c.queue,
                to,
                pattern,
                pattern_size,
                width,
                c.count,
                c.waits,
                c.event,
            )
        }
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
