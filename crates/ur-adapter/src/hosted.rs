//! Functions of the program that the adapter calls while commands wait for them.
//!
//! Such a function may block on anything, so each has a thread of its own ([`start`]). It must not wait for commands, not even by what the API does for it: its own would be
//! among them.

use std::cell::Cell;
use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, PoisonError};

thread_local! {
    static HOSTED: Cell<bool> = const { Cell::new(false) };
}

/// Calls a function of the program.
pub fn call<R>(function: impl FnOnce() -> R) -> R {
    let before = HOSTED.replace(true);
    let result = function();
    HOSTED.set(before);
    result
}

/// Whether this thread is in such a function.
pub fn is_hosted() -> bool {
    HOSTED.get()
}

/// What calls such a function.
pub trait Job: Send {
    /// Does it.
    fn run(self: Box<Self>);

    /// Does without, because there can be no further thread.
    fn refuse(self: Box<Self>);
}

/// Jobs that no thread has taken, and how many threads wait for some.
struct Lane {
    jobs: VecDeque<Box<dyn Job>>,
    idle: usize,
}

static LANE: Mutex<Lane> = Mutex::new(Lane {
    jobs: VecDeque::new(),
    idle: 0,
});
static MORE: Condvar = Condvar::new();

/// Hands a job to a thread. Jobs may wait for each other, so each gets one.
pub fn start(job: Box<dyn Job>) {
    let mut lane = LANE.lock().unwrap_or_else(PoisonError::into_inner);
    lane.jobs.push_back(job);
    if lane.jobs.len() <= lane.idle {
        MORE.notify_one();
        return;
    }
    drop(lane);
    let thread = std::thread::Builder::new().name("ur-host".into());
    if thread.spawn(work).is_ok() {
        return;
    }
    // One job is too many now, unless another thread has taken one meanwhile.
    let job = {
        let mut lane = LANE.lock().unwrap_or_else(PoisonError::into_inner);
        lane.jobs.pop_back()
    };
    if let Some(job) = job {
        job.refuse();
    }
}

/// What a thread does, for ever: at the end of the process it is parked or in a job.
fn work() {
    let mut lane = LANE.lock().unwrap_or_else(PoisonError::into_inner);
    loop {
        if let Some(job) = lane.jobs.pop_front() {
            drop(lane);
            job.run();
            lane = LANE.lock().unwrap_or_else(PoisonError::into_inner);
            continue;
        }
        lane.idle += 1;
        lane = MORE.wait(lane).unwrap_or_else(PoisonError::into_inner);
        lane.idle -= 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::{Arc, Barrier, mpsc};

    struct Number(u32, Arc<Barrier>, mpsc::Sender<u32>);

    impl Job for Number {
        fn run(self: Box<Self>) {
            self.1.wait();
            self.2.send(self.0).expect("somebody receives");
        }

        fn refuse(self: Box<Self>) {
            self.run();
        }
    }

    #[test]
    fn jobs_that_wait_for_each_other_all_run() {
        for _ in 0..100 {
            let barrier = Arc::new(Barrier::new(4));
            let (done, all) = mpsc::channel();
            for number in 0..4 {
                start(Box::new(Number(number, barrier.clone(), done.clone())));
            }
            drop(done);
            let mut numbers: Vec<u32> = all.iter().collect();
            numbers.sort_unstable();
            assert_eq!(numbers, [0, 1, 2, 3]);
        }
    }

    #[test]
    fn calls_nest() {
        assert!(!is_hosted());
        call(|| {
            call(|| assert!(is_hosted()));
            assert!(is_hosted());
        });
        assert!(!is_hosted());
    }
}
