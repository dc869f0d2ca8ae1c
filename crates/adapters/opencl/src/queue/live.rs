//! What is going on in a platform at the moment, for waits that are for more than one queue.

use crate::cl::error::{failed, has_ended};
use crate::cl::{self, Functions, Owned, check};
use crate::context::Context;
use crate::context::pending::Count;
use crate::device::Device;
use crate::event::native_status;
use std::ffi::c_void;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use ur_adapter::{Handle, Result};

/// What is waited for.
#[derive(Clone, Debug)]
enum What {
    /// A queue. The list has a reference of its own, so that whoever waits needs to ask for none.
    Queue(Arc<Owned<cl::cl_command_queue>>),
    /// The last command of a queue that is gone.
    Rest(Arc<Owned<cl::cl_event>>),
}

#[derive(Debug)]
struct Entry {
    what: What,
    /// Which it is.
    number: u64,
    /// Of a queue that is gone, and nobody will say when the rest of it has ended.
    is_stray: bool,
    /// The queue's count among those that are unfinished, once it is gone.
    count: Option<Count>,
    context: cl::cl_context,
    device: Handle<Device>,
}

#[derive(Debug, Default)]
struct List {
    entries: Vec<Entry>,
    /// How many there ever were.
    numbers: u64,
}

/// The queues of a platform, and what is left of those that went before their commands.
#[derive(Debug, Default)]
pub struct Live(Mutex<List>);

/// What is known of the end of a queue that goes.
#[derive(Debug)]
pub(super) enum Last {
    /// All of its commands have ended.
    Nothing,
    /// A command behind all others.
    Marker(Owned<cl::cl_event>),
    /// The driver would not have such a command.
    Unknown,
}

/// What the driver gets to say that the last command of a queue has ended.
struct Ended {
    live: &'static Live,
    number: u64,
}

/// What the driver calls then.
unsafe extern "C" fn ended(_: cl::cl_event, _: cl::cl_int, note: *mut c_void) {
    // SAFETY: the box that was given away when this function was set; the driver calls it once.
    let Ended { live, number } = *unsafe { Box::from_raw(note.cast::<Ended>()) };
    live.remove(number);
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

/// Waits for an event. The error of a command that failed is inside, that of a wait that did not take
/// place outside.
fn wait(event: &Owned<cl::cl_event>) -> Result<Result> {
    let one = event.get();
    // SAFETY: a live event.
    let code = unsafe { (event.api().clWaitForEvents)(1, &raw const one) };
    match has_ended(code) {
        true => Ok(check(code)),
        false => Err(failed(code)),
    }
}

impl What {
    /// Waits for all commands enqueued so far. The error of a command that failed is inside, that of a
    /// wait that did not take place outside.
    fn finish(&self) -> Result<Result> {
        let queue = match self {
            What::Queue(queue) => queue,
            What::Rest(last) => return wait(last),
        };
        // SAFETY: a live queue.
        let code = unsafe { (queue.api().clFinish)(queue.get()) };
        if has_ended(code) {
            return Ok(check(code));
        }
        // There is a second way to wait, which leaves the driver less to be confused about.
        match mark(queue.api(), queue.get()) {
            Ok(last) => wait(&last),
            Err(_) => Err(failed(code)),
        }
    }
}

impl Live {
    fn list(&self) -> MutexGuard<'_, List> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes a queue, and gives its number.
    ///
    /// # Errors
    /// What the driver says of one more reference to it.
    pub(super) fn enter(
        &self,
        queue: &Owned<cl::cl_command_queue>,
        context: &Context,
        device: &Handle<Device>,
    ) -> Result<u64> {
        let queue = Arc::new(queue.share()?);
        let mut list = self.list();
        list.numbers += 1;
        let number = list.numbers;
        list.entries.push(Entry {
            what: What::Queue(queue),
            number,
            is_stray: false,
            count: None,
            context: context.native(),
            device: device.clone(),
        });
        Ok(number)
    }

    /// Forgets a queue that goes, but not its commands.
    pub(super) fn leave(&'static self, number: u64, last: Last, count: Option<Count>) {
        // It goes with the entry, which does when all has ended.
        self.change(number, |entry| entry.count = count);
        let last = match last {
            Last::Nothing => return self.remove(number),
            Last::Marker(last) => Arc::new(last),
            Last::Unknown => return self.change(number, |entry| entry.is_stray = true),
        };
        self.replace(number, last);
    }

    /// Lets the last command of a queue stand for the queue, until the driver says that it has ended.
    fn replace(&'static self, number: u64, last: Arc<Owned<cl::cl_event>>) {
        let mut old = What::Rest(last.clone());
        self.change(number, |entry| {
            std::mem::swap(&mut entry.what, &mut old);
            entry.is_stray = false;
        });
        // Not under the lock, and the driver may call at once.
        drop(old);
        let note = Box::into_raw(Box::new(Ended { live: self, number }));
        let set = last.api().clSetEventCallback;
        // SAFETY: a live event; the box is given away.
        let code = unsafe { set(last.get(), cl::CL_COMPLETE, Some(ended), note.cast()) };
        if code != cl::CL_SUCCESS {
            // SAFETY: the driver did not take it.
            drop(unsafe { Box::from_raw(note) });
            self.change(number, |entry| entry.is_stray = true);
        }
    }

    /// Forgets what is left of queues of a context that goes, as far as it has ended. Of the rest the
    /// driver is asked once more to say when it has.
    pub fn sweep(&'static self, context: &Context) {
        let native = context.native();
        let strays: Vec<_> = {
            let list = self.list();
            let strays = list.entries.iter().filter(|entry| entry.is_stray);
            let own = strays.filter(|entry| entry.context == native);
            own.map(|entry| (entry.number, entry.what.clone()))
                .collect()
        };
        for (number, what) in strays {
            let last = match &what {
                What::Rest(last) if native_status(last).is_ok_and(|now| now <= cl::CL_COMPLETE) => {
                    self.remove(number);
                    continue;
                }
                What::Rest(last) => Ok(last.clone()),
                What::Queue(queue) => mark(queue.api(), queue.get()).map(Arc::new),
            };
            if let Ok(last) = last {
                self.replace(number, last);
            }
        }
    }

    fn change(&self, number: u64, change: impl FnOnce(&mut Entry)) {
        let mut list = self.list();
        let mut entries = list.entries.iter_mut();
        if let Some(entry) = entries.find(|entry| entry.number == number) {
            change(entry);
        }
    }

    fn remove(&self, number: u64) {
        let entry = {
            let mut list = self.list();
            let mut entries = list.entries.iter();
            let at = entries.rposition(|entry| entry.number == number);
            at.map(|at| list.entries.swap_remove(at))
        };
        // Not under the lock: this may be the last reference to the device.
        drop(entry);
    }

    /// What is waited for, of the entries of which this holds.
    fn chosen(&self, which: impl Fn(&Entry) -> bool) -> Vec<What> {
        let list = self.list();
        let entries = list.entries.iter().filter(|entry| which(entry));
        entries.map(|entry| entry.what.clone()).collect()
    }

    /// Waits for all commands on a device and its parts.
    ///
    /// # Errors
    /// The first that a command or the driver has.
    pub fn finish_device(&self, device: &Device) -> Result {
        let mut result = Ok(());
        for what in self.chosen(|entry| entry.device.is_part_of(device)) {
            result = result.and(what.finish().flatten());
        }
        result
    }

    /// Waits for all commands of a context. One that failed has ended, too.
    ///
    /// # Errors
    /// What the driver says. Commands may go on then.
    pub fn finish_context(&self, context: &Context) -> Result {
        let native = context.native();
        let mut result = Ok(());
        for what in self.chosen(|entry| entry.context == native) {
            result = result.and(what.finish().map(drop));
        }
        result
    }

    /// Drops something when all commands of a context that were enqueued so far have ended, on a thread
    /// of the driver's unless they have, without waiting for them. If the driver cannot tell when that
    /// is, it stays.
    pub fn after_context<T: Send + Sync + 'static>(&self, context: &Context, last: Arc<T>) {
        let native = context.native();
        for what in self.chosen(|entry| entry.context == native) {
            let event = match what {
                What::Rest(event) => event,
                What::Queue(queue) => match mark(queue.api(), queue.get()) {
                    Ok(event) => Arc::new(event),
                    Err(_) => {
                        std::mem::forget(last.clone());
                        continue;
                    }
                },
            };
            let share = Arc::into_raw(last.clone()).cast_mut().cast();
            let set = event.api().clSetEventCallback;
            // SAFETY: a live event; the share is given away. If the driver does not take it, it stays.
            unsafe { set(event.get(), cl::CL_COMPLETE, Some(passed::<T>), share) };
        }
    }
}
