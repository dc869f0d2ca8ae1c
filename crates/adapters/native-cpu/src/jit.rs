//! The JIT library: opened when something must be compiled, never before.

mod build_id;

use crate::binary::Specialisation;
use crate::fork;
use std::ffi::{CStr, CString, OsStr, c_void};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use ur_jit_abi::{JitTable, ModuleOptions, SpecConstant, Status, TextFn};

/// File name of the library.
pub const LIBRARY: &str = "libur_jit.so";

/// The JIT's functions, opening the library on the first call.
///
/// # Errors
/// Why it could not be opened: one line for each place that was tried.
pub fn table() -> Result<&'static JitTable, String> {
    static TABLE: OnceLock<Result<&'static JitTable, String>> = OnceLock::new();
    fork::once(&TABLE, open).clone()
}

static LINKED: OnceLock<&'static JitTable> = OnceLock::new();

/// Has the adapter use a compiler that is part of the program, and open no library. Counts if it
/// is told before the first compilation, and once.
pub fn link(table: &'static JitTable) {
    let _ = LINKED.set(table);
}

/// The folder of the library that holds this code.
pub fn own_folder() -> Option<PathBuf> {
    Some(path_of(own_folder as *const c_void)?.parent()?.to_owned())
}

/// The file that was loaded to this address.
fn path_of(address: *const c_void) -> Option<PathBuf> {
    let mut info = libc::Dl_info {
        dli_fname: std::ptr::null(),
        dli_fbase: std::ptr::null_mut(),
        dli_sname: std::ptr::null(),
        dli_saddr: std::ptr::null_mut(),
    };
    // SAFETY: `info` is a place for the answer.
    let found = unsafe { libc::dladdr(address, &mut info) };
    if found == 0 || info.dli_fname.is_null() {
        return None;
    }
    // SAFETY: dladdr gives a terminated text that lives as long as the library.
    let name = unsafe { CStr::from_ptr(info.dli_fname) };
    Some(Path::new(OsStr::from_bytes(name.to_bytes())).to_owned())
}

fn open() -> Result<&'static JitTable, String> {
    if let Some(table) = LINKED.get() {
        return Ok(table);
    }
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

/// Which build of the JIT library compiles here, found without opening it: the identification that
/// its linker wrote into it. None if that cannot be told.
pub fn build_id() -> Option<&'static [u8]> {
    static ID: OnceLock<Option<Vec<u8>>> = OnceLock::new();
    let id = fork::once(&ID, || {
        let beside = match LINKED.get() {
            None => own_folder().map(|folder| folder.join(LIBRARY)),
            Some(_) => None,
        };
        match beside.filter(|path| path.exists()) {
            Some(path) => build_id::read(&path),
            // Where the dynamic linker finds it, only the dynamic linker knows.
            None => build_id::read(&path_of(std::ptr::from_ref(table().ok()?).cast())?),
        }
    });
    id.as_deref()
}

/// Address of a function that compiled code imports. Those of the C library need no JIT.
pub fn symbol(name: &str) -> Option<usize> {
    static LIBRARIES: OnceLock<[usize; 2]> = OnceLock::new();
    if !name.starts_with("ur_") {
        let libraries = fork::once(&LIBRARIES, || {
            // SAFETY: both are part of the C library that this process runs on.
            [c"libm.so.6", c"libc.so.6"].map(|library| unsafe {
                libc::dlopen(library.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) as usize
            })
        });
        let name = CString::new(name).ok()?;
        for library in libraries.iter().filter(|library| **library != 0) {
            // SAFETY: the library stays open, and the name is terminated.
            let address = unsafe { libc::dlsym(*library as *mut c_void, name.as_ptr()) };
            if !address.is_null() {
                return Some(address as usize);
            }
        }
    }
    let table = table().ok()?;
    // SAFETY: the name lives for the call.
    let address = unsafe { (table.symbol)(name.as_ptr(), name.len()) };
    (!address.is_null()).then_some(address as usize)
}

/// A module that the JIT has accepted.
pub struct JitModule {
    table: &'static JitTable,
    module: *mut ur_jit_abi::Module,
}

// SAFETY: the JIT's functions may be called from any thread, several at once.
unsafe impl Send for JitModule {}
// SAFETY: as above.
unsafe impl Sync for JitModule {}

impl JitModule {
    /// Hands SPIR-V to the JIT.
    ///
    /// # Errors
    /// Why it was refused, or why there is no JIT.
    pub fn new(
        words: &[u32],
        flags: &str,
        constants: &[Specialisation],
    ) -> Result<JitModule, String> {
        let table = table()?;
        let flags = CString::new(flags).map_err(|error| error.to_string())?;
        let constants: Vec<SpecConstant> = constants
            .iter()
            .map(|constant| SpecConstant {
                id: constant.id,
                size: constant.size,
                bits: constant.bits,
            })
            .collect();
        let options = ModuleOptions {
            flags: flags.as_ptr(),
            spec: constants.as_ptr(),
            spec_count: constants.len() as u32,
            sub_group_size: 0,
            cpu: std::ptr::null(),
            features: std::ptr::null(),
        };
        let mut module = std::ptr::null_mut();
        ask(|text, user| {
            // SAFETY: the words, the options and what they point to live for the call.
            unsafe {
                (table.module_create)(
                    words.as_ptr(),
                    words.len(),
                    &options,
                    &mut module,
                    text,
                    user,
                )
            }
        })?;
        Ok(JitModule { table, module })
    }

    /// What is kept of the module: a [`ur_jit_abi::record::ModuleRecord`].
    ///
    /// # Errors
    /// What the JIT says.
    pub fn record(&self) -> Result<Vec<u8>, String> {
        ask(|bytes, user| {
            // SAFETY: the module is alive, and the pair good for the call.
            unsafe { (self.table.module_record)(self.module, bytes, user) }
        })
    }

    /// Compiles a kernel with vectors of so many [`ur_jit_abi::lanes`]: a
    /// [`ur_jit_abi::record::KernelRecord`].
    ///
    /// # Errors
    /// Why it cannot be compiled.
    pub fn kernel(&self, name: &str, lanes: u32) -> Result<Vec<u8>, String> {
        ask(|bytes, user| {
            let (name, len) = (name.as_ptr(), name.len());
            // SAFETY: the module is alive, the name lives for the call, and so does the pair.
            unsafe { (self.table.kernel_record)(self.module, name, len, lanes, bytes, user) }
        })
    }
}

impl Drop for JitModule {
    fn drop(&mut self) {
        let _section = fork::section();
        // SAFETY: the module is ours and not used any more.
        unsafe { (self.table.module_release)(self.module) };
    }
}

/// Calls the JIT with a place for bytes, and returns the bytes, or the message of its failure.
///
/// A fork waits until the JIT is done, whose locks the child would find taken.
fn ask(call: impl FnOnce(TextFn, *mut c_void) -> Status) -> Result<Vec<u8>, String> {
    let section = fork::section();
    let (status, bytes) = ur_jit_abi::collect(call);
    drop(section);
    match status {
        Status::Ok => Ok(bytes),
        _ if bytes.is_empty() => Err(format!("the JIT failed: {status:?}")),
        _ => Err(String::from_utf8_lossy(&bytes).into_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_folder_exists() {
        assert!(own_folder().unwrap().is_dir());
    }

    #[test]
    fn the_library_has_an_identification() {
        // Where the tests lie, the library lies too.
        assert!(build_id().is_some_and(|id| id.len() >= 8));
    }

    #[test]
    fn functions_are_found_in_the_c_library_and_the_jit() {
        assert!(symbol("sinf").is_some() && symbol("memcpy").is_some());
        assert!(symbol("ur_jit_printf").is_some());
        assert!(symbol("no_such_function").is_none());
    }
}
