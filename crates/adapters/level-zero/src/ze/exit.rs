//! The end of the process.
//!
//! The loader of Level Zero and its drivers have destructors of their own, which run at the process's
//! exit, while a program may release its last objects even later, and threads of the adapter may be in
//! a call. So a handler that comes before those destructors says that nothing is to be called any more.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, Once, PoisonError};

static GONE: AtomicBool = AtomicBool::new(false);

/// The process that the handler was registered in. A child has its own copies of all that is here, but
/// no threads.
static PROCESS: AtomicU32 = AtomicU32::new(0);

/// Held by threads of the adapter's own while they are in calls.
static TURN: Mutex<()> = Mutex::new(());

extern "C" fn exiting() {
    GONE.store(true, Ordering::SeqCst);
    if PROCESS.load(Ordering::Relaxed) == std::process::id() {
        // Threads are in no call now, and none begins one.
        std::mem::forget(turn());
    }
}

/// Registers the handler; to be called when drivers have been loaded.
pub fn prepare() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        PROCESS.store(std::process::id(), Ordering::Relaxed);
        // SAFETY: a function that stays: the library is never unloaded. Without room for one more
        // handler, the process ends as it would without.
        unsafe { libc::atexit(exiting) };
    });
}

/// Whether the process is at its end, and nothing of Level Zero's may be called.
pub fn is_gone() -> bool {
    GONE.load(Ordering::Relaxed)
}

/// What a thread of the adapter's own holds while it is in calls, which must be short ones: the
/// process's exit waits for it.
pub fn turn() -> MutexGuard<'static, ()> {
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}
