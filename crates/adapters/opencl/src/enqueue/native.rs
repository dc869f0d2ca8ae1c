//! Commands that a function of the program enqueues through OpenCL itself.

use super::buffer::Ties;
use crate::cl;
use crate::event::submit;
use crate::queue::Queue;
use std::ffi::c_void;
use ur_adapter::{Object, Result};
use ur_api::*;

/// A function of the program.
type Function = unsafe extern "C" fn(ur_queue_handle_t, *mut c_void);

/// Calls the function, at once. What it enqueues begins behind the events, and the new event stands for
/// the end of all that is in the queue by then.
///
/// # Errors
/// What the driver says. What the function itself does, nobody is told.
///
/// # Safety
/// The function may be called once with the queue and `data`.
pub unsafe fn enqueue(
    queue: &Object<Queue>,
    function: Function,
    data: *mut c_void,
    ties: Ties<'_, '_>,
) -> Result {
    let kind = UR_COMMAND_ENQUEUE_NATIVE_EXP;
    submit(queue, kind, ties.waits, ties.event, |call| {
        if call.count > 0 {
            // SAFETY: live events.
            let code =
                unsafe { queue.enqueue_barrier(call.count, call.waits, std::ptr::null_mut()) };
            if code != cl::CL_SUCCESS {
                return code;
            }
        }
        // SAFETY: the program gave the function for this call; no lock is held.
        unsafe { function(queue.raw(), data) };
        if call.event.is_null() {
            return cl::CL_SUCCESS;
        }
        // SAFETY: nothing to wait for; the place is `submit`'s.
        unsafe { queue.enqueue_wait(0, std::ptr::null(), call.event) }
    })
}
