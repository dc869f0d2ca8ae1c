//! A command: one piece of work, what it waits for, its state, and whoever waits for it.
//!
//! Commands form a graph of forward links only: a command knows its dependents until it finishes,
//! never its dependencies, so a finished command keeps nothing else alive and chains of any length
//! are walked by loops. An event of the API holds a share of the command; a command holds no event.

use crate::share::{self, Pace, Share};
use crate::{clock, fork, pool, standstill};
use std::cell::UnsafeCell;
use std::mem::ManuallyDrop;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use ur_api::{
    UR_EVENT_STATUS_COMPLETE, UR_EVENT_STATUS_ERROR, UR_EVENT_STATUS_QUEUED,
    UR_EVENT_STATUS_RUNNING, UR_EVENT_STATUS_SUBMITTED, UR_RESULT_ERROR_DEVICE_LOST,
    UR_RESULT_ERROR_UNKNOWN, UR_RESULT_SUCCESS, ur_event_status_t, ur_result_t,
};

/// Work that can be run in independent pieces, numbered from 0.
pub trait Work: Send + Sync {
    /// Runs one piece on the calling thread; pieces run in any order and at the same time.
    fn run(&self, piece: u64) -> Result<(), ur_result_t>;

    /// Runs several pieces that follow each other.
    fn run_all(&self, mut pieces: Range<u64>) -> Result<(), ur_result_t> {
        pieces.try_for_each(|piece| self.run(piece))
    }

    /// What is known of the time that pieces take, and the work-items that one counts as. Work without is
    /// run piece by piece, each of which is worth a thread.
    fn pace(&self) -> Option<(&Pace, u64)> {
        None
    }

    /// Called when its [`Pace`] has proved it to be worth better code.
    fn proved(&self) {}

    /// Most threads that may run it at the same time; none for as many as there are.
    fn threads(&self) -> Option<u32> {
        None
    }
}

/// Where a command may run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lane {
    /// On any worker and on any thread that waits: the code is known not to call back.
    Compute,
    /// On a host thread only: code of the user, which may block on locks the waiter holds.
    Host,
}

/// Called with the state that was reached.
pub type Callback = Box<dyn FnOnce(ur_event_status_t) + Send>;

/// Times in nanoseconds, 0 where not reached or not recorded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Times {
    /// When the command was enqueued.
    pub queued: u64,
    /// When its dependencies had finished.
    pub submitted: u64,
    /// When its first piece started.
    pub started: u64,
    /// When its last piece ended.
    pub ended: u64,
}

struct Dependent {
    command: Arc<Command>,
    /// A failure of this command is one of the dependent too.
    inherits: bool,
}

#[derive(Default)]
struct Links {
    /// The first dependent, which most commands of a chain have as their only one.
    dependent: Option<Dependent>,
    /// The others.
    dependents: Vec<Dependent>,
    callbacks: Vec<(ur_event_status_t, Callback)>,
    waiters: u32,
}

/// Ticks of work that is worth waking another thread for.
const WORTH: u64 = 3 * share::SHORT;

/// See the module documentation.
pub struct Command {
    state: AtomicU32,
    /// Unfinished dependencies, plus one while the command is being enqueued.
    pending: AtomicU32,
    /// The failure of the command or of a dependency, 0 for none.
    error: AtomicU32,
    generation: u32,
    lane: Lane,
    profiled: bool,
    /// Whether it ever was unfinished, so that something may count it.
    counted: bool,
    starting_callbacks: AtomicBool,
    share: Share,
    /// Threads that run it, and the most that may.
    runners: AtomicU32,
    threads: u32,
    /// What a piece takes, in units of 1/1024 tick; 0 if that is not known.
    ticks: AtomicU64,
    done: AtomicU64,
    queued: u64,
    submitted: AtomicU64,
    started: AtomicU64,
    ended: AtomicU64,
    /// Not for a command of another generation: a thread that the fork left behind may have been in
    /// the middle of a change.
    links: ManuallyDrop<Mutex<Links>>,
    finished: Condvar,
    /// Counts this command among its unfinished dependencies: the next barrier of the queue.
    gate: Option<Arc<Command>>,
    /// Read by threads that hold a claimed piece, taken by the one that ends the last piece.
    work: UnsafeCell<Option<Box<dyn Work>>>,
}

// SAFETY: `work` is only read between claiming a piece and counting it as done, and only taken by
// the thread that counts the last piece, which orders it after all reads; the rest is `Sync`.
unsafe impl Sync for Command {}
// SAFETY: the work is `Send`.
unsafe impl Send for Command {}

/// Commands that became ready and callbacks that became due, to be passed to the pool.
#[derive(Default)]
pub struct Released {
    /// Commands without unfinished dependencies, not yet dispatched.
    pub ready: Vec<Arc<Command>>,
    /// Callbacks with the state they are told.
    pub callbacks: Vec<(ur_event_status_t, Callback)>,
}

impl Command {
    /// A command that runs `work` in `pieces` pieces; without work it only orders others. Its
    /// dependencies follow with [`Command::depend_on`], then [`Command::enqueued`].
    pub fn new(
        work: Option<(Box<dyn Work>, u64)>,
        lane: Lane,
        profiled: bool,
        gate: Option<Arc<Command>>,
    ) -> Arc<Command> {
        let (work, pieces) = match work {
            Some((work, pieces)) => (Some(work), pieces),
            None => (None, 0),
        };
        if let Some(gate) = &gate {
            gate.pending.fetch_add(1, Ordering::Relaxed);
        }
        let threads = work.as_ref().map_or(1, |work| {
            let all = pool::thread_count() as u32;
            work.threads().map_or(all, |most| most.clamp(1, all))
        });
        Arc::new(Command {
            state: AtomicU32::new(UR_EVENT_STATUS_SUBMITTED.0),
            pending: AtomicU32::new(1),
            error: AtomicU32::new(0),
            generation: fork::generation(),
            lane,
            profiled,
            counted: true,
            starting_callbacks: AtomicBool::new(false),
            share: Share::new(pieces),
            runners: AtomicU32::new(0),
            threads,
            ticks: AtomicU64::new(0),
            done: AtomicU64::new(0),
            queued: if profiled { clock::now() } else { 0 },
            submitted: AtomicU64::new(0),
            started: AtomicU64::new(0),
            ended: AtomicU64::new(0),
            links: ManuallyDrop::default(),
            finished: Condvar::new(),
            gate,
            work: UnsafeCell::new(work),
        })
    }

    /// A command that stands for one that is not enqueued yet: it ends when the commands that it is
    /// made to depend on have ended, after [`Command::enqueued`].
    pub fn promise(profiled: bool) -> Arc<Command> {
        let command = Command::new(None, Lane::Compute, profiled, None);
        command
            .state
            .store(UR_EVENT_STATUS_QUEUED.0, Ordering::Relaxed);
        command
    }

    /// A command that has ended, with success. It is the same one every time: nothing can change it.
    pub fn completed() -> Arc<Command> {
        static COMPLETED: OnceLock<Arc<Command>> = OnceLock::new();
        fork::once(&COMPLETED, || Command::ended(None)).clone()
    }

    /// A command that has ended, with success, and when, if that is to be known.
    pub fn ended(times: Option<Times>) -> Arc<Command> {
        let Times {
            queued,
            submitted,
            started,
            ended,
        } = times.unwrap_or_default();
        Arc::new(Command {
            state: AtomicU32::new(UR_EVENT_STATUS_COMPLETE.0),
            pending: AtomicU32::new(0),
            error: AtomicU32::new(0),
            generation: fork::generation(),
            lane: Lane::Compute,
            profiled: times.is_some(),
            counted: false,
            starting_callbacks: AtomicBool::new(false),
            share: Share::new(0),
            runners: AtomicU32::new(0),
            threads: 1,
            ticks: AtomicU64::new(0),
            done: AtomicU64::new(0),
            queued,
            submitted: AtomicU64::new(submitted),
            started: AtomicU64::new(started),
            ended: AtomicU64::new(ended),
            links: ManuallyDrop::default(),
            finished: Condvar::new(),
            gate: None,
            work: UnsafeCell::new(None),
        })
    }

    fn links(&self) -> MutexGuard<'_, Links> {
        self.links.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The state as an event tells it. A command that a fork cut off is in error.
    pub fn status(&self) -> ur_event_status_t {
        let state = ur_event_status_t(self.state.load(Ordering::Acquire));
        if !is_final(state) && self.generation != fork::generation() {
            return UR_EVENT_STATUS_ERROR;
        }
        state
    }

    /// Whether it ended, with success or not.
    pub fn is_finished(&self) -> bool {
        is_final(self.status())
    }

    /// What became of a finished command.
    pub fn outcome(&self) -> Result<(), ur_result_t> {
        match self.error.load(Ordering::Acquire) {
            0 if is_final(ur_event_status_t(self.state.load(Ordering::Acquire))) => Ok(()),
            0 if self.generation != fork::generation() => Err(UR_RESULT_ERROR_DEVICE_LOST),
            0 => Ok(()),
            error => Err(ur_result_t(error)),
        }
    }

    /// Whether times are recorded.
    pub fn is_profiled(&self) -> bool {
        self.profiled
    }

    /// The times so far.
    pub fn times(&self) -> Times {
        Times {
            queued: self.queued,
            submitted: self.submitted.load(Ordering::Relaxed),
            started: self.started.load(Ordering::Relaxed),
            ended: self.ended.load(Ordering::Relaxed),
        }
    }

    /// Where it may run.
    pub fn lane(&self) -> Lane {
        self.lane
    }

    /// Whether only its own enqueueing (not a dependency) holds it back: for a barrier in the making,
    /// whether everything it would wait for has finished.
    pub fn is_unblocked(&self) -> bool {
        self.pending.load(Ordering::Acquire) <= 1
    }

    /// Makes this command wait for `dependency`. With `inherits` a failure of the dependency
    /// becomes one of this command. Only before [`Command::enqueued`].
    pub fn depend_on(self: &Arc<Self>, dependency: &Command, inherits: bool) {
        if !dependency.is_finished() {
            let mut links = dependency.links();
            if !dependency.is_finished() {
                self.pending.fetch_add(1, Ordering::Relaxed);
                let dependent = Dependent {
                    command: self.clone(),
                    inherits,
                };
                match &mut links.dependent {
                    first @ None => *first = Some(dependent),
                    Some(_) => links.dependents.push(dependent),
                }
                return;
            }
        }
        if inherits && let Err(error) = dependency.outcome() {
            self.fail(error);
        }
    }

    /// Notes a failure; the first one stays.
    pub fn fail(&self, error: ur_result_t) {
        let _ = self
            .error
            .compare_exchange(0, error.0, Ordering::AcqRel, Ordering::Relaxed);
    }

    /// Ends the enqueueing. True when nothing holds the command back: the caller dispatches it.
    #[must_use]
    pub fn enqueued(&self) -> bool {
        self.dependency_done()
    }

    fn dependency_done(&self) -> bool {
        if self.pending.fetch_sub(1, Ordering::AcqRel) != 1 {
            return false;
        }
        if self.profiled {
            self.submitted.store(clock::now(), Ordering::Relaxed);
        }
        true
    }

    /// Whether a ready command has nothing to run, because it only orders others or because a
    /// dependency failed.
    pub fn is_idle(&self) -> bool {
        self.share.pieces() == 0 || self.error.load(Ordering::Acquire) != 0
    }

    /// Lets the pieces of a ready command be claimed.
    pub fn open(&self) {
        // SAFETY: nothing can be claimed before the line after this, so nobody takes the work.
        if let Some(work) = unsafe { (*self.work.get()).as_deref() } {
            self.set_ticks(work);
        }
        self.share.open();
    }

    /// Whether there is nothing to claim, or nothing any more.
    pub fn is_claimed(&self) -> bool {
        self.share.rest() == 0
    }

    /// Whether another thread may take part in running it.
    pub fn has_room(&self) -> bool {
        self.runners.load(Ordering::Acquire) < self.threads
    }

    /// Takes part in running it, if something is left to claim and there is room.
    pub fn join(&self) -> Option<Runner<'_>> {
        if self.is_claimed() {
            return None;
        }
        // No failed attempt is ever counted: it would keep others out.
        let mut runners = self.runners.load(Ordering::Acquire);
        loop {
            if runners >= self.threads {
                return None;
            }
            match self.runners.compare_exchange_weak(
                runners,
                runners + 1,
                Ordering::AcqRel,
                Ordering::Acquire,
            ) {
                Ok(_) => return Some(Runner(self)),
                Err(now) => runners = now,
            }
        }
    }

    /// How many more threads it is worth waking for it.
    pub fn wanted(&self) -> u32 {
        let rest = self.share.rest();
        let room = self
            .threads
            .saturating_sub(self.runners.load(Ordering::Acquire));
        if rest == 0 || room == 0 {
            return 0;
        }
        let worth = match self.ticks() {
            None => rest,
            Some(ticks) => rest.saturating_mul(ticks) / 1024 / WORTH,
        };
        room.min(u32::try_from(worth).unwrap_or(u32::MAX))
    }

    /// What a piece takes, in units of 1/1024 tick, if that is known.
    fn ticks(&self) -> Option<u64> {
        Some(self.ticks.load(Ordering::Relaxed)).filter(|ticks| *ticks != 0)
    }

    /// Notes what a piece takes, as `work` knows it.
    fn set_ticks(&self, work: &dyn Work) {
        if let Some((pace, items)) = work.pace()
            && let Some(ticks) = pace.ticks(items.saturating_mul(1024))
        {
            self.ticks.store(ticks.max(1), Ordering::Relaxed);
        }
    }

    /// Runs claimed pieces. Ending the last one finishes the command.
    fn run(&self, pieces: Range<u64>, released: &mut Released) {
        self.start(released);
        let count = pieces.end - pieces.start;
        // SAFETY: the pieces are claimed and not yet counted as done, so nobody takes the work.
        let work = unsafe { (*self.work.get()).as_deref() };
        if let Some(work) = work {
            let outcome = {
                let _running = (self.lane == Lane::Compute).then(standstill::Running::enter);
                match work.pace() {
                    None => catch_unwind(AssertUnwindSafe(|| work.run_all(pieces))),
                    Some((pace, items)) => {
                        let begin = share::ticks();
                        let outcome = catch_unwind(AssertUnwindSafe(|| work.run_all(pieces)));
                        let taken = share::ticks().wrapping_sub(begin);
                        if pace.note(items.saturating_mul(count), taken) {
                            work.proved();
                        }
                        self.set_ticks(work);
                        outcome
                    }
                }
            };
            match outcome {
                Ok(Ok(())) => {}
                Ok(Err(error)) => self.fail(error),
                Err(_) => self.fail(UR_RESULT_ERROR_UNKNOWN),
            }
        }
        if self.done.fetch_add(count, Ordering::AcqRel) + count == self.share.pieces() {
            self.finish(released);
        }
    }

    /// Notes that it runs, with a claimed piece that is not counted yet.
    fn start(&self, released: &mut Released) {
        if self.state.load(Ordering::Relaxed) != UR_EVENT_STATUS_SUBMITTED.0
            || self
                .state
                .compare_exchange(
                    UR_EVENT_STATUS_SUBMITTED.0,
                    UR_EVENT_STATUS_RUNNING.0,
                    Ordering::AcqRel,
                    Ordering::Relaxed,
                )
                .is_err()
        {
            return;
        }
        if self.profiled {
            self.started.store(clock::now(), Ordering::Relaxed);
        }
        if self.starting_callbacks.load(Ordering::Acquire) {
            let mut links = self.links();
            let due = links
                .callbacks
                .extract_if(.., |(at, _)| *at != UR_EVENT_STATUS_COMPLETE);
            released.callbacks.extend(due);
        }
    }

    /// Ends the command: wakes waiters, hands out dependents that became ready and callbacks. For
    /// a command with pieces only the thread that ran the last one calls it.
    pub fn finish(&self, released: &mut Released) {
        // SAFETY: all pieces are done (or never will be run), so no other thread reads the work.
        let work = unsafe { (*self.work.get()).take() };
        // What the work holds is given back before anybody can see the command as finished. A
        // panicking destructor must not cut the chain of dependents.
        let _ = catch_unwind(AssertUnwindSafe(|| drop(work)));
        if self.profiled {
            let now = clock::now();
            if self.started.load(Ordering::Relaxed) == 0 {
                self.started.store(now, Ordering::Relaxed);
            }
            self.ended.store(now, Ordering::Relaxed);
        }
        let error = self.error.load(Ordering::Acquire);
        let state = if error == UR_RESULT_SUCCESS.0 {
            UR_EVENT_STATUS_COMPLETE
        } else {
            UR_EVENT_STATUS_ERROR
        };
        // Whoever sees the state and then takes the lock (`settle`) finds everything counted off.
        let mut links = self.links();
        self.state.store(state.0, Ordering::Release);
        let first = links.dependent.take();
        for dependent in first
            .into_iter()
            .chain(std::mem::take(&mut links.dependents))
        {
            if dependent.inherits && error != 0 {
                dependent.command.fail(ur_result_t(error));
            }
            if dependent.command.dependency_done() {
                released.ready.push(dependent.command);
            }
        }
        if let Some(gate) = &self.gate
            && gate.dependency_done()
        {
            released.ready.push(gate.clone());
        }
        let callbacks = std::mem::take(&mut links.callbacks);
        released
            .callbacks
            .extend(callbacks.into_iter().map(|(_, call)| (state, call)));
        if links.waiters > 0 {
            self.finished.notify_all();
        }
    }

    /// Returns once a finished command is counted off wherever it was counted, so that a queue
    /// whose last command was waited for is seen to be empty.
    pub fn settle(&self) {
        if self.counted && self.generation == fork::generation() {
            drop(self.links());
        }
    }

    /// Has `callback` called once the command reaches `at` or a later state. Handed back with the
    /// present state when that is already so.
    pub fn when(
        &self,
        at: ur_event_status_t,
        callback: Callback,
    ) -> Option<(ur_event_status_t, Callback)> {
        if self.generation != fork::generation() {
            return Some((self.status(), callback));
        }
        let mut links = self.links();
        let status = self.status();
        // The states count down towards COMPLETE; ERROR is final too.
        if is_final(status) || status.0 <= at.0 {
            return Some((status, callback));
        }
        if at != UR_EVENT_STATUS_COMPLETE {
            self.starting_callbacks.store(true, Ordering::Release);
        }
        links.callbacks.push((at, callback));
        drop(links);
        None
    }

    /// Blocks until the command is finished, without helping.
    pub fn block(&self) {
        let mut links = self.links();
        links.waiters += 1;
        while !self.is_finished() {
            links = self
                .finished
                .wait(links)
                .unwrap_or_else(PoisonError::into_inner);
        }
        links.waiters -= 1;
    }
}

/// A thread's part in running a command.
pub struct Runner<'a>(&'a Command);

impl Runner<'_> {
    /// Runs some pieces, if any are left: as many as are worth it.
    pub fn step(&self, released: &mut Released) -> bool {
        let command = self.0;
        match command
            .share
            .claim(u64::from(command.threads), command.ticks())
        {
            Some(pieces) => {
                command.run(pieces, released);
                true
            }
            None => false,
        }
    }
}

impl Drop for Runner<'_> {
    fn drop(&mut self) {
        self.0.runners.fetch_sub(1, Ordering::AcqRel);
    }
}

impl Drop for Command {
    fn drop(&mut self) {
        if self.generation == fork::generation() {
            // SAFETY: the command is going, and its links go once.
            unsafe { ManuallyDrop::drop(&mut self.links) };
        }
    }
}

fn is_final(state: ur_event_status_t) -> bool {
    state == UR_EVENT_STATUS_COMPLETE || state == UR_EVENT_STATUS_ERROR
}
