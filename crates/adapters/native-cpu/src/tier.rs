//! Better code for kernels that have proved to be worth it, made while their first code runs.
//!
//! Vectorised code takes several times as long to make as scalar code, so a kernel starts with the latter,
//! and [`Pace`](crate::share::Pace) adds up what it takes. One thread, of low priority, makes the better
//! code of one kernel after the other and ends when there is nothing left to do; a launch takes the best
//! code that there is when it is enqueued. What is meant to be better is on trial for as long as the first
//! code was watched, and goes if it is slower.
//!
//! A fork waits for the compilation in progress, as for every other ([`jit`](crate::jit)); the child has
//! nothing waiting and starts a thread of its own when one of its kernels is worth it. An exit waits for
//! nothing: the JIT's library has no destructors that could run under the thread's feet.

use crate::code::Compiled;
use crate::fork::{self, Mutex};
use crate::{NativeCpu, pool};
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use ur_adapter::Backend;
use ur_api::UR_LOGGER_LEVEL_DEBUG;

/// Most kernels that wait for their better code. One more goes on adding up, and asks again.
const MOST_WAITING: usize = 256;

/// How much lower the thread's priority is than that of the thread that started it: next to threads that
/// are busy it gets about a quarter of a CPU.
const NICER: libc::c_int = 5;

struct Waiting {
    kernels: VecDeque<Arc<Compiled>>,
    /// Whether the thread will look at `kernels` again.
    at_work: bool,
    /// Of the process that all this is true in.
    generation: u32,
}

static WAITING: Mutex<Waiting> = Mutex::new(Waiting {
    kernels: VecDeque::new(),
    at_work: false,
    generation: 0,
});

/// Set when the process has begun to exit: the program's logger may be gone soon, and nothing that begins
/// now is of use.
static LEAVING: AtomicBool = AtomicBool::new(false);

extern "C" fn leave() {
    LEAVING.store(true, Ordering::SeqCst);
}

/// Has better code made for a kernel that has proved to be worth it.
#[cold]
pub fn request(kernel: &Arc<Compiled>) {
    let mut left_behind = VecDeque::new();
    let taken = {
        let mut waiting = WAITING.lock();
        if waiting.generation != fork::generation() {
            waiting.generation = fork::generation();
            waiting.at_work = false;
            left_behind = std::mem::take(&mut waiting.kernels);
        }
        let room = waiting.kernels.len() < MOST_WAITING;
        if room && !waiting.at_work {
            waiting.at_work = pool::spawn("ur-cpu-compiler", work);
        }
        if room && waiting.at_work {
            waiting.kernels.push_back(kernel.clone());
        }
        room && waiting.at_work
    };
    drop(left_behind);
    if !taken {
        kernel.pace().watch_again();
    }
}

/// The life of the thread.
fn work() {
    prepare();
    while let Some(kernel) = next() {
        // At worst the kernel keeps the code that it has.
        let _ = catch_unwind(AssertUnwindSafe(|| improve(&kernel)));
    }
}

fn prepare() {
    static WATCHED: AtomicBool = AtomicBool::new(false);
    let _section = fork::section();
    if !WATCHED.swap(true, Ordering::Relaxed) {
        // SAFETY: the function only stores a flag, and the library is never unloaded.
        unsafe { libc::atexit(leave) };
    }
    // SAFETY: both calls are about numbers of the calling thread, which Linux keeps a priority for.
    unsafe {
        let own = libc::gettid() as libc::id_t;
        let now = libc::getpriority(libc::PRIO_PROCESS, own);
        libc::setpriority(libc::PRIO_PROCESS, own, now + NICER);
    }
}

/// The next kernel; none when the thread is to end.
fn next() -> Option<Arc<Compiled>> {
    let mut waiting = WAITING.lock();
    let next = match LEAVING.load(Ordering::SeqCst) {
        true => None,
        false => waiting.kernels.pop_front(),
    };
    waiting.at_work = next.is_some();
    next
}

fn improve(kernel: &Arc<Compiled>) {
    let Some((module, name)) = kernel.origin() else {
        // Its program is gone.
        return;
    };
    if kernel.is_on_trial() {
        let stays = kernel.judge(&module, name);
        let word = if stays { "stays" } else { "is slower and goes" };
        return say(|| format!("kernel {name}: vectorised code {word}"));
    }
    say(|| format!("kernel {name}: vectorised code is being made"));
    match kernel.improve(&module, name) {
        Ok(()) => say(|| format!("kernel {name}: vectorised code is used from now on")),
        Err(reason) => say(|| format!("kernel {name}: no vectorised code: {reason}")),
    }
}

/// Tells the program's logger.
fn say(message: impl FnOnce() -> String) {
    let listener = {
        let _section = fork::section();
        NativeCpu::logger().listener(UR_LOGGER_LEVEL_DEBUG)
    };
    if let Some(listener) = listener
        && !LEAVING.load(Ordering::SeqCst)
    {
        listener.hear(&message());
    }
}
