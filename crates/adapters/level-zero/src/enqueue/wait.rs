//! Commands that do nothing but wait.

use crate::event::{Command, Event, submit};
use crate::queue::Queue;
use crate::ze::check;
use ur_adapter::{Object, Result, Slot};
use ur_api::*;

/// Enqueues a command that ends when the events, or without any all commands before it, have ended.
/// Level Zero lets later commands of a list begin only after it, whether the kind asks for that or not.
///
/// # Errors
/// What the driver says.
pub fn enqueue(
    queue: &Object<Queue>,
    kind: ur_command_t,
    waits: &[&Object<Event>],
    event: &mut Slot<Event>,
) -> Result {
    let for_all = waits.is_empty();
    let mut command = Command::new(kind, waits);
    if for_all || kind == UR_COMMAND_EVENTS_WAIT_WITH_BARRIER {
        command = command.barrier();
    }
    submit(queue, &command, event, (), |call| {
        // With events, Level Zero's barrier waits for these alone; those here are the queue's own.
        if for_all && call.count > 0 {
            return call.several(|_| Ok(()));
        }
        let barrier = call.api.zeCommandListAppendBarrier;
        // SAFETY: a list that the call has for itself, and live events.
        check(unsafe { barrier(call.list, call.signal, call.count, call.waits) })
    })
}
