//! How a call finds its adapter: through the first word of the handle.
//!
//! A handle points to the adapter's own object, and that object's first word points to the
//! adapter's tables. So the owner of the object answers, whatever happened to other objects
//! before at the same address. The loader keeps no table of handles and no count of its own.
//!
//! The functions after [`tables`] are told of each handle that a call makes, gives back, retains
//! or releases. They do nothing: they exist for the test feature `broken-handle-table`, which
//! puts the table of handles back, so that the stress test of handles can be shown to fail.

use std::ffi::c_void;
use ur_api::{ur_dditable_t, ur_result_t};

#[cfg(feature = "broken-handle-table")]
use crate::broken;

/// The tables of the adapter that owns an object; `None` for a null handle.
///
/// # Safety
/// The handle is null or that of a live object.
#[inline(always)]
pub unsafe fn tables<T>(handle: *mut T) -> Option<&'static ur_dditable_t> {
    #[cfg(feature = "broken-handle-table")]
    if !handle.is_null() {
        // SAFETY: the handle is that of a live object, says the caller.
        return unsafe { broken::tables(handle.cast()) };
    }
    // SAFETY: the handle is null or that of a live object, says the caller, and tables stay where
    // they are: the loader never unmaps an adapter.
    unsafe { ur_api::tables_of(handle) }
}

/// A call made an object, or took a reference for the caller, and stored its handle at `place`
/// (which may be null).
#[inline(always)]
pub fn created<T>(result: ur_result_t, place: *mut *mut T) {
    #[cfg(feature = "broken-handle-table")]
    broken::created(result, place.cast(), 1);
    let _ = (result, place);
}

/// The same for an array with room for `count` handles.
#[inline(always)]
pub fn created_many<T>(result: ur_result_t, places: *mut *mut T, count: u32) {
    #[cfg(feature = "broken-handle-table")]
    broken::created(result, places.cast(), count);
    let _ = (result, places, count);
}

/// A call retained an object.
#[inline(always)]
pub fn retained<T>(result: ur_result_t, handle: *mut T) {
    #[cfg(feature = "broken-handle-table")]
    broken::retained(result, handle.cast());
    let _ = (result, handle);
}

/// A call released an object, which may be gone now.
#[inline(always)]
pub fn released<T>(result: ur_result_t, handle: *mut T) {
    #[cfg(feature = "broken-handle-table")]
    broken::released(result, handle.cast());
    let _ = (result, handle);
}

/// A query stored a value, perhaps a handle, at `value` (which may be null).
#[inline(always)]
pub fn queried(result: ur_result_t, value: *const c_void, size: usize) {
    #[cfg(feature = "broken-handle-table")]
    broken::queried(result, value, size);
    let _ = (result, value, size);
}
