//! **Only for a test**: dispatch through a table of handles, with the loader's own counts.
//!
//! This is the design that the loader must never have, kept so that the stress test of handles
//! can be shown to find it. Each handle that a call hands out gets an entry `address → tables`
//! with a count. Releasing lowers the count, and the entry goes when it reaches zero. But queries
//! that give handles raise the count too, although they take no reference, so after one such
//! query the entry outlives the object. The adapter frees the object, another adapter's next
//! object gets the address, and the stale entry sends its calls to the first adapter.
//!
//! Nothing of this is compiled without the feature `broken-handle-table`.

use std::collections::HashMap;
use std::ffi::c_void;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use ur_api::{UR_RESULT_SUCCESS, ur_dditable_t, ur_result_t};

struct Entry {
    /// Address of the tables.
    tables: usize,
    count: u64,
}

fn entries() -> MutexGuard<'static, HashMap<usize, Entry>> {
    static ENTRIES: OnceLock<Mutex<HashMap<usize, Entry>>> = OnceLock::new();
    ENTRIES
        .get_or_init(Mutex::default)
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
}

/// Takes the entry for the address, whatever lies there now.
///
/// # Safety
/// The handle is that of a live object.
pub unsafe fn tables(handle: *mut c_void) -> Option<&'static ur_dditable_t> {
    // SAFETY: a live object begins with the pointer to its adapter's tables.
    let own = unsafe { *handle.cast::<usize>() };
    let tables = entries()
        .get(&(handle as usize))
        .map_or(own, |entry| entry.tables);
    // SAFETY: the tables of an adapter stay where they are.
    unsafe { (tables as *const ur_dditable_t).as_ref() }
}

/// Counts a reference for each handle that was handed out; an entry that is there is believed.
pub fn created(result: ur_result_t, places: *mut *mut c_void, count: u32) {
    if result != UR_RESULT_SUCCESS || places.is_null() {
        return;
    }
    let mut entries = entries();
    for index in 0..count as usize {
        // SAFETY: the call succeeded, so it filled the caller's array up to its end or to what
        // there is; test adapters get arrays of the right length.
        let handle = unsafe { *places.add(index) };
        if !handle.is_null() {
            let entry = entries.entry(handle as usize).or_insert_with(|| Entry {
                // SAFETY: a live object begins with the pointer to its adapter's tables.
                tables: unsafe { *handle.cast::<usize>() },
                count: 0,
            });
            entry.count += 1;
        }
    }
}

/// Counts the caller's new reference.
pub fn retained(result: ur_result_t, handle: *mut c_void) {
    if result == UR_RESULT_SUCCESS
        && let Some(entry) = entries().get_mut(&(handle as usize))
    {
        entry.count += 1;
    }
}

/// Forgets one reference, and the entry with the last one.
pub fn released(result: ur_result_t, handle: *mut c_void) {
    if result != UR_RESULT_SUCCESS {
        return;
    }
    let mut entries = entries();
    if let Some(entry) = entries.get_mut(&(handle as usize)) {
        entry.count -= 1;
        if entry.count == 0 {
            entries.remove(&(handle as usize));
        }
    }
}

/// The mistake: a handle in an answer counts as a reference. Which answers are handles is told by
/// their value.
pub fn queried(result: ur_result_t, value: *const c_void, size: usize) {
    if result != UR_RESULT_SUCCESS || value.is_null() || size != size_of::<usize>() {
        return;
    }
    // SAFETY: the query succeeded with room for a word, and wrote at most that; a shorter answer
    // leaves the rest of the caller's memory as it was.
    let handle = unsafe { value.cast::<usize>().read_unaligned() };
    if let Some(entry) = entries().get_mut(&handle) {
        entry.count += 1;
    }
}
