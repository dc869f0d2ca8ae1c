//! Events.

use super::counted::counted;
use super::queue::Queue;
use crate::failure::Stop;
use crate::ok;
use crate::ur;
use std::ptr::null;
use ur_api::*;

counted! {
    /// An event.
    Event(ur_event_handle_t): urEventRetain, urEventRelease,
    urEventGetInfo(ur_event_info_t), UR_EVENT_INFO_REFERENCE_COUNT
}

impl Event {
    /// The event of a command without work behind these events, or with an empty list behind
    /// everything before it in the queue.
    ///
    /// # Errors
    /// When it cannot be enqueued.
    #[track_caller]
    pub fn after(queue: &Queue, events: &[ur_event_handle_t]) -> Result<Event, Stop> {
        Event::made("urEnqueueEventsWait", |out| {
            let list = or_null(events);
            ur!(urEnqueueEventsWait(
                queue.get(),
                events.len() as u32,
                list,
                out
            ))
        })
    }

    /// As [`Event::after`], and what is enqueued later waits for it.
    ///
    /// # Errors
    /// When it cannot be enqueued.
    #[track_caller]
    pub fn barrier(queue: &Queue, events: &[ur_event_handle_t]) -> Result<Event, Stop> {
        Event::made("urEnqueueEventsWaitWithBarrier", |out| {
            let (number, list) = (events.len() as u32, or_null(events));
            ur!(urEnqueueEventsWaitWithBarrier(
                queue.get(),
                number,
                list,
                out
            ))
        })
    }

    /// Waits for the event.
    ///
    /// # Errors
    /// When the call does not succeed.
    #[track_caller]
    pub fn wait(&self) -> Result<(), Stop> {
        let handle = self.get();
        ok!(urEventWait(1, &raw const handle))?;
        Ok(())
    }

    /// Whether its command has ended.
    ///
    /// # Errors
    /// When the query is not answered.
    #[track_caller]
    pub fn ended(&self) -> Result<bool, Stop> {
        let status: ur_event_status_t = self.info(UR_EVENT_INFO_COMMAND_EXECUTION_STATUS)?;
        Ok(status == UR_EVENT_STATUS_COMPLETE)
    }

    /// A time of its command, in nanoseconds.
    ///
    /// # Errors
    /// When the query is not answered.
    #[track_caller]
    pub fn time(&self, query: ur_profiling_info_t) -> Result<u64, Stop> {
        crate::info::value("urEventGetProfilingInfo", |size, value, out| {
            ur!(urEventGetProfilingInfo(self.get(), query, size, value, out))
        })
    }
}

/// A list as calls take it: null for an empty one.
pub fn or_null<T>(list: &[T]) -> *const T {
    if list.is_empty() {
        null()
    } else {
        list.as_ptr()
    }
}
