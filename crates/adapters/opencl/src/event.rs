//! Events: a program's view of a command.

pub mod callback;
pub mod submit;
pub mod waits;

pub use submit::{Call, submit};
pub use waits::Waits;

use crate::OpenCl;
use crate::cl::{self, Functions, Owned, check, query};
use crate::context::Context;
use crate::device::Device;
use crate::queue::Queue;
use std::ffi::c_void;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
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
    Changing(Mutex<Option<Bound>>),
}

/// The command that an event stands for.
#[derive(Debug)]
pub struct Bound {
    native: Owned<cl::cl_event>,
    /// None for an event that was made from one of OpenCL's.
    queue: Option<Handle<Queue>>,
    kind: ur_command_t,
    /// Whether its queue was flushed since.
    flushed: AtomicBool,
}

impl Bound {
    /// The command of `queue` that `native` stands for.
    pub fn new(native: Owned<cl::cl_event>, queue: &Object<Queue>, kind: ur_command_t) -> Self {
        Self {
            native,
            queue: Some(queue.handle()),
            kind,
            flushed: AtomicBool::new(false),
        }
    }

    /// Makes sure that the command is on its way: a driver may keep commands back until their queue
    /// is flushed, and whoever asks for a command's progress expects some.
    fn push(&self) {
        if let Some(queue) = &self.queue
            && !self.flushed.load(Ordering::Relaxed)
        {
            self.flushed.store(true, Ordering::Relaxed);
            // The command's own failure shows in its event.
            let _ = queue.flush();
        }
    }

    fn status(&self) -> Result<cl::cl_int> {
        native_status(&self.native)
    }

    /// A time of the command, 0 if the driver has none to tell.
    fn time(&self, name: cl::cl_uint) -> Result<u64> {
        query::value(|size, value, told| {
            let get = self.native.api().clGetEventProfilingInfo;
            // SAFETY: a live event; the places are as `query` says.
            unsafe { get(self.native.get(), name, size, value, told) }
        })
    }
}

/// How far the command of an event is, by OpenCL's numbers.
///
/// # Errors
/// What the driver says.
pub fn native_status(event: &Owned<cl::cl_event>) -> Result<cl::cl_int> {
    query::value(|size, value, told| {
        let name = cl::CL_EVENT_COMMAND_EXECUTION_STATUS;
        let get = event.api().clGetEventInfo;
        // SAFETY: a live event; the places are as `query` says.
        unsafe { get(event.get(), name, size, value, told) }
    })
}

/// A look at what an event is bound to.
enum View<'a> {
    Fixed(&'a Bound),
    Changing(MutexGuard<'a, Option<Bound>>),
}

impl View<'_> {
    fn bound(&self) -> Option<&Bound> {
        match self {
            View::Fixed(bound) => Some(bound),
            View::Changing(bound) => bound.as_ref(),
        }
    }
}

impl Event {
    /// The event of one command.
    pub fn new(context: &Object<Context>, bound: Bound) -> Result<Handle<Self>> {
        Handle::new(Self {
            binding: Binding::Fixed(bound),
            context: context.handle(),
        })
    }

    /// Its context.
    pub fn context(&self) -> &Handle<Context> {
        &self.context
    }

    fn api(&self) -> &'static Functions {
        self.context.api()
    }

    fn view(&self) -> View<'_> {
        match &self.binding {
            Binding::Fixed(bound) => View::Fixed(bound),
            Binding::Changing(bound) => {
                View::Changing(bound.lock().unwrap_or_else(PoisonError::into_inner))
            }
        }
    }

    /// Whether commands can complete it again and again.
    pub fn is_reusable(&self) -> bool {
        matches!(self.binding, Binding::Changing(_))
    }

    /// Makes a reusable event stand for another command; whoever waits for the one before goes on
    /// doing so.
    fn bind(&self, bound: Bound) -> Result {
        let Binding::Changing(place) = &self.binding else {
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

/// The API's number of a kind of command, for events that were made from OpenCL's.
fn kind(native: cl::cl_uint) -> Option<ur_command_t> {
    Some(match native {
        cl::CL_COMMAND_NDRANGE_KERNEL => UR_COMMAND_KERNEL_LAUNCH,
        cl::CL_COMMAND_MARKER | cl::CL_COMMAND_USER => UR_COMMAND_EVENTS_WAIT,
        cl::CL_COMMAND_BARRIER => UR_COMMAND_EVENTS_WAIT_WITH_BARRIER,
        cl::CL_COMMAND_READ_BUFFER => UR_COMMAND_MEM_BUFFER_READ,
        cl::CL_COMMAND_WRITE_BUFFER => UR_COMMAND_MEM_BUFFER_WRITE,
        cl::CL_COMMAND_READ_BUFFER_RECT => UR_COMMAND_MEM_BUFFER_READ_RECT,
        cl::CL_COMMAND_WRITE_BUFFER_RECT => UR_COMMAND_MEM_BUFFER_WRITE_RECT,
        cl::CL_COMMAND_COPY_BUFFER => UR_COMMAND_MEM_BUFFER_COPY,
        cl::CL_COMMAND_COPY_BUFFER_RECT => UR_COMMAND_MEM_BUFFER_COPY_RECT,
        cl::CL_COMMAND_FILL_BUFFER => UR_COMMAND_MEM_BUFFER_FILL,
        cl::CL_COMMAND_READ_IMAGE => UR_COMMAND_MEM_IMAGE_READ,
        cl::CL_COMMAND_WRITE_IMAGE => UR_COMMAND_MEM_IMAGE_WRITE,
        cl::CL_COMMAND_COPY_IMAGE => UR_COMMAND_MEM_IMAGE_COPY,
        cl::CL_COMMAND_MAP_BUFFER => UR_COMMAND_MEM_BUFFER_MAP,
        cl::CL_COMMAND_UNMAP_MEM_OBJECT => UR_COMMAND_MEM_UNMAP,
        cl::CL_COMMAND_SVM_MEMFILL | cl::CL_COMMAND_MEMFILL_INTEL => UR_COMMAND_USM_FILL,
        cl::CL_COMMAND_SVM_MEMCPY | cl::CL_COMMAND_MEMCPY_INTEL => UR_COMMAND_USM_MEMCPY,
        cl::CL_COMMAND_MIGRATEMEM_INTEL => UR_COMMAND_USM_PREFETCH,
        cl::CL_COMMAND_MEMADVISE_INTEL => UR_COMMAND_USM_ADVISE,
        _ => return None,
    })
}

fn status(native: cl::cl_int) -> ur_event_status_t {
    match native {
        cl::CL_COMPLETE => UR_EVENT_STATUS_COMPLETE,
        cl::CL_RUNNING => UR_EVENT_STATUS_RUNNING,
        cl::CL_SUBMITTED => UR_EVENT_STATUS_SUBMITTED,
        cl::CL_QUEUED => UR_EVENT_STATUS_QUEUED,
        _ => UR_EVENT_STATUS_ERROR,
    }
}

impl EventFns for OpenCl {
    fn event_get_info(
        event: &Object<Event>,
        prop_name: ur_event_info_t,
        info: &mut Info<'_>,
    ) -> Result {
        let view = event.view();
        let bound = view.bound();
        match prop_name {
            UR_EVENT_INFO_COMMAND_QUEUE => match bound.and_then(|bound| bound.queue.as_ref()) {
                Some(queue) => info.handle(&**queue),
                None => info.value(std::ptr::null::<ur_queue_handle_t_>()),
            },
            UR_EVENT_INFO_CONTEXT => info.handle(&*event.context),
            UR_EVENT_INFO_COMMAND_TYPE => {
                let kind = bound.map_or(UR_COMMAND_EVENTS_WAIT_WITH_BARRIER, |bound| bound.kind);
                info.value(kind.0)
            }
            UR_EVENT_INFO_COMMAND_EXECUTION_STATUS => {
                let Some(bound) = bound else {
                    return info.value(UR_EVENT_STATUS_COMPLETE.0);
                };
                bound.push();
                info.value(status(bound.status()?).0)
            }
            _ => Err(Error::unsupported_query()),
        }
    }

    fn event_get_profiling_info(
        event: &Object<Event>,
        prop_name: ur_profiling_info_t,
        info: &mut Info<'_>,
    ) -> Result {
        let name = match prop_name {
            UR_PROFILING_INFO_COMMAND_QUEUED => cl::CL_PROFILING_COMMAND_QUEUED,
            UR_PROFILING_INFO_COMMAND_SUBMIT => cl::CL_PROFILING_COMMAND_SUBMIT,
            UR_PROFILING_INFO_COMMAND_START => cl::CL_PROFILING_COMMAND_START,
            // Commands have no children here, so that they are complete when they end.
            UR_PROFILING_INFO_COMMAND_END | UR_PROFILING_INFO_COMMAND_COMPLETE => {
                cl::CL_PROFILING_COMMAND_END
            }
            _ => return Err(Error::unsupported_query()),
        };
        let view = event.view();
        let missing = || Error::code(UR_RESULT_ERROR_PROFILING_INFO_NOT_AVAILABLE);
        let bound = view.bound().ok_or_else(missing)?;
        let time = bound.time(name)?;
        // Some drivers have no times for some commands, and say 0. Others say it only of when a
        // command was enqueued.
        if time == 0 && bound.time(cl::CL_PROFILING_COMMAND_END)? == 0 {
            return Err(missing());
        }
        info.value(time)
    }

    fn event_wait(event_wait_list: &[&Object<Event>]) -> Result {
        let first = event_wait_list
            .first()
            .ok_or(UR_RESULT_ERROR_INVALID_VALUE)?;
        let wait = first.api().clWaitForEvents;
        let same = |event: &&Object<Event>| event.context.is(&first.context);
        if event_wait_list.iter().all(same) {
            return Waits::of(event_wait_list, None)?.give(|count, list| match count {
                0 => Ok(()),
                // SAFETY: that many live events.
                count => check(unsafe { wait(count, list) }),
            });
        }
        // OpenCL waits for events of one context at a time. What is behind other queues is pushed by
        // making the list.
        let mut outcome = Ok(());
        for event in event_wait_list {
            let one = Self::event_wait(std::slice::from_ref(event));
            outcome = outcome.and(one);
        }
        outcome
    }

    fn event_get_native_handle(event: &Object<Event>) -> Result<ur_native_handle_t> {
        let view = event.view();
        let bound = view.bound().ok_or(UR_RESULT_ERROR_INVALID_EVENT)?;
        event.context.pending().note_others();
        Ok(bound.native.get().to_native())
    }

    fn event_create_with_native_handle(
        native_event: ur_native_handle_t,
        context: &Object<Context>,
        properties: Option<&ur_event_native_properties_t>,
    ) -> Result<Handle<Event>> {
        let api = context.api();
        let native = cl::cl_event::from_native(native_event);
        if native.is_null() {
            return Err(Error::code(UR_RESULT_ERROR_INVALID_EVENT));
        }
        let get = api.clGetEventInfo;
        let of: cl::cl_context = query::value(|size, value, told| {
            // SAFETY: the program passes a live event; the places are as `query` says.
            unsafe { get(native, cl::CL_EVENT_CONTEXT, size, value, told) }
        })?;
        if of != context.native() {
            return Err(Error::code(UR_RESULT_ERROR_INVALID_CONTEXT));
        }
        let command: cl::cl_uint = query::value(|size, value, told| {
            // SAFETY: as above.
            unsafe { get(native, cl::CL_EVENT_COMMAND_TYPE, size, value, told) }
        })?;
        let owned = properties.is_some_and(|properties| properties.isNativeHandleOwned);
        // SAFETY: a live event; the program says whether its reference is ours.
        let native = unsafe { Owned::of_native(api, native, owned) }?;
        let bound = Bound {
            native,
            queue: None,
            // What the API has no number for is at least something to wait for.
            kind: kind(command).unwrap_or(UR_COMMAND_EVENTS_WAIT),
            flushed: AtomicBool::new(true),
        };
        Event::new(context, bound)
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

impl EventExpFns for OpenCl {
    fn event_create_exp(
        context: &Object<Context>,
        device: &Object<Device>,
        event_desc: &ur_exp_event_desc_t,
    ) -> Result<Handle<Event>> {
        let known = UR_EXP_EVENT_FLAG_ENABLE_PROFILING.0 | UR_EXP_EVENT_FLAG_IPC_EXP.0;
        if event_desc.flags & !known != 0 {
            return Err(Error::code(UR_RESULT_ERROR_INVALID_ENUMERATION));
        }
        if event_desc.flags != 0 {
            return Err(Error::new(
                UR_RESULT_ERROR_UNSUPPORTED_FEATURE,
                "times are a matter of the queue, and events are of one process",
            ));
        }
        if !context.has(device) {
            return Err(Error::new(
                UR_RESULT_ERROR_INVALID_DEVICE,
                "the device does not belong to the context",
            ));
        }
        Handle::new(Event {
            binding: Binding::Changing(Mutex::default()),
            context: context.handle(),
        })
    }
}
