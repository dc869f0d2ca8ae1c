//! The loader under test.

use crate::generated::calls::Functions;
use crate::library::Library;
use anyhow::Result;
use std::ffi::CString;
use std::path::Path;
use std::sync::OnceLock;
use ur_api::*;

/// The entry points of the loader under test. A method for each, named as in C, calls it and notes
/// in the [`coverage`](crate::coverage) what it was given and what it answered.
#[derive(Debug)]
pub struct Api {
    library: Library,
    pub(crate) functions: Functions,
}

static API: OnceLock<Api> = OnceLock::new();

/// The loader that this process tests.
///
/// # Panics
/// Before [`Api::open`].
pub fn api() -> &'static Api {
    API.get().expect("the loader was opened")
}

impl Api {
    /// Opens the loader that this process tests; of several calls the first one counts.
    ///
    /// # Errors
    /// What the dynamic linker says.
    pub fn open(path: &Path) -> Result<&'static Api> {
        let library = Library::open(path)?;
        let functions = Functions::of(&library);
        Ok(API.get_or_init(|| Api { library, functions }))
    }

    /// Whether the loader exports a function.
    pub fn has(&self, name: &str) -> bool {
        CString::new(name).is_ok_and(|name| self.library.has(&name))
    }

    /// The answer of a function that the loader lacks; that it does is found out again by its name
    /// when a test ends with this answer.
    pub(crate) fn absent(_name: &'static str) -> ur_result_t {
        UR_RESULT_ERROR_UNSUPPORTED_FEATURE
    }
}
