//! How much memory a reader may take.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// Bytes allocated now, and the most there were since [`measure`] began.
static LIVE: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

/// The system's allocator, counting. A program that measures makes it its global allocator.
pub struct Counting;

fn grow(bytes: usize) {
    let live = LIVE.fetch_add(bytes, Relaxed) + bytes;
    PEAK.fetch_max(live, Relaxed);
}

// SAFETY: every call goes to the system's allocator as it is; counting touches no memory of others.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        grow(layout.size());
        // SAFETY: the caller's promises are those of the system's allocator.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        grow(layout.size());
        // SAFETY: as above.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size(), Relaxed);
        // SAFETY: as above.
        unsafe { System.dealloc(memory, layout) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // Both blocks may be there for a moment.
        grow(size);
        LIVE.fetch_sub(layout.size(), Relaxed);
        // SAFETY: as above.
        unsafe { System.realloc(memory, layout, size) }
    }
}

/// The most bytes that a reader may have allocated at a time.
#[derive(Clone, Copy, Debug)]
pub struct Limit {
    /// For each byte of the input.
    pub factor: usize,
    /// Besides.
    pub extra: usize,
}

impl Limit {
    /// The bytes allowed for an input of `len` bytes.
    pub const fn bytes(self, len: usize) -> usize {
        self.factor * len + self.extra
    }
}

/// Runs `body` and gives the most bytes that it had allocated at a time. Other threads' count, too:
/// there should be none at work.
pub fn measure<T>(body: impl FnOnce() -> T) -> (T, usize) {
    let before = LIVE.load(Relaxed);
    PEAK.store(before, Relaxed);
    let result = body();
    (result, PEAK.load(Relaxed).saturating_sub(before))
}

/// Runs `body` on an input of `len` bytes.
///
/// # Panics
/// It had more allocated than the limit allows.
pub fn bounded<T>(limit: Limit, len: usize, body: impl FnOnce() -> T) -> T {
    let (result, peak) = measure(body);
    assert!(
        peak <= limit.bytes(len),
        "{peak} bytes allocated for an input of {len} bytes; {} are allowed",
        limit.bytes(len)
    );
    result
}
