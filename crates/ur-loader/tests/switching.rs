//! Calls, while threads initialise the loader and tear it down: with layers on, no call of a thread
//! between its own initialisation and its own teardown gets past them, and what they know goes with
//! the last teardown. In all interleavings of a few threads.
#![allow(dead_code, reason = "the model uses a part of the modules")]

use loom::thread;

/// What the modules take from their crates.
mod sync {
    pub use loom::sync::{Arc, Mutex, MutexGuard};
    pub use std::sync::PoisonError;
}
mod atomic {
    pub use loom::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering};
}

#[path = "../../ur-layers/src/flags.rs"]
mod flags;
#[path = "../src/lifetime.rs"]
mod lifetime;
#[path = "../../ur-layers/src/table.rs"]
mod table;

use flags::Flags;
use lifetime::Lifetime;
use sync::{Arc, Mutex};
use table::{State, Table, steps};

const KIND: u8 = 1;
/// The layers that are on: some of them watch objects.
const LAYERS: u32 = 0b1010;

struct Loader {
    lifetime: Lifetime<(), ()>,
    /// The word that every entry point looks at.
    on: Flags,
    /// What the layers' bodies look at.
    active: Flags,
    objects: Table,
}

fn flags() -> Flags {
    Flags {
        bits: atomic::AtomicU32::new(0),
    }
}

impl Loader {
    fn new() -> Arc<Loader> {
        Arc::new(Loader {
            lifetime: Lifetime {
                held: Mutex::new(None),
            },
            on: flags(),
            active: flags(),
            objects: Table::with_bits(1),
        })
    }

    fn initialise(&self) {
        let first = || {
            self.active.set(LAYERS);
            self.on.set(1);
        };
        assert_eq!(self.lifetime.begin(first), Ok(()));
    }

    fn tear_down(&self) {
        let last = || {
            if self.on.take() != 0 && self.active.take() != 0 {
                self.objects.forget();
            }
        };
        assert!(self.lifetime.end(last).is_ok());
    }

    /// What an entry point finds to be on.
    fn layers(&self) -> u32 {
        if self.on.get() == 0 {
            return 0;
        }
        self.active.get()
    }

    /// A call that makes an object at an address.
    fn create(&self, address: usize) {
        if self.layers() != 0 {
            let slot = self.objects.enter(address);
            slot.change(|entry| Some(steps::got(entry, KIND, address as u32)));
        }
    }

    /// A call that uses it: false if the layers refuse it.
    fn uses(&self, address: usize) -> bool {
        if self.layers() == 0 {
            return true;
        }
        let slot = self.objects.find(address);
        slot.is_some_and(|slot| table::lives(slot.word_of(address), KIND))
    }

    /// A call that releases it: false if the layers refuse it.
    fn release(&self, address: usize) -> bool {
        if self.layers() == 0 {
            return true;
        }
        let slot = self.objects.find(address);
        let Some((slot, (_, after))) =
            slot.and_then(|slot| Some((slot, slot.change(steps::releasing)?)))
        else {
            return false;
        };
        let ended = slot.change(|entry| steps::released(entry, after.generation, true));
        ended.is_some_and(|(_, end)| end.state == State::Released)
    }

    /// After all threads: nothing is on, and nothing is known.
    fn over(&self) {
        assert_eq!((self.on.get(), self.active.get()), (0, 0));
        assert!(self.objects.entries().is_empty());
    }
}

/// Orders in which threads are interrupted at most so often: there are too many of all.
const INTERRUPTIONS: usize = 3;

fn in_every_order(model: impl Fn() + Send + Sync + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(INTERRUPTIONS);
    builder.check(model);
}

#[test]
fn a_threads_calls_go_through_the_layers_from_its_initialisation_to_its_teardown() {
    in_every_order(|| {
        let loader = Loader::new();
        let life = |loader: &Loader, address| {
            loader.initialise();
            assert_eq!(loader.layers(), LAYERS, "a call got past them");
            loader.create(address);
            assert!(loader.uses(address), "it was not seen to be made");
            assert!(loader.release(address) && !loader.uses(address));
            assert_eq!(loader.layers(), LAYERS);
            loader.tear_down();
        };
        let other = loader.clone();
        let there = thread::spawn(move || life(&other, 16));
        life(&loader, 8);
        there.join().unwrap();
        loader.over();
    });
}

#[test]
fn a_thread_that_got_a_handle_from_another_is_watched_too() {
    in_every_order(|| {
        let loader = Loader::new();
        loader.initialise();
        loader.create(8);
        // The handle goes over with the start of the thread.
        let other = loader.clone();
        let there = thread::spawn(move || other.uses(8) && other.release(8));
        assert!(there.join().unwrap());
        assert!(!loader.uses(8), "the other thread's release was not seen");
        loader.tear_down();
        loader.over();
    });
}

#[test]
fn calls_beside_the_first_initialisation_go_one_way_or_the_other() {
    in_every_order(|| {
        let loader = Loader::new();
        let other = loader.clone();
        // Without an initialisation of its own and without a handle: `urAdapterGet`, say.
        let there = thread::spawn(move || other.layers());
        loader.initialise();
        let seen = there.join().unwrap();
        assert!(seen == 0 || seen == LAYERS, "{seen:b}");
        loader.tear_down();
        loader.over();
    });
}
