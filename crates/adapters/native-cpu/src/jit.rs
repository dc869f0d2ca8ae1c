//! The JIT library: opened by the first build, never before.

use std::ffi::{CStr, CString, OsStr, c_char, c_void};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use ur_jit_abi::{ABI_VERSION, ENTRY_SYMBOL, JitTable, TextFn};

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
        match open_at(&path) {
            Ok(table) => return Ok(table),
            Err(reason) => {
                reasons.push_str("\n  ");
                reasons.push_str(&reason);
            }
        }
    }
    Err(reasons)
}

fn open_at(path: &Path) -> Result<&'static JitTable, String> {
    let name = CString::new(path.as_os_str().as_bytes()).map_err(|e| e.to_string())?;
    // RTLD_LOCAL keeps the symbols of the library's LLVM apart from any other in the process. It is
    // never closed: compiled kernels may run until the process ends.
    // SAFETY: loading runs the library's initialisers; it is ours.
    let library = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
    if library.is_null() {
        return Err(last_error());
    }
    let symbol = CString::new(ENTRY_SYMBOL).map_err(|e| e.to_string())?;
    // SAFETY: the library is open.
    let entry = unsafe { libc::dlsym(library, symbol.as_ptr()) };
    if entry.is_null() {
        return Err(last_error());
    }
    // SAFETY: a function of that name has this type in every version of the interface.
    let entry = unsafe {
        std::mem::transmute::<*mut c_void, unsafe extern "C" fn() -> *const JitTable>(entry)
    };
    // SAFETY: the function takes nothing and returns null or a table that lives as long as the
    // library.
    let table = unsafe { entry().as_ref() };
    let table = table.ok_or_else(|| format!("{}: no table", path.display()))?;
    if table.version != ABI_VERSION {
        return Err(format!(
            "{}: interface version {}, this adapter needs {ABI_VERSION}",
            path.display(),
            table.version
        ));
    }
    Ok(table)
}

fn last_error() -> String {
    // SAFETY: dlerror gives null or a terminated text that lives until the next dl call here.
    let text: *const c_char = unsafe { libc::dlerror() };
    if text.is_null() {
        return "unknown error".into();
    }
    // SAFETY: as above.
    unsafe { CStr::from_ptr(text) }
        .to_string_lossy()
        .into_owned()
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
    fn reasons_name_the_file() {
        let missing = open_at(Path::new("/nowhere/libur_jit.so")).err().unwrap();
        assert!(missing.contains("/nowhere/libur_jit.so"), "{missing}");
        // A library that is no JIT: the one that every program has.
        let other = open_at(Path::new("libc.so.6")).err().unwrap();
        assert!(other.contains(ENTRY_SYMBOL), "{other}");
    }

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
