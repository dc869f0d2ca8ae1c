//! Commands that wait, signal, reset and tell the time.

use super::append;
use crate::call::list;
use crate::command::Action;
use crate::world::Kind;
use crate::ze::*;
use std::ffi::c_void;

/// Appends a barrier: without events it begins when all before it have ended; nothing behind it begins
/// before it has ended.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeCommandListAppendBarrier(
    list: ze_command_list_handle_t,
    signal: ze_event_handle_t,
    count: u32,
    waits: *const ze_event_handle_t,
) -> ze_result_t {
    let name = "zeCommandListAppendBarrier";
    // SAFETY: as the caller says.
    unsafe {
        append(name, list, signal, (count, waits), |_, _, mut command| {
            command.drains = count == 0;
            command.blocks = true;
            Ok(command)
        })
    }
}

/// Appends a barrier for memory.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeCommandListAppendMemoryRangesBarrier(
    of: ze_command_list_handle_t,
    ranges: u32,
    sizes: *const usize,
    starts: *const *const c_void,
    signal: ze_event_handle_t,
    count: u32,
    waits: *const ze_event_handle_t,
) -> ze_result_t {
    let name = "zeCommandListAppendMemoryRangesBarrier";
    // SAFETY: as the caller says.
    unsafe {
        append(name, of, signal, (count, waits), |world, _, mut command| {
            let sizes = list(sizes, ranges as usize)?;
            let starts = list(starts, ranges as usize)?;
            for (start, size) in starts.iter().zip(sizes) {
                command.memory.push(world.range(*start as usize, size)?);
            }
            command.drains = count == 0;
            command.blocks = true;
            Ok(command)
        })
    }
}

/// Appends a signal, which comes when all before it have ended.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeCommandListAppendSignalEvent(
    list: ze_command_list_handle_t,
    event: ze_event_handle_t,
) -> ze_result_t {
    let (name, none) = ("zeCommandListAppendSignalEvent", (0, std::ptr::null()));
    // SAFETY: no list of events.
    unsafe {
        append(name, list, event, none, |world, _, mut command| {
            world.event(event.to_native())?;
            command.drains = true;
            Ok(command)
        })
    }
}

/// Appends a wait: nothing behind it begins before the events are signalled.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeCommandListAppendWaitOnEvents(
    list: ze_command_list_handle_t,
    count: u32,
    waits: *const ze_event_handle_t,
) -> ze_result_t {
    let (name, none) = ("zeCommandListAppendWaitOnEvents", ze_event_handle_t::NULL);
    // SAFETY: as the caller says.
    unsafe {
        append(name, list, none, (count, waits), |_, _, mut command| {
            command.blocks = true;
            Ok(command)
        })
    }
}

/// Appends that an event is reset; nothing behind it begins before.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeCommandListAppendEventReset(
    list: ze_command_list_handle_t,
    event: ze_event_handle_t,
) -> ze_result_t {
    let (name, none) = ("zeCommandListAppendEventReset", (0, std::ptr::null()));
    let signal = ze_event_handle_t::NULL;
    // SAFETY: no list of events.
    unsafe {
        append(name, list, signal, none, |world, _, mut command| {
            let event = world.manual(event)?;
            command.needs.push(event);
            command.action = Action::Reset(event);
            command.blocks = true;
            Ok(command)
        })
    }
}

/// Appends that the device's time is written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeCommandListAppendWriteGlobalTimestamp(
    list: ze_command_list_handle_t,
    dst: *mut u64,
    signal: ze_event_handle_t,
    count: u32,
    waits: *const ze_event_handle_t,
) -> ze_result_t {
    let name = "zeCommandListAppendWriteGlobalTimestamp";
    // SAFETY: as the caller says.
    unsafe {
        append(
            name,
            list,
            signal,
            (count, waits),
            |world, _, mut command| {
                command.memory.push(world.range(dst as usize, 8)?);
                command.action = Action::Clock { dst: dst as usize };
                Ok(command)
            },
        )
    }
}

/// Appends that times of events are written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeCommandListAppendQueryKernelTimestamps(
    of: ze_command_list_handle_t,
    number: u32,
    events: *const ze_event_handle_t,
    dst: *mut c_void,
    offsets: *const usize,
    signal: ze_event_handle_t,
    count: u32,
    waits: *const ze_event_handle_t,
) -> ze_result_t {
    let name = "zeCommandListAppendQueryKernelTimestamps";
    // SAFETY: as the caller says.
    unsafe {
        append(name, of, signal, (count, waits), |world, _, mut command| {
            let events = list(events, number as usize)?;
            let offsets = match offsets.is_null() {
                true => None,
                false => Some(list(offsets, number as usize)?),
            };
            let size = size_of::<ze_kernel_timestamp_result_t>();
            for (place, event) in events.iter().enumerate() {
                let event = world.refer(event.to_native(), Kind::Event)?;
                if !world.event(event.handle)?.timed {
                    return world.wrong(
                        ZE_RESULT_ERROR_INVALID_ARGUMENT,
                        "times are asked of an event that has none",
                    );
                }
                let offset = offsets.as_ref().map_or(place * size, |all| all[place]);
                command
                    .memory
                    .push(world.range(dst as usize + offset, size)?);
                command.needs.push(event);
            }
            command.action = Action::Times {
                events: command.needs.clone(),
                dst: dst as usize,
                offsets,
            };
            Ok(command)
        })
    }
}
