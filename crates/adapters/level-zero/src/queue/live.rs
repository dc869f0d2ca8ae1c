//! All queues, for waits that are for more than one, and those that are gone before their commands.

use super::Core;
use crate::context::Context;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use ur_adapter::Result;

#[derive(Debug)]
struct List {
    /// Those that a program has, and for a moment some that it just gave up.
    queues: Vec<Weak<Core>>,
    /// Those that it gave up while commands had not ended.
    left: Vec<Arc<Core>>,
}

static LIST: Mutex<List> = Mutex::new(List {
    queues: Vec::new(),
    left: Vec::new(),
});

/// How many are in `left`, so that most calls need not look.
static LEFT: AtomicUsize = AtomicUsize::new(0);

fn list() -> MutexGuard<'static, List> {
    LIST.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Notes a queue.
pub fn enter(core: &Arc<Core>) {
    sweep();
    list().queues.push(Arc::downgrade(core));
}

/// Takes over a queue that the program has given up: it stays until its commands have ended.
pub fn leave(core: &Arc<Core>) {
    // A failure to hand commands over shows in their signals.
    let _ = core.flush();
    let idle = core.is_idle();
    let mut list = list();
    let own = Arc::as_ptr(core);
    list.queues.retain(|queue| queue.as_ptr() != own);
    if !idle {
        list.left.push(core.clone());
        LEFT.store(list.left.len(), Ordering::Relaxed);
    }
    drop(list);
    sweep();
}

/// Drops queues that were given up and whose commands have ended meanwhile.
pub fn sweep() {
    if LEFT.load(Ordering::Relaxed) == 0 {
        return;
    }
    let left = list().left.clone();
    let idle: Vec<_> = left.into_iter().filter(|core| core.is_idle()).collect();
    let mut list = list();
    let ended = |core: &Arc<Core>| idle.iter().any(|idle| Arc::ptr_eq(idle, core));
    list.left.retain(|core| !ended(core));
    LEFT.store(list.left.len(), Ordering::Relaxed);
    drop(list);
    // The last references go here, without the lock.
    drop(idle);
}

/// All queues whose commands may not have ended.
fn all() -> Vec<Arc<Core>> {
    let list = list();
    let queues = list.queues.iter().filter_map(Weak::upgrade);
    queues.chain(list.left.iter().cloned()).collect()
}

fn is_of(core: &Core, context: &Context) -> bool {
    std::ptr::eq::<Context>(&***core.context(), context)
}

/// Drops something when all commands of a context that were enqueued so far have ended and somebody has
/// seen that: at once, if there are none. It is dropped without a lock, by a call of the program.
pub fn after_context<T: Send + Sync + 'static>(context: &Context, last: Arc<T>) {
    for core in all().iter().filter(|core| is_of(core, context)) {
        // What cannot be asked has not ended.
        let _ = core.is_empty();
        core.hold(&last);
    }
    drop(last);
    sweep();
}

/// Waits for all commands of the queues of which this holds, and gives the first error there was.
///
/// # Errors
/// What the driver says.
pub fn finish(which: impl Fn(&Core) -> bool) -> Result {
    let all = all();
    let mut result = Ok(());
    for core in all.iter().filter(|core| which(core)) {
        result = result.and(core.finish());
    }
    drop(all);
    sweep();
    result
}

/// Looks which commands of a context have ended, so that what they held goes.
pub fn look(context: &Context) {
    for core in all().iter().filter(|core| is_of(core, context)) {
        // What cannot be asked has not ended.
        let _ = core.is_empty();
    }
    sweep();
}

/// Waits for all commands of a context.
///
/// # Errors
/// What the driver says.
pub fn finish_context(context: &Context) -> Result {
    finish(|core| is_of(core, context))
}
