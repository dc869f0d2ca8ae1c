//! Enqueueing commands.

use super::{Bound, Event, Waits};
use crate::cl::{self, Owned, check};
use crate::queue::Queue;
use ur_adapter::{Error, Object, Result, Slot};
use ur_api::*;

/// What every enqueue of OpenCL takes.
#[derive(Clone, Copy, Debug)]
pub struct Call {
    /// The queue.
    pub queue: cl::cl_command_queue,
    /// How many events to wait for.
    pub count: cl::cl_uint,
    /// The events to wait for; null if there are none.
    pub waits: *const cl::cl_event,
    /// Where the new event goes; null if nobody wants it.
    pub event: *mut cl::cl_event,
}

/// Enqueues one command by a call of OpenCL and gives its event, if the program wants one.
///
/// # Errors
/// What `enqueue` returns; `INVALID_EVENT` for a reusable event of another context than the queue's;
/// `OUT_OF_HOST_MEMORY`.
#[inline]
pub fn submit(
    queue: &Object<Queue>,
    kind: ur_command_t,
    event_wait_list: &[&Object<Event>],
    slot: &mut Slot<Event>,
    enqueue: impl FnOnce(Call) -> cl::cl_int,
) -> Result {
    let given = given(queue, slot)?;
    let wanted = slot.wanted();
    let mut event = cl::cl_event::NULL;
    let place = if wanted {
        &raw mut event
    } else {
        std::ptr::null_mut()
    };
    let code = if event_wait_list.is_empty() {
        enqueue(Call {
            queue: queue.native(),
            count: 0,
            waits: std::ptr::null(),
            event: place,
        })
    } else {
        Waits::of(event_wait_list, Some(queue))?.give(|count, waits| {
            enqueue(Call {
                queue: queue.native(),
                count,
                waits,
                event: place,
            })
        })
    };
    queue.note_attempt();
    check(code)?;
    queue.note_use();
    if !wanted {
        return Ok(());
    }
    // SAFETY: made for this call.
    let native = unsafe { Owned::new(queue.api(), event) };
    let bound = Bound::new(native, queue, kind);
    match given {
        Some(event) => event.bind(bound)?,
        None => {
            let event = Event::new(queue.context(), bound)?;
            slot.put(event);
        }
    }
    Ok(())
}

impl Call {
    /// Makes a call that enqueues and, if it is to block, waits for the command by its event. That a
    /// driver's own blocking write has returned need not mean that another queue sees the bytes: Intel's
    /// now and then reads old ones there.
    pub fn blocking(
        self,
        queue: &Queue,
        blocking: bool,
        enqueue: impl FnOnce(Call) -> cl::cl_int,
    ) -> cl::cl_int {
        if !blocking {
            return enqueue(self);
        }
        let mut event = cl::cl_event::NULL;
        let own = Call {
            event: &raw mut event,
            ..self
        };
        let code = enqueue(own);
        if code != cl::CL_SUCCESS {
            return code;
        }
        // SAFETY: made for this call.
        let event = unsafe { Owned::new(queue.api(), event) };
        let waited = event.get();
        // SAFETY: a live event.
        let code = unsafe { (queue.api().clWaitForEvents)(1, &raw const waited) };
        if code == cl::CL_SUCCESS && !self.event.is_null() {
            // SAFETY: the place is `submit`'s, which takes the reference over.
            unsafe { self.event.write(event.give()) };
        }
        code
    }
}

/// The reusable event that a call is given to complete, if it is given one. Any other event that
/// stands there is left alone: the call makes a new one, as for a null handle.
///
/// # Errors
/// `INVALID_EVENT` for an event of another context than the queue's.
pub fn given<'a>(queue: &Queue, slot: &Slot<Event>) -> Result<Option<&'a Object<Event>>> {
    let Some(event) = slot.given().filter(|event| event.is_reusable()) else {
        return Ok(None);
    };
    if !event.context().is(queue.context()) {
        return Err(Error::new(
            UR_RESULT_ERROR_INVALID_EVENT,
            "the event is of another context than the queue",
        ));
    }
    // SAFETY: the object lives as long as the call, which the slot was promised; the slot's own
    // borrow is only of the pointer to it.
    Ok(Some(unsafe { &*std::ptr::from_ref(event) }))
}
