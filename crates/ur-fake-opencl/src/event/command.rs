//! Commands: when they begin and how they end.

use super::{Callback, Due, Event};
use crate::cl::*;
use crate::settings::Like;
use crate::world::{Body, Kind, World};

impl World {
    /// Enqueues a command and gives its event.
    ///
    /// # Errors
    /// `CL_INVALID_EVENT_WAIT_LIST` and what is wrong with a handle.
    pub fn command(
        &mut self,
        queue: cl_command_queue,
        command: cl_uint,
        waits: &[cl_event],
    ) -> Result<usize, cl_int> {
        let handle = queue.to_native();
        let platform = self.platform_of(handle, Kind::Queue)?;
        let queue = self.queue(handle)?;
        let (context, device) = (queue.context, queue.device);
        let asked = queue.is_in_order();
        let profiled = queue.properties & CL_QUEUE_PROFILING_ENABLE != 0;
        let like = self.device(device)?.settings().like;
        let in_order = asked || like == Like::Nvidia;
        let mut waits: Vec<_> = waits.iter().map(|event| event.to_native()).collect();
        for event in &waits {
            let of = self.event(*event).map_err(|_| CL_INVALID_EVENT_WAIT_LIST)?;
            if of.context != context {
                return Err(CL_INVALID_CONTEXT);
            }
        }
        let last = self.pending.iter().rev().copied();
        let mut last = last.filter(|event| self.is_of(*event, handle));
        // Markers and barriers without a list wait for everything before.
        let (is_marker, listed) = (command == CL_COMMAND_MARKER, !waits.is_empty());
        let all = (is_marker || command == CL_COMMAND_BARRIER) && !listed
            || is_marker && like == Like::Pocl;
        let timeless = match command {
            CL_COMMAND_BARRIER | CL_COMMAND_MIGRATE_MEM_OBJECTS => true,
            CL_COMMAND_MARKER => listed,
            _ => false,
        };
        match (all, in_order) {
            (_, true) => waits.extend(last.next()),
            (true, false) => waits.extend(last),
            _ => {}
        }
        let queued = self.tick();
        let event = Event {
            context,
            queue: Some(handle),
            command,
            status: CL_QUEUED,
            outcome: match self.outcomes.is_empty() {
                true => CL_COMPLETE,
                false => self.outcomes.remove(0),
            },
            waits: waits.clone(),
            flushed: !self.lazy,
            profiled,
            timeless: timeless && like == Like::Nvidia,
            times: [queued; 4],
            callbacks: Vec::new(),
        };
        waits.extend([context, handle]);
        let event = self.add(platform, Body::Event(event), waits);
        // Held until it ends.
        self.hold(event);
        self.pending.push(event);
        self.progress();
        Ok(event)
    }

    fn tick(&mut self) -> u64 {
        self.clock += 1;
        self.clock
    }

    fn is_of(&self, event: usize, queue: usize) -> bool {
        self.peek(event)
            .is_some_and(|event| event.queue == Some(queue))
    }

    /// Whether a queue has no command left.
    pub fn is_idle(&self, queue: usize) -> bool {
        !self.pending.iter().any(|event| self.is_of(*event, queue))
    }

    /// Lets the commands of a queue begin.
    pub fn flush(&mut self, queue: usize) {
        for event in self.pending.clone() {
            if let Ok(event) = self.event(event)
                && event.queue == Some(queue)
            {
                event.flushed = true;
            }
        }
        self.progress();
    }

    /// Ends all commands that can end.
    pub(super) fn progress(&mut self) {
        while let Some((place, code)) = self.next_to_end() {
            let event = self.pending.remove(place);
            self.end(event, code);
            self.unhold(event);
        }
    }

    /// A command that can end, by its place, and what it ends with.
    fn next_to_end(&self) -> Option<(usize, cl_int)> {
        let mut all = self.pending.iter().enumerate();
        all.find_map(|(place, event)| {
            let event = self.peek(*event)?;
            let waits = || event.waits.iter().filter_map(|wait| self.peek(*wait));
            if !event.flushed || waits().any(|wait| wait.status > CL_COMPLETE) {
                return None;
            }
            // A failure before in an in-order queue is no event in the wait list, but there is no
            // difference here that a test would see.
            let failed = waits().any(|wait| wait.status < CL_COMPLETE);
            Some(match failed {
                true => (place, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST),
                false => (place, event.outcome),
            })
        })
    }

    /// Gives an event its last status and orders its callbacks.
    pub(super) fn end(&mut self, handle: usize, status: cl_int) {
        let times = [self.tick(), self.tick(), self.tick()];
        let Ok(event) = self.event(handle) else {
            return;
        };
        event.status = status;
        event.times[1..].copy_from_slice(&times);
        for callback in std::mem::take(&mut event.callbacks) {
            self.order(handle, status, callback);
        }
    }

    pub(super) fn order(&mut self, event: usize, status: cl_int, callback: Callback) {
        self.hold(event);
        // A failure is told as it is, a status in passing as the one asked for.
        let status = if status < 0 { status } else { callback.status };
        self.due.push(Due {
            event,
            status,
            callback,
        });
    }
}
