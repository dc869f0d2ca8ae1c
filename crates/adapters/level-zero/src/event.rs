//! Events: a program's view of a command.

pub mod callback;
pub mod pool;
pub mod signal;
pub mod submit;
pub mod times;
pub mod waits;
pub mod watch;

pub use pool::Pools;
pub use signal::{Keep, Signal};
pub use submit::{Call, Command, Engine, submit};
pub use waits::Waits;

use crate::LevelZero;
use crate::context::Context;
use crate::device::{Able, Device};
use crate::queue::Queue;
use crate::queue::backlog::End;
use crate::ze::{self, Owned};
use std::ffi::c_void;
use std::ops::Deref;
use std::sync::{Arc, Mutex, PoisonError};
use ur_adapter::{Error, EventExpFns, EventFns, Handle, Info, Object, Result};
use ur_api::*;

/// What an event handle names.
#[derive(Debug)]
pub struct Event {
    binding: Binding,
    context: Handle<Context>,
}

/// Whether the command that an event stands for can change. Most cannot, and are looked at without a
/// lock.
#[derive(Debug)]
enum Binding {
    Fixed(Bound),
    /// A reusable event; none until its first command, and complete until then.
    Changing {
        bound: Mutex<Option<Bound>>,
        /// Whether its commands record times on any queue.
        profiled: bool,
    },
}

/// The command that an event stands for.
#[derive(Clone, Debug)]
pub struct Bound {
    /// Its end.
    pub signal: Arc<Signal>,
    /// None for an event that was made from one of Level Zero's.
    pub queue: Option<Handle<Queue>>,
    /// What it is to the program.
    pub kind: ur_command_t,
    /// The device's time when it was enqueued, in ticks, if it is known.
    pub enqueued: Option<u64>,
}

impl Bound {
    /// Makes sure that the device has got the command.
    ///
    /// # Errors
    /// What the driver says.
    pub fn push(&self) -> Result {
        match &self.queue {
            Some(queue) if !self.signal.is_submitted() => queue.flush(),
            _ => Ok(()),
        }
    }

    /// Drops what is not needed any more once the command has ended.
    fn settle(&self) {
        match &self.queue {
            Some(queue) => queue.settle(&self.signal),
            None => self.signal.release(),
        }
    }

    fn status(&self) -> ur_event_status_t {
        // A failure to hand the command over shows in the signal.
        let _ = self.push();
        match self.signal.poll() {
            Ok(true) => {
                self.settle();
                UR_EVENT_STATUS_COMPLETE
            }
            // Level Zero does not tell when a command begins.
            Ok(false) => UR_EVENT_STATUS_SUBMITTED,
            Err(_) => UR_EVENT_STATUS_ERROR,
        }
    }
}

/// A look at what an event is bound to.
#[derive(Debug)]
pub enum View<'a> {
    /// What cannot change.
    Fixed(&'a Bound),
    /// What may change meanwhile.
    Copy(Bound),
}

impl Deref for View<'_> {
    type Target = Bound;
    fn deref(&self) -> &Bound {
        match self {
            View::Fixed(bound) => bound,
            View::Copy(bound) => bound,
        }
    }
}

impl Event {
    /// The event of one command.
    ///
    /// # Errors
    /// `OUT_OF_HOST_MEMORY`.
    pub fn new(context: &Handle<Context>, bound: Bound) -> Result<Handle<Self>> {
        Handle::new(Self {
            binding: Binding::Fixed(bound),
            context: context.clone(),
        })
    }

    /// Its context.
    pub fn context(&self) -> &Handle<Context> {
        &self.context
    }

    /// The command that it stands for; none for a reusable event before its first one.
    pub fn bound(&self) -> Option<View<'_>> {
        match &self.binding {
            Binding::Fixed(bound) => Some(View::Fixed(bound)),
            Binding::Changing { bound, .. } => {
                let bound = bound.lock().unwrap_or_else(PoisonError::into_inner);
                bound.clone().map(View::Copy)
            }
        }
    }

    /// Whether commands can complete it again and again.
    pub fn is_reusable(&self) -> bool {
        matches!(self.binding, Binding::Changing { .. })
    }

    /// Whether its commands record times on any queue.
    pub fn is_profiled(event: &Object<Self>) -> bool {
        matches!(event.binding, Binding::Changing { profiled: true, .. })
    }

    /// Makes a reusable event stand for another command; whoever waits for the one before goes on
    /// doing so.
    fn bind(&self, bound: Bound) -> Result {
        let Binding::Changing { bound: place, .. } = &self.binding else {
            return Err(Error::code(UR_RESULT_ERROR_INVALID_EVENT));
        };
        let old = {
            let mut place = place.lock().unwrap_or_else(PoisonError::into_inner);
            place.replace(bound)
        };
        // Dropped without the lock: that may free a queue.
        drop(old);
        Ok(())
    }
}

impl EventFns for LevelZero {
    fn event_get_info(
        event: &Object<Event>,
        prop_name: ur_event_info_t,
        info: &mut Info<'_>,
    ) -> Result {
        let bound = event.bound();
        match prop_name {
            UR_EVENT_INFO_COMMAND_QUEUE => match bound.as_ref().and_then(|b| b.queue.as_ref()) {
                Some(queue) => info.handle(&**queue),
                None => info.value(std::ptr::null::<ur_queue_handle_t_>()),
            },
            UR_EVENT_INFO_CONTEXT => info.handle(&*event.context),
            UR_EVENT_INFO_COMMAND_TYPE => {
                let kind = bound.map_or(UR_COMMAND_EVENTS_WAIT_WITH_BARRIER, |bound| bound.kind);
                info.value(kind.0)
            }
            UR_EVENT_INFO_COMMAND_EXECUTION_STATUS => {
                let status = bound.map_or(UR_EVENT_STATUS_COMPLETE, |bound| bound.status());
                info.value(status.0)
            }
            _ => Err(Error::unsupported_query()),
        }
    }

    fn event_get_profiling_info(
        event: &Object<Event>,
        prop_name: ur_profiling_info_t,
        info: &mut Info<'_>,
    ) -> Result {
        let missing = || Error::code(UR_RESULT_ERROR_PROFILING_INFO_NOT_AVAILABLE);
        let bound = event.bound();
        let time = times::of(bound.as_deref(), prop_name)?;
        info.value(time.ok_or_else(missing)?)
    }

    fn event_wait(event_wait_list: &[&Object<Event>]) -> Result {
        if event_wait_list.is_empty() {
            return Err(Error::code(UR_RESULT_ERROR_INVALID_VALUE));
        }
        // All are on their way before the first is waited for.
        let mut outcome = Ok(());
        let bound: Vec<_> = event_wait_list.iter().filter_map(|e| e.bound()).collect();
        for bound in &bound {
            outcome = outcome.and(bound.push());
        }
        outcome?;
        let mut outcome = Ok(());
        for bound in &bound {
            match bound.signal.wait(u64::MAX) {
                Ok(_) => bound.settle(),
                Err(error) => outcome = outcome.and(Err(error)),
            }
        }
        outcome
    }

    fn event_get_native_handle(event: &Object<Event>) -> Result<ur_native_handle_t> {
        let bound = event.bound().ok_or(UR_RESULT_ERROR_INVALID_EVENT)?;
        // Who waits for it in Level Zero cannot hand the command over.
        bound.push()?;
        Ok(bound.signal.native().to_native())
    }

    fn event_create_with_native_handle(
        native_event: ur_native_handle_t,
        context: &Object<Context>,
        properties: Option<&ur_event_native_properties_t>,
    ) -> Result<Handle<Event>> {
        let native = ze::ze_event_handle_t::from_native(native_event);
        if native.is_null() {
            return Err(Error::code(UR_RESULT_ERROR_INVALID_EVENT));
        }
        let owned = properties.is_some_and(|properties| properties.isNativeHandleOwned);
        // SAFETY: a live event; the program says whether it is ours.
        let native = unsafe { Owned::of_native(context.api(), native, owned) };
        let context = context.handle();
        let bound = Bound {
            signal: Signal::of_native(&context, native),
            queue: None,
            // Level Zero does not tell; it is at least something to wait for.
            kind: UR_COMMAND_EVENTS_WAIT,
            enqueued: None,
        };
        Event::new(&context, bound)
    }

    unsafe fn event_set_callback(
        event: &Object<Event>,
        exec_status: ur_execution_info_t,
        notify: ur_event_callback_t,
        user_data: *mut c_void,
    ) -> Result {
        // SAFETY: forwarded.
        unsafe { callback::set(event, exec_status, notify, user_data) }
    }
}

impl EventExpFns for LevelZero {
    fn event_create_exp(
        context: &Object<Context>,
        device: &Object<Device>,
        event_desc: &ur_exp_event_desc_t,
    ) -> Result<Handle<Event>> {
        let known = UR_EXP_EVENT_FLAG_ENABLE_PROFILING.0 | UR_EXP_EVENT_FLAG_IPC_EXP.0;
        if event_desc.flags & !known != 0 {
            return Err(Error::code(UR_RESULT_ERROR_INVALID_ENUMERATION));
        }
        if event_desc.flags & UR_EXP_EVENT_FLAG_IPC_EXP.0 != 0 {
            return Err(Error::new(
                UR_RESULT_ERROR_UNSUPPORTED_FEATURE,
                "events are of one process",
            ));
        }
        if !context.has(device) {
            return Err(Error::new(
                UR_RESULT_ERROR_INVALID_DEVICE,
                "the device does not belong to the context",
            ));
        }
        Handle::new(Event {
            binding: Binding::Changing {
                bound: Mutex::default(),
                profiled: event_desc.flags & UR_EXP_EVENT_FLAG_ENABLE_PROFILING.0 != 0,
            },
            context: context.handle(),
        })
    }
}

/// What events of devices can do; none for other questions.
pub fn able(_: &Device, name: ur_device_info_t) -> Option<Able> {
    match name {
        UR_DEVICE_INFO_REUSABLE_EVENTS_SUPPORT_EXP
        | UR_DEVICE_INFO_PER_EVENT_PROFILING_SUPPORT_EXP => Some(Able::Bool(true)),
        _ => None,
    }
}
