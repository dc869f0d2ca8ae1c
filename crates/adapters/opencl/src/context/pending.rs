//! Whether commands of a context may be pending.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// What of a context's commands is known without asking the driver.
#[derive(Debug, Default)]
pub struct Pending {
    /// Queues, and last commands of queues that are gone, of which not all is known to have ended.
    unfinished: Arc<AtomicUsize>,
    /// Whether there may be commands that no queue here counts.
    others: AtomicBool,
}

impl Pending {
    /// Notes that there may be commands that no queue here counts. So it is once the program has one of
    /// OpenCL's handles of the context's objects: each leads to the context and to all that can be done
    /// with it.
    pub fn note_others(&self) {
        self.others.store(true, Ordering::Relaxed);
    }

    /// Whether the program may use the context without anybody here hearing of it.
    #[inline]
    pub fn has_others(&self) -> bool {
        self.others.load(Ordering::Relaxed)
    }

    /// Whether it is certain that no command is pending which was enqueued before.
    pub fn is_none(&self) -> bool {
        // What was seen to end had ended.
        self.unfinished.load(Ordering::Acquire) == 0 && !self.has_others()
    }
}

/// Whether something was enqueued in a queue that is not known to have ended.
#[derive(Debug)]
pub struct Unfinished {
    is: AtomicBool,
    all: Arc<AtomicUsize>,
}

impl Unfinished {
    /// For a queue of a context.
    pub fn new(pending: &Pending) -> Self {
        Self {
            is: AtomicBool::new(false),
            all: pending.unfinished.clone(),
        }
    }

    /// Notes a command, which is enqueued already. A wait that missed it began before, and has cleared
    /// the flag by then.
    #[inline]
    pub fn note(&self) {
        if !self.is.load(Ordering::Relaxed) {
            self.set();
        }
    }

    #[cold]
    fn set(&self) {
        if !self.is.swap(true, Ordering::AcqRel) {
            self.all.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Waits by `wait` for all that was enqueued. Until it has returned, and if it fails, the queue
    /// counts.
    pub fn end<E>(&self, wait: impl FnOnce() -> Result<(), E>) -> Result<(), E> {
        let was = self.is.swap(false, Ordering::AcqRel);
        let waited = wait();
        if was && (waited.is_ok() || self.is.swap(true, Ordering::AcqRel)) {
            // Either all has ended, or the queue has been counted again meanwhile.
            self.all.fetch_sub(1, Ordering::Release);
        }
        waited
    }

    /// The count of the queue, for whoever stands for its last command when it goes.
    pub fn take(&self) -> Option<Count> {
        let was = self.is.swap(false, Ordering::AcqRel);
        was.then(|| Count(self.all.clone()))
    }
}

/// A last command of a queue that is gone. It has ended when this is dropped.
#[derive(Debug)]
pub struct Count(Arc<AtomicUsize>);

impl Drop for Count {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Outcome = Result<(), ()>;

    #[test]
    fn a_queue_counts_until_a_wait_has_returned() {
        let pending = Pending::default();
        let (one, two) = (Unfinished::new(&pending), Unfinished::new(&pending));
        assert!(pending.is_none());
        one.note();
        one.note();
        two.note();
        let wait = || {
            assert!(!pending.is_none());
            Outcome::Ok(())
        };
        assert_eq!(one.end(wait), Ok(()));
        assert_eq!(two.end(wait), Ok(()));
        assert!(pending.is_none());
        assert_eq!(two.end(|| Outcome::Ok(())), Ok(()));
        assert!(pending.is_none());
    }

    #[test]
    fn what_is_enqueued_during_a_wait_counts() {
        let pending = Pending::default();
        let queue = Unfinished::new(&pending);
        for outcome in [Outcome::Ok(()), Err(())] {
            queue.note();
            let waited = queue.end(|| {
                queue.note();
                outcome
            });
            assert_eq!(waited, outcome);
            assert!(!pending.is_none());
            assert_eq!(queue.end(|| Outcome::Ok(())), Ok(()));
            assert!(pending.is_none());
        }
    }

    #[test]
    fn a_wait_that_fails_ends_nothing() {
        let pending = Pending::default();
        let queue = Unfinished::new(&pending);
        queue.note();
        assert_eq!(queue.end(|| Outcome::Err(())), Err(()));
        assert!(!pending.is_none());
        let count = queue.take();
        assert!(queue.take().is_none() && !pending.is_none());
        drop(count);
        assert!(pending.is_none());
        pending.note_others();
        assert!(!pending.is_none());
    }
}
