//! The commands of a queue that are not known to have ended, behind the queue's lock.
//!
//! Nothing of a command is dropped under the lock, nothing is waited for, and no other queue's lock is
//! taken: whoever waits for what another queue keeps back hands that over first ([`Backlog::flush`]).

// The model test brings a lock of its own.
use super::sync::{Mutex, MutexGuard};
use std::collections::VecDeque;
use std::sync::{Arc, PoisonError};

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

/// Where the end of a command comes from: one of the queue's lists, or the host.
pub type Place = usize;
/// A list for an engine that runs kernels.
pub const COMPUTE: Place = 0;
/// A list for an engine that copies.
pub const COPY: Place = 1;
/// A list for commands that do nothing but wait.
pub const MARK: Place = 2;
/// The host, which has no list.
pub const HOST: Place = 3;

/// The end of a command.
pub trait End {
    /// Why commands can fail to be handed over.
    type Error;
    /// Its place among the commands of its queue.
    fn number(&self) -> u64;
    /// Gives it its place.
    fn set_number(&self, number: u64);
    /// Whether only the end of a later command of the queue tells its own.
    fn is_silent(&self) -> bool;
    /// Whether the host tells it.
    fn is_by_host(&self) -> bool;
    /// Whether the device has got the command.
    fn is_submitted(&self) -> bool;
    /// Notes that the device has got the command.
    fn note_submitted(&self);
    /// Whether the command is known to have ended or never to run.
    fn has_ended(&self) -> bool;
    /// Notes that it has ended.
    fn note_ended(&self);
    /// Notes that it will never run.
    fn note_failed(&self, error: &Self::Error);
    /// Asks whether it has ended; not if that cannot be known.
    fn ask(&self) -> bool;
    /// Drops what an ended command held.
    fn release(&self);
}

/// Where commands go.
pub trait Execute {
    /// Why they can fail to be handed over.
    type Error;
    /// Notes one more command; whether it is kept back.
    fn note(&mut self) -> Kept;
    /// Hands what is kept back to the device; whether there was something.
    ///
    /// # Errors
    /// Of commands that never run now.
    fn execute(&mut self) -> Result<bool, Self::Error>;
}

/// Whether a command is kept back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kept {
    /// The device has got it.
    No,
    /// It is.
    Yes,
    /// It is, and there is no room for another.
    Full,
}

/// The fewest pending commands that are worth a look at all.
const PATIENCE: usize = 64;

/// See the module documentation.
#[derive(Debug)]
pub struct Backlog<E, L> {
    order: Order,
    state: Mutex<State<E, L>>,
}

/// What the lock guards.
#[derive(Debug)]
pub struct State<E, L> {
    /// Where commands go.
    pub lists: L,
    order: Order,
    /// Commands that are not known to have ended, oldest first, and where they are.
    pending: VecDeque<(Arc<E>, Place)>,
    /// The number of the next command.
    next: u64,
    /// The number of the first command that the device has not got.
    unsubmitted: u64,
    /// What commands wait for whose own list does not know of it.
    gate: Option<(Arc<E>, Place)>,
    /// How many may be pending before all are looked at.
    patience: usize,
}

impl<E: End<Error = L::Error>, L: Execute> Backlog<E, L> {
    /// Without commands.
    pub fn new(order: Order, lists: L) -> Self {
        Self {
            order,
            state: Mutex::new(State {
                lists,
                order,
                pending: VecDeque::new(),
                next: 0,
                unsubmitted: 0,
                gate: None,
                patience: PATIENCE,
            }),
        }
    }

    /// What keeps the commands in order.
    pub fn order(&self) -> Order {
        self.order
    }

    /// The state, for a short look.
    pub fn lock(&self) -> MutexGuard<'_, State<E, L>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the state, and then drops what commands held that were seen to have ended.
    fn change<R>(&self, change: impl FnOnce(&mut State<E, L>, &mut Vec<Arc<E>>) -> R) -> R {
        let mut ended = Vec::new();
        let result = change(&mut self.lock(), &mut ended);
        for end in ended {
            end.release();
        }
        result
    }

    /// Appends a command. `append` uses [`State::waits`] and [`State::push`].
    pub fn append<R>(&self, append: impl FnOnce(&mut State<E, L>) -> R) -> R {
        self.change(|state, ended| {
            state.look(ended);
            append(state)
        })
    }

    /// Hands commands that are kept back to the device.
    ///
    /// # Errors
    /// Of commands that never run now.
    pub fn flush(&self) -> Result<(), L::Error> {
        self.lock().execute()
    }

    /// Whether a command is the last that does not tell its end.
    pub fn is_silent(&self) -> bool {
        let state = self.lock();
        let last = state.pending.back();
        last.is_some_and(|(last, _)| last.is_silent() && !last.has_ended())
    }

    /// The ends that are the end of all commands so far, all handed over, and the number of the command
    /// that comes next.
    ///
    /// # Errors
    /// Of commands that never run now.
    pub fn tail(&self) -> Result<(u64, Vec<Arc<E>>), L::Error> {
        let mut state = self.lock();
        state.execute()?;
        let mut ends: Vec<Arc<E>> = Vec::new();
        for (end, _) in state
            .pending
            .iter()
            .rev()
            .filter(|(end, _)| !end.is_silent())
        {
            // What the host runs tells its end more reliably than a device that waits for it.
            let is_needed = self.order == Order::Free || ends.is_empty() || end.is_by_host();
            if is_needed && !end.has_ended() {
                ends.push(end.clone());
            }
        }
        Ok((state.next, ends))
    }

    /// Those whose ends are the end of all commands so far, even if they do not tell.
    pub fn last(&self) -> Vec<Arc<E>> {
        let number = match self.order {
            Order::Free => usize::MAX,
            _ => 1,
        };
        let state = self.lock();
        let ends = state.pending.iter().rev().map(|(end, _)| end.clone());
        ends.filter(|end| !end.has_ended()).take(number).collect()
    }

    /// Notes that the commands before a number have ended.
    pub fn note_ended(&self, before: u64) {
        self.change(|state, ended| state.drain(|end| end.number() < before, ended));
    }

    /// Notes that a command was seen to end, with all that ended by that.
    pub fn settle(&self, end: &E) {
        end.release();
        self.change(|state, ended| match self.order {
            Order::Free => state.look(ended),
            _ => state.drain(|other| other.number() <= end.number(), ended),
        });
    }

    /// Asks about all commands.
    pub fn ask(&self) {
        self.change(State::ask);
    }
}

impl<E: End<Error = L::Error>, L: Execute> State<E, L> {
    /// What a command at a place waits for, beside its own list of events; `all` if it is to wait for
    /// all commands before it.
    pub fn waits(&self, place: Place, all: bool, mut hold: impl FnMut(&Arc<E>)) {
        let mut hold = |end: &Arc<E>| {
            if !end.has_ended() {
                hold(end);
            }
        };
        match self.order {
            // The list knows nothing of what the host does.
            Order::Driver => self.gate.iter().for_each(|(gate, _)| hold(gate)),
            Order::Chain => self.pending.back().iter().for_each(|(last, _)| hold(last)),
            Order::Free => {
                let gate = self.gate.iter().filter(|gate| gate.1 != place);
                gate.for_each(|(gate, _)| hold(gate));
                if all {
                    let others = self.pending.iter().filter(|other| other.1 != place);
                    others.for_each(|(other, _)| hold(other));
                }
            }
        }
    }

    /// Takes a command in that was appended; with `barrier`, later ones wait for it.
    ///
    /// # Errors
    /// Of commands that never run now, this among them.
    pub fn push(&mut self, end: &Arc<E>, place: Place, barrier: bool) -> Result<(), L::Error> {
        end.set_number(self.next);
        self.next += 1;
        self.pending.push_back((end.clone(), place));
        match self.order {
            Order::Driver => self.gate = (place == HOST).then(|| (end.clone(), place)),
            Order::Free if barrier => self.gate = Some((end.clone(), place)),
            _ => {}
        }
        match self.lists.note() {
            Kept::No => {
                end.note_submitted();
                self.unsubmitted = self.next;
                Ok(())
            }
            Kept::Yes => Ok(()),
            Kept::Full => self.execute(),
        }
    }

    /// Hands what is kept back to the device.
    fn execute(&mut self) -> Result<(), L::Error> {
        let executed = self.lists.execute();
        if matches!(executed, Ok(false)) {
            return Ok(());
        }
        let first = self.unsubmitted;
        let new = self.pending.iter().rev();
        for (end, _) in new.take_while(|(end, _)| end.number() >= first) {
            if let Err(error) = &executed {
                end.note_failed(error);
            }
            end.note_submitted();
        }
        self.unsubmitted = self.next;
        executed.map(|_| ())
    }

    /// Takes the oldest commands out of which this holds; they have ended. What the host runs tells that
    /// itself.
    fn drain(&mut self, has_ended: impl Fn(&E) -> bool, ended: &mut Vec<Arc<E>>) {
        while let Some((end, _)) = self.pending.front() {
            if !has_ended(end) || end.is_by_host() && !end.has_ended() {
                break;
            }
            end.note_ended();
            ended.extend(self.pending.pop_front().map(|(end, _)| end));
        }
        if self.pending.is_empty() {
            self.gate = None;
        }
    }

    /// Takes out what is known to have ended, as far as that is quickly done.
    fn look(&mut self, ended: &mut Vec<Arc<E>>) {
        self.drain(E::has_ended, ended);
        if self.pending.len() >= self.patience {
            self.ask(ended);
            self.patience = PATIENCE.max(self.pending.len() * 2);
        }
    }

    /// Asks about commands and takes out what has ended.
    fn ask(&mut self, ended: &mut Vec<Arc<E>>) {
        if self.order != Order::Free {
            // What comes before one that has ended has ended, too.
            let mut told = self.pending.iter().rev();
            if let Some((last, _)) = told.find(|(end, _)| end.is_submitted() && end.ask()) {
                let number = last.number();
                self.drain(|end| end.number() <= number, ended);
            }
            return;
        }
        for (end, place) in std::mem::take(&mut self.pending) {
            match end.ask() || end.has_ended() {
                true => ended.push(end),
                false => self.pending.push_back((end, place)),
            }
        }
        if self.pending.is_empty() {
            self.gate = None;
        }
    }
}
