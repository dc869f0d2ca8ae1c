//! Commands that do nothing but wait, on drivers whose own do something else.

use super::Queue;
use crate::cl::{self, Owned};

/// What a driver's markers are like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Markers {
    /// As OpenCL says.
    Plain,
    /// One with a list waits for every command before it, too. PoCL's do.
    WaitForAll,
    /// Queues are in order, whatever they are asked to be, and neither barriers nor markers with a list
    /// have times. NVIDIA's are like that.
    InOrderUntimed,
}

impl Markers {
    /// Those of the platform with this name. Nothing else tells: whether a command waits for another
    /// shows only while that one does not end.
    pub fn of_platform(name: &str) -> Self {
        match name {
            "Portable Computing Language" => Self::WaitForAll,
            "NVIDIA CUDA" => Self::InOrderUntimed,
            _ => Self::Plain,
        }
    }
}

impl Queue {
    /// Enqueues a command that ends when the events of a list have ended, or, without one, all commands
    /// before it. Gives what the driver says.
    ///
    /// # Safety
    /// The list has that many live events, and the place is null or has room for an event.
    pub unsafe fn enqueue_wait(
        &self,
        count: cl::cl_uint,
        waits: *const cl::cl_event,
        place: *mut cl::cl_event,
    ) -> cl::cl_int {
        let marker = self.api().clEnqueueMarkerWithWaitList;
        match self.context().platform().markers() {
            Markers::WaitForAll if count > 0 && !self.is_in_order() => {
                // SAFETY: forwarded.
                unsafe { self.enqueue_wait_elsewhere(count, waits, place) }
            }
            // SAFETY: a live queue; the rest is forwarded.
            Markers::InOrderUntimed if count > 0 => unsafe {
                self.enqueue_timed(place, |place| marker(self.native(), count, waits, place))
            },
            // SAFETY: as above.
            _ => unsafe { marker(self.native(), count, waits, place) },
        }
    }

    /// Enqueues a barrier. Gives what the driver says.
    ///
    /// # Safety
    /// As [`Self::enqueue_wait`].
    pub unsafe fn enqueue_barrier(
        &self,
        count: cl::cl_uint,
        waits: *const cl::cl_event,
        place: *mut cl::cl_event,
    ) -> cl::cl_int {
        let barrier = self.api().clEnqueueBarrierWithWaitList;
        match self.context().platform().markers() {
            // SAFETY: a live queue; the rest is forwarded.
            Markers::InOrderUntimed => unsafe {
                self.enqueue_timed(place, |place| barrier(self.native(), count, waits, place))
            },
            // SAFETY: as above.
            _ => unsafe { barrier(self.native(), count, waits, place) },
        }
    }

    /// Lets the event of a command that has no times be that of a marker behind it. As the queue is in
    /// order, that is a command which ends when this one has ended, and its times are those of the
    /// device.
    ///
    /// # Safety
    /// As [`Self::enqueue_wait`].
    unsafe fn enqueue_timed(
        &self,
        place: *mut cl::cl_event,
        enqueue: impl FnOnce(*mut cl::cl_event) -> cl::cl_int,
    ) -> cl::cl_int {
        if place.is_null() || !self.is_profiled() {
            return enqueue(place);
        }
        match enqueue(std::ptr::null_mut()) {
            cl::CL_SUCCESS => {
                let marker = self.api().clEnqueueMarkerWithWaitList;
                // SAFETY: a live queue, nothing to wait for; the place is the caller's.
                unsafe { marker(self.native(), 0, std::ptr::null(), place) }
            }
            code => code,
        }
    }

    /// Waits for a list by a command on a buffer of its own, which changes nothing. With a buffer that
    /// others have, too, it could wait for their commands.
    ///
    /// # Safety
    /// As [`Self::enqueue_wait`].
    unsafe fn enqueue_wait_elsewhere(
        &self,
        count: cl::cl_uint,
        waits: *const cl::cl_event,
        place: *mut cl::cl_event,
    ) -> cl::cl_int {
        let (api, context) = (self.api(), self.context().native());
        let (flags, none, mut code) = (cl::CL_MEM_READ_WRITE, std::ptr::null_mut(), 0);
        // SAFETY: a live context; the code's place is ours.
        let buffer = unsafe { (api.clCreateBuffer)(context, flags, 1, none, &raw mut code) };
        if code != cl::CL_SUCCESS {
            return code;
        }
        // The command keeps it as long as it needs it.
        // SAFETY: made for this call.
        let buffer = unsafe { Owned::new(api, buffer) };
        let (migrate, object) = (api.clEnqueueMigrateMemObjects, buffer.get());
        let object = &raw const object;
        // SAFETY: a live queue and one buffer; the rest is forwarded.
        unsafe { migrate(self.native(), 1, object, 0, count, waits, place) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_drivers_that_differ_are_treated_differently() {
        let of = Markers::of_platform;
        assert_eq!(of("Intel(R) OpenCL"), Markers::Plain);
        assert_eq!(of("NVIDIA CUDA"), Markers::InOrderUntimed);
        assert_eq!(of("Portable Computing Language"), Markers::WaitForAll);
    }
}
