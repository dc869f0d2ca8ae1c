//! How the pieces of a command are shared out among the threads that run it.
//!
//! A thread claims a run of pieces at a time: as long a run as balance permits, so that kernels of tiny
//! groups do not pay for each group, and as short a one as it needs to be for threads to end at the same
//! time. How long pieces take is measured as they run ([`Pace`]).
//!
//! On a machine with several NUMA nodes each node has a part of the pieces, the same in every launch, so
//! that a thread finds the memory that it touched first close by; whoever is done with the own part helps
//! with the others.

use crate::numa;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

/// Ticks of a run that is worth being claimed for itself: some microseconds.
pub const SHORT: u64 = 20_000;

/// Ticks after which a thread should look for what else there is: some hundred microseconds.
const LONG: u64 = 2_000_000;

/// Most pieces of a command.
pub const MOST: u64 = 1 << 60;

/// `next` of pieces that may not be claimed yet.
const CLOSED: u64 = 1 << 62;

/// Ticks of the processor's clock; on x86-64 there are one to five in a nanosecond.
pub fn ticks() -> u64 {
    // SAFETY: every x86-64 processor has the instruction.
    unsafe { std::arch::x86_64::_rdtsc() }
}

/// Ticks after which a kernel has proved to be worth better code: some 20 milliseconds of processor time,
/// of the order of what its first code took to be made. What making the better one takes is about to be
/// spent by this kernel again and again.
pub const WORTH: u64 = 60_000_000;

/// Ticks that are not added up: less than a launch takes, which better code does not change. So launches of
/// kernels that do next to nothing do not pay for the sum.
const LITTLE: u64 = 1024;

/// What a kernel's work-items take, as far as it is known from what has run, and, if that is to be found
/// out, whether it is worth better code.
#[derive(Debug)]
pub struct Pace {
    /// Ticks of [`PACE_ITEMS`] work-items; 0 if nothing has run.
    expected: AtomicU64,
    /// Ticks altogether; [`WORTH`] and more, for ever, where nobody wants to know.
    spent: AtomicU64,
    /// Work-items that took what is in `spent`.
    items: AtomicU64,
}

impl Default for Pace {
    fn default() -> Pace {
        Pace::new(0, u64::MAX)
    }
}

/// A [`Pace`] expects ticks for this many work-items.
const PACE_ITEMS: u64 = 1024;

/// See [`Pace::note`].
const SURPRISE: u64 = 64;

impl Pace {
    const fn new(expected: u64, spent: u64) -> Pace {
        Pace {
            expected: AtomicU64::new(expected),
            spent: AtomicU64::new(spent),
            items: AtomicU64::new(0),
        }
    }

    /// Of a kernel that may prove to be worth better code.
    pub fn watched() -> Pace {
        Pace::new(0, 0)
    }

    /// Of other code of the same kernel, until more is known of it; watched, too.
    pub fn inherited(&self) -> Pace {
        Pace::new(self.expected.load(Ordering::Relaxed), 0)
    }

    /// Ticks of [`PACE_ITEMS`] work-items on the average of what was added up; none if nothing was.
    pub fn average(&self) -> Option<u64> {
        match self.items.load(Ordering::Relaxed) {
            0 => None,
            items => Some(times(self.spent.load(Ordering::Relaxed), PACE_ITEMS, items)),
        }
    }

    /// Begins to add up again what has been spent.
    pub fn watch_again(&self) {
        self.items.store(0, Ordering::Relaxed);
        self.spent.store(0, Ordering::Relaxed);
    }

    /// Ticks that `items` work-items take; none if nothing has run.
    pub fn ticks(&self, items: u64) -> Option<u64> {
        match self.expected.load(Ordering::Relaxed) {
            0 => None,
            pace => Some(times(pace, items, PACE_ITEMS)),
        }
    }

    /// Notes that `items` work-items took `ticks`. True when that has just proved the kernel to be worth
    /// better code, or other code to have had its trial: for one caller, once.
    ///
    /// The expectation moves by half of what it is off. A single time does not raise it above
    /// [`SURPRISE`] times what it was: the thread may just have lost its CPU for a while.
    pub fn note(&self, items: u64, ticks: u64) -> bool {
        let taken = times(ticks, PACE_ITEMS, items.max(1));
        let old = self.expected.load(Ordering::Relaxed);
        let new = match old {
            0 => taken.max(1),
            _ => old / 2 + taken.min(old.saturating_mul(SURPRISE)).div_ceil(2).max(1),
        };
        // Threads that launch the same kernel need not take the line from each other for nothing.
        if new.abs_diff(old) > old / 8 {
            self.expected.store(new, Ordering::Relaxed);
        }
        ticks >= LITTLE && self.spend(items, ticks)
    }

    /// Adds to what has been spent, while that is of interest; says whether it is enough now.
    fn spend(&self, items: u64, ticks: u64) -> bool {
        if self.spent.load(Ordering::Relaxed) >= WORTH {
            return false;
        }
        // Clocks of several processors that disagree make huge numbers, which must not overflow the sum.
        let items = match ticks > WORTH {
            true => times(items, WORTH, ticks).max(1),
            false => items,
        };
        let ticks = ticks.min(WORTH);
        self.items.fetch_add(items, Ordering::Relaxed);
        let before = self.spent.fetch_add(ticks, Ordering::Relaxed);
        before < WORTH && before + ticks >= WORTH
    }
}

/// `a * b / c`, or the largest number.
fn times(a: u64, b: u64, c: u64) -> u64 {
    match a.checked_mul(b) {
        Some(product) => product / c,
        None => u64::try_from(u128::from(a) * u128::from(b) / u128::from(c)).unwrap_or(u64::MAX),
    }
}

/// How many of `rest` pieces a thread claims when `threads` share them and one takes `ticks`, in units of
/// 1/1024 tick, if that is known.
fn run_of(rest: u64, threads: u64, ticks: Option<u64>) -> u64 {
    let Some(ticks) = ticks else {
        return 1;
    };
    let in_time = |time: u64| (time * 1024 / ticks.max(1)).max(1);
    (rest / (threads * 4))
        .max(in_time(SHORT))
        .min(in_time(LONG))
        .clamp(1, rest.max(1))
}

#[derive(Debug)]
struct Part {
    next: AtomicU64,
    start: u64,
    end: u64,
}

impl Part {
    fn claim(&self, threads: u64, ticks: Option<u64>) -> Option<Range<u64>> {
        let rest = self.end.saturating_sub(self.next.load(Ordering::Acquire));
        if rest == 0 {
            return None;
        }
        let run = run_of(rest, threads, ticks);
        let first = self.next.fetch_add(run, Ordering::AcqRel);
        (first < self.end).then(|| first..(first + run).min(self.end))
    }
}

/// The pieces of a command.
#[derive(Debug)]
pub struct Share {
    pieces: u64,
    first: Part,
    /// Those of the further nodes, which are not to share a cache line.
    others: Box<[Apart]>,
}

#[derive(Debug)]
#[repr(align(128))]
struct Apart(Part);

impl Share {
    /// So many pieces, none of which may be claimed yet.
    pub fn new(pieces: u64) -> Share {
        Share::among(pieces, numa::nodes())
    }

    fn among(pieces: u64, nodes: u64) -> Share {
        let nodes = nodes.clamp(1, pieces.max(1));
        let border = |node: u64| {
            u64::try_from(u128::from(pieces) * u128::from(node) / u128::from(nodes))
                .unwrap_or(pieces)
        };
        let part = |node: u64| Part {
            next: AtomicU64::new(CLOSED),
            start: border(node),
            end: border(node + 1),
        };
        Share {
            pieces,
            first: part(0),
            others: (1..nodes).map(|node| Apart(part(node))).collect(),
        }
    }

    /// Number of pieces.
    pub fn pieces(&self) -> u64 {
        self.pieces
    }

    fn parts(&self) -> impl Iterator<Item = &Part> {
        let others = self.others.iter().map(|apart| &apart.0);
        std::iter::once(&self.first).chain(others)
    }

    /// Lets pieces be claimed.
    pub fn open(&self) {
        for part in self.parts() {
            part.next.store(part.start, Ordering::Release);
        }
    }

    /// Pieces that nobody has claimed yet; 0 before they may be.
    pub fn rest(&self) -> u64 {
        self.parts()
            .map(|part| part.end.saturating_sub(part.next.load(Ordering::Acquire)))
            .sum()
    }

    /// Pieces for the calling thread to run, if any are left. `threads` share them; `ticks` is what a
    /// piece takes, in units of 1/1024 tick, if that is known.
    pub fn claim(&self, threads: u64, ticks: Option<u64>) -> Option<Range<u64>> {
        if self.others.is_empty() {
            return self.first.claim(threads, ticks);
        }
        let parts = self.others.len() + 1;
        let threads = threads.div_ceil(parts as u64);
        let home = numa::here() % parts;
        let own = self.parts().skip(home).chain(self.parts().take(home));
        own.into_iter().find_map(|part| part.claim(threads, ticks))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicU8;

    #[test]
    fn nothing_can_be_claimed_before_it_is_opened() {
        let share = Share::among(10, 2);
        assert_eq!((share.rest(), share.claim(1, None)), (0, None));
        share.open();
        assert_eq!(share.rest(), 10);
    }

    #[test]
    fn every_piece_is_claimed_once_by_any_number_of_threads() {
        for (pieces, nodes, threads) in [(1, 1, 1), (5, 4, 2), (1000, 1, 4), (10_007, 3, 4)] {
            for ticks in [None, Some(1), Some(1 << 20), Some(u64::MAX)] {
                let share = Share::among(pieces, nodes);
                let seen: Vec<_> = (0..pieces).map(|_| AtomicU8::new(0)).collect();
                share.open();
                std::thread::scope(|scope| {
                    for _ in 0..threads {
                        scope.spawn(|| {
                            while let Some(run) = share.claim(threads, ticks) {
                                for piece in run {
                                    seen[piece as usize].fetch_add(1, Ordering::Relaxed);
                                }
                            }
                        });
                    }
                });
                assert!(seen.iter().all(|seen| seen.load(Ordering::Relaxed) == 1));
                assert_eq!(share.rest(), 0);
            }
        }
    }

    #[test]
    fn runs_are_as_long_as_balance_permits() {
        // Unknown: a single piece, which tells.
        assert_eq!(run_of(1000, 2, None), 1);
        // Heavy pieces one by one.
        assert_eq!(run_of(1000, 2, Some(LONG * 1024)), 1);
        // Tiny ones in runs that are worth it, and all of them if they are few.
        assert_eq!(run_of(1 << 40, 2, Some(1024)), LONG);
        assert_eq!(run_of(1000, 2, Some(1024)), 1000);
        // In between, runs get shorter towards the end.
        let ticks = Some(SHORT * 1024 / 10);
        assert_eq!(run_of(800, 2, ticks), 100);
        assert_eq!(run_of(400, 2, ticks), 50);
        assert_eq!(run_of(40, 2, ticks), 10);
        assert_eq!(run_of(3, 2, ticks), 3);
    }

    #[test]
    fn few_claims_for_tiny_groups_and_even_ends_for_heavy_ones() {
        let claims = |pieces: u64, ticks: u64| {
            let share = Share::among(pieces, 1);
            share.open();
            let claimed = std::iter::from_fn(|| share.claim(4, Some(ticks * 1024)));
            claimed.map(|run| run.end - run.start).collect::<Vec<_>>()
        };
        assert!(claims(1 << 20, 1).len() < 60);
        assert!(
            claims(64, 10 * SHORT)
                .iter()
                .rev()
                .take(16)
                .all(|run| *run == 1)
        );
        // Every thread of four gets something of what is worth it.
        assert!(claims(1 << 10, SHORT / 16).len() >= 16);
    }

    #[test]
    fn pace_follows_what_is_measured() {
        let pace = Pace::default();
        assert_eq!(pace.ticks(1), None);
        pace.note(10, 1000);
        assert_eq!(pace.ticks(10), Some(1000));
        pace.note(10, 3000);
        assert_eq!(pace.ticks(10), Some(2000));
        // One that was disturbed does not make a quick kernel a slow one, and is soon forgotten.
        pace.note(10, 1 << 40);
        assert_eq!(pace.ticks(10), Some(2000 / 2 + 2000 * SURPRISE / 2));
        for _ in 0..8 {
            pace.note(10, 2000);
        }
        assert!(pace.ticks(10).unwrap() < 3000);
        // One that really is slow now, is soon known.
        pace.note(10, 1 << 30);
        pace.note(10, 1 << 30);
        pace.note(10, 1 << 30);
        assert!(pace.ticks(10).unwrap() > 1 << 24);
        for _ in 0..40 {
            pace.note(1 << 20, 1 << 10);
        }
        assert!(pace.ticks(1 << 20).unwrap() < 1 << 12);
        // What takes next to nothing is known, too.
        let pace = Pace::default();
        pace.note(u64::MAX, 0);
        assert_eq!(pace.ticks(1), Some(0));
    }

    #[test]
    fn worth_is_proved_once() {
        let pace = Pace::watched();
        for _ in 0..1000 {
            assert!(!pace.note(1, LITTLE - 1));
        }
        assert_eq!(pace.spent.load(Ordering::Relaxed), 0);
        assert!(!pace.note(1, WORTH - 1));
        let proofs = AtomicU8::new(0);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..100 {
                        proofs.fetch_add(u8::from(pace.note(1, u64::MAX)), Ordering::Relaxed);
                    }
                });
            }
        });
        assert_eq!(proofs.load(Ordering::Relaxed), 1);
        pace.watch_again();
        assert!(!pace.note(1, WORTH / 2) && pace.note(1, WORTH));
        // Nobody wants to know.
        assert!(!Pace::default().note(1, u64::MAX));
        // Other code has its trial.
        let other = pace.inherited();
        assert_eq!((other.ticks(1), other.average()), (pace.ticks(1), None));
        assert!(other.note(1, u64::MAX));
    }

    #[test]
    fn averages_are_of_what_was_added_up() {
        let pace = Pace::watched();
        pace.note(2 * PACE_ITEMS, 3 * LITTLE);
        pace.note(2 * PACE_ITEMS, 5 * LITTLE);
        // Too little to be added up.
        pace.note(PACE_ITEMS, LITTLE - 1);
        assert_eq!(pace.average(), Some(2 * LITTLE));
        // A time that is cut counts for as many work-items less.
        let pace = Pace::watched();
        assert!(pace.note(8 * PACE_ITEMS, 8 * WORTH));
        assert_eq!(pace.average(), Some(WORTH));
        pace.watch_again();
        assert_eq!(pace.average(), None);
    }

    #[test]
    fn better_code_is_expected_to_take_as_long_at_first() {
        let pace = Pace::watched();
        pace.note(10, 1000);
        assert_eq!(pace.inherited().ticks(10), Some(1000));
    }
}
