//! Recording of commands.

use super::Recorded;
use crate::call::{call_of, code, list};
use crate::cl::*;
use crate::world::{Kind, World};
use std::ffi::c_void;

/// Where a command is recorded, and how it is reached later.
struct Links {
    buffer: usize,
    queue: cl_command_queue,
    points: Vec<cl_sync_point_khr>,
    point: *mut cl_sync_point_khr,
    command: *mut cl_mutable_command_khr,
}

/// Records a command.
///
/// # Safety
/// The places in `links` are null or have room.
unsafe fn record<const P: usize>(
    name: &'static str,
    links: Links,
    what: impl FnOnce(&mut World) -> Result<Recorded, cl_int>,
) -> cl_int {
    let of = (links.buffer, Kind::CommandBuffer);
    code(call_of(P, name, of, |world| {
        let buffer = world.command_buffer(links.buffer)?;
        let (last, wanted) = (buffer.commands.len() as u32, !links.command.is_null());
        if buffer.is_final {
            return Err(CL_INVALID_OPERATION);
        }
        if !links.queue.is_null() {
            return Err(CL_INVALID_COMMAND_QUEUE);
        }
        if wanted && !buffer.is_mutable() {
            return Err(CL_INVALID_VALUE);
        }
        if links.points.iter().any(|point| !(1..=last).contains(point)) {
            return Err(CL_INVALID_SYNC_POINT_WAIT_LIST_KHR);
        }
        let mut recorded = what(world)?;
        for (object, kind) in &recorded.uses {
            world.object(*object, *kind)?;
        }
        if wanted {
            recorded.handle = world.next_command();
            // SAFETY: as the caller says.
            unsafe {
                let handle = cl_mutable_command_khr::from_native(recorded.handle);
                links.command.write(handle);
            }
        }
        if !links.point.is_null() {
            // SAFETY: as the caller says.
            unsafe { links.point.write(last + 1) };
        }
        world.command_buffer(links.buffer)?.commands.push(recorded);
        Ok(())
    }))
}

macro_rules! records {
    ($(
        $(#[$doc:meta])*
        $name:ident($($arg:ident: $type:ty),* $(,)?) is $what:expr;
    )*) => {$(
        $(#[$doc])*
        pub unsafe extern "C" fn $name<const P: usize>(
            buffer: cl_command_buffer_khr,
            queue: cl_command_queue,
            _: *const cl_properties64,
            $($arg: $type,)*
            count: cl_uint,
            points: *const cl_sync_point_khr,
            point: *mut cl_sync_point_khr,
            command: *mut cl_mutable_command_khr,
        ) -> cl_int {
            let links = Links {
                buffer: buffer.to_native(),
                queue,
                // SAFETY: as the caller says.
                points: unsafe { list(points, count as usize) },
                point,
                command,
            };
            let what = $what;
            // SAFETY: as the caller says.
            unsafe { record::<P>(stringify!($name), links, what) }
        }
    )*};
}

records! {
    /// Records what others wait for.
    clCommandBarrierWithWaitListKHR() is |_: &mut World| Ok(Recorded::default());
    /// Records a copy.
    clCommandCopyBufferKHR(
        from: cl_mem, to: cl_mem, from_offset: usize, to_offset: usize, size: usize,
    ) is |world: &mut World| {
        world.mem(from.to_native())?.expect_range(from_offset, size)?;
        world.mem(to.to_native())?.expect_range(to_offset, size)?;
        Ok(Recorded::of(&[(from.to_native(), Kind::Mem), (to.to_native(), Kind::Mem)]))
    };
    /// Records a copy of a box.
    clCommandCopyBufferRectKHR(
        from: cl_mem, to: cl_mem, _from_origin: *const usize, _to_origin: *const usize,
        _region: *const usize, _from_row: usize, _from_slice: usize, _to_row: usize,
        _to_slice: usize,
    ) is |_: &mut World| {
        Ok(Recorded::of(&[(from.to_native(), Kind::Mem), (to.to_native(), Kind::Mem)]))
    };
    /// Records a fill.
    clCommandFillBufferKHR(
        target: cl_mem, _pattern: *const c_void, _pattern_size: usize, offset: usize, size: usize,
    ) is |world: &mut World| {
        world.mem(target.to_native())?.expect_range(offset, size)?;
        Ok(Recorded::of(&[(target.to_native(), Kind::Mem)]))
    };
    /// Records a launch with the arguments that the kernel has now.
    clCommandNDRangeKernelKHR(
        kernel: cl_kernel, dimensions: cl_uint, _offset: *const usize, global: *const usize,
        _local: *const usize,
    ) is |world: &mut World| {
        // SAFETY: as the caller says.
        let global = unsafe { list(global, dimensions as usize) };
        let launch = world.kernel(kernel.to_native())?.launch(global)?;
        let mut uses = world.mems_in(&launch);
        uses.push((kernel.to_native(), Kind::Kernel));
        Ok(Recorded { launch: Some(launch), ..Recorded::of(&uses) })
    };
    /// Records a copy between addresses.
    clCommandSVMMemcpyKHR(
        _to: *mut c_void, _from: *const c_void, _size: usize,
    ) is |_: &mut World| Ok(Recorded::default());
    /// Records a fill at an address.
    clCommandSVMMemFillKHR(
        _to: *mut c_void, _pattern: *const c_void, _pattern_size: usize, _size: usize,
    ) is |_: &mut World| Ok(Recorded::default());
}
