//! The JIT library, opened by path.

use anyhow::{Context, anyhow, bail};
use std::ffi::{CStr, CString, c_void};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::ptr;
use ur_jit_abi::{ABI_VERSION, ENTRY_SYMBOL, JitTable, KernelInfo, ModuleOptions, Status};

/// An opened JIT library. It stays open until the process ends.
pub struct Jit {
    table: &'static JitTable,
}

/// Why a build failed.
pub struct Failure {
    /// What failed: `module`, or `kernel NAME`.
    pub stage: String,
    /// The JIT's status and message.
    pub reason: String,
}

impl Jit {
    /// Opens the library.
    ///
    /// # Errors
    /// It cannot be opened, or has another interface.
    pub fn open(path: &Path) -> anyhow::Result<Self> {
        let name = CString::new(path.as_os_str().as_bytes())?;
        // SAFETY: the name is zero-terminated; the library's initialisers are trusted as the
        // caller trusts the library.
        let library = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
        if library.is_null() {
            // SAFETY: `dlerror` gives null or a string that lives until the next call.
            let reason = unsafe {
                let text = libc::dlerror();
                (!text.is_null()).then(|| CStr::from_ptr(text).to_string_lossy().into_owned())
            };
            return Err(anyhow!(reason.unwrap_or_default())).context("the JIT does not open");
        }
        let symbol = CString::new(ENTRY_SYMBOL)?;
        // SAFETY: the library is open and the name zero-terminated.
        let entry = unsafe { libc::dlsym(library, symbol.as_ptr()) };
        if entry.is_null() {
            bail!("{} has no {ENTRY_SYMBOL}", path.display());
        }
        // SAFETY: a symbol of this name is a function of this type by the interface's definition,
        // and the table it gives lives as long as the library, which is never closed.
        let table = unsafe {
            let entry: unsafe extern "C" fn() -> *const JitTable =
                std::mem::transmute::<*mut c_void, _>(entry);
            entry().as_ref()
        };
        match table {
            Some(table) if table.version == ABI_VERSION => Ok(Self { table }),
            Some(table) => bail!("version {} of the JIT, not {ABI_VERSION}", table.version),
            None => bail!("the JIT gives no table"),
        }
    }

    /// Builds a module and each of its kernels.
    ///
    /// # Errors
    /// What failed first, and why.
    pub fn build(&self, words: &[u32], kernels: &[String]) -> Result<(), Failure> {
        let options = ModuleOptions {
            flags: ptr::null(),
            spec: ptr::null(),
            spec_count: 0,
            sub_group_size: 0,
            cpu: ptr::null(),
            features: ptr::null(),
        };
        let mut message = String::new();
        let user: *mut c_void = (&raw mut message).cast();
        let mut module = ptr::null_mut();
        // SAFETY: words, options and the place for the result are valid for the call; `user` is
        // the string that `append` expects.
        let status = unsafe {
            (self.table.module_create)(
                words.as_ptr(),
                words.len(),
                &options,
                &mut module,
                append,
                user,
            )
        };
        if status != Status::Ok {
            return Err(failure("module".to_owned(), status, &message));
        }
        let mut result = Ok(());
        for name in kernels {
            let mut kernel = ptr::null_mut();
            let mut info = std::mem::MaybeUninit::<KernelInfo>::uninit();
            // SAFETY: the module is alive; name and places for results are valid for the call;
            // `user` is as above.
            let status = unsafe {
                (self.table.kernel_create)(
                    module,
                    name.as_ptr(),
                    name.len(),
                    &mut kernel,
                    info.as_mut_ptr(),
                    append,
                    user,
                )
            };
            if status != Status::Ok {
                result = Err(failure(format!("kernel {name}"), status, &message));
                break;
            }
            // SAFETY: the kernel was created above, is released once and never run.
            unsafe { (self.table.kernel_release)(kernel) };
        }
        // SAFETY: the module was created above and is released once.
        unsafe { (self.table.module_release)(module) };
        result
    }
}

fn failure(stage: String, status: Status, message: &str) -> Failure {
    Failure {
        stage,
        reason: format!("{status:?}: {message}"),
    }
}

/// Appends text to the `String` behind `user`.
unsafe extern "C" fn append(user: *mut c_void, text: *const u8, len: usize) {
    // SAFETY: `user` is the string that `Jit::build` passed and nobody else uses during the call.
    let message = unsafe { &mut *user.cast::<String>() };
    if !text.is_null() {
        // SAFETY: the JIT gives `len` bytes that live during the call.
        let bytes = unsafe { std::slice::from_raw_parts(text, len) };
        message.push_str(&String::from_utf8_lossy(bytes));
    }
}
