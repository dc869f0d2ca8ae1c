//! Events, which are complete from the start.

use crate::Mock;
use crate::context::Context;
use crate::queue::Queue;
use std::ffi::c_void;
use std::sync::OnceLock;
use std::time::Instant;
use ur_adapter::{Error, EventFns, Handle, Info, Object, Result};
use ur_api::*;

/// The event of a command that is done.
#[derive(Debug)]
pub struct Event {
    queue: Handle<Queue>,
    context: Handle<Context>,
    command: ur_command_t,
    time: u64,
}

/// Nanoseconds since the library's first look at the clock; never 0.
pub fn now() -> u64 {
    static START: OnceLock<Instant> = OnceLock::new();
    1 + START.get_or_init(Instant::now).elapsed().as_nanos() as u64
}

impl Event {
    /// The event of a command that `queue` has just done.
    pub fn done(queue: &Object<Queue>, command: ur_command_t) -> Result<Handle<Self>> {
        Handle::new(Self {
            queue: queue.handle(),
            context: queue.context.clone(),
            command,
            time: now(),
        })
    }
}

impl EventFns for Mock {
    fn event_get_info(event: &Object<Event>, prop: ur_event_info_t, info: &mut Info<'_>) -> Result {
        match prop {
            UR_EVENT_INFO_COMMAND_QUEUE => info.handle(&event.queue),
            UR_EVENT_INFO_CONTEXT => info.handle(&event.context),
            UR_EVENT_INFO_COMMAND_TYPE => info.value(event.command.0),
            UR_EVENT_INFO_COMMAND_EXECUTION_STATUS => info.value(UR_EVENT_STATUS_COMPLETE.0),
            _ => Err(Error::unsupported_query()),
        }
    }

    fn event_get_profiling_info(
        event: &Object<Event>,
        prop: ur_profiling_info_t,
        info: &mut Info<'_>,
    ) -> Result {
        if event.queue.flags & UR_QUEUE_FLAG_PROFILING_ENABLE.0 == 0 {
            return Err(UR_RESULT_ERROR_PROFILING_INFO_NOT_AVAILABLE.into());
        }
        match prop {
            UR_PROFILING_INFO_COMMAND_QUEUED
            | UR_PROFILING_INFO_COMMAND_SUBMIT
            | UR_PROFILING_INFO_COMMAND_START
            | UR_PROFILING_INFO_COMMAND_END
            | UR_PROFILING_INFO_COMMAND_COMPLETE => info.value(event.time),
            _ => Err(Error::unsupported_query()),
        }
    }

    fn event_wait(events: &[&Object<Event>]) -> Result {
        if events.is_empty() {
            return Err(UR_RESULT_ERROR_INVALID_VALUE.into());
        }
        Ok(())
    }

    unsafe fn event_set_callback(
        event: &Object<Event>,
        status: ur_execution_info_t,
        notify: ur_event_callback_t,
        user_data: *mut c_void,
    ) -> Result {
        if let Some(notify) = notify {
            // SAFETY: the event is complete, so the callback the program asked for is due now.
            unsafe { notify(event.raw(), status, user_data) };
        }
        Ok(())
    }
}
