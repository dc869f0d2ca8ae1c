//! How a test tells the drivers what to do, and asks what was done. The functions are exported; a test
//! opens the library once more, by the path that it is used from.

use crate::call::{changed, world};
use crate::world::{Kind, Plan};
use crate::ze::ze_result_t;
use std::ffi::{CStr, c_char};

/// Kinds in the order of their numbers.
pub const KINDS: [Kind; 14] = [
    Kind::Driver,
    Kind::Device,
    Kind::Context,
    Kind::CommandQueue,
    Kind::CommandList,
    Kind::Fence,
    Kind::EventPool,
    Kind::Event,
    Kind::Image,
    Kind::Sampler,
    Kind::Module,
    Kind::BuildLog,
    Kind::Kernel,
    Kind::PhysicalMem,
];

/// Forgets orders, calls and faults, and lets commands begin. Objects stay.
#[unsafe(no_mangle)]
pub extern "C" fn fake_reset() {
    let mut world = world();
    world.plan = None;
    world.failed.clear();
    world.calls.clear();
    world.record = None;
    world.faults.clear();
    world.engines.held = false;
    world.engines.steps = 0;
    world.engines.mute = false;
    world.engines.lost = false;
    world.tell(usize::MAX);
    drop(world);
    changed();
}

/// Lets calls of a function fail, or of any if the name is `*` (but those that destroy, free, or signal
/// events): after `skip` more calls the next `times`. It replaces what was ordered before.
///
/// # Safety
/// `name` is a terminated text.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fake_fail(name: *const c_char, code: ze_result_t, skip: u64, times: u64) {
    // SAFETY: as the caller says.
    let name = unsafe { CStr::from_ptr(name) };
    let name = name.to_string_lossy().into_owned();
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

/// Whether places of handles are used again at once, by any kind of object. Otherwise they never are,
/// so that no use of a handle that is no more stays unnoticed.
#[unsafe(no_mangle)]
pub extern "C" fn fake_recycle(recycles: bool) {
    world().recycles = recycles;
}

/// Whether commands begin only as [`fake_step`] says.
#[unsafe(no_mangle)]
pub extern "C" fn fake_hold(holds: bool) {
    let mut world = world();
    world.engines.held = holds;
    world.engines.steps = 0;
    drop(world);
    changed();
}

/// Lets as many commands begin, of those that are held and wait for nothing else, now or later.
#[unsafe(no_mangle)]
pub extern "C" fn fake_step(count: u64) {
    world().engines.steps += count;
    changed();
}

/// Whether commands that did their work end only as [`fake_tell`] says: what they did can be seen, and
/// no event is signalled.
#[unsafe(no_mangle)]
pub extern "C" fn fake_mute(mute: bool) {
    let mut world = world();
    world.engines.mute = mute;
    if !mute {
        world.tell(usize::MAX);
    }
    drop(world);
    changed();
}

/// Lets as many commands end that did their work, in the order in which they did.
#[unsafe(no_mangle)]
pub extern "C" fn fake_tell(count: usize) {
    world().tell(count);
    changed();
}

/// Loses the devices, until [`fake_reset`]: what has not begun never does, and waits and new commands
/// fail.
#[unsafe(no_mangle)]
pub extern "C" fn fake_lose() {
    world().lose();
    changed();
}

/// Sets the devices' clock, in ticks: its times and those of commands lose their upper bits.
#[unsafe(no_mangle)]
pub extern "C" fn fake_clock(ticks: u64) {
    crate::clock::set(ticks);
}

/// How many commands have not ended.
#[unsafe(no_mangle)]
pub extern "C" fn fake_unfinished() -> usize {
    world().engines.unfinished()
}

/// Which command begins, of several that can, is chosen by another sequence.
#[unsafe(no_mangle)]
pub extern "C" fn fake_seed(seed: u64) {
    world().engines.choice = seed.max(1);
}

/// How many objects of a kind are alive, by its place in [`Kind`]; for the number behind the last kind,
/// how many allocations; the next one, how many reservations of addresses; the next one, how many ranges
/// of the program's that were imported; for any other, how many of all but drivers and devices.
#[unsafe(no_mangle)]
pub extern "C" fn fake_alive(kind: u32) -> usize {
    let world = world();
    let count = KINDS.len();
    match KINDS.get(kind as usize) {
        Some(kind) => world.alive(*kind),
        None if kind as usize == count => world.allocations.len(),
        None if kind as usize == count + 1 => world.reservations.len(),
        None if kind as usize == count + 2 => world.imported.len(),
        None => {
            let kinds = KINDS[2..].iter();
            let objects = kinds.map(|kind| world.alive(*kind)).sum::<usize>();
            let memory = world.allocations.len() + world.reservations.len();
            objects + memory + world.imported.len()
        }
    }
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

/// Whether the names of functions are noted as they are called; begins anew.
#[unsafe(no_mangle)]
pub extern "C" fn fake_record(records: bool) {
    world().record = records.then(Vec::new);
}

/// Writes the names that were noted, one on a line, as much as fits; gives the whole length.
///
/// # Safety
/// `to` has room for `size` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fake_recorded(to: *mut u8, size: usize) -> usize {
    let text = world().record.as_deref().unwrap_or_default().join("\n");
    // SAFETY: as the caller says.
    unsafe { write(text.as_bytes(), to, size) }
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

/// Notes a fault, for a test of what looks for them.
///
/// # Safety
/// `what` is a terminated text.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fake_fault(what: *const c_char) {
    // SAFETY: as the caller says.
    let what = unsafe { CStr::from_ptr(what) };
    world().fault(what.to_string_lossy());
}
