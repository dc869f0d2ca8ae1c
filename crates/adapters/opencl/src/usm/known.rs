//! Allocations that the driver cannot tell of: those of shared virtual memory and of pools. Others are
//! not here, and where there are none of these, nothing is looked up.

use super::driver::Memory;
use super::pool::UsmPool;
use crate::device::Device;
use std::collections::BTreeMap;
use std::ffi::c_void;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use ur_adapter::Handle;
use ur_api::*;

/// An allocation.
#[derive(Clone, Debug)]
pub struct Allocation {
    /// Its memory.
    pub memory: Memory,
    /// Bytes that the program asked for.
    pub size: usize,
    /// Its kind.
    pub kind: ur_usm_type_t,
    /// Whose it is; none for the host's.
    pub device: Option<Handle<Device>>,
    /// Where it goes when it is freed; none for the driver.
    pub pool: Option<Pooled>,
}

/// What a pool must know to take a block back.
#[derive(Clone, Debug)]
pub struct Pooled {
    /// The pool.
    pub pool: Handle<UsmPool>,
    /// What kind of block it is.
    pub block: super::pool::Block,
}

/// The list of known allocations.
#[derive(Debug, Default)]
pub struct List {
    by_address: BTreeMap<usize, Allocation>,
    /// How often the list has changed.
    changes: u64,
}

/// The known allocations of a context.
#[derive(Debug, Default)]
pub struct Known {
    /// How many there are, read without the lock: a program that passes a pointer on to another
    /// thread orders that itself, so whoever has one sees a number that counts it.
    count: AtomicUsize,
    list: RwLock<List>,
}

impl Known {
    fn change(&self) -> RwLockWriteGuard<'_, List> {
        self.list.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// The list. While it is held no allocation goes: a command that is enqueued meanwhile and may use
    /// any of them is waited for by whoever frees one.
    pub fn list(&self) -> RwLockReadGuard<'_, List> {
        self.list.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether there are none.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.count.load(Ordering::Relaxed) == 0
    }

    /// Enters an allocation.
    pub fn add(&self, allocation: Allocation) {
        let start = allocation.memory.start as usize;
        let mut list = self.change();
        list.changes += 1;
        if list.by_address.insert(start, allocation).is_none() {
            self.count.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Takes out the allocation that begins at `start`.
    pub fn remove(&self, start: *mut c_void) -> Option<Allocation> {
        let mut list = self.change();
        let found = list.by_address.remove(&(start as usize))?;
        list.changes += 1;
        self.count.fetch_sub(1, Ordering::Relaxed);
        Some(found)
    }

    /// The allocation that holds an address.
    pub fn find(&self, address: *const c_void) -> Option<Allocation> {
        let list = self.list();
        let mut before = list.by_address.range(..=address as usize);
        let (start, allocation) = before.next_back()?;
        let inside = address as usize - start < allocation.size;
        inside.then(|| allocation.clone())
    }
}

impl List {
    /// What the driver knows all of them by, if that has changed since `seen`, which is brought up to
    /// date.
    pub fn news(&self, seen: &mut u64) -> Option<Vec<*const c_void>> {
        if self.changes == *seen {
            return None;
        }
        *seen = self.changes;
        let all = self.by_address.values();
        Some(all.map(|allocation| allocation.memory.own()).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(address: usize) -> *mut c_void {
        address as *mut c_void
    }

    fn host(address: usize, size: usize) -> Allocation {
        Allocation {
            memory: Memory::plain(at(address)),
            size,
            kind: UR_USM_TYPE_HOST,
            device: None,
            pool: None,
        }
    }

    #[test]
    fn addresses_find_what_holds_them() {
        let known = Known::default();
        assert!(known.is_empty());
        known.add(host(0x1000, 16));
        known.add(host(0x2000, 1));
        let start = |address| known.find(at(address)).map(|one| one.memory.start as usize);
        assert_eq!(start(0xfff), None);
        assert_eq!(start(0x1000), Some(0x1000));
        assert_eq!(start(0x100f), Some(0x1000));
        assert_eq!(start(0x1010), None);
        assert_eq!(start(0x2001), None);
        assert!(known.remove(at(0x1001)).is_none());
        assert!(known.remove(at(0x1000)).is_some());
        assert_eq!(start(0x1000), None);
        assert!(known.remove(at(0x2000)).is_some());
        assert!(known.is_empty());
    }

    #[test]
    fn changes_are_told_once() {
        let known = Known::default();
        let mut seen = 0;
        assert!(known.list().news(&mut seen).is_none());
        known.add(host(0x1000, 16));
        assert_eq!(known.list().news(&mut seen).map(|all| all.len()), Some(1));
        assert!(known.list().news(&mut seen).is_none());
        known.remove(at(0x1000));
        assert_eq!(known.list().news(&mut seen).map(|all| all.len()), Some(0));
    }
}
