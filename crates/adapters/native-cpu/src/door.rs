//! The way past a queue's lock, for work that is done before its enqueueing returns.
//!
//! The door is one word. While it is open nothing in the queue holds new work back, and who goes through
//! is counted. A command that later work must wait for closes the door; if somebody is inside then, the
//! command waits for the last one to leave, who finds the door closed and knows that it is waited for.
//!
//! Opening and closing need the queue's lock; going in and out does not.

// The model test brings atomics of its own.
use super::atomic::{AtomicU64, Ordering};

/// Set while the door is closed.
const CLOSED: u64 = 1 << 31;

/// How many are inside.
const INSIDE: u64 = CLOSED - 1;

/// Where the number of the process's generation stands: who was inside at a fork does not exist in the
/// child.
const GENERATION: u32 = 32;

/// See the module documentation.
#[derive(Debug)]
pub struct Door {
    word: AtomicU64,
    /// Whether there is only room for one.
    single: bool,
}

fn is_of(word: u64, generation: u32) -> bool {
    word >> GENERATION == u64::from(generation)
}

impl Door {
    /// An open door, of a queue that runs one thing at a time or any number.
    pub fn new(single: bool, generation: u32) -> Door {
        Door {
            word: AtomicU64::new(u64::from(generation) << GENERATION),
            single,
        }
    }

    /// Goes in, if it is open; [`Door::leave`] must follow.
    pub fn enter(&self, generation: u32) -> bool {
        let mut word = self.word.load(Ordering::Relaxed);
        loop {
            let room = if self.single {
                word & INSIDE == 0
            } else {
                word & INSIDE < INSIDE
            };
            if word & CLOSED != 0 || !room || !is_of(word, generation) {
                return false;
            }
            // What was done by those who left before is seen from here on.
            match self.word.compare_exchange_weak(
                word,
                word + 1,
                Ordering::Acquire,
                Ordering::Relaxed,
            ) {
                Ok(_) => return true,
                Err(now) => word = now,
            }
        }
    }

    /// Goes out. True for the last one out of a closed door: somebody waits for that.
    #[must_use]
    pub fn leave(&self) -> bool {
        let word = self.word.fetch_sub(1, Ordering::AcqRel);
        word & CLOSED != 0 && word & INSIDE == 1
    }

    /// Whether it is open and nobody is inside, so that nothing that went through is unfinished.
    pub fn is_quiet(&self, generation: u32) -> bool {
        self.word.load(Ordering::Acquire) == u64::from(generation) << GENERATION
    }

    /// Whether nobody is inside, be it open or not.
    pub fn is_empty(&self) -> bool {
        self.word.load(Ordering::Acquire) & INSIDE == 0
    }

    /// Whether there is only room for one.
    pub fn is_single(&self) -> bool {
        self.single
    }

    /// Closes it. True if somebody is inside. With the queue's lock.
    #[must_use]
    pub fn close(&self) -> bool {
        self.word.fetch_or(CLOSED, Ordering::AcqRel) & INSIDE != 0
    }

    /// Opens it. With the queue's lock, and only when nobody waits for those inside.
    pub fn open(&self) {
        self.word.fetch_and(!CLOSED, Ordering::AcqRel);
    }

    /// Whether it knows the generation; [`Door::renew`] otherwise.
    pub fn is_current(&self, generation: u32) -> bool {
        is_of(self.word.load(Ordering::Relaxed), generation)
    }

    /// Closes it in a forked child, where nobody is inside. With the queue's lock.
    pub fn renew(&self, generation: u32) {
        let word = u64::from(generation) << GENERATION | CLOSED;
        self.word.store(word, Ordering::Relaxed);
    }
}
