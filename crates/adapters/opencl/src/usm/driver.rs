//! What of OpenCL the USM of a context is made of: Intel's extension, or else shared virtual memory.
//!
//! Shared virtual memory has one kind of allocation. Of device memory no program reads or writes a
//! byte by itself, so that what OpenCL calls coarse-grained will do. Host and shared memory can be
//! touched without mapping it, which takes fine-grained buffers. The driver knows nothing of such an
//! allocation that it would tell, nor does it wait when one is freed; [`super::known`] and
//! [`crate::queue::Live`] do.

use crate::cl::{self, Extensions, Functions, check};
use crate::context::Context;
use crate::device::Device;
use std::ffi::c_void;
use std::sync::atomic::{AtomicU64, Ordering};
use ur_adapter::{Error, Handle, Result};
use ur_api::*;

type Memcpy = unsafe extern "C" fn(
    cl::cl_command_queue,
    cl::cl_bool,
    *mut c_void,
    *const c_void,
    usize,
    cl::cl_uint,
    *const cl::cl_event,
    *mut cl::cl_event,
) -> cl::cl_int;

type Fill = unsafe extern "C" fn(
    cl::cl_command_queue,
    *mut c_void,
    *const c_void,
    usize,
    usize,
    cl::cl_uint,
    *const cl::cl_event,
    *mut cl::cl_event,
) -> cl::cl_int;

/// Where allocations come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// `cl_intel_unified_shared_memory`.
    Intel,
    /// Shared virtual memory, with what all devices of the context can do with it.
    Svm(cl::cl_bitfield),
    /// Nowhere.
    None,
}

/// How a context does USM.
#[derive(Debug)]
pub struct Driver {
    source: Source,
    memcpy: Option<Memcpy>,
    fill: Option<Fill>,
    /// How often it allocated or freed.
    changes: AtomicU64,
}

/// Memory of the driver's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Memory {
    /// Where it begins.
    pub start: *mut c_void,
    /// What the driver knows it by.
    own: *mut c_void,
}

// SAFETY: memory can be used from any thread.
unsafe impl Send for Memory {}
// SAFETY: as above.
unsafe impl Sync for Memory {}

impl Memory {
    /// Memory that the driver knows by where it begins.
    pub fn plain(start: *mut c_void) -> Self {
        Self { start, own: start }
    }

    /// What the driver knows it by.
    pub fn own(self) -> *const c_void {
        self.own
    }
}

/// The largest alignment that every driver has for shared virtual memory: of its largest type.
const SVM_ALIGN: u32 = 128;

impl Driver {
    /// For a context of these devices.
    pub fn of(
        api: &'static Functions,
        extensions: &'static Extensions,
        devices: &[Handle<Device>],
    ) -> Self {
        if devices.iter().any(|device| device.facts().has_usm) {
            return Self {
                source: Source::Intel,
                memcpy: extensions.clEnqueueMemcpyINTEL,
                fill: extensions.clEnqueueMemFillINTEL,
                changes: AtomicU64::new(0),
            };
        }
        let svm = devices.iter().map(|device| device.facts().svm);
        match svm.fold(!0, |all, one| all & one) {
            0 => Self {
                source: Source::None,
                memcpy: None,
                fill: None,
                changes: AtomicU64::new(0),
            },
            svm => Self {
                source: Source::Svm(svm),
                memcpy: api.clEnqueueSVMMemcpy,
                fill: api.clEnqueueSVMMemFill,
                changes: AtomicU64::new(0),
            },
        }
    }

    /// Where allocations come from.
    pub fn source(&self) -> Source {
        self.source
    }

    /// How often something was allocated or freed. Whoever knows that an address was allocated or freed
    /// sees a number that counts it.
    #[inline]
    pub fn changes(&self) -> u64 {
        self.changes.load(Ordering::Relaxed)
    }

    fn note_change(&self) {
        self.changes.fetch_add(1, Ordering::Relaxed);
    }

    /// OpenCL's function for copies between any pointers.
    ///
    /// # Errors
    /// `UNSUPPORTED_FEATURE`.
    #[inline]
    pub fn memcpy(&self) -> Result<Memcpy> {
        self.memcpy.ok_or_else(Error::unsupported)
    }

    /// OpenCL's function for fills of an allocation.
    ///
    /// # Errors
    /// `UNSUPPORTED_FEATURE`.
    #[inline]
    pub fn fill(&self) -> Result<Fill> {
        self.fill.ok_or_else(Error::unsupported)
    }
}

/// Memory of a kind and, unless it is of the host, for a device. The alignment may be 0.
///
/// # Errors
/// `UNSUPPORTED_FEATURE` for a kind that the context does not have, `INVALID_USM_SIZE` for too much,
/// and what the driver says.
pub fn allocate(
    context: &Context,
    kind: ur_usm_type_t,
    device: Option<&Device>,
    size: usize,
    align: u32,
) -> Result<Memory> {
    let memory = match context.usm().source {
        Source::Intel => from_extension(context, kind, device, size, align).map(Memory::plain),
        Source::Svm(able) => from_svm(context, able, kind, size, align),
        Source::None => Err(Error::unsupported()),
    };
    // Who looked at the address before saw a lower number.
    context.usm().note_change();
    memory
}

fn from_extension(
    context: &Context,
    kind: ur_usm_type_t,
    device: Option<&Device>,
    size: usize,
    align: u32,
) -> Result<*mut c_void> {
    let (functions, native) = (context.extensions(), context.native());
    let (none, mut code) = (std::ptr::null(), 0);
    let allocate = match kind {
        UR_USM_TYPE_DEVICE => functions.clDeviceMemAllocINTEL,
        UR_USM_TYPE_SHARED => functions.clSharedMemAllocINTEL,
        _ => None,
    };
    let memory = if let Some(device) = device {
        let allocate = allocate.ok_or_else(Error::unsupported)?;
        // SAFETY: live objects; the code's place is ours.
        unsafe { allocate(native, device.native(), none, size, align, &raw mut code) }
    } else {
        let allocate = functions.clHostMemAllocINTEL;
        let allocate = allocate.ok_or_else(Error::unsupported)?;
        // SAFETY: a live context; the code's place is ours.
        unsafe { allocate(native, none, size, align, &raw mut code) }
    };
    match code {
        cl::CL_SUCCESS => Ok(memory),
        cl::CL_INVALID_BUFFER_SIZE => {
            Err(Error::code(UR_RESULT_ERROR_INVALID_USM_SIZE).with_native(code))
        }
        code => Err(cl::error::failed(code)),
    }
}

/// The flags of an allocation of a kind; none where its memory could not be what the API says of it.
pub(super) fn svm_flags(able: cl::cl_bitfield, kind: ur_usm_type_t) -> Option<cl::cl_bitfield> {
    let mut flags = cl::CL_MEM_READ_WRITE;
    if able & cl::CL_DEVICE_SVM_FINE_GRAIN_BUFFER != 0 {
        flags |= cl::CL_MEM_SVM_FINE_GRAIN_BUFFER;
        if able & cl::CL_DEVICE_SVM_ATOMICS != 0 {
            flags |= cl::CL_MEM_SVM_ATOMICS;
        }
        return Some(flags);
    }
    (kind == UR_USM_TYPE_DEVICE).then_some(flags)
}

fn from_svm(
    context: &Context,
    able: cl::cl_bitfield,
    kind: ur_usm_type_t,
    size: usize,
    align: u32,
) -> Result<Memory> {
    let flags = svm_flags(able, kind).ok_or_else(Error::unsupported)?;
    // For a larger alignment there is room to move the beginning.
    let room = match align {
        0..=SVM_ALIGN => 0,
        align => align as usize,
    };
    let most = context.devices().iter().fold(u64::MAX, |most, device| {
        most.min(device.facts().max_alloc_size)
    });
    let bytes = size
        .checked_add(room)
        .filter(|bytes| *bytes as u64 <= most)
        .ok_or_else(|| Error::code(UR_RESULT_ERROR_INVALID_USM_SIZE))?;
    let allocate = context.api().clSVMAlloc.ok_or_else(Error::unsupported)?;
    // SAFETY: a live context. Null is the only error that there is.
    let own = unsafe { allocate(context.native(), flags, bytes, align.min(SVM_ALIGN)) };
    if own.is_null() {
        return Err(Error::code(UR_RESULT_ERROR_OUT_OF_RESOURCES));
    }
    let start = match room {
        0 => own,
        align => own.wrapping_byte_add((own as usize).next_multiple_of(align) - own as usize),
    };
    Ok(Memory { start, own })
}

/// Frees an allocation of Intel's extension, after the commands that use it have ended.
///
/// # Errors
/// `INVALID_MEM_OBJECT` for a pointer that is none, and what the driver says.
pub fn free_by_extension(context: &Context, memory: Memory) -> Result {
    let free = context.extensions().clMemBlockingFreeINTEL;
    let free = free.ok_or_else(Error::unsupported)?;
    // SAFETY: a live context; the driver looks whether it knows the pointer.
    let code = unsafe { free(context.native(), memory.own) };
    context.usm().note_change();
    freed(code)
}

/// Frees an allocation that no command uses, without waiting for any.
///
/// # Errors
/// `INVALID_MEM_OBJECT` for a pointer that is none, and what the driver says.
///
/// # Safety
/// With shared virtual memory, it is memory of [`allocate`].
pub unsafe fn free_unused(context: &Context, memory: Memory) -> Result {
    let result = match context.usm().source {
        Source::Intel => {
            let free = context.extensions().clMemFreeINTEL;
            let free = free.ok_or_else(Error::unsupported)?;
            // SAFETY: a live context; the driver looks whether it knows the pointer.
            freed(unsafe { free(context.native(), memory.own) })
        }
        Source::Svm(_) => {
            let free = context.api().clSVMFree.ok_or_else(Error::unsupported)?;
            // SAFETY: a live context, and an allocation of it.
            unsafe { free(context.native(), memory.own) };
            Ok(())
        }
        Source::None => Err(Error::unsupported()),
    };
    context.usm().note_change();
    result
}

/// What freeing gave.
fn freed(code: cl::cl_int) -> Result {
    match code {
        cl::CL_INVALID_VALUE => {
            Err(Error::code(UR_RESULT_ERROR_INVALID_MEM_OBJECT).with_native(code))
        }
        code => check(code),
    }
}
