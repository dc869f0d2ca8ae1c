//! Functions of the program that run on the host as commands of a queue.
//!
//! OpenCL runs functions only on its own threads, which must not wait, and only on some devices. So two
//! commands stand for a task: the first ends when the task may begin, the second waits for an event that
//! the task's thread sets.

use super::buffer::Ties;
use crate::cl::{self, Owned};
use crate::event::{Call, submit};
use crate::queue::Queue;
use std::ffi::c_void;
use ur_adapter::hosted::{self, Job};
use ur_adapter::{Object, Result};
use ur_api::*;

/// A function of the program.
type Function = unsafe extern "C" fn(*mut c_void);

/// A task that waits for its turn, and the event that its end sets.
struct Task {
    function: Function,
    data: *mut c_void,
    end: Owned<cl::cl_event>,
}

// SAFETY: the pointer is only handed back to the program.
unsafe impl Send for Task {}

impl Job for Task {
    /// Runs it and sets its event.
    fn run(self: Box<Self>) {
        // SAFETY: the program gave the function for this call.
        hosted::call(|| unsafe { (self.function)(self.data) });
        self.set(cl::CL_COMPLETE);
    }

    fn refuse(self: Box<Self>) {
        self.set(cl::CL_OUT_OF_RESOURCES);
    }
}

impl Task {
    fn set(&self, status: cl::cl_int) {
        let set = self.end.api().clSetUserEventStatus;
        // SAFETY: a live event of the adapter's own, set once.
        unsafe { set(self.end.get(), status) };
    }
}

/// What the driver calls when a task may begin.
unsafe extern "C" fn may_begin(_: cl::cl_event, status: cl::cl_int, task: *mut c_void) {
    // SAFETY: the box that was given away when this function was set; the driver calls it once.
    let task = unsafe { Box::from_raw(task.cast::<Task>()) };
    match status {
        // What it waits for has failed.
        ..cl::CL_COMPLETE => task.set(status),
        _ => hosted::start(task),
    }
}

/// Enqueues a task.
///
/// # Errors
/// What the driver says.
///
/// # Safety
/// The function may be called once with `data`, by any thread.
pub unsafe fn enqueue(
    queue: &Object<Queue>,
    function: Function,
    data: *mut c_void,
    ties: Ties<'_, '_>,
) -> Result {
    submit(
        queue,
        UR_COMMAND_HOST_TASK_EXP,
        ties.waits,
        ties.event,
        |call| {
            // SAFETY: forwarded.
            match unsafe { enqueue_both(queue, &call, function, data) } {
                Ok(()) => cl::CL_SUCCESS,
                Err(code) => code,
            }
        },
    )?;
    // Nobody else may ask the driver for it.
    queue.flush()
}

fn success(code: cl::cl_int) -> std::result::Result<(), cl::cl_int> {
    match code {
        cl::CL_SUCCESS => Ok(()),
        code => Err(code),
    }
}

/// Enqueues the two commands of a task.
///
/// # Safety
/// As [`enqueue`]; the call's list and place are `submit`'s.
unsafe fn enqueue_both(
    queue: &Object<Queue>,
    call: &Call,
    function: Function,
    data: *mut c_void,
) -> std::result::Result<(), cl::cl_int> {
    let api = queue.api();
    // Without anything to wait for, a marker would wait for all that is in the queue.
    let begin = if queue.is_in_order() || call.count > 0 {
        let mut begin = cl::cl_event::NULL;
        // SAFETY: live events; the event's place is ours.
        success(unsafe { queue.enqueue_wait(call.count, call.waits, &raw mut begin) })?;
        // SAFETY: made for this call.
        Some(unsafe { Owned::new(api, begin) })
    } else {
        None
    };
    let mut code = cl::CL_SUCCESS;
    // SAFETY: a live context; the code's place is ours.
    let end = unsafe { (api.clCreateUserEvent)(queue.context().native(), &raw mut code) };
    success(code)?;
    // SAFETY: made for this call.
    let owned = unsafe { Owned::new(api, end) };
    let task = Task {
        function,
        data,
        end: owned,
    };
    // The place in the queue is taken before the task can begin.
    // SAFETY: live objects; the place is `submit`'s.
    success(unsafe { queue.enqueue_wait(1, &raw const end, call.event) })?;
    let Some(begin) = begin else {
        hosted::start(Box::new(task));
        return Ok(());
    };
    let task = Box::into_raw(Box::new(task)).cast();
    let set = api.clSetEventCallback;
    // SAFETY: a live event; the box is given away.
    let code = unsafe { set(begin.get(), cl::CL_COMPLETE, Some(may_begin), task) };
    if code != cl::CL_SUCCESS {
        // The second command is in the queue, so this waits here for what nobody will tell.
        let first = begin.get();
        // SAFETY: live events, and the box that was not taken.
        let (waited, task) = unsafe {
            let waited = (api.clWaitForEvents)(1, &raw const first);
            (waited, Box::from_raw(task.cast::<Task>()))
        };
        match waited {
            cl::CL_SUCCESS => hosted::start(task),
            code => task.set(code),
        }
    }
    Ok(())
}
