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

/// The place of an address and its word, as a call sees them before it goes to the adapter.
fn held(table: &Table) -> (&table::Slot, u64) {
    let slot = table.find(ADDRESS).expect("it was entered");
    let word = slot.word_of(ADDRESS);
    (slot, word)
}

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

#[test]
fn references_are_counted_whoever_comes_between() {
    loom::model(|| {
        let table = Arc::new(Table::with_bits(1));
        table
            .enter(ADDRESS)
            .change(|entry| Some(steps::got(entry, QUEUE, 1)));
        // Each thread retains and releases: in one exchange, if its word is still right.
        let life = |table: &Table| {
            let (slot, word) = held(table);
            if !slot.add(word) {
                let kept = slot.change(|entry| steps::kept(entry, QUEUE));
                assert!(kept.is_some(), "it lives");
            }
            let (slot, word) = held(table);
            if !slot.take(word) {
                let (_, after) = slot.change(steps::releasing).expect("it is owned");
                assert!(after.count > 0, "the first reference stays");
            }
        };
        let other = table.clone();
        let there = thread::spawn(move || life(&other));
        life(&table);
        there.join().unwrap();
        assert_eq!(known(&table), (State::Live, QUEUE, 1));
    });
}

#[test]
fn what_one_object_belonged_to_is_not_said_of_the_next() {
    loom::model(|| {
        let table = Arc::new(Table::with_bits(1));
        let slot = table.enter(ADDRESS);
        slot.change(|entry| Some(steps::got(entry, EVENT, 1)));
        slot.set_tie(1, 7);
        let other = table.clone();
        // The object goes, and another call gets a new one at its address.
        let there = thread::spawn(move || {
            release(&other, || {});
            let slot = other.enter(ADDRESS);
            slot.change(|entry| Some(steps::got(entry, QUEUE, 2)));
            slot.set_tie(2, 8);
        });
        let (slot, word) = held(&table);
        let generation = (word >> 32) as u32;
        let tie = slot.tie(generation);
        // As long as the program has no handle of the new one, nothing may be known of it.
        let right = match generation {
            1 => [7, 0].contains(&tie),
            _ => [8, 0].contains(&tie),
        };
        assert!(right, "generation {generation} belongs to {tie}");
        there.join().unwrap();
        let (slot, word) = held(&table);
        assert_eq!(slot.tie((word >> 32) as u32), 8);
    });
}
