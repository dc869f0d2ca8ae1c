//! Commands that a function of the program enqueues through Level Zero itself.

use super::wait;
use crate::event::Event;
use crate::queue::Queue;
use std::ffi::c_void;
use ur_adapter::{Object, Result, Slot};
use ur_api::*;

/// A function of the program.
type Function = unsafe extern "C" fn(ur_queue_handle_t, *mut c_void);

/// Calls the function, at once and without a lock. What it appends to the queue's own list or command
/// queue begins behind the events, and the new event stands for the end of all that is there by then.
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
    waits: &[&Object<Event>],
    event: &mut Slot<Event>,
) -> Result {
    if !waits.is_empty() || queue.is_in_order() {
        // The function's commands know of no events that keep the order of the queue.
        let mut unwanted = Slot::new(std::ptr::null_mut());
        let kind = UR_COMMAND_EVENTS_WAIT_WITH_BARRIER;
        wait::enqueue(queue, kind, waits, &mut unwanted)?;
    }
    queue.flush()?;
    // SAFETY: the program gave the function for this call.
    unsafe { function(queue.raw(), data) };
    wait::enqueue(queue, UR_COMMAND_ENQUEUE_NATIVE_EXP, &[], event)
}
