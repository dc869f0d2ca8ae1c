//! An arena that hands a freed address out again at once, shared by the mock adapters: the worst
//! case for whoever keeps a table by address.

use std::alloc::Layout;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// Gives memory of a size and alignment in bytes.
pub type Allocate = unsafe extern "C" fn(size: usize, align: usize) -> *mut u8;
/// Takes it back.
pub type Deallocate = unsafe extern "C" fn(memory: *mut u8, size: usize, align: usize);

static FREE: Mutex<Option<HashMap<usize, Vec<usize>>>> = Mutex::new(None);

/// Objects of all kinds and adapters share blocks of one size, so that any may follow any other.
const BLOCK: usize = 512;

/// Gives the block freed last, or a new one. Null for an alignment that the arena does not serve.
pub unsafe extern "C" fn allocate(size: usize, align: usize) -> *mut u8 {
    let Some(layout) = layout(size, align) else {
        return std::ptr::null_mut();
    };
    let mut free = FREE.lock().unwrap_or_else(PoisonError::into_inner);
    let list = free
        .get_or_insert_with(HashMap::new)
        .entry(layout.size())
        .or_default();
    if let Some(block) = list.pop() {
        return block as *mut u8;
    }
    // SAFETY: the size is not 0.
    unsafe { std::alloc::alloc(layout) }
}

/// Takes a block back; it is the next to be handed out.
pub unsafe extern "C" fn deallocate(memory: *mut u8, size: usize, align: usize) {
    let Some(layout) = layout(size, align) else {
        return;
    };
    let mut free = FREE.lock().unwrap_or_else(PoisonError::into_inner);
    free.get_or_insert_with(HashMap::new)
        .entry(layout.size())
        .or_default()
        .push(memory as usize);
}

fn layout(size: usize, align: usize) -> Option<Layout> {
    if align > 64 {
        return None;
    }
    Layout::from_size_align(size.max(1).next_multiple_of(BLOCK), 64).ok()
}
