//! Memory of the process for allocations and pools.

use crate::memfd::PAGE;
use ur_api::{UR_USM_TYPE_DEVICE, ur_usm_type_t};

/// What the sizes and addresses of allocations of a kind are multiples of: device memory has pages
/// of its own, so that it can be shared with other processes; `align` serves for the rest.
pub fn unit(kind: ur_usm_type_t, align: usize) -> usize {
    if kind == UR_USM_TYPE_DEVICE {
        PAGE
    } else {
        align
    }
}

/// `size` bytes at a multiple of `align`, a power of two and at least that of a pointer; the content
/// is undefined.
pub fn allocate(size: usize, align: usize) -> Option<usize> {
    let mut memory = std::ptr::null_mut();
    // SAFETY: the alignment is as the function asks.
    let failed = unsafe { libc::posix_memalign(&mut memory, align, size) } != 0;
    (!failed && !memory.is_null()).then_some(memory as usize)
}

/// Gives memory of [`allocate`] back. The callers hold each address once and use it no more.
pub fn free(start: usize) {
    // SAFETY: the memory came from `allocate` and is given back once.
    unsafe { libc::free(start as *mut _) };
}
