//! Lists of events to wait for, as Level Zero takes them.

use super::{Event, Signal};
use crate::context::Context;
use crate::queue::Queue;
use crate::queue::backlog::End;
use crate::ze;
use std::sync::Arc;
use ur_adapter::{Error, Object, Result};
use ur_api::*;

/// Level Zero's events of a list; those of commands that have ended are left out.
#[derive(Debug, Default)]
pub struct Waits {
    natives: Vec<ze::ze_event_handle_t>,
    signals: Vec<Arc<Signal>>,
}

impl Waits {
    /// The list for a command of `queue`, or for the host. Commands that other queues keep back are
    /// handed to their devices first, so that nobody waits for what never begins; so no queue may be
    /// locked.
    ///
    /// # Errors
    /// `INVALID_CONTEXT` for an event of another context than `context`; what the driver says.
    pub fn of(
        events: &[&Object<Event>],
        context: &Object<Context>,
        queue: Option<&Object<Queue>>,
    ) -> Result<Self> {
        let mut waits = Self::default();
        for event in events {
            if !event.context().is(context) {
                return Err(Error::new(
                    UR_RESULT_ERROR_INVALID_CONTEXT,
                    "an event of another context",
                ));
            }
            let Some(bound) = event.bound() else {
                continue;
            };
            let of = bound.queue.as_ref();
            let own = matches!((queue, of), (Some(queue), Some(of)) if queue.is(of));
            if bound.signal.failure().is_some() {
                return Err(Error::code(UR_RESULT_ERROR_IN_EVENT_LIST_EXEC_STATUS));
            }
            if !own {
                bound.push()?;
            }
            waits.add(&bound.signal);
        }
        Ok(waits)
    }

    /// One more, unless it is there or its command has ended.
    pub fn add(&mut self, signal: &Arc<Signal>) {
        let native = signal.native();
        if signal.has_ended() || native.is_null() || self.natives.contains(&native) {
            return;
        }
        self.natives.push(native);
        self.signals.push(signal.clone());
    }

    /// Level Zero's events.
    pub fn natives(&self) -> &[ze::ze_event_handle_t] {
        &self.natives
    }

    /// What they are of.
    pub fn into_parts(self) -> (Vec<ze::ze_event_handle_t>, Vec<Arc<Signal>>) {
        (self.natives, self.signals)
    }
}
