//! What a queue is made of, and how commands get in and out.

use super::backlog::{Backlog, COMPUTE, COPY, HOST, MARK, Order, Place, State};
use super::lists::{Batch, Lists, Target, is_batched};
use crate::context::Context;
use crate::device::Device;
use crate::event::signal::{Last, Load, Origin};
use crate::event::submit::Begun;
use crate::event::{Call, Engine, Keep, Signal, Waits};
use crate::ze::{self, Owned, exit};
use std::cell::Cell;
use std::sync::Arc;
use ur_adapter::{Error, Handle, Object, Result};
use ur_api::*;

/// How a command is appended.
#[derive(Clone, Copy, Debug)]
pub struct How {
    /// The best engine for it.
    pub engine: Engine,
    /// Whether somebody wants to know the end of just this command.
    pub told: bool,
    /// Whether its times are recorded.
    pub timed: bool,
    /// Whether later commands wait for it.
    pub barrier: bool,
    /// Whether it waits for all earlier commands.
    pub all: bool,
}

/// A queue without its handle: it stays until its commands have ended.
#[derive(Debug)]
pub struct Core {
    backlog: Backlog<Signal, Lists>,
    is_batched: bool,
    flags: ur_queue_flags_t,
    index: u32,
    device: Handle<Device>,
    /// Last, so that it goes after what is of it.
    context: Handle<Context>,
}

impl Core {
    fn with(
        context: &Object<Context>,
        device: &Object<Device>,
        flags: ur_queue_flags_t,
        index: u32,
        order: Order,
        lists: Lists,
    ) -> Self {
        Self {
            is_batched: matches!(lists, Lists::Batched(_)),
            backlog: Backlog::new(order, lists),
            flags,
            index,
            device: device.handle(),
            context: context.handle(),
        }
    }

    /// A queue with lists of its own, on the compute engine of that index.
    ///
    /// # Errors
    /// What the driver says; `INVALID_DEVICE` for a device that runs no kernels.
    pub fn new(
        context: &Object<Context>,
        device: &Object<Device>,
        flags: ur_queue_flags_t,
        index: Option<u32>,
    ) -> Result<Self> {
        let index = device.slice().or(index).unwrap_or(0);
        let free = flags & UR_QUEUE_FLAG_OUT_OF_ORDER_EXEC_MODE_ENABLE.0 != 0;
        let order = match free {
            true => Order::Free,
            false if has_in_order_lists(device) && !is_batched(flags) => Order::Driver,
            false => Order::Chain,
        };
        let target = Target::new(device, COMPUTE, index, flags)?;
        if is_batched(flags) {
            let queue = target.queue(context, device)?;
            let lists = Lists::Batched(Batch::new(target, queue));
            return Ok(Self::with(context, device, flags, index, order, lists));
        }
        let in_order = match order {
            Order::Driver => target.in_order(context, device),
            _ => None,
        };
        let (order, list) = match (in_order, order) {
            (Some(list), order) => (order, list),
            (None, Order::Driver) => (Order::Chain, target.immediate(context, device)?),
            (None, order) => (order, target.immediate(context, device)?),
        };
        let lists = Lists::Immediate([Some(list), None, None]);
        Ok(Self::with(context, device, flags, index, order, lists))
    }

    /// A queue on an immediate list, of which nobody knows how it keeps order.
    pub fn of_list(
        context: &Object<Context>,
        device: &Object<Device>,
        flags: ur_queue_flags_t,
        list: Owned<ze::ze_command_list_handle_t>,
    ) -> Self {
        let lists = Lists::Immediate([Some(list), None, None]);
        let order = given_order(flags);
        let index = device.slice().unwrap_or(0);
        Self::with(context, device, flags, index, order, lists)
    }

    /// A queue on a command queue, which gets batches.
    pub fn of_queue(
        context: &Object<Context>,
        device: &Object<Device>,
        flags: ur_queue_flags_t,
        queue: Owned<ze::ze_command_queue_handle_t>,
    ) -> Self {
        let target = Target {
            ordinal: ordinal_of(context, &queue)
                .or(device.facts().compute_group())
                .unwrap_or(0),
            index: 0,
            wanted: flags,
        };
        let lists = Lists::Batched(Batch::new(target, queue));
        let order = given_order(flags);
        let index = device.slice().unwrap_or(0);
        Self::with(context, device, flags, index, order, lists)
    }

    /// Its context.
    pub fn context(&self) -> &Handle<Context> {
        &self.context
    }

    /// Its device.
    pub fn device(&self) -> &Handle<Device> {
        &self.device
    }

    /// Its flags.
    pub fn flags(&self) -> ur_queue_flags_t {
        self.flags
    }

    /// Whether each command waits for the one before.
    pub fn is_in_order(&self) -> bool {
        self.backlog.order() != Order::Free
    }

    /// Whether its commands are handed to the device in batches.
    pub fn is_batched(&self) -> bool {
        self.is_batched
    }

    /// Whether its commands record times.
    pub fn is_profiled(&self) -> bool {
        self.flags & UR_QUEUE_FLAG_PROFILING_ENABLE.0 != 0
    }

    /// Level Zero's own handle as a number, and 1 if it is an immediate list, 0 if it is a queue.
    pub fn native(&self) -> (ur_native_handle_t, i32) {
        match &self.backlog.lock().lists {
            Lists::Immediate(lists) => {
                let list = lists[COMPUTE].as_ref().map(Owned::get);
                (list.unwrap_or_default().to_native(), 1)
            }
            Lists::Batched(batch) => (batch.native().to_native(), 0),
        }
    }

    /// What its list for an engine can do.
    pub fn group(&self, engine: Engine) -> ze::ze_command_queue_group_properties_t {
        let facts = self.device.facts();
        let ordinal = match self.place(engine) {
            COPY => facts.copy_group(),
            _ => facts.compute_group(),
        };
        let group = ordinal.and_then(|ordinal| facts.groups.get(ordinal as usize));
        match group {
            Some(group) => *group,
            None => ze::ze_command_queue_group_properties_t::new(),
        }
    }

    /// Where commands for an engine go.
    fn place(&self, engine: Engine) -> Place {
        // A list that keeps order is one list. A part that is one engine has no other.
        let has_copy = self.backlog.order() != Order::Driver
            && !self.is_batched()
            && self.device.slice().is_none()
            && self.device.facts().copy_group().is_some();
        match engine {
            Engine::Copy if has_copy => COPY,
            // In a list of their own they hold nothing up.
            Engine::Mark if self.backlog.order() == Order::Free && !self.is_batched() => MARK,
            _ => COMPUTE,
        }
    }

    fn list(&self, lists: &mut Lists, place: Place) -> Result<ze::ze_command_list_handle_t> {
        match lists {
            Lists::Batched(batch) => batch.list(&self.context, &self.device),
            Lists::Immediate(lists) => match &lists[place] {
                Some(list) => Ok(list.get()),
                None => {
                    let target = Target::new(&self.device, place, self.index, self.flags)?;
                    let list = target.immediate(&self.context, &self.device)?;
                    Ok(lists[place].insert(list).get())
                }
            },
        }
    }

    /// Appends a command and gives its end. See [`crate::event::submit`].
    ///
    /// # Errors
    /// What `append` and the driver say.
    pub fn append(
        &self,
        how: How,
        waits: Waits,
        keep: Box<dyn Keep>,
        append: impl FnOnce(&Call) -> Result,
    ) -> Result<Arc<Signal>> {
        if exit::is_gone() {
            return Err(Error::code(UR_RESULT_ERROR_UNINITIALIZED));
        }
        let native = if how.told || self.backlog.order() != Order::Driver {
            Some(self.context.pools().take(&self.context, how.timed)?)
        } else {
            None
        };
        let (mut natives, waits) = waits.into_parts();
        let origin = Origin::Pool { timed: how.timed };
        let load = Load::new(waits, keep);
        let signal = Signal::new(
            &self.context,
            native,
            origin,
            load,
            how.engine == Engine::Host,
        );
        let appended = self
            .backlog
            .append(|state| self.append_to(state, how, &mut natives, &signal, append));
        appended.map(|()| signal)
    }

    fn append_to(
        &self,
        state: &mut State<Signal, Lists>,
        how: How,
        natives: &mut Vec<ze::ze_event_handle_t>,
        signal: &Arc<Signal>,
        append: impl FnOnce(&Call) -> Result,
    ) -> Result {
        let list = self.list(&mut state.lists, self.place(how.engine))?;
        let place = match how.engine {
            Engine::Host => HOST,
            engine => self.place(engine),
        };
        state.waits(place, how.all, |other| {
            if !natives.contains(&other.native()) {
                natives.push(other.native());
                signal.hold(other.clone());
            }
        });
        let call = Call {
            api: self.context.api(),
            list,
            signal: signal.native(),
            count: natives.len() as u32,
            waits: match natives.len() {
                0 => std::ptr::null(),
                _ => natives.as_ptr(),
            },
            begun: Cell::new(Begun::No),
        };
        let appended = append(&call);
        if let Err(error) = &appended {
            match call.begun.get() {
                Begun::No => return appended,
                Begun::Yes => {}
                Begun::Untold => {
                    signal.note_appended();
                    signal.lose(error);
                    return appended;
                }
            }
        }
        signal.note_appended();
        let pushed = state.push(signal, place, how.barrier);
        appended.and(pushed)
    }

    /// Hands commands that are kept back to the device.
    ///
    /// # Errors
    /// What the driver says.
    pub fn flush(&self) -> Result {
        match exit::is_gone() {
            true => Ok(()),
            false => self.backlog.flush(),
        }
    }

    /// Waits until all commands that are in it have ended.
    ///
    /// # Errors
    /// What the driver says.
    pub fn finish(&self) -> Result {
        if exit::is_gone() {
            return Ok(());
        }
        let (next, ends) = self.tail()?;
        let mut result = Ok(());
        for end in &ends {
            result = result.and(end.wait(u64::MAX).map(|_| ()));
        }
        match result {
            Ok(()) => self.backlog.note_ended(next),
            Err(_) => self.backlog.ask(),
        }
        super::live::sweep();
        result
    }

    /// Those whose ends are the end of all that is in the queue, and the number of the command that
    /// comes next.
    fn tail(&self) -> Result<(u64, Vec<Arc<Signal>>)> {
        if self.backlog.is_silent() {
            let how = How {
                engine: Engine::Compute,
                told: true,
                timed: false,
                barrier: false,
                all: false,
            };
            self.append(how, Waits::default(), Box::new(()), |call| {
                let barrier = call.api.zeCommandListAppendBarrier;
                // SAFETY: a list that this thread has for itself, a live event.
                ze::check(unsafe { barrier(call.list, call.signal, 0, std::ptr::null()) })
            })?;
        }
        self.backlog.tail()
    }

    /// Keeps something until all commands that are in it have ended.
    pub fn hold(&self, last: &Arc<impl Last + 'static>) {
        for end in self.backlog.last() {
            end.hold_last(last.clone());
        }
    }

    /// Whether all commands have ended, by what the driver says.
    ///
    /// # Errors
    /// What the driver says.
    pub fn is_empty(&self) -> Result<bool> {
        let (_, ends) = self.tail()?;
        let mut empty = true;
        for end in &ends {
            empty &= end.poll()?;
        }
        self.backlog.ask();
        Ok(empty)
    }

    /// Whether nothing of it runs any more, as far as a wait of no time tells. A device that is lost
    /// runs nothing.
    pub fn is_idle(&self) -> bool {
        if exit::is_gone() {
            return true;
        }
        let Ok((next, ends)) = self.tail() else {
            return true;
        };
        if ends.iter().any(|end| matches!(end.wait(0), Ok(false))) {
            return false;
        }
        self.backlog.note_ended(next);
        true
    }

    /// Forgets a command that was seen to end, with all that ended by that, and drops what they held.
    pub fn settle(&self, end: &Signal) {
        self.backlog.settle(end);
        super::live::sweep();
    }
}

/// Order for objects that a program hands in.
fn given_order(flags: ur_queue_flags_t) -> Order {
    match flags & UR_QUEUE_FLAG_OUT_OF_ORDER_EXEC_MODE_ENABLE.0 {
        0 => Order::Chain,
        _ => Order::Free,
    }
}

/// Whether the driver may have lists that keep order.
fn has_in_order_lists(device: &Device) -> bool {
    device.platform().version() >= ze::version(1, 7)
}

/// The group of engines of a command queue, if the driver tells.
fn ordinal_of(context: &Context, queue: &Owned<ze::ze_command_queue_handle_t>) -> Option<u32> {
    let get = context.api().later.zeCommandQueueGetOrdinal?;
    let mut ordinal = 0;
    // SAFETY: a live queue and a place of ours.
    let code = unsafe { get(queue.get(), &raw mut ordinal) };
    (code == ze::ZE_RESULT_SUCCESS).then_some(ordinal)
}
