//! How a test tells the driver what to do, and asks what was done. The functions are exported; a test
//! opens the library once more, by the path that the OpenCL library has it from.

use crate::call::world;
use crate::cl::cl_int;
use crate::world::{Kind, Plan};
use std::ffi::{CStr, c_char};

const KINDS: [Kind; 10] = [
    Kind::Platform,
    Kind::Device,
    Kind::Context,
    Kind::Queue,
    Kind::Event,
    Kind::Mem,
    Kind::Sampler,
    Kind::Program,
    Kind::Kernel,
    Kind::CommandBuffer,
];

/// Forgets orders, calls, faults and launches. Objects stay.
#[unsafe(no_mangle)]
pub extern "C" fn fake_reset() {
    let mut world = world();
    world.plan = None;
    world.outcomes.clear();
    world.failed.clear();
    world.calls.clear();
    world.faults.clear();
    world.launches.clear();
}

/// Lets calls of a function fail, or of any if the name is `*` (but those that release, or complete
/// user events): after `skip` more calls the next `times`. It replaces what was ordered before.
///
/// # Safety
/// `name` is a terminated text.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fake_fail(name: *const c_char, code: cl_int, skip: u64, times: u64) {
    // SAFETY: as the caller says.
    let name = unsafe { CStr::from_ptr(name) }
        .to_string_lossy()
        .into_owned();
    world().plan = Some(Plan {
        name,
        code,
        skip,
        times,
    });
}

/// How many calls failed by order.
#[unsafe(no_mangle)]
pub extern "C" fn fake_failed() -> usize {
    world().failed.len()
}

/// Writes the name of the function that failed last by order, as much as fits; gives the whole length.
///
/// # Safety
/// `to` has room for `size` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fake_failed_last(to: *mut u8, size: usize) -> usize {
    let world = world();
    let name = world.failed.last().map_or("", String::as_str);
    // SAFETY: as the caller says.
    unsafe { write(name.as_bytes(), to, size) }
}

/// Lets a command that is enqueued later end with this status; each call is for one more command.
#[unsafe(no_mangle)]
pub extern "C" fn fake_outcome(status: cl_int) {
    world().outcomes.push(status);
}

/// Whether places of handles are used again at once, by any kind of object. Otherwise they never are,
/// so that no use of a handle that is no more stays unnoticed.
#[unsafe(no_mangle)]
pub extern "C" fn fake_recycle(recycles: bool) {
    world().recycles = recycles;
}

/// Whether commands are kept back until their queue is flushed.
#[unsafe(no_mangle)]
pub extern "C" fn fake_lazy(lazy: bool) {
    world().lazy = lazy;
}

/// How many objects of a kind are alive, by its place in [`Kind`], without platforms and root devices;
/// for the number behind the last kind, how many allocations; for any other, how many of all.
#[unsafe(no_mangle)]
pub extern "C" fn fake_alive(kind: u32) -> usize {
    let world = world();
    match KINDS.get(kind as usize) {
        Some(kind) => world.alive(*kind),
        None if kind as usize == KINDS.len() => world.allocations.len(),
        None => {
            let objects = KINDS.iter().map(|kind| world.alive(*kind)).sum::<usize>();
            objects + world.allocations.len()
        }
    }
}

/// How many threads are in a call that waits for a command.
#[unsafe(no_mangle)]
pub extern "C" fn fake_waiting() -> usize {
    world().waiting
}

/// How often a function was called.
///
/// # Safety
/// `name` is a terminated text.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fake_calls(name: *const c_char) -> u64 {
    // SAFETY: as the caller says.
    let name = unsafe { CStr::from_ptr(name) }.to_string_lossy();
    world().calls.get(&*name).copied().unwrap_or(0)
}

/// Writes as much as fits of these bytes, and gives their number.
unsafe fn write(bytes: &[u8], to: *mut u8, size: usize) -> usize {
    // SAFETY: the caller has room for `size` bytes.
    unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), to, bytes.len().min(size)) };
    bytes.len()
}

/// Writes what was done wrong, a line for each fault, as much as fits; gives the whole length.
///
/// # Safety
/// `to` has room for `size` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fake_faults(to: *mut u8, size: usize) -> usize {
    let text = world().faults.join("\n");
    // SAFETY: as the caller says.
    unsafe { write(text.as_bytes(), to, size) }
}

/// How many launches there were.
#[unsafe(no_mangle)]
pub extern "C" fn fake_launches() -> usize {
    world().launches.len()
}

/// Writes the bytes of an argument of a launch, as much as fits; gives the whole length, 0 for none.
///
/// # Safety
/// `to` has room for `size` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fake_argument(
    launch: usize,
    index: usize,
    to: *mut u8,
    size: usize,
) -> usize {
    let world = world();
    let launch = world.launches.get(launch);
    let bytes = launch.and_then(|launch| launch.args.get(index));
    let bytes = bytes.map_or(&[][..], Vec::as_slice);
    // SAFETY: as the caller says.
    unsafe { write(bytes, to, size) }
}
