//! What is kept of allocations, in the interleavings of a few threads.
#![allow(dead_code, reason = "the model uses a part of the module")]

mod atomic {
    pub use loom::sync::atomic::{AtomicU64, Ordering, fence};
}
#[path = "../src/memory.rs"]
mod memory;

use loom::sync::Arc;
use loom::sync::atomic::{AtomicU64, Ordering};
use loom::thread;
use memory::{Answers, Question};

const ADDRESS: u64 = 0x1000;
const HERE: Question = Question {
    context: 1,
    address: ADDRESS,
};

/// Orders in which threads are interrupted at most so often: there are too many of all.
const INTERRUPTIONS: usize = 2;

fn in_every_order(model: impl Fn() + Send + Sync + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(INTERRUPTIONS);
    builder.check(model);
}

/// An adapter with one allocation at the address, whose size changes when it is freed and made
/// again.
struct Adapter {
    size: AtomicU64,
    answers: Answers<1>,
}

impl Adapter {
    fn new() -> Arc<Adapter> {
        Arc::new(Adapter {
            size: AtomicU64::new(64),
            answers: Answers::new(),
        })
    }

    /// What a command does.
    fn left(&self) -> u64 {
        self.answers.find(HERE).unwrap_or_else(|| {
            let asking = self.answers.ask();
            let size = self.size.load(Ordering::Acquire);
            if let Some(asking) = asking {
                self.answers.keep(HERE, asking, size);
            }
            size
        })
    }

    /// What a program does that frees the memory and gets more at the same address.
    fn again(&self) {
        self.answers.begin_free();
        self.size.store(128, Ordering::Release);
        self.answers.end_free();
    }
}

#[test]
fn nothing_is_said_of_memory_that_was_freed() {
    in_every_order(|| {
        let adapter = Adapter::new();
        let other = adapter.clone();
        // A command that uses the memory while another thread frees it learns one or the other.
        let there = thread::spawn(move || other.left());
        adapter.again();
        // What comes after the free knows the new one, whatever the other thread has kept.
        let mine = adapter.left();
        let learned = there.join().unwrap();
        assert_eq!(mine, 128, "the other learned {learned}");
    });
}

#[test]
fn who_gets_the_memory_from_the_thread_that_made_it_again_knows_its_size() {
    in_every_order(|| {
        let adapter = Adapter::new();
        assert_eq!(adapter.left(), 64);
        let other = adapter.clone();
        let there = thread::spawn(move || {
            // The size stands for the handing over.
            let given = other.size.load(Ordering::Acquire);
            (given, other.left())
        });
        adapter.again();
        let (given, learned) = there.join().unwrap();
        assert!(given == 64 || learned == 128, "{given} and {learned}");
    });
}

#[test]
fn answers_are_whole() {
    let other_question = Question {
        context: 2,
        address: 0x9000,
    };
    let (one, two) = (10, 20);
    in_every_order(move || {
        let answers: Arc<Answers<1>> = Arc::new(Answers::new());
        let other = answers.clone();
        // Both answers go to the same place.
        let there = thread::spawn(move || {
            let asking = other.ask().expect("nothing is freed");
            other.keep(other_question, asking, two);
        });
        let asking = answers.ask().expect("nothing is freed");
        answers.keep(HERE, asking, one);
        let here = answers.find(HERE);
        assert!(here.is_none() || here == Some(one), "{here:?}");
        there.join().unwrap();
        let found = answers.find(other_question);
        assert!(found.is_none() || found == Some(two), "{found:?}");
    });
}

#[test]
fn nothing_is_kept_while_memory_goes_away_or_after_it_was_forgotten() {
    in_every_order(|| {
        let answers: Answers<1> = Answers::new();
        answers.keep(HERE, answers.ask().expect("nothing is freed"), 10);
        assert_eq!(answers.find(HERE), Some(10));
        assert_eq!(answers.find(Question { context: 2, ..HERE }), None);
        answers.begin_free();
        assert!(answers.ask().is_none() && answers.find(HERE).is_none());
        answers.end_free();
        assert!(answers.ask().is_some() && answers.find(HERE).is_none());
        answers.keep(HERE, answers.ask().expect("nothing is freed"), 10);
        answers.forget();
        assert!(answers.ask().is_some() && answers.find(HERE).is_none());
    });
}
