//! The table of objects, in all interleavings of a few threads.
#![allow(dead_code, reason = "the model uses a part of the module")]

mod atomic {
    pub use loom::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
}
#[path = "../src/table.rs"]
mod table;

use loom::sync::Arc;
use loom::sync::atomic::{AtomicBool, Ordering};
use loom::thread;
use table::{State, Table, steps};

const QUEUE: u8 = 1;
const EVENT: u8 = 2;
const ADDRESS: usize = 0x1000;

/// What an address is known for.
fn known(table: &Table) -> (State, u8, u32) {
    let entry = table.find(ADDRESS).expect("it was entered").entry();
    (entry.state, entry.kind, entry.count)
}

/// A release: the account, then the adapter, which may free the memory, then the account again.
fn release(table: &Table, freed: impl FnOnce()) -> bool {
    let slot = table.find(ADDRESS).expect("it was entered");
    let Some((_, after)) = slot.change(steps::releasing) else {
        return false;
    };
    if after.count == 0 {
        freed();
    }
    let end = slot.change(|entry| steps::released(entry, after.generation, true));
    end.is_some_and(|(_, end)| end.state == State::Released)
}

#[test]
fn the_end_of_a_release_leaves_the_next_object_at_the_address_alone() {
    loom::model(|| {
        let table = Arc::new(Table::with_bits(1));
        let free = Arc::new(AtomicBool::new(false));
        table
            .enter(ADDRESS)
            .change(|entry| Some(steps::got(entry, QUEUE, 1)));
        let (other, seen) = (table.clone(), free.clone());
        // The other thread's allocation gets the memory as soon as it is free.
        let there = thread::spawn(move || {
            let mine = seen.load(Ordering::Acquire);
            if mine {
                let slot = other.enter(ADDRESS);
                slot.change(|entry| Some(steps::got(entry, EVENT, 2)));
            }
            mine
        });
        release(&table, || free.store(true, Ordering::Release));
        let expected = if there.join().unwrap() {
            (State::Live, EVENT, 1)
        } else {
            (State::Released, QUEUE, 0)
        };
        assert_eq!(known(&table), expected);
    });
}

#[test]
fn the_last_of_several_releases_ends_an_object_once() {
    loom::model(|| {
        let table = Arc::new(Table::with_bits(1));
        let slot = table.enter(ADDRESS);
        for _ in 0..2 {
            slot.change(|entry| Some(steps::got(entry, QUEUE, 1)));
        }
        let other = table.clone();
        let there = thread::spawn(move || release(&other, || {}));
        let here = release(&table, || {});
        let ends = u32::from(here) + u32::from(there.join().unwrap());
        assert_eq!((ends, known(&table)), (1, (State::Released, QUEUE, 0)));
    });
}

#[test]
fn an_address_has_one_place_whoever_enters_it() {
    loom::model(|| {
        let table = Arc::new(Table::with_bits(1));
        let other = table.clone();
        let there = thread::spawn(move || {
            for address in [ADDRESS, ADDRESS + 8] {
                let slot = other.enter(address);
                slot.change(|entry| Some(steps::got(entry, QUEUE, 1)));
            }
        });
        let slot = table.enter(ADDRESS);
        slot.change(|entry| Some(steps::got(entry, QUEUE, 2)));
        there.join().unwrap();
        assert_eq!(known(&table), (State::Live, QUEUE, 2));
        assert_eq!(table.entries().len(), 2);
    });
}
