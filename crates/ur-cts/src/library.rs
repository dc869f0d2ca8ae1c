//! A shared library opened by path.

use anyhow::{Result, anyhow};
use std::ffi::{CStr, CString, c_void};
use std::path::Path;

/// A shared object that stays open for the life of the process.
#[derive(Clone, Copy, Debug)]
pub struct Library(usize);

impl Library {
    /// Opens a library with symbols of its own.
    ///
    /// # Errors
    /// What the dynamic linker says.
    pub fn open(path: &Path) -> Result<Library> {
        let name = CString::new(path.as_os_str().as_encoded_bytes())?;
        // SAFETY: a terminated path; the library's initialisers are what any program would run.
        let handle = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
        if handle.is_null() {
            // SAFETY: after a failure dlerror gives a terminated text.
            let reason = unsafe { CStr::from_ptr(libc::dlerror()) };
            return Err(anyhow!("{}", reason.to_string_lossy()));
        }
        Ok(Library(handle as usize))
    }

    /// Whether the library has a symbol.
    pub fn has(&self, name: &CStr) -> bool {
        // SAFETY: the library is open and the name terminated.
        !unsafe { libc::dlsym(self.0 as *mut c_void, name.as_ptr()) }.is_null()
    }

    /// The function of that name, null where the library lacks it. `F` is an `Option` of a function
    /// pointer.
    ///
    /// # Safety
    /// `F` is the type of the function with that name, or null for none.
    pub(crate) unsafe fn symbol<F: Copy>(&self, name: &CStr) -> F {
        const { assert!(size_of::<F>() == size_of::<*mut c_void>()) }
        // SAFETY: the library is open and the name terminated.
        let address = unsafe { libc::dlsym(self.0 as *mut c_void, name.as_ptr()) };
        // SAFETY: an optional function pointer has the size of an address, null is none, and the
        // caller vouches for the type.
        unsafe { std::mem::transmute_copy(&address) }
    }
}
