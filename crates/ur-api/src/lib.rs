//! FFI types, dispatch tables and printing of the Unified Runtime API (generated).
//!
//! Names are those of the C API, so that what its documentation says can be found here.
//! Everything in [`generated`] is rendered by ur-spec from `spec/`.

pub mod attach;
pub mod enumeration;
#[allow(
    missing_docs,
    reason = "values and members carry the names that the API gives them; types are described"
)]
#[allow(
    non_camel_case_types,
    non_snake_case,
    reason = "names are those of the C API"
)]
pub mod generated;

pub mod print;

pub use enumeration::{BitSet, Enumeration};
pub use generated::print::*;
pub use generated::*;
pub use print::{Print, printed};

/// What is known of an info query without asking it.
#[derive(Clone, Copy, Debug)]
pub struct InfoEntry {
    /// Its C name.
    pub name: &'static str,
    /// Its number.
    pub value: u32,
    /// C type of what it returns, `T[]` for several.
    pub payload: &'static str,
    /// Whether an adapter may decline it.
    pub optional: bool,
}

/// What is known of a function without calling it.
#[derive(Clone, Copy, Debug)]
pub struct FunctionInfo {
    /// Its name, also the symbol that the loader exports.
    pub name: &'static str,
    /// Its number.
    pub id: ur_function_t,
    /// The member of [`ur_dditable_t`] that holds it; none for the loader's own functions.
    pub table: Option<&'static str>,
    /// Its place in that table; none for the loader's own and for removed functions.
    pub slot: Option<usize>,
    /// Number of parameters.
    pub params: usize,
    /// Whether the loader answers it without an adapter.
    pub loader_only: bool,
    /// Whether the current release no longer has it.
    pub removed: bool,
}

/// The tables of the adapter that owns an object; `None` for a null handle.
///
/// # Safety
/// The handle is null or that of a live object of an adapter that stays loaded.
#[inline(always)]
pub unsafe fn tables_of<T>(handle: *mut T) -> Option<&'static ur_dditable_t> {
    if handle.is_null() {
        return None;
    }
    // SAFETY: a live object begins with the pointer to its adapter's tables, which stay where they
    // are as long as it is loaded.
    Some(unsafe { *handle.cast::<&'static ur_dditable_t>() })
}
