//! One opened adapter, and the checks it must pass first.

pub mod linked;

use crate::generated::TABLES;
use crate::library::Library;
use crate::log::{Level, log};
use std::ffi::c_void;
use std::path::{Path, PathBuf};
use ur_api::{
    UR_API_VERSION_CURRENT, UR_RESULT_SUCCESS, ur_adapter_dditable_t, ur_adapter_handle_t,
    ur_api_version_t, ur_result_t,
};

/// The signature that all `urGet…ProcAddrTable` functions share.
type Getter = unsafe extern "C" fn(ur_api_version_t, *mut c_void) -> ur_result_t;

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
}

/// Room for a table, in words: several times the largest, because an adapter of another release
/// writes its own idea of it.
const ROOM: usize = 256;

/// What the room is filled with before an adapter writes to it. No function has this address.
const UNWRITTEN: usize = usize::from_ne_bytes([0xa5; size_of::<usize>()]);

impl Adapter {
    /// Takes an opened library as an adapter.
    ///
    /// The loader follows the table pointer in each handle, so a library whose tables are laid out
    /// for another release would be called through the wrong slots. Both may give the same version
    /// number. What they cannot hide is how many functions they write into each table.
    ///
    /// # Errors
    /// A sentence saying why it cannot be used.
    pub fn new(name: &str, path: &Path, library: Library) -> Result<Adapter, String> {
        let mut get = None;
        for (index, table) in TABLES.iter().enumerate() {
            let getter = table.getter.to_string_lossy();
            let Some(symbol) = library.symbol(table.getter) else {
                if table.experimental {
                    log!(Level::Warning, "adapter {name} has no {getter}");
                    continue;
                }
                return Err(format!("it lacks the symbol {getter}"));
            };
            // SAFETY: the API fixes the signature of a function of this name.
            let function: Getter = unsafe { std::mem::transmute(symbol.as_ptr()) };
            let mut words = [UNWRITTEN; ROOM];
            // SAFETY: there is room for the table, and for larger ones of other releases.
            let result = unsafe { function(UR_API_VERSION_CURRENT, words.as_mut_ptr().cast()) };
            if result != UR_RESULT_SUCCESS {
                return Err(format!("its {getter} returned {result}"));
            }
            let extent = words
                .iter()
                .rposition(|&word| word != UNWRITTEN)
                .map_or(0, |last| last + 1);
            let expected = table.size / size_of::<usize>();
            if extent > expected {
                return Err(format!(
                    "its {getter} fills {extent} entries where this release has {expected}; it was built for another release"
                ));
            }
            // The table of urAdapterGet is the first.
            if index == 0 {
                get = adapter_functions(&words).pfnGet;
            }
        }
        Ok(Adapter {
            name: name.to_owned(),
            path: path.to_owned(),
            library,
            get: get.ok_or("its table has no urAdapterGet")?,
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
            Ok(count.min(entries))
        } else {
            Err(result)
        }
    }
}

/// The first table as the adapter wrote it.
fn adapter_functions(words: &[usize; ROOM]) -> ur_adapter_dditable_t {
    const WORDS: usize = size_of::<ur_adapter_dditable_t>() / size_of::<usize>();
    let mut table = [0usize; WORDS];
    for (entry, &word) in table.iter_mut().zip(words) {
        *entry = if word == UNWRITTEN { 0 } else { word };
    }
    // SAFETY: the table is WORDS optional function pointers; zero is none, and the others are
    // what the adapter gave for them.
    unsafe { std::mem::transmute::<[usize; WORDS], ur_adapter_dditable_t>(table) }
}
