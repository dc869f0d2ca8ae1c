//! Memory of the process for allocations, buffers and pools.
//!
//! Small blocks are the C library's. Large ones are mappings of their own, for two reasons. They
//! begin at a huge page and ask for huge pages, so that first use costs a page fault for 2 MiB and
//! not for 4 KiB. And freed ones are kept for a while, since faults for fresh memory take longer than
//! most kernels take to fill it. The kernel may take the pages of a kept block whenever it is short
//! of memory, and counts them as available.

mod freed;

use crate::clock;
use crate::fork::Mutex;
use crate::memfd::{self, PAGE};
use freed::{Block, Freed, class};
use ur_api::{UR_USM_TYPE_DEVICE, ur_usm_type_t};

/// Bytes of a huge page. Smaller allocations are the C library's.
const HUGE: usize = 2 << 20;

/// Freed blocks have at most this part of the memory...
const PART: u64 = 8;

/// ...and at most that many bytes.
const MOST: u64 = 4 << 30;

/// Nanoseconds after which a freed block is given back, when another one is freed.
const AGE: u64 = 10_000_000_000;

static FREED: Mutex<Freed> = Mutex::new(Freed::new());

/// What the sizes and addresses of allocations of a kind are multiples of: device memory has pages
/// of its own, so that it can be shared with other processes; `align` serves for the rest.
pub fn unit(kind: ur_usm_type_t, align: usize) -> usize {
    if kind == UR_USM_TYPE_DEVICE {
        PAGE
    } else {
        align
    }
}

/// Most bytes that freed blocks have; it never changes.
fn limit() -> usize {
    (crate::facts::get().memory / PART).min(MOST) as usize
}

/// Bytes of the mapping for a large allocation. Only what may be kept is rounded to a class.
fn mapped(size: usize) -> Option<usize> {
    class(size)
        .filter(|class| *class <= limit())
        .or_else(|| size.checked_next_multiple_of(PAGE))
}

/// `size` bytes at a multiple of `align`, a power of two and at least that of a pointer; the content
/// is undefined.
pub fn allocate(size: usize, align: usize) -> Option<usize> {
    if size < HUGE {
        let mut memory = std::ptr::null_mut();
        // SAFETY: the alignment is as the function asks.
        let failed = unsafe { libc::posix_memalign(&mut memory, align, size) } != 0;
        return (!failed && !memory.is_null()).then_some(memory as usize);
    }
    let size = mapped(size)?;
    // The lock is free again before the kernel has to do anything.
    let kept = FREED.lock().take(size, align);
    kept.or_else(|| map(size, align)).or_else(|| {
        // What is kept may be what is missing.
        let all = FREED.lock().take_all();
        if all.is_empty() {
            return None;
        }
        all.into_iter().for_each(unmap);
        map(size, align)
    })
}

/// Takes memory of [`allocate`], of that many bytes, back. The callers hold each address once and
/// use it no more.
pub fn free(start: usize, size: usize) {
    if size < HUGE {
        // SAFETY: the memory came from `allocate` and is given back once.
        unsafe { libc::free(start as *mut _) };
        return;
    }
    let Some(size) = mapped(size) else {
        return;
    };
    let block = Block { start, size };
    // SAFETY: the mapping is ours and nobody uses what is in it.
    let lent =
        size <= limit() && unsafe { libc::madvise(start as *mut _, size, libc::MADV_FREE) } == 0;
    if !lent {
        // Too large, or locked in memory: the kernel could not have it when it needs it.
        return unmap(block);
    }
    let mut freed = FREED.lock();
    let now = clock::now();
    let gone = freed.put(block, now, limit(), now.saturating_sub(AGE));
    drop(freed);
    gone.into_iter().for_each(unmap);
}

/// As [`free`], but keeps nothing: for memory that was not only this process's.
pub fn release(start: usize, size: usize) {
    match mapped(size) {
        Some(mapped) if size >= HUGE => unmap(Block {
            start,
            size: mapped,
        }),
        _ => free(start, size),
    }
}

/// A new mapping of `size` bytes, with huge pages where they fit.
fn map(size: usize, align: usize) -> Option<usize> {
    let align = align.max(HUGE);
    let room = size.checked_add(align - PAGE)?;
    // SAFETY: a mapping where the kernel finds room harms nobody.
    let start = unsafe {
        libc::mmap(
            std::ptr::null_mut(),
            room,
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
            -1,
            0,
        )
    };
    if start == libc::MAP_FAILED {
        return None;
    }
    let start = start as usize;
    let block = start.next_multiple_of(align);
    let (before, after) = (block - start, start + room - block - size);
    // SAFETY: all is within the new mapping, and the block itself stays.
    unsafe {
        if before > 0 {
            memfd::unmap(start, before);
        }
        if after > 0 {
            memfd::unmap(block + size, after);
        }
        // Where there are no huge pages it works with small ones.
        libc::madvise(block as *mut _, size / HUGE * HUGE, libc::MADV_HUGEPAGE);
    }
    Some(block)
}

fn unmap(block: Block) {
    // SAFETY: the block is a mapping of `map`; it was freed, and is not kept.
    unsafe { memfd::unmap(block.start, block.size) };
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicBool, Ordering};

    /// Bytes of a size that no other test uses.
    const SIZE: usize = 37 << 20;

    /// A request that fails gives all back that is kept, which other tests look for.
    static ALONE: std::sync::RwLock<()> = std::sync::RwLock::new(());

    /// Whether a byte of the mapping at `start` can be read; asks the kernel, so that it may be wrong.
    fn is_mapped(start: usize) -> bool {
        let mut resident = [0u8];
        // SAFETY: the kernel writes one byte for the one page.
        unsafe { libc::mincore(start as *mut _, PAGE, resident.as_mut_ptr()) == 0 }
    }

    fn fill(start: usize, size: usize, value: u8) {
        // SAFETY: the callers have that much memory there.
        unsafe { std::ptr::write_bytes(start as *mut u8, value, size) };
    }

    #[test]
    fn a_freed_block_is_used_again() {
        let _others = ALONE.read().unwrap();
        let first = allocate(SIZE, PAGE).unwrap();
        assert!(first.is_multiple_of(HUGE));
        fill(first, SIZE, 1);
        let second = allocate(SIZE, PAGE).unwrap();
        assert!(second >= first + SIZE || first >= second + SIZE);
        fill(second, SIZE, 2);
        free(first, SIZE);
        // A little less is the same class.
        let again = allocate(SIZE - 5 * PAGE, PAGE).unwrap();
        assert_eq!(again, first);
        fill(again, SIZE - 5 * PAGE, 3);
        // SAFETY: the block is allocated and filled.
        assert_eq!(unsafe { (second as *const u8).add(SIZE - 1).read() }, 2);
        free(again, SIZE - 5 * PAGE);
        release(second, SIZE);
        assert!(is_mapped(first));
        let third = allocate(SIZE, PAGE).unwrap();
        assert_eq!(third, first, "what was released is not used again");
        release(third, SIZE);
    }

    #[test]
    fn what_is_locked_in_memory_is_not_kept() {
        let size = 3 * HUGE;
        let start = allocate(size, PAGE).unwrap();
        // SAFETY: the block is ours.
        if unsafe { libc::mlock(start as *const _, PAGE) } == 0 {
            free(start, size);
            assert!(FREED.lock().take(size, PAGE) != Some(start));
        } else {
            release(start, size);
        }
    }

    #[test]
    fn alignments_beyond_a_huge_page_are_kept() {
        for shift in 3..24 {
            for size in [100, HUGE - 1, HUGE, 3 * HUGE + 1] {
                let start = allocate(size, 1 << shift).unwrap();
                assert!(start.is_multiple_of(1 << shift));
                fill(start, size, 4);
                free(start, size);
            }
        }
    }

    #[test]
    fn absurd_sizes_are_refused_and_what_is_kept_goes() {
        let _alone = ALONE.write().unwrap();
        let start = allocate(SIZE / 2, PAGE).unwrap();
        free(start, SIZE / 2);
        for size in [usize::MAX, usize::MAX - HUGE, usize::MAX / 2, 1 << 56] {
            assert_eq!(allocate(size, PAGE), None);
        }
        let size = mapped(SIZE / 2).unwrap();
        assert_eq!(FREED.lock().take(size, PAGE), None);
    }

    #[test]
    fn what_is_more_than_all_that_is_kept_goes_at_once() {
        let size = limit() + 1;
        let Some(start) = allocate(size, PAGE) else {
            return;
        };
        assert_eq!(mapped(size), Some(size.next_multiple_of(PAGE)));
        free(start, size);
        assert!(
            FREED
                .lock()
                .take(size.next_multiple_of(PAGE), PAGE)
                .is_none()
        );
    }

    #[test]
    fn threads_never_have_the_same_block() {
        std::thread::scope(|scope| {
            for value in 1..=4u8 {
                scope.spawn(move || {
                    for round in 0..40usize {
                        let size = HUGE + (round % 3) * HUGE / 2;
                        let start = allocate(size, PAGE).unwrap();
                        let ends = [start, start + size - 1];
                        for at in ends {
                            fill(at, 1, value);
                        }
                        std::thread::yield_now();
                        for at in ends {
                            // SAFETY: the block is this thread's.
                            assert_eq!(unsafe { (at as *const u8).read() }, value);
                        }
                        free(start, size);
                    }
                });
            }
        });
    }

    #[test]
    fn a_child_forked_meanwhile_allocates() {
        crate::fork::watch();
        let stop = AtomicBool::new(false);
        let use_some = |value| {
            let start = allocate(2 * HUGE, PAGE).unwrap();
            fill(start, 1, value);
            free(start, 2 * HUGE);
        };
        let codes = std::thread::scope(|scope| {
            scope.spawn(|| {
                while !stop.load(Ordering::Relaxed) {
                    use_some(1);
                }
            });
            let codes = [0; 20].map(|_| {
                // SAFETY: the child uses memory and ends.
                let pid = unsafe { libc::fork() };
                if pid == 0 {
                    // SAFETY: a signal without a handler ends a child that hangs.
                    unsafe { libc::alarm(20) };
                    use_some(2);
                    // SAFETY: ends the process.
                    unsafe { libc::_exit(0) };
                }
                let mut status = -1;
                // SAFETY: the child is this thread's to wait for.
                unsafe { libc::waitpid(pid, &mut status, 0) };
                status
            });
            stop.store(true, Ordering::Relaxed);
            codes
        });
        assert_eq!(codes, [0; 20]);
    }
}
