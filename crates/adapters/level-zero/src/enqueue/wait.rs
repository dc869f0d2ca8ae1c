//! Commands that do nothing but wait.

use crate::event::{Command, Event, submit};
use crate::queue::Queue;
use crate::ze::check;
use ur_adapter::{Object, Result, Slot};
use ur_api::*;

/// Enqueues a command that ends when the events, or without any all commands before it, have ended.
/// Later commands wait for it if the kind says so.
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
    let command = Command::new(kind, waits);
    let command = match kind {
        UR_COMMAND_EVENTS_WAIT => command.marks(),
        _ => command.barrier(),
    };
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
