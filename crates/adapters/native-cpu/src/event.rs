//! Events: a program's view of a command.

use crate::command::{Command, Times};
use crate::context::Context;
use crate::graph::Captured;
use crate::order::Group;
use crate::queue::Queue;
use crate::{NativeCpu, pool};
use std::ffi::c_void;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use ur_adapter::{Error, EventFns, Handle, Info, Object, Result};
use ur_api::*;

/// What an event handle names.
pub struct Event {
    context: Handle<Context>,
    bound: Mutex<Bound>,
    /// Set for a command that was captured instead of enqueued.
    captured: Option<Captured>,
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
            bound: Mutex::new(bound),
            captured: None,
        })
    }

    /// The event of a command that `queue` captured: failed for everybody but other captured
    /// commands.
    ///
    /// # Errors
    /// `OUT_OF_HOST_MEMORY`.
    pub fn of_captured(
        queue: &Object<Queue>,
        kind: ur_command_t,
        captured: Captured,
    ) -> Result<Handle<Event>> {
        let command = Command::promise(false);
        command.fail(UR_RESULT_ERROR_INVALID_OPERATION);
        if command.enqueued() {
            pool::get().dispatch(command.clone());
        }
        Handle::new(Event {
            context: queue.context().clone(),
            bound: Mutex::new(Bound {
                queue: Some(queue.handle()),
                command,
                first: None,
                kind,
                profiled: false,
            }),
            captured: Some(captured),
        })
    }

    /// The captured command that it stands for, if it does.
    pub fn captured(&self) -> Option<&Captured> {
        self.captured.as_ref()
    }

    /// The event of a command that was enqueued on `queue`.
    ///
    /// # Errors
    /// `OUT_OF_HOST_MEMORY`.
    pub fn create(
        queue: &Object<Queue>,
        command: Arc<Command>,
        kind: ur_command_t,
        profiled: bool,
    ) -> Result<Handle<Event>> {
        let bound = Bound {
            queue: Some(queue.handle()),
            command,
            first: None,
            kind,
            profiled,
        };
        Event::new(queue.context(), bound)
    }

    /// The event of a group of commands that was enqueued on `queue`.
    ///
    /// # Errors
    /// `OUT_OF_HOST_MEMORY`.
    pub fn of_group(
        queue: &Object<Queue>,
        group: Group,
        kind: ur_command_t,
        profiled: bool,
    ) -> Result<Handle<Event>> {
        let bound = Bound {
            queue: Some(queue.handle()),
            command: group.last,
            first: Some(group.first),
            kind,
            profiled,
        };
        Event::new(queue.context(), bound)
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
        };
        Event::new(context, bound)
    }

    /// Binds a promised event to the command it was promised for, which is not yet enqueued itself.
    /// Whoever already waits for the event waits for the command from now on.
    pub fn keep(&self, queue: &Object<Queue>, command: &Arc<Command>) {
        let promised = {
            let mut bound = self.bound();
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

    fn bound(&self) -> MutexGuard<'_, Bound> {
        self.bound.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The command.
    pub fn command(&self) -> Arc<Command> {
        self.bound().command.clone()
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
            UR_EVENT_INFO_COMMAND_EXECUTION_STATUS => info.value(event.command().status().0),
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
        let pool = pool::get();
        for event in event_wait_list {
            pool.wait(&event.command());
        }
        for event in event_wait_list {
            if let Err(code) = event.command().outcome() {
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
