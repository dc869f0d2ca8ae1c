//! One opened adapter, and the checks it must pass first.

pub mod linked;

use crate::ddi::{Layout, Written};
use crate::foreign::Foreign;
use crate::kit;
use crate::library::Library;
use std::path::{Path, PathBuf};
use ur_api::{UR_RESULT_SUCCESS, ur_adapter_handle_t, ur_result_t};

/// `urAdapterGet` of one adapter.
type GetAdapters = unsafe extern "C" fn(u32, *mut ur_adapter_handle_t, *mut u32) -> ur_result_t;

/// An adapter that can be used.
#[derive(Debug)]
pub struct Adapter {
    /// Its short name, such as `native_cpu`.
    pub name: String,
    /// The file it was loaded from.
    pub path: PathBuf,
    pub(crate) library: Library,
    get: GetAdapters,
    /// What its handles are pointed to, if its tables have an earlier release's layout.
    foreign: Option<&'static Foreign>,
}

impl Adapter {
    /// Takes an opened library as an adapter.
    ///
    /// # Errors
    /// A sentence saying why it cannot be used.
    pub fn new(name: &str, path: &Path, library: Library) -> Result<Adapter, String> {
        let (get, foreign) = match Written::by(&library)?.layout(name)? {
            Layout::Current(get) => {
                // SAFETY: a null pointer is none; otherwise it is what the adapter gave for it.
                let get = unsafe { std::mem::transmute::<usize, Option<GetAdapters>>(get) };
                kit::learn(&library);
                (get, None)
            }
            Layout::Foreign(foreign) => (foreign.original.Adapter.pfnGet, Some(foreign)),
        };
        Ok(Adapter {
            name: name.to_owned(),
            path: path.to_owned(),
            library,
            get: get.ok_or("its table has no urAdapterGet")?,
            foreign,
        })
    }

    /// How many adapter handles it has.
    ///
    /// # Errors
    /// What its `urAdapterGet` returned.
    pub fn count(&self) -> Result<u32, ur_result_t> {
        let mut count = 0;
        // SAFETY: a null array with room for nothing asks for the number only.
        let result = unsafe { (self.get)(0, std::ptr::null_mut(), &raw mut count) };
        if result == UR_RESULT_SUCCESS {
            Ok(count)
        } else {
            Err(result)
        }
    }

    /// Gets adapter handles, each with one reference for the caller. Returns how many of `room`
    /// were filled.
    ///
    /// # Errors
    /// What its `urAdapterGet` returned.
    pub fn handles(&self, room: &mut [ur_adapter_handle_t]) -> Result<u32, ur_result_t> {
        let entries = u32::try_from(room.len()).unwrap_or(u32::MAX);
        let mut count = 0;
        // SAFETY: `room` has `entries` places.
        let result = unsafe { (self.get)(entries, room.as_mut_ptr(), &raw mut count) };
        if result == UR_RESULT_SUCCESS {
            let count = count.min(entries);
            if let Some(foreign) = self.foreign {
                // SAFETY: the adapter stored that many handles of its own.
                unsafe { foreign.adopt_all(result, room.as_ptr(), count) };
            }
            Ok(count)
        } else {
            Err(result)
        }
    }
}
