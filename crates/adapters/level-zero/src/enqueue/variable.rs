//! Copies to and from global variables of programs.

use crate::event::{Command, Event, submit};
use crate::program::Program;
use crate::queue::Queue;
use crate::ze::check;
use std::ffi::{CStr, c_void};
use ur_adapter::{Error, Object, Result, Slot};
use ur_api::*;

/// A part of a variable.
pub struct Part<'a> {
    /// The program that it is of.
    pub program: &'a Object<Program>,
    /// Its name.
    pub name: &'a CStr,
    /// Bytes.
    pub size: usize,
    /// Where the part begins.
    pub offset: usize,
    /// Whether the call waits for the command.
    pub blocking: bool,
}

/// Where to copy from or to.
#[derive(Clone, Copy, Debug)]
pub enum Host {
    /// The variable is written.
    From(*const c_void),
    /// The variable is read.
    To(*mut c_void),
}

/// Enqueues a copy between a variable and memory of the program.
///
/// # Errors
/// `INVALID_VALUE` for a name or a range that the program does not have, `INVALID_PROGRAM` for one of
/// another context than the queue's, and what the driver says.
///
/// # Safety
/// The memory has the bytes until the command ends.
pub unsafe fn copy(
    queue: &Object<Queue>,
    part: &Part<'_>,
    host: Host,
    waits: &[&Object<Event>],
    event: &mut Slot<Event>,
) -> Result {
    crate::program::link::expect_context(queue.context(), part.program)?;
    let code = part.program.code(queue.device())?;
    let (start, bytes) = code.module.variable(part.name)?;
    let end = part.offset.checked_add(part.size);
    if end.is_none_or(|end| end > bytes) {
        return Err(Error::value("outside of the variable"));
    }
    let variable = start.wrapping_byte_add(part.offset);
    let (kind, to, from) = match host {
        Host::From(from) => (UR_COMMAND_DEVICE_GLOBAL_VARIABLE_WRITE, variable, from),
        Host::To(to) => (
            UR_COMMAND_DEVICE_GLOBAL_VARIABLE_READ,
            to,
            variable.cast_const(),
        ),
    };
    let command = Command::new(kind, waits).copies().blocking(part.blocking);
    submit(queue, &command, event, code, |call| {
        if part.size == 0 {
            return call.several(|_| Ok(()));
        }
        let append = call.api.zeCommandListAppendMemoryCopy;
        let (list, signal) = (call.list, call.signal);
        // SAFETY: a list that `submit` has for itself, live events, and memory as the caller says.
        check(unsafe { append(list, to, from, part.size, signal, call.count, call.waits) })
    })
}
