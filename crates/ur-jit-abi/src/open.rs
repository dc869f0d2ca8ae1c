//! Opening the JIT library.

use crate::{ABI_VERSION, ENTRY_SYMBOL, JitTable};
use std::ffi::{CStr, CString, c_char, c_void};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// Opens the JIT library at `path`, or the one that the dynamic linker finds for a bare file name,
/// and gives its table. The library stays open until the process ends, since compiled kernels may
/// run until then.
///
/// # Errors
/// For a person: what the dynamic linker says, or that the interface is another one.
pub fn open(path: &Path) -> Result<&'static JitTable, String> {
    let name = CString::new(path.as_os_str().as_bytes()).map_err(|e| e.to_string())?;
    // RTLD_LOCAL keeps the symbols of the library's LLVM apart from any other in the process.
    // SAFETY: loading runs the library's initialisers, trusted as the caller trusts the path.
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
            "{}: interface version {}, needed is {ABI_VERSION}",
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_name_the_file() {
        let missing = open(Path::new("/nowhere/libur_jit.so")).err().unwrap();
        assert!(missing.contains("/nowhere/libur_jit.so"), "{missing}");
        // A library that is no JIT: the one that every program has.
        let other = open(Path::new("libc.so.6")).err().unwrap();
        assert!(other.contains(ENTRY_SYMBOL), "{other}");
    }
}
