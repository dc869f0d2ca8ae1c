//! What every function does: it takes the lock, counts itself, fails if it was told to, and makes the
//! callbacks that are due, without the lock.

use crate::cl::*;
use crate::settings::{EVERYTHING, Settings};
use crate::world::{Kind, World};
use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Condvar, LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

static WORLD: LazyLock<Mutex<World>> = LazyLock::new(|| {
    let text = std::env::var("UR_FAKE_OPENCL");
    let text = text.unwrap_or_else(|_| EVERYTHING.to_owned());
    let mut world = World::default();
    match Settings::parse_all(&text) {
        Ok(all) => all.into_iter().for_each(|one| world.add_platform(one)),
        Err(reason) => world.fault(format!("UR_FAKE_OPENCL: {reason}")),
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

/// Makes the callbacks that are due.
fn settle(mut world: MutexGuard<'_, World>) {
    let due = std::mem::take(&mut world.due);
    drop(world);
    CHANGED.notify_all();
    for one in due {
        one.call();
    }
}

/// Runs a function of OpenCL on the world.
///
/// # Errors
/// What it was told to fail with; what `body` gives; `CL_OUT_OF_RESOURCES` for a panic, which is noted.
pub fn call<T>(
    name: &'static str,
    body: impl FnOnce(&mut World) -> Result<T, cl_int>,
) -> Result<T, cl_int> {
    let mut world = world();
    *world.calls.entry(name).or_default() += 1;
    let result = match world.fails(name) {
        Some(code) => Err(code),
        None => catch_unwind(AssertUnwindSafe(|| body(&mut world))).unwrap_or_else(|_| {
            world.fault(format!("{name} panicked"));
            Err(CL_OUT_OF_RESOURCES)
        }),
    };
    settle(world);
    result
}

/// As [`call`], for a function of a platform's extension, on an object which must be of that platform.
///
/// # Errors
/// As [`call`]; the error for the object if it is of another platform, which is noted.
pub fn call_of<T>(
    platform: usize,
    name: &'static str,
    (handle, kind): (usize, Kind),
    body: impl FnOnce(&mut World) -> Result<T, cl_int>,
) -> Result<T, cl_int> {
    call(name, |world| {
        let of = world.platform_of(handle, kind)?;
        if of != platform {
            world.fault(format!("{name} of platform {platform} for one of {of}"));
            return Err(kind.invalid());
        }
        body(world)
    })
}

/// Waits until there is an answer.
///
/// # Errors
/// What the answer says; `CL_OUT_OF_RESOURCES` when there is none for a minute, which is noted.
pub fn wait(
    name: &str,
    mut answer: impl FnMut(&mut World) -> Option<Result<(), cl_int>>,
) -> Result<(), cl_int> {
    let mut world = world();
    loop {
        if let Some(answer) = answer(&mut world) {
            return answer;
        }
        world.waiting += 1;
        let (woken, timeout) = CHANGED
            .wait_timeout(world, FOR_EVER)
            .unwrap_or_else(PoisonError::into_inner);
        world = woken;
        world.waiting -= 1;
        if timeout.timed_out() {
            world.fault(format!("{name} waits for ever"));
            return Err(CL_OUT_OF_RESOURCES);
        }
    }
}

/// The code of a result.
pub fn code(result: Result<(), cl_int>) -> cl_int {
    result.err().unwrap_or(CL_SUCCESS)
}

/// What a function gives that makes something: that, or null with the reason at `place`.
///
/// # Safety
/// `place` is null or has room for a code.
pub unsafe fn made<T>(place: *mut cl_int, result: Result<usize, cl_int>, of: fn(usize) -> T) -> T {
    let (value, code) = match result {
        Ok(value) => (value, CL_SUCCESS),
        Err(code) => (0, code),
    };
    if !place.is_null() {
        // SAFETY: as the caller says.
        unsafe { place.write(code) };
    }
    of(value)
}

/// Answers a query by OpenCL's rules for sizes.
///
/// # Errors
/// `CL_INVALID_VALUE` for a place that is too small.
///
/// # Safety
/// `value` is null or has `size` bytes; `told` is null or has room for a size.
pub unsafe fn tell(
    answer: &[u8],
    size: usize,
    value: *mut c_void,
    told: *mut usize,
) -> Result<(), cl_int> {
    if !value.is_null() {
        if size < answer.len() {
            return Err(CL_INVALID_VALUE);
        }
        // SAFETY: as the caller says.
        unsafe { std::ptr::copy_nonoverlapping(answer.as_ptr(), value.cast(), answer.len()) };
    }
    if !told.is_null() {
        // SAFETY: as the caller says.
        unsafe { told.write(answer.len()) };
    }
    Ok(())
}

/// A list that a program passes.
///
/// # Safety
/// `list` is null or has `count` elements.
pub unsafe fn list<T: Copy>(list: *const T, count: usize) -> Vec<T> {
    match list.is_null() {
        true => Vec::new(),
        // SAFETY: as the caller says.
        false => unsafe { std::slice::from_raw_parts(list, count) }.to_vec(),
    }
}

/// What an answer can be made of.
pub trait Raw {
    /// The bytes as OpenCL has them.
    fn raw(&self) -> Vec<u8>;
}

macro_rules! numbers {
    ($($type:ty),*) => {$(
        impl Raw for $type {
            fn raw(&self) -> Vec<u8> {
                self.to_ne_bytes().to_vec()
            }
        }
    )*};
}

numbers!(u32, i32, u64, usize, isize);

impl<T: Raw> Raw for [T] {
    fn raw(&self) -> Vec<u8> {
        self.iter().flat_map(Raw::raw).collect()
    }
}

impl Raw for str {
    fn raw(&self) -> Vec<u8> {
        let mut bytes = self.as_bytes().to_vec();
        bytes.push(0);
        bytes
    }
}
