//! What is to be done when commands end, without a call of the program: Level Zero calls nobody back, so
//! a thread looks.

use super::Signal;
use crate::ze::exit;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use ur_adapter::Error;
use ur_adapter::hosted::{self, Job};

/// Nanoseconds that the thread waits for one event before it looks at all.
const LOOK: u64 = 500_000;

/// A job and the end that it comes after.
struct Watched {
    signal: Arc<Signal>,
    job: Box<dyn Job>,
}

struct Watch {
    new: Vec<Watched>,
    is_running: bool,
}

static WATCH: Mutex<Watch> = Mutex::new(Watch {
    new: Vec::new(),
    is_running: false,
});
static MORE: Condvar = Condvar::new();

/// Gives a job to a thread of the program's functions when a command has ended. If that cannot be known,
/// the job is refused.
pub fn after(signal: Arc<Signal>, job: Box<dyn Job>) {
    if matches!(signal.poll(), Ok(true)) {
        hosted::start(job);
        return;
    }
    let mut watch = WATCH.lock().unwrap_or_else(PoisonError::into_inner);
    watch.new.push(Watched { signal, job });
    if watch.is_running {
        MORE.notify_one();
        return;
    }
    let thread = std::thread::Builder::new().name("ur-ze-watch".into());
    watch.is_running = thread.spawn(work).is_ok();
    if watch.is_running {
        return;
    }
    let refused = std::mem::take(&mut watch.new);
    drop(watch);
    for watched in refused {
        watched.job.refuse();
    }
}

/// What the thread does, for ever: at the end of the process it is parked.
fn work() {
    let mut all: Vec<Watched> = Vec::new();
    loop {
        {
            let mut watch = WATCH.lock().unwrap_or_else(PoisonError::into_inner);
            while all.is_empty() && watch.new.is_empty() {
                watch = MORE.wait(watch).unwrap_or_else(PoisonError::into_inner);
            }
            all.append(&mut watch.new);
        }
        let told: Vec<_> = {
            let _turn = exit::turn();
            // The oldest is waited for; those that end meanwhile are seen behind it.
            let first = all[0].signal.wait(LOOK);
            let rest = all[1..].iter().map(|watched| watched.signal.poll());
            std::iter::once(first).chain(rest).collect()
        };
        let before = std::mem::take(&mut all);
        for (watched, told) in before.into_iter().zip(told) {
            end(watched, told, &mut all);
        }
    }
}

/// Does what is to be done, or keeps the rest.
fn end(watched: Watched, told: Result<bool, Error>, rest: &mut Vec<Watched>) {
    match told {
        Ok(false) => rest.push(watched),
        Ok(true) => hosted::start(watched.job),
        Err(_) => watched.job.refuse(),
    }
}
