//! The worker threads and the commands that are ready to run.
//!
//! There are two lanes. The compute lane runs kernels and copies on as many workers as the device
//! has compute units; a thread that waits for a command takes part. The host lane runs code of the
//! user (host tasks, event callbacks) on threads of its own, one more whenever all are busy, since
//! such code may block, even on locks that a waiting thread holds.
//!
//! Threads are started by the first work that needs them, sleep when there is none, and are never
//! joined: at process exit they simply end with the process. A forked child gets a new pool.

use crate::arena::Arenas;
use crate::command::{Callback, Command, Lane, Released};
use crate::fork;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicPtr, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use ur_api::ur_event_status_t;

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
    name: &'static str,
}

/// See the module documentation.
pub struct Pool {
    compute: LaneQueue,
    host: LaneQueue,
    arenas: Arenas,
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

/// Threads that run kernels: `UR_NATIVE_CPU_THREADS` if it is a number above 0, otherwise one for
/// each CPU this process may use.
pub fn thread_count() -> usize {
    static COUNT: OnceLock<usize> = OnceLock::new();
    *fork::once(&COUNT, || {
        std::env::var("UR_NATIVE_CPU_THREADS")
            .ok()
            .and_then(|text| text.trim().parse().ok())
            .filter(|&count| count > 0)
            .map(|count: usize| count.min(4096))
            .or_else(|| std::thread::available_parallelism().ok().map(usize::from))
            .unwrap_or(1)
    })
}

impl Pool {
    fn new(threads: usize) -> Pool {
        let lane = |name, max_threads| LaneQueue {
            state: Mutex::default(),
            wake: Condvar::new(),
            max_threads,
            name,
        };
        Pool {
            compute: lane("ur-cpu-worker", threads),
            host: lane("ur-cpu-host", MAX_HOST_THREADS),
            arenas: Arenas::default(),
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
        self.release(Released {
            ready: vec![command],
            callbacks: Vec::new(),
        });
    }

    /// Has a callback called, on a host thread.
    pub fn call(&'static self, due: (ur_event_status_t, Callback)) {
        self.host.push(self, Job::Callback(due.0, due.1), 1);
    }

    /// Blocks of memory for kernels.
    pub fn arenas(&self) -> &Arenas {
        &self.arenas
    }

    /// Runs a ready command on the calling thread, whole.
    pub fn run_here(&'static self, command: &Arc<Command>) {
        let mut released = Released::default();
        if command.is_idle() {
            command.finish(&mut released);
        } else {
            command.open();
            while let Some(piece) = command.claim() {
                command.run(piece, &mut released);
            }
        }
        self.release(released);
    }

    /// Queues what finished commands set free. Commands with nothing to run finish on the spot, in
    /// a loop: a long chain of them must not recurse.
    pub fn release(&'static self, mut released: Released) {
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
                let lane = self.lane(command.lane());
                let pieces = command.pieces().min(usize::MAX as u64) as usize;
                lane.push(self, Job::Command(command), pieces);
            }
        }
    }

    /// Runs one piece of queued compute work on the calling thread; false if there is none.
    fn help(&'static self) -> bool {
        let Some((command, piece)) = self.compute.state().take_piece() else {
            return false;
        };
        let mut released = Released::default();
        command.run(piece, &mut released);
        self.release(released);
        true
    }

    /// Blocks until `command` is finished, running compute work meanwhile.
    pub fn wait(&'static self, command: &Arc<Command>) {
        let mut spins = 0;
        while !command.is_finished() {
            if command.lane() == Lane::Compute
                && let Some(piece) = command.claim()
            {
                let mut released = Released::default();
                command.run(piece, &mut released);
                self.release(released);
            } else if self.help() {
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
    /// Claims a piece of the first command that has one left.
    fn take_piece(&mut self) -> Option<(Arc<Command>, u64)> {
        while let Some(Job::Command(command)) = self.jobs.front() {
            let claimed = command.claim().map(|piece| (command.clone(), piece));
            if command.is_claimed() {
                self.jobs.pop_front();
            }
            if claimed.is_some() {
                return claimed;
            }
        }
        None
    }

    fn take(&mut self) -> Option<Task> {
        if let Some(Job::Callback(..)) = self.jobs.front()
            && let Some(Job::Callback(state, callback)) = self.jobs.pop_front()
        {
            return Some(Task::Callback(state, callback));
        }
        self.take_piece()
            .map(|(command, piece)| Task::Piece(command, piece))
            .or_else(|| match self.jobs.pop_front() {
                // `take_piece` stopped at a callback behind exhausted commands.
                Some(Job::Callback(state, callback)) => Some(Task::Callback(state, callback)),
                _ => None,
            })
    }
}

enum Task {
    Piece(Arc<Command>, u64),
    Callback(ur_event_status_t, Callback),
}

impl LaneQueue {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Queues a job and sees to it that up to `wanted` threads look at it.
    fn push(&'static self, pool: &'static Pool, job: Job, wanted: usize) {
        let mut state = self.state();
        state.jobs.push_back(job);
        let mut wanted = wanted.min(self.max_threads);
        while wanted > 0 && state.sleeping > 0 {
            state.sleeping -= 1;
            state.wakeups += 1;
            wanted -= 1;
            self.wake.notify_one();
        }
        while wanted > 0 && state.threads < self.max_threads {
            if !spawn(self.name, move || self.work(pool)) {
                break;
            }
            state.threads += 1;
            wanted -= 1;
        }
        let stranded = state.threads == 0;
        drop(state);
        if stranded {
            // No thread can be had: the caller does the work.
            while self.step(pool) {}
        }
    }

    /// The life of a thread.
    fn work(&'static self, pool: &'static Pool) {
        loop {
            while self.step(pool) {}
            let mut state = self.state();
            if !state.jobs.is_empty() {
                continue;
            }
            state.sleeping += 1;
            while state.wakeups == 0 {
                state = self
                    .wake
                    .wait(state)
                    .unwrap_or_else(PoisonError::into_inner);
            }
            state.wakeups -= 1;
        }
    }

    /// Does one job, or pieces of a command until none is left; false if there is nothing to do.
    fn step(&'static self, pool: &'static Pool) -> bool {
        let task = self.state().take();
        let mut released = Released::default();
        match task {
            Some(Task::Piece(command, piece)) => {
                command.run(piece, &mut released);
                while let Some(piece) = command.claim() {
                    command.run(piece, &mut released);
                }
            }
            Some(Task::Callback(state, callback)) => {
                // A panic cannot come from the user's C function, only from our own closure.
                let _ = catch_unwind(AssertUnwindSafe(|| callback(state)));
            }
            None => return false,
        }
        pool.release(released);
        true
    }
}

/// Starts a detached thread that takes no signals: those belong to the program's own threads.
fn spawn(name: &str, body: impl FnOnce() + Send + 'static) -> bool {
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
