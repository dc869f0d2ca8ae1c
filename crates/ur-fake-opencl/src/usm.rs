//! Unified shared memory and shared virtual memory.

use crate::call::{Raw, call, call_of, code, list, made, tell};
use crate::cl::*;
use crate::enqueue::{Ties, enqueue};
use crate::world::{Kind, World};
use std::ffi::c_void;

/// An allocation.
#[derive(Debug)]
pub struct Allocation {
    context: usize,
    device: usize,
    kind: cl_uint,
    size: usize,
    _bytes: Box<[u128]>,
}

/// The largest alignment there is.
const ALIGNMENT: cl_uint = 16;

impl World {
    fn allocate(
        &mut self,
        context: usize,
        device: usize,
        kind: cl_uint,
        size: usize,
        alignment: cl_uint,
    ) -> Result<usize, cl_int> {
        self.context(context)?;
        if device != 0 {
            self.device(device)?;
        }
        if size == 0 {
            return Err(CL_INVALID_BUFFER_SIZE);
        }
        if alignment > ALIGNMENT {
            return Err(CL_INVALID_VALUE);
        }
        let mut bytes = vec![0u128; size.div_ceil(16)].into_boxed_slice();
        let address = bytes.as_mut_ptr() as usize;
        let allocation = Allocation {
            context,
            device,
            kind,
            size,
            _bytes: bytes,
        };
        // An allocation does not keep its context.
        self.allocations.insert(address, allocation);
        Ok(address)
    }

    fn free(&mut self, context: usize, memory: usize) -> Result<(), cl_int> {
        self.context(context)?;
        match self.allocations.get(&memory) {
            Some(allocation) if allocation.context == context => {
                self.allocations.remove(&memory);
                Ok(())
            }
            _ if memory == 0 => Ok(()),
            _ => Err(CL_INVALID_VALUE),
        }
    }
}

fn pointer(address: usize) -> *mut c_void {
    address as *mut c_void
}

/// Allocates host memory.
pub unsafe extern "C" fn clHostMemAllocINTEL<const P: usize>(
    context: cl_context,
    _: *const cl_properties64,
    size: usize,
    alignment: cl_uint,
    place: *mut cl_int,
) -> *mut c_void {
    let context = context.to_native();
    let of = (context, Kind::Context);
    let result = call_of(P, "clHostMemAllocINTEL", of, |world| {
        world.allocate(context, 0, CL_MEM_TYPE_HOST_INTEL, size, alignment)
    });
    // SAFETY: as the caller says.
    unsafe { made(place, result, pointer) }
}

/// Allocates a device's memory.
pub unsafe extern "C" fn clDeviceMemAllocINTEL<const P: usize>(
    context: cl_context,
    device: cl_device_id,
    _: *const cl_properties64,
    size: usize,
    alignment: cl_uint,
    place: *mut cl_int,
) -> *mut c_void {
    let (context, device) = (context.to_native(), device.to_native());
    let of = (context, Kind::Context);
    let result = call_of(P, "clDeviceMemAllocINTEL", of, |world| {
        world.allocate(context, device, CL_MEM_TYPE_DEVICE_INTEL, size, alignment)
    });
    // SAFETY: as the caller says.
    unsafe { made(place, result, pointer) }
}

/// Allocates shared memory.
pub unsafe extern "C" fn clSharedMemAllocINTEL<const P: usize>(
    context: cl_context,
    device: cl_device_id,
    _: *const cl_properties64,
    size: usize,
    alignment: cl_uint,
    place: *mut cl_int,
) -> *mut c_void {
    let (context, device) = (context.to_native(), device.to_native());
    let of = (context, Kind::Context);
    let result = call_of(P, "clSharedMemAllocINTEL", of, |world| {
        world.allocate(context, device, CL_MEM_TYPE_SHARED_INTEL, size, alignment)
    });
    // SAFETY: as the caller says.
    unsafe { made(place, result, pointer) }
}

/// Frees memory.
pub unsafe extern "C" fn clMemFreeINTEL<const P: usize>(
    context: cl_context,
    memory: *mut c_void,
) -> cl_int {
    let context = context.to_native();
    code(call_of(
        P,
        "clMemFreeINTEL",
        (context, Kind::Context),
        |world| world.free(context, memory as usize),
    ))
}

/// Frees memory when no command uses it any more.
pub unsafe extern "C" fn clMemBlockingFreeINTEL<const P: usize>(
    context: cl_context,
    memory: *mut c_void,
) -> cl_int {
    let context = context.to_native();
    let of = (context, Kind::Context);
    code(call_of(P, "clMemBlockingFreeINTEL", of, |world| {
        world.free(context, memory as usize)
    }))
}

/// Answers a question about a pointer.
pub unsafe extern "C" fn clGetMemAllocInfoINTEL<const P: usize>(
    context: cl_context,
    pointer: *const c_void,
    name: cl_uint,
    size: usize,
    value: *mut c_void,
    told: *mut usize,
) -> cl_int {
    let context = context.to_native();
    let of = (context, Kind::Context);
    code(call_of(P, "clGetMemAllocInfoINTEL", of, |world| {
        let pointer = pointer as usize;
        let before = world.allocations.range(..=pointer).next_back();
        let found =
            before.filter(|(base, one)| pointer < *base + one.size && one.context == context);
        let (kind, base, bytes, device) = match found {
            Some((base, one)) => (one.kind, *base, one.size, one.device),
            None => (CL_MEM_TYPE_UNKNOWN_INTEL, 0, 0, 0),
        };
        let answer = match name {
            CL_MEM_ALLOC_TYPE_INTEL => kind.raw(),
            CL_MEM_ALLOC_BASE_PTR_INTEL => base.raw(),
            CL_MEM_ALLOC_SIZE_INTEL => bytes.raw(),
            CL_MEM_ALLOC_DEVICE_INTEL => device.raw(),
            _ => return Err(CL_INVALID_VALUE),
        };
        // SAFETY: as the caller says.
        unsafe { tell(&answer, size, value, told) }
    }))
}

/// Enqueues a fill.
pub unsafe extern "C" fn clEnqueueMemFillINTEL<const P: usize>(
    queue: cl_command_queue,
    _: *mut c_void,
    _: *const c_void,
    pattern_size: usize,
    size: usize,
    count: cl_uint,
    waits: *const cl_event,
    event: *mut cl_event,
) -> cl_int {
    // SAFETY: as the caller says.
    let waits = unsafe { list(waits, count as usize) };
    let ties = Ties::new(queue, CL_COMMAND_MEMFILL_INTEL, waits, event);
    let name = "clEnqueueMemFillINTEL";
    // SAFETY: as the caller says.
    unsafe {
        enqueue(name, Some(P), ties, CL_FALSE, |_| {
            match pattern_size != 0 && size.is_multiple_of(pattern_size) {
                true => Ok(()),
                false => Err(CL_INVALID_VALUE),
            }
        })
    }
}

/// Enqueues a copy.
pub unsafe extern "C" fn clEnqueueMemcpyINTEL<const P: usize>(
    queue: cl_command_queue,
    blocking: cl_bool,
    _: *mut c_void,
    _: *const c_void,
    _: usize,
    count: cl_uint,
    waits: *const cl_event,
    event: *mut cl_event,
) -> cl_int {
    // SAFETY: as the caller says.
    let waits = unsafe { list(waits, count as usize) };
    let ties = Ties::new(queue, CL_COMMAND_MEMCPY_INTEL, waits, event);
    // SAFETY: as the caller says.
    unsafe { enqueue("clEnqueueMemcpyINTEL", Some(P), ties, blocking, |_| Ok(())) }
}

/// Allocates shared virtual memory.
pub unsafe extern "C" fn clSVMAlloc(
    context: cl_context,
    _: cl_bitfield,
    size: usize,
    alignment: cl_uint,
) -> *mut c_void {
    let result = call("clSVMAlloc", |world| {
        let kind = CL_MEM_TYPE_UNKNOWN_INTEL;
        world.allocate(context.to_native(), 0, kind, size, alignment)
    });
    pointer(result.unwrap_or(0))
}

/// Frees shared virtual memory.
pub unsafe extern "C" fn clSVMFree(context: cl_context, memory: *mut c_void) {
    // The function has no result.
    let _ = call("clSVMFree", |world| {
        let freed = world.free(context.to_native(), memory as usize);
        if freed.is_err() {
            world.fault(format!("{memory:?} is no shared virtual memory"));
        }
        freed
    });
}

/// Enqueues a copy.
pub unsafe extern "C" fn clEnqueueSVMMemcpy(
    queue: cl_command_queue,
    blocking: cl_bool,
    _: *mut c_void,
    _: *const c_void,
    _: usize,
    count: cl_uint,
    waits: *const cl_event,
    event: *mut cl_event,
) -> cl_int {
    // SAFETY: as the caller says.
    let waits = unsafe { list(waits, count as usize) };
    let ties = Ties::new(queue, CL_COMMAND_SVM_MEMCPY, waits, event);
    // SAFETY: as the caller says.
    unsafe { enqueue("clEnqueueSVMMemcpy", None, ties, blocking, |_| Ok(())) }
}

/// Enqueues a fill.
pub unsafe extern "C" fn clEnqueueSVMMemFill(
    queue: cl_command_queue,
    _: *mut c_void,
    _: *const c_void,
    _: usize,
    _: usize,
    count: cl_uint,
    waits: *const cl_event,
    event: *mut cl_event,
) -> cl_int {
    // SAFETY: as the caller says.
    let waits = unsafe { list(waits, count as usize) };
    let ties = Ties::new(queue, CL_COMMAND_SVM_MEMFILL, waits, event);
    // SAFETY: as the caller says.
    unsafe { enqueue("clEnqueueSVMMemFill", None, ties, CL_FALSE, |_| Ok(())) }
}
