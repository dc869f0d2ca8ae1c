//! What every function does: it takes the lock, counts itself, and fails if it was told to.

use crate::settings::{EVERYTHING, Settings};
use crate::world::World;
use crate::ze::*;
use std::ffi::{CStr, c_char, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Condvar, LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

static WORLD: LazyLock<Mutex<World>> = LazyLock::new(|| {
    let text = std::env::var("UR_FAKE_LEVEL_ZERO");
    let text = text.unwrap_or_else(|_| EVERYTHING.to_owned());
    let mut world = World::default();
    match Settings::parse_all(&text) {
        Ok(all) => all.into_iter().for_each(|one| world.add_driver(one)),
        Err(reason) => world.fault(format!("UR_FAKE_LEVEL_ZERO: {reason}")),
    }
    Mutex::new(world)
});

static CHANGED: Condvar = Condvar::new();

/// How long a call waits before it says that it would wait for ever.
const FOR_EVER: Duration = Duration::from_secs(60);

/// The world, locked.
pub fn world() -> MutexGuard<'static, World> {
    WORLD.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Tells all that wait that something has changed.
pub fn changed() {
    CHANGED.notify_all();
}

/// Waits until something changes.
pub fn until_changed(world: MutexGuard<'static, World>) -> MutexGuard<'static, World> {
    CHANGED.wait(world).unwrap_or_else(PoisonError::into_inner)
}

/// Runs a function of Level Zero on the world. It gives what it was told to fail with, what `body`
/// gives, or `ERROR_UNKNOWN` for a panic, which is noted.
pub fn call(name: &'static str, body: impl FnOnce(&mut World) -> Answer) -> ze_result_t {
    let mut world = world();
    *world.calls.entry(name).or_default() += 1;
    if let Some(record) = &mut world.record {
        record.push(name);
    }
    let result = match world.fails(name) {
        Some(code) => Err(code),
        None if !world.initialised && !name.starts_with("zeInit") => world.wrong(
            ZE_RESULT_ERROR_UNINITIALIZED,
            format!("{name} before zeInit"),
        ),
        None => catch_unwind(AssertUnwindSafe(|| body(&mut world)))
            .unwrap_or_else(|_| world.wrong(ZE_RESULT_ERROR_UNKNOWN, format!("{name} panicked"))),
    };
    drop(world);
    changed();
    code(result)
}

/// The number of a result.
pub fn code(result: Answer) -> ze_result_t {
    result.err().unwrap_or(ZE_RESULT_SUCCESS)
}

/// Waits until there is an answer, at most `timeout` nanoseconds.
///
/// # Errors
/// What the answer says; `NOT_READY` when the time is over; `ERROR_DEVICE_LOST` when a wait without an
/// end takes a minute, which is noted.
pub fn wait(
    name: &str,
    timeout: u64,
    mut answer: impl FnMut(&mut World) -> Option<Answer>,
) -> Answer {
    let begin = Instant::now();
    let most = match timeout {
        u64::MAX => FOR_EVER,
        some => Duration::from_nanos(some),
    };
    let mut world = world();
    loop {
        world.check_lost()?;
        if let Some(answer) = answer(&mut world) {
            return answer;
        }
        let left = most.saturating_sub(begin.elapsed());
        if left.is_zero() {
            return match timeout {
                u64::MAX => world.wrong(
                    ZE_RESULT_ERROR_DEVICE_LOST,
                    format!("{name} waits for ever"),
                ),
                _ => Err(ZE_RESULT_NOT_READY),
            };
        }
        world = CHANGED
            .wait_timeout(world, left)
            .unwrap_or_else(PoisonError::into_inner)
            .0;
    }
}

/// What a pointer leads to.
///
/// # Errors
/// `INVALID_NULL_POINTER`.
///
/// # Safety
/// `place` is null or leads to a value.
pub unsafe fn get<T: Copy>(place: *const T) -> Answer<T> {
    if place.is_null() {
        return Err(ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    }
    // SAFETY: as the caller says.
    Ok(unsafe { place.read() })
}

/// Writes to where a pointer leads.
///
/// # Errors
/// `INVALID_NULL_POINTER`.
///
/// # Safety
/// `place` is null or has room for the value.
pub unsafe fn put<T>(place: *mut T, value: T) -> Answer {
    if place.is_null() {
        return Err(ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    }
    // SAFETY: as the caller says.
    unsafe { place.write(value) };
    Ok(())
}

/// A list that a program passes.
///
/// # Errors
/// `INVALID_NULL_POINTER` for a list without a place that is not empty.
///
/// # Safety
/// `list` is null or has `count` elements.
pub unsafe fn list<T: Copy>(list: *const T, count: usize) -> Answer<Vec<T>> {
    match (list.is_null(), count) {
        (_, 0) => Ok(Vec::new()),
        (true, _) => Err(ZE_RESULT_ERROR_INVALID_NULL_POINTER),
        // SAFETY: as the caller says.
        _ => Ok(unsafe { std::slice::from_raw_parts(list, count) }.to_vec()),
    }
}

/// Answers a listing by Level Zero's rules: without room it is the number that is told, else as many as
/// there is room for are written.
///
/// # Errors
/// `INVALID_NULL_POINTER`.
///
/// # Safety
/// `count` is null or a number; `place` is null or has room for as many.
pub unsafe fn tell<T: Copy>(all: &[T], count: *mut u32, place: *mut T) -> Answer {
    // SAFETY: as the caller says.
    let room = unsafe { get(count) }?;
    let number = all.len() as u32;
    if room == 0 || place.is_null() {
        // SAFETY: as the caller says.
        return unsafe { put(count, number) };
    }
    let number = number.min(room);
    // SAFETY: as the caller says.
    unsafe {
        std::ptr::copy_nonoverlapping(all.as_ptr(), place, number as usize);
        put(count, number)
    }
}

/// Writes the fields of a structure for properties, whose type and pointer to a further one stay.
///
/// # Errors
/// `INVALID_NULL_POINTER`.
///
/// # Safety
/// `place` is null or leads to such a structure.
pub unsafe fn fill<T: Structure>(place: *mut T, mut value: T) -> Answer {
    // SAFETY: as the caller says; every structure begins with such a part.
    unsafe {
        let head = get(place.cast::<ze_base_desc_t>())?;
        (&raw mut value).cast::<ze_base_desc_t>().write(head);
        put(place, value)
    }
}

/// The structure of a type behind another one.
///
/// # Safety
/// `next` leads to a chain of structures that begin as all do.
pub unsafe fn find<T: Structure>(mut next: *const c_void) -> Option<*mut T> {
    // SAFETY: as the caller says.
    while let Some(head) = unsafe { next.cast::<ze_base_desc_t>().as_ref() } {
        if head.stype == T::TYPE {
            return Some(next as *mut T);
        }
        next = head.pNext;
    }
    None
}

/// Writes the fields of a structure behind another one, if there is one of that type.
///
/// # Safety
/// As [`find`].
pub unsafe fn fill_behind<T: Structure>(next: *const c_void, value: T) {
    // SAFETY: as the caller says.
    if let Some(place) = unsafe { find::<T>(next) } {
        // SAFETY: as the caller says; it is not null.
        let _ = unsafe { fill(place, value) };
    }
}

/// A terminated text that a program passes.
///
/// # Errors
/// `INVALID_NULL_POINTER`.
///
/// # Safety
/// `text` is null or terminated.
pub unsafe fn text(text: *const c_char) -> Answer<String> {
    if text.is_null() {
        return Err(ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    }
    // SAFETY: as the caller says.
    let text = unsafe { CStr::from_ptr(text) };
    Ok(text.to_string_lossy().into_owned())
}

/// A text as an array of characters with room for a terminator.
pub fn letters(text: &str) -> [c_char; 256] {
    let mut array = [0; 256];
    for (place, byte) in array[..255].iter_mut().zip(text.bytes()) {
        *place = byte as c_char;
    }
    array
}
