//! Copies to and from global variables of programs.

use super::buffer::Ties;
use crate::cl;
use crate::event::submit;
use crate::program::Program;
use crate::queue::Queue;
use std::ffi::{CStr, c_void};
use ur_adapter::{Error, Object, Result};
use ur_api::*;

/// A part of a variable.
pub struct Part<'a> {
    /// The program that it is of.
    pub program: &'a Program,
    /// Its name.
    pub name: &'a CStr,
    /// Bytes.
    pub size: usize,
    /// Where the part begins.
    pub offset: usize,
    /// Whether the call waits for the command.
    pub blocking: bool,
}

impl Part<'_> {
    /// Not every driver sees that a range ends beyond the last address.
    fn check(&self) -> Result {
        match self.offset.checked_add(self.size) {
            Some(_) => Ok(()),
            None => Err(Error::value("outside of the variable")),
        }
    }
}

/// Enqueues a write.
///
/// # Errors
/// `UNSUPPORTED_FEATURE` without the extension, and what the driver says.
///
/// # Safety
/// `from` has the bytes until the command ends.
pub unsafe fn write(
    queue: &Object<Queue>,
    part: &Part<'_>,
    from: *const c_void,
    ties: Ties<'_, '_>,
) -> Result {
    part.check()?;
    let enqueue = queue.extensions().clEnqueueWriteGlobalVariableINTEL;
    let enqueue = enqueue.ok_or_else(Error::unsupported)?;
    let kind = UR_COMMAND_DEVICE_GLOBAL_VARIABLE_WRITE;
    let written = submit(queue, kind, ties.waits, ties.event, |c| {
        // SAFETY: live objects, a terminated name, and memory as the caller says.
        unsafe {
            enqueue(
                c.queue,
                part.program.native(),
                part.name.as_ptr(),
                part.blocking.into(),
                part.size,
                part.offset,
                from,
                c.count,
                c.waits,
                c.event,
            )
        }
    });
    written.map_err(refused)
}

/// Enqueues a read.
///
/// # Errors
/// As [`write`].
///
/// # Safety
/// `to` has room for the bytes until the command ends.
pub unsafe fn read(
    queue: &Object<Queue>,
    part: &Part<'_>,
    to: *mut c_void,
    ties: Ties<'_, '_>,
) -> Result {
    part.check()?;
    let enqueue = queue.extensions().clEnqueueReadGlobalVariableINTEL;
    let enqueue = enqueue.ok_or_else(Error::unsupported)?;
    let kind = UR_COMMAND_DEVICE_GLOBAL_VARIABLE_READ;
    let read = submit(queue, kind, ties.waits, ties.event, |c| {
        // SAFETY: live objects, a terminated name, and memory as the caller says.
        unsafe {
            enqueue(
                c.queue,
                part.program.native(),
                part.name.as_ptr(),
                part.blocking.into(),
                part.size,
                part.offset,
                to,
                c.count,
                c.waits,
                c.event,
            )
        }
    });
    read.map_err(refused)
}

/// A name or a range that the program does not have is an invalid argument for the driver.
fn refused(error: Error) -> Error {
    match error.native {
        cl::CL_INVALID_ARG_VALUE => Error {
            code: UR_RESULT_ERROR_INVALID_VALUE,
            ..error
        },
        _ => error,
    }
}
