//! Commands.

pub mod buffer;
pub mod copy;
pub mod fill;
pub mod host_task;
pub mod image;
pub mod map;
pub mod native;
pub mod timestamp;
pub mod usm;
pub mod usm_alloc;
pub mod variable;
pub mod wait;

use crate::LevelZero;
use crate::device::{Able, Device};
use crate::event::Event;
use crate::kernel::Kernel;
use crate::kernel::range::Range;
use crate::memory::Mem;
use crate::program::Program;
use crate::queue::Queue;
use crate::usm::UsmPool;
use buffer::{RectTransfer, Transfer};
use image::Texels;
use std::ffi::{CStr, c_void};
use ur_adapter::rect::{self, Placement};
use ur_adapter::{EnqueueExpFns, EnqueueFns, Error, Object, Result, Slot};
use ur_api::*;

/// What a command waits for, and the event that stands for it.
#[derive(Debug)]
pub struct Ties<'a, 'b> {
    /// Events to wait for.
    pub waits: &'a [&'a Object<Event>],
    /// Where the new event goes.
    pub event: &'b mut Slot<Event>,
}

/// A size that does not fit.
pub fn invalid_size(message: &'static str) -> Error {
    Error::new(UR_RESULT_ERROR_INVALID_SIZE, message)
}

impl EnqueueFns for LevelZero {
    fn enqueue_events_wait(
        queue: &Object<Queue>,
        waits: &[&Object<Event>],
        event: &mut Slot<Event>,
    ) -> Result {
        wait::enqueue(queue, UR_COMMAND_EVENTS_WAIT, waits, event)
    }

    fn enqueue_events_wait_with_barrier(
        queue: &Object<Queue>,
        waits: &[&Object<Event>],
        event: &mut Slot<Event>,
    ) -> Result {
        wait::enqueue(queue, UR_COMMAND_EVENTS_WAIT_WITH_BARRIER, waits, event)
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
        wait::enqueue(queue, UR_COMMAND_EVENTS_WAIT_WITH_BARRIER, waits, event)
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
        unsafe { buffer::read(queue, &what, dst, Ties { waits, event }) }
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
        unsafe { buffer::write(queue, &what, src, Ties { waits, event }) }
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
        unsafe { buffer::read_rect(queue, &what, dst, Ties { waits, event }) }
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
        unsafe { buffer::write_rect(queue, &what, src, Ties { waits, event }) }
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
        buffer::copy_rect(queue, from, to, rect::extent(region), Ties { waits, event })
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
            texels: Texels {
                origin: rect::origin(origin),
                extent: rect::extent(region),
            },
            pitches: (row_pitch, slice_pitch),
        };
        // SAFETY: the program passes memory for the box.
        unsafe { image::read(queue, &what, dst, Ties { waits, event }) }
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
            texels: Texels {
                origin: rect::origin(origin),
                extent: rect::extent(region),
            },
            pitches: (row_pitch, slice_pitch),
        };
        // SAFETY: the program passes memory with the box.
        unsafe { image::write(queue, &what, src, Ties { waits, event }) }
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
        map::map(queue, &what, map_flags, Ties { waits, event })
    }

    unsafe fn enqueue_mem_unmap(
        queue: &Object<Queue>,
        mem: &Object<Mem>,
        mapped_ptr: *mut c_void,
        waits: &[&Object<Event>],
        event: &mut Slot<Event>,
    ) -> Result {
        // SAFETY: the program passes the address of a mapping.
        unsafe { map::unmap(queue, mem, mapped_ptr, Ties { waits, event }) }
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
        mem: *const c_void,
        size: usize,
        flags: ur_usm_migration_flags_t,
        waits: &[&Object<Event>],
        event: &mut Slot<Event>,
    ) -> Result {
        // SAFETY: the program passes memory of that size.
        unsafe { usm::prefetch(queue, mem, size, flags, Ties { waits, event }) }
    }

    unsafe fn enqueue_usm_advise(
        queue: &Object<Queue>,
        mem: *const c_void,
        size: usize,
        advice: ur_usm_advice_flags_t,
        event: &mut Slot<Event>,
    ) -> Result {
        let ties = Ties { waits: &[], event };
        // SAFETY: the program passes memory of that size.
        unsafe { usm::advise(queue, mem, size, advice, ties) }
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
        let (rows, to) = (usm::Rows { width, height }, (mem, pitch));
        // SAFETY: the program passes rows and a pattern of those sizes.
        unsafe {
            usm::fill_2d(
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
        let rows = usm::Rows { width, height };
        // SAFETY: the program passes rows of that size.
        unsafe { usm::memcpy_2d(queue, rows, blocking, to, from, Ties { waits, event }) }
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
        // SAFETY: the program passes the bytes until the command ends.
        unsafe { variable::copy(queue, &part, variable::Host::From(src), waits, event) }
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
        // SAFETY: the program passes room for the bytes until the command ends.
        unsafe { variable::copy(queue, &part, variable::Host::To(dst), waits, event) }
    }
}

impl EnqueueExpFns for LevelZero {
    fn enqueue_timestamp_recording_exp(
        queue: &Object<Queue>,
        blocking: bool,
        waits: &[&Object<Event>],
        event: &mut Slot<Event>,
    ) -> Result {
        timestamp::enqueue(queue, blocking, waits, event)
    }

    unsafe fn enqueue_host_task_exp(
        queue: &Object<Queue>,
        host_task: ur_exp_host_task_function_t,
        data: *mut c_void,
        properties: Option<&ur_exp_host_task_properties_t>,
        waits: &[&Object<Event>],
        event: &mut Slot<Event>,
    ) -> Result {
        if properties.is_some_and(|p| p.flags & UR_EXP_HOST_TASK_FLAGS_MASK != 0) {
            return Err(Error::code(UR_RESULT_ERROR_INVALID_ENUMERATION));
        }
        let function = host_task.ok_or(UR_RESULT_ERROR_INVALID_NULL_POINTER)?;
        // SAFETY: the program gives the function for this.
        unsafe { host_task::enqueue(queue, function, data, waits, event) }
    }

    unsafe fn enqueue_native_command_exp(
        queue: &Object<Queue>,
        native_enqueue: ur_exp_enqueue_native_command_function_t,
        data: *mut c_void,
        _: &[&Object<Mem>],
        properties: Option<&ur_exp_enqueue_native_command_properties_t>,
        waits: &[&Object<Event>],
        event: &mut Slot<Event>,
    ) -> Result {
        if properties.is_some_and(|p| p.flags & UR_EXP_ENQUEUE_NATIVE_COMMAND_FLAGS_MASK != 0) {
            return Err(Error::code(UR_RESULT_ERROR_INVALID_ENUMERATION));
        }
        let function = native_enqueue.ok_or(UR_RESULT_ERROR_INVALID_NULL_POINTER)?;
        // SAFETY: the program gives the function for this.
        unsafe { native::enqueue(queue, function, data, waits, event) }
    }

    fn enqueue_usm_device_alloc_exp(
        queue: &Object<Queue>,
        pool: Option<&Object<UsmPool>>,
        size: usize,
        properties: Option<&ur_exp_async_usm_alloc_properties_t>,
        waits: &[&Object<Event>],
        event: &mut Slot<Event>,
    ) -> Result<*mut c_void> {
        let (kind, ties) = (UR_USM_TYPE_DEVICE, Ties { waits, event });
        usm_alloc::allocate(queue, pool, kind, size, properties, ties)
    }

    fn enqueue_usm_shared_alloc_exp(
        queue: &Object<Queue>,
        pool: Option<&Object<UsmPool>>,
        size: usize,
        properties: Option<&ur_exp_async_usm_alloc_properties_t>,
        waits: &[&Object<Event>],
        event: &mut Slot<Event>,
    ) -> Result<*mut c_void> {
        let (kind, ties) = (UR_USM_TYPE_SHARED, Ties { waits, event });
        usm_alloc::allocate(queue, pool, kind, size, properties, ties)
    }

    fn enqueue_usm_host_alloc_exp(
        queue: &Object<Queue>,
        pool: Option<&Object<UsmPool>>,
        size: usize,
        properties: Option<&ur_exp_async_usm_alloc_properties_t>,
        waits: &[&Object<Event>],
        event: &mut Slot<Event>,
    ) -> Result<*mut c_void> {
        let (kind, ties) = (UR_USM_TYPE_HOST, Ties { waits, event });
        usm_alloc::allocate(queue, pool, kind, size, properties, ties)
    }

    unsafe fn enqueue_usm_free_exp(
        queue: &Object<Queue>,
        _: Option<&Object<UsmPool>>,
        mem: *mut c_void,
        waits: &[&Object<Event>],
        event: &mut Slot<Event>,
    ) -> Result {
        usm_alloc::free(queue, mem, Ties { waits, event })
    }

    unsafe fn enqueue_kernel_launch_with_args_exp(
        queue: &Object<Queue>,
        kernel: &Object<Kernel>,
        work_dim: u32,
        global_work_offset: *const usize,
        global_work_size: *const usize,
        local_work_size: *const usize,
        args: &[ur_exp_kernel_arg_properties_t],
        properties: Option<&ur_kernel_launch_ext_properties_t>,
        waits: &[&Object<Event>],
        event: &mut Slot<Event>,
    ) -> Result {
        let (offset, global) = (global_work_offset, global_work_size);
        // SAFETY: the program passes a size for each dimension.
        let range = unsafe { Range::read(work_dim, offset, global, local_work_size) }?;
        // SAFETY: arguments are what their types say.
        unsafe { crate::launch::launch(queue, kernel, &range, args, properties, waits, event) }
    }
}

/// What commands on devices can do; none for other questions.
pub fn able(_: &Device, name: ur_device_info_t) -> Option<Able> {
    match name {
        UR_DEVICE_INFO_TIMESTAMP_RECORDING_SUPPORT_EXP
        | UR_DEVICE_INFO_ENQUEUE_HOST_TASK_SUPPORT_EXP
        | UR_DEVICE_INFO_ENQUEUE_NATIVE_COMMAND_SUPPORT_EXP => Some(Able::Bool(true)),
        _ => None,
    }
}
