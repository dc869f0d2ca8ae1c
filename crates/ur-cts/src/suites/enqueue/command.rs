//! What all functions of `urEnqueue…` have in common, for cases that are the same for each.

use crate::failure::{Stop, check};
use crate::objects::{Context, Event, Kernel, Program, Queue};
use crate::world::{Cx, Flags};
use crate::{Outcome, ok};
use std::ptr::{null, null_mut};
use ur_api::*;

/// A wait list as a call takes it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wait {
    /// How many.
    pub(crate) count: u32,
    /// The events, or null.
    pub(crate) list: *const ur_event_handle_t,
}

impl Wait {
    /// No list.
    pub(crate) const NONE: Wait = Wait {
        count: 0,
        list: null(),
    };

    /// A list of these; none, if there is none.
    pub(crate) fn of(events: &[ur_event_handle_t]) -> Wait {
        if events.is_empty() {
            return Wait::NONE;
        }
        Wait {
            count: events.len() as u32,
            list: events.as_ptr(),
        }
    }
}

/// Where a command is enqueued: a context, the queue that it is about, and another one that is in
/// order, to prepare things and to look at them.
#[derive(Debug)]
pub(crate) struct Scene {
    // In this order, so that each goes before what it was made of.
    pub(crate) queue: Queue,
    pub(crate) other: Queue,
    pub(crate) context: Context,
    pub(crate) cx: Cx,
}

impl Scene {
    /// A scene whose queue has these flags.
    ///
    /// # Errors
    /// When the device does not say that queues may have the flags, or something cannot be made.
    #[track_caller]
    pub(crate) fn new(cx: &Cx, flags: impl Into<Flags>) -> Result<Scene, Stop> {
        let flags = flags.into();
        if flags.0 != 0 {
            cx.needs_bits(UR_DEVICE_INFO_QUEUE_PROPERTIES, flags)?;
        }
        let context = cx.context()?;
        Ok(Scene {
            queue: Queue::new(&context, cx.device(), flags)?,
            other: Queue::new(&context, cx.device(), 0)?,
            context,
            cx: *cx,
        })
    }

    /// A kernel of a module.
    ///
    /// # Errors
    /// When the device has no compiler, or something cannot be made.
    #[track_caller]
    pub(crate) fn kernel(&self, il: &[u8], name: &std::ffi::CStr) -> Result<Kernel, Stop> {
        self.cx.needs(UR_DEVICE_INFO_COMPILER_AVAILABLE)?;
        let program = Program::built(&self.context, il)?;
        Kernel::new(&program, name)
    }
}

/// A call that is ready to be made, with the objects that it needs. Nothing of it may be pending when
/// it goes away.
pub(crate) trait Command {
    /// Makes the call.
    fn enqueue(
        &mut self,
        queue: ur_queue_handle_t,
        blocking: bool,
        wait: Wait,
        event: *mut ur_event_handle_t,
    ) -> ur_result_t;

    /// Whether the effect of the command is there; none if there is none to be seen.
    ///
    /// # Errors
    /// When looking fails.
    fn happened(&mut self, scene: &Scene) -> Result<Option<bool>, Stop>;

    /// Releases the objects that the command uses and `happened` does not need.
    ///
    /// # Errors
    /// When a release does not succeed.
    fn forget(&mut self) -> Outcome {
        Ok(())
    }

    /// Ends what the command left behind; nothing is pending any more.
    ///
    /// # Errors
    /// When a call does not succeed.
    fn end(&mut self, _: &Scene) -> Outcome {
        Ok(())
    }
}

/// A function of `urEnqueue…`.
#[derive(Clone, Copy)]
pub(crate) struct Subject {
    /// The function.
    pub(crate) call: &'static str,
    /// What events of it say that their command is.
    pub(crate) command: ur_command_t,
    /// Whether it has a parameter that makes it wait.
    pub(crate) blocks: bool,
    /// Whether a call that waits does so until the command has ended; a write is only done with its
    /// source.
    pub(crate) completes: bool,
    /// Whether it has a wait list.
    pub(crate) waits: bool,
    /// Whether it may go without an event.
    pub(crate) eventless: bool,
    /// Makes a call ready.
    pub(crate) make: fn(&Scene) -> Result<Box<dyn Command>, Stop>,
}

impl Subject {
    /// A function without more than a wait list and an event that may be null.
    pub(crate) const fn new(
        call: &'static str,
        command: ur_command_t,
        make: fn(&Scene) -> Result<Box<dyn Command>, Stop>,
    ) -> Subject {
        Subject {
            call,
            command,
            blocks: false,
            completes: true,
            waits: true,
            eventless: true,
            make,
        }
    }

    /// One that has a parameter that makes it wait.
    pub(crate) const fn blocking(self) -> Subject {
        Subject {
            blocks: true,
            ..self
        }
    }

    /// One that writes from memory of the host.
    pub(crate) const fn writing(self) -> Subject {
        Subject {
            blocks: true,
            completes: false,
            ..self
        }
    }

    /// Makes the call, which must succeed, and gives its event.
    ///
    /// # Errors
    /// When it does not.
    #[track_caller]
    pub(crate) fn event(
        &self,
        command: &mut dyn Command,
        queue: &Queue,
        blocking: bool,
        wait: &[ur_event_handle_t],
    ) -> Result<Event, Stop> {
        Event::made(self.call, |out| {
            command.enqueue(queue.get(), blocking, Wait::of(wait), out)
        })
    }

    /// Makes the call, which must succeed, without an event where that may be.
    ///
    /// # Errors
    /// When it does not.
    #[track_caller]
    pub(crate) fn plain(
        &self,
        command: &mut dyn Command,
        queue: &Queue,
        blocking: bool,
        wait: &[ur_event_handle_t],
    ) -> Outcome {
        if !self.eventless {
            self.event(command, queue, blocking, wait)?;
            return Ok(());
        }
        let code = command.enqueue(queue.get(), blocking, Wait::of(wait), null_mut());
        check(self.call, UR_RESULT_SUCCESS, code)?;
        Ok(())
    }
}

/// The end of a test's work: waits for both queues.
#[track_caller]
pub(crate) fn settle(scene: &Scene) -> Outcome {
    ok!(urQueueFinish(scene.queue.get()))?;
    ok!(urQueueFinish(scene.other.get()))?;
    Ok(())
}
