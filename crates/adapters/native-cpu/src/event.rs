//! Events: a program's view of a command.

use crate::command::{Command, Times};
use crate::context::Context;
use crate::device::Device;
use crate::fork::{Guard, Mutex};
use crate::graph::Captured;
use crate::order::Group;
use crate::queue::Queue;
use crate::{NativeCpu, pool};
use std::ffi::c_void;
use std::ops::Deref;
use std::sync::Arc;
use ur_adapter::{Error, EventExpFns, EventFns, Handle, Info, Object, Result, Slot};
use ur_api::*;

/// What an event handle names.
pub struct Event {
    context: Handle<Context>,
    bound: Binding,
    /// Set for an event that the program made to be completed by one command after the other.
    reusable: Option<Reusable>,
}

/// How a reusable event is to be.
#[derive(Clone, Copy)]
struct Reusable {
    /// Whether it has times on queues that record none.
    profiled: bool,
}

/// Whether the command that an event stands for can change. Most cannot, and are looked at without a lock.
enum Binding {
    Fixed(Bound),
    Changing(Mutex<Bound>),
}

/// A look at what an event is bound to.
enum View<'a> {
    Fixed(&'a Bound),
    Changing(Guard<'a, Bound>),
}

impl Deref for View<'_> {
    type Target = Bound;

    fn deref(&self) -> &Bound {
        match self {
            View::Fixed(bound) => bound,
            View::Changing(bound) => bound,
        }
    }
}

/// The command that an event stands for at present.
#[derive(Clone)]
struct Bound {
    /// None until a command is enqueued.
    queue: Option<Handle<Queue>>,
    command: Arc<Command>,
    /// The first command of a group that `command` ends.
    first: Option<Arc<Command>>,
    kind: ur_command_t,
    /// Whether the times are for the program to see.
    profiled: bool,
    /// Set for a command that was captured instead of enqueued.
    captured: Option<Captured>,
}

impl Bound {
    fn times(&self) -> Times {
        let times = self.command.times();
        match &self.first {
            None => times,
            Some(first) => {
                let begin = first.times();
                Times {
                    started: begin.ended,
                    ended: times.ended,
                    ..begin
                }
            }
        }
    }
}

impl Event {
    fn new(context: &Object<Context>, bound: Bound) -> Result<Handle<Event>> {
        Handle::new(Event {
            context: context.handle(),
            bound: Binding::Fixed(bound),
            reusable: None,
        })
    }

    /// An event that commands can be made to complete, one after the other; complete from the start.
    ///
    /// # Errors
    /// `OUT_OF_HOST_MEMORY`.
    fn reusable(context: &Object<Context>, profiled: bool) -> Result<Handle<Event>> {
        Handle::new(Event {
            context: context.handle(),
            bound: Binding::Changing(Mutex::new(Bound {
                queue: None,
                command: Command::completed(),
                first: None,
                // What its commands are, once there are some.
                kind: UR_COMMAND_EVENTS_WAIT_WITH_BARRIER,
                profiled: false,
                captured: None,
            })),
            reusable: Some(Reusable { profiled }),
        })
    }

    /// The reusable event that a call is given to complete, if it is given one. Any other event that
    /// stands there is left alone: the call makes a new one, as for a null handle.
    ///
    /// # Errors
    /// `INVALID_EVENT` for an event of another context than the queue's.
    pub fn given<'a>(queue: &Queue, slot: &'a Slot<Event>) -> Result<Option<&'a Object<Event>>> {
        let given = slot.given().filter(|event| event.reusable.is_some());
        if given.is_some_and(|event| !event.context.is(queue.context())) {
            return Err(Error::new(
                UR_RESULT_ERROR_INVALID_EVENT,
                "the event is of another context than the queue",
            ));
        }
        Ok(given)
    }

    /// Whether commands that complete it record times even if their queue records none.
    pub fn wants_times(&self) -> bool {
        self.reusable.is_some_and(|reusable| reusable.profiled)
    }

    /// Gives a call its event: the reusable one that stands in `slot` is bound to the new command, and
    /// whoever waits for the one before goes on doing so; otherwise a new one is made, if the caller
    /// wants it.
    fn give(slot: &mut Slot<Event>, queue: &Object<Queue>, bound: Bound) -> Result {
        if let Some(event) = Self::given(queue, slot)? {
            let Binding::Changing(changing) = &event.bound else {
                return Err(Error::code(UR_RESULT_ERROR_INVALID_EVENT));
            };
            let old = std::mem::replace(&mut *changing.lock(), bound);
            // Dropped without the lock: that may free a queue.
            drop(old);
        } else if slot.wanted() {
            slot.put(Event::new(queue.context(), bound)?);
        }
        Ok(())
    }

    /// Gives a call the event of a command that `queue` captured: failed for everybody but other
    /// captured commands.
    ///
    /// # Errors
    /// `OUT_OF_HOST_MEMORY`, and as [`Event::given`].
    pub fn give_captured(
        slot: &mut Slot<Event>,
        queue: &Object<Queue>,
        kind: ur_command_t,
        captured: Captured,
    ) -> Result {
        let command = Command::promise(false);
        command.fail(UR_RESULT_ERROR_INVALID_OPERATION);
        if command.enqueued() {
            pool::get().dispatch(command.clone());
        }
        let bound = Bound {
            queue: Some(queue.handle()),
            command,
            first: None,
            kind,
            profiled: false,
            captured: Some(captured),
        };
        Self::give(slot, queue, bound)
    }

    /// The captured command that it stands for, if it does.
    pub fn captured(&self) -> Option<Captured> {
        self.bound().captured.clone()
    }

    /// Gives a call the event of a command that was enqueued on `queue`.
    ///
    /// # Errors
    /// `OUT_OF_HOST_MEMORY`, and as [`Event::given`].
    pub fn give_command(
        slot: &mut Slot<Event>,
        queue: &Object<Queue>,
        command: Arc<Command>,
        kind: ur_command_t,
        profiled: bool,
    ) -> Result {
        let bound = Bound {
            queue: Some(queue.handle()),
            command,
            first: None,
            kind,
            profiled,
            captured: None,
        };
        Self::give(slot, queue, bound)
    }

    /// Gives a call the event of a group of commands that was enqueued on `queue`.
    ///
    /// # Errors
    /// `OUT_OF_HOST_MEMORY`, and as [`Event::given`].
    pub fn give_group(
        slot: &mut Slot<Event>,
        queue: &Object<Queue>,
        group: Group,
        kind: ur_command_t,
    ) -> Result {
        let bound = Bound {
            queue: Some(queue.handle()),
            command: group.last,
            first: Some(group.first),
            kind,
            profiled: queue.is_profiled(),
            captured: None,
        };
        Self::give(slot, queue, bound)
    }

    /// The event of a command that will be enqueued later; [`Event::keep`] binds it.
    ///
    /// # Errors
    /// `OUT_OF_HOST_MEMORY`.
    pub fn promise(
        context: &Object<Context>,
        kind: ur_command_t,
        profiled: bool,
    ) -> Result<Handle<Event>> {
        let bound = Bound {
            queue: None,
            command: Command::promise(profiled),
            first: None,
            kind,
            profiled,
            captured: None,
        };
        Handle::new(Event {
            context: context.handle(),
            bound: Binding::Changing(Mutex::new(bound)),
            reusable: None,
        })
    }

    /// Binds a promised event to the command it was promised for, which is not yet enqueued itself.
    /// Whoever already waits for the event waits for the command from now on.
    pub fn keep(&self, queue: &Object<Queue>, command: &Arc<Command>) {
        let Binding::Changing(changing) = &self.bound else {
            // Was never promised.
            return;
        };
        let promised = {
            let mut bound = changing.lock();
            bound.queue = Some(queue.handle());
            std::mem::replace(&mut bound.command, command.clone())
        };
        promised.depend_on(command, true);
        if promised.enqueued() {
            pool::get().dispatch(promised);
        }
    }

    /// Ends a promised event with a failure: its command will never be enqueued.
    pub fn abandon(&self) {
        let promised = self.command();
        promised.fail(UR_RESULT_ERROR_INVALID_EVENT);
        if promised.enqueued() {
            pool::get().dispatch(promised);
        }
    }

    fn bound(&self) -> View<'_> {
        match &self.bound {
            Binding::Fixed(bound) => View::Fixed(bound),
            Binding::Changing(bound) => View::Changing(bound.lock()),
        }
    }

    /// Whether its command has ended with success, and is one that was enqueued.
    pub fn is_done(&self) -> bool {
        let bound = self.bound();
        bound.captured.is_none() && bound.command.is_finished() && bound.command.outcome().is_ok()
    }

    /// The command.
    pub fn command(&self) -> Arc<Command> {
        self.bound().command.clone()
    }

    /// Whether its command cannot change any more and has ended, so that nobody needs to wait for it.
    fn is_settled(&self) -> bool {
        match &self.bound {
            Binding::Fixed(bound) => {
                bound.command.is_finished() && {
                    bound.command.settle();
                    true
                }
            }
            Binding::Changing(_) => false,
        }
    }

    /// Its context.
    pub fn context(&self) -> &Handle<Context> {
        &self.context
    }
}

/// The user's part of a callback.
struct Notify {
    event: Handle<Event>,
    function: unsafe extern "C" fn(ur_event_handle_t, ur_execution_info_t, *mut c_void),
    user_data: *mut c_void,
}

// SAFETY: the pointer is only handed back to the program.
unsafe impl Send for Notify {}

impl Notify {
    fn call(self, state: ur_event_status_t) {
        // The API has no number for an error here: a failed command has completed.
        let state = match state {
            UR_EVENT_STATUS_RUNNING => UR_EXECUTION_INFO_RUNNING,
            UR_EVENT_STATUS_SUBMITTED => UR_EXECUTION_INFO_SUBMITTED,
            _ => UR_EXECUTION_INFO_COMPLETE,
        };
        // SAFETY: the program gave the function for this call; the event is alive until after it.
        unsafe { (self.function)(self.event.raw(), state, self.user_data) };
    }
}

impl EventFns for NativeCpu {
    fn event_get_info(
        event: &Object<Event>,
        prop_name: ur_event_info_t,
        info: &mut Info<'_>,
    ) -> Result {
        match prop_name {
            UR_EVENT_INFO_COMMAND_QUEUE => {
                let queue = event.bound().queue.clone();
                match &queue {
                    Some(queue) => info.handle(&**queue),
                    None => info.value(std::ptr::null::<ur_queue_handle_t_>()),
                }
            }
            UR_EVENT_INFO_CONTEXT => info.handle(&*event.context),
            UR_EVENT_INFO_COMMAND_TYPE => info.value(event.bound().kind.0),
            UR_EVENT_INFO_COMMAND_EXECUTION_STATUS => info.value(event.bound().command.status().0),
            _ => Err(Error::unsupported_query()),
        }
    }

    fn event_get_profiling_info(
        event: &Object<Event>,
        prop_name: ur_profiling_info_t,
        info: &mut Info<'_>,
    ) -> Result {
        let bound = event.bound().clone();
        let command = &bound.command;
        let missing = || Error::code(UR_RESULT_ERROR_PROFILING_INFO_NOT_AVAILABLE);
        if !bound.profiled || !command.is_profiled() {
            return Err(missing());
        }
        let finished = command.is_finished();
        let times = bound.times();
        let time = match prop_name {
            UR_PROFILING_INFO_COMMAND_QUEUED => times.queued,
            // The API defines it as the time of the call for these.
            UR_PROFILING_INFO_COMMAND_SUBMIT
                if bound.kind == UR_COMMAND_TIMESTAMP_RECORDING_EXP =>
            {
                times.queued
            }
            UR_PROFILING_INFO_COMMAND_SUBMIT => times.submitted,
            UR_PROFILING_INFO_COMMAND_START => times.started,
            UR_PROFILING_INFO_COMMAND_END | UR_PROFILING_INFO_COMMAND_COMPLETE => times.ended,
            _ => return Err(Error::unsupported_query()),
        };
        // Before the end no time is final: a command that fails early has no start of its own.
        if !finished || time == 0 {
            return Err(missing());
        }
        info.value(time)
    }

    fn event_wait(event_wait_list: &[&Object<Event>]) -> Result {
        if event_wait_list.is_empty() {
            return Err(Error::code(UR_RESULT_ERROR_INVALID_VALUE));
        }
        for event in event_wait_list.iter().filter(|event| !event.is_settled()) {
            pool::get().wait(&event.command());
        }
        for event in event_wait_list {
            let outcome = event.bound().command.outcome();
            if let Err(code) = outcome {
                return Err(Error::new(
                    UR_RESULT_ERROR_IN_EVENT_LIST_EXEC_STATUS,
                    format!("a command failed: {code}"),
                ));
            }
        }
        Ok(())
    }

    unsafe fn event_set_callback(
        event: &Object<Event>,
        exec_status: ur_execution_info_t,
        notify: ur_event_callback_t,
        user_data: *mut c_void,
    ) -> Result {
        let function = notify.ok_or_else(|| Error::code(UR_RESULT_ERROR_INVALID_NULL_POINTER))?;
        let at = match exec_status {
            UR_EXECUTION_INFO_COMPLETE => UR_EVENT_STATUS_COMPLETE,
            UR_EXECUTION_INFO_RUNNING => UR_EVENT_STATUS_RUNNING,
            UR_EXECUTION_INFO_SUBMITTED => UR_EVENT_STATUS_SUBMITTED,
            UR_EXECUTION_INFO_QUEUED => return Err(Error::unsupported_query()),
            _ => return Err(Error::code(UR_RESULT_ERROR_INVALID_ENUMERATION)),
        };
        let notify = Notify {
            event: event.handle(),
            function,
            user_data,
        };
        let due = event
            .command()
            .when(at, Box::new(move |state| notify.call(state)));
        if let Some(due) = due {
            pool::get().call(due);
        }
        Ok(())
    }
}

impl EventExpFns for NativeCpu {
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
                "events are not shared between processes",
            ));
        }
        if !context.has(device) {
            return Err(Error::new(
                UR_RESULT_ERROR_INVALID_DEVICE,
                "the device does not belong to the context",
            ));
        }
        let profiled = event_desc.flags & UR_EXP_EVENT_FLAG_ENABLE_PROFILING.0 != 0;
        Event::reusable(context, profiled)
    }
}
