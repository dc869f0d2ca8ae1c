//! The entry points of command buffers: every command that can be recorded.

use super::launch::Recipe;
use super::{BufferCommand, CommandBuffer, Links};
use crate::NativeCpu;
use crate::context::Context;
use crate::device::Device;
use crate::enqueue::kernel::Range;
use crate::enqueue::work::{Copy, Fill, RectCopy};
use crate::enqueue::{self, invalid_size, placement};
use crate::event::Event;
use crate::kernel::Kernel;
use crate::memory::Mem;
use std::ffi::c_void;
use std::mem::MaybeUninit;
use ur_adapter::{CommandBufferExpFns, Error, Handle, Info, Object, Result, Slot};
use ur_api::*;

impl CommandBufferExpFns for NativeCpu {
    fn command_buffer_create_exp(
        context: &Object<Context>,
        device: &Object<Device>,
        command_buffer_desc: &ur_exp_command_buffer_desc_t,
    ) -> Result<Handle<CommandBuffer>> {
        CommandBuffer::create(context, device, command_buffer_desc)
    }

    fn command_buffer_finalize_exp(command_buffer: &Object<CommandBuffer>) -> Result {
        command_buffer.finalize()
    }

    unsafe fn command_buffer_append_kernel_launch_exp(
        command_buffer: &Object<CommandBuffer>,
        kernel: &Object<Kernel>,
        work_dim: u32,
        global_work_offset: *const usize,
        global_work_size: *const usize,
        local_work_size: *const usize,
        kernel_alternatives: &[&Object<Kernel>],
        points: &[ur_exp_command_buffer_sync_point_t],
        wait: &[&Object<Event>],
        point: Option<&mut MaybeUninit<ur_exp_command_buffer_sync_point_t>>,
        event: &mut Slot<Event>,
        command: &mut Slot<BufferCommand>,
    ) -> Result {
        // Arguments come with the launch in this release: this is one of a kernel without any.
        // SAFETY: forwarded.
        unsafe {
            Self::command_buffer_append_kernel_launch_with_args_exp(
                command_buffer,
                kernel,
                work_dim,
                global_work_offset,
                global_work_size,
                local_work_size,
                &[],
                kernel_alternatives,
                points,
                wait,
                point,
                event,
                command,
            )
        }
    }

    unsafe fn command_buffer_append_kernel_launch_with_args_exp(
        command_buffer: &Object<CommandBuffer>,
        kernel: &Object<Kernel>,
        work_dim: u32,
        global_work_offset: *const usize,
        global_work_size: *const usize,
        local_work_size: *const usize,
        args: &[ur_exp_kernel_arg_properties_t],
        kernel_alternatives: &[&Object<Kernel>],
        points: &[ur_exp_command_buffer_sync_point_t],
        wait: &[&Object<Event>],
        point: Option<&mut MaybeUninit<ur_exp_command_buffer_sync_point_t>>,
        event: &mut Slot<Event>,
        command: &mut Slot<BufferCommand>,
    ) -> Result {
        let links = Links::new(points, wait, point, event, command);
        let range = Range {
            work_dim,
            offset: global_work_offset,
            global: global_work_size,
            local: local_work_size,
        };
        // SAFETY: the program passes arrays and arguments as the API says.
        let recipe = unsafe { Recipe::take(kernel, kernel_alternatives, &range, args) }?;
        let prepared = recipe.prepare(command_buffer.device())?;
        let work = command_buffer.shared(prepared);
        command_buffer.append_node(work, UR_COMMAND_KERNEL_LAUNCH, Some(recipe), links)
    }

    unsafe fn command_buffer_append_usm_memcpy_exp(
        command_buffer: &Object<CommandBuffer>,
        dst: *mut c_void,
        src: *const c_void,
        size: usize,
        points: &[ur_exp_command_buffer_sync_point_t],
        wait: &[&Object<Event>],
        point: Option<&mut MaybeUninit<ur_exp_command_buffer_sync_point_t>>,
        event: &mut Slot<Event>,
        command: &mut Slot<BufferCommand>,
    ) -> Result {
        let links = Links::new(points, wait, point, event, command);
        if size == 0 {
            return Err(invalid_size("nothing to copy"));
        }
        let work = Copy::prepare(dst as usize, src as usize, size, [None, None]);
        command_buffer.append(work, UR_COMMAND_USM_MEMCPY, links)
    }

    unsafe fn command_buffer_append_usm_fill_exp(
        command_buffer: &Object<CommandBuffer>,
        memory: *mut c_void,
        pattern: *const c_void,
        pattern_size: usize,
        size: usize,
        points: &[ur_exp_command_buffer_sync_point_t],
        wait: &[&Object<Event>],
        point: Option<&mut MaybeUninit<ur_exp_command_buffer_sync_point_t>>,
        event: &mut Slot<Event>,
        command: &mut Slot<BufferCommand>,
    ) -> Result {
        let links = Links::new(points, wait, point, event, command);
        if pattern_size == 0 || size == 0 || !size.is_multiple_of(pattern_size) {
            return Err(invalid_size("the pattern does not fit the range"));
        }
        // SAFETY: the program passes that many bytes.
        let pattern = unsafe { enqueue::pattern(pattern, pattern_size) };
        let work = Fill::prepare(memory as usize, size, pattern, [None, None]);
        command_buffer.append(work, UR_COMMAND_USM_FILL, links)
    }

    fn command_buffer_append_mem_buffer_copy_exp(
        command_buffer: &Object<CommandBuffer>,
        src_mem: &Object<Mem>,
        dst_mem: &Object<Mem>,
        src_offset: usize,
        dst_offset: usize,
        size: usize,
        points: &[ur_exp_command_buffer_sync_point_t],
        wait: &[&Object<Event>],
        point: Option<&mut MaybeUninit<ur_exp_command_buffer_sync_point_t>>,
        event: &mut Slot<Event>,
        command: &mut Slot<BufferCommand>,
    ) -> Result {
        let links = Links::new(points, wait, point, event, command);
        let src = src_mem.range(src_offset, size)?;
        let dst = dst_mem.range(dst_offset, size)?;
        let keep = [Some(src_mem.storage()), Some(dst_mem.storage())];
        let work = Copy::prepare(dst, src, size, keep);
        command_buffer.append(work, UR_COMMAND_MEM_BUFFER_COPY, links)
    }

    unsafe fn command_buffer_append_mem_buffer_write_exp(
        command_buffer: &Object<CommandBuffer>,
        buffer: &Object<Mem>,
        offset: usize,
        size: usize,
        src: *const c_void,
        points: &[ur_exp_command_buffer_sync_point_t],
        wait: &[&Object<Event>],
        point: Option<&mut MaybeUninit<ur_exp_command_buffer_sync_point_t>>,
        event: &mut Slot<Event>,
        command: &mut Slot<BufferCommand>,
    ) -> Result {
        let links = Links::new(points, wait, point, event, command);
        let dst = buffer.range(offset, size)?;
        let work = Copy::prepare(dst, src as usize, size, [Some(buffer.storage()), None]);
        command_buffer.append(work, UR_COMMAND_MEM_BUFFER_WRITE, links)
    }

    unsafe fn command_buffer_append_mem_buffer_read_exp(
        command_buffer: &Object<CommandBuffer>,
        buffer: &Object<Mem>,
        offset: usize,
        size: usize,
        dst: *mut c_void,
        points: &[ur_exp_command_buffer_sync_point_t],
        wait: &[&Object<Event>],
        point: Option<&mut MaybeUninit<ur_exp_command_buffer_sync_point_t>>,
        event: &mut Slot<Event>,
        command: &mut Slot<BufferCommand>,
    ) -> Result {
        let links = Links::new(points, wait, point, event, command);
        let src = buffer.range(offset, size)?;
        let work = Copy::prepare(dst as usize, src, size, [Some(buffer.storage()), None]);
        command_buffer.append(work, UR_COMMAND_MEM_BUFFER_READ, links)
    }

    fn command_buffer_append_mem_buffer_copy_rect_exp(
        command_buffer: &Object<CommandBuffer>,
        src_mem: &Object<Mem>,
        dst_mem: &Object<Mem>,
        src_origin: ur_rect_offset_t,
        dst_origin: ur_rect_offset_t,
        region: ur_rect_region_t,
        src_row_pitch: usize,
        src_slice_pitch: usize,
        dst_row_pitch: usize,
        dst_slice_pitch: usize,
        points: &[ur_exp_command_buffer_sync_point_t],
        wait: &[&Object<Event>],
        point: Option<&mut MaybeUninit<ur_exp_command_buffer_sync_point_t>>,
        event: &mut Slot<Event>,
        command: &mut Slot<BufferCommand>,
    ) -> Result {
        let links = Links::new(points, wait, point, event, command);
        let region = enqueue::region(region);
        let from = placement(src_origin, src_row_pitch, src_slice_pitch);
        let to = placement(dst_origin, dst_row_pitch, dst_slice_pitch);
        let src = enqueue::in_buffer(src_mem, from, region)?;
        let dst = enqueue::in_buffer(dst_mem, to, region)?;
        let keep = [Some(src_mem.storage()), Some(dst_mem.storage())];
        let work = RectCopy::prepare(dst, src, region, keep);
        command_buffer.append(work, UR_COMMAND_MEM_BUFFER_COPY_RECT, links)
    }

    unsafe fn command_buffer_append_mem_buffer_write_rect_exp(
        command_buffer: &Object<CommandBuffer>,
        buffer: &Object<Mem>,
        buffer_offset: ur_rect_offset_t,
        host_offset: ur_rect_offset_t,
        region: ur_rect_region_t,
        buffer_row_pitch: usize,
        buffer_slice_pitch: usize,
        host_row_pitch: usize,
        host_slice_pitch: usize,
        src: *mut c_void,
        points: &[ur_exp_command_buffer_sync_point_t],
        wait: &[&Object<Event>],
        point: Option<&mut MaybeUninit<ur_exp_command_buffer_sync_point_t>>,
        event: &mut Slot<Event>,
        command: &mut Slot<BufferCommand>,
    ) -> Result {
        let links = Links::new(points, wait, point, event, command);
        let region = enqueue::region(region);
        let inside = placement(buffer_offset, buffer_row_pitch, buffer_slice_pitch);
        let outside = placement(host_offset, host_row_pitch, host_slice_pitch);
        let dst = enqueue::in_buffer(buffer, inside, region)?;
        let src = enqueue::in_memory(src, outside, region)?;
        let work = RectCopy::prepare(dst, src, region, [Some(buffer.storage()), None]);
        command_buffer.append(work, UR_COMMAND_MEM_BUFFER_WRITE_RECT, links)
    }

    unsafe fn command_buffer_append_mem_buffer_read_rect_exp(
        command_buffer: &Object<CommandBuffer>,
        buffer: &Object<Mem>,
        buffer_offset: ur_rect_offset_t,
        host_offset: ur_rect_offset_t,
        region: ur_rect_region_t,
        buffer_row_pitch: usize,
        buffer_slice_pitch: usize,
        host_row_pitch: usize,
        host_slice_pitch: usize,
        dst: *mut c_void,
        points: &[ur_exp_command_buffer_sync_point_t],
        wait: &[&Object<Event>],
        point: Option<&mut MaybeUninit<ur_exp_command_buffer_sync_point_t>>,
        event: &mut Slot<Event>,
        command: &mut Slot<BufferCommand>,
    ) -> Result {
        let links = Links::new(points, wait, point, event, command);
        let region = enqueue::region(region);
        let inside = placement(buffer_offset, buffer_row_pitch, buffer_slice_pitch);
        let outside = placement(host_offset, host_row_pitch, host_slice_pitch);
        let src = enqueue::in_buffer(buffer, inside, region)?;
        let dst = enqueue::in_memory(dst, outside, region)?;
        let work = RectCopy::prepare(dst, src, region, [Some(buffer.storage()), None]);
        command_buffer.append(work, UR_COMMAND_MEM_BUFFER_READ_RECT, links)
    }

    unsafe fn command_buffer_append_mem_buffer_fill_exp(
        command_buffer: &Object<CommandBuffer>,
        buffer: &Object<Mem>,
        pattern: *const c_void,
        pattern_size: usize,
        offset: usize,
        size: usize,
        points: &[ur_exp_command_buffer_sync_point_t],
        wait: &[&Object<Event>],
        point: Option<&mut MaybeUninit<ur_exp_command_buffer_sync_point_t>>,
        event: &mut Slot<Event>,
        command: &mut Slot<BufferCommand>,
    ) -> Result {
        let links = Links::new(points, wait, point, event, command);
        if !pattern_size.is_power_of_two()
            || size == 0
            || !size.is_multiple_of(pattern_size)
            || !offset.is_multiple_of(pattern_size)
        {
            return Err(invalid_size("the pattern does not fit the range"));
        }
        let dst = buffer.range(offset, size)?;
        // SAFETY: the program passes that many bytes.
        let pattern = unsafe { enqueue::pattern(pattern, pattern_size) };
        let work = Fill::prepare(dst, size, pattern, [Some(buffer.storage()), None]);
        command_buffer.append(work, UR_COMMAND_MEM_BUFFER_FILL, links)
    }

    unsafe fn command_buffer_append_usm_prefetch_exp(
        command_buffer: &Object<CommandBuffer>,
        _: *const c_void,
        size: usize,
        flags: ur_usm_migration_flags_t,
        points: &[ur_exp_command_buffer_sync_point_t],
        wait: &[&Object<Event>],
        point: Option<&mut MaybeUninit<ur_exp_command_buffer_sync_point_t>>,
        event: &mut Slot<Event>,
        command: &mut Slot<BufferCommand>,
    ) -> Result {
        let links = Links::new(points, wait, point, event, command);
        let known = UR_USM_MIGRATION_FLAG_HOST_TO_DEVICE.0 | UR_USM_MIGRATION_FLAG_DEVICE_TO_HOST.0;
        if flags & !known != 0 {
            return Err(Error::code(UR_RESULT_ERROR_INVALID_ENUMERATION));
        }
        if size == 0 {
            return Err(invalid_size("nothing to prefetch"));
        }
        // All memory is where the device is; the command still orders others.
        command_buffer.append_node(None, UR_COMMAND_USM_PREFETCH, None, links)
    }

    unsafe fn command_buffer_append_usm_advise_exp(
        command_buffer: &Object<CommandBuffer>,
        _: *const c_void,
        size: usize,
        advice: ur_usm_advice_flags_t,
        points: &[ur_exp_command_buffer_sync_point_t],
        wait: &[&Object<Event>],
        point: Option<&mut MaybeUninit<ur_exp_command_buffer_sync_point_t>>,
        event: &mut Slot<Event>,
        command: &mut Slot<BufferCommand>,
    ) -> Result {
        let links = Links::new(points, wait, point, event, command);
        enqueue::check_advice(advice)?;
        if size == 0 {
            return Err(invalid_size("no memory to advise on"));
        }
        command_buffer.append_node(None, UR_COMMAND_USM_ADVISE, None, links)
    }

    fn command_buffer_update_kernel_launch_exp(
        command_buffer: &Object<CommandBuffer>,
        update_kernel_launch: &[ur_exp_command_buffer_update_kernel_launch_desc_t],
    ) -> Result {
        command_buffer.update(update_kernel_launch)
    }

    fn command_buffer_update_signal_event_exp(
        command: &Object<BufferCommand>,
    ) -> Result<Handle<Event>> {
        command.new_signal()
    }

    fn command_buffer_update_wait_events_exp(
        command: &Object<BufferCommand>,
        event_wait_list: &[&Object<Event>],
    ) -> Result {
        command.set_wait(event_wait_list)
    }

    fn command_buffer_get_info_exp(
        command_buffer: &Object<CommandBuffer>,
        prop_name: ur_exp_command_buffer_info_t,
        info: &mut Info<'_>,
    ) -> Result {
        command_buffer.info(prop_name, info)
    }
}
