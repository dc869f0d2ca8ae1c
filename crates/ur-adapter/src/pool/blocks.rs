//! The account of a pool's blocks.

use crate::{Error, Result};
use std::collections::BTreeMap;
use std::fmt::Debug;
use ur_api::*;

/// What kind of block it is. Blocks that are equal can stand in for each other.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Block {
    /// Bytes, not less than what was asked for.
    pub size: usize,
    /// The number of the kind of USM.
    kind: i32,
    /// The address of the device's object; 0 for the host's memory.
    device: usize,
    /// The alignment that was asked for.
    pub align: u32,
}

impl Block {
    /// The block for an allocation; `device` is the address of the device's object, 0 for the host's
    /// memory. Sizes are rounded up by at most an eighth, or to 64 bytes, so that
    /// there are not too many of them.
    ///
    /// # Errors
    /// `INVALID_USM_SIZE` for one that overflows.
    pub fn new(kind: ur_usm_type_t, device: usize, size: usize, align: u32) -> Result<Self> {
        let power = size.checked_next_power_of_two();
        let rounded = power.and_then(|power| size.checked_next_multiple_of((power / 16).max(64)));
        Ok(Self {
            size: rounded.ok_or_else(|| Error::code(UR_RESULT_ERROR_INVALID_USM_SIZE))?,
            kind: kind.0 as i32,
            device,
            align,
        })
    }
}

/// Blocks that are used, which are only counted, and those that are kept.
#[derive(Debug)]
pub struct Blocks<M> {
    used: usize,
    kept: usize,
    by_kind: BTreeMap<Block, Vec<M>>,
}

impl<M> Default for Blocks<M> {
    fn default() -> Self {
        Self {
            used: 0,
            kept: 0,
            by_kind: BTreeMap::new(),
        }
    }
}

impl<M: Copy + PartialEq + Debug> Blocks<M> {
    /// Bytes of blocks that are in use.
    pub fn used(&self) -> usize {
        self.used
    }

    /// Bytes of all blocks.
    pub fn reserved(&self) -> usize {
        self.used + self.kept
    }

    /// Counts a new block that is used.
    pub fn add(&mut self, block: &Block) {
        self.used += block.size;
    }

    /// Counts a block of [`Blocks::add`] no longer, which there was no memory for.
    pub fn cancel(&mut self, block: &Block) {
        self.used -= block.size;
    }

    /// A kept block, which is used from now on.
    pub fn reuse(&mut self, wanted: &Block) -> Option<M> {
        let memory = self.pop(wanted)?;
        self.used += wanted.size;
        Some(memory)
    }

    /// Keeps a block that was used.
    pub fn put(&mut self, memory: M, block: &Block) {
        self.used -= block.size;
        self.kept += block.size;
        let same = self.by_kind.entry(block.clone()).or_default();
        same.push(memory);
    }

    /// Keeps a block no longer that was put last.
    pub fn take_out(&mut self, memory: M, block: &Block) -> Vec<M> {
        let last = self.pop(block);
        debug_assert_eq!(last, Some(memory));
        last.into_iter().collect()
    }

    /// The blocks that must go until no more than `least` bytes are held or none is kept, the largest
    /// first.
    pub fn shrink(&mut self, least: usize) -> Vec<M> {
        let mut gone = Vec::new();
        while self.reserved() > least
            && let Some((block, _)) = self.by_kind.last_key_value()
        {
            let block = block.clone();
            gone.extend(self.pop(&block));
        }
        gone
    }

    /// A kept block of the kind, which is not counted any more.
    fn pop(&mut self, block: &Block) -> Option<M> {
        let same = self.by_kind.get_mut(block)?;
        let found = same.pop();
        if same.is_empty() {
            self.by_kind.remove(block);
        }
        if found.is_some() {
            self.kept -= block.size;
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(size: usize) -> Block {
        Block::new(UR_USM_TYPE_HOST, 0, size, 0).expect("a size")
    }

    #[test]
    fn sizes_are_rounded_by_little() {
        assert_eq!(block(1).size, 64);
        assert_eq!(block(64).size, 64);
        assert_eq!(block(1 << 20).size, 1 << 20);
        for size in [65, 1000, 4097, 100_000, (1 << 30) + 1] {
            let rounded = block(size).size;
            assert!(rounded >= size && rounded - size < (size / 8).max(64));
        }
        assert!(Block::new(UR_USM_TYPE_HOST, 0, usize::MAX, 0).is_err());
    }

    #[test]
    fn blocks_are_used_again_by_their_kind() {
        let mut blocks = Blocks::default();
        blocks.add(&block(64));
        blocks.add(&block(1024));
        assert_eq!((blocks.used(), blocks.reserved()), (1088, 1088));
        blocks.put(0x1000, &block(64));
        assert_eq!((blocks.used(), blocks.reserved()), (1024, 1088));
        assert_eq!(blocks.reuse(&block(128)), None);
        assert_eq!(blocks.reuse(&block(64)), Some(0x1000));
        assert_eq!(blocks.reuse(&block(64)), None);
        assert_eq!((blocks.used(), blocks.reserved()), (1088, 1088));
    }

    #[test]
    fn the_largest_go_first() {
        let mut blocks = Blocks::default();
        for (address, size) in [(0x1000, 64), (0x2000, 4096), (0x3000, 1024)] {
            blocks.add(&block(size));
            blocks.put(address, &block(size));
        }
        assert_eq!(blocks.shrink(usize::MAX), []);
        assert_eq!(blocks.shrink(1088), [0x2000]);
        assert_eq!(blocks.shrink(0).len(), 2);
        assert_eq!(blocks.reserved(), 0);
    }
}
