//! What the rendered checks of arguments share.

/// Whether one of so many handles is null. A missing array has none.
///
/// # Safety
/// `handles` is null or points to `len` handles.
#[inline]
pub(crate) unsafe fn null_among<T>(handles: *const *mut T, len: usize) -> bool {
    if handles.is_null() {
        return false;
    }
    // SAFETY: it isn't null, so there are so many.
    (0..len).any(|index| unsafe { *handles.add(index) }.is_null())
}
