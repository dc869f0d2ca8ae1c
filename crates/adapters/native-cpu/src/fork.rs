//! What a forked child needs: it has none of its parent's worker threads.
//!
//! The number of forks between the process that loaded the library and this one, the *generation*,
//! is counted by a handler in the child. Commands remember the generation they were made in; one
//! that was unfinished at the fork can never finish in the child and is reported as lost.

use std::sync::Once;
use std::sync::atomic::{AtomicU32, Ordering};

static GENERATION: AtomicU32 = AtomicU32::new(0);
static WATCH: Once = Once::new();

/// The generation of this process.
pub fn generation() -> u32 {
    GENERATION.load(Ordering::Relaxed)
}

/// Starts counting forks; cheap when called again.
pub fn watch() {
    WATCH.call_once(|| {
        // SAFETY: the handlers only touch atomics, locks made for it and the calling thread's own
        // memory, and the library is never unloaded (it is linked `nodelete`).
        unsafe { libc::pthread_atfork(Some(before), Some(in_parent), Some(in_child)) };
    });
}

extern "C" fn before() {
    crate::usm::registry::before_fork();
}

extern "C" fn in_parent() {
    crate::usm::registry::after_fork();
}

extern "C" fn in_child() {
    GENERATION.fetch_add(1, Ordering::Relaxed);
    crate::pool::forget();
    crate::standstill::forget();
    crate::usm::registry::after_fork();
}
