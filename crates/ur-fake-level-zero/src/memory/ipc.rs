//! Allocations of other processes.
//!
//! A handle says which file of which process, and which part of it. A process that may not look at the
//! files of the other one cannot open it.

use super::Allocation;
use crate::call::{call, put};
use crate::heap;
use crate::world::{Kind, World};
use crate::ze::*;
use std::ffi::c_void;
use std::os::fd::AsRawFd;

/// What a handle begins with.
const MAGIC: u64 = 0x7a65_5f66_616b_6531;

/// What is in a handle, one behind the other.
struct Shared {
    process: u64,
    file: u64,
    offset: u64,
    size: u64,
}

impl Shared {
    fn write(&self) -> ze_ipc_mem_handle_t {
        let numbers = [MAGIC, self.process, self.file, self.offset, self.size];
        let mut data = [0; ZE_MAX_IPC_HANDLE_SIZE];
        for (place, number) in data.chunks_exact_mut(8).zip(numbers) {
            place.copy_from_slice(&number.to_ne_bytes());
        }
        ze_ipc_mem_handle_t { data }
    }

    fn read(handle: &ze_ipc_mem_handle_t) -> Answer<Self> {
        let (words, _) = handle.data.as_chunks::<8>();
        let word = |place: usize| u64::from_ne_bytes(words[place]);
        match word(0) == MAGIC {
            true => Ok(Self {
                process: word(1),
                file: word(2),
                offset: word(3),
                size: word(4),
            }),
            false => Err(ZE_RESULT_ERROR_INVALID_ARGUMENT),
        }
    }
}

/// The file of another process as one of this one, to be closed.
fn file_of(process: u64, file: u64) -> Option<i32> {
    // SAFETY: calls that look another process up; what they give is checked.
    unsafe {
        let other = libc::syscall(libc::SYS_pidfd_open, process, 0);
        if other < 0 {
            return None;
        }
        let found = libc::syscall(libc::SYS_pidfd_getfd, other, file, 0);
        libc::close(other as i32);
        (found >= 0).then_some(found as i32)
    }
}

/// Makes a handle of an allocation for other processes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeMemGetIpcHandle(
    context: ze_context_handle_t,
    address: *const c_void,
    place: *mut ze_ipc_mem_handle_t,
) -> ze_result_t {
    call("zeMemGetIpcHandle", |world| {
        world.needs_part(context.to_native(), Kind::Context, "ipc")?;
        let start = world.find_memory(address as usize);
        let memory = start.and_then(|start| world.allocations.get(&start));
        let memory = memory.ok_or(ZE_RESULT_ERROR_INVALID_ARGUMENT)?;
        let (file, offset) = match (&memory.file, memory.part) {
            (Some(file), _) => (file.as_raw_fd(), 0),
            (None, Some(part)) => {
                let file = heap::file().ok_or(ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY)?;
                (file, part.offset)
            }
            // Of another process.
            (None, None) => return Err(ZE_RESULT_ERROR_INVALID_ARGUMENT),
        };
        let shared = Shared {
            process: std::process::id().into(),
            file: file as u64,
            offset,
            size: memory.size as u64,
        };
        // Where only a parent may look at files of another process, all may at this one's.
        // SAFETY: it changes nothing but that.
        unsafe { libc::prctl(libc::PR_SET_PTRACER, libc::PR_SET_PTRACER_ANY) };
        // SAFETY: as the caller says.
        unsafe { put(place, shared.write()) }
    })
}

/// Gives a handle back.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeMemPutIpcHandle(
    context: ze_context_handle_t,
    handle: ze_ipc_mem_handle_t,
) -> ze_result_t {
    call("zeMemPutIpcHandle", |world| {
        world.needs(context.to_native(), Kind::Context, 7)?;
        Shared::read(&handle)?;
        Ok(())
    })
}

fn open(
    world: &mut World,
    context: usize,
    device: usize,
    handle: &ze_ipc_mem_handle_t,
) -> Answer<*mut c_void> {
    world.needs_part(context, Kind::Context, "ipc")?;
    world.device_in(context, device)?;
    let shared = Shared::read(handle)?;
    let own = shared.process == u64::from(std::process::id());
    let other = match own {
        true => None,
        false => Some(
            file_of(shared.process, shared.file).ok_or(ZE_RESULT_ERROR_INSUFFICIENT_PERMISSIONS)?,
        ),
    };
    let file = other.unwrap_or(shared.file as i32);
    let mapping = heap::map(shared.size as usize, 1, file, shared.offset);
    if let Some(file) = other {
        // SAFETY: opened above; the mapping stays.
        unsafe { libc::close(file) };
    }
    let mapping = mapping.ok_or(ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY)?;
    world.allocation_id += 1;
    let start = mapping.start;
    let memory = Allocation {
        context,
        device: Some(device),
        kind: ZE_MEMORY_TYPE_DEVICE,
        size: shared.size as usize,
        id: world.allocation_id,
        part: None,
        file: None,
        opened: true,
        mapping,
        uses: 0,
        deferred: false,
    };
    world.allocations.insert(start, memory);
    Ok(start as *mut c_void)
}

/// Opens an allocation of another process.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeMemOpenIpcHandle(
    context: ze_context_handle_t,
    device: ze_device_handle_t,
    handle: ze_ipc_mem_handle_t,
    flags: u32,
    place: *mut *mut c_void,
) -> ze_result_t {
    call("zeMemOpenIpcHandle", |world| {
        if flags & !3 != 0 {
            return Err(ZE_RESULT_ERROR_INVALID_ENUMERATION);
        }
        let start = open(world, context.to_native(), device.to_native(), &handle)?;
        // SAFETY: as the caller says.
        unsafe { put(place, start) }
    })
}

/// Closes an allocation of another process.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeMemCloseIpcHandle(
    context: ze_context_handle_t,
    address: *const c_void,
) -> ze_result_t {
    call("zeMemCloseIpcHandle", |world| {
        let (context, start) = (context.to_native(), address as usize);
        if !world.allocation(context, start)?.opened {
            return world.wrong(
                ZE_RESULT_ERROR_INVALID_ARGUMENT,
                "memory is closed that was allocated here",
            );
        }
        world.free(context, start)
    })
}

/// Handles are no files of their own.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeMemGetIpcHandleFromFileDescriptorExp(
    context: ze_context_handle_t,
    _: u64,
    _: *mut ze_ipc_mem_handle_t,
) -> ze_result_t {
    call("zeMemGetIpcHandleFromFileDescriptorExp", |world| {
        world.context(context.to_native())?;
        Err(ZE_RESULT_ERROR_UNSUPPORTED_FEATURE)
    })
}

/// Handles are no files of their own.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeMemGetFileDescriptorFromIpcHandleExp(
    context: ze_context_handle_t,
    _: ze_ipc_mem_handle_t,
    _: *mut u64,
) -> ze_result_t {
    call("zeMemGetFileDescriptorFromIpcHandleExp", |world| {
        world.context(context.to_native())?;
        Err(ZE_RESULT_ERROR_UNSUPPORTED_FEATURE)
    })
}
