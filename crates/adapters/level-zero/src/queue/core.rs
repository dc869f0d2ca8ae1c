//! What a queue is made of, and how commands get in and out.

use super::lists::{Batch, Lists, Target, is_batched};
use crate::context::Context;
use crate::device::Device;
use crate::event::signal::{Last, Load, Origin};
use crate::event::{Call, Engine, Keep, Signal, Waits};
use crate::ze::{self, Owned, exit};
use std::cell::Cell;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use ur_adapter::{Error, Handle, Object, Result};
use ur_api::*;

/// What keeps commands of a queue in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Nothing.
    Free,
    /// Each waits for the one before.
    Chain,
    /// The driver's lists.
    Driver,
}

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

/// The list of [`Lists::Immediate`] that a command is in; or that its end comes from the host.
type Place = usize;
const COMPUTE: Place = 0;
const COPY: Place = 1;
const HOST: Place = 2;

/// A queue without its handle: it stays until its commands have ended.
#[derive(Debug)]
pub struct Core {
    state: Mutex<State>,
    order: Order,
    is_batched: bool,
    flags: ur_queue_flags_t,
    index: u32,
    device: Handle<Device>,
    /// Last, so that it goes after what is of it.
    context: Handle<Context>,
}

#[derive(Debug)]
struct State {
    lists: Lists,
    /// Commands that are not known to have ended, oldest first, and where they are.
    pending: VecDeque<(Arc<Signal>, Place)>,
    /// The number of the next command.
    next: u64,
    /// The number of the first command that the device has not got.
    unsubmitted: u64,
    /// What commands at other places than its own wait for.
    gate: Option<(Arc<Signal>, Place)>,
    /// How many may be pending before all are looked at.
    patience: usize,
}

/// The fewest pending commands that are worth a look at all.
const PATIENCE: usize = 64;

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
            state: Mutex::new(State {
                lists,
                pending: VecDeque::new(),
                next: 0,
                unsubmitted: 0,
                gate: None,
                patience: PATIENCE,
            }),
            order,
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
        let lists = Lists::Immediate([None, None]);
        let mut core = Self::with(context, device, flags, index, order, lists);
        let target = core.target(COMPUTE)?;
        let lists = if is_batched(flags) {
            let queue = target.queue(context, device)?;
            Lists::Batched(Batch::new(target, queue))
        } else {
            let list = match core.order {
                Order::Driver => target.in_order(context, device),
                _ => None,
            };
            let list = match list {
                Some(list) => list,
                None => {
                    if core.order == Order::Driver {
                        core.order = Order::Chain;
                    }
                    target.immediate(context, device)?
                }
            };
            Lists::Immediate([Some(list), None])
        };
        core.is_batched = is_batched(flags);
        let state = core.state.get_mut();
        state.unwrap_or_else(PoisonError::into_inner).lists = lists;
        Ok(core)
    }

    /// A queue on an immediate list, of which nobody knows how it keeps order.
    pub fn of_list(
        context: &Object<Context>,
        device: &Object<Device>,
        flags: ur_queue_flags_t,
        list: Owned<ze::ze_command_list_handle_t>,
    ) -> Self {
        let lists = Lists::Immediate([Some(list), None]);
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
        self.order != Order::Free
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
        match &self.lock().lists {
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

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn target(&self, place: Place) -> Result<Target> {
        let facts = self.device.facts();
        let (group, index) = match place {
            COPY => (facts.copy_group(), 0),
            _ => (facts.compute_group(), self.index),
        };
        let ordinal = group.ok_or_else(|| {
            Error::new(UR_RESULT_ERROR_INVALID_DEVICE, "no engine for the commands")
        })?;
        Ok(Target {
            ordinal,
            index,
            wanted: self.flags,
        })
    }

    /// Where commands for an engine go.
    fn place(&self, engine: Engine) -> Place {
        // A list that keeps order is one list. A part that is one engine has no other.
        let has_copy = self.order != Order::Driver
            && !self.is_batched()
            && self.device.slice().is_none()
            && self.device.facts().copy_group().is_some();
        match engine {
            Engine::Copy if has_copy => COPY,
            _ => COMPUTE,
        }
    }

    fn list(&self, state: &mut State, place: Place) -> Result<ze::ze_command_list_handle_t> {
        match &mut state.lists {
            Lists::Batched(batch) => batch.list(&self.context, &self.device),
            Lists::Immediate(lists) => match &lists[place] {
                Some(list) => Ok(list.get()),
                None => {
                    let target = self.target(place)?;
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
        let native = if how.told || self.order != Order::Driver {
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
        let mut ended = Vec::new();
        let result = {
            let mut state = self.lock();
            state.look(self.is_in_order(), &mut ended);
            self.append_to(&mut state, how, &mut natives, &signal, append)
        };
        release(&ended);
        result.map(|()| signal)
    }

    fn append_to(
        &self,
        state: &mut State,
        how: How,
        natives: &mut Vec<ze::ze_event_handle_t>,
        signal: &Arc<Signal>,
        append: impl FnOnce(&Call) -> Result,
    ) -> Result {
        let list = self.list(state, self.place(how.engine))?;
        let place = match how.engine {
            Engine::Host => HOST,
            engine => self.place(engine),
        };
        let mut hold = |other: &Arc<Signal>| {
            if !other.has_ended() && !natives.contains(&other.native()) {
                natives.push(other.native());
                signal.hold(other.clone());
            }
        };
        match self.order {
            Order::Driver => {
                // The list knows nothing of what the host does.
                if let Some((gate, _)) = &state.gate {
                    hold(gate);
                }
            }
            Order::Chain => {
                if let Some((last, _)) = state.pending.back() {
                    hold(last);
                }
            }
            Order::Free => {
                if let Some((gate, _)) = state.gate.as_ref().filter(|gate| gate.1 != place) {
                    hold(gate);
                }
                if how.all {
                    let others = state.pending.iter().filter(|other| other.1 != place);
                    others.for_each(|(other, _)| hold(other));
                }
            }
        }
        let call = Call {
            api: self.context.api(),
            list,
            signal: signal.native(),
            count: natives.len() as u32,
            waits: match natives.len() {
                0 => std::ptr::null(),
                _ => natives.as_ptr(),
            },
            begun: Cell::new(false),
        };
        let appended = append(&call);
        if appended.is_err() && !call.begun.get() {
            return appended;
        }
        signal.note_appended();
        signal.set_number(state.next);
        state.next += 1;
        state.pending.push_back((signal.clone(), place));
        match self.order {
            Order::Driver => state.gate = (place == HOST).then(|| (signal.clone(), place)),
            Order::Free if how.barrier => state.gate = Some((signal.clone(), place)),
            _ => {}
        }
        match &mut state.lists {
            Lists::Immediate(_) => {
                signal.note_submitted();
                state.unsubmitted = state.next;
            }
            Lists::Batched(batch) => {
                if batch.note() {
                    state.execute()?;
                }
            }
        }
        appended
    }

    /// Hands commands that are kept back to the device.
    ///
    /// # Errors
    /// What the driver says.
    pub fn flush(&self) -> Result {
        if exit::is_gone() {
            return Ok(());
        }
        self.lock().execute()
    }

    /// Waits until all commands that are in it have ended.
    ///
    /// # Errors
    /// What the driver says.
    pub fn finish(&self) -> Result {
        if exit::is_gone() {
            return Ok(());
        }
        let mut result = self.flush();
        let (next, signals) = self.tail()?;
        for signal in &signals {
            // None is silent.
            result = result.and(signal.wait(u64::MAX).map(|_| ()));
        }
        let mut ended = Vec::new();
        {
            let mut state = self.lock();
            if result.is_ok() {
                let before = |signal: &Signal| signal.number() < next;
                state.drain(before, &mut ended);
            } else {
                state.look_at_all(self.is_in_order(), &mut ended);
            }
        }
        release(&ended);
        super::live::sweep();
        result
    }

    /// Those whose ends are the end of all that is in the queue, and the number of the command that
    /// comes next.
    fn tail(&self) -> Result<(u64, Vec<Arc<Signal>>)> {
        let silent = {
            let state = self.lock();
            let last = state.pending.back();
            last.is_some_and(|(last, _)| last.is_silent() && !last.has_ended())
        };
        if silent {
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
        let state = self.lock();
        let told = state.pending.iter().rev();
        let told = told.map(|(signal, _)| signal.clone());
        let mut signals = Vec::new();
        for signal in told.filter(|signal| !signal.is_silent()) {
            // What the host runs tells its end more reliably than a device that waits for it.
            let is_needed = !self.is_in_order() || signals.is_empty() || signal.is_by_host();
            if is_needed && !signal.has_ended() {
                signals.push(signal);
            }
        }
        Ok((state.next, signals))
    }

    /// Keeps something until all commands that are in it have ended.
    pub fn hold(&self, last: &Arc<impl Last + 'static>) {
        let signals: Vec<_> = {
            let state = self.lock();
            let signals = state.pending.iter().rev().map(|(signal, _)| signal.clone());
            let ordered = self.is_in_order();
            let is_needed = |signal: &Arc<Signal>| !signal.has_ended();
            let number = if ordered { 1 } else { usize::MAX };
            signals.filter(is_needed).take(number).collect()
        };
        for signal in signals {
            signal.hold_last(last.clone());
        }
    }

    /// Whether all commands have ended, by what the driver says.
    ///
    /// # Errors
    /// What the driver says.
    pub fn is_empty(&self) -> Result<bool> {
        self.flush()?;
        let (_, signals) = self.tail()?;
        let mut empty = true;
        for signal in &signals {
            empty &= signal.poll()?;
        }
        let mut ended = Vec::new();
        self.lock().look_at_all(self.is_in_order(), &mut ended);
        release(&ended);
        Ok(empty)
    }

    /// Whether nothing of it runs any more, as far as a wait of no time tells. A device that is lost
    /// runs nothing.
    pub fn is_idle(&self) -> bool {
        if exit::is_gone() {
            return true;
        }
        let Ok((next, signals)) = self.tail() else {
            return true;
        };
        if signals
            .iter()
            .any(|signal| matches!(signal.wait(0), Ok(false)))
        {
            return false;
        }
        let mut ended = Vec::new();
        (self.lock()).drain(|signal| signal.number() < next, &mut ended);
        release(&ended);
        true
    }

    /// Forgets a command that was seen to end, with all that ended by that, and drops what they held.
    pub fn settle(&self, signal: &Signal) {
        signal.release();
        let mut ended = Vec::new();
        {
            let mut state = self.lock();
            if self.is_in_order() {
                let number = signal.number();
                state.drain(|signal| signal.number() <= number, &mut ended);
            } else {
                state.look(false, &mut ended);
            }
        }
        release(&ended);
        super::live::sweep();
    }
}

impl State {
    /// Hands the open list to the device.
    fn execute(&mut self) -> Result {
        let Lists::Batched(batch) = &mut self.lists else {
            return Ok(());
        };
        let executed = batch.execute();
        if matches!(executed, Ok(false)) {
            return Ok(());
        }
        let first = self.unsubmitted;
        let new = self.pending.iter().rev();
        for (signal, _) in new.take_while(|(signal, _)| signal.number() >= first) {
            if let Err(error) = &executed {
                signal.note_failed(error.native.cast_unsigned());
            }
            signal.note_submitted();
        }
        self.unsubmitted = self.next;
        executed.map(|_| ())
    }

    /// Takes the oldest commands out of which this holds; they have ended.
    fn drain(&mut self, has_ended: impl Fn(&Signal) -> bool, ended: &mut Vec<Arc<Signal>>) {
        while let Some((signal, _)) = self.pending.front() {
            if !has_ended(signal) || signal.is_by_host() && !signal.has_ended() {
                break;
            }
            signal.note_ended();
            ended.extend(self.pending.pop_front().map(|(signal, _)| signal));
        }
        if self.pending.is_empty() {
            self.gate = None;
        }
    }

    /// Takes out what is known to have ended, as far as that is quickly done.
    fn look(&mut self, in_order: bool, ended: &mut Vec<Arc<Signal>>) {
        self.drain(Signal::has_ended, ended);
        if self.pending.len() >= self.patience {
            self.look_at_all(in_order, ended);
            self.patience = PATIENCE.max(self.pending.len() * 2);
        }
    }

    /// Asks the driver about commands and takes out what has ended.
    fn look_at_all(&mut self, in_order: bool, ended: &mut Vec<Arc<Signal>>) {
        if in_order {
            // What comes before one that has ended has ended, too.
            let last = self.pending.iter().rev();
            let polled = |signal: &Signal| matches!(signal.poll(), Ok(true));
            let mut told = last.filter(|(signal, _)| signal.is_submitted());
            if let Some((last, _)) = told.find(|(signal, _)| polled(signal)) {
                let number = last.number();
                self.drain(|signal| signal.number() <= number, ended);
            }
            return;
        }
        for (signal, place) in std::mem::take(&mut self.pending) {
            // What cannot be asked stays.
            let _ = signal.poll();
            match signal.has_ended() {
                true => ended.push(signal),
                false => self.pending.push_back((signal, place)),
            }
        }
        if self.pending.is_empty() {
            self.gate = None;
        }
    }
}

/// Drops what commands held that have ended, without a lock.
fn release(ended: &[Arc<Signal>]) {
    for signal in ended {
        signal.release();
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
