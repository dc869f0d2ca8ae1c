//! Allocations that the driver cannot tell all of: those of pools. Others are not here, and where there
//! are none of these, nothing is looked up.

use super::pool::UsmPool;
use crate::device::Device;
use std::collections::BTreeMap;
use std::ffi::c_void;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{PoisonError, RwLock};
use ur_adapter::Handle;
use ur_adapter::pool::Block;
use ur_api::*;

/// An allocation from a pool.
#[derive(Clone, Debug)]
pub struct Allocation {
    /// Where it begins, as a number.
    pub start: usize,
    /// Bytes that the program asked for.
    pub size: usize,
    /// Its kind.
    pub kind: ur_usm_type_t,
    /// Whose it is; none for the host's.
    pub device: Option<Handle<Device>>,
    /// Where it goes when it is freed.
    pub pool: Handle<UsmPool>,
    /// What the pool knows it by.
    pub block: Block,
}

/// The known allocations of a context.
#[derive(Debug, Default)]
pub struct Known {
    /// How many there are, read without the lock: a program that passes a pointer on to another
    /// thread orders that itself, so whoever has one sees a number that counts it.
    count: AtomicUsize,
    by_address: RwLock<BTreeMap<usize, Allocation>>,
}

impl Known {
    /// Whether there are none.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.count.load(Ordering::Relaxed) == 0
    }

    /// Enters an allocation.
    pub fn add(&self, allocation: Allocation) {
        let map = self.by_address.write();
        let mut map = map.unwrap_or_else(PoisonError::into_inner);
        if map.insert(allocation.start, allocation).is_none() {
            self.count.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Takes out the allocation that begins at `start`.
    pub fn remove(&self, start: *mut c_void) -> Option<Allocation> {
        if self.is_empty() {
            return None;
        }
        let map = self.by_address.write();
        let mut map = map.unwrap_or_else(PoisonError::into_inner);
        let found = map.remove(&(start as usize))?;
        self.count.fetch_sub(1, Ordering::Relaxed);
        Some(found)
    }

    /// The allocation that holds an address.
    pub fn find(&self, address: *const c_void) -> Option<Allocation> {
        if self.is_empty() {
            return None;
        }
        let map = self.by_address.read();
        let map = map.unwrap_or_else(PoisonError::into_inner);
        let (start, allocation) = map.range(..=address as usize).next_back()?;
        let inside = address as usize - start < allocation.size;
        inside.then(|| allocation.clone())
    }
}
