//! The entry points of command buffers: every command that OpenCL can record.

use super::record::Links;
use super::update::Launch;
use super::{BufferCommand, CommandBuffer, Kept};
use crate::OpenCl;
use crate::cl;
use crate::context::Context;
use crate::device::Device;
use crate::enqueue::buffer::{self, expect_pattern};
use crate::enqueue::{invalid_size, usm};
use crate::event::Event;
use crate::kernel::Kernel;
use crate::launch::Range;
use crate::memory::Mem;
use crate::sampler::Sampler;
use std::ffi::c_void;
use std::mem::MaybeUninit;
use std::ptr::null;
use ur_adapter::rect::{self, Placement};
use ur_adapter::{CommandBufferExpFns, Error, Handle, Info, Object, Result, Slot};
use ur_api::*;

/// What a launch with these arguments uses.
///
/// # Safety
/// Handles in the arguments are what their types say.
unsafe fn kept(
    kernel: &Object<Kernel>,
    args: &[ur_exp_kernel_arg_properties_t],
) -> Result<Vec<Kept>> {
    let mut kept = vec![Kept::Kernel {
        _kernel: kernel.handle(),
    }];
    for arg in args {
        match arg.r#type {
            UR_EXP_KERNEL_ARG_TYPE_MEM_OBJ => {
                // SAFETY: the type says which member is set.
                let raw = unsafe { arg.value.memObjTuple.hMem };
                if !raw.is_null() {
                    // SAFETY: the program passes a live handle.
                    kept.push(unsafe { Object::<Mem>::from_raw(raw) }?.into());
                }
            }
            UR_EXP_KERNEL_ARG_TYPE_SAMPLER => {
                // SAFETY: as above.
                let sampler = unsafe { Object::<Sampler>::from_raw(arg.value.sampler) }?;
                kept.push(Kept::Sampler {
                    _sampler: sampler.handle(),
                });
            }
            _ => {}
        }
    }
    Ok(kept)
}

/// Records a command that does nothing: what it stands for is a hint.
fn hint(buffer: &CommandBuffer, links: Links<'_>) -> Result {
    let append = buffer.extensions().clCommandBarrierWithWaitListKHR;
    let append = append.ok_or_else(Error::unsupported)?;
    buffer.record(links, Vec::new(), None, |c| {
        // SAFETY: a live command buffer; the places are `record`'s.
        Ok(unsafe {
            append(
                c.buffer,
                c.queue,
                null(),
                c.count,
                c.points,
                c.point,
                c.command,
            )
        })
    })
}

/// Records a copy between addresses.
///
/// # Safety
/// Both have `size` bytes whenever the command runs.
unsafe fn memcpy(
    buffer: &CommandBuffer,
    to: *mut c_void,
    from: *const c_void,
    size: usize,
    kept: Vec<Kept>,
    links: Links<'_>,
) -> Result {
    let append = buffer.extensions().clCommandSVMMemcpyKHR;
    let append = append.ok_or_else(Error::unsupported)?;
    buffer.record(links, kept, None, |c| {
        // SAFETY: a live command buffer, and memory as the caller says.
        Ok(unsafe {
            append(
                c.buffer,
                c.queue,
                null(),
                to,
                from,
                size,
                c.count,
                c.points,
                c.point,
                c.command,
            )
        })
    })
}

impl CommandBufferExpFns for OpenCl {
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
        waits: &[&Object<Event>],
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
                waits,
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
        waits: &[&Object<Event>],
        point: Option<&mut MaybeUninit<ur_exp_command_buffer_sync_point_t>>,
        event: &mut Slot<Event>,
        command: &mut Slot<BufferCommand>,
    ) -> Result {
        let links = Links::new(points, waits, point, event, command)?;
        if kernel_alternatives.iter().any(|other| other.is(kernel)) {
            return Err(Error::value("the kernel is among its own alternatives"));
        }
        if !kernel_alternatives.is_empty() {
            return Err(Error::unsupported());
        }
        let range = Range {
            work_dim,
            offset: global_work_offset,
            global: global_work_size,
            local: local_work_size,
        };
        // SAFETY: the program passes that many sizes, and arguments as the API says.
        let kept = unsafe {
            range.check()?;
            range.check_groups(&command_buffer.device)?;
            kept(kernel, args)?
        };
        let append = command_buffer.extensions().clCommandNDRangeKernelKHR;
        let append = append.ok_or_else(Error::unsupported)?;
        let able = command_buffer.device.facts().command_buffers;
        let fields = match links.wants_command() {
            true => able.map_or(0, |able| able.mutable),
            false => 0,
        };
        let properties = [cl::CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR, fields, 0];
        let properties = match fields {
            0 => null(),
            _ => properties.as_ptr(),
        };
        // SAFETY: as above.
        let launch = unsafe { Launch::new(kernel, &range) };
        command_buffer.record(links, kept, Some(launch), |c| {
            // SAFETY: live objects; sizes and arguments are as the API says, other places `record`'s.
            unsafe {
                kernel.with_args(args, |native| {
                    append(
                        c.buffer,
                        c.queue,
                        properties,
                        native,
                        range.work_dim,
                        range.offset,
                        range.global,
                        range.local,
                        c.count,
                        c.points,
                        c.point,
                        c.command,
                    )
                })
            }
        })
    }

    unsafe fn command_buffer_append_usm_memcpy_exp(
        command_buffer: &Object<CommandBuffer>,
        dst: *mut c_void,
        src: *const c_void,
        size: usize,
        points: &[ur_exp_command_buffer_sync_point_t],
        waits: &[&Object<Event>],
        point: Option<&mut MaybeUninit<ur_exp_command_buffer_sync_point_t>>,
        event: &mut Slot<Event>,
        command: &mut Slot<BufferCommand>,
    ) -> Result {
        let links = Links::new(points, waits, point, event, command)?;
        if size == 0 {
            return Err(invalid_size("nothing to copy"));
        }
        // SAFETY: the program passes memory of that size.
        unsafe { memcpy(command_buffer, dst, src, size, Vec::new(), links) }
    }

    unsafe fn command_buffer_append_usm_fill_exp(
        command_buffer: &Object<CommandBuffer>,
        memory: *mut c_void,
        pattern: *const c_void,
        pattern_size: usize,
        size: usize,
        points: &[ur_exp_command_buffer_sync_point_t],
        waits: &[&Object<Event>],
        point: Option<&mut MaybeUninit<ur_exp_command_buffer_sync_point_t>>,
        event: &mut Slot<Event>,
        command: &mut Slot<BufferCommand>,
    ) -> Result {
        let links = Links::new(points, waits, point, event, command)?;
        if pattern_size == 0 || size == 0 || !size.is_multiple_of(pattern_size) {
            return Err(invalid_size("the pattern does not fit the range"));
        }
        if !usm::is_plain(memory, pattern_size) {
            // SAFETY: the program passes a pattern of that size.
            let bytes = unsafe { usm::repeated(pattern, pattern_size, size) }?;
            let bytes = bytes.into_boxed_slice();
            let from = bytes.as_ptr().cast();
            let kept = vec![Kept::Bytes { _bytes: bytes }];
            // SAFETY: the program passes memory of that size, and the command buffer keeps the source.
            return unsafe { memcpy(command_buffer, memory, from, size, kept, links) };
        }
        let append = command_buffer.extensions().clCommandSVMMemFillKHR;
        let append = append.ok_or_else(Error::unsupported)?;
        command_buffer.record(links, Vec::new(), None, |c| {
            // SAFETY: a live command buffer, and memory as the API says.
            Ok(unsafe {
                append(
                    c.buffer,
                    c.queue,
                    null(),
                    memory,
                    pattern,
                    pattern_size,
                    size,
                    c.count,
                    c.points,
                    c.point,
                    c.command,
                )
            })
        })
    }

    fn command_buffer_append_mem_buffer_copy_exp(
        command_buffer: &Object<CommandBuffer>,
        src_mem: &Object<Mem>,
        dst_mem: &Object<Mem>,
        src_offset: usize,
        dst_offset: usize,
        size: usize,
        points: &[ur_exp_command_buffer_sync_point_t],
        waits: &[&Object<Event>],
        point: Option<&mut MaybeUninit<ur_exp_command_buffer_sync_point_t>>,
        event: &mut Slot<Event>,
        command: &mut Slot<BufferCommand>,
    ) -> Result {
        let links = Links::new(points, waits, point, event, command)?;
        src_mem.expect_range(src_offset, size)?;
        dst_mem.expect_range(dst_offset, size)?;
        let append = command_buffer.extensions().clCommandCopyBufferKHR;
        let append = append.ok_or_else(Error::unsupported)?;
        let kept = vec![src_mem.into(), dst_mem.into()];
        command_buffer.record(links, kept, None, |c| {
            // SAFETY: live objects; the places are `record`'s.
            Ok(unsafe {
                append(
                    c.buffer,
                    c.queue,
                    null(),
                    src_mem.native(),
                    dst_mem.native(),
                    src_offset,
                    dst_offset,
                    size,
                    c.count,
                    c.points,
                    c.point,
                    c.command,
                )
            })
        })
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
        waits: &[&Object<Event>],
        point: Option<&mut MaybeUninit<ur_exp_command_buffer_sync_point_t>>,
        event: &mut Slot<Event>,
        command: &mut Slot<BufferCommand>,
    ) -> Result {
        let links = Links::new(points, waits, point, event, command)?;
        let extent = rect::extent(region);
        let from = Placement::new(src_origin, src_row_pitch, src_slice_pitch);
        let to = Placement::new(dst_origin, dst_row_pitch, dst_slice_pitch);
        buffer::expect_in(src_mem, from, extent)?;
        buffer::expect_in(dst_mem, to, extent)?;
        let append = command_buffer.extensions().clCommandCopyBufferRectKHR;
        let append = append.ok_or_else(Error::unsupported)?;
        let kept = vec![src_mem.into(), dst_mem.into()];
        command_buffer.record(links, kept, None, |c| {
            // SAFETY: live objects, and arrays of three; the places are `record`'s.
            Ok(unsafe {
                append(
                    c.buffer,
                    c.queue,
                    null(),
                    src_mem.native(),
                    dst_mem.native(),
                    from.origin.as_ptr(),
                    to.origin.as_ptr(),
                    extent.as_ptr(),
                    from.row_pitch,
                    from.slice_pitch,
                    to.row_pitch,
                    to.slice_pitch,
                    c.count,
                    c.points,
                    c.point,
                    c.command,
                )
            })
        })
    }

    unsafe fn command_buffer_append_mem_buffer_fill_exp(
        command_buffer: &Object<CommandBuffer>,
        buffer: &Object<Mem>,
        pattern: *const c_void,
        pattern_size: usize,
        offset: usize,
        size: usize,
        points: &[ur_exp_command_buffer_sync_point_t],
        waits: &[&Object<Event>],
        point: Option<&mut MaybeUninit<ur_exp_command_buffer_sync_point_t>>,
        event: &mut Slot<Event>,
        command: &mut Slot<BufferCommand>,
    ) -> Result {
        let links = Links::new(points, waits, point, event, command)?;
        buffer.expect_range(offset, size)?;
        expect_pattern(pattern_size, offset, size)?;
        let append = command_buffer.extensions().clCommandFillBufferKHR;
        let append = append.ok_or_else(Error::unsupported)?;
        command_buffer.record(links, vec![buffer.into()], None, |c| {
            // SAFETY: live objects, and a pattern of that size; the places are `record`'s.
            Ok(unsafe {
                append(
                    c.buffer,
                    c.queue,
                    null(),
                    buffer.native(),
                    pattern,
                    pattern_size,
                    offset,
                    size,
                    c.count,
                    c.points,
                    c.point,
                    c.command,
                )
            })
        })
    }

    unsafe fn command_buffer_append_usm_prefetch_exp(
        command_buffer: &Object<CommandBuffer>,
        _: *const c_void,
        size: usize,
        flags: ur_usm_migration_flags_t,
        points: &[ur_exp_command_buffer_sync_point_t],
        waits: &[&Object<Event>],
        point: Option<&mut MaybeUninit<ur_exp_command_buffer_sync_point_t>>,
        event: &mut Slot<Event>,
        command: &mut Slot<BufferCommand>,
    ) -> Result {
        let links = Links::new(points, waits, point, event, command)?;
        usm::check_prefetch(size, flags)?;
        hint(command_buffer, links)
    }

    unsafe fn command_buffer_append_usm_advise_exp(
        command_buffer: &Object<CommandBuffer>,
        _: *const c_void,
        size: usize,
        advice: ur_usm_advice_flags_t,
        points: &[ur_exp_command_buffer_sync_point_t],
        waits: &[&Object<Event>],
        point: Option<&mut MaybeUninit<ur_exp_command_buffer_sync_point_t>>,
        event: &mut Slot<Event>,
        command: &mut Slot<BufferCommand>,
    ) -> Result {
        let links = Links::new(points, waits, point, event, command)?;
        usm::check_advice(size, advice)?;
        hint(command_buffer, links)
    }

    fn command_buffer_update_kernel_launch_exp(
        command_buffer: &Object<CommandBuffer>,
        update_kernel_launch: &[ur_exp_command_buffer_update_kernel_launch_desc_t],
    ) -> Result {
        command_buffer.update(update_kernel_launch)
    }

    fn command_buffer_get_info_exp(
        command_buffer: &Object<CommandBuffer>,
        prop_name: ur_exp_command_buffer_info_t,
        info: &mut Info<'_>,
    ) -> Result {
        command_buffer.info(prop_name, info)
    }

    fn command_buffer_get_native_handle_exp(
        command_buffer: &Object<CommandBuffer>,
    ) -> Result<ur_native_handle_t> {
        Ok(command_buffer.native().to_native())
    }
}
