//! Aligned blocks of memory, and a store of those that kernels use while they run.

use std::alloc::Layout;
use std::ptr::NonNull;
use std::sync::{Mutex, PoisonError};

/// A block of memory, freed with its owner.
#[derive(Debug)]
pub struct Block {
    start: NonNull<u8>,
    layout: Layout,
}

// SAFETY: a block is memory and nothing else; it belongs to its owner.
unsafe impl Send for Block {}
// SAFETY: shared access only reads the address and the size.
unsafe impl Sync for Block {}

impl Block {
    /// A block of at least `size` bytes at a multiple of `align`, a power of two. None if there is
    /// no memory.
    pub fn new(size: usize, align: usize) -> Option<Block> {
        let layout = Layout::from_size_align(size.max(1), align).ok()?;
        // SAFETY: the size is not 0.
        let start = NonNull::new(unsafe { std::alloc::alloc(layout) })?;
        Some(Block { start, layout })
    }

    /// As [`Block::new`], with all bytes 0.
    pub fn zeroed(size: usize, align: usize) -> Option<Block> {
        let layout = Layout::from_size_align(size.max(1), align).ok()?;
        // SAFETY: the size is not 0.
        let start = NonNull::new(unsafe { std::alloc::alloc_zeroed(layout) })?;
        Some(Block { start, layout })
    }

    /// Its first byte.
    pub fn start(&self) -> *mut u8 {
        self.start.as_ptr()
    }

    /// Bytes in it.
    pub fn size(&self) -> usize {
        self.layout.size()
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        // SAFETY: the block was allocated with this layout and is freed once.
        unsafe { std::alloc::dealloc(self.start.as_ptr(), self.layout) };
    }
}

/// Most blocks kept for later.
const KEPT: usize = 64;

/// Largest block kept for later, in bytes.
const LARGEST_KEPT: usize = 16 << 20;

/// Blocks that were used and will be again.
#[derive(Debug, Default)]
pub struct Arenas(Mutex<Vec<Block>>);

impl Arenas {
    /// A block of at least `size` bytes, aligned to `align`; its content is undefined.
    pub fn take(&self, size: usize, align: usize) -> Option<Block> {
        let kept = {
            let mut blocks = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            blocks.pop()
        };
        match kept {
            Some(block) if block.size() >= size && block.layout.align() >= align => Some(block),
            // Too small: grows by replacement, so that one size settles in.
            _ => Block::new(size.next_power_of_two(), align),
        }
    }

    /// Gives a block back.
    pub fn put(&self, block: Block) {
        if block.size() > LARGEST_KEPT {
            return;
        }
        let mut blocks = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if blocks.len() < KEPT {
            blocks.push(block);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_aligned_and_used_again() {
        let arenas = Arenas::default();
        let first = arenas.take(1000, 128).unwrap();
        assert!(first.size() >= 1000);
        assert!((first.start() as usize).is_multiple_of(128));
        let address = first.start();
        arenas.put(first);
        let second = arenas.take(900, 128).unwrap();
        assert_eq!(second.start(), address);
        let third = arenas.take(1 << 20, 128).unwrap();
        assert!(third.size() >= 1 << 20);
        arenas.put(second);
        let fourth = arenas.take(1 << 16, 128).unwrap();
        assert!(fourth.size() >= 1 << 16);
        assert!(Block::new(usize::MAX / 2, 128).is_none());
    }
}
