//! Initialisation and teardown, in all interleavings of a few threads.

use loom::thread;
// What the test counts is no part of the model: the real ones give it nothing more to try.
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// What the module takes from its crate.
mod sync {
    pub use loom::sync::{Arc, Mutex, MutexGuard};
    pub use std::sync::PoisonError;
}

#[path = "../src/lifetime.rs"]
mod lifetime;

use lifetime::{Lifetime, NotThere};
use sync::{Arc, Mutex};

/// What goes on with values: how many were made and how many are alive.
#[derive(Default)]
struct Counts {
    made: AtomicUsize,
    alive: AtomicUsize,
    /// What the first beginning turns on and the last end turns off.
    on: AtomicBool,
}

/// What stands for the adapters.
struct Value {
    number: usize,
    counts: std::sync::Arc<Counts>,
    /// Whether it is being used: it must not go then.
    users: AtomicUsize,
}

impl Drop for Value {
    fn drop(&mut self) {
        assert_eq!(self.users.load(Ordering::Relaxed), 0, "it goes while used");
        self.counts.alive.fetch_sub(1, Ordering::Relaxed);
    }
}

struct Program {
    lifetime: Lifetime<Value>,
    counts: std::sync::Arc<Counts>,
}

impl Program {
    fn new() -> Arc<Program> {
        Arc::new(Program {
            lifetime: Lifetime {
                held: Mutex::new(None),
            },
            counts: Default::default(),
        })
    }

    fn begin(&self) {
        let make = || {
            assert!(!self.counts.on.swap(true, Ordering::Relaxed));
            let number = self.counts.made.fetch_add(1, Ordering::Relaxed);
            self.counts.alive.fetch_add(1, Ordering::Relaxed);
            Value {
                number,
                counts: self.counts.clone(),
                users: AtomicUsize::new(0),
            }
        };
        assert_eq!(self.lifetime.begin(make), Ok(()));
    }

    /// Uses the value if it is there, and says which one it was.
    fn use_it(&self) -> Option<usize> {
        let value = self.lifetime.value().ok()?;
        value.users.fetch_add(1, Ordering::Relaxed);
        let number = value.number;
        value.users.fetch_sub(1, Ordering::Relaxed);
        Some(number)
    }

    fn end(&self) -> Result<(), NotThere> {
        let last = || assert!(self.counts.on.swap(false, Ordering::Relaxed));
        self.lifetime.end(last).map(drop)
    }

    /// After all threads are done, which began and ended as often.
    fn over(&self) {
        assert_eq!(self.end(), Err(NotThere));
        assert_eq!(self.use_it(), None);
        assert_eq!(self.counts.alive.load(Ordering::Relaxed), 0, "one stays");
    }
}

fn in_every_order(model: impl Fn() + Send + Sync + 'static) {
    loom::model(model);
}

#[test]
fn two_threads_initialise_use_and_tear_down() {
    in_every_order(|| {
        let program = Program::new();
        let life = |program: &Program| {
            program.begin();
            // One's own beginning keeps the value there, and it is the same one until one's end.
            let first = program.use_it().expect("it is there");
            assert!(program.counts.on.load(Ordering::Relaxed));
            assert_eq!(program.use_it(), Some(first));
            assert_eq!(program.end(), Ok(()));
        };
        let other = program.clone();
        let thread = thread::spawn(move || life(&other));
        life(&program);
        thread.join().unwrap();
        let made = program.counts.made.load(Ordering::Relaxed);
        assert!(made == 1 || made == 2, "{made}");
        program.over();
    });
}

#[test]
fn what_is_used_stays_while_another_thread_tears_down() {
    in_every_order(|| {
        let program = Program::new();
        program.begin();
        let user = program.clone();
        let thread = thread::spawn(move || user.use_it());
        assert_eq!(program.end(), Ok(()));
        // Either it came in time or it found nothing.
        let used = thread.join().unwrap();
        assert!(used.is_none() || used == Some(0), "{used:?}");
        program.over();
    });
}

#[test]
fn of_two_ends_of_one_beginning_one_fails() {
    in_every_order(|| {
        let program = Program::new();
        program.begin();
        let other = program.clone();
        let thread = thread::spawn(move || other.end());
        let ends = [program.end(), thread.join().unwrap()];
        assert_eq!(ends.iter().filter(|end| end.is_ok()).count(), 1);
        program.over();
    });
}

#[test]
fn a_new_beginning_after_the_last_end_makes_a_new_value() {
    in_every_order(|| {
        let program = Program::new();
        program.begin();
        let other = program.clone();
        let thread = thread::spawn(move || {
            other.begin();
            let number = other.use_it().expect("it is there");
            assert_eq!(other.end(), Ok(()));
            number
        });
        assert_eq!(program.end(), Ok(()));
        let number = thread.join().unwrap();
        let made = program.counts.made.load(Ordering::Relaxed);
        assert_eq!(number + 1, made);
        program.over();
    });
}
