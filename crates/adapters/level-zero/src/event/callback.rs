//! Functions of the program that are called when an event reaches a status.

use super::{Event, watch};
use crate::queue::backlog::End;
use std::ffi::c_void;
use ur_adapter::hosted::{self, Job};
use ur_adapter::{Error, Handle, Object, Result};
use ur_api::*;

/// A function to be called; it keeps the event until then.
struct Notify {
    event: Handle<Event>,
    function: unsafe extern "C" fn(ur_event_handle_t, ur_execution_info_t, *mut c_void),
    status: ur_execution_info_t,
    user_data: *mut c_void,
}

// SAFETY: the pointer is only handed back to the program.
unsafe impl Send for Notify {}

impl Job for Notify {
    fn run(self: Box<Self>) {
        // SAFETY: the program gave the function for this call; the event is alive until after it.
        hosted::call(|| unsafe {
            (self.function)(self.event.raw(), self.status, self.user_data);
        });
    }

    /// A command that failed has reached its end, too: the API has no number for that here.
    fn refuse(self: Box<Self>) {
        self.run();
    }
}

/// Sets a function.
///
/// # Errors
/// `INVALID_NULL_POINTER` without one, `UNSUPPORTED_ENUMERATION` for the status `QUEUED`, and what the
/// driver says.
///
/// # Safety
/// The function may be called once with the event, a status and `user_data`, by any thread.
pub unsafe fn set(
    event: &Object<Event>,
    status: ur_execution_info_t,
    notify: ur_event_callback_t,
    user_data: *mut c_void,
) -> Result {
    let function = notify.ok_or(UR_RESULT_ERROR_INVALID_NULL_POINTER)?;
    // Level Zero does not tell when a command begins, so whoever asks for that is told at the end.
    let submitted = match status {
        UR_EXECUTION_INFO_COMPLETE | UR_EXECUTION_INFO_RUNNING => false,
        UR_EXECUTION_INFO_SUBMITTED => true,
        UR_EXECUTION_INFO_QUEUED => return Err(Error::unsupported_query()),
        _ => return Err(Error::code(UR_RESULT_ERROR_INVALID_ENUMERATION)),
    };
    let notify = Box::new(Notify {
        event: event.handle(),
        function,
        status,
        user_data,
    });
    let signal = match event.bound() {
        None => None,
        Some(bound) => {
            bound.push()?;
            Some(bound.signal.clone())
        }
    };
    match signal.filter(|signal| !submitted && !signal.has_ended()) {
        Some(signal) => watch::after(signal, notify),
        None => notify.run(),
    }
    Ok(())
}
