//! The loader with adapters, for programs that need no other file.
//!
//! A Rust program depends on this package and calls [`native_cpu`] before
//! [`urLoaderInit`](ur_loader::urLoaderInit). A C program links `libur_static.a`, which has every
//! function of `libur_loader.so.0`, and calls `ur_static_native_cpu` (`concord/ur_static.h`).
//!
//! Which adapters there are is a matter of features: `native-cpu` (there by default) and `mock`.
//! With `jit` the compiler of kernels is part of the program, too; without it the first kernel opens
//! `libur_jit.so`, from the program's folder or where the dynamic linker finds it, and everything
//! else works without.
//!
//! Variables for the loader count as for the library: what `UR_ADAPTERS_FORCE_LOAD` names is used
//! in place of the program's adapters.

use std::ffi::{CStr, c_char};
use ur_api::{
    UR_RESULT_ERROR_INVALID_NULL_POINTER, UR_RESULT_ERROR_INVALID_VALUE, UR_RESULT_SUCCESS,
    ur_dditable_t, ur_result_t,
};
use ur_loader::discovery::linked;

pub use ur_loader;

#[cfg(feature = "mock")]
pub use ur_adapter_mock;

/// Has the loader use the native CPU adapter of this program.
#[cfg(feature = "native-cpu")]
pub fn native_cpu() {
    #[cfg(feature = "jit")]
    // SAFETY: the function gives the address of a static table.
    ur_adapter_native_cpu::jit::link(unsafe { &*ur_jit::ur_jit_table() });
    linked::add("native_cpu", &ur_adapter_native_cpu::TABLE);
}

/// Has the loader use the mock adapter of this program: for programs that ask for mocking
/// (`urLoaderConfigSetMockingEnabled`), and then as the only one.
#[cfg(feature = "mock")]
pub fn mock() {
    linked::add("mock", &ur_adapter_mock::TABLE);
}

/// [`native_cpu`] for C.
#[cfg(feature = "native-cpu")]
#[unsafe(no_mangle)]
pub extern "C" fn ur_static_native_cpu() {
    native_cpu();
}

/// [`mock`] for C.
#[cfg(feature = "mock")]
#[unsafe(no_mangle)]
pub extern "C" fn ur_static_mock() {
    mock();
}

/// Has the loader use an adapter that is written in C and part of the program. INVALID_VALUE for a
/// name that is empty or no UTF-8, INVALID_NULL_POINTER without a name or a table.
///
/// # Safety
/// The name is null or a C string. The table is null or stays as it is as long as the process
/// lives, and the adapter's handles point to it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ur_static_adapter(
    name: *const c_char,
    table: *const ur_dditable_t,
) -> ur_result_t {
    // SAFETY: the same is asked of the caller.
    let Some(table) = (unsafe { table.as_ref() }) else {
        return UR_RESULT_ERROR_INVALID_NULL_POINTER;
    };
    if name.is_null() {
        return UR_RESULT_ERROR_INVALID_NULL_POINTER;
    }
    // SAFETY: not null, so it is a C string.
    match unsafe { CStr::from_ptr(name) }.to_str() {
        Ok(name) if !name.is_empty() => linked::add(name, table),
        _ => return UR_RESULT_ERROR_INVALID_VALUE,
    }
    UR_RESULT_SUCCESS
}
