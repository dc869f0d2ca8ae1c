//! The live USM allocations of the process, by address.
//!
//! Only allocating, freeing and asking about a pointer come here; kernel launches and copies never
//! do, so their cost does not depend on how many allocations there are.

use super::pool::UsmPool;
use crate::device::Device;
use crate::fork::Mutex;
use crate::memfd::MemFile;
use std::collections::BTreeMap;
use std::sync::Arc;
use ur_adapter::Handle;
use ur_api::ur_usm_type_t;

/// Where the memory of an allocation came from, and so how it goes.
#[derive(Clone)]
pub enum Origin {
    /// The heap of the process.
    Heap,
    /// A pool, of which it takes that many bytes.
    Pool(Handle<UsmPool>, usize),
    /// The program, which only made it known.
    Registered,
    /// Another process, mapped with that many bytes.
    Imported(usize),
    /// A memory file made for it, mapped with that many bytes.
    Exportable(usize),
}

/// One allocation.
#[derive(Clone)]
pub struct Allocation {
    /// Address of its first byte.
    pub base: usize,
    /// Bytes asked for.
    pub size: usize,
    /// Host, device or shared.
    pub kind: ur_usm_type_t,
    /// Address of the context it was made in; only compared.
    pub context: usize,
    /// The device it was made for; none for host memory.
    pub device: Option<Handle<Device>>,
    /// Where the memory came from.
    pub origin: Origin,
    /// The file that the memory is a mapping of, if other processes can open it.
    pub file: Option<Arc<MemFile>>,
}

static REGISTRY: Mutex<BTreeMap<usize, Allocation>> = Mutex::new(BTreeMap::new());

fn with<T>(body: impl FnOnce(&mut BTreeMap<usize, Allocation>) -> T) -> T {
    body(&mut REGISTRY.lock())
}

/// Enters an allocation.
pub fn insert(allocation: Allocation) {
    with(|map| map.insert(allocation.base, allocation));
}

/// Enters an allocation unless it shares bytes with another; says whether it did.
pub fn insert_apart(allocation: Allocation) -> bool {
    with(|map| {
        let end = allocation.base + allocation.size;
        let before = map.range(..end).next_back();
        if before.is_some_and(|(_, other)| other.base + other.size > allocation.base) {
            return false;
        }
        map.insert(allocation.base, allocation);
        true
    })
}

/// Changes the allocation of the context at `context` that contains `address`, with the lock held.
pub fn change<T>(
    context: usize,
    address: usize,
    body: impl FnOnce(&mut Allocation) -> T,
) -> Option<T> {
    with(|map| {
        let (_, found) = map.range_mut(..=address).next_back()?;
        (address - found.base < found.size && found.context == context).then(|| body(found))
    })
}

/// Takes out the allocation that begins at `base` in the context at `context`, if its origin is one
/// of those meant.
pub fn remove(
    context: usize,
    base: usize,
    meant: impl FnOnce(&Origin) -> bool,
) -> Option<Allocation> {
    // The allocation is dropped by the caller, outside of the lock: that may release a device.
    with(|map| {
        let found = map.get(&base)?;
        if found.context != context || !meant(&found.origin) {
            return None;
        }
        map.remove(&base)
    })
}

/// The allocation of the context at `context` that contains `address`.
pub fn find(context: usize, address: usize) -> Option<Allocation> {
    with(|map| {
        let (_, found) = map.range(..=address).next_back()?;
        (address - found.base < found.size && found.context == context).then(|| found.clone())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use ur_api::{UR_USM_TYPE_HOST, UR_USM_TYPE_SHARED};

    fn entry(context: usize, base: usize, size: usize) -> Allocation {
        Allocation {
            base,
            size,
            kind: UR_USM_TYPE_SHARED,
            context,
            device: None,
            origin: Origin::Heap,
            file: None,
        }
    }

    fn remove(context: usize, base: usize) -> Option<Allocation> {
        super::remove(context, base, |_| true)
    }

    #[test]
    fn overlaps_and_other_origins_are_refused() {
        let base = 0x7100_0000_0000_0000;
        insert(entry(1, base, 100));
        assert!(!insert_apart(entry(1, base + 99, 10)));
        assert!(!insert_apart(entry(1, base - 5, 6)));
        assert!(!insert_apart(entry(1, base - 5, 500)));
        assert!(insert_apart(entry(1, base + 100, 10)));
        assert!(insert_apart(entry(1, base - 5, 5)));
        assert!(super::remove(1, base, |origin| matches!(origin, Origin::Registered)).is_none());
        for base in [base, base + 100, base - 5] {
            assert!(remove(1, base).is_some());
        }
    }

    #[test]
    fn finds_by_interior_pointer_and_context() {
        // Addresses that no allocator gives, so that tests in parallel do not meet.
        let base = 0x7000_0000_0000_0000;
        insert(entry(1, base, 100));
        insert(entry(2, base + 1000, 10));
        assert_eq!(find(1, base).unwrap().base, base);
        assert_eq!(find(1, base + 99).unwrap().base, base);
        assert!(find(1, base + 100).is_none());
        assert!(find(2, base).is_none());
        assert!(find(1, base - 1).is_none());
        assert_eq!(find(2, base + 1009).unwrap().size, 10);
        assert!(find(2, base + 1010).is_none());
        assert!(remove(1, base + 1).is_none());
        assert!(remove(2, base).is_none());
        assert!(remove(1, base).is_some());
        assert!(remove(1, base).is_none());
        assert!(find(1, base).is_none());
        assert!(remove(2, base + 1000).is_some());
        assert_ne!(UR_USM_TYPE_HOST, UR_USM_TYPE_SHARED);
    }

    #[test]
    fn equals_a_list_under_random_use() {
        let origin = 0x6000_0000_0000_0000usize;
        let mut model: Vec<Allocation> = Vec::new();
        let mut seed = 12345u64;
        let mut random = |limit: usize| {
            seed = seed
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            (seed >> 33) as usize % limit
        };
        for _ in 0..20_000 {
            let slot = random(64);
            let base = origin + slot * 4096;
            match random(3) {
                0 if !model.iter().any(|a| a.base == base) => {
                    let new = entry(3, base, 1 + random(4096));
                    insert(new.clone());
                    model.push(new);
                }
                1 => {
                    let known = model.iter().position(|a| a.base == base);
                    assert_eq!(remove(3, base).is_some(), known.is_some());
                    known.map(|i| model.swap_remove(i));
                }
                _ => {
                    let address = base + random(4096);
                    let expected = model
                        .iter()
                        .find(|a| a.base <= address && address < a.base + a.size)
                        .map(|a| a.base);
                    assert_eq!(find(3, address).map(|a| a.base), expected);
                }
            }
        }
        for left in model {
            remove(3, left.base);
        }
    }
}
