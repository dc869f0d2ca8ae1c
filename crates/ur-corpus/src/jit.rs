//! The JIT library, opened by path.

use anyhow::{Context, anyhow};
use std::path::Path;
use std::ptr;
use ur_jit_abi::{JitTable, KernelInfo, ModuleOptions, Status, collect};

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
        let table = ur_jit_abi::open(path)
            .map_err(|reason| anyhow!(reason))
            .context("the JIT does not open")?;
        Ok(Self { table })
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
        let mut module = ptr::null_mut();
        // SAFETY: words, options and the place for the result are valid for the call.
        let (status, message) = collect(|append, user| unsafe {
            (self.table.module_create)(
                words.as_ptr(),
                words.len(),
                &options,
                &mut module,
                append,
                user,
            )
        });
        if status != Status::Ok {
            return Err(failure("module".to_owned(), status, &message));
        }
        let mut result = Ok(());
        for name in kernels {
            let mut kernel = ptr::null_mut();
            let mut info = std::mem::MaybeUninit::<KernelInfo>::uninit();
            // SAFETY: the module is alive; name and places for results are valid for the call.
            let (status, message) = collect(|append, user| unsafe {
                (self.table.kernel_create)(
                    module,
                    name.as_ptr(),
                    name.len(),
                    &mut kernel,
                    info.as_mut_ptr(),
                    append,
                    user,
                )
            });
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

fn failure(stage: String, status: Status, message: &[u8]) -> Failure {
    let message = String::from_utf8_lossy(message);
    Failure {
        stage,
        reason: format!("{status:?}: {message}"),
    }
}
