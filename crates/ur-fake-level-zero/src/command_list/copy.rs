//! Commands that copy and fill memory.

use super::{CommandList, append};
use crate::call::get;
use crate::command::{Action, Command};
use crate::copy::{Rect, Region};
use crate::world::{Kind, World};
use crate::ze::*;
use std::ffi::c_void;

/// A copy of bytes.
fn copy(
    world: &mut World,
    mut command: Command,
    dst: *mut c_void,
    src: *const c_void,
    size: usize,
) -> Answer<Command> {
    let (dst, src) = (dst as usize, src as usize);
    command.memory.push(world.range(dst, size)?);
    command.memory.push(world.range(src, size)?);
    command.action = Action::Copy { dst, src, size };
    Ok(command)
}

/// Appends a copy.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeCommandListAppendMemoryCopy(
    list: ze_command_list_handle_t,
    dst: *mut c_void,
    src: *const c_void,
    size: usize,
    signal: ze_event_handle_t,
    count: u32,
    waits: *const ze_event_handle_t,
) -> ze_result_t {
    let name = "zeCommandListAppendMemoryCopy";
    // SAFETY: as the caller says.
    unsafe {
        append(name, list, signal, (count, waits), |world, _, command| {
            copy(world, command, dst, src, size)
        })
    }
}

/// Appends a copy from memory of another context.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeCommandListAppendMemoryCopyFromContext(
    list: ze_command_list_handle_t,
    dst: *mut c_void,
    context: ze_context_handle_t,
    src: *const c_void,
    size: usize,
    signal: ze_event_handle_t,
    count: u32,
    waits: *const ze_event_handle_t,
) -> ze_result_t {
    let name = "zeCommandListAppendMemoryCopyFromContext";
    // SAFETY: as the caller says.
    unsafe {
        append(name, list, signal, (count, waits), |world, _, command| {
            if !context.is_null() {
                world.context(context.to_native())?;
            }
            copy(world, command, dst, src, size)
        })
    }
}

/// Appends a fill.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeCommandListAppendMemoryFill(
    of: ze_command_list_handle_t,
    dst: *mut c_void,
    pattern: *const c_void,
    pattern_size: usize,
    size: usize,
    signal: ze_event_handle_t,
    count: u32,
    waits: *const ze_event_handle_t,
) -> ze_result_t {
    let name = "zeCommandListAppendMemoryFill";
    // SAFETY: as the caller says.
    unsafe {
        append(
            name,
            of,
            signal,
            (count, waits),
            |world, list, mut command| {
                let settings = world.settings_of(list.engine.device, Kind::Device)?;
                let groups = crate::device::groups(&settings);
                let group = groups.get(list.engine.ordinal as usize);
                let most = group.map_or(0, |group| group.maxMemoryFillPatternSize);
                if pattern_size == 0 || pattern_size > most || !pattern_size.is_power_of_two() {
                    return Err(ZE_RESULT_ERROR_INVALID_SIZE);
                }
                command.memory.push(world.range(dst as usize, size)?);
                let pattern = crate::call::list(pattern.cast::<u8>(), pattern_size)?;
                command.action = Action::Fill {
                    dst: dst as usize,
                    size,
                    pattern: pattern.into(),
                };
                Ok(command)
            },
        )
    }
}

/// Where a box of memory is and how large it is; a depth of 0 stands for 1.
fn rect(
    world: &mut World,
    start: usize,
    region: &ze_copy_region_t,
    pitch: u32,
    slice: u32,
) -> Answer<(Rect, Region, usize)> {
    let size = Region {
        width: region.width as usize,
        height: region.height.max(1) as usize,
        depth: region.depth.max(1) as usize,
    };
    let origin = region.originX as usize
        + region.originY as usize * pitch as usize
        + region.originZ as usize * slice as usize;
    let rect = Rect {
        start: start + origin,
        row_pitch: pitch as usize,
        slice_pitch: slice as usize,
    };
    if pitch < region.width || (size.depth > 1 && (slice as usize) < size.height * pitch as usize) {
        return Err(ZE_RESULT_ERROR_INVALID_SIZE);
    }
    let span = rect.span(size).ok_or(ZE_RESULT_ERROR_INVALID_SIZE)?;
    let memory = world.range(rect.start, span)?;
    Ok((rect, size, memory))
}

/// Appends a copy of a box.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeCommandListAppendMemoryCopyRegion(
    list: ze_command_list_handle_t,
    dst: *mut c_void,
    dst_region: *const ze_copy_region_t,
    dst_pitch: u32,
    dst_slice: u32,
    src: *const c_void,
    src_region: *const ze_copy_region_t,
    src_pitch: u32,
    src_slice: u32,
    signal: ze_event_handle_t,
    count: u32,
    waits: *const ze_event_handle_t,
) -> ze_result_t {
    let name = "zeCommandListAppendMemoryCopyRegion";
    // SAFETY: as the caller says.
    unsafe {
        append(
            name,
            list,
            signal,
            (count, waits),
            |world, _, mut command| {
                let (dst_region, src_region) = (get(dst_region)?, get(src_region)?);
                let size = |of: &ze_copy_region_t| (of.width, of.height, of.depth);
                if size(&dst_region) != size(&src_region) {
                    return Err(ZE_RESULT_ERROR_INVALID_SIZE);
                }
                let (to, region, first) =
                    rect(world, dst as usize, &dst_region, dst_pitch, dst_slice)?;
                let (from, _, second) =
                    rect(world, src as usize, &src_region, src_pitch, src_slice)?;
                command.memory.extend([first, second]);
                command.action = Action::Rect {
                    dst: to,
                    src: from,
                    region,
                    keep: Vec::new(),
                };
                Ok(command)
            },
        )
    }
}

/// Appends a hint, which does nothing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeCommandListAppendMemoryPrefetch(
    list: ze_command_list_handle_t,
    start: *const c_void,
    size: usize,
) -> ze_result_t {
    let name = "zeCommandListAppendMemoryPrefetch";
    let (signal, none) = (ze_event_handle_t::NULL, (0, std::ptr::null()));
    // SAFETY: no list of events.
    unsafe {
        append(name, list, signal, none, |world, _, command| {
            hint(world, command, start, size)
        })
    }
}

/// Appends a hint, which does nothing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeCommandListAppendMemAdvise(
    list: ze_command_list_handle_t,
    device: ze_device_handle_t,
    start: *const c_void,
    size: usize,
    advice: u32,
) -> ze_result_t {
    let name = "zeCommandListAppendMemAdvise";
    let (signal, none) = (ze_event_handle_t::NULL, (0, std::ptr::null()));
    // SAFETY: no list of events.
    unsafe {
        append(name, list, signal, none, |world, list, command| {
            world.device_in(list.context, device.to_native())?;
            if advice > 9 {
                return Err(ZE_RESULT_ERROR_INVALID_ENUMERATION);
            }
            hint(world, command, start, size)
        })
    }
}

/// A command for a hint about memory of the driver's.
fn hint(
    world: &mut World,
    mut command: Command,
    start: *const c_void,
    size: usize,
) -> Answer<Command> {
    let memory = world.range(start as usize, size)?;
    if world.find_memory(memory).is_none() {
        return Err(ZE_RESULT_ERROR_INVALID_ARGUMENT);
    }
    command.memory.push(memory);
    Ok(command)
}

/// Lists that only copy take no kernels.
///
/// # Errors
/// `INVALID_COMMAND_LIST_TYPE`.
pub fn needs_compute(world: &mut World, list: &CommandList) -> Answer {
    let settings = world.settings_of(list.engine.device, Kind::Device)?;
    let groups = crate::device::groups(&settings);
    let group = groups.get(list.engine.ordinal as usize);
    match group {
        Some(group) if group.flags & ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COMPUTE != 0 => Ok(()),
        _ => Err(ZE_RESULT_ERROR_INVALID_COMMAND_LIST_TYPE),
    }
}
