//! Memory that other processes can map, too: it is of one file, which has no name.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// Bytes of a page.
pub const PAGE: usize = 4096;

/// Bytes of the file, of which only those take room that are used.
const FILE: libc::off_t = 1 << 46;

/// A part of a file in memory.
#[derive(Debug)]
pub struct Mapping {
    /// Where it begins.
    pub start: usize,
    /// Bytes, whole pages.
    pub size: usize,
}

/// A part of the file.
#[derive(Clone, Copy, Debug)]
pub struct Part {
    /// The byte of the file where it begins.
    pub offset: u64,
    /// Bytes, whole pages.
    pub size: usize,
}

/// The file; none if there can be none.
pub fn file() -> Option<i32> {
    static OPENED: OnceLock<Option<i32>> = OnceLock::new();
    *OPENED.get_or_init(|| {
        // SAFETY: a terminated name.
        let file = unsafe { libc::memfd_create(c"ze_fake".as_ptr(), libc::MFD_CLOEXEC) };
        // SAFETY: a file of ours, or -1, which is refused.
        let grown = unsafe { libc::ftruncate(file, FILE) } == 0;
        (file >= 0 && grown).then_some(file)
    })
}

/// Takes a part that nobody had before.
pub fn take(size: usize) -> Option<Part> {
    static END: AtomicU64 = AtomicU64::new(0);
    let size = size.max(1).checked_next_multiple_of(PAGE)?;
    if size as u64 > FILE as u64 / 4 {
        return None;
    }
    let offset = END.fetch_add(size as u64, Ordering::Relaxed);
    (offset + size as u64 <= FILE as u64).then_some(Part { offset, size })
}

/// Gives the memory of a part back.
pub fn give_back(part: Part) {
    let mode = libc::FALLOC_FL_PUNCH_HOLE | libc::FALLOC_FL_KEEP_SIZE;
    if let Some(file) = file() {
        let (offset, size) = (part.offset as libc::off_t, part.size as libc::off_t);
        // SAFETY: a file of ours.
        unsafe { libc::fallocate(file, mode, offset, size) };
    }
}

/// Reserves addresses.
pub fn reserve(at: usize, size: usize) -> Option<usize> {
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    // SAFETY: nothing that is mapped is replaced.
    let place = unsafe { libc::mmap(at as *mut _, size, libc::PROT_NONE, flags, -1, 0) };
    (place != libc::MAP_FAILED).then_some(place as usize)
}

/// Gives addresses back.
///
/// # Safety
/// They are the caller's, and nobody uses them any more.
pub unsafe fn unmap(start: usize, size: usize) {
    // SAFETY: as the caller says.
    unsafe { libc::munmap(start as *mut _, size) };
}

/// Puts a part of a file where addresses were reserved.
///
/// # Safety
/// The addresses are the caller's, and nobody uses what is there.
pub unsafe fn place(start: usize, size: usize, file: i32, offset: u64) -> bool {
    let protection = libc::PROT_READ | libc::PROT_WRITE;
    let flags = libc::MAP_SHARED | libc::MAP_FIXED;
    // SAFETY: as the caller says.
    let place = unsafe {
        libc::mmap(
            start as *mut _,
            size,
            protection,
            flags,
            file,
            offset as libc::off_t,
        )
    };
    place != libc::MAP_FAILED
}

/// Maps a part of a file at a multiple of `align`, a power of two.
pub fn map(size: usize, align: usize, file: i32, offset: u64) -> Option<Mapping> {
    let size = size.checked_next_multiple_of(PAGE)?;
    let more = size.checked_add(align.max(PAGE) - PAGE)?;
    let reserved = reserve(0, more)?;
    let start = reserved.next_multiple_of(align.max(PAGE));
    let (front, behind) = (start - reserved, reserved + more - (start + size));
    // SAFETY: they were just reserved; munmap refuses no bytes.
    unsafe {
        if front > 0 {
            unmap(reserved, front);
        }
        if behind > 0 {
            unmap(start + size, behind);
        }
        if !place(start, size, file, offset) {
            unmap(start, size);
            return None;
        }
    }
    Some(Mapping { start, size })
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: the mapping is ours; a program that uses it any longer has freed it.
        unsafe { unmap(self.start, self.size) };
    }
}

/// Whether there is memory at all of these addresses.
pub fn is_mapped(start: usize, size: usize) -> bool {
    let first = start & !(PAGE - 1);
    let Some(end) = start.checked_add(size) else {
        return false;
    };
    // SAFETY: the call looks at what is mapped and changes nothing.
    size == 0 || unsafe { libc::msync(first as *mut _, end - first, libc::MS_ASYNC) } == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_mapped_where_they_are_asked_for() {
        let part = take(10_000).unwrap();
        assert_eq!(part.size, 12_288);
        let file = file().unwrap();
        let first = map(part.size, 1 << 16, file, part.offset).unwrap();
        let second = map(part.size, 1, file, part.offset).unwrap();
        assert!(first.start.is_multiple_of(1 << 16));
        assert!(is_mapped(first.start, first.size));
        // SAFETY: both are mapped.
        unsafe {
            (first.start as *mut u64).write(7);
            assert_eq!((second.start as *const u64).read(), 7);
        }
        drop(second);
        give_back(part);
        // SAFETY: it is mapped.
        assert_eq!(unsafe { (first.start as *const u64).read() }, 0);
        assert!(!is_mapped(0, 8) && is_mapped(0, 0) && !is_mapped(usize::MAX, 2));
        assert!(take(usize::MAX).is_none());
    }
}
