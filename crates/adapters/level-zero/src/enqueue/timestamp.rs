//! Commands that record the device's time in their events.

use crate::event::{Command, Event, submit};
use crate::queue::Queue;
use crate::ze::check;
use ur_adapter::{Object, Result, Slot};
use ur_api::*;

/// Enqueues one: the times of a barrier are those when all before it had ended.
///
/// # Errors
/// What the driver says.
pub fn enqueue(
    queue: &Object<Queue>,
    blocking: bool,
    waits: &[&Object<Event>],
    event: &mut Slot<Event>,
) -> Result {
    let command = Command::new(UR_COMMAND_TIMESTAMP_RECORDING_EXP, waits)
        .blocking(blocking)
        .timed();
    submit(queue, &command, event, (), |call| {
        let barrier = call.api.zeCommandListAppendBarrier;
        // SAFETY: a list that the call has for itself, and live events.
        check(unsafe { barrier(call.list, call.signal, call.count, call.waits) })
    })
}
