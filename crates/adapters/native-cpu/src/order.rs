//! The order of a queue: what a new command waits for besides its wait list.
//!
//! An in-order queue is a chain: each command waits for the one before. An out-of-order queue has a
//! *gate*, a command in the making that counts every command enqueued since the last barrier; a
//! barrier is the gate being closed, and later commands wait for it.
//!
//! Work that is done before its enqueueing returns needs no command and, while nothing holds it back, no
//! lock: it goes through the [`Door`]. A command that must wait for what is inside gets a stand-in to wait
//! for, which the last one to leave ends.

use crate::command::{Command, Lane, Work};
use crate::door::Door;
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

struct Inner {
    state: State,
    /// Ends when nobody is inside the closed door; set while somebody is.
    inside: Option<Arc<Command>>,
}

/// See the module documentation.
pub struct Order {
    door: Door,
    inner: Mutex<Inner>,
}

/// The right to do something in the order of a queue, now and on the calling thread.
#[must_use]
pub struct Pass<'a>(&'a Order);

impl Drop for Pass<'_> {
    fn drop(&mut self) {
        if self.0.door.leave() {
            self.0.left();
        }
    }
}

fn fresh_gate() -> Arc<Command> {
    Command::new(None, Lane::Compute, true, None)
}

impl Order {
    /// The order of an empty queue.
    pub fn new(in_order: bool) -> Order {
        let state = if in_order {
            State::InOrder { last: None }
        } else {
            State::OutOfOrder {
                gate: fresh_gate(),
                barrier: None,
                generation: fork::generation(),
            }
        };
        Order {
            door: Door::new(in_order, fork::generation()),
            inner: Mutex::new(Inner {
                state,
                inside: None,
            }),
        }
    }

    fn inner(&self) -> Guard<'_, Inner> {
        let mut inner = self.inner.lock();
        let current = fork::generation();
        if !self.door.is_current(current) {
            self.door.renew(current);
            inner.inside = None;
        }
        if let State::OutOfOrder {
            gate,
            barrier,
            generation,
        } = &mut inner.state
            && *generation != current
        {
            // What the gate counted was left behind in the parent.
            *gate = fresh_gate();
            *barrier = None;
            *generation = current;
        }
        inner
    }

    /// Goes ahead if nothing holds back what is done now. Later commands wait until the pass is dropped,
    /// so what is done is short.
    pub fn enter(&self) -> Option<Pass<'_>> {
        if self.door.enter(fork::generation()) {
            return Some(Pass(self));
        }
        self.open()
    }

    /// Opens the door, if nothing in the queue is unfinished that it was closed for, and goes in.
    #[cold]
    fn open(&self) -> Option<Pass<'_>> {
        let mut inner = self.inner();
        if inner.inside.is_some() {
            return None;
        }
        match &mut inner.state {
            State::InOrder { last } => {
                if last.as_ref().is_some_and(|last| !last.is_finished()) {
                    return None;
                }
                // The last command is what is done now, and it does not fail.
                *last = None;
            }
            State::OutOfOrder { barrier, .. } => {
                if barrier.as_ref().is_some_and(|b| !b.is_finished()) {
                    return None;
                }
                *barrier = None;
            }
        }
        self.door.open();
        self.door.enter(fork::generation()).then(|| Pass(self))
    }

    /// Closes the door: the command that is to be enqueued holds up what comes later, or waits for what
    /// is going on. Gives what it is to wait for.
    fn close<'a>(&self, inside: &'a mut Option<Arc<Command>>) -> Option<&'a Arc<Command>> {
        if self.door.close() {
            let stand_in = || Command::new(None, Lane::Compute, false, None);
            inside.get_or_insert_with(stand_in);
        }
        inside.as_ref()
    }

    /// Tells that the last one has left the closed door.
    #[cold]
    fn left(&self) {
        let inside = self.inner().inside.take();
        if let Some(inside) = inside
            && inside.enqueued()
        {
            pool::get().run_here(&inside);
        }
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
            let mut inner = self.inner();
            let Inner { state, inside } = &mut *inner;
            match state {
                State::InOrder { last } => {
                    let command = Command::new(work, lane, profiled, None);
                    for earlier in last.as_ref().into_iter().chain(self.close(inside)) {
                        command.depend_on(earlier, false);
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
                            // It does not wait for what is inside, but nobody may follow.
                            let _ = self.close(inside);
                            *barrier = Some(command.clone());
                        }
                        command
                    }
                    Kind::Marker | Kind::Barrier => {
                        let command = std::mem::replace(gate, fresh_gate());
                        // What the old gate counts is still running: the next one waits for it too.
                        gate.depend_on(&command, false);
                        let inside = self.close(inside);
                        for earlier in barrier.as_ref().into_iter().chain(inside) {
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
            let mut inner = self.inner();
            let Inner { state, inside } = &mut *inner;
            let order = |gate: Option<&Arc<Command>>| {
                Command::new(None, Lane::Compute, profiled, gate.cloned())
            };
            match state {
                State::InOrder { last } => {
                    let (first, end) = (order(None), order(None));
                    for earlier in last.as_ref().into_iter().chain(self.close(inside)) {
                        first.depend_on(earlier, false);
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
        if self.is_chain_at_rest() {
            return None;
        }
        {
            let mut inner = self.inner();
            let Inner { state, inside } = &mut *inner;
            match state {
                State::InOrder { last } => {
                    if let Some(inside) = self.close(inside) {
                        // The door was open, so nothing else can be unfinished, or what is depends on it.
                        return Some(last.get_or_insert_with(|| inside.clone()).clone());
                    }
                    return last.clone();
                }
                State::OutOfOrder { gate, barrier, .. } => {
                    if self.door.is_empty()
                        && gate.is_unblocked()
                        && barrier.as_ref().is_none_or(|b| b.is_finished())
                    {
                        return None;
                    }
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

    /// Whether this is an in-order queue in which nothing is going on; needs no lock.
    fn is_chain_at_rest(&self) -> bool {
        self.door.is_single() && self.door.is_quiet(fork::generation())
    }

    /// Whether everything enqueued so far has ended.
    pub fn is_empty(&self) -> bool {
        if self.is_chain_at_rest() {
            return true;
        }
        let inner = self.inner();
        let at_rest = match &inner.state {
            State::InOrder { last } => last.as_ref().is_none_or(|last| last.is_finished()),
            State::OutOfOrder { gate, barrier, .. } => {
                gate.is_unblocked() && barrier.as_ref().is_none_or(|b| b.is_finished())
            }
        };
        at_rest && self.door.is_empty()
    }
}

#[cfg(test)]
mod tests;
