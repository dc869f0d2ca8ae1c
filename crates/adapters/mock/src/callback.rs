//! Callbacks before, instead of and after an entry point.

use std::collections::HashMap;
use std::ffi::c_void;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{PoisonError, RwLock};
use ur_api::*;

/// A test's callback. `params` points to the function's parameter structure
/// (`ur_context_create_params_t` for `urContextCreate`), whose members point to the arguments; a
/// callback before the call may change them.
///
/// A result other than success ends the call with that result; the original is not called if it has
/// not been yet.
pub type Callback = unsafe extern "C" fn(params: *mut c_void, user: *mut c_void) -> ur_result_t;

/// When a callback is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum When {
    /// Before the entry point.
    Before = 0,
    /// In its place.
    Replace = 1,
    /// After it succeeded.
    After = 2,
}

#[derive(Clone, Copy)]
struct Entry {
    callback: Callback,
    user: *mut c_void,
}

// SAFETY: the pointer is the test's, only ever handed back to its callback.
unsafe impl Send for Entry {}
// SAFETY: as above.
unsafe impl Sync for Entry {}

/// How many callbacks are set: entry points look no further while there is none.
static SET: AtomicUsize = AtomicUsize::new(0);
static ENTRIES: RwLock<Option<HashMap<(u32, u32), Entry>>> = RwLock::new(None);

/// Sets the callback of one function and moment; none removes it.
///
/// A call that is already under way may still use the callback that was there before.
pub fn set(function: ur_function_t, when: When, callback: Option<Callback>, user: *mut c_void) {
    let mut entries = ENTRIES.write().unwrap_or_else(PoisonError::into_inner);
    let entries = entries.get_or_insert_with(HashMap::new);
    let key = (function.0, when as u32);
    match callback {
        Some(callback) => entries.insert(key, Entry { callback, user }),
        None => entries.remove(&key),
    };
    SET.store(entries.len(), Ordering::Release);
}

fn get(function: ur_function_t, when: When) -> Option<Entry> {
    let entries = ENTRIES.read().unwrap_or_else(PoisonError::into_inner);
    entries.as_ref()?.get(&(function.0, when as u32)).copied()
}

/// Runs an entry point with its callbacks; no lock is held while any of them runs.
pub(crate) fn run(
    function: ur_function_t,
    params: *mut c_void,
    original: impl FnOnce() -> ur_result_t,
) -> ur_result_t {
    if SET.load(Ordering::Acquire) == 0 {
        return original();
    }
    // SAFETY: the test set the callback for this function's parameters.
    let call = |entry: Entry| unsafe { (entry.callback)(params, entry.user) };
    if let Some(entry) = get(function, When::Before) {
        let result = call(entry);
        if result != UR_RESULT_SUCCESS {
            return result;
        }
    }
    let result = match get(function, When::Replace) {
        Some(entry) => call(entry),
        None => original(),
    };
    if result != UR_RESULT_SUCCESS {
        return result;
    }
    get(function, When::After).map_or(result, call)
}

/// Sets a callback from C: `when` is 0 before, 1 in place of, 2 after; a null callback removes it.
///
/// # Safety
/// `callback` may be called with `user` from any thread until it is removed and running calls have
/// ended.
#[cfg_attr(feature = "export", unsafe(no_mangle))]
pub unsafe extern "C" fn ur_mock_set_callback(
    function: ur_function_t,
    when: u32,
    callback: Option<Callback>,
    user: *mut c_void,
) -> ur_result_t {
    let when = match when {
        0 => When::Before,
        1 => When::Replace,
        2 => When::After,
        _ => return UR_RESULT_ERROR_INVALID_ENUMERATION,
    };
    set(function, when, callback, user);
    UR_RESULT_SUCCESS
}
