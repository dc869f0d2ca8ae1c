//! Enqueueing of commands. Sizes are looked at here where OpenCL has another error, or drivers do not
//! look.

pub mod buffer;
mod exp;
pub mod host_task;
pub mod image;
pub mod native;
pub mod rows;
pub mod staged;
pub mod usm;
pub mod usm_alloc;
pub mod variable;

use crate::OpenCl;
use crate::event::{Event, submit};
use crate::memory::Mem;
use crate::program::Program;
use crate::queue::Queue;
use buffer::{RectTransfer, Ties, Transfer, Way};
use rows::Rows;
use std::ffi::{CStr, c_void};
use ur_adapter::rect::{self, Placement};
use ur_adapter::{EnqueueFns, Error, Object, Result, Slot};
use ur_api::*;

/// A size that does not fit.
pub fn invalid_size(message: &'static str) -> Error {
    Error::new(UR_RESULT_ERROR_INVALID_SIZE, message)
}

/// Enqueues a command that does nothing but end when the events, or all commands before it, have ended.
///
/// # Errors
/// What the driver says.
pub fn marker(queue: &Object<Queue>, kind: ur_command_t, ties: Ties<'_, '_>) -> Result {
    submit(queue, kind, ties.waits, ties.event, |c| {
        // SAFETY: live events; the place is `submit`'s.
        unsafe { queue.enqueue_wait(c.count, c.waits, c.event) }
    })
}

impl EnqueueFns for OpenCl {
    fn enqueue_events_wait(
        queue: &Object<Queue>,
        waits: &[&Object<Event>],
        event: &mut Slot<Event>,
    ) -> Result {
        marker(queue, UR_COMMAND_EVENTS_WAIT, Ties { waits, event })
    }

    fn enqueue_events_wait_with_barrier(
        queue: &Object<Queue>,
        waits: &[&Object<Event>],
        event: &mut Slot<Event>,
    ) -> Result {
        let kind = UR_COMMAND_EVENTS_WAIT_WITH_BARRIER;
        submit(queue, kind, waits, event, |c| {
            // SAFETY: live events; the place is `submit`'s.
            unsafe { queue.enqueue_barrier(c.count, c.waits, c.event) }
        })
    }

    fn enqueue_events_wait_with_barrier_ext(
        queue: &Object<Queue>,
        properties: Option<&ur_exp_enqueue_ext_properties_t>,
        waits: &[&Object<Event>],
        event: &mut Slot<Event>,
    ) -> Result {
        // The only property is a hint about how events are waited for.
        let known = UR_EXP_ENQUEUE_EXT_FLAG_LOW_POWER_EVENTS_SUPPORT.0;
        if properties.is_some_and(|properties| properties.flags & !known != 0) {
            return Err(Error::code(UR_RESULT_ERROR_INVALID_ENUMERATION));
        }
        Self::enqueue_events_wait_with_barrier(queue, waits, event)
    }

    unsafe fn enqueue_mem_buffer_read(
        queue: &Object<Queue>,
        buffer: &Object<Mem>,
        blocking: bool,
        offset: usize,
        size: usize,
        dst: *mut c_void,
        waits: &[&Object<Event>],
        event: &mut Slot<Event>,
    ) -> Result {
        let what = Transfer {
            buffer,
            blocking,
            offset,
            size,
        };
        // SAFETY: the program passes memory of that size.
        unsafe { buffer::transfer(queue, Way::Read, &what, dst, Ties { waits, event }) }
    }

    unsafe fn enqueue_mem_buffer_write(
        queue: &Object<Queue>,
        buffer: &Object<Mem>,
        blocking: bool,
        offset: usize,
        size: usize,
        src: *const c_void,
        waits: &[&Object<Event>],
        event: &mut Slot<Event>,
    ) -> Result {
        let what = Transfer {
            buffer,
            blocking,
            offset,
            size,
        };
        // SAFETY: the program passes memory of that size.
        unsafe {
            buffer::transfer(
                queue,
                Way::Write,
                &what,
                src.cast_mut(),
                Ties { waits, event },
            )
        }
    }

    unsafe fn enqueue_mem_buffer_read_rect(
        queue: &Object<Queue>,
        buffer: &Object<Mem>,
        blocking: bool,
        buffer_origin: ur_rect_offset_t,
        host_origin: ur_rect_offset_t,
        region: ur_rect_region_t,
        buffer_row_pitch: usize,
        buffer_slice_pitch: usize,
        host_row_pitch: usize,
        host_slice_pitch: usize,
        dst: *mut c_void,
        waits: &[&Object<Event>],
        event: &mut Slot<Event>,
    ) -> Result {
        let what = RectTransfer {
            buffer,
            blocking,
            in_buffer: Placement::new(buffer_origin, buffer_row_pitch, buffer_slice_pitch),
            in_memory: Placement::new(host_origin, host_row_pitch, host_slice_pitch),
            extent: rect::extent(region),
        };
        // SAFETY: the program passes memory for the box.
        unsafe { buffer::transfer_rect(queue, Way::Read, &what, dst, Ties { waits, event }) }
    }

    unsafe fn enqueue_mem_buffer_write_rect(
        queue: &Object<Queue>,
        buffer: &Object<Mem>,
        blocking: bool,
        buffer_origin: ur_rect_offset_t,
        host_origin: ur_rect_offset_t,
        region: ur_rect_region_t,
        buffer_row_pitch: usize,
        buffer_slice_pitch: usize,
        host_row_pitch: usize,
        host_slice_pitch: usize,
        src: *mut c_void,
        waits: &[&Object<Event>],
        event: &mut Slot<Event>,
    ) -> Result {
        let what = RectTransfer {
            buffer,
            blocking,
            in_buffer: Placement::new(buffer_origin, buffer_row_pitch, buffer_slice_pitch),
            in_memory: Placement::new(host_origin, host_row_pitch, host_slice_pitch),
            extent: rect::extent(region),
        };
        // SAFETY: the program passes memory with the box.
        unsafe { buffer::transfer_rect(queue, Way::Write, &what, src, Ties { waits, event }) }
    }

    fn enqueue_mem_buffer_copy(
        queue: &Object<Queue>,
        buffer_src: &Object<Mem>,
        buffer_dst: &Object<Mem>,
        src_offset: usize,
        dst_offset: usize,
        size: usize,
        waits: &[&Object<Event>],
        event: &mut Slot<Event>,
    ) -> Result {
        let (from, to) = ((&**buffer_src, src_offset), (&**buffer_dst, dst_offset));
        buffer::copy(queue, from, to, size, Ties { waits, event })
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
        waits: &[&Object<Event>],
        event: &mut Slot<Event>,
    ) -> Result {
        let from = Placement::new(src_origin, src_row_pitch, src_slice_pitch);
        let to = Placement::new(dst_origin, dst_row_pitch, dst_slice_pitch);
        let (from, to) = ((&**buffer_src, from), (&**buffer_dst, to));
        buffer::copy_rect(queue, from, to, region, Ties { waits, event })
    }

    unsafe fn enqueue_mem_buffer_fill(
        queue: &Object<Queue>,
        buffer: &Object<Mem>,
        pattern: *const c_void,
        pattern_size: usize,
        offset: usize,
        size: usize,
        waits: &[&Object<Event>],
        event: &mut Slot<Event>,
    ) -> Result {
        let what = Transfer {
            buffer,
            blocking: false,
            offset,
            size,
        };
        // SAFETY: the program passes a pattern of that size.
        unsafe { buffer::fill(queue, &what, pattern, pattern_size, Ties { waits, event }) }
    }

    unsafe fn enqueue_mem_image_read(
        queue: &Object<Queue>,
        image: &Object<Mem>,
        blocking: bool,
        origin: ur_rect_offset_t,
        region: ur_rect_region_t,
        row_pitch: usize,
        slice_pitch: usize,
        dst: *mut c_void,
        waits: &[&Object<Event>],
        event: &mut Slot<Event>,
    ) -> Result {
        let what = image::Transfer {
            mem: image,
            blocking,
            origin: rect::origin(origin),
            extent: rect::extent(region),
            row_pitch,
            slice_pitch,
        };
        // SAFETY: the program passes memory for the box.
        unsafe { image::transfer(queue, Way::Read, &what, dst, Ties { waits, event }) }
    }

    unsafe fn enqueue_mem_image_write(
        queue: &Object<Queue>,
        image: &Object<Mem>,
        blocking: bool,
        origin: ur_rect_offset_t,
        region: ur_rect_region_t,
        row_pitch: usize,
        slice_pitch: usize,
        src: *mut c_void,
        waits: &[&Object<Event>],
        event: &mut Slot<Event>,
    ) -> Result {
        let what = image::Transfer {
            mem: image,
            blocking,
            origin: rect::origin(origin),
            extent: rect::extent(region),
            row_pitch,
            slice_pitch,
        };
        // SAFETY: the program passes memory with the box.
        unsafe { image::transfer(queue, Way::Write, &what, src, Ties { waits, event }) }
    }

    fn enqueue_mem_image_copy(
        queue: &Object<Queue>,
        image_src: &Object<Mem>,
        image_dst: &Object<Mem>,
        src_origin: ur_rect_offset_t,
        dst_origin: ur_rect_offset_t,
        region: ur_rect_region_t,
        waits: &[&Object<Event>],
        event: &mut Slot<Event>,
    ) -> Result {
        let from = (&**image_src, rect::origin(src_origin));
        let to = (&**image_dst, rect::origin(dst_origin));
        image::copy(queue, from, to, rect::extent(region), Ties { waits, event })
    }

    fn enqueue_mem_buffer_map(
        queue: &Object<Queue>,
        buffer: &Object<Mem>,
        blocking: bool,
        map_flags: ur_map_flags_t,
        offset: usize,
        size: usize,
        waits: &[&Object<Event>],
        event: &mut Slot<Event>,
    ) -> Result<*mut c_void> {
        let what = Transfer {
            buffer,
            blocking,
            offset,
            size,
        };
        buffer::map(queue, &what, map_flags, Ties { waits, event })
    }

    unsafe fn enqueue_mem_unmap(
        queue: &Object<Queue>,
        mem: &Object<Mem>,
        mapped_ptr: *mut c_void,
        waits: &[&Object<Event>],
        event: &mut Slot<Event>,
    ) -> Result {
        // SAFETY: the program passes the address of a mapping.
        unsafe { buffer::unmap(queue, mem, mapped_ptr, Ties { waits, event }) }
    }

    unsafe fn enqueue_usm_fill(
        queue: &Object<Queue>,
        mem: *mut c_void,
        pattern_size: usize,
        pattern: *const c_void,
        size: usize,
        waits: &[&Object<Event>],
        event: &mut Slot<Event>,
    ) -> Result {
        // SAFETY: the program passes memory and a pattern of those sizes.
        unsafe {
            usm::fill(
                queue,
                mem,
                pattern,
                pattern_size,
                size,
                Ties { waits, event },
            )
        }
    }

    unsafe fn enqueue_usm_memcpy(
        queue: &Object<Queue>,
        blocking: bool,
        dst: *mut c_void,
        src: *const c_void,
        size: usize,
        waits: &[&Object<Event>],
        event: &mut Slot<Event>,
    ) -> Result {
        // SAFETY: the program passes memory of that size.
        unsafe { usm::memcpy(queue, blocking, dst, src, size, Ties { waits, event }) }
    }

    unsafe fn enqueue_usm_prefetch(
        queue: &Object<Queue>,
        _: *const c_void,
        size: usize,
        flags: ur_usm_migration_flags_t,
        waits: &[&Object<Event>],
        event: &mut Slot<Event>,
    ) -> Result {
        usm::prefetch(queue, size, flags, Ties { waits, event })
    }

    unsafe fn enqueue_usm_advise(
        queue: &Object<Queue>,
        _: *const c_void,
        size: usize,
        advice: ur_usm_advice_flags_t,
        event: &mut Slot<Event>,
    ) -> Result {
        usm::advise(queue, size, advice, Ties { waits: &[], event })
    }

    unsafe fn enqueue_usm_fill_2d(
        queue: &Object<Queue>,
        mem: *mut c_void,
        pitch: usize,
        pattern_size: usize,
        pattern: *const c_void,
        width: usize,
        height: usize,
        waits: &[&Object<Event>],
        event: &mut Slot<Event>,
    ) -> Result {
        let (rows, to) = (Rows { width, height }, (mem, pitch));
        // SAFETY: the program passes rows and a pattern of those sizes.
        unsafe {
            rows::fill(
                queue,
                rows,
                to,
                pattern,
                pattern_size,
                Ties { waits, event },
            )
        }
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
        waits: &[&Object<Event>],
        event: &mut Slot<Event>,
    ) -> Result {
        let (to, from) = ((dst, dst_pitch), (src, src_pitch));
        let rows = Rows { width, height };
        // SAFETY: the program passes rows of that size.
        unsafe { rows::memcpy(queue, rows, blocking, to, from, Ties { waits, event }) }
    }

    unsafe fn enqueue_device_global_variable_write(
        queue: &Object<Queue>,
        program: &Object<Program>,
        name: &CStr,
        blocking: bool,
        size: usize,
        offset: usize,
        src: *const c_void,
        waits: &[&Object<Event>],
        event: &mut Slot<Event>,
    ) -> Result {
        let part = variable::Part {
            program,
            name,
            size,
            offset,
            blocking,
        };
        // SAFETY: the program passes memory of that size.
        unsafe { variable::write(queue, &part, src, Ties { waits, event }) }
    }

    unsafe fn enqueue_device_global_variable_read(
        queue: &Object<Queue>,
        program: &Object<Program>,
        name: &CStr,
        blocking: bool,
        size: usize,
        offset: usize,
        dst: *mut c_void,
        waits: &[&Object<Event>],
        event: &mut Slot<Event>,
    ) -> Result {
        let part = variable::Part {
            program,
            name,
            size,
            offset,
            blocking,
        };
        // SAFETY: the program passes memory of that size.
        unsafe { variable::read(queue, &part, dst, Ties { waits, event }) }
    }
}
