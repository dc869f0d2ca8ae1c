//! What calls of the interface hand over as text or bytes.

use crate::TextFn;
use std::ffi::c_void;

/// Calls `call` with a place for bytes, and returns what it gave and the bytes.
///
/// `call` must hand the pointer only to the function that comes with it, and both must not be used
/// any more when it has returned; the calls of [`JitTable`](crate::JitTable) keep to that.
pub fn collect<T>(call: impl FnOnce(TextFn, *mut c_void) -> T) -> (T, Vec<u8>) {
    unsafe extern "C" fn append(user: *mut c_void, text: *const u8, len: usize) {
        if text.is_null() || len == 0 {
            return;
        }
        // SAFETY: `user` is the vector below, lent for the call; there are `len` bytes.
        unsafe {
            (*user.cast::<Vec<u8>>()).extend_from_slice(std::slice::from_raw_parts(text, len));
        }
    }
    let mut bytes = Vec::new();
    let result = call(append, (&raw mut bytes).cast());
    (result, bytes)
}

#[cfg(test)]
mod tests {
    use super::collect;

    #[test]
    fn bytes_are_collected() {
        let (result, text) = collect(|append, user| {
            // SAFETY: what the function asks for.
            unsafe {
                append(user, b"ab".as_ptr(), 2);
                append(user, std::ptr::null(), 0);
                append(user, b"c".as_ptr(), 1);
            }
            7
        });
        assert_eq!((result, text.as_slice()), (7, b"abc".as_slice()));
    }
}
