//! Walking `pNext` chains of extension structures.

use std::ffi::c_void;
use ur_api::{ur_base_desc_t, ur_structure_type_t};

/// The first structure of type `stype` in the chain that begins at `first`, if any.
///
/// # Safety
/// `first` is null or points to a chain of UR structures, each beginning with type and next
/// pointer; those tagged `stype` are of type `T`.
pub unsafe fn find<'a, T>(first: *const c_void, stype: ur_structure_type_t) -> Option<&'a T> {
    let mut next = first.cast::<ur_base_desc_t>();
    // SAFETY: every structure of the chain begins like a `ur_base_desc_t`.
    while let Some(base) = unsafe { next.as_ref() } {
        if base.stype == stype {
            // SAFETY: the caller promised that this type tag means `T`.
            return unsafe { next.cast::<T>().as_ref() };
        }
        next = base.pNext.cast();
    }
    None
}
