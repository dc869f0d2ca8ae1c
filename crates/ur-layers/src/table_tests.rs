//! The table of objects in one thread; `tests/table.rs` has the others.

use crate::table::{COUNT, Entry, State, Table, steps};

#[test]
fn entries_fit_into_a_word() {
    for state in [State::Unknown, State::Live, State::Ending, State::Released] {
        for count in [0, 1, COUNT] {
            let entry = Entry {
                generation: u32::MAX - 1,
                count,
                kind: 200,
                state,
            };
            assert_eq!(Entry::unpack(entry.pack()), entry);
        }
    }
    let many = Entry {
        count: COUNT + 1,
        ..Entry::NONE
    };
    assert_eq!(Entry::unpack(many.pack()).count, COUNT);
}

#[test]
fn addresses_find_their_places_however_many_there_are() {
    let table = Table::with_bits(2);
    for address in (1..2000).map(|i| i * 8) {
        assert!(table.find(address).is_none());
        let slot = table.enter(address);
        slot.change(|entry| Some(steps::got(entry, 3, address as u32)));
    }
    for address in (1..2000).map(|i| i * 8) {
        let entry = table.find(address).expect("it was entered").entry();
        assert_eq!((entry.generation, entry.kind), (address as u32, 3));
        assert!(std::ptr::eq(
            table.enter(address),
            table.find(address).expect("once")
        ));
    }
    assert_eq!(table.entries().len(), 1999);
    table.forget();
    assert!(table.entries().is_empty());
    assert!(table.find(8).is_some());
}
