//! Aligned blocks of memory, and those that kernels use while they run: every thread keeps one.

use crate::heap;
use std::alloc::Layout;
use std::cell::Cell;
use std::ptr::NonNull;

/// A block of memory, freed with its owner.
#[derive(Debug)]
pub struct Block {
    start: NonNull<u8>,
    layout: Layout,
    /// Whether it is [`heap`]'s; else it is the C library's.
    of_heap: bool,
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
        let align = align.max(size_of::<usize>());
        let start = heap::allocate(layout.size(), align)? as *mut u8;
        Some(Block {
            start: NonNull::new(start)?,
            layout,
            of_heap: true,
        })
    }

    /// As [`Block::new`], with all bytes 0.
    pub fn zeroed(size: usize, align: usize) -> Option<Block> {
        let layout = Layout::from_size_align(size.max(1), align).ok()?;
        // SAFETY: the size is not 0.
        let start = NonNull::new(unsafe { std::alloc::alloc_zeroed(layout) })?;
        Some(Block {
            start,
            layout,
            of_heap: false,
        })
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
        if self.of_heap {
            return heap::free(self.start.as_ptr() as usize, self.layout.size());
        }
        // SAFETY: the block was allocated with this layout and is freed once.
        unsafe { std::alloc::dealloc(self.start.as_ptr(), self.layout) };
    }
}

/// Largest block kept for later by a thread, in bytes.
const LARGEST_KEPT: usize = 16 << 20;

thread_local! {
    /// What the thread's last kernel used.
    static KEPT: Cell<Option<Block>> = const { Cell::new(None) };
}

/// The memory of a kernel while the calling thread runs it; its content is undefined.
#[derive(Debug)]
pub struct Arena(Option<Block>);

impl Arena {
    /// At least `size` bytes, aligned to `align`; none if there is no memory.
    pub fn take(size: usize, align: usize) -> Option<Arena> {
        if size == 0 {
            return Some(Arena(None));
        }
        // The thread may be ending and have none any more.
        let kept = KEPT.try_with(Cell::take).ok().flatten();
        let block = match kept {
            Some(block) if block.size() >= size && block.layout.align() >= align => block,
            // Too small: grows by replacement, so that one size settles in.
            _ => Block::new(size.checked_next_power_of_two()?, align)?,
        };
        Some(Arena(Some(block)))
    }

    /// Its first byte; for an arena of no bytes an address that must not be used, a multiple of `align`.
    pub fn start(&self, align: usize) -> *mut u8 {
        self.0
            .as_ref()
            .map_or(std::ptr::without_provenance_mut(align), Block::start)
    }
}

impl Drop for Arena {
    fn drop(&mut self) {
        if let Some(block) = self.0.take_if(|block| block.size() <= LARGEST_KEPT) {
            let _ = KEPT.try_with(|kept| kept.set(Some(block)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_aligned_and_used_again() {
        let first = Arena::take(1000, 128).unwrap();
        let address = first.start(128);
        assert!((address as usize).is_multiple_of(128));
        // Nested, as when a kernel's thread helps with another.
        let second = Arena::take(1000, 128).unwrap();
        assert_ne!(second.start(128), address);
        drop((second, first));
        let third = Arena::take(900, 128).unwrap();
        assert_eq!(third.start(128), address);
        drop(third);
        let large = Arena::take(1 << 20, 128).unwrap();
        assert!(large.0.as_ref().unwrap().size() >= 1 << 20);
        drop(large);
        // The larger one has taken its place.
        let fourth = Arena::take(1000, 128).unwrap();
        assert!(fourth.0.as_ref().unwrap().size() >= 1 << 20);
        assert!(Arena::take(usize::MAX / 2, 128).is_none());
        assert!(Arena::take(usize::MAX, 128).is_none());
        let none = Arena::take(0, 128).unwrap();
        assert_eq!(none.start(128) as usize, 128);
    }
}
