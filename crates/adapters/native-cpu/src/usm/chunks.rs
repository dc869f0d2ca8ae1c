//! Dividing chunks of memory into blocks: the arithmetic of a pool, on plain addresses.

use std::collections::BTreeMap;

/// A run of memory that blocks are cut from.
#[derive(Debug)]
struct Chunk {
    size: usize,
    /// Whether it stays when nothing in it is used.
    kept: bool,
    /// Starts and sizes of what is unused; no two touch.
    free: BTreeMap<usize, usize>,
}

impl Chunk {
    fn is_unused(&self, start: usize) -> bool {
        self.free.get(&start) == Some(&self.size)
    }
}

/// See the module documentation.
#[derive(Debug, Default)]
pub struct Chunks {
    chunks: BTreeMap<usize, Chunk>,
    reserved: usize,
    used: usize,
}

impl Chunks {
    /// Bytes in all chunks.
    pub fn reserved(&self) -> usize {
        self.reserved
    }

    /// Bytes in blocks.
    pub fn used(&self) -> usize {
        self.used
    }

    /// Adds a chunk; one that is not `kept` leaves with its last block.
    pub fn add(&mut self, start: usize, size: usize, kept: bool) {
        let chunk = Chunk {
            size,
            kept,
            free: BTreeMap::from([(start, size)]),
        };
        self.chunks.insert(start, chunk);
        self.reserved += size;
    }

    /// Cuts a block of `size` bytes at a multiple of `align` from a kept chunk, or from the chunk
    /// that starts at `from`.
    pub fn take(&mut self, size: usize, align: usize, from: Option<usize>) -> Option<usize> {
        let mut found = None;
        for (start, chunk) in &mut self.chunks {
            let fits = from.map_or(chunk.kept, |from| from == *start);
            if !fits {
                continue;
            }
            found = chunk.free.iter().find_map(|(at, free)| {
                let block = at.next_multiple_of(align);
                let end = block.checked_add(size)?;
                (end <= at + free).then_some((*at, *free, block))
            });
            if let Some((at, free, block)) = found {
                chunk.free.remove(&at);
                if block > at {
                    chunk.free.insert(at, block - at);
                }
                if at + free > block + size {
                    chunk.free.insert(block + size, at + free - block - size);
                }
                break;
            }
        }
        let (_, _, block) = found?;
        self.used += size;
        Some(block)
    }

    /// Gives a block back. Gives the chunk's start and size if it leaves with it.
    pub fn put(&mut self, block: usize, size: usize) -> Option<(usize, usize)> {
        let (start, chunk) = self.chunks.range_mut(..=block).next_back()?;
        let start = *start;
        self.used -= size;
        let (mut at, mut len) = (block, size);
        if let Some((before, free)) = chunk.free.range(..block).next_back()
            && before + free == block
        {
            (at, len) = (*before, free + len);
        }
        if let Some(free) = chunk.free.remove(&(block + size)) {
            len += free;
        }
        chunk.free.insert(at, len);
        if chunk.kept || !chunk.is_unused(start) {
            return None;
        }
        self.remove(start)
    }

    fn remove(&mut self, start: usize) -> Option<(usize, usize)> {
        let chunk = self.chunks.remove(&start)?;
        self.reserved -= chunk.size;
        Some((start, chunk.size))
    }

    /// Takes out an unused chunk, if there is one.
    pub fn take_unused(&mut self) -> Option<(usize, usize)> {
        let unused = |(start, chunk): (&usize, &Chunk)| chunk.is_unused(*start).then_some(*start);
        let start = self.chunks.iter().rev().find_map(unused)?;
        self.remove(start)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn blocks_are_cut_and_join_again() {
        let mut chunks = Chunks::default();
        chunks.add(0x1000, 0x1000, true);
        let a = chunks.take(0x100, 16, None).unwrap();
        let b = chunks.take(0x100, 0x400, None).unwrap();
        assert_eq!((a, b), (0x1000, 0x1400));
        // The gap that the alignment left is used.
        assert_eq!(chunks.take(0x300, 16, None), Some(0x1100));
        assert_eq!(chunks.take(0x1000, 16, None), None);
        assert_eq!((chunks.reserved(), chunks.used()), (0x1000, 0x500));
        assert!(chunks.take_unused().is_none());
        for (block, size) in [(0x1100, 0x300), (a, 0x100), (b, 0x100)] {
            assert_eq!(chunks.put(block, size), None);
        }
        assert_eq!(chunks.take_unused(), Some((0x1000, 0x1000)));
        assert_eq!(chunks.reserved(), 0);
    }

    #[test]
    fn a_chunk_that_is_not_kept_leaves() {
        let mut chunks = Chunks::default();
        chunks.add(0x8000, 0x1000, false);
        assert_eq!(chunks.take(16, 16, None), None, "only what asks for it");
        let block = chunks.take(0x1000, 16, Some(0x8000)).unwrap();
        assert_eq!(chunks.put(block, 0x1000), Some((0x8000, 0x1000)));
        assert_eq!(chunks.reserved(), 0);
    }

    proptest! {
        #[test]
        fn blocks_never_overlap(steps in prop::collection::vec((1usize..300, 0u32..7, any::<bool>()), 1..200)) {
            let mut chunks = Chunks::default();
            chunks.add(0x10000, 0x1000, true);
            chunks.add(0x20000, 0x800, true);
            let mut live: Vec<(usize, usize)> = Vec::new();
            for (size, shift, free) in steps {
                if free && !live.is_empty() {
                    let (block, size) = live.swap_remove(size % live.len());
                    chunks.put(block, size);
                } else if let Some(block) = chunks.take(size, 1 << shift, None) {
                    prop_assert!(block.is_multiple_of(1 << shift));
                    let inside = |start: usize, len: usize| block >= start && block + size <= start + len;
                    prop_assert!(inside(0x10000, 0x1000) || inside(0x20000, 0x800));
                    for (other, len) in &live {
                        prop_assert!(block + size <= *other || other + len <= block);
                    }
                    live.push((block, size));
                }
                prop_assert_eq!(chunks.used(), live.iter().map(|(_, size)| size).sum::<usize>());
            }
            for (block, size) in live {
                chunks.put(block, size);
            }
            prop_assert!(chunks.take_unused().is_some() && chunks.take_unused().is_some());
            prop_assert_eq!((chunks.reserved(), chunks.used()), (0, 0));
        }
    }
}
