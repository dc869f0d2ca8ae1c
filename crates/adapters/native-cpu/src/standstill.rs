//! A moment in which no command of the compute lane runs.
//!
//! Putting other memory behind the same addresses loses what is written meanwhile, so all pieces of
//! work stop for it. Every piece counts itself in one of several counters, chosen by thread, each on
//! a cache line of its own; whoever wants the standstill raises a flag and waits for the counters to
//! become 0, and pieces that see the flag wait for its end.

use std::cell::Cell;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

#[repr(align(128))]
struct Counter(AtomicUsize);

const COUNTERS: usize = 64;

static RUNNING: [Counter; COUNTERS] = [const { Counter(AtomicUsize::new(0)) }; COUNTERS];

/// How many want the standstill.
static WANTED: AtomicU32 = AtomicU32::new(0);

thread_local! {
    static SLOT: Cell<usize> = const { Cell::new(usize::MAX) };
}

fn counter() -> &'static AtomicUsize {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    let mut slot = SLOT.get();
    if slot == usize::MAX {
        slot = NEXT.fetch_add(1, Ordering::Relaxed) % COUNTERS;
        SLOT.set(slot);
    }
    // The index is below the length.
    RUNNING
        .get(slot)
        .map_or(&RUNNING[0].0, |counter| &counter.0)
}

/// A piece that is running.
pub struct Running(&'static AtomicUsize);

impl Running {
    /// Begins a piece, after a standstill if there is one.
    pub fn enter() -> Running {
        let counter = counter();
        loop {
            // This and the flag's raise are in one order for all threads: either the piece sees the
            // flag, or whoever raised it sees the piece.
            counter.fetch_add(1, Ordering::SeqCst);
            if WANTED.load(Ordering::SeqCst) == 0 {
                return Running(counter);
            }
            counter.fetch_sub(1, Ordering::SeqCst);
            while WANTED.load(Ordering::Acquire) != 0 {
                std::thread::yield_now();
            }
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Release);
    }
}

/// Lets work go on.
struct Wanted;

impl Drop for Wanted {
    fn drop(&mut self) {
        WANTED.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Runs `body` while no piece of work runs. Not from inside of one.
pub fn during<T>(body: impl FnOnce() -> T) -> T {
    WANTED.fetch_add(1, Ordering::SeqCst);
    let _wanted = Wanted;
    for counter in &RUNNING {
        while counter.0.load(Ordering::SeqCst) != 0 {
            std::thread::yield_now();
        }
    }
    body()
}

/// In a forked child: the threads that counted do not exist.
pub fn forget() {
    for counter in &RUNNING {
        counter.0.store(0, Ordering::Relaxed);
    }
    WANTED.store(0, Ordering::Relaxed);
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;

    #[test]
    fn nothing_runs_during_a_standstill() {
        let stop = Arc::new(AtomicBool::new(false));
        let value = Arc::new(AtomicUsize::new(0));
        let threads: Vec<_> = (0..3)
            .map(|_| {
                let (stop, value) = (stop.clone(), value.clone());
                std::thread::spawn(move || {
                    while !stop.load(Ordering::Relaxed) {
                        let _running = Running::enter();
                        value.fetch_add(1, Ordering::Relaxed);
                        std::hint::spin_loop();
                        value.fetch_sub(1, Ordering::Relaxed);
                    }
                })
            })
            .collect();
        for _ in 0..2000 {
            during(|| assert_eq!(value.load(Ordering::Relaxed), 0));
        }
        stop.store(true, Ordering::Relaxed);
        for thread in threads {
            thread.join().unwrap();
        }
    }
}
