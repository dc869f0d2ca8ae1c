//! Holding commands back.

use super::{Context, Event, Queue};
use crate::failure::{Stop, check};
use crate::library::Library;
use crate::ok;
use crate::ur;
use crate::world::Cx;
use std::ffi::c_void;
use std::path::Path;
use std::ptr::{null, null_mut};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use ur_api::*;

/// Whether a host task may go on.
#[derive(Debug, Default)]
struct Latch {
    open: Mutex<bool>,
    changed: Condvar,
}

impl Latch {
    fn open(&self) {
        *self.open.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.changed.notify_all();
    }

    fn pass(&self) {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        while !*open {
            open = self
                .changed
                .wait(open)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }
}

unsafe extern "C" fn pass(latch: *mut c_void) {
    // SAFETY: the enqueue gave a reference of its own to the only call of this task.
    unsafe { Arc::from_raw(latch.cast_const().cast::<Latch>()) }.pass();
}

/// What a dam's command waits for.
#[derive(Debug)]
enum Held {
    /// A host task.
    Task(Arc<Latch>),
    /// An event of OpenCL that the program itself completes.
    User(UserEvent),
}

/// An event of OpenCL that the program itself completes.
#[derive(Debug)]
struct UserEvent {
    native: ur_native_handle_t,
    set_status: SetStatus,
    event: Event,
}

type Create = Option<unsafe extern "C" fn(*mut c_void, *mut i32) -> *mut c_void>;
type SetStatus = Option<unsafe extern "C" fn(*mut c_void, i32) -> i32>;

impl UserEvent {
    /// An event in a context of OpenCL.
    fn new(context: &Context) -> Result<UserEvent, Stop> {
        let broken = |what: &str| Stop::fail(format_args!("OpenCL: {what}"));
        let library = Library::open(Path::new("libOpenCL.so.1"));
        let library = library.map_err(|error| broken(&error.to_string()))?;
        // SAFETY: the types are those of OpenCL's functions of the names.
        let (create, set_status): (Create, SetStatus) = unsafe {
            (
                library.symbol(c"clCreateUserEvent"),
                library.symbol(c"clSetUserEventStatus"),
            )
        };
        let create = create.ok_or_else(|| broken("no user events"))?;
        let mut native = 0;
        ok!(urContextGetNativeHandle(context.get(), &raw mut native))?;
        // SAFETY: a context of OpenCL that lives; no place for an error is needed.
        let native = unsafe { create(as_pointer(native), null_mut()) };
        let native = native.expose_provenance();
        let properties = ur_event_native_properties_t {
            isNativeHandleOwned: true,
            ..Default::default()
        };
        let event = Event::made("urEventCreateWithNativeHandle", |out| {
            let (context, native) = (context.get(), native);
            let properties = &raw const properties;
            ur!(urEventCreateWithNativeHandle(
                native, context, properties, out
            ))
        })?;
        Ok(UserEvent {
            native,
            set_status,
            event,
        })
    }

    fn open(&self) {
        if let Some(set) = self.set_status {
            // SAFETY: the event lives. That it is complete already is an error that changes nothing.
            unsafe { set(as_pointer(self.native), 0) };
        }
    }
}

/// A native handle as OpenCL has it.
fn as_pointer(native: ur_native_handle_t) -> *mut c_void {
    std::ptr::with_exposed_provenance_mut(native)
}

/// A command that does not end until the dam is opened, and with it everything that waits for the
/// command. It opens when it goes away, which must be before its context does.
#[derive(Debug)]
pub struct Dam {
    event: Event,
    held: Held,
    // After the event and the program, which are of it.
    _queue: Option<Queue>,
}

impl Dam {
    /// A dam in a queue of its own.
    ///
    /// # Errors
    /// As [`Dam::of`].
    #[track_caller]
    pub fn new(cx: &Cx, context: &Context) -> Result<Dam, Stop> {
        let queue = Queue::new(context, cx.device(), 0)?;
        let mut dam = Dam::of(cx, context, &queue)?;
        dam._queue = Some(queue);
        Ok(dam)
    }

    /// A dam as a command of a queue: a host task where there are such, and with OpenCL a wait for
    /// an event that the program itself completes.
    ///
    /// # Errors
    /// When there is neither, or a call does not succeed.
    #[track_caller]
    pub fn of(cx: &Cx, context: &Context, queue: &Queue) -> Result<Dam, Stop> {
        let tasks = cx.has(UR_DEVICE_INFO_ENQUEUE_HOST_TASK_SUPPORT_EXP);
        let dam = if tasks.unwrap_or(false) {
            Dam::task(queue)?
        } else if cx.backend() == UR_BACKEND_OPENCL {
            Dam::user(context, queue)?
        } else {
            let text = "nothing that holds commands back is here";
            return Err(Stop::Unsupported(text.into()));
        };
        if dam.event.ended()? {
            return Err(Stop::fail("a command that cannot have ended is complete"));
        }
        Ok(dam)
    }

    fn task(queue: &Queue) -> Result<Dam, Stop> {
        let latch = Arc::new(Latch::default());
        let data = Arc::into_raw(latch.clone()).cast_mut();
        let event = Event::made("urEnqueueHostTaskExp", |out| {
            let data = data.cast();
            let queue = queue.get();
            ur!(urEnqueueHostTaskExp(
                queue,
                Some(pass),
                data,
                null(),
                0,
                null(),
                out
            ))
        });
        if event.is_err() {
            // SAFETY: a task that was not enqueued has not taken the reference.
            drop(unsafe { Arc::from_raw(data.cast_const()) });
        }
        Ok(Dam {
            event: event?,
            held: Held::Task(latch),
            _queue: None,
        })
    }

    fn user(context: &Context, queue: &Queue) -> Result<Dam, Stop> {
        let user = UserEvent::new(context)?;
        let wait = [user.event.get()];
        let event = Event::made("urEnqueueEventsWait", |out| {
            ur!(urEnqueueEventsWait(queue.get(), 1, wait.as_ptr(), out))
        })?;
        Ok(Dam {
            event,
            held: Held::User(user),
            _queue: None,
        })
    }

    /// The event of the dam's command, for wait lists.
    pub fn event(&self) -> ur_event_handle_t {
        self.event.get()
    }

    /// Lets the command end. More than once is the same as once.
    pub fn open(&self) {
        match &self.held {
            Held::Task(latch) => latch.open(),
            Held::User(event) => event.open(),
        }
    }

    /// Lets the command end and waits for that.
    ///
    /// # Errors
    /// When the wait does not succeed.
    #[track_caller]
    pub fn pass(&self) -> Result<(), Stop> {
        self.open();
        self.event.wait()
    }
}

impl Drop for Dam {
    fn drop(&mut self) {
        self.open();
        let event = self.event.get();
        let code = ur!(urEventWait(1, &raw const event));
        if let Err(failure) = check("urEventWait", UR_RESULT_SUCCESS, code) {
            super::problem(format!("the dam: {failure:?}"));
        }
    }
}
