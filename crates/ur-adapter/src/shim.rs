//! What the generated entry points are made of: checks on what comes in, care with what goes out.

use crate::backend::Value;
use crate::error::{Error, Result};
use crate::kind::Kind;
use crate::object::{Handle, Object};
use std::any::Any;
use std::ffi::{CStr, c_char};
use std::mem::MaybeUninit;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::NonNull;
use ur_api::*;

/// Runs an entry point's body: remembers its error, and stops a panic.
pub fn call(body: impl FnOnce() -> Result) -> ur_result_t {
    // Only a number leaves the barrier, so that the usual case moves nothing.
    let outcome = catch_unwind(AssertUnwindSafe(|| match body() {
        Ok(()) => UR_RESULT_SUCCESS,
        Err(error) => failed(error),
    }));
    outcome.unwrap_or_else(panicked)
}

#[cold]
fn failed(error: Error) -> ur_result_t {
    error.remember();
    error.code
}

#[cold]
fn panicked(panic: Box<dyn Any + Send>) -> ur_result_t {
    let text = panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("unknown cause")
        .to_owned();
    // The payload's own destructor might panic again.
    std::mem::forget(panic);
    failed(Error::new(
        UR_RESULT_ERROR_UNKNOWN,
        format!("the adapter panicked: {text}"),
    ))
}

fn null_pointer() -> Error {
    Error::code(UR_RESULT_ERROR_INVALID_NULL_POINTER)
}

/// The object of a handle that may be null.
///
/// # Safety
/// As [`Object::from_raw`].
pub unsafe fn optional<'a, T: Value>(raw: <T::Kind as Kind>::Raw) -> Result<Option<&'a Object<T>>> {
    if T::Kind::object::<T>(raw).is_null() {
        return Ok(None);
    }
    // SAFETY: forwarded.
    unsafe { Object::from_raw(raw) }.map(Some)
}

/// Refuses a null pointer that the API requires.
///
/// # Errors
/// `INVALID_NULL_POINTER`.
pub fn require<T>(pointer: *const T) -> Result<*const T> {
    if pointer.is_null() {
        return Err(null_pointer());
    }
    Ok(pointer)
}

/// Refuses a null pointer that the API requires.
///
/// # Errors
/// `INVALID_NULL_POINTER`.
pub fn require_mut<T>(pointer: *mut T) -> Result<*mut T> {
    require(pointer.cast_const()).map(<*const T>::cast_mut)
}

/// A required structure.
///
/// # Errors
/// `INVALID_NULL_POINTER`.
///
/// # Safety
/// `pointer` is null or points to a valid `T` for the call.
pub unsafe fn structure<'a, T>(pointer: *const T) -> Result<&'a T> {
    // SAFETY: as the caller says.
    unsafe { pointer.as_ref() }.ok_or_else(null_pointer)
}

/// A required text.
///
/// # Errors
/// `INVALID_NULL_POINTER`.
///
/// # Safety
/// `pointer` is null or points to a terminated text that lasts for the call.
pub unsafe fn text<'a>(pointer: *const c_char) -> Result<&'a CStr> {
    require(pointer)?;
    // SAFETY: not null, and as the caller says.
    Ok(unsafe { CStr::from_ptr(pointer) })
}

/// An optional text.
///
/// # Safety
/// As [`text`].
pub unsafe fn optional_text<'a>(pointer: *const c_char) -> Option<&'a CStr> {
    // SAFETY: null is answered as an error before anything is read.
    unsafe { text(pointer) }.ok()
}

/// An array of plain values; a null pointer is only allowed for none.
///
/// # Errors
/// `INVALID_NULL_POINTER`.
///
/// # Safety
/// `pointer` is null or points to `count` valid values for the call.
pub unsafe fn slice<'a, T>(count: usize, pointer: *const T) -> Result<&'a [T]> {
    if count == 0 {
        return Ok(&[]);
    }
    require(pointer)?;
    // SAFETY: not null, and as the caller says.
    Ok(unsafe { std::slice::from_raw_parts(pointer, count) })
}

/// Stops the build if a handle is not just a pointer.
pub(crate) const fn assert_pointer_sized<Raw>() {
    const { assert!(size_of::<Raw>() == size_of::<*const ()>()) }
}

/// An array of handles, each checked; a null pointer is only allowed for none.
///
/// # Errors
/// `INVALID_NULL_POINTER` for no array, `INVALID_NULL_HANDLE` for a null element, the kind's own
/// error for a wrong one.
///
/// # Safety
/// `pointer` is null or points to `count` handles; those that are not null name live objects.
pub unsafe fn objects<'a, T: Value>(
    count: usize,
    pointer: *const <T::Kind as Kind>::Raw,
) -> Result<&'a [&'a Object<T>]> {
    assert_pointer_sized::<<T::Kind as Kind>::Raw>();
    // SAFETY: forwarded.
    let raws = unsafe { slice(count, pointer) }?;
    for raw in raws {
        // SAFETY: forwarded.
        unsafe { Object::<T>::from_raw(*raw) }?;
    }
    // SAFETY: each handle was just found to be a non-null pointer to an object of this type, which
    // is what a reference to one is.
    Ok(unsafe { std::slice::from_raw_parts(raws.as_ptr().cast(), raws.len()) })
}

/// A list of events to wait for. A pointer with a count of 0 is an empty list: clients pass the
/// address of an empty vector.
///
/// # Errors
/// `INVALID_EVENT_WAIT_LIST` for a count without a list and for a null element; `INVALID_EVENT` for
/// a handle that is no event of this adapter.
///
/// # Safety
/// As [`objects`].
pub unsafe fn wait_list<'a, T: Value>(
    count: usize,
    pointer: *const <T::Kind as Kind>::Raw,
) -> Result<&'a [&'a Object<T>]> {
    // SAFETY: forwarded.
    unsafe { objects(count, pointer) }.map_err(|error| match error.code {
        UR_RESULT_ERROR_INVALID_NULL_POINTER | UR_RESULT_ERROR_INVALID_NULL_HANDLE => {
            Error::code(UR_RESULT_ERROR_INVALID_EVENT_WAIT_LIST)
        }
        _ => error,
    })
}

/// Refuses a count without an array and an array without a count.
///
/// # Errors
/// `code`.
pub fn listed<T>(count: usize, pointer: *const T, code: ur_result_t) -> Result {
    if (count == 0) != pointer.is_null() {
        return Err(Error::code(code));
    }
    Ok(())
}

/// An out-parameter for a plain value: uninitialised memory of the caller.
///
/// # Safety
/// `pointer` is null or writable for the call.
pub unsafe fn out<'a, T>(pointer: *mut T) -> Option<&'a mut MaybeUninit<T>> {
    // SAFETY: forwarded; uninitialised memory may be referred to as such.
    unsafe { pointer.cast::<MaybeUninit<T>>().as_mut() }
}

/// An out-parameter that the caller may leave out, such as the event of an enqueue.
///
/// What is put in reaches the caller only if the whole call succeeds. Some entry points also read the
/// parameter: what the caller has there on entry is then [`Slot::given`].
#[derive(Debug)]
pub struct Slot<T: Value> {
    wanted: bool,
    given: Option<NonNull<Object<T>>>,
    handle: Option<Handle<T>>,
}

impl<T: Value> Slot<T> {
    /// The slot for an out-pointer, wanted unless it is null. What it points to is not looked at.
    pub fn new(pointer: *mut <T::Kind as Kind>::Raw) -> Self {
        Self {
            wanted: !pointer.is_null(),
            given: None,
            handle: None,
        }
    }

    /// The slot for a pointer that is read and written, wanted unless it is null.
    ///
    /// # Errors
    /// The kind's own error when it points to a handle of something else.
    ///
    /// # Safety
    /// `pointer` is null or points to a handle that is null or names an object that lives as long as
    /// the slot.
    pub unsafe fn inout(pointer: *mut <T::Kind as Kind>::Raw) -> Result<Self> {
        let mut slot = Self::new(pointer);
        if !pointer.is_null() {
            // SAFETY: not null, so it points to a handle, whose object lives if there is one.
            slot.given = unsafe { optional::<T>(pointer.read()) }?.map(NonNull::from);
        }
        Ok(slot)
    }

    /// Whether the caller wants the object.
    pub fn wanted(&self) -> bool {
        self.wanted
    }

    /// What the caller passes in, where the entry point reads the parameter. The handle stays the
    /// caller's; nothing is written to it unless something is [`put`](Slot::put).
    pub fn given(&self) -> Option<&Object<T>> {
        // SAFETY: `inout` was promised that the object lives as long as the slot.
        self.given.map(|object| unsafe { object.as_ref() })
    }

    /// Gives the object.
    pub fn put(&mut self, handle: Handle<T>) {
        self.handle = Some(handle);
    }

    /// Writes the handle out, after success.
    ///
    /// # Safety
    /// `pointer` is the one the slot was made for, writable if not null.
    pub unsafe fn finish(self, pointer: *mut <T::Kind as Kind>::Raw) {
        if pointer.is_null() {
            return;
        }
        if let Some(handle) = self.handle {
            // SAFETY: as the caller says.
            unsafe { pointer.write(handle.into_raw()) };
        }
    }
}

/// Answers a listing (`urPlatformGet`, `urDeviceGet`, `urDevicePartition`): as many handles as there
/// is room for, and how many there are. The references of handles that are written become the
/// caller's.
///
/// # Safety
/// `out` is null or has room for `entries` handles; `count` is null or writable.
pub unsafe fn list<T: Value>(
    handles: Vec<Handle<T>>,
    entries: u32,
    out: *mut <T::Kind as Kind>::Raw,
    count: *mut u32,
) -> Result {
    let total = u32::try_from(handles.len()).unwrap_or(u32::MAX);
    if !out.is_null() {
        for (index, handle) in handles.into_iter().take(entries as usize).enumerate() {
            // SAFETY: index < entries.
            unsafe { out.add(index).write(handle.into_raw()) };
        }
    }
    if !count.is_null() {
        // SAFETY: as the caller says.
        unsafe { count.write(total) };
    }
    Ok(())
}

/// Checks a listing's parameters before anything is made.
///
/// # Errors
/// `INVALID_SIZE` for room of 0 entries; `INVALID_NULL_POINTER` for entries without room.
pub fn check_list<R>(entries: u32, out: *mut R) -> Result {
    match (entries, out.is_null()) {
        (0, false) => Err(Error::code(UR_RESULT_ERROR_INVALID_SIZE)),
        (1.., true) => Err(null_pointer()),
        _ => Ok(()),
    }
}

/// Copies one dispatch table out, for `urGet…ProcAddrTable`.
///
/// Only the version that this kit was built for is served: tables of other versions are laid out
/// differently.
///
/// # Safety
/// `to` is null or has room for a table.
pub unsafe fn give_table<T: Copy>(version: ur_api_version_t, to: *mut T, from: &T) -> ur_result_t {
    if to.is_null() {
        return UR_RESULT_ERROR_INVALID_NULL_POINTER;
    }
    if version != UR_API_VERSION_CURRENT {
        return UR_RESULT_ERROR_UNSUPPORTED_VERSION;
    }
    // SAFETY: not null, and as the caller says.
    unsafe { to.write(*from) };
    UR_RESULT_SUCCESS
}
