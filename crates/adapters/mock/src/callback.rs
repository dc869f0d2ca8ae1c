//! Callbacks before, instead of and after an entry point.
//!
//! From Rust, [`on`] takes a function and the type of the parameters says which entry point is
//! meant; it counts until its [`Hook`] is dropped:
//! ```
//! use ur_adapter_mock::callback::{When, on};
//! use ur_api::*;
//!
//! let hook = on(When::Replace, |params: &mut ur_context_create_params_t| {
//!     // SAFETY: the members of a parameter structure point to the arguments.
//!     assert_eq!(unsafe { *params.pDeviceCount }, 1);
//!     UR_RESULT_ERROR_OUT_OF_RESOURCES
//! });
//! # drop(hook);
//! ```
//! From C, `ur_mock_set_callback` (`concord/ur_mock.h`) does the same by the number of the function.

use std::collections::HashMap;
use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use ur_api::*;

/// A test's callback in C. `params` points to the function's parameter structure
/// (`ur_context_create_params_t` for `urContextCreate`), whose members point to the arguments; a
/// callback before the call may change them.
///
/// A result other than success ends the call with that result; the original is not called if it has
/// not been yet.
pub type Callback = unsafe extern "C" fn(params: *mut c_void, user: *mut c_void) -> ur_result_t;

/// The parameter structure of an entry point.
///
/// # Safety
/// `FUNCTION` is the one whose parameters these are.
pub unsafe trait Params {
    /// The entry point.
    const FUNCTION: ur_function_t;
}

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

type Function = Arc<dyn Fn(*mut c_void) -> ur_result_t + Send + Sync>;
type Key = (u32, When);

/// How many callbacks are set: entry points look no further while there is none.
static SET: AtomicUsize = AtomicUsize::new(0);
static ENTRIES: RwLock<Option<HashMap<Key, Function>>> = RwLock::new(None);

/// Changes what is set; the callback that was there before is returned, to be dropped when no lock
/// is held.
fn change(
    change: impl FnOnce(&mut HashMap<Key, Function>) -> Option<Function>,
) -> Option<Function> {
    let mut entries = ENTRIES.write().unwrap_or_else(PoisonError::into_inner);
    let entries = entries.get_or_insert_with(HashMap::new);
    let before = change(entries);
    SET.store(entries.len(), Ordering::Release);
    before
}

fn get(function: ur_function_t, when: When) -> Option<Function> {
    let entries = ENTRIES.read().unwrap_or_else(PoisonError::into_inner);
    entries.as_ref()?.get(&(function.0, when)).cloned()
}

/// A callback that is set; dropping this removes it, unless another one is in its place by then.
/// A call that is under way may still use it.
#[must_use = "dropping it removes the callback"]
pub struct Hook {
    key: Key,
    function: Function,
}

impl std::fmt::Debug for Hook {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Hook").field(&self.key).finish()
    }
}

impl Drop for Hook {
    fn drop(&mut self) {
        let ours = |entry: &Function| Arc::ptr_eq(entry, &self.function);
        let removed = change(|entries| {
            let there = entries.get(&self.key).is_some_and(ours);
            if there {
                entries.remove(&self.key)
            } else {
                None
            }
        });
        drop(removed);
    }
}

/// Sets the callback of the entry point whose parameters `P` are, in the place of the one that was
/// set for the same moment. It may be called from several threads at once, may call the API, and
/// may set and remove callbacks. Its result means what that of [`Callback`] means; a panic is
/// UNKNOWN.
pub fn on<P: Params>(
    when: When,
    callback: impl Fn(&mut P) -> ur_result_t + Send + Sync + 'static,
) -> Hook {
    let function: Function = Arc::new(move |params: *mut c_void| {
        // SAFETY: the entry points hand over their own parameter structures, and `P` is that of the
        // function in the key.
        callback(unsafe { &mut *params.cast::<P>() })
    });
    let key = (P::FUNCTION.0, when);
    drop(change(|entries| entries.insert(key, function.clone())));
    Hook { key, function }
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
    let call = |callback: Function| {
        catch_unwind(AssertUnwindSafe(|| callback(params))).unwrap_or(UR_RESULT_ERROR_UNKNOWN)
    };
    if let Some(callback) = get(function, When::Before) {
        let result = call(callback);
        if result != UR_RESULT_SUCCESS {
            return result;
        }
    }
    let result = match get(function, When::Replace) {
        Some(callback) => call(callback),
        None => original(),
    };
    if result != UR_RESULT_SUCCESS {
        return result;
    }
    get(function, When::After).map_or(result, call)
}

/// What a callback in C is given besides the parameters.
struct User(*mut c_void);

// SAFETY: the pointer is the test's, only ever handed back to its callback.
unsafe impl Send for User {}
// SAFETY: as above.
unsafe impl Sync for User {}

impl User {
    /// A method, so that closures hold all of it and not its pointer.
    fn pointer(&self) -> *mut c_void {
        self.0
    }
}

/// Sets a callback from C: `when` is 0 before, 1 in place of, 2 after; a null callback removes it.
/// INVALID_ENUMERATION for another moment.
///
/// # Safety
/// `callback` may be called with `user` from any thread until it is removed and running calls have
/// ended.
#[unsafe(no_mangle)]
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
    let key = (function.0, when);
    let user = User(user);
    drop(change(|entries| match callback {
        Some(callback) => entries.insert(
            key,
            Arc::new(move |params| {
                // SAFETY: the test set the callback for this function's parameters.
                unsafe { callback(params, user.pointer()) }
            }),
        ),
        None => entries.remove(&key),
    }));
    UR_RESULT_SUCCESS
}
