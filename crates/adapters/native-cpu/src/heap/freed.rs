//! Large blocks of memory that were freed and may be used again: which are held and which have to
//! go, on plain addresses. `heap.rs` does what is to be done with the memory itself.
//!
//! A block is used again for a size of its own class only, so blocks are never divided and memory
//! that is held in excess of what was asked for is at most an eighth.

use std::collections::VecDeque;

/// The class of a size of at least 8 pages: the next size of the form (8 to 15) · 2^n. None if it
/// does not fit into an address.
pub fn class(size: usize) -> Option<usize> {
    let step = 1usize << size.ilog2().saturating_sub(3);
    size.checked_next_multiple_of(step)
}

/// A freed block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    /// Its first byte.
    pub start: usize,
    /// Bytes in it, a [`class`].
    pub size: usize,
}

/// See the module documentation.
#[derive(Debug)]
pub struct Freed {
    /// Blocks and when they were freed, in nanoseconds; in that order.
    blocks: VecDeque<(Block, u64)>,
    bytes: usize,
}

impl Freed {
    /// No blocks.
    pub const fn new() -> Freed {
        Freed {
            blocks: VecDeque::new(),
            bytes: 0,
        }
    }

    /// Holds a block that was freed at `now`, no earlier than those before. Gives the blocks that
    /// have to go: the oldest ones, until at most `limit` bytes are held and all were freed after
    /// `before`.
    pub fn put(&mut self, block: Block, now: u64, limit: usize, before: u64) -> Vec<Block> {
        self.blocks.push_back((block, now));
        self.bytes += block.size;
        let mut gone = Vec::new();
        while let Some(&(oldest, since)) = self.blocks.front()
            && (self.bytes > limit || since < before)
        {
            self.blocks.pop_front();
            self.bytes -= oldest.size;
            gone.push(oldest);
        }
        gone
    }

    /// The start of a block of `size` bytes at a multiple of `align`: the one freed last, which the
    /// processor's caches are most likely to know.
    pub fn take(&mut self, size: usize, align: usize) -> Option<usize> {
        let fits =
            |(block, _): &(Block, u64)| block.size == size && block.start.is_multiple_of(align);
        let found = self.blocks.iter().rposition(fits)?;
        let (block, _) = self.blocks.remove(found)?;
        self.bytes -= block.size;
        Some(block.start)
    }

    /// All blocks; none is held any more.
    pub fn take_all(&mut self) -> Vec<Block> {
        self.bytes = 0;
        self.blocks.drain(..).map(|(block, _)| block).collect()
    }

    /// Bytes in all blocks.
    #[cfg(test)]
    fn bytes(&self) -> usize {
        self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const MIB: usize = 1 << 20;

    #[test]
    fn classes_have_eight_steps_between_powers_of_two() {
        assert_eq!(class(2 * MIB), Some(2 * MIB));
        assert_eq!(class(2 * MIB + 1), Some(2 * MIB + MIB / 4));
        assert_eq!(class(40_000_000), Some(40 * MIB));
        assert_eq!(class(15 * MIB + 1), Some(16 * MIB));
        assert_eq!(class(usize::MAX), None);
    }

    #[test]
    fn old_blocks_and_those_beyond_the_limit_go() {
        let block = |n: usize| Block {
            start: n * 16 * MIB,
            size: 4 * MIB,
        };
        let mut freed = Freed::new();
        for n in 1..=3 {
            assert_eq!(freed.put(block(n), n as u64, 12 * MIB, 0), []);
        }
        assert_eq!(freed.put(block(4), 4, 12 * MIB, 0), [block(1)]);
        assert_eq!(freed.put(block(5), 5, 12 * MIB, 4), [block(2), block(3)]);
        // More than is held at all.
        let large = Block {
            start: 0x7000_0000_0000,
            size: 16 * MIB,
        };
        assert_eq!(
            freed.put(large, 6, 12 * MIB, 0),
            [block(4), block(5), large]
        );
        assert_eq!(freed.bytes(), 0);
    }

    #[test]
    fn the_last_one_of_the_class_is_used_first() {
        let mut freed = Freed::new();
        for (start, size) in [(4, 2), (8, 2), (10, 4), (14, 2)] {
            let (start, size) = (start * MIB, size * MIB);
            freed.put(Block { start, size }, 0, usize::MAX, 0);
        }
        assert_eq!(freed.take(3 * MIB, 1), None);
        assert_eq!(freed.take(2 * MIB, 4 * MIB), Some(8 * MIB));
        assert_eq!(freed.take(2 * MIB, 4096), Some(14 * MIB));
        assert_eq!(freed.take(4 * MIB, 4096), Some(10 * MIB));
        assert_eq!(freed.take_all().len(), 1);
        assert_eq!(freed.take(2 * MIB, 1), None);
    }

    #[derive(Clone, Copy, Debug)]
    enum Step {
        /// Allocate so many KiB at a multiple of 2 to this power.
        Take(usize, u32),
        /// Free one of the live blocks.
        Put(usize),
        /// Let time pass.
        Wait(u64),
        All,
    }

    fn step() -> impl Strategy<Value = Step> {
        prop_oneof![
            6 => (2048usize..16 * 1024, 12u32..24).prop_map(|(size, align)| Step::Take(size, align)),
            6 => any::<usize>().prop_map(Step::Put),
            2 => (0u64..8).prop_map(Step::Wait),
            1 => Just(Step::All),
        ]
    }

    proptest! {
        #[test]
        fn classes_hold_the_size_and_little_more(size in 2 * MIB..usize::MAX / 2) {
            let class_of = class(size).unwrap();
            prop_assert!(class_of >= size && class_of - size < size / 8);
            prop_assert_eq!(class(class_of), Some(class_of));
            prop_assert!(class_of.is_multiple_of(4096));
        }

        /// Every block is at each time in use, held or gone, and in one of these only.
        #[test]
        fn no_block_is_lost_or_given_twice(steps in prop::collection::vec(step(), 1..300)) {
            const LIMIT: usize = 64 * MIB;
            const AGE: u64 = 20;
            let mut freed = Freed::new();
            let (mut live, mut held): (Vec<Block>, Vec<(Block, u64)>) = (Vec::new(), Vec::new());
            let (mut now, mut next) = (0, 0x10_0000_0000usize);
            for step in steps {
                match step {
                    Step::Take(kib, shift) => {
                        let (size, align) = (class(kib << 10).unwrap(), 1 << shift);
                        let start = match freed.take(size, align) {
                            Some(start) => {
                                let at = held.iter().position(|(block, _)| block.start == start);
                                let (block, _) = held.swap_remove(at.expect("a block that is held"));
                                prop_assert_eq!(block.size, size);
                                prop_assert!(start.is_multiple_of(align));
                                start
                            }
                            None => {
                                let fits = |block: &Block| block.size == size && block.start.is_multiple_of(align);
                                prop_assert!(!held.iter().any(|(block, _)| fits(block)));
                                let start = next.next_multiple_of(align);
                                next = start + size;
                                start
                            }
                        };
                        for other in &live {
                            prop_assert!(start + size <= other.start || other.start + other.size <= start);
                        }
                        live.push(Block { start, size });
                    }
                    Step::Put(which) if !live.is_empty() => {
                        let block = live.swap_remove(which % live.len());
                        held.push((block, now));
                        for gone in freed.put(block, now, LIMIT, now.saturating_sub(AGE)) {
                            let at = held.iter().position(|(block, _)| *block == gone);
                            held.swap_remove(at.expect("a block that was held"));
                        }
                        prop_assert!(held.iter().all(|(_, since)| since + AGE >= now));
                    }
                    Step::Put(_) => {}
                    Step::Wait(time) => now += time,
                    Step::All => {
                        let mut all = freed.take_all();
                        let mut meant: Vec<Block> = held.drain(..).map(|(block, _)| block).collect();
                        all.sort_by_key(|block| block.start);
                        meant.sort_by_key(|block| block.start);
                        prop_assert_eq!(all, meant);
                    }
                }
                prop_assert_eq!(freed.bytes(), held.iter().map(|(block, _)| block.size).sum::<usize>());
                prop_assert!(freed.bytes() <= LIMIT);
            }
        }
    }
}
