//! The JIT library, opened by path.

use anyhow::{Context, anyhow};
use std::ffi::CString;
use std::path::Path;
use std::ptr;
use ur_jit_abi::{ArgInfo, JitTable, Kernel, KernelInfo, ModuleOptions, Status, collect};

use crate::r#gen::Variant;

/// An opened JIT library. It stays open until the process ends.
pub struct Jit {
    table: &'static JitTable,
}

/// A compiled kernel.
pub struct Compiled<'j> {
    jit: &'j Jit,
    kernel: *mut Kernel,
    /// What the JIT says of it.
    pub info: KernelInfo,
}

impl Jit {
    /// Opens the library.
    ///
    /// # Errors
    /// It cannot be opened, or has another interface.
    pub fn open(path: &Path) -> anyhow::Result<Jit> {
        let table = ur_jit_abi::open(path)
            .map_err(|reason| anyhow!(reason))
            .context("the JIT does not open")?;
        Ok(Self { table })
    }

    /// Compiles the kernel `name` of a module.
    ///
    /// # Errors
    /// The JIT's status and message.
    pub fn compile(
        &self,
        words: &[u32],
        name: &str,
        variant: &Variant,
    ) -> Result<Compiled<'_>, String> {
        let cpu = variant.cpu.map(|cpu| CString::new(cpu).unwrap_or_default());
        let flags = if variant.unoptimised {
            "-cl-opt-disable".to_owned()
        } else {
            format!("-ur-lanes={}", variant.lanes)
        };
        let flags = CString::new(flags).unwrap_or_default();
        let options = ModuleOptions {
            flags: flags.as_ptr(),
            spec: ptr::null(),
            spec_count: 0,
            sub_group_size: variant.sub_group_size,
            cpu: cpu.as_ref().map_or(ptr::null(), |cpu| cpu.as_ptr()),
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
            let message = String::from_utf8_lossy(&message);
            return Err(format!("module: {status:?}: {message}"));
        }
        let mut kernel = ptr::null_mut();
        let mut info = std::mem::MaybeUninit::<KernelInfo>::uninit();
        // SAFETY: the module is alive; name and places for results are valid for the call. The
        // module is released once, which its kernels outlive.
        let (status, message) = collect(|append, user| unsafe {
            let status = (self.table.kernel_create)(
                module,
                name.as_ptr(),
                name.len(),
                &mut kernel,
                info.as_mut_ptr(),
                append,
                user,
            );
            (self.table.module_release)(module);
            status
        });
        if status != Status::Ok {
            let message = String::from_utf8_lossy(&message);
            return Err(format!("kernel: {status:?}: {message}"));
        }
        Ok(Compiled {
            jit: self,
            kernel,
            // SAFETY: on success the description is filled in.
            info: unsafe { info.assume_init() },
        })
    }
}

impl Compiled<'_> {
    /// The arguments' places.
    pub fn args(&self) -> &[ArgInfo] {
        // SAFETY: the description says that many, and they live as long as the kernel.
        unsafe { std::slice::from_raw_parts(self.info.args, self.info.arg_count as usize) }
    }
}

impl Drop for Compiled<'_> {
    fn drop(&mut self) {
        // SAFETY: the kernel was created by this table and is released once; nobody runs it.
        unsafe { (self.jit.table.kernel_release)(self.kernel) }
    }
}
