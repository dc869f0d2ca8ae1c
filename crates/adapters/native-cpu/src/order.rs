//! The order of a queue: what a new command waits for besides its wait list.
//!
//! An in-order queue is a chain: each command waits for the one before. An out-of-order queue has a
//! *gate*, a command in the making that counts every command enqueued since the last barrier; a
//! barrier is the gate being closed, and later commands wait for it.

use crate::command::{Command, Lane, Work};
use crate::fork::{Guard, Mutex};
use crate::{fork, pool};
use std::sync::Arc;

/// How a command stands in its queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Waits for what the queue's order and the wait list say.
    Normal,
    /// Also waits for everything enqueued before; what follows does not wait for it.
    Marker,
    /// Everything after waits for it.
    Fence,
    /// Waits for everything enqueued before, and everything after waits for it.
    Barrier,
}

/// What a command is to run, and how.
pub struct Submission {
    /// The work and its number of pieces; none for a command that only orders others.
    pub work: Option<(Box<dyn Work>, u64)>,
    /// Where it runs.
    pub lane: Lane,
    /// Whether times are recorded.
    pub profiled: bool,
    /// Whether the calling thread may run it at once when nothing holds it back.
    pub inline: bool,
    /// How it stands in the queue.
    pub kind: Kind,
}

/// A group of commands that was enqueued as one.
pub struct Group {
    /// Ends when the group may begin.
    pub first: Arc<Command>,
    /// Ends when the group has ended.
    pub last: Arc<Command>,
}

/// A group of commands that has its place in a queue but may not run yet.
#[must_use]
pub struct Unsent {
    group: Group,
    inside: Vec<Arc<Command>>,
}

impl Unsent {
    /// The first and the last command.
    pub fn group(&self) -> &Group {
        &self.group
    }

    /// Lets the group run.
    pub fn send(self) -> Group {
        // Nothing runs before the first command does, so the order of these is free.
        let ends = [&self.group.last, &self.group.first];
        for command in self.inside.iter().chain(ends) {
            if command.enqueued() {
                pool::get().dispatch(command.clone());
            }
        }
        self.group
    }
}

enum State {
    InOrder {
        last: Option<Arc<Command>>,
    },
    OutOfOrder {
        gate: Arc<Command>,
        barrier: Option<Arc<Command>>,
        generation: u32,
    },
}

/// See the module documentation.
pub struct Order(Mutex<State>);

fn fresh_gate() -> Arc<Command> {
    Command::new(None, Lane::Compute, true, None)
}

impl Order {
    /// The order of an empty queue.
    pub fn new(in_order: bool) -> Order {
        Order(Mutex::new(if in_order {
            State::InOrder { last: None }
        } else {
            State::OutOfOrder {
                gate: fresh_gate(),
                barrier: None,
                generation: fork::generation(),
            }
        }))
    }

    fn state(&self) -> Guard<'_, State> {
        let mut state = self.0.lock();
        if let State::OutOfOrder {
            gate,
            barrier,
            generation,
        } = &mut *state
            && *generation != fork::generation()
        {
            // What the gate counted was left behind in the parent.
            *gate = fresh_gate();
            *barrier = None;
            *generation = fork::generation();
        }
        state
    }

    /// Enqueues a command behind `wait_list`, whose failures it inherits, and hands it to the pool
    /// once it is ready.
    pub fn submit<'a>(
        &self,
        submission: Submission,
        wait_list: impl IntoIterator<Item = &'a Arc<Command>>,
    ) -> Arc<Command> {
        let Submission {
            work,
            lane,
            profiled,
            inline,
            kind,
        } = submission;
        let command = {
            let mut state = self.state();
            match &mut *state {
                State::InOrder { last } => {
                    let command = Command::new(work, lane, profiled, None);
                    if let Some(last) = last.as_ref() {
                        command.depend_on(last, false);
                    }
                    *last = Some(command.clone());
                    command
                }
                State::OutOfOrder { gate, barrier, .. } => match kind {
                    Kind::Normal | Kind::Fence => {
                        let command = Command::new(work, lane, profiled, Some(gate.clone()));
                        if let Some(earlier) = barrier.as_ref() {
                            if earlier.is_finished() {
                                *barrier = None;
                            } else {
                                command.depend_on(earlier, false);
                            }
                        }
                        if kind == Kind::Fence {
                            *barrier = Some(command.clone());
                        }
                        command
                    }
                    Kind::Marker | Kind::Barrier => {
                        let command = std::mem::replace(gate, fresh_gate());
                        // What the old gate counts is still running: the next one waits for it too.
                        gate.depend_on(&command, false);
                        if let Some(earlier) = barrier.as_ref() {
                            command.depend_on(earlier, false);
                        }
                        if kind == Kind::Barrier {
                            *barrier = Some(command.clone());
                        }
                        command
                    }
                },
            }
        };
        for dependency in wait_list {
            command.depend_on(dependency, true);
        }
        if command.enqueued() {
            let pool = pool::get();
            if inline || command.is_idle() {
                pool.run_here(&command);
            } else {
                pool.dispatch(command.clone());
            }
        }
        command
    }

    /// Runs work that needs no command if nothing holds it back; says whether it did. It is short and
    /// calls nothing: later commands wait for its end at the lock.
    pub fn at_once(&self, work: impl FnOnce()) -> bool {
        let mut state = self.state();
        match &mut *state {
            State::InOrder { last } => {
                if last.as_ref().is_some_and(|last| !last.is_finished()) {
                    return false;
                }
                // The last command is this one now, and it does not fail.
                *last = None;
            }
            State::OutOfOrder { barrier, .. } => {
                if barrier
                    .as_ref()
                    .is_some_and(|barrier| !barrier.is_finished())
                {
                    return false;
                }
            }
        }
        work();
        true
    }

    /// Makes a group of commands that is enqueued as one: a first command behind `wait_list`, those
    /// that `fill` makes, and a last one. `fill` is given the first command, makes each of its
    /// commands wait for it (directly or through others), does not enqueue them and returns them all.
    /// A failure of any is one of the last command, which stands for the group.
    ///
    /// The group has its place in the order; nothing of it runs before [`Unsent::send`].
    pub fn group<'a>(
        &self,
        profiled: bool,
        wait_list: impl IntoIterator<Item = &'a Arc<Command>>,
        fill: impl FnOnce(&Arc<Command>) -> Vec<Arc<Command>>,
    ) -> Unsent {
        let group = {
            let mut state = self.state();
            let order = |gate: Option<&Arc<Command>>| {
                Command::new(None, Lane::Compute, profiled, gate.cloned())
            };
            match &mut *state {
                State::InOrder { last } => {
                    let (first, end) = (order(None), order(None));
                    if let Some(last) = last.as_ref() {
                        first.depend_on(last, false);
                    }
                    *last = Some(end.clone());
                    Group { first, last: end }
                }
                State::OutOfOrder { gate, barrier, .. } => {
                    let first = order(None);
                    if let Some(earlier) = barrier.as_ref() {
                        first.depend_on(earlier, false);
                    }
                    let last = order(Some(gate));
                    Group { first, last }
                }
            }
        };
        for dependency in wait_list {
            group.first.depend_on(dependency, true);
        }
        group.last.depend_on(&group.first, true);
        let inside = fill(&group.first);
        for command in &inside {
            group.last.depend_on(command, true);
        }
        Unsent { group, inside }
    }

    /// A command whose end means that everything enqueued so far has ended; none if that is so.
    pub fn tail(&self) -> Option<Arc<Command>> {
        match &mut *self.state() {
            State::InOrder { last } => {
                return last.clone();
            }
            State::OutOfOrder { gate, barrier, .. } => {
                if gate.is_unblocked() && barrier.as_ref().is_none_or(|b| b.is_finished()) {
                    return None;
                }
            }
        }
        Some(self.submit(
            Submission {
                work: None,
                lane: Lane::Compute,
                profiled: false,
                inline: true,
                kind: Kind::Barrier,
            },
            &[],
        ))
    }

    /// Whether everything enqueued so far has ended.
    pub fn is_empty(&self) -> bool {
        match &*self.state() {
            State::InOrder { last } => last.as_ref().is_none_or(|last| last.is_finished()),
            State::OutOfOrder { gate, barrier, .. } => {
                gate.is_unblocked() && barrier.as_ref().is_none_or(|b| b.is_finished())
            }
        }
    }
}

#[cfg(test)]
mod tests;
