//! What all enqueues have in common.

use super::kernel;
use super::work::Prepared;
use crate::clock;
use crate::code::Compiled;
use crate::command::{Command, Lane, Times};
use crate::event::Event;
use crate::graph::{self, Capture};
use crate::kernel::Kernel;
use crate::launch::Ready;
use crate::order::{Kind, Submission};
use crate::pool;
use crate::queue::Queue;
use crate::standstill::Running;
use crate::usm::async_alloc;
use crate::usm::pool::UsmPool;
use std::ffi::c_void;
use std::sync::Arc;
use ur_adapter::{Error, Object, Result, Slot};
use ur_api::*;

/// The parameters that every enqueue has.
pub(super) struct Call<'a> {
    pub(super) queue: &'a Object<Queue>,
    wait_list: &'a [&'a Object<Event>],
    event: &'a mut Slot<Event>,
    kind: ur_command_t,
}

impl<'a> Call<'a> {
    pub(super) fn new(
        queue: &'a Object<Queue>,
        wait_list: &'a [&'a Object<Event>],
        event: &'a mut Slot<Event>,
        kind: ur_command_t,
    ) -> Self {
        Call {
            queue,
            wait_list,
            event,
            kind,
        }
    }

    /// Whether work may be done on the spot, in the place of a command, without anybody noticing: the
    /// device is the whole CPU, nothing is captured, and what the call waits for has ended well.
    fn is_plain(&self) -> bool {
        self.event.given().is_none()
            && !self.queue.capturing().is_active()
            && !self.queue.device().is_sub_device()
            && self.wait_list.iter().all(|event| event.is_done())
    }

    /// Does short work on the spot, without a command, if nothing holds it back; says whether it did.
    ///
    /// # Errors
    /// `OUT_OF_HOST_MEMORY` for the event.
    pub(super) fn at_once(&mut self, work: impl FnOnce()) -> Result<bool> {
        if !self.is_plain() {
            return Ok(false);
        }
        let times = self.event.wanted() && self.queue.is_profiled();
        let queued = if times { clock::now() } else { 0 };
        {
            // Before the queue is entered: who waits for a standstill inside would keep the queue's other
            // users waiting, and maybe the thread that wants the standstill.
            let _running = Running::enter();
            let Some(_pass) = self.queue.order().enter() else {
                return Ok(false);
            };
            work();
        }
        if self.event.wanted() {
            let command = if times {
                Command::ended(Some(Times {
                    queued,
                    submitted: queued,
                    started: queued,
                    ended: clock::now(),
                }))
            } else {
                Command::completed()
            };
            Event::give_command(self.event, self.queue, command, self.kind, times)?;
        }
        Ok(true)
    }

    /// Launches a kernel, whose code `ready` was prepared for.
    pub(super) fn launch(
        mut self,
        kernel: &Kernel,
        compiled: &Arc<Compiled>,
        ready: &mut Ready,
    ) -> Result {
        // A kernel that waits for somebody must not be run by the thread that may be that somebody.
        if ready.is_quick(compiled)
            && !kernel.may_wait()
            && let Some(arena) = ready.arena()
            && self.at_once(|| ready.run_here(compiled, &arena))?
        {
            return Ok(());
        }
        self.work(kernel::take_prepared(compiled, ready), false, Lane::Compute)
    }

    /// Enqueues work, and waits for it if the call is a blocking one.
    pub(super) fn work(self, prepared: Prepared, blocking: bool, lane: Lane) -> Result {
        let prepared = match lane {
            Lane::Compute => prepared.on(self.queue.device()),
            // Code of the program is not the device's work.
            Lane::Host => prepared,
        };
        let inline = lane == Lane::Compute && prepared.pieces == 1 && (blocking || prepared.small);
        self.submit(
            Submission {
                work: Some((prepared.work, prepared.pieces)),
                lane,
                profiled: false,
                inline,
                kind: Kind::Normal,
            },
            blocking,
        )
    }

    /// Enqueues an allocation of USM of type `ty`, and gives the memory.
    pub(super) fn allocate(
        self,
        pool: Option<&Object<UsmPool>>,
        ty: ur_usm_type_t,
        size: usize,
        properties: Option<&ur_exp_async_usm_alloc_properties_t>,
    ) -> Result<*mut c_void> {
        graph::refuse(self.queue, self.wait_list)?;
        let mem = async_alloc::take(self.queue, pool, ty, size, properties)?;
        self.order(Kind::Normal, false)?;
        Ok(mem)
    }

    /// Enqueues a command that only orders others.
    pub(super) fn order(self, kind: Kind, blocking: bool) -> Result {
        self.submit(
            Submission {
                work: None,
                lane: Lane::Compute,
                profiled: false,
                inline: true,
                kind,
            },
            blocking,
        )
    }

    pub(super) fn submit(self, mut submission: Submission, blocking: bool) -> Result {
        let given = Event::given(self.queue, self.event)?;
        let profiled = self.queue.is_profiled()
            || submission.profiled
            || given.is_some_and(|event| event.wants_times());
        submission.profiled = profiled;
        let captured = Capture::record(
            self.queue,
            self.wait_list,
            self.event,
            self.kind,
            submission,
            blocking,
        )?;
        let Some(submission) = captured else {
            return Ok(());
        };
        let command = self.enqueue(submission);
        if self.event.wanted() {
            Event::give_command(self.event, self.queue, command.clone(), self.kind, profiled)?;
        }
        if blocking {
            pool::get().wait(&command);
            command.outcome().map_err(|code| self.failed(code))?;
        }
        Ok(())
    }

    fn enqueue(&self, submission: Submission) -> Arc<Command> {
        let wait_list: Vec<_> = self.wait_list.iter().map(|event| event.command()).collect();
        self.queue.order().submit(submission, &wait_list)
    }

    /// The error of a blocking call whose command failed.
    fn failed(&self, code: ur_result_t) -> Error {
        let inherited = self
            .wait_list
            .iter()
            .any(|event| event.command().outcome().is_err());
        if inherited {
            Error::code(UR_RESULT_ERROR_IN_EVENT_LIST_EXEC_STATUS)
        } else {
            Error::code(code)
        }
    }
}
