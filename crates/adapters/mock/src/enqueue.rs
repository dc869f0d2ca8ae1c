//! Commands, done before their enqueue returns.

use crate::Mock;
use crate::event::Event;
use crate::kernel::Kernel;
use crate::memory::Mem;
use crate::queue::Queue;
use std::ffi::c_void;
use std::slice::{from_raw_parts, from_raw_parts_mut};
use ur_adapter::{EnqueueExpFns, EnqueueFns, Object, Result, Slot};
use ur_api::*;

fn done(queue: &Object<Queue>, command: ur_command_t, event: &mut Slot<Event>) -> Result {
    if event.wanted() {
        event.put(Event::done(queue, command)?);
    }
    Ok(())
}

impl EnqueueFns for Mock {
    fn enqueue_events_wait(
        queue: &Object<Queue>,
        _wait: &[&Object<Event>],
        event: &mut Slot<Event>,
    ) -> Result {
        done(queue, UR_COMMAND_EVENTS_WAIT, event)
    }

    fn enqueue_events_wait_with_barrier(
        queue: &Object<Queue>,
        _wait: &[&Object<Event>],
        event: &mut Slot<Event>,
    ) -> Result {
        done(queue, UR_COMMAND_EVENTS_WAIT_WITH_BARRIER, event)
    }

    unsafe fn enqueue_mem_buffer_read(
        queue: &Object<Queue>,
        buffer: &Object<Mem>,
        _blocking: bool,
        offset: usize,
        size: usize,
        dst: *mut c_void,
        _wait: &[&Object<Event>],
        event: &mut Slot<Event>,
    ) -> Result {
        buffer.with(offset, size, |part| {
            // SAFETY: the program says that its memory has room for `size` bytes.
            unsafe { from_raw_parts_mut(dst.cast::<u8>(), size) }.copy_from_slice(part);
        })?;
        done(queue, UR_COMMAND_MEM_BUFFER_READ, event)
    }

    unsafe fn enqueue_mem_buffer_write(
        queue: &Object<Queue>,
        buffer: &Object<Mem>,
        _blocking: bool,
        offset: usize,
        size: usize,
        src: *const c_void,
        _wait: &[&Object<Event>],
        event: &mut Slot<Event>,
    ) -> Result {
        buffer.with(offset, size, |part| {
            // SAFETY: the program says that its memory holds `size` bytes.
            part.copy_from_slice(unsafe { from_raw_parts(src.cast::<u8>(), size) });
        })?;
        done(queue, UR_COMMAND_MEM_BUFFER_WRITE, event)
    }

    fn enqueue_mem_buffer_copy(
        queue: &Object<Queue>,
        src: &Object<Mem>,
        dst: &Object<Mem>,
        src_offset: usize,
        dst_offset: usize,
        size: usize,
        _wait: &[&Object<Event>],
        event: &mut Slot<Event>,
    ) -> Result {
        let bytes = src.with(src_offset, size, |part| part.to_vec())?;
        dst.with(dst_offset, size, |part| part.copy_from_slice(&bytes))?;
        done(queue, UR_COMMAND_MEM_BUFFER_COPY, event)
    }

    fn enqueue_mem_buffer_map(
        queue: &Object<Queue>,
        buffer: &Object<Mem>,
        _blocking: bool,
        _flags: ur_map_flags_t,
        offset: usize,
        size: usize,
        _wait: &[&Object<Event>],
        event: &mut Slot<Event>,
    ) -> Result<*mut c_void> {
        let address = buffer.address(offset, size)?;
        done(queue, UR_COMMAND_MEM_BUFFER_MAP, event)?;
        Ok(address.as_ptr())
    }

    unsafe fn enqueue_mem_unmap(
        queue: &Object<Queue>,
        _mem: &Object<Mem>,
        _mapped: *mut c_void,
        _wait: &[&Object<Event>],
        event: &mut Slot<Event>,
    ) -> Result {
        done(queue, UR_COMMAND_MEM_UNMAP, event)
    }

    unsafe fn enqueue_usm_memcpy(
        queue: &Object<Queue>,
        _blocking: bool,
        dst: *mut c_void,
        src: *const c_void,
        size: usize,
        _wait: &[&Object<Event>],
        event: &mut Slot<Event>,
    ) -> Result {
        // SAFETY: the program says that both hold `size` bytes; they may overlap.
        unsafe { std::ptr::copy(src.cast::<u8>(), dst.cast(), size) };
        done(queue, UR_COMMAND_USM_MEMCPY, event)
    }

    unsafe fn enqueue_usm_fill(
        queue: &Object<Queue>,
        mem: *mut c_void,
        pattern_size: usize,
        pattern: *const c_void,
        size: usize,
        _wait: &[&Object<Event>],
        event: &mut Slot<Event>,
    ) -> Result {
        if pattern_size == 0 || !size.is_multiple_of(pattern_size) {
            return Err(UR_RESULT_ERROR_INVALID_SIZE.into());
        }
        // SAFETY: the program says that its memory has these sizes.
        let (pattern, memory) = unsafe {
            (
                from_raw_parts(pattern.cast::<u8>(), pattern_size),
                from_raw_parts_mut(mem.cast::<u8>(), size),
            )
        };
        for part in memory.chunks_exact_mut(pattern_size) {
            part.copy_from_slice(pattern);
        }
        done(queue, UR_COMMAND_USM_FILL, event)
    }
}

impl EnqueueExpFns for Mock {
    unsafe fn enqueue_kernel_launch_with_args_exp(
        queue: &Object<Queue>,
        _kernel: &Object<Kernel>,
        work_dim: u32,
        _offset: *const usize,
        _global: *const usize,
        _local: *const usize,
        _args: &[ur_exp_kernel_arg_properties_t],
        _properties: Option<&ur_kernel_launch_ext_properties_t>,
        _wait: &[&Object<Event>],
        event: &mut Slot<Event>,
    ) -> Result {
        if !(1..=3).contains(&work_dim) {
            return Err(UR_RESULT_ERROR_INVALID_WORK_DIMENSION.into());
        }
        done(queue, UR_COMMAND_KERNEL_LAUNCH, event)
    }
}
