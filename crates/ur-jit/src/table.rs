//! The C interface.

use std::ffi::{CStr, c_char, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use ur_jit_abi::lanes::Lanes;
use ur_jit_abi::{ABI_VERSION, JitTable, KernelInfo, ModuleOptions, Status, TextFn};
use ur_spirv::SpecOverride;

use crate::compile::Options;
use crate::error::{Error, Result};
use crate::link;
use crate::module::{Kernel, Module};

static TABLE: JitTable = JitTable {
    version: ABI_VERSION,
    reserved: 0,
    module_create,
    module_release,
    module_variable,
    kernel_create,
    kernel_release,
    kernel_listing,
    module_record,
    kernel_record,
    symbol,
};

/// The JIT's functions; what the library exports.
#[unsafe(no_mangle)]
pub extern "C" fn ur_jit_table() -> *const JitTable {
    &raw const TABLE
}

/// Runs `body`, turning errors and panics into a status and a message.
fn guard(mut say: impl FnMut(&str), body: impl FnOnce() -> Result<()>) -> Status {
    match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(())) => Status::Ok,
        Ok(Err(error)) => {
            say(&error.message);
            error.status
        }
        Err(panic) => {
            let text = panic
                .downcast_ref::<&str>()
                .map(|text| (*text).to_owned())
                .or_else(|| panic.downcast_ref::<String>().cloned())
                .unwrap_or_default();
            // A payload whose own drop panics must not unwind from here either.
            std::mem::forget(panic);
            say(&format!("the JIT failed: {text}"));
            Status::Internal
        }
    }
}

/// Hands text or bytes to the caller.
///
/// # Safety
/// `text` and `user` are the pair that the caller of the interface passed.
unsafe fn hand_over(text: TextFn, user: *mut c_void, message: impl AsRef<[u8]>) {
    let message = message.as_ref();
    // SAFETY: as the caller promises; the bytes live through the call.
    unsafe { text(user, message.as_ptr(), message.len()) }
}

/// A name passed as bytes.
///
/// # Safety
/// `name` points to `len` readable bytes, or `len` is 0.
unsafe fn name_of<'a>(name: *const u8, len: usize) -> Result<&'a str> {
    if len == 0 || name.is_null() {
        return Err(Error::not_found("an empty name"));
    }
    // SAFETY: as the caller promises.
    let bytes = unsafe { std::slice::from_raw_parts(name, len) };
    std::str::from_utf8(bytes).map_err(|_| Error::not_found("a name that is not UTF-8"))
}

/// A C string, or none for null.
///
/// # Safety
/// `text` is null or a zero-terminated string.
unsafe fn optional_text(text: *const c_char) -> Option<String> {
    if text.is_null() {
        return None;
    }
    // SAFETY: as the caller promises.
    let text = unsafe { CStr::from_ptr(text) };
    Some(text.to_string_lossy().into_owned())
}

/// Reads the options.
///
/// # Safety
/// `options` is null or points to options whose pointers are as their documentation says.
unsafe fn read_options(options: *const ModuleOptions) -> (Options, Vec<SpecOverride>) {
    if options.is_null() {
        return (Options::default(), Vec::new());
    }
    // SAFETY: as the caller promises.
    unsafe {
        let options = &*options;
        let spec = if options.spec_count == 0 || options.spec.is_null() {
            &[]
        } else {
            std::slice::from_raw_parts(options.spec, options.spec_count as usize)
        };
        let spec = spec
            .iter()
            .map(|constant| SpecOverride {
                spec_id: constant.id,
                bits: constant.bits,
            })
            .collect();
        let flags = optional_text(options.flags).unwrap_or_default();
        let read = Options {
            sub_group_size: options.sub_group_size,
            cpu: optional_text(options.cpu),
            features: optional_text(options.features),
            unoptimised: flags
                .split_whitespace()
                .any(|flag| flag == "-cl-opt-disable"),
            lanes: Lanes::asked(&flags).first(),
        };
        (read, spec)
    }
}

unsafe extern "C" fn module_create(
    spirv: *const u32,
    words: usize,
    options: *const ModuleOptions,
    out: *mut *mut ur_jit_abi::Module,
    message: TextFn,
    user: *mut c_void,
) -> Status {
    // SAFETY: the caller keeps the interface's promises about each pointer.
    let say = |text: &str| unsafe { hand_over(message, user, text) };
    guard(say, || {
        // SAFETY: as above.
        let (words, (options, spec)) = unsafe {
            let words = if words == 0 || spirv.is_null() {
                &[]
            } else {
                std::slice::from_raw_parts(spirv, words)
            };
            (words, read_options(options))
        };
        let module = Arc::new(Module::new(words, &spec, options)?);
        // SAFETY: `out` is writable.
        unsafe { *out = Arc::into_raw(module).cast_mut().cast() };
        Ok(())
    })
}

unsafe extern "C" fn module_release(module: *mut ur_jit_abi::Module) {
    let _ = guard(
        |_| {},
        || {
            // SAFETY: the caller gives back the share that `module_create` handed out.
            drop(unsafe { Arc::from_raw(module.cast::<Module>()) });
            Ok(())
        },
    );
}

unsafe extern "C" fn module_variable(
    module: *mut ur_jit_abi::Module,
    name: *const u8,
    name_len: usize,
    address: *mut *mut c_void,
    size: *mut u64,
) -> Status {
    guard(
        |_| {},
        || {
            // SAFETY: the module is alive and the name readable, as the interface says.
            let (module, name) = unsafe { (&*module.cast::<Module>(), name_of(name, name_len)?) };
            let (at, bytes) = module.variable(name)?;
            // SAFETY: both results are writable.
            unsafe {
                *address = at as *mut c_void;
                *size = bytes;
            }
            Ok(())
        },
    )
}

unsafe extern "C" fn kernel_create(
    module: *mut ur_jit_abi::Module,
    name: *const u8,
    name_len: usize,
    out: *mut *mut ur_jit_abi::Kernel,
    info: *mut KernelInfo,
    message: TextFn,
    user: *mut c_void,
) -> Status {
    // SAFETY: the caller keeps the interface's promises about each pointer.
    let say = |text: &str| unsafe { hand_over(message, user, text) };
    guard(say, || {
        // SAFETY: as above.
        let (module, name) = unsafe { (&*module.cast::<Module>(), name_of(name, name_len)?) };
        let kernel = Box::new(module.compile(name)?);
        let described = *kernel.code.info();
        // SAFETY: both results are writable.
        unsafe {
            *info = described;
            *out = Box::into_raw(kernel).cast();
        }
        Ok(())
    })
}

unsafe extern "C" fn kernel_release(kernel: *mut ur_jit_abi::Kernel) {
    let _ = guard(
        |_| {},
        || {
            // SAFETY: the caller gives back what `kernel_create` handed out, and no thread runs it.
            drop(unsafe { Box::from_raw(kernel.cast::<Kernel>()) });
            Ok(())
        },
    );
}

unsafe extern "C" fn kernel_listing(
    module: *mut ur_jit_abi::Module,
    name: *const u8,
    name_len: usize,
    stage: *const c_char,
    text: TextFn,
    user: *mut c_void,
) -> Status {
    // SAFETY: the caller keeps the interface's promises about each pointer.
    let say = |message: &str| unsafe { hand_over(text, user, message) };
    guard(say, || {
        // SAFETY: as above.
        let (module, name, stage) = unsafe {
            (
                &*module.cast::<Module>(),
                name_of(name, name_len)?,
                optional_text(stage).unwrap_or_default(),
            )
        };
        say(&module.listing(name, &stage)?);
        Ok(())
    })
}

unsafe extern "C" fn module_record(
    module: *mut ur_jit_abi::Module,
    bytes: TextFn,
    user: *mut c_void,
) -> Status {
    // SAFETY: the caller keeps the interface's promises about each pointer.
    let say = |message: &str| unsafe { hand_over(bytes, user, message) };
    guard(say, || {
        // SAFETY: as above.
        let record = unsafe { &*module.cast::<Module>() }.record().to_bytes();
        // SAFETY: as above.
        unsafe { hand_over(bytes, user, &record) };
        Ok(())
    })
}

unsafe extern "C" fn kernel_record(
    module: *mut ur_jit_abi::Module,
    name: *const u8,
    name_len: usize,
    lanes: u32,
    bytes: TextFn,
    user: *mut c_void,
) -> Status {
    // SAFETY: the caller keeps the interface's promises about each pointer.
    let say = |message: &str| unsafe { hand_over(bytes, user, message) };
    guard(say, || {
        // SAFETY: as above.
        let (module, name) = unsafe { (&*module.cast::<Module>(), name_of(name, name_len)?) };
        let record = module.record_kernel(name, lanes)?.to_bytes();
        // SAFETY: as above.
        unsafe { hand_over(bytes, user, &record) };
        Ok(())
    })
}

unsafe extern "C" fn symbol(name: *const u8, name_len: usize) -> *const c_void {
    let mut address = 0;
    let _ = guard(
        |_| {},
        || {
            // SAFETY: the name is readable, as the interface says.
            let name = unsafe { name_of(name, name_len) }?;
            address = link::symbol(name).unwrap_or(0);
            Ok(())
        },
    );
    address as *const c_void
}
