//! Running a command buffer.

use super::{CommandBuffer, invalid};
use crate::cl::error::{failed, has_ended};
use crate::cl::{self, Owned};
use crate::event::{Call, Event, submit};
use crate::queue::Queue;
use ur_adapter::{Error, Object, Result, Slot};
use ur_api::*;

type Enqueue = unsafe extern "C" fn(
    cl::cl_uint,
    *const cl::cl_command_queue,
    cl::cl_command_buffer_khr,
    cl::cl_uint,
    *const cl::cl_event,
    *mut cl::cl_event,
) -> cl::cl_int;

/// Enqueues a command buffer, behind the runs before.
///
/// # Errors
/// `INVALID_OPERATION` for one that is not finalized; `INVALID_QUEUE` for a queue of another context or
/// device; what the driver says.
pub fn enqueue(
    queue: &Object<Queue>,
    buffer: &Object<CommandBuffer>,
    event_wait_list: &[&Object<Event>],
    event: &mut Slot<Event>,
) -> Result {
    let same_device = queue.device().native() == buffer.device.native();
    if !queue.context().is(&buffer.context) || !same_device {
        return Err(Error::new(
            UR_RESULT_ERROR_INVALID_QUEUE,
            "the queue is of another context or device than the command buffer",
        ));
    }
    let run = buffer.extensions().clEnqueueCommandBufferKHR;
    let run = run.ok_or_else(Error::unsupported)?;
    // Two threads that enqueue at the same time agree on the order.
    let mut state = buffer.state();
    if !state.is_final {
        return Err(invalid("the command buffer is not finalized"));
    }
    if let Some(latest) = state.latest.as_ref().filter(|_| !buffer.is_simultaneous()) {
        // It cannot be enqueued before it has ended.
        let (wait, latest) = (buffer.context.api().clWaitForEvents, latest.get());
        // SAFETY: a live event.
        let code = unsafe { wait(1, &raw const latest) };
        if !has_ended(code) {
            return Err(failed(code));
        }
    }
    let latest = state.latest.take();
    let kind = UR_COMMAND_ENQUEUE_COMMAND_BUFFER_EXP;
    let mut end = None;
    let submitted = submit(queue, kind, event_wait_list, event, |call| {
        let mut waits = Vec::with_capacity(call.count as usize + 1);
        if call.count > 0 {
            // SAFETY: `submit` passes a list of that length.
            waits.extend_from_slice(unsafe {
                std::slice::from_raw_parts(call.waits, call.count as usize)
            });
        }
        waits.extend(latest.as_ref().map(Owned::get));
        // SAFETY: live objects.
        let (code, made) = unsafe { buffer.run(queue, run, &waits) };
        end = made;
        match &end {
            Some(made) if code == cl::CL_SUCCESS => give(made, &call),
            _ => code,
        }
    });
    // One that was refused changes nothing; one that runs is the latest, whatever failed afterwards.
    state.latest = end.or(latest);
    submitted
}

/// Puts another reference to an event where `submit` takes it over. Gives what the driver says.
fn give(event: &Owned<cl::cl_event>, call: &Call) -> cl::cl_int {
    if call.event.is_null() {
        return cl::CL_SUCCESS;
    }
    match event.share() {
        Ok(shared) => {
            // SAFETY: the place is `submit`'s.
            unsafe { call.event.write(shared.give()) };
            cl::CL_SUCCESS
        }
        Err(error) => error.native,
    }
}

impl CommandBuffer {
    fn is_simultaneous(&self) -> bool {
        let able = self.device.facts().command_buffers;
        able.is_some_and(|able| able.simultaneous)
    }

    /// Enqueues all commands on a queue, or, where the driver wants one that is like the command
    /// buffer's own, on that, between two commands on the other. Gives the event of the run, which is
    /// there also if it was enqueued before something failed.
    ///
    /// # Safety
    /// The events are alive.
    unsafe fn run(
        &self,
        queue: &Queue,
        run: Enqueue,
        waits: &[cl::cl_event],
    ) -> (cl::cl_int, Option<Owned<cl::cl_event>>) {
        let (count, list) = (waits.len() as cl::cl_uint, pointer(waits));
        let (api, target) = (queue.api(), queue.native());
        // An event is there only if its call succeeded.
        let own = |code, event: cl::cl_event| {
            let made = code == cl::CL_SUCCESS && !event.is_null();
            // SAFETY: a call below made it for this one.
            made.then(|| unsafe { Owned::new(api, event) })
        };
        let mut end = cl::cl_event::NULL;
        // SAFETY: live objects; the event's place is ours.
        let code = unsafe {
            run(
                1,
                &raw const target,
                self.native(),
                count,
                list,
                &raw mut end,
            )
        };
        if code != cl::CL_INCOMPATIBLE_COMMAND_QUEUE_KHR {
            return (code, own(code, end));
        }
        let mut begin = cl::cl_event::NULL;
        // Behind all that is in an in-order queue, but only behind the events in any other.
        if queue.is_in_order() || !waits.is_empty() {
            // SAFETY: as above.
            let code = unsafe { queue.enqueue_wait(count, list, &raw mut begin) };
            if code != cl::CL_SUCCESS {
                return (code, None);
            }
        }
        let begin = own(cl::CL_SUCCESS, begin);
        let first: Vec<_> = begin.iter().map(Owned::get).collect();
        let (count, list) = (first.len() as cl::cl_uint, pointer(&first));
        // SAFETY: as above.
        let code = unsafe {
            run(
                0,
                std::ptr::null(),
                self.native(),
                count,
                list,
                &raw mut end,
            )
        };
        let Some(inner) = own(code, end) else {
            return (code, None);
        };
        let last = inner.get();
        let mut end = cl::cl_event::NULL;
        // Each queue waits for the other, so nothing may be kept back.
        for each in [target, self.queue.get()] {
            // SAFETY: a live queue.
            let code = unsafe { (api.clFlush)(each) };
            if code != cl::CL_SUCCESS {
                queue.context().pending().note_others();
                return (code, Some(inner));
            }
        }
        // SAFETY: a live event; the new one's place is ours.
        let code = unsafe { queue.enqueue_wait(1, &raw const last, &raw mut end) };
        let end = own(code, end);
        if end.is_none() {
            // Nobody waits for it who waits for the queue.
            queue.context().pending().note_others();
        }
        (code, end.or(Some(inner)))
    }
}

fn pointer<T>(list: &[T]) -> *const T {
    match list {
        [] => std::ptr::null(),
        list => list.as_ptr(),
    }
}
