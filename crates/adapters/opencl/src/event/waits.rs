//! Lists of events to wait for, as OpenCL takes them.

use super::{Binding, Event};
use crate::cl::{self, Owned};
use crate::queue::Queue;
use ur_adapter::{Object, Result};

/// How many events fit without an allocation.
const FEW: usize = 8;

/// OpenCL's events of a list.
#[derive(Debug)]
pub struct Waits {
    few: [cl::cl_event; FEW],
    many: Vec<cl::cl_event>,
    count: usize,
    /// Those of reusable events, which may stand for another command at any time.
    held: Vec<Owned<cl::cl_event>>,
}

impl Waits {
    /// The list for a command of `queue`, or for the host. Commands of other queues are pushed, so
    /// that nobody waits for what their driver keeps back. Reusable events without a command are
    /// complete and left out.
    ///
    /// # Errors
    /// What the driver says of one more reference to a reusable event.
    #[inline]
    pub fn of(events: &[&Object<Event>], queue: Option<&Object<Queue>>) -> Result<Self> {
        let mut waits = Self {
            few: [cl::cl_event::NULL; FEW],
            many: Vec::new(),
            count: 0,
            held: Vec::new(),
        };
        if events.len() > FEW {
            waits.many.reserve_exact(events.len());
        }
        for event in events {
            waits.add(event, queue, events.len() > FEW)?;
        }
        Ok(waits)
    }

    fn add(&mut self, event: &Event, queue: Option<&Object<Queue>>, many: bool) -> Result {
        let view = event.view();
        let Some(bound) = view.bound() else {
            return Ok(());
        };
        let own = matches!((queue, &bound.queue), (Some(queue), Some(of)) if queue.is(of));
        if !own {
            bound.push();
        }
        let native = bound.native.get();
        if matches!(event.binding, Binding::Changing(_)) {
            self.held.push(bound.native.share()?);
        }
        if many {
            self.many.push(native);
        } else if let Some(place) = self.few.get_mut(self.count) {
            *place = native;
        }
        self.count += 1;
        Ok(())
    }

    /// Hands count and list to a call; the list is null if there are none.
    #[inline]
    pub fn give<R>(&self, call: impl FnOnce(cl::cl_uint, *const cl::cl_event) -> R) -> R {
        let list = match self.count {
            0 => std::ptr::null(),
            _ if self.many.is_empty() => self.few.as_ptr(),
            _ => self.many.as_ptr(),
        };
        call(self.count as cl::cl_uint, list)
    }
}
