//! Commands that copy images.

use super::append;
use crate::call::get;
use crate::command::Action;
use crate::copy::{Rect, Region};
use crate::image::Texels;
use crate::world::{Kind, Ref, World};
use crate::ze::*;
use std::ffi::c_void;
use std::sync::Arc;

fn texels(world: &mut World, image: ze_image_handle_t) -> Answer<(Ref, Arc<Texels>)> {
    let of = world.refer(image.to_native(), Kind::Image)?;
    Ok((of, world.image(of.handle)?.texels.clone()))
}

/// A region that may be left out.
///
/// # Safety
/// `region` is null or leads to one.
unsafe fn region(region: *const ze_image_region_t) -> Answer<Option<ze_image_region_t>> {
    match region.is_null() {
        true => Ok(None),
        // SAFETY: as the caller says.
        false => Ok(Some(unsafe { get(region) }?)),
    }
}

/// Memory of the program for a region: pitches of 0 stand for none between rows and slices.
fn memory(
    world: &mut World,
    start: usize,
    region: Region,
    (row, slice): (u32, u32),
) -> Answer<Rect> {
    let row_pitch = match row as usize {
        0 => region.width,
        pitch => pitch,
    };
    let slice_pitch = match slice as usize {
        0 => row_pitch * region.height,
        pitch => pitch,
    };
    if row_pitch < region.width || (region.depth > 1 && slice_pitch < row_pitch * region.height) {
        return Err(ZE_RESULT_ERROR_INVALID_ARGUMENT);
    }
    let rect = Rect {
        start,
        row_pitch,
        slice_pitch,
    };
    let span = rect.span(region).ok_or(ZE_RESULT_ERROR_INVALID_SIZE)?;
    world.range(start, span)?;
    Ok(rect)
}

/// Appends a copy of a whole image.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeCommandListAppendImageCopy(
    list: ze_command_list_handle_t,
    dst: ze_image_handle_t,
    src: ze_image_handle_t,
    signal: ze_event_handle_t,
    count: u32,
    waits: *const ze_event_handle_t,
) -> ze_result_t {
    let all = std::ptr::null();
    let name = "zeCommandListAppendImageCopy";
    // SAFETY: as the caller says.
    unsafe { copy(name, list, (dst, all), (src, all), signal, (count, waits)) }
}

/// Appends a copy of a region from image to image.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeCommandListAppendImageCopyRegion(
    list: ze_command_list_handle_t,
    dst: ze_image_handle_t,
    src: ze_image_handle_t,
    dst_region: *const ze_image_region_t,
    src_region: *const ze_image_region_t,
    signal: ze_event_handle_t,
    count: u32,
    waits: *const ze_event_handle_t,
) -> ze_result_t {
    let name = "zeCommandListAppendImageCopyRegion";
    let (dst, src) = ((dst, dst_region), (src, src_region));
    // SAFETY: as the caller says.
    unsafe { copy(name, list, dst, src, signal, (count, waits)) }
}

unsafe fn copy(
    name: &'static str,
    list: ze_command_list_handle_t,
    (dst, dst_region): (ze_image_handle_t, *const ze_image_region_t),
    (src, src_region): (ze_image_handle_t, *const ze_image_region_t),
    signal: ze_event_handle_t,
    waits: (u32, *const ze_event_handle_t),
) -> ze_result_t {
    // SAFETY: as the caller says.
    unsafe {
        append(name, list, signal, waits, |world, _, mut command| {
            let (to, to_texels) = texels(world, dst)?;
            let (from, from_texels) = texels(world, src)?;
            if to_texels.descriptor.format != from_texels.descriptor.format {
                return Err(ZE_RESULT_ERROR_INVALID_ARGUMENT);
            }
            let (dst, size) = to_texels.rect(world, region(dst_region)?.as_ref())?;
            let (src, other) = from_texels.rect(world, region(src_region)?.as_ref())?;
            if size != other {
                return Err(ZE_RESULT_ERROR_INVALID_ARGUMENT);
            }
            command.needs.extend([to, from]);
            command.action = Action::Rect {
                dst,
                src,
                region: size,
                keep: vec![to_texels, from_texels],
            };
            Ok(command)
        })
    }
}

/// Appends a copy of a region of an image to memory, without gaps there.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeCommandListAppendImageCopyToMemory(
    list: ze_command_list_handle_t,
    dst: *mut c_void,
    src: ze_image_handle_t,
    region: *const ze_image_region_t,
    signal: ze_event_handle_t,
    count: u32,
    waits: *const ze_event_handle_t,
) -> ze_result_t {
    let name = "zeCommandListAppendImageCopyToMemory";
    // SAFETY: as the caller says.
    unsafe {
        read(
            name,
            list,
            (dst, src, region),
            (0, 0),
            signal,
            (count, waits),
        )
    }
}

/// Appends a copy of a region of an image to memory.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeCommandListAppendImageCopyToMemoryExt(
    list: ze_command_list_handle_t,
    dst: *mut c_void,
    src: ze_image_handle_t,
    region: *const ze_image_region_t,
    row: u32,
    slice: u32,
    signal: ze_event_handle_t,
    count: u32,
    waits: *const ze_event_handle_t,
) -> ze_result_t {
    let name = "zeCommandListAppendImageCopyToMemoryExt";
    // SAFETY: as the caller says.
    unsafe {
        read(
            name,
            list,
            (dst, src, region),
            (row, slice),
            signal,
            (count, waits),
        )
    }
}

unsafe fn read(
    name: &'static str,
    list: ze_command_list_handle_t,
    (dst, src, wanted): (*mut c_void, ze_image_handle_t, *const ze_image_region_t),
    pitches: (u32, u32),
    signal: ze_event_handle_t,
    waits: (u32, *const ze_event_handle_t),
) -> ze_result_t {
    // SAFETY: as the caller says.
    unsafe {
        append(name, list, signal, waits, |world, _, mut command| {
            if name.ends_with("Ext") {
                world.needs(list.to_native(), Kind::CommandList, 3)?;
            }
            let (from, texels) = texels(world, src)?;
            let (src, region) = texels.rect(world, region(wanted)?.as_ref())?;
            let dst = memory(world, dst as usize, region, pitches)?;
            command.needs.push(from);
            command.memory.push(dst.start);
            command.action = Action::Rect {
                dst,
                src,
                region,
                keep: vec![texels],
            };
            Ok(command)
        })
    }
}

/// Appends a copy from memory, without gaps there, to a region of an image.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeCommandListAppendImageCopyFromMemory(
    list: ze_command_list_handle_t,
    dst: ze_image_handle_t,
    src: *const c_void,
    region: *const ze_image_region_t,
    signal: ze_event_handle_t,
    count: u32,
    waits: *const ze_event_handle_t,
) -> ze_result_t {
    let name = "zeCommandListAppendImageCopyFromMemory";
    // SAFETY: as the caller says.
    unsafe {
        write(
            name,
            list,
            (dst, src, region),
            (0, 0),
            signal,
            (count, waits),
        )
    }
}

/// Appends a copy from memory to a region of an image.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeCommandListAppendImageCopyFromMemoryExt(
    list: ze_command_list_handle_t,
    dst: ze_image_handle_t,
    src: *const c_void,
    region: *const ze_image_region_t,
    row: u32,
    slice: u32,
    signal: ze_event_handle_t,
    count: u32,
    waits: *const ze_event_handle_t,
) -> ze_result_t {
    let name = "zeCommandListAppendImageCopyFromMemoryExt";
    // SAFETY: as the caller says.
    unsafe {
        write(
            name,
            list,
            (dst, src, region),
            (row, slice),
            signal,
            (count, waits),
        )
    }
}

unsafe fn write(
    name: &'static str,
    list: ze_command_list_handle_t,
    (dst, src, wanted): (ze_image_handle_t, *const c_void, *const ze_image_region_t),
    pitches: (u32, u32),
    signal: ze_event_handle_t,
    waits: (u32, *const ze_event_handle_t),
) -> ze_result_t {
    // SAFETY: as the caller says.
    unsafe {
        append(name, list, signal, waits, |world, _, mut command| {
            if name.ends_with("Ext") {
                world.needs(list.to_native(), Kind::CommandList, 3)?;
            }
            let (to, texels) = texels(world, dst)?;
            let (dst, region) = texels.rect(world, region(wanted)?.as_ref())?;
            let src = memory(world, src as usize, region, pitches)?;
            command.needs.push(to);
            command.memory.push(src.start);
            command.action = Action::Rect {
                dst,
                src,
                region,
                keep: vec![texels],
            };
            Ok(command)
        })
    }
}
