//! The JIT library: opened by the first build, never before.

use std::ffi::{CStr, OsStr, c_void};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use ur_jit_abi::{JitTable, TextFn};

/// File name of the library.
pub const LIBRARY: &str = "libur_jit.so";

/// The JIT's functions, opening the library on the first call.
///
/// # Errors
/// Why it could not be opened: one line for each place that was tried.
pub fn table() -> Result<&'static JitTable, String> {
    static TABLE: OnceLock<Result<&'static JitTable, String>> = OnceLock::new();
    TABLE.get_or_init(open).clone()
}

/// The folder of the library that holds this code.
pub fn own_folder() -> Option<PathBuf> {
    let mut info = libc::Dl_info {
        dli_fname: std::ptr::null(),
        dli_fbase: std::ptr::null_mut(),
        dli_sname: std::ptr::null(),
        dli_saddr: std::ptr::null_mut(),
    };
    // SAFETY: the address is one of our own functions and `info` a place for the answer.
    let found = unsafe { libc::dladdr(own_folder as *const c_void, &mut info) };
    if found == 0 || info.dli_fname.is_null() {
        return None;
    }
    // SAFETY: dladdr gives a terminated text that lives as long as the library.
    let name = unsafe { CStr::from_ptr(info.dli_fname) };
    let path = Path::new(OsStr::from_bytes(name.to_bytes()));
    Some(path.parent()?.to_owned())
}

fn open() -> Result<&'static JitTable, String> {
    let beside = own_folder().map(|folder| folder.join(LIBRARY));
    let mut reasons = String::from("the JIT library cannot be used:");
    for path in beside.into_iter().chain([PathBuf::from(LIBRARY)]) {
        match ur_jit_abi::open(&path) {
            Ok(table) => return Ok(table),
            Err(reason) => {
                reasons.push_str("\n  ");
                reasons.push_str(&reason);
            }
        }
    }
    Err(reasons)
}

/// Calls `call` with a place for a text, and returns the text.
pub fn collect(call: impl FnOnce(TextFn, *mut c_void)) -> String {
    unsafe extern "C" fn append(user: *mut c_void, text: *const u8, len: usize) {
        if text.is_null() || len == 0 {
            return;
        }
        // SAFETY: `user` is the string below, lent to the JIT for the call; the text has `len`
        // bytes.
        let (collected, bytes) = unsafe {
            (
                &mut *user.cast::<String>(),
                std::slice::from_raw_parts(text, len),
            )
        };
        collected.push_str(&String::from_utf8_lossy(bytes));
    }
    let mut text = String::new();
    call(append, (&raw mut text).cast());
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_collected() {
        let text = collect(|append, user| {
            // SAFETY: what the function asks for.
            unsafe {
                append(user, b"ab".as_ptr(), 2);
                append(user, std::ptr::null(), 0);
                append(user, b"c".as_ptr(), 1);
            }
        });
        assert_eq!(text, "abc");
    }

    #[test]
    fn own_folder_exists() {
        assert!(own_folder().unwrap().is_dir());
    }
}
