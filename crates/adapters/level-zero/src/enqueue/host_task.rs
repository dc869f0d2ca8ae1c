//! Functions of the program that run on the host as commands of a queue.
//!
//! Level Zero has no such commands. One command says when the task may begin, the adapter's thread runs
//! it, and the host signals the event that stands for it, for which later commands wait as for any other.

use crate::device::Device;
use crate::event::signal::{Load, Origin};
use crate::event::{Command, Event, Signal, submit, times, watch};
use crate::queue::Queue;
use crate::queue::backlog::End;
use crate::ze::error::failed;
use crate::ze::{self, check, exit};
use std::ffi::c_void;
use std::sync::Arc;
use ur_adapter::hosted::{self, Job};
use ur_adapter::{Handle, Object, Result, Slot};
use ur_api::*;

/// A function of the program.
type Function = unsafe extern "C" fn(*mut c_void);

/// A task that waits for its turn, and its end.
struct Task {
    function: Function,
    data: *mut c_void,
    end: Arc<Signal>,
    /// Of its queue, whose clock tells when it began and ended.
    device: Handle<Device>,
}

// SAFETY: the pointer is only handed back to the program.
unsafe impl Send for Task {}

impl Task {
    /// The device's time, if somebody may ask for it.
    fn ticks(&self) -> Option<u64> {
        let _turn = exit::turn();
        match self.end.is_timed() && !exit::is_gone() {
            true => times::ticks(&self.device),
            false => None,
        }
    }
}

impl Job for Task {
    fn run(self: Box<Self>) {
        let began = self.ticks();
        // SAFETY: the program gave the function for this call.
        hosted::call(|| unsafe { (self.function)(self.data) });
        if let (Some(began), Some(ended)) = (began, self.ticks()) {
            self.end.set_span([began, ended]);
        }
        self.end.set();
    }

    /// What it waits for has failed, or there is no thread for it: what waits for it must not hang.
    fn refuse(self: Box<Self>) {
        self.end
            .note_failed(&failed(ze::ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY));
        self.end.set();
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
    waits: &[&Object<Event>],
    event: &mut Slot<Event>,
) -> Result {
    let command = Command::new(UR_COMMAND_HOST_TASK_EXP, waits).on_host();
    let context = queue.context();
    let native = context.pools().take(context, false)?;
    let load = Load::new(Vec::new(), Box::new(()));
    let origin = Origin::Pool { timed: false };
    let begin = Signal::new(context, Some(native), origin, load, false);
    let kept = begin.clone();
    let end = submit::signal(queue, &command, event, kept, |call| {
        let barrier = call.api.zeCommandListAppendBarrier;
        // SAFETY: a list that the call has for itself, and live events.
        check(unsafe { barrier(call.list, begin.native(), call.count, call.waits) })?;
        begin.note_appended();
        Ok(())
    })?;
    let task = Box::new(Task {
        function,
        data,
        end,
        device: queue.device().clone(),
    });
    // Nobody else may ask for it. After a failure, the signals say so.
    let flushed = queue.flush();
    match flushed {
        Ok(()) => watch::after(begin, task),
        Err(_) => task.refuse(),
    }
    flushed
}
