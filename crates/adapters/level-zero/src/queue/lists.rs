//! The command lists of a queue: immediate ones, or those that are handed over in batches.

use super::backlog::{COPY, Execute, Kept, Place};
use super::priority;
use crate::context::Context;
use crate::device::Device;
use crate::ze::{self, Owned, check};
use std::collections::VecDeque;
use ur_adapter::{Error, Result};
use ur_api::*;

/// Commands that a list takes before it is handed over.
const FULL: u32 = 64;

/// Where commands of a queue go.
#[derive(Debug)]
pub enum Lists {
    /// A list for each purpose ([`Place`]), made when the first command needs it.
    Immediate([Option<Owned<ze::ze_command_list_handle_t>>; 3]),
    /// Lists that are closed and executed.
    Batched(Batch),
}

/// The engine that lists are for, and how they are.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// The group of engines.
    pub ordinal: u32,
    /// Which of the group.
    pub index: u32,
    /// The queue's own flags in the API.
    pub wanted: u32,
}

impl Target {
    /// For the list of a place.
    ///
    /// # Errors
    /// `INVALID_DEVICE` for a device without such engines.
    pub fn new(device: &Device, place: Place, index: u32, wanted: u32) -> Result<Self> {
        let facts = device.facts();
        let (group, index) = match place {
            COPY => (facts.copy_group(), 0),
            _ => (facts.compute_group(), index),
        };
        let none = || Error::new(UR_RESULT_ERROR_INVALID_DEVICE, "no engine for the commands");
        Ok(Self {
            ordinal: group.ok_or_else(none)?,
            index,
            wanted,
        })
    }

    fn desc(&self, flags: u32) -> ze::ze_command_queue_desc_t {
        let mut desc = ze::ze_command_queue_desc_t::new();
        desc.ordinal = self.ordinal;
        desc.index = self.index;
        desc.flags = flags;
        desc.mode = ze::ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS;
        desc.priority = priority(self.wanted);
        desc
    }

    /// An immediate list whose commands run in order, if the driver has such lists. Those of later
    /// versions may leave copies to other engines.
    pub fn in_order(
        &self,
        context: &Context,
        device: &Device,
    ) -> Option<Owned<ze::ze_command_list_handle_t>> {
        let in_order = ze::ZE_COMMAND_QUEUE_FLAG_IN_ORDER;
        let with_copies = in_order | ze::ZE_COMMAND_QUEUE_FLAG_COPY_OFFLOAD_HINT;
        let flags = match device.platform().version() >= ze::version(1, 13) {
            true => &[with_copies, in_order][..],
            false => &[in_order],
        };
        let mut lists = flags.iter();
        lists.find_map(|flags| self.list(context, device, *flags).ok())
    }

    /// An immediate list.
    ///
    /// # Errors
    /// What the driver says.
    pub fn immediate(
        &self,
        context: &Context,
        device: &Device,
    ) -> Result<Owned<ze::ze_command_list_handle_t>> {
        self.list(context, device, 0)
    }

    fn list(
        &self,
        context: &Context,
        device: &Device,
        flags: u32,
    ) -> Result<Owned<ze::ze_command_list_handle_t>> {
        let (api, desc) = (context.api(), self.desc(flags));
        let mut list = ze::ze_command_list_handle_t::NULL;
        let create = api.zeCommandListCreateImmediate;
        let (of, on) = (context.native(), device.native());
        // SAFETY: live objects and places of ours.
        check(unsafe { create(of, on, &raw const desc, &raw mut list) })?;
        // SAFETY: made for this call.
        Ok(unsafe { Owned::new(api, list) })
    }

    /// A queue for closed lists.
    ///
    /// # Errors
    /// What the driver says.
    pub fn queue(
        &self,
        context: &Context,
        device: &Device,
    ) -> Result<Owned<ze::ze_command_queue_handle_t>> {
        let (api, desc) = (context.api(), self.desc(0));
        let mut queue = ze::ze_command_queue_handle_t::NULL;
        let create = api.zeCommandQueueCreate;
        let (of, on) = (context.native(), device.native());
        // SAFETY: live objects and places of ours.
        check(unsafe { create(of, on, &raw const desc, &raw mut queue) })?;
        // SAFETY: made for this call.
        Ok(unsafe { Owned::new(api, queue) })
    }
}

/// A list with what says that its execution has ended.
#[derive(Debug)]
struct Round {
    list: Owned<ze::ze_command_list_handle_t>,
    fence: Owned<ze::ze_fence_handle_t>,
}

/// A command queue with the lists that go to it, one after another.
#[derive(Debug)]
pub struct Batch {
    target: Target,
    /// What takes commands at the moment, and how many it has.
    open: Option<(Round, u32)>,
    /// What the device has got, oldest first.
    running: VecDeque<Round>,
    /// Reset and empty.
    spare: Vec<Round>,
    /// Last, so that it goes after its fences.
    queue: Owned<ze::ze_command_queue_handle_t>,
}

impl Batch {
    /// Batches for a command queue.
    pub fn new(target: Target, queue: Owned<ze::ze_command_queue_handle_t>) -> Self {
        Self {
            target,
            open: None,
            running: VecDeque::new(),
            spare: Vec::new(),
            queue,
        }
    }

    /// Level Zero's own queue.
    pub fn native(&self) -> ze::ze_command_queue_handle_t {
        self.queue.get()
    }

    /// The list that takes the next command.
    ///
    /// # Errors
    /// What the driver says.
    pub fn list(
        &mut self,
        context: &Context,
        device: &Device,
    ) -> Result<ze::ze_command_list_handle_t> {
        if self.open.is_none() {
            self.recycle();
            let round = match self.spare.pop() {
                Some(round) => round,
                None => self.round(context, device)?,
            };
            self.open = Some((round, 0));
        }
        Ok(match &self.open {
            Some((round, _)) => round.list.get(),
            None => ze::ze_command_list_handle_t::NULL,
        })
    }

    fn round(&self, context: &Context, device: &Device) -> Result<Round> {
        let api = context.api();
        let mut desc = ze::ze_command_list_desc_t::new();
        desc.commandQueueGroupOrdinal = self.target.ordinal;
        let mut list = ze::ze_command_list_handle_t::NULL;
        let create = api.zeCommandListCreate;
        let (of, on) = (context.native(), device.native());
        // SAFETY: live objects and places of ours.
        check(unsafe { create(of, on, &raw const desc, &raw mut list) })?;
        // SAFETY: made for this call.
        let list = unsafe { Owned::new(api, list) };
        let desc = ze::ze_fence_desc_t::new();
        let mut fence = ze::ze_fence_handle_t::NULL;
        let create = api.zeFenceCreate;
        // SAFETY: a live queue and places of ours.
        check(unsafe { create(self.queue.get(), &raw const desc, &raw mut fence) })?;
        // SAFETY: made for this call.
        let fence = unsafe { Owned::new(api, fence) };
        Ok(Round { list, fence })
    }

    /// Makes lists that have been executed fit for more.
    fn recycle(&mut self) {
        let api = self.queue.api();
        while let Some(round) = self.running.front() {
            // SAFETY: a live fence; this does not wait.
            let ended = unsafe { (api.zeFenceHostSynchronize)(round.fence.get(), 0) };
            if ended != ze::ZE_RESULT_SUCCESS {
                return;
            }
            let Some(round) = self.running.pop_front() else {
                return;
            };
            // SAFETY: live objects that the device has done with.
            let (fence, list) = unsafe {
                let fence = (api.zeFenceReset)(round.fence.get());
                (fence, (api.zeCommandListReset)(round.list.get()))
            };
            if fence == ze::ZE_RESULT_SUCCESS && list == ze::ZE_RESULT_SUCCESS {
                self.spare.push(round);
            }
        }
    }

    /// Notes one more command; whether the list is full.
    fn note(&mut self) -> bool {
        match &mut self.open {
            Some((_, count)) => {
                *count += 1;
                *count >= FULL
            }
            None => false,
        }
    }

    /// Hands the open list to the device; whether there was one with commands. After a failure, its
    /// commands never run.
    ///
    /// # Errors
    /// What the driver says.
    fn execute(&mut self) -> Result<bool> {
        let Some((round, count)) = self.open.take() else {
            return Ok(false);
        };
        if count == 0 {
            self.open = Some((round, 0));
            return Ok(false);
        }
        let api = self.queue.api();
        let list = round.list.get();
        // SAFETY: a live list that this thread has for itself.
        check(unsafe { (api.zeCommandListClose)(list) })?;
        let execute = api.zeCommandQueueExecuteCommandLists;
        // SAFETY: live objects; the list and the fence stay until they are seen to have ended.
        check(unsafe { execute(self.queue.get(), 1, &raw const list, round.fence.get()) })?;
        self.running.push_back(round);
        Ok(true)
    }
}

impl Execute for Lists {
    type Error = Error;

    fn note(&mut self) -> Kept {
        match self {
            Self::Immediate(_) => Kept::No,
            Self::Batched(batch) => match batch.note() {
                true => Kept::Full,
                false => Kept::Yes,
            },
        }
    }

    fn execute(&mut self) -> Result<bool> {
        match self {
            Self::Immediate(_) => Ok(false),
            Self::Batched(batch) => batch.execute(),
        }
    }
}

impl Drop for Batch {
    fn drop(&mut self) {
        if self.running.is_empty() || ze::exit::is_gone() {
            return;
        }
        // All commands have ended, but the device may be about to leave the last list.
        // SAFETY: a live queue.
        unsafe { (self.queue.api().zeCommandQueueSynchronize)(self.queue.get(), u64::MAX) };
    }
}

/// Whether flags ask for batches.
pub fn is_batched(flags: u32) -> bool {
    flags & UR_QUEUE_FLAG_SUBMISSION_BATCHED.0 != 0
}
