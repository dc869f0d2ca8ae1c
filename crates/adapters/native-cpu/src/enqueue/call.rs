//! What all enqueues have in common.

use super::work::{INLINE, Prepared};
use crate::command::{Command, Lane};
use crate::event::Event;
use crate::graph::{self, Capture};
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

    /// Does work of `size` bytes on the spot, without a command, if nobody can tell the difference: it
    /// is small, nothing holds it back and no event is asked for. Says whether it did.
    pub(super) fn at_once(&self, size: usize, work: impl FnOnce()) -> bool {
        let plain = size <= INLINE
            && self.wait_list.is_empty()
            && !self.event.wanted()
            && !self.queue.capturing().is_active()
            && !self.queue.device().is_sub_device();
        if !plain {
            return false;
        }
        // Before the queue's lock: who waits for a standstill with a lock held would keep a fork
        // waiting, and that the thread that wants the standstill.
        let _running = Running::enter();
        self.queue.order().at_once(work)
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
