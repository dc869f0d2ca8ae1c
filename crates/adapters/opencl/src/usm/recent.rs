//! The last allocations of a context, and those of them that were freed and are kept for the next one
//! that is alike.
//!
//! Drivers take a microsecond and more to allocate and free, and the system clears the pages of larger
//! blocks each time. What is kept here was freed when no command was pending
//! ([`crate::context::pending`]), so that nothing uses it. To whoever asks it is no allocation any more.
//!
//! Nothing here outlives what it names: devices are the context's own, and an address that the driver
//! hands out again replaces what was known of it.

use super::driver::{self, Memory};
use crate::context::Context;
use crate::device::Device;
use std::ffi::c_void;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use ur_adapter::{Error, Object, Result};
use ur_api::*;

/// How many allocations are looked at: a program that frees what it needs for a short time does so
/// before it has made many others.
const COUNT: usize = 16;

/// The largest allocation that is kept, in bytes, so that no more than 16 MiB are.
const LARGEST: usize = 1 << 20;

/// The alignment that suits every type of OpenCL's.
const ANY_TYPE: usize = 128;

/// What an allocation must have in common with one that takes its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Like {
    kind: ur_usm_type_t,
    /// Which of the context's devices; none for the host's.
    device: Option<usize>,
    size: usize,
}

impl Like {
    /// Of an allocation of a context; none if it is of a sort that is not kept: large, or of a part of
    /// a device, which may go before the context does.
    pub fn of(
        context: &Context,
        kind: ur_usm_type_t,
        device: Option<&Object<Device>>,
        size: usize,
    ) -> Option<Self> {
        let device = match device {
            None => None,
            Some(device) => Some(context.devices().iter().position(|own| own.is(device))?),
        };
        (size <= LARGEST).then_some(Self { kind, device, size })
    }
}

/// One of the last allocations.
#[derive(Clone, Copy, Debug)]
struct Entry {
    start: usize,
    like: Like,
    /// The alignment that was asked for.
    align: u32,
    kept: bool,
}

impl Entry {
    /// Whether it can be one that is asked for.
    fn suits(&self, like: Like, align: u32) -> bool {
        let aligned = match align {
            0 => self.align == 0 || self.start.is_multiple_of(ANY_TYPE),
            align => self.start.is_multiple_of(align as usize),
        };
        self.kept && self.like == like && aligned
    }

    fn memory(&self) -> Memory {
        Memory::plain(self.start as *mut c_void)
    }
}

#[derive(Debug, Default)]
struct List {
    entries: [Option<Entry>; COUNT],
    /// The place of the next one, which is the oldest one's.
    next: usize,
}

/// What freeing an allocation found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Freed {
    /// It is kept.
    Kept,
    /// It was freed before.
    Before,
    /// The driver has to free it.
    Not,
}

/// The last allocations of a context that come from Intel's extension and from no pool.
#[derive(Debug, Default)]
pub struct Recent {
    list: Mutex<List>,
    /// How many are kept, read without the lock.
    kept: AtomicUsize,
}

impl Recent {
    fn list(&self) -> MutexGuard<'_, List> {
        self.list.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn none_is_kept(&self) -> bool {
        self.kept.load(Ordering::Relaxed) == 0
    }

    fn count(&self, entry: Entry) -> Entry {
        if entry.kept {
            self.kept.fetch_sub(1, Ordering::Relaxed);
        }
        entry
    }

    /// Hands out an allocation that is kept and alike.
    fn take(&self, like: Like, align: u32) -> Option<*mut c_void> {
        if self.none_is_kept() {
            return None;
        }
        let mut list = self.list();
        let mut entries = list.entries.iter_mut().flatten();
        let entry = entries.find(|entry| entry.suits(like, align))?;
        self.count(*entry);
        entry.kept = false;
        // It may be freed with another alignment in mind than the first time.
        entry.align = entry.align.max(align);
        Some(entry.start as *mut c_void)
    }

    /// Notes a new allocation. Gives the one that falls out, if it was kept.
    fn note(&self, start: *mut c_void, like: Like, align: u32) -> Option<Memory> {
        let entry = Entry {
            start: start as usize,
            like,
            align,
            kept: false,
        };
        let mut list = self.list();
        // Nothing that the driver hands out is any other allocation.
        for old in &mut list.entries {
            old.take_if(|old| old.start == entry.start && !old.kept);
        }
        let at = list.next;
        list.next = (at + 1) % COUNT;
        let old = list.entries[at].replace(entry)?;
        let old = self.count(old);
        old.kept.then(|| old.memory())
    }

    /// Keeps the allocation that begins at `start`, if it is one of the last and nothing uses it. It is
    /// forgotten if something may.
    pub fn keep(&self, start: *mut c_void, is_unused: impl FnOnce() -> bool) -> Freed {
        let mut list = self.list();
        let mut entries = list.entries.iter_mut();
        let is = |entry: &&mut Option<Entry>| entry.is_some_and(|own| own.start == start as usize);
        let Some(place) = entries.find(is) else {
            return Freed::Not;
        };
        match place {
            Some(entry) if entry.kept => Freed::Before,
            Some(entry) if is_unused() => {
                entry.kept = true;
                self.kept.fetch_add(1, Ordering::Relaxed);
                Freed::Kept
            }
            _ => {
                *place = None;
                Freed::Not
            }
        }
    }

    /// Forgets the allocation that begins at `start`, which goes in another way.
    pub fn forget(&self, start: *mut c_void) {
        for place in &mut self.list().entries {
            place.take_if(|entry| entry.start == start as usize && !entry.kept);
        }
    }

    /// Whether an address is in memory that is only kept.
    pub fn holds(&self, address: *const c_void) -> bool {
        if self.none_is_kept() {
            return false;
        }
        let list = self.list();
        let mut entries = list.entries.iter().flatten();
        entries.any(|entry| {
            let offset = (address as usize).wrapping_sub(entry.start);
            entry.kept && offset < entry.like.size
        })
    }

    /// Takes out all that is kept.
    fn take_all(&self) -> Vec<Memory> {
        let mut list = self.list();
        let kept = list.entries.iter_mut();
        let kept = kept.filter_map(|place| place.take_if(|entry| entry.kept));
        kept.map(|entry| self.count(entry).memory()).collect()
    }

    /// Gives all that is kept back to the driver.
    pub fn clear(&self, context: &Context) {
        for memory in self.take_all() {
            give_back(context, memory);
        }
    }
}

/// Frees memory that was kept. If the driver refuses, nothing is left to be done.
fn give_back(context: &Context, memory: Memory) {
    // SAFETY: an allocation of the extension's that nobody knows of any more.
    drop(unsafe { driver::free_unused(context, memory) });
}

/// Memory of Intel's extension.
///
/// # Errors
/// As [`driver::allocate`].
pub fn allocate(
    context: &Context,
    kind: ur_usm_type_t,
    device: Option<&Object<Device>>,
    size: usize,
    align: u32,
) -> Result<*mut c_void> {
    let recent = context.recent();
    let plain = device.map(|device| &**device);
    let new = || driver::allocate(context, kind, plain, size, align);
    let Some(like) = Like::of(context, kind, device, size) else {
        return new().map(|memory| memory.start);
    };
    if let Some(start) = recent.take(like, align) {
        return Ok(start);
    }
    let start = new()?.start;
    if let Some(old) = recent.note(start, like, align) {
        give_back(context, old);
    }
    Ok(start)
}

/// Frees memory of Intel's extension, after the commands that use it have ended.
///
/// # Errors
/// `INVALID_MEM_OBJECT` for a pointer that begins no allocation, and what the driver says.
pub fn free(context: &Context, start: *mut c_void) -> Result {
    match context.recent().keep(start, || context.pending().is_none()) {
        Freed::Kept => Ok(()),
        Freed::Before => Err(Error::new(
            UR_RESULT_ERROR_INVALID_MEM_OBJECT,
            "the allocation was freed before",
        )),
        Freed::Not => driver::free_by_extension(context, Memory::plain(start)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(address: usize) -> *mut c_void {
        address as *mut c_void
    }

    fn host(size: usize) -> Like {
        Like {
            kind: UR_USM_TYPE_HOST,
            device: None,
            size,
        }
    }

    fn device(number: usize, size: usize) -> Like {
        Like {
            kind: UR_USM_TYPE_DEVICE,
            device: Some(number),
            size,
        }
    }

    #[test]
    fn what_is_kept_is_handed_out_once_and_only_for_its_like() {
        let recent = Recent::default();
        assert_eq!(recent.note(at(0x1000), device(0, 64), 0), None);
        assert_eq!(recent.take(device(0, 64), 0), None);
        assert!(!recent.holds(at(0x1000)));
        assert_eq!(recent.keep(at(0x1000), || true), Freed::Kept);
        for other in [device(1, 64), device(0, 65), device(0, 63), host(64)] {
            assert_eq!(recent.take(other, 0), None);
        }
        assert!(recent.holds(at(0x103f)) && !recent.holds(at(0x1040)) && !recent.holds(at(0xfff)));
        assert_eq!(recent.keep(at(0x1000), || true), Freed::Before);
        assert_eq!(recent.take(device(0, 64), 0), Some(at(0x1000)));
        assert_eq!(recent.take(device(0, 64), 0), None);
        assert!(!recent.holds(at(0x1000)));
        assert!(recent.take_all().is_empty());
    }

    #[test]
    fn what_may_be_in_use_is_the_drivers_to_free() {
        let recent = Recent::default();
        recent.note(at(0x1000), host(64), 0);
        assert_eq!(recent.keep(at(0x1000), || false), Freed::Not);
        // Nor is it known any more: the driver may hand the address out again.
        assert_eq!(recent.keep(at(0x1000), || true), Freed::Not);
        recent.note(at(0x1000), host(64), 0);
        recent.forget(at(0x1000));
        assert_eq!(recent.keep(at(0x1000), || true), Freed::Not);
        assert!(recent.none_is_kept());
    }

    #[test]
    fn an_address_that_comes_again_is_the_new_allocation() {
        let recent = Recent::default();
        recent.note(at(0x1000), host(64), 0);
        recent.note(at(0x1000), host(32), 0);
        assert_eq!(recent.keep(at(0x1000), || true), Freed::Kept);
        assert_eq!(recent.take(host(64), 0), None);
        assert_eq!(recent.take(host(32), 0), Some(at(0x1000)));
    }

    #[test]
    fn alignments_are_kept_to() {
        let recent = Recent::default();
        recent.note(at(0x1010), host(64), 16);
        recent.keep(at(0x1010), || true);
        // Asked for 16, it need not suit every type.
        for align in [0, 32, 4096] {
            assert_eq!(recent.take(host(64), align), None);
        }
        assert_eq!(recent.take(host(64), 8), Some(at(0x1010)));
        recent.note(at(0x2040), host(64), 0);
        recent.keep(at(0x2040), || true);
        assert_eq!(recent.take(host(64), 0), Some(at(0x2040)));
    }

    #[test]
    fn the_oldest_falls_out() {
        let recent = Recent::default();
        for number in 0..COUNT {
            assert_eq!(recent.note(at(0x1000 * (number + 1)), host(64), 0), None);
        }
        recent.keep(at(0x2000), || true);
        // The first is in use, the second one kept.
        assert_eq!(recent.note(at(0x100_0000), host(32), 0), None);
        let out = recent.note(at(0x200_0000), host(32), 0);
        assert_eq!(out, Some(Memory::plain(at(0x2000))));
        assert!(recent.none_is_kept());
        recent.keep(at(0x3000), || true);
        recent.keep(at(0x200_0000), || true);
        assert_eq!(recent.take_all().len(), 2);
        assert!(recent.none_is_kept());
    }
}
