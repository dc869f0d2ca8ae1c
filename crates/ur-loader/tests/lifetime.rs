//! Initialisation, the first use that finds adapters, and teardown, in all interleavings of a few
//! threads.

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

/// What goes on with values: how many were asked for, how many were made and how many are alive.
#[derive(Default)]
struct Counts {
    asked: AtomicUsize,
    made: AtomicUsize,
    alive: AtomicUsize,
    /// What the first beginning turns on and the last end turns off.
    on: AtomicBool,
}

/// What stands for the adapters.
struct Value {
    /// Of the beginning that it was made for.
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
    lifetime: Lifetime<usize, Value>,
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
        let first = || {
            assert!(!self.counts.on.swap(true, Ordering::Relaxed));
            self.counts.asked.fetch_add(1, Ordering::Relaxed)
        };
        assert_eq!(self.lifetime.begin(first), Ok(()));
    }

    /// Uses the value, making it if nobody has, and says of which beginning it is.
    fn use_it(&self) -> Option<usize> {
        let make = |&number: &usize| {
            assert!(self.counts.on.load(Ordering::Relaxed));
            self.counts.made.fetch_add(1, Ordering::Relaxed);
            self.counts.alive.fetch_add(1, Ordering::Relaxed);
            Value {
                number,
                counts: self.counts.clone(),
                users: AtomicUsize::new(0),
            }
        };
        let value = self.lifetime.value(make).ok()?;
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
        let [asked, made] =
            [&self.counts.asked, &self.counts.made].map(|n| n.load(Ordering::Relaxed));
        assert!(made <= asked, "{made} for {asked} beginnings");
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
        assert_eq!(made, program.counts.asked.load(Ordering::Relaxed));
        program.over();
    });
}

#[test]
fn of_two_first_uses_one_makes_the_value() {
    in_every_order(|| {
        let program = Program::new();
        program.begin();
        let other = program.clone();
        let thread = thread::spawn(move || other.use_it());
        assert_eq!(program.use_it(), Some(0));
        assert_eq!(thread.join().unwrap(), Some(0));
        assert_eq!(program.counts.made.load(Ordering::Relaxed), 1);
        assert_eq!(program.end(), Ok(()));
        program.over();
    });
}

#[test]
fn what_nobody_uses_is_never_made() {
    in_every_order(|| {
        let program = Program::new();
        let life = |program: &Program| {
            program.begin();
            assert_eq!(program.end(), Ok(()));
        };
        let other = program.clone();
        let thread = thread::spawn(move || life(&other));
        life(&program);
        thread.join().unwrap();
        assert_eq!(program.counts.made.load(Ordering::Relaxed), 0);
        program.over();
    });
}

#[test]
fn a_first_use_during_a_new_beginning_is_of_one_of_the_two() {
    in_every_order(|| {
        let program = Program::new();
        program.begin();
        let other = program.clone();
        let thread = thread::spawn(move || other.use_it());
        assert_eq!(program.end(), Ok(()));
        program.begin();
        // The value of the beginning that has ended is never handed to who began anew.
        assert_eq!(program.use_it(), Some(1));
        let used = thread.join().unwrap();
        assert!(matches!(used, None | Some(0 | 1)), "{used:?}");
        assert_eq!(program.end(), Ok(()));
        program.over();
    });
}

#[test]
fn what_is_used_stays_while_another_thread_tears_down() {
    in_every_order(|| {
        let program = Program::new();
        program.begin();
        // With the value there; `a_first_use_…` has the case without.
        assert_eq!(program.use_it(), Some(0));
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
        let asked = program.counts.asked.load(Ordering::Relaxed);
        assert_eq!(number + 1, asked);
        program.over();
    });
}
