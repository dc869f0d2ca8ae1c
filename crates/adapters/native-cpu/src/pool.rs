//! The worker threads and the commands that are ready to run.
//!
//! There are two lanes. The compute lane runs kernels and copies. Work wakes one worker; who begins
//! with a command wakes further ones if that is worth it, so that enqueueing costs little and many are
//! awake soon. A thread that waits for a command takes part, and with it as many threads run a command
//! as the device has compute units. The host lane runs code of the
//! user (host tasks, event callbacks) on threads of its own, one more whenever all are busy, since
//! such code may block, even on locks that a waiting thread holds.
//!
//! Threads are started by the first work that needs them, sleep when there is none, and are never
//! joined: at process exit they simply end with the process. A forked child gets a new pool.

use crate::command::{Callback, Command, Lane, Released};
use crate::{NativeCpu, fork, numa};
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use ur_adapter::Backend;
use ur_api::{UR_LOGGER_LEVEL_WARN, ur_event_status_t};

/// Most threads of the host lane, so most host functions that can block at once; more wait.
const MAX_HOST_THREADS: usize = 16;

/// Bytes of stack of a thread: kernels keep private memory there. Only touched pages cost memory.
const STACK: usize = 16 << 20;

/// How often a waiting thread looks again before it sleeps; about ten microseconds.
const SPINS: u32 = 200;

enum Job {
    Command(Arc<Command>),
    Callback(ur_event_status_t, Callback),
}

#[derive(Default)]
struct State {
    jobs: VecDeque<Job>,
    threads: usize,
    sleeping: usize,
    /// Wake-ups given and not yet taken; tells a real wake-up from a spurious one.
    wakeups: usize,
}

struct LaneQueue {
    state: Mutex<State>,
    wake: Condvar,
    max_threads: usize,
    /// Threads that could still be woken or started, for a look without the lock.
    idle: AtomicUsize,
    name: &'static str,
}

/// See the module documentation.
pub struct Pool {
    compute: LaneQueue,
    host: LaneQueue,
}

static POOL: AtomicPtr<Pool> = AtomicPtr::new(std::ptr::null_mut());

/// The pool of this process, made on the first call.
pub fn get() -> &'static Pool {
    let pool = POOL.load(Ordering::Acquire);
    if !pool.is_null() {
        // SAFETY: a pool that was published is never freed.
        return unsafe { &*pool };
    }
    fork::watch();
    let fresh = Box::into_raw(Box::new(Pool::new(thread_count())));
    match POOL.compare_exchange(
        std::ptr::null_mut(),
        fresh,
        Ordering::AcqRel,
        Ordering::Acquire,
    ) {
        // SAFETY: as above.
        Ok(_) => unsafe { &*fresh },
        Err(other) => {
            // SAFETY: `fresh` was not published; `other` was.
            unsafe {
                drop(Box::from_raw(fresh));
                &*other
            }
        }
    }
}

/// Leaves the pool behind, in a forked child: its threads do not exist there.
pub fn forget() {
    POOL.store(std::ptr::null_mut(), Ordering::Release);
}

/// Most threads that the environment can ask for.
const MAX_THREADS: usize = 4096;

/// Threads that run a kernel at the same time, the one that waits for it included:
/// `UR_NATIVE_CPU_THREADS` if it is a number from 1 to 4096, otherwise one for each CPU this process may
/// use. The environment is read once.
pub fn thread_count() -> usize {
    from_environment().0
}

/// Tells the program's logger, once, that the variable is ignored, if it is.
pub fn warn() {
    static SAID: AtomicBool = AtomicBool::new(false);
    if let (_, Some(warning)) = from_environment()
        && !SAID.swap(true, Ordering::Relaxed)
    {
        NativeCpu::logger().say(UR_LOGGER_LEVEL_WARN, warning);
    }
}

/// The number of threads, and what is to be said of the variable.
fn from_environment() -> &'static (usize, Option<String>) {
    static COUNT: OnceLock<(usize, Option<String>)> = OnceLock::new();
    fork::once(&COUNT, || {
        let value = std::env::var_os("UR_NATIVE_CPU_THREADS").unwrap_or_default();
        let (wanted, warning) = match threads_asked_for(&value.to_string_lossy()) {
            Ok(wanted) => (wanted, None),
            Err(warning) => (None, Some(warning)),
        };
        let all = || std::thread::available_parallelism().map_or(1, usize::from);
        (wanted.unwrap_or_else(all), warning)
    })
}

/// The number of threads that a value of the variable asks for; none if it is empty.
fn threads_asked_for(value: &str) -> Result<Option<usize>, String> {
    let text = value.trim();
    if text.is_empty() {
        return Ok(None);
    }
    let count = text.parse().ok();
    match count.filter(|count| (1..=MAX_THREADS).contains(count)) {
        Some(count) => Ok(Some(count)),
        None => Err(format!(
            "UR_NATIVE_CPU_THREADS: {value:?} is no number from 1 to {MAX_THREADS} and is ignored"
        )),
    }
}

impl Pool {
    fn new(threads: usize) -> Pool {
        let lane = |name, max_threads| LaneQueue {
            state: Mutex::default(),
            wake: Condvar::new(),
            max_threads,
            idle: AtomicUsize::new(max_threads),
            name,
        };
        Pool {
            compute: lane("ur-cpu-worker", threads),
            host: lane("ur-cpu-host", MAX_HOST_THREADS),
        }
    }

    fn lane(&self, lane: Lane) -> &LaneQueue {
        match lane {
            Lane::Compute => &self.compute,
            Lane::Host => &self.host,
        }
    }

    /// Takes a command whose dependencies have finished.
    pub fn dispatch(&'static self, command: Arc<Command>) {
        if command.is_idle() {
            self.run_here(&command);
        } else {
            command.open();
            self.lane(command.lane()).push(self, Job::Command(command));
        }
    }

    /// Has a callback called, on a host thread.
    pub fn call(&'static self, due: (ur_event_status_t, Callback)) {
        self.host.push(self, Job::Callback(due.0, due.1));
    }

    /// Runs a ready command on the calling thread, whole.
    pub fn run_here(&'static self, command: &Arc<Command>) {
        let mut released = Released::default();
        if command.is_idle() {
            command.finish(&mut released);
        } else {
            command.open();
            if let Some(runner) = command.join() {
                while runner.step(&mut released) {}
            }
        }
        self.release(released);
    }

    /// Queues what finished commands set free. Commands with nothing to run finish on the spot, in
    /// a loop: a long chain of them must not recurse.
    pub fn release(&'static self, released: Released) {
        self.pass_on(released, None);
    }

    /// As [`Pool::release`], for a thread that will look for work in `lane` next.
    fn pass_on(&'static self, mut released: Released, lane: Option<&LaneQueue>) {
        loop {
            for due in released.callbacks.drain(..) {
                self.call(due);
            }
            let Some(command) = released.ready.pop() else {
                return;
            };
            if command.is_idle() {
                command.finish(&mut released);
            } else {
                command.open();
                let to = self.lane(command.lane());
                let job = Job::Command(command);
                if lane.is_some_and(|lane| std::ptr::eq(lane, to)) {
                    to.push_own(self, job);
                } else {
                    to.push(self, job);
                }
            }
        }
    }

    /// Wakes threads for a command that the calling one has joined, if it is worth it. Each that comes
    /// wakes others, so two are enough.
    fn spread(&'static self, command: &Command) {
        let lane = self.lane(command.lane());
        if lane.idle.load(Ordering::Relaxed) > 0 {
            let wanted = command.wanted().min(2);
            if wanted > 0 {
                lane.wake(self, &mut lane.state(), wanted as usize);
            }
        }
    }

    /// Runs a command until nothing is left to claim. False if it needs no more threads.
    fn take_part(&'static self, command: &Command, released: &mut Released) -> bool {
        let Some(runner) = command.join() else {
            return false;
        };
        self.spread(command);
        let mut ran = false;
        while runner.step(released) {
            if !ran {
                // More is known of it now.
                self.spread(command);
            }
            ran = true;
        }
        ran
    }

    /// Runs a part of queued compute work on the calling thread; false if there is none.
    fn help(&'static self) -> bool {
        let Some(command) = self.compute.state().find() else {
            return false;
        };
        let mut released = Released::default();
        let ran = command
            .join()
            .is_some_and(|runner| runner.step(&mut released));
        if ran && !command.is_claimed() {
            // Whoever found no room may sleep by now, and this thread may not come back.
            self.compute.wake(self, &mut self.compute.state(), 1);
        }
        self.release(released);
        ran
    }

    /// Blocks until `command` is finished, running compute work meanwhile.
    pub fn wait(&'static self, command: &Arc<Command>) {
        let mut spins = 0;
        while !command.is_finished() {
            let mut released = Released::default();
            let compute = command.lane() == Lane::Compute;
            let took_part = compute && self.take_part(command, &mut released);
            self.release(released);
            if took_part || self.help() {
                spins = 0;
            } else if spins < SPINS {
                spins += 1;
                std::hint::spin_loop();
            } else {
                return command.block();
            }
        }
        command.settle();
    }
}

impl State {
    /// The first command that takes another thread. Those with nothing left to claim go.
    fn find(&mut self) -> Option<Arc<Command>> {
        let mut at = 0;
        while let Some(job) = self.jobs.get(at) {
            if let Job::Command(command) = job {
                if command.is_claimed() {
                    self.jobs.remove(at);
                    continue;
                }
                if command.has_room() {
                    return Some(command.clone());
                }
            }
            at += 1;
        }
        None
    }

    /// Whether [`State::take`] would give something.
    fn has_work(&mut self) -> bool {
        matches!(self.jobs.front(), Some(Job::Callback(..)))
            || self.find().is_some()
            || matches!(self.jobs.front(), Some(Job::Callback(..)))
    }

    fn take(&mut self) -> Option<Job> {
        if let Some(Job::Callback(..)) = self.jobs.front() {
            return self.jobs.pop_front();
        }
        if let Some(command) = self.find() {
            return Some(Job::Command(command));
        }
        // What was in front of a callback may be gone.
        match self.jobs.front() {
            Some(Job::Callback(..)) => self.jobs.pop_front(),
            _ => None,
        }
    }
}

impl LaneQueue {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Queues a job and sees to it that a thread looks at it.
    fn push(&'static self, pool: &'static Pool, job: Job) {
        let mut state = self.state();
        state.jobs.push_back(job);
        self.wake(pool, &mut state, 1);
        let stranded = state.threads == 0;
        drop(state);
        if stranded {
            // No thread can be had: the caller does the work.
            while self.step(pool) {}
        }
    }

    /// As [`LaneQueue::push`], for one of the lane's own threads, which will look at the queue next: if
    /// nothing else stands there, nobody needs to be woken.
    fn push_own(&'static self, pool: &'static Pool, job: Job) {
        let mut state = self.state();
        let busy = state.has_work();
        state.jobs.push_back(job);
        if busy {
            self.wake(pool, &mut state, 1);
        }
    }

    /// Wakes or starts up to `wanted` threads.
    fn wake(&'static self, pool: &'static Pool, state: &mut State, mut wanted: usize) {
        while wanted > 0 && state.sleeping > 0 {
            state.sleeping -= 1;
            state.wakeups += 1;
            wanted -= 1;
            self.wake.notify_one();
        }
        while wanted > 0 && state.threads < self.max_threads {
            let number = state.threads;
            if !spawn(self.name, move || self.work(pool, number)) {
                break;
            }
            state.threads += 1;
            wanted -= 1;
        }
        self.count_idle(state);
    }

    fn count_idle(&self, state: &State) {
        let idle = state.sleeping + (self.max_threads - state.threads);
        self.idle.store(idle, Ordering::Relaxed);
    }

    /// The life of a thread.
    fn work(&'static self, pool: &'static Pool, number: usize) {
        if std::ptr::eq(self, &pool.compute) {
            numa::settle(number);
        }
        loop {
            while self.step(pool) {}
            let mut state = self.state();
            if state.has_work() {
                continue;
            }
            state.sleeping += 1;
            self.count_idle(&state);
            while state.wakeups == 0 {
                state = self
                    .wake
                    .wait(state)
                    .unwrap_or_else(PoisonError::into_inner);
            }
            state.wakeups -= 1;
        }
    }

    /// Does one job, or its part of one; false if there is nothing to do.
    fn step(&'static self, pool: &'static Pool) -> bool {
        let job = self.state().take();
        match job {
            Some(Job::Command(command)) => {
                let mut released = Released::default();
                let ran = pool.take_part(&command, &mut released);
                pool.pass_on(released, Some(self));
                ran
            }
            Some(Job::Callback(state, callback)) => {
                // A panic cannot come from the user's C function, only from our own closure.
                let _ = catch_unwind(AssertUnwindSafe(|| callback(state)));
                true
            }
            None => false,
        }
    }
}

/// Starts a detached thread that takes no signals: those belong to the program's own threads. False if
/// none can be had.
pub fn spawn(name: &str, body: impl FnOnce() + Send + 'static) -> bool {
    // SAFETY: both sets are valid places; sigfillset initialises the first, pthread_sigmask the
    // second.
    let old = unsafe {
        let mut all = std::mem::zeroed();
        let mut old: libc::sigset_t = std::mem::zeroed();
        libc::sigfillset(&mut all);
        libc::pthread_sigmask(libc::SIG_SETMASK, &all, &mut old);
        old
    };
    let spawned = std::thread::Builder::new()
        .name(name.to_owned())
        .stack_size(STACK)
        .spawn(body)
        .is_ok();
    // SAFETY: `old` is the mask that the call above returned.
    unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &old, std::ptr::null_mut()) };
    spawned
}

#[cfg(test)]
mod tests {
    use super::threads_asked_for;

    #[test]
    fn numbers_of_threads() {
        assert_eq!(threads_asked_for("3"), Ok(Some(3)));
        assert_eq!(threads_asked_for(" 4096\n"), Ok(Some(4096)));
        assert_eq!(threads_asked_for(""), Ok(None));
        for bad in ["0", "-1", "4097", "many", "2.5", "99999999999999999999"] {
            let warning = threads_asked_for(bad).unwrap_err();
            assert!(warning.contains(bad) && warning.contains("UR_NATIVE_CPU_THREADS"));
        }
    }
}
