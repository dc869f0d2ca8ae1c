//! What is known of the objects at addresses, without a lock.
//!
//! A table of words by address. An address that was entered stays for good, and its word says
//! what lies there: which generation of object, of which kind, how many references the program
//! has. So a look-up is two loads, and a change is one exchange of the word, which fails if
//! another object has come to the address meanwhile: what is known of the old one can never be
//! written over what is known of the new one.

// The model test brings atomics of its own.
use super::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::ops::Deref;
use std::sync::OnceLock;

/// What is known of the object at an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    /// A number that no other object had: it grows with every object that is met.
    pub(crate) generation: u32,
    /// References that the program has.
    pub(crate) count: u32,
    /// What kind of object it is.
    pub(crate) kind: u8,
    pub(crate) state: State,
}

/// Whether the object may be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    /// Nothing is known of the address.
    Unknown,
    /// It may be used.
    Live,
    /// The program's last reference is being released, by a call that has not returned.
    Ending,
    /// The program has released its last reference.
    Released,
}

/// Bits of the count; more references than that count as that many.
pub(crate) const COUNT: u32 = (1 << 22) - 1;

impl Entry {
    pub(crate) const NONE: Entry = Entry {
        generation: 0,
        count: 0,
        kind: 0,
        state: State::Unknown,
    };

    pub(crate) fn pack(self) -> u64 {
        let count = u64::from(self.count.min(COUNT));
        u64::from(self.generation) << 32
            | count << 10
            | u64::from(self.kind) << 2
            | self.state as u64
    }

    pub(crate) fn unpack(word: u64) -> Entry {
        Entry {
            generation: (word >> 32) as u32,
            count: (word >> 10) as u32 & COUNT,
            kind: (word >> 2) as u8,
            state: match word & 3 {
                1 => State::Live,
                2 => State::Ending,
                3 => State::Released,
                _ => State::Unknown,
            },
        }
    }
}

/// The part of a word that says kind and state.
const WHAT: u64 = (1 << 10) - 1;

/// One reference, in a word.
const ONE: u64 = 1 << 10;

/// Whether a word is that of an object of a kind that may be used.
#[inline(always)]
pub(crate) fn lives(word: u64, kind: u8) -> bool {
    word & WHAT == u64::from(kind) << 2 | State::Live as u64
}

/// The references that a word counts.
#[inline(always)]
fn count(word: u64) -> u64 {
    word >> 10 & u64::from(COUNT)
}

/// One address. Two to a cache line, so that what is known of an object lies in one.
#[derive(Debug)]
#[repr(C, align(32))]
pub(crate) struct Slot {
    /// 0: none yet.
    address: AtomicUsize,
    word: AtomicU64,
    /// What the object belongs to, with the generation of object that it was written down for: it
    /// says nothing about another one.
    tie: AtomicU64,
}

impl Slot {
    fn new() -> Slot {
        Slot {
            address: AtomicUsize::new(0),
            word: AtomicU64::new(0),
            tie: AtomicU64::new(0),
        }
    }

    /// The word if this is the place of that address, else that of nothing.
    #[inline(always)]
    pub(crate) fn word_of(&self, address: usize) -> u64 {
        if self.address.load(Ordering::Acquire) == address {
            self.word.load(Ordering::Acquire)
        } else {
            0
        }
    }

    /// What is known now.
    #[inline]
    pub(crate) fn entry(&self) -> Entry {
        Entry::unpack(self.word.load(Ordering::Acquire))
    }

    /// What an object of that generation belongs to; 0 if that is not known.
    #[inline]
    pub(crate) fn tie(&self, generation: u32) -> u32 {
        let tie = self.tie.load(Ordering::Acquire);
        if (tie >> 32) as u32 == generation {
            tie as u32
        } else {
            0
        }
    }

    /// Writes down what an object of that generation belongs to. Nobody but the call that gave the
    /// object its generation does so, and it does before the program gets the handle.
    pub(crate) fn set_tie(&self, generation: u32, to: u32) {
        let tie = u64::from(generation) << 32 | u64::from(to);
        self.tie.store(tie, Ordering::Release);
    }

    /// Counts one reference more of an object to which the program has some, if its word is still
    /// this one.
    #[inline(always)]
    pub(crate) fn add(&self, word: u64) -> bool {
        let count = count(word);
        count != 0 && count != u64::from(COUNT) && self.exchange(word, word + ONE)
    }

    /// Counts one reference less of an object to which others stay, if its word is still this one.
    #[inline(always)]
    pub(crate) fn take(&self, word: u64) -> bool {
        count(word) > 1 && self.exchange(word, word - ONE)
    }

    #[inline(always)]
    fn exchange(&self, before: u64, after: u64) -> bool {
        self.word
            .compare_exchange(before, after, Ordering::AcqRel, Ordering::Acquire)
            .is_ok()
    }

    /// Changes what is known, unless `change` gives nothing for it. Returns what was known
    /// before, and what is now.
    pub(crate) fn change(&self, change: impl Fn(Entry) -> Option<Entry>) -> Option<(Entry, Entry)> {
        let mut word = self.word.load(Ordering::Acquire);
        loop {
            let before = Entry::unpack(word);
            let after = change(before)?;
            let exchange =
                self.word
                    .compare_exchange(word, after.pack(), Ordering::AcqRel, Ordering::Acquire);
            match exchange {
                Ok(_) => return Some((before, after)),
                Err(now) => word = now,
            }
        }
    }
}

/// In how many places of a part an address may stand.
const WINDOW: usize = 8;

/// Places in the first part of a process, as a power of two; each further part has four times as
/// many.
pub(crate) const FIRST: u32 = 12;

/// Places of a part in which windows begin at 2^`bits` of them.
pub(crate) const fn places(bits: u32) -> usize {
    (1 << bits) + WINDOW
}

/// The places of a part.
#[derive(Debug)]
enum Slots {
    /// There for the life of the process.
    Fixed(&'static [Slot]),
    /// Made when they were needed.
    Made(Box<[Slot]>),
}

impl Deref for Slots {
    type Target = [Slot];

    #[inline]
    fn deref(&self) -> &[Slot] {
        match self {
            Slots::Fixed(slots) => slots,
            Slots::Made(slots) => slots,
        }
    }
}

/// A part of a table. Addresses that find no room in their window go to the next part. As none
/// ever leaves, an empty place in the window says that the address is in no later part either.
#[derive(Debug)]
struct Part {
    slots: Slots,
    next: OnceLock<Box<Part>>,
    bits: u32,
}

/// Where the window of an address begins in a part with 2^`bits` places.
#[inline(always)]
pub(crate) fn place(address: usize, bits: u32) -> usize {
    // Objects lie at multiples of 8 at least; the multiplication spreads what is left.
    let mixed = (address as u64 >> 3).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed >> (64 - bits)) as usize
}

impl Part {
    fn new(bits: u32) -> Part {
        Part {
            slots: Slots::Made((0..places(bits)).map(|_| Slot::new()).collect()),
            next: OnceLock::new(),
            bits,
        }
    }

    #[inline]
    fn window(&self, address: usize) -> &[Slot] {
        let at = place(address, self.bits);
        // SAFETY: `at` has `bits` bits, and there are 2^bits and `WINDOW` places more.
        unsafe { self.slots.get_unchecked(at..at + WINDOW) }
    }
}

/// See the module documentation.
#[derive(Debug)]
pub(crate) struct Table {
    first: Part,
}

impl Table {
    /// A table that knows nothing, with room for 2^`bits` addresses in its first part.
    #[allow(dead_code, reason = "tests have small ones")]
    pub(crate) fn with_bits(bits: u32) -> Table {
        Table {
            first: Part::new(bits),
        }
    }

    /// A table whose first part is there already, with [`places`] of so many bits.
    pub(crate) const fn over(slots: &'static [Slot], bits: u32) -> Table {
        assert!(slots.len() == places(bits), "windows must end in it");
        Table {
            first: Part {
                slots: Slots::Fixed(slots),
                next: OnceLock::new(),
                bits,
            },
        }
    }

    /// The place of an address that was entered.
    #[inline]
    pub(crate) fn find(&self, address: usize) -> Option<&Slot> {
        let mut part = &self.first;
        loop {
            for slot in part.window(address) {
                match slot.address.load(Ordering::Acquire) {
                    known if known == address => return Some(slot),
                    0 => return None,
                    _ => {}
                }
            }
            part = part.next.get()?;
        }
    }

    /// The place of an address other than 0, which is entered if need be.
    pub(crate) fn enter(&self, address: usize) -> &Slot {
        let mut part = &self.first;
        loop {
            for slot in part.window(address) {
                let found = match slot.address.load(Ordering::Acquire) {
                    0 => slot
                        .address
                        .compare_exchange(0, address, Ordering::AcqRel, Ordering::Acquire)
                        .map_or_else(|other| other, |_| address),
                    known => known,
                };
                if found == address {
                    return slot;
                }
            }
            part = part
                .next
                .get_or_init(|| Box::new(Part::new((part.bits + 2).min(30))));
        }
    }

    /// Every address about which something is known.
    pub(crate) fn entries(&self) -> Vec<(usize, Entry)> {
        let mut all = Vec::new();
        let mut part = Some(&self.first);
        while let Some(here) = part {
            for slot in here.slots.iter() {
                let address = slot.address.load(Ordering::Acquire);
                let entry = slot.entry();
                if address != 0 && entry.state != State::Unknown {
                    all.push((address, entry));
                }
            }
            part = here.next.get().map(|next| &**next);
        }
        all
    }

    /// Forgets everything but the places of addresses.
    pub(crate) fn forget(&self) {
        let mut part = Some(&self.first);
        while let Some(here) = part {
            for slot in here.slots.iter() {
                slot.word.store(Entry::NONE.pack(), Ordering::Release);
            }
            part = here.next.get().map(|next| &**next);
        }
    }
}

/// What a program does to the references it has, each as a change of the entry.
pub(crate) mod steps {
    use super::{Entry, State};

    /// The program got a reference to an object of a kind. If it is known already it is the same
    /// object once more, else a new one with that generation.
    pub(crate) fn got(entry: Entry, kind: u8, generation: u32) -> Entry {
        kept(entry, kind).unwrap_or(Entry {
            generation,
            count: 1,
            kind,
            state: State::Live,
        })
    }

    /// The program got one more reference to an object that it knows. `None` if it does not.
    pub(crate) fn kept(entry: Entry, kind: u8) -> Option<Entry> {
        let known = entry.state == State::Live && entry.kind == kind;
        known.then(|| Entry {
            count: entry.count + 1,
            ..entry
        })
    }

    /// The program was shown an object, without a reference to it. `None` if it knows it.
    pub(crate) fn seen(entry: Entry, kind: u8, generation: u32) -> Option<Entry> {
        let known = entry.state == State::Live && entry.kind == kind;
        (!known).then_some(Entry {
            generation,
            count: 0,
            kind,
            state: State::Live,
        })
    }

    /// A call that releases a reference begins. `None` if the program has none.
    pub(crate) fn releasing(entry: Entry) -> Option<Entry> {
        if entry.state != State::Live || entry.count == 0 {
            return None;
        }
        let count = entry.count - 1;
        let state = if count == 0 {
            State::Ending
        } else {
            State::Live
        };
        Some(Entry {
            count,
            state,
            ..entry
        })
    }

    /// That call has ended. `None` if another object has come to the address, or if others still
    /// use this one.
    pub(crate) fn released(entry: Entry, generation: u32, done: bool) -> Option<Entry> {
        if entry.generation != generation {
            return None;
        }
        match (entry.state, done) {
            (State::Ending, true) => Some(Entry {
                state: State::Released,
                ..entry
            }),
            (State::Ending | State::Live, false) => Some(Entry {
                count: entry.count + 1,
                state: State::Live,
                ..entry
            }),
            _ => None,
        }
    }
}
