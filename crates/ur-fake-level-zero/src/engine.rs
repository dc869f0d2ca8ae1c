//! Engines: each is a thread that runs the commands of the queues and immediate lists which are on it.
//!
//! A command begins when what it waits for is there and nothing in front of it, in its queue or list,
//! holds it back. Which of several begins is chosen by a sequence of numbers, so that commands between
//! which there is no order come in any.

use crate::call::{changed, until_changed, world};
use crate::command::{Action, Command, Wait};
use crate::event::Count;
use crate::memory;
use crate::world::{Ref, World};
use crate::ze::*;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// Which engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Engine {
    /// The device's handle.
    pub device: usize,
    /// The group's number.
    pub ordinal: u32,
    /// Its number in the group.
    pub index: u32,
}

/// Where a command is submitted to.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// The engine.
    pub engine: Engine,
    /// The queue or immediate list that it is submitted to.
    pub owner: Ref,
    /// The list that it is of.
    pub list: Ref,
    /// Whether the commands of the list follow each other.
    pub in_order: bool,
    /// What is signalled when it and the others submitted with it have ended.
    pub fence: Option<Ref>,
}

/// A command that has not ended.
struct Pending {
    id: u64,
    target: Target,
    command: Arc<Command>,
    /// What it waits for that may not be there.
    waits: Vec<Wait>,
    /// Objects that it needs.
    held: Vec<Ref>,
    /// Allocations that it uses.
    memory: Vec<usize>,
    running: bool,
}

/// All engines.
#[derive(Default)]
pub struct Engines {
    pending: BTreeMap<Engine, Vec<Pending>>,
    started: BTreeSet<Engine>,
    unfinished: HashSet<u64>,
    last: u64,
    /// Whether commands begin only as the test says.
    pub held: bool,
    /// How many may begin all the same.
    pub steps: u64,
    /// Where the sequence of choices is.
    pub choice: u64,
    /// Whether what commands did is told only as the test says.
    pub mute: bool,
    /// Commands that did their work and have not told, with their times.
    kept: VecDeque<(Engine, u64, (u64, u64))>,
    /// Whether the devices are lost.
    pub lost: bool,
}

impl Engines {
    /// Whether a command has not ended.
    pub fn is_unfinished(&self, id: u64) -> bool {
        self.unfinished.contains(&id)
    }

    /// How many commands have not ended.
    pub fn unfinished(&self) -> usize {
        self.unfinished.len()
    }

    /// Whether a queue or list has no command that has not ended.
    pub fn is_idle(&self, owner: Ref) -> bool {
        let mut all = self.pending.values().flatten();
        !all.any(|one| one.target.owner == owner)
    }

    /// Whether a device has no command that has not ended.
    pub fn is_device_idle(&self, device: usize) -> bool {
        let mut all = self.pending.iter();
        !all.any(|(engine, pending)| engine.device == device && !pending.is_empty())
    }

    /// The next number of the sequence of choices, below `count`.
    fn choose(&mut self, count: usize) -> usize {
        self.choice ^= self.choice << 13;
        self.choice ^= self.choice >> 7;
        self.choice ^= self.choice << 17;
        (self.choice % count as u64) as usize
    }
}

impl World {
    /// Submits a command and gives its number.
    pub fn submit(&mut self, target: Target, command: &Arc<Command>) -> u64 {
        self.engines.last += 1;
        let id = self.engines.last;
        self.engines.unfinished.insert(id);
        let mut held = vec![target.list, target.owner];
        let waits = command.waits.clone();
        held.extend(waits.iter().filter_map(|wait| match wait {
            Wait::Event(event) => Some(*event),
            Wait::Command(_) => None,
        }));
        held.extend(command.signal);
        held.extend(target.fence);
        held.extend(&command.needs);
        self.hold(&held);
        let memory = self.hold_memory(&command.memory, command.indirect);
        if let Some(event) = command.signal
            && let Ok(event) = self.event(event.handle)
            && event.count.is_some()
        {
            event.count = Some(Count::Command(id));
        }
        let pending = Pending {
            id,
            target,
            command: command.clone(),
            waits,
            held,
            memory,
            running: false,
        };
        let engine = target.engine;
        self.engines
            .pending
            .entry(engine)
            .or_default()
            .push(pending);
        if self.engines.started.insert(engine) {
            let thread = std::thread::Builder::new().name("engine".to_owned());
            if let Err(error) = thread.spawn(move || run(engine)) {
                self.fault(format!("no engine: {error}"));
            }
        }
        id
    }

    /// Whether a wait is over.
    fn is_over(&self, wait: Wait) -> bool {
        match wait {
            Wait::Command(id) => !self.engines.is_unfinished(id),
            Wait::Event(event) => self
                .peek(event)
                .is_none_or(|event| event.is_signalled(&self.engines)),
        }
    }

    /// The place of a command that can begin now.
    fn next(&mut self, engine: Engine) -> Option<usize> {
        if self.engines.held && self.engines.steps == 0 {
            return None;
        }
        let pending = self.engines.pending.get(&engine)?;
        let settings = self.settings_of_device(engine.device)?;
        let (fifo, one) = (settings.fifo || settings.one_stream, settings.one_stream);
        // For each queue or list, whether something is in front, and whether that holds all up.
        let mut front: HashMap<usize, bool> = HashMap::new();
        let mut lists: HashSet<(usize, usize)> = HashSet::new();
        let mut ready = Vec::new();
        for (place, this) in pending.iter().enumerate() {
            let owner = if one { 0 } else { this.target.owner.handle };
            let list = (owner, this.target.list.handle);
            let before = front.get(&owner).copied();
            let free = match before {
                None => true,
                Some(blocked) => {
                    let follows = this.target.in_order && lists.contains(&list);
                    !(blocked || fifo || this.command.drains || follows)
                }
            };
            if free && !this.running && this.waits.iter().all(|wait| self.is_over(*wait)) {
                ready.push(place);
                if fifo {
                    break;
                }
            }
            *front.entry(owner).or_default() |= this.command.blocks;
            lists.insert(list);
        }
        if ready.is_empty() {
            return None;
        }
        let chosen = self.engines.choose(ready.len());
        if self.engines.held {
            self.engines.steps -= 1;
        }
        Some(ready[chosen])
    }

    /// Has as many commands tell that they did their work, in the order in which they did.
    pub fn tell(&mut self, count: usize) {
        for _ in 0..count {
            let Some((engine, id, times)) = self.engines.kept.pop_front() else {
                break;
            };
            self.end(engine, id, times);
        }
        memory::free_deferred(self);
    }

    /// Loses the devices: commands that have not begun never do, and nothing of them is told.
    pub fn lose(&mut self) {
        self.engines.lost = true;
        let all = self.engines.pending.values_mut();
        let gone: Vec<_> = all
            .flat_map(|pending| pending.extract_if(.., |one| !one.running))
            .collect();
        for gone in gone {
            self.engines.unfinished.remove(&gone.id);
            self.unhold(&gone.held);
            self.unhold_memory(&gone.memory);
        }
        memory::free_deferred(self);
    }

    /// Checks that the devices are not lost.
    ///
    /// # Errors
    /// `ERROR_DEVICE_LOST`.
    pub fn check_lost(&self) -> Answer {
        match self.engines.lost {
            true => Err(ZE_RESULT_ERROR_DEVICE_LOST),
            false => Ok(()),
        }
    }

    /// Notes that a command has ended: what looks at events is done now.
    fn end(&mut self, engine: Engine, id: u64, times: (u64, u64)) {
        let Some(all) = self.engines.pending.get_mut(&engine) else {
            return;
        };
        let Some(place) = all.iter().position(|one| one.id == id) else {
            return;
        };
        let ended = all.remove(place);
        match &ended.command.action {
            Action::Reset(event) => {
                if let Ok(event) = self.event(event.handle) {
                    event.signalled = false;
                }
            }
            Action::Clock { dst } => {
                let now = crate::clock::device();
                // SAFETY: as for copies, see `Command::perform`.
                unsafe { (*dst as *mut u64).write_unaligned(now) };
            }
            Action::Times {
                events,
                dst,
                offsets,
            } => self.write_times(events, *dst, offsets.as_deref()),
            _ => {}
        }
        self.engines.unfinished.remove(&id);
        if let Some(event) = ended.command.signal
            && let Ok(event) = self.event(event.handle)
        {
            event.signalled = true;
            event.times = Some(times);
        }
        if let Some(fence) = ended.target.fence
            && let Ok(fence) = self.fence(fence.handle)
        {
            fence.left -= 1;
        }
        self.unhold(&ended.held);
        self.unhold_memory(&ended.memory);
    }
}

/// What the thread of an engine does.
fn run(engine: Engine) {
    let mut world = world();
    loop {
        let Some(place) = world.next(engine) else {
            world = until_changed(world);
            continue;
        };
        let Some(pending) = world.engines.pending.get_mut(&engine) else {
            continue;
        };
        pending[place].running = true;
        let (id, command) = (pending[place].id, pending[place].command.clone());
        drop(world);
        let begin = crate::clock::kernel();
        let done = catch_unwind(AssertUnwindSafe(|| command.perform()));
        let end = crate::clock::kernel();
        world = crate::call::world();
        match done {
            Ok(Ok(())) => {}
            Ok(Err(reason)) => world.fault(format!("{}: {reason}", command.name)),
            Err(_) => world.fault(format!("a command of {} panicked", command.name)),
        }
        drop(command);
        let ended = (engine, id, (begin, end));
        world.engines.kept.push_back(ended);
        if !world.engines.mute {
            world.tell(usize::MAX);
        }
        changed();
    }
}
