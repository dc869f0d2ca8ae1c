//! What is going on in a platform at the moment, for waits that are for more than one queue.

use super::Queue;
use crate::cl::{self, Functions, Owned, check};
use crate::context::Context;
use crate::device::Device;
use std::ffi::c_void;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use ur_adapter::{Handle, Result};

/// What is waited for.
#[derive(Debug)]
enum What {
    /// A queue, which takes its entry out before it goes.
    Queue(cl::cl_command_queue),
    /// The last command of a queue that is gone, and a number for it.
    Rest(Owned<cl::cl_event>, u64),
}

#[derive(Debug)]
struct Entry {
    what: What,
    context: cl::cl_context,
    device: Handle<Device>,
}

#[derive(Debug, Default)]
struct List {
    entries: Vec<Entry>,
    rests: u64,
}

/// Queues, and last commands of queues that are gone.
type Chosen = (Vec<Owned<cl::cl_command_queue>>, Vec<Owned<cl::cl_event>>);

/// The queues of a platform, and what is left of those that went before their commands.
#[derive(Debug, Default)]
pub struct Live(Mutex<List>);

/// What the driver gets to say that the last command of a queue has ended.
struct Ended {
    live: &'static Live,
    number: u64,
}

/// What the driver calls then.
unsafe extern "C" fn ended(_: cl::cl_event, _: cl::cl_int, note: *mut c_void) {
    // SAFETY: the box that was given away when this function was set; the driver calls it once.
    let Ended { live, number } = *unsafe { Box::from_raw(note.cast::<Ended>()) };
    live.remove(|what| matches!(what, What::Rest(_, own) if *own == number));
}

/// What the driver calls when commands have ended after which something is dropped.
unsafe extern "C" fn passed<T>(_: cl::cl_event, _: cl::cl_int, share: *mut c_void) {
    // SAFETY: the share that was given away when this function was set; the driver calls it once.
    drop(unsafe { Arc::from_raw(share.cast_const().cast::<T>()) });
}

/// A command behind all that was enqueued, which the device has got.
pub(super) fn mark(
    api: &'static Functions,
    queue: cl::cl_command_queue,
) -> Result<Owned<cl::cl_event>> {
    let mut event = cl::cl_event::NULL;
    let marker = api.clEnqueueMarkerWithWaitList;
    // SAFETY: a live queue, nothing to wait for; the event's place is ours.
    check(unsafe { marker(queue, 0, std::ptr::null(), &raw mut event) })?;
    // SAFETY: made for this call.
    let event = unsafe { Owned::new(api, event) };
    // SAFETY: a live queue.
    check(unsafe { (api.clFlush)(queue) })?;
    Ok(event)
}

impl Live {
    fn list(&self) -> MutexGuard<'_, List> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes a queue.
    pub(super) fn enter(&self, queue: &Queue) {
        self.list().entries.push(Entry {
            what: What::Queue(queue.native()),
            context: queue.context.native(),
            device: queue.device.clone(),
        });
    }

    /// Forgets a queue that goes. If commands of it may not have ended, `last` is one behind them.
    pub(super) fn leave(&'static self, queue: &Queue, last: Option<Owned<cl::cl_event>>) {
        if let Some(last) = last {
            self.keep(queue, last);
        }
        let native = queue.native();
        self.remove(|what| matches!(what, What::Queue(own) if *own == native));
    }

    fn keep(&'static self, queue: &Queue, last: Owned<cl::cl_event>) {
        // SAFETY: a live event.
        let Ok(event) = (unsafe { Owned::of_native(last.api(), last.get(), false) }) else {
            return;
        };
        let number = {
            let mut list = self.list();
            list.rests += 1;
            let number = list.rests;
            list.entries.push(Entry {
                what: What::Rest(last, number),
                context: queue.context.native(),
                device: queue.device.clone(),
            });
            number
        };
        // The driver may call at once, so nothing is locked here.
        let note = Box::into_raw(Box::new(Ended { live: self, number }));
        let set = event.api().clSetEventCallback;
        // SAFETY: a live event; the box is given away.
        let code = unsafe { set(event.get(), cl::CL_COMPLETE, Some(ended), note.cast()) };
        if code != cl::CL_SUCCESS {
            // SAFETY: the driver did not take it, and calling ends the box as it would.
            unsafe { ended(event.get(), cl::CL_COMPLETE, note.cast()) };
        }
    }

    fn remove(&self, is: impl Fn(&What) -> bool) {
        let entry = {
            let mut list = self.list();
            let at = list.entries.iter().rposition(|entry| is(&entry.what));
            at.map(|at| list.entries.swap_remove(at))
        };
        // Not under the lock: this may be the last reference to the device.
        drop(entry);
    }

    /// The queues of which this holds, and the last commands of those that are gone.
    fn chosen(&self, api: &'static Functions, which: impl Fn(&Entry) -> bool) -> Result<Chosen> {
        let (mut queues, mut rests) = (Vec::new(), Vec::new());
        for entry in self.list().entries.iter().filter(|entry| which(entry)) {
            // SAFETY: both are alive while they are in the list.
            unsafe {
                match &entry.what {
                    What::Queue(queue) => queues.push(Owned::of_native(api, *queue, false)?),
                    What::Rest(last, _) => rests.push(Owned::of_native(api, last.get(), false)?),
                }
            }
        }
        Ok((queues, rests))
    }

    /// Waits for all commands enqueued so far of which this holds, and gives the first error there was.
    fn finish(&self, api: &'static Functions, which: impl Fn(&Entry) -> bool) -> Result {
        let (queues, rests) = self.chosen(api, which)?;
        let mut result = Ok(());
        for queue in &queues {
            // SAFETY: a live queue.
            let finished = check(unsafe { (api.clFinish)(queue.get()) });
            result = result.and(finished);
        }
        for rest in &rests {
            let event = rest.get();
            // SAFETY: a live event.
            let ended = check(unsafe { (api.clWaitForEvents)(1, &raw const event) });
            result = result.and(ended);
        }
        result
    }

    /// Waits for all commands on a device and its parts.
    ///
    /// # Errors
    /// What the driver says.
    pub fn finish_device(&self, device: &Device) -> Result {
        self.finish(device.api(), |entry| entry.device.is_part_of(device))
    }

    /// Drops something when all commands of a context that were enqueued so far have ended, on a thread
    /// of the driver's unless they have, without waiting for them. If the driver cannot tell when that
    /// is, it stays.
    pub fn after_context<T: Send + Sync + 'static>(&self, context: &Context, last: Arc<T>) {
        let (api, native) = (context.api(), context.native());
        let Ok((queues, mut events)) = self.chosen(api, |entry| entry.context == native) else {
            std::mem::forget(last);
            return;
        };
        for queue in &queues {
            match mark(api, queue.get()) {
                Ok(event) => events.push(event),
                Err(_) => std::mem::forget(last.clone()),
            }
        }
        for event in &events {
            let share = Arc::into_raw(last.clone()).cast_mut().cast();
            // SAFETY: a live event; the share is given away. If the driver does not take it, it stays.
            unsafe {
                (api.clSetEventCallback)(event.get(), cl::CL_COMPLETE, Some(passed::<T>), share)
            };
        }
    }

    /// Waits for all commands of a context.
    ///
    /// # Errors
    /// What the driver says.
    pub fn finish_context(&self, context: &Context) -> Result {
        let native = context.native();
        self.finish(context.api(), |entry| entry.context == native)
    }
}
