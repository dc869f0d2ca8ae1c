//! Where the compiler is.

use std::ffi::{CStr, OsStr, c_void};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Once;
use ur_adapter_native_cpu::jit;

/// The file that this library is, whatever name it was opened by.
fn own_file() -> Option<PathBuf> {
    let mut info = libc::Dl_info {
        dli_fname: std::ptr::null(),
        dli_fbase: std::ptr::null_mut(),
        dli_sname: std::ptr::null(),
        dli_saddr: std::ptr::null_mut(),
    };
    // SAFETY: `info` is a place for the answer.
    let found = unsafe { libc::dladdr(own_file as *const c_void, &mut info) };
    if found == 0 || info.dli_fname.is_null() {
        return None;
    }
    // SAFETY: dladdr gives a terminated text that lives as long as the library.
    let name = unsafe { CStr::from_ptr(info.dli_fname) };
    let path = Path::new(OsStr::from_bytes(name.to_bytes()));
    std::fs::canonicalize(path).ok()
}

/// Has the compiler beside this library be used, if it is there: the library may have been opened by a
/// link elsewhere. Else it is found as the native CPU adapter finds it.
pub fn find() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let file = own_file();
        let folder = file.as_deref().and_then(Path::parent);
        if let Some(folder) = folder
            && let Ok(table) = ur_jit_abi::open(&folder.join(jit::LIBRARY))
        {
            jit::link(table);
        }
    });
}
