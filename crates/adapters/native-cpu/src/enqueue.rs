//! Everything that can be enqueued.

mod call;
mod exp;
pub mod kernel;
pub mod work;

use crate::command::Lane;
use crate::copy::{self, Placement, Rect, Region};
use crate::event::Event;
use crate::memory::Mem;
use crate::order::Kind;
use crate::program::{self, Program};
use crate::queue::Queue;
use crate::{NativeCpu, image};
use call::Call;
use std::ffi::{CStr, c_void};
use ur_adapter::{EnqueueFns, Error, Object, Result, Slot};
use ur_api::*;
use work::{Copy, Fill, INLINE, RectCopy, RowFill};

/// A checked number of dimensions.
///
/// # Errors
/// `INVALID_WORK_DIMENSION`.
pub fn dimensions(work_dim: u32) -> Result<usize> {
    match work_dim {
        1..=3 => Ok(work_dim as usize),
        _ => Err(Error::new(
            UR_RESULT_ERROR_INVALID_WORK_DIMENSION,
            format!("{work_dim} dimensions"),
        )),
    }
}

/// The first `count` sizes at `from`, `default` for the others and for all if there is no array.
///
/// # Safety
/// `from` is null or has `count` elements.
pub unsafe fn sizes(from: *const usize, count: usize, default: u64) -> [u64; 3] {
    std::array::from_fn(|index| {
        if from.is_null() || index >= count {
            default
        } else {
            // SAFETY: not null, and inside of the array.
            unsafe { from.add(index).read() as u64 }
        }
    })
}

/// Offsets and pitches as the API has them.
pub(crate) fn placement(
    origin: ur_rect_offset_t,
    row_pitch: usize,
    slice_pitch: usize,
) -> Placement {
    Placement {
        origin: [origin.x, origin.y, origin.z].map(|at| at as usize),
        row_pitch,
        slice_pitch,
    }
}

pub(crate) fn region(region: ur_rect_region_t) -> Region {
    Region {
        width: region.width as usize,
        height: region.height as usize,
        depth: region.depth as usize,
    }
}

/// A rectangle in a buffer.
pub(crate) fn in_buffer(buffer: &Mem, place: Placement, region: Region) -> Result<Rect> {
    let (rect, end) = place.resolve(region).ok_or_else(bad_rect)?;
    Ok(Rect {
        start: buffer.range(0, end)? + rect.start,
        ..rect
    })
}

/// A rectangle in memory of the program.
pub(crate) fn in_memory(start: *const c_void, place: Placement, region: Region) -> Result<Rect> {
    let (rect, _) = place.resolve(region).ok_or_else(bad_rect)?;
    Ok(Rect {
        start: start as usize + rect.start,
        ..rect
    })
}

fn bad_rect() -> Error {
    Error::new(
        UR_RESULT_ERROR_INVALID_SIZE,
        "empty region, or pitches that do not fit it",
    )
}

pub(crate) fn invalid_size(message: &'static str) -> Error {
    Error::new(UR_RESULT_ERROR_INVALID_SIZE, message)
}

/// Refuses advice that there is not.
///
/// # Errors
/// `INVALID_ENUMERATION`.
pub(crate) fn check_advice(advice: ur_usm_advice_flags_t) -> Result {
    if advice & UR_USM_ADVICE_FLAGS_MASK != 0 {
        return Err(Error::code(UR_RESULT_ERROR_INVALID_ENUMERATION));
    }
    Ok(())
}

/// A copy of a pattern, so that the caller's may change.
///
/// # Safety
/// `pattern` has `size` bytes.
pub(crate) unsafe fn pattern(pattern: *const c_void, size: usize) -> Box<[u8]> {
    // SAFETY: as the caller says.
    unsafe { std::slice::from_raw_parts(pattern.cast::<u8>(), size) }.into()
}

/// The address at `offset` of a program-scope variable, if `size` bytes follow there.
fn in_variable(program: &Program, name: &CStr, offset: usize, size: usize) -> Result<usize> {
    let (address, len) = program::variable(program, name)?;
    match offset.checked_add(size) {
        Some(end) if end <= len => Ok(address + offset),
        _ => Err(Error::value("outside of the variable")),
    }
}

impl EnqueueFns for NativeCpu {
    fn enqueue_events_wait(
        queue: &Object<Queue>,
        event_wait_list: &[&Object<Event>],
        event: &mut Slot<Event>,
    ) -> Result {
        let kind = if event_wait_list.is_empty() {
            Kind::Marker
        } else {
            Kind::Normal
        };
        Call::new(queue, event_wait_list, event, UR_COMMAND_EVENTS_WAIT).order(kind, false)
    }

    fn enqueue_events_wait_with_barrier(
        queue: &Object<Queue>,
        event_wait_list: &[&Object<Event>],
        event: &mut Slot<Event>,
    ) -> Result {
        let kind = if event_wait_list.is_empty() {
            Kind::Barrier
        } else {
            Kind::Fence
        };
        let command = UR_COMMAND_EVENTS_WAIT_WITH_BARRIER;
        Call::new(queue, event_wait_list, event, command).order(kind, false)
    }

    fn enqueue_events_wait_with_barrier_ext(
        queue: &Object<Queue>,
        properties: Option<&ur_exp_enqueue_ext_properties_t>,
        event_wait_list: &[&Object<Event>],
        event: &mut Slot<Event>,
    ) -> Result {
        // The only property is a hint about how events are waited for.
        let known = UR_EXP_ENQUEUE_EXT_FLAG_LOW_POWER_EVENTS_SUPPORT.0;
        if properties.is_some_and(|properties| properties.flags & !known != 0) {
            return Err(Error::code(UR_RESULT_ERROR_INVALID_ENUMERATION));
        }
        Self::enqueue_events_wait_with_barrier(queue, event_wait_list, event)
    }

    unsafe fn enqueue_mem_buffer_read(
        queue: &Object<Queue>,
        buffer: &Object<Mem>,
        blocking_read: bool,
        offset: usize,
        size: usize,
        dst: *mut c_void,
        event_wait_list: &[&Object<Event>],
        event: &mut Slot<Event>,
    ) -> Result {
        let src = buffer.range(offset, size)?;
        let work = Copy::prepare(dst as usize, src, size, [Some(buffer.storage()), None]);
        let kind = UR_COMMAND_MEM_BUFFER_READ;
        Call::new(queue, event_wait_list, event, kind).work(work, blocking_read, Lane::Compute)
    }

    unsafe fn enqueue_mem_buffer_write(
        queue: &Object<Queue>,
        buffer: &Object<Mem>,
        blocking_write: bool,
        offset: usize,
        size: usize,
        src: *const c_void,
        event_wait_list: &[&Object<Event>],
        event: &mut Slot<Event>,
    ) -> Result {
        let dst = buffer.range(offset, size)?;
        let work = Copy::prepare(dst, src as usize, size, [Some(buffer.storage()), None]);
        let kind = UR_COMMAND_MEM_BUFFER_WRITE;
        Call::new(queue, event_wait_list, event, kind).work(work, blocking_write, Lane::Compute)
    }

    unsafe fn enqueue_mem_buffer_read_rect(
        queue: &Object<Queue>,
        buffer: &Object<Mem>,
        blocking_read: bool,
        buffer_origin: ur_rect_offset_t,
        host_origin: ur_rect_offset_t,
        region: ur_rect_region_t,
        buffer_row_pitch: usize,
        buffer_slice_pitch: usize,
        host_row_pitch: usize,
        host_slice_pitch: usize,
        dst: *mut c_void,
        event_wait_list: &[&Object<Event>],
        event: &mut Slot<Event>,
    ) -> Result {
        let region = self::region(region);
        let from = placement(buffer_origin, buffer_row_pitch, buffer_slice_pitch);
        let to = placement(host_origin, host_row_pitch, host_slice_pitch);
        let src = in_buffer(buffer, from, region)?;
        let dst = in_memory(dst, to, region)?;
        let work = RectCopy::prepare(dst, src, region, [Some(buffer.storage()), None]);
        let kind = UR_COMMAND_MEM_BUFFER_READ_RECT;
        Call::new(queue, event_wait_list, event, kind).work(work, blocking_read, Lane::Compute)
    }

    unsafe fn enqueue_mem_buffer_write_rect(
        queue: &Object<Queue>,
        buffer: &Object<Mem>,
        blocking_write: bool,
        buffer_origin: ur_rect_offset_t,
        host_origin: ur_rect_offset_t,
        region: ur_rect_region_t,
        buffer_row_pitch: usize,
        buffer_slice_pitch: usize,
        host_row_pitch: usize,
        host_slice_pitch: usize,
        src: *mut c_void,
        event_wait_list: &[&Object<Event>],
        event: &mut Slot<Event>,
    ) -> Result {
        let region = self::region(region);
        let to = placement(buffer_origin, buffer_row_pitch, buffer_slice_pitch);
        let from = placement(host_origin, host_row_pitch, host_slice_pitch);
        let dst = in_buffer(buffer, to, region)?;
        let src = in_memory(src, from, region)?;
        let work = RectCopy::prepare(dst, src, region, [Some(buffer.storage()), None]);
        let kind = UR_COMMAND_MEM_BUFFER_WRITE_RECT;
        Call::new(queue, event_wait_list, event, kind).work(work, blocking_write, Lane::Compute)
    }

    fn enqueue_mem_buffer_copy(
        queue: &Object<Queue>,
        buffer_src: &Object<Mem>,
        buffer_dst: &Object<Mem>,
        src_offset: usize,
        dst_offset: usize,
        size: usize,
        event_wait_list: &[&Object<Event>],
        event: &mut Slot<Event>,
    ) -> Result {
        let src = buffer_src.range(src_offset, size)?;
        let dst = buffer_dst.range(dst_offset, size)?;
        let keep = [Some(buffer_src.storage()), Some(buffer_dst.storage())];
        let work = Copy::prepare(dst, src, size, keep);
        let kind = UR_COMMAND_MEM_BUFFER_COPY;
        Call::new(queue, event_wait_list, event, kind).work(work, false, Lane::Compute)
    }

    fn enqueue_mem_buffer_copy_rect(
        queue: &Object<Queue>,
        buffer_src: &Object<Mem>,
        buffer_dst: &Object<Mem>,
        src_origin: ur_rect_offset_t,
        dst_origin: ur_rect_offset_t,
        region: ur_rect_region_t,
        src_row_pitch: usize,
        src_slice_pitch: usize,
        dst_row_pitch: usize,
        dst_slice_pitch: usize,
        event_wait_list: &[&Object<Event>],
        event: &mut Slot<Event>,
    ) -> Result {
        let region = self::region(region);
        let from = placement(src_origin, src_row_pitch, src_slice_pitch);
        let to = placement(dst_origin, dst_row_pitch, dst_slice_pitch);
        let src = in_buffer(buffer_src, from, region)?;
        let dst = in_buffer(buffer_dst, to, region)?;
        let keep = [Some(buffer_src.storage()), Some(buffer_dst.storage())];
        let work = RectCopy::prepare(dst, src, region, keep);
        let kind = UR_COMMAND_MEM_BUFFER_COPY_RECT;
        Call::new(queue, event_wait_list, event, kind).work(work, false, Lane::Compute)
    }

    unsafe fn enqueue_mem_image_read(
        queue: &Object<Queue>,
        image: &Object<Mem>,
        blocking_read: bool,
        origin: ur_rect_offset_t,
        region: ur_rect_region_t,
        row_pitch: usize,
        slice_pitch: usize,
        dst: *mut c_void,
        event_wait_list: &[&Object<Event>],
        event: &mut Slot<Event>,
    ) -> Result {
        let pitches = [row_pitch, slice_pitch];
        let work = image::read(image, origin, region, pitches, dst as usize)?;
        let kind = UR_COMMAND_MEM_IMAGE_READ;
        Call::new(queue, event_wait_list, event, kind).work(work, blocking_read, Lane::Compute)
    }

    unsafe fn enqueue_mem_image_write(
        queue: &Object<Queue>,
        image: &Object<Mem>,
        blocking_write: bool,
        origin: ur_rect_offset_t,
        region: ur_rect_region_t,
        row_pitch: usize,
        slice_pitch: usize,
        src: *mut c_void,
        event_wait_list: &[&Object<Event>],
        event: &mut Slot<Event>,
    ) -> Result {
        let pitches = [row_pitch, slice_pitch];
        let work = image::write(image, origin, region, pitches, src as usize)?;
        let kind = UR_COMMAND_MEM_IMAGE_WRITE;
        Call::new(queue, event_wait_list, event, kind).work(work, blocking_write, Lane::Compute)
    }

    fn enqueue_mem_image_copy(
        queue: &Object<Queue>,
        image_src: &Object<Mem>,
        image_dst: &Object<Mem>,
        src_origin: ur_rect_offset_t,
        dst_origin: ur_rect_offset_t,
        region: ur_rect_region_t,
        event_wait_list: &[&Object<Event>],
        event: &mut Slot<Event>,
    ) -> Result {
        let work = image::copy(image_src, image_dst, src_origin, dst_origin, region)?;
        let kind = UR_COMMAND_MEM_IMAGE_COPY;
        Call::new(queue, event_wait_list, event, kind).work(work, false, Lane::Compute)
    }

    unsafe fn enqueue_mem_buffer_fill(
        queue: &Object<Queue>,
        buffer: &Object<Mem>,
        pattern: *const c_void,
        pattern_size: usize,
        offset: usize,
        size: usize,
        event_wait_list: &[&Object<Event>],
        event: &mut Slot<Event>,
    ) -> Result {
        if !pattern_size.is_power_of_two()
            || size == 0
            || !size.is_multiple_of(pattern_size)
            || !offset.is_multiple_of(pattern_size)
        {
            return Err(invalid_size("the pattern does not fit the range"));
        }
        let dst = buffer.range(offset, size)?;
        // SAFETY: the program passes that many bytes.
        let pattern = unsafe { self::pattern(pattern, pattern_size) };
        let work = Fill::prepare(dst, size, pattern, [Some(buffer.storage()), None]);
        let kind = UR_COMMAND_MEM_BUFFER_FILL;
        Call::new(queue, event_wait_list, event, kind).work(work, false, Lane::Compute)
    }

    fn enqueue_mem_buffer_map(
        queue: &Object<Queue>,
        buffer: &Object<Mem>,
        blocking_map: bool,
        map_flags: ur_map_flags_t,
        offset: usize,
        size: usize,
        event_wait_list: &[&Object<Event>],
        event: &mut Slot<Event>,
    ) -> Result<*mut c_void> {
        let (access, discard) = (
            UR_MAP_FLAG_READ.0 | UR_MAP_FLAG_WRITE.0,
            UR_MAP_FLAG_WRITE_INVALIDATE_REGION.0,
        );
        if map_flags & !(access | discard) != 0 {
            return Err(Error::code(UR_RESULT_ERROR_INVALID_ENUMERATION));
        }
        if map_flags & access != 0 && map_flags & discard != 0 {
            return Err(Error::value("a region both used and invalidated"));
        }
        if size == 0 {
            return Err(invalid_size("nothing to map"));
        }
        // The device's memory is the host's: mapping only waits for earlier commands.
        let address = buffer.range(offset, size)?;
        Call::new(queue, event_wait_list, event, UR_COMMAND_MEM_BUFFER_MAP)
            .order(Kind::Normal, blocking_map)?;
        Ok(address as *mut c_void)
    }

    unsafe fn enqueue_mem_unmap(
        queue: &Object<Queue>,
        mem: &Object<Mem>,
        mapped_ptr: *mut c_void,
        event_wait_list: &[&Object<Event>],
        event: &mut Slot<Event>,
    ) -> Result {
        let at = (mapped_ptr as usize).wrapping_sub(mem.start());
        if at >= mem.size() {
            return Err(Error::value("not a pointer into the buffer"));
        }
        Call::new(queue, event_wait_list, event, UR_COMMAND_MEM_UNMAP).order(Kind::Normal, false)
    }

    unsafe fn enqueue_usm_fill(
        queue: &Object<Queue>,
        mem: *mut c_void,
        pattern_size: usize,
        pattern: *const c_void,
        size: usize,
        event_wait_list: &[&Object<Event>],
        event: &mut Slot<Event>,
    ) -> Result {
        if pattern_size == 0 || size == 0 || !size.is_multiple_of(pattern_size) {
            return Err(invalid_size("the pattern does not fit the range"));
        }
        // SAFETY: the program passes that many bytes.
        let pattern = unsafe { self::pattern(pattern, pattern_size) };
        let work = Fill::prepare(mem as usize, size, pattern, [None, None]);
        let kind = UR_COMMAND_USM_FILL;
        Call::new(queue, event_wait_list, event, kind).work(work, false, Lane::Compute)
    }

    unsafe fn enqueue_usm_memcpy(
        queue: &Object<Queue>,
        blocking: bool,
        dst: *mut c_void,
        src: *const c_void,
        size: usize,
        event_wait_list: &[&Object<Event>],
        event: &mut Slot<Event>,
    ) -> Result {
        if size == 0 {
            return Err(invalid_size("nothing to copy"));
        }
        let mut call = Call::new(queue, event_wait_list, event, UR_COMMAND_USM_MEMCPY);
        // SAFETY: the program passes memory of that size.
        let copy = || unsafe { copy::copy(dst as usize, src as usize, size) };
        if size <= INLINE && call.at_once(copy)? {
            return Ok(());
        }
        let work = Copy::prepare(dst as usize, src as usize, size, [None, None]);
        call.work(work, blocking, Lane::Compute)
    }

    unsafe fn enqueue_usm_prefetch(
        queue: &Object<Queue>,
        _: *const c_void,
        size: usize,
        flags: ur_usm_migration_flags_t,
        event_wait_list: &[&Object<Event>],
        event: &mut Slot<Event>,
    ) -> Result {
        let known = UR_USM_MIGRATION_FLAG_HOST_TO_DEVICE.0 | UR_USM_MIGRATION_FLAG_DEVICE_TO_HOST.0;
        if flags & !known != 0 {
            return Err(Error::code(UR_RESULT_ERROR_INVALID_ENUMERATION));
        }
        if size == 0 {
            return Err(invalid_size("nothing to prefetch"));
        }
        // All memory is where the device is.
        Call::new(queue, event_wait_list, event, UR_COMMAND_USM_PREFETCH).order(Kind::Normal, false)
    }

    unsafe fn enqueue_usm_advise(
        queue: &Object<Queue>,
        _: *const c_void,
        size: usize,
        advice: ur_usm_advice_flags_t,
        event: &mut Slot<Event>,
    ) -> Result {
        check_advice(advice)?;
        if size == 0 {
            return Err(invalid_size("no memory to advise on"));
        }
        // Advice is a hint; there is nothing that it could change here.
        Call::new(queue, &[], event, UR_COMMAND_USM_ADVISE).order(Kind::Normal, false)
    }

    unsafe fn enqueue_usm_fill_2d(
        queue: &Object<Queue>,
        mem: *mut c_void,
        pitch: usize,
        pattern_size: usize,
        pattern: *const c_void,
        width: usize,
        height: usize,
        event_wait_list: &[&Object<Event>],
        event: &mut Slot<Event>,
    ) -> Result {
        let fits = width > 0
            && height > 0
            && pitch >= width
            && pattern_size.is_power_of_two()
            && pitch.checked_mul(height).is_some()
            && (width * height).is_multiple_of(pattern_size);
        if !fits {
            return Err(invalid_size("the pattern does not fit the rows"));
        }
        // SAFETY: the program passes that many bytes.
        let pattern = unsafe { self::pattern(pattern, pattern_size) };
        let work = RowFill::prepare(mem as usize, pitch, width, height, pattern);
        let kind = UR_COMMAND_USM_FILL_2D;
        Call::new(queue, event_wait_list, event, kind).work(work, false, Lane::Compute)
    }

    unsafe fn enqueue_usm_memcpy_2d(
        queue: &Object<Queue>,
        blocking: bool,
        dst: *mut c_void,
        dst_pitch: usize,
        src: *const c_void,
        src_pitch: usize,
        width: usize,
        height: usize,
        event_wait_list: &[&Object<Event>],
        event: &mut Slot<Event>,
    ) -> Result {
        let region = Region {
            width,
            height,
            depth: 1,
        };
        if dst_pitch == 0 || src_pitch == 0 {
            return Err(invalid_size("a pitch of 0"));
        }
        let rows = |pitch| Placement {
            origin: [0; 3],
            row_pitch: pitch,
            slice_pitch: 0,
        };
        let to = in_memory(dst, rows(dst_pitch), region)?;
        let from = in_memory(src, rows(src_pitch), region)?;
        let work = RectCopy::prepare(to, from, region, [None, None]);
        let kind = UR_COMMAND_USM_MEMCPY_2D;
        Call::new(queue, event_wait_list, event, kind).work(work, blocking, Lane::Compute)
    }

    unsafe fn enqueue_device_global_variable_write(
        queue: &Object<Queue>,
        program: &Object<Program>,
        name: &CStr,
        blocking_write: bool,
        count: usize,
        offset: usize,
        src: *const c_void,
        event_wait_list: &[&Object<Event>],
        event: &mut Slot<Event>,
    ) -> Result {
        let dst = in_variable(program, name, offset, count)?;
        let work = Copy::prepare(dst, src as usize, count, [None, None]);
        let kind = UR_COMMAND_DEVICE_GLOBAL_VARIABLE_WRITE;
        Call::new(queue, event_wait_list, event, kind).work(work, blocking_write, Lane::Compute)
    }

    unsafe fn enqueue_device_global_variable_read(
        queue: &Object<Queue>,
        program: &Object<Program>,
        name: &CStr,
        blocking_read: bool,
        count: usize,
        offset: usize,
        dst: *mut c_void,
        event_wait_list: &[&Object<Event>],
        event: &mut Slot<Event>,
    ) -> Result {
        let src = in_variable(program, name, offset, count)?;
        let work = Copy::prepare(dst as usize, src, count, [None, None]);
        let kind = UR_COMMAND_DEVICE_GLOBAL_VARIABLE_READ;
        Call::new(queue, event_wait_list, event, kind).work(work, blocking_read, Lane::Compute)
    }
}
