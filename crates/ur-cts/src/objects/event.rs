//! Events.

use super::counted::counted;
use crate::failure::Stop;
use crate::ok;
use crate::ur;
use ur_api::*;

counted! {
    /// An event.
    Event(ur_event_handle_t): urEventRetain, urEventRelease,
    urEventGetInfo(ur_event_info_t), UR_EVENT_INFO_REFERENCE_COUNT
}

impl Event {
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
