//! Enqueueing commands.

use super::{Bound, Event, Keep, Signal, Waits, times};
use crate::queue::Queue;
use crate::ze::{self, Functions, check};
use std::cell::Cell;
use std::sync::Arc;
use ur_adapter::{Error, Object, Result, Slot};
use ur_api::*;

/// Which engine is best for a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    /// One that runs kernels; it does everything.
    Compute,
    /// One that copies, if the device and the queue have one.
    Copy,
    /// None: the host signals the end.
    Host,
    /// Any: the command does nothing but wait, and others need not wait for it.
    Mark,
}

/// A command that is to be enqueued.
#[derive(Clone, Copy, Debug)]
pub struct Command<'a> {
    kind: ur_command_t,
    waits: &'a [&'a Object<Event>],
    engine: Engine,
    blocking: bool,
    barrier: bool,
    all: bool,
    timed: bool,
}

impl<'a> Command<'a> {
    /// A command that waits for these events, for an engine that runs kernels.
    pub fn new(kind: ur_command_t, waits: &'a [&'a Object<Event>]) -> Self {
        Self {
            kind,
            waits,
            engine: Engine::Compute,
            blocking: false,
            barrier: false,
            all: false,
            timed: false,
        }
    }

    /// The same for an engine that copies, if there is one.
    #[must_use]
    pub fn copies(mut self) -> Self {
        self.engine = Engine::Copy;
        self
    }

    /// The same; if `blocking`, the call ends only after the command.
    #[must_use]
    pub fn blocking(mut self, blocking: bool) -> Self {
        self.blocking = blocking;
        self
    }

    /// The same; no later command of the queue begins before it has ended and, if it waits for no
    /// events, it waits for all earlier ones.
    #[must_use]
    pub fn barrier(mut self) -> Self {
        self.barrier = true;
        self.all = self.waits.is_empty();
        self
    }

    /// The same for a command that does nothing but wait: without events for all earlier commands. Later
    /// ones need not wait for it.
    #[must_use]
    pub fn marks(mut self) -> Self {
        self.engine = Engine::Mark;
        self.all = self.waits.is_empty();
        self
    }

    /// The same for a command whose end the host signals; what is appended must not.
    #[must_use]
    pub fn on_host(mut self) -> Self {
        self.engine = Engine::Host;
        self
    }

    /// The same; its times are recorded on any queue.
    #[must_use]
    pub fn timed(mut self) -> Self {
        self.timed = true;
        self
    }
}

/// What has been appended by a call that fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Begun {
    /// Nothing.
    No,
    /// Something, with a signal behind it.
    Yes,
    /// Something, and nothing tells its end.
    Untold,
}

/// What every command of a list of Level Zero's takes.
#[derive(Debug)]
pub struct Call {
    /// The library's functions.
    pub api: &'static Functions,
    /// The list.
    pub list: ze::ze_command_list_handle_t,
    /// What the command signals; null if nobody wants to know.
    pub signal: ze::ze_event_handle_t,
    /// How many events to wait for.
    pub count: u32,
    /// The events to wait for; null if there are none.
    pub waits: *const ze::ze_event_handle_t,
    /// What has been appended if the call fails.
    pub(crate) begun: Cell<Begun>,
}

impl Call {
    /// Appends any number of commands of Level Zero's that are one for the program: they begin after
    /// what is waited for, and the signal comes after the end of all. Those that `append` appends to
    /// the list that it is given wait for nothing and signal nothing of the call's. Between those that
    /// need each other, [`Call::barrier`] stands.
    ///
    /// # Errors
    /// What `append` or the driver says.
    pub fn several(&self, append: impl FnOnce(ze::ze_command_list_handle_t) -> Result) -> Result {
        let barrier = self.api.zeCommandListAppendBarrier;
        let none = ze::ze_event_handle_t::NULL;
        if self.count > 0 {
            // SAFETY: a list that the caller has for itself, and live events.
            check(unsafe { barrier(self.list, none, self.count, self.waits) })?;
        }
        self.begun.set(Begun::Untold);
        let appended = append(self.list);
        // Also after a failure: what came before it runs, and someone must know until when. So a driver
        // that lacks something for this gets another chance.
        // SAFETY: as above.
        let end = || check(unsafe { barrier(self.list, self.signal, 0, std::ptr::null()) });
        end().or_else(|_| end())?;
        self.begun.set(Begun::Yes);
        appended
    }

    /// Lets later commands of the list begin only when the earlier ones have ended, for use in
    /// [`Call::several`].
    ///
    /// # Errors
    /// What the driver says.
    pub fn barrier(&self) -> Result {
        let none = ze::ze_event_handle_t::NULL;
        let barrier = self.api.zeCommandListAppendBarrier;
        // SAFETY: a list that the caller has for itself.
        check(unsafe { barrier(self.list, none, 0, std::ptr::null()) })
    }
}

/// Enqueues one command by a call of Level Zero's, waits for it if it blocks, and gives its event if the
/// program wants one. `keep` is what must live until the command has ended; it is dropped when that is
/// seen, by a call of the program and without a lock. `append` runs under the queue's lock: it makes its
/// one call with the call's list, signal and waits, or uses [`Call::several`].
///
/// # Errors
/// What `append` returns; `INVALID_EVENT` for a reusable event of another context than the queue's,
/// `INVALID_CONTEXT` for such an event to wait for; what the driver says of events and of the wait.
pub fn submit(
    queue: &Object<Queue>,
    command: &Command<'_>,
    slot: &mut Slot<Event>,
    keep: impl Keep + 'static,
    append: impl FnOnce(&Call) -> Result,
) -> Result {
    signal(queue, command, slot, keep, append)?;
    Ok(())
}

/// As [`submit`], and gives the command's end.
///
/// # Errors
/// As [`submit`].
pub fn signal(
    queue: &Object<Queue>,
    command: &Command<'_>,
    slot: &mut Slot<Event>,
    keep: impl Keep + 'static,
    append: impl FnOnce(&Call) -> Result,
) -> Result<Arc<Signal>> {
    let given = given(queue, slot)?;
    let wanted = slot.wanted();
    let waits = Waits::of(command.waits, queue.context(), Some(queue))?;
    let timed = command.timed || queue.is_profiled() || given.is_some_and(Event::is_profiled);
    let enqueued = if wanted && timed {
        times::ticks(queue.device())
    } else {
        None
    };
    let how = crate::queue::How {
        engine: command.engine,
        told: wanted || command.blocking || command.engine == Engine::Host,
        timed,
        barrier: command.barrier,
        all: command.all,
    };
    let signal = queue.append(how, waits, Box::new(keep), append)?;
    if command.blocking {
        queue.flush()?;
        signal.wait(u64::MAX)?;
        queue.settle(&signal);
    }
    if !wanted {
        return Ok(signal);
    }
    let bound = Bound {
        signal: signal.clone(),
        queue: Some(queue.handle()),
        kind: command.kind,
        enqueued,
    };
    match given {
        Some(event) => event.bind(bound)?,
        None => slot.put(Event::new(queue.context(), bound)?),
    }
    Ok(signal)
}

/// The reusable event that a call is given to complete, if it is given one. Any other event that stands
/// there is left alone: the call makes a new one, as for a null handle.
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
    // SAFETY: the object lives as long as the call, which the slot was promised; the slot's own borrow
    // is only of the pointer to it.
    Ok(Some(unsafe { &*std::ptr::from_ref(event) }))
}
