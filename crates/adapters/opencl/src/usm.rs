//! Unified shared memory.

pub mod capabilities;
pub mod driver;
pub mod exp;
pub mod known;
pub mod pool;
pub mod recent;

use crate::OpenCl;
use crate::cl::{self, query};
use crate::context::Context;
use crate::device::Device;
pub use capabilities::capabilities;
pub use driver::Driver;
use driver::{Memory, Source};
pub use known::Known;
use known::{Allocation, Pooled};
use pool::UsmPool;
pub use recent::Recent;
use std::ffi::c_void;
use std::sync::Arc;
use ur_adapter::hosted;
use ur_adapter::{DevicePool, Error, Handle, Info, Object, Result, UsmFns};
use ur_api::*;

/// Whether a device has any USM.
pub fn is_there(device: &Device) -> bool {
    capabilities(device, UR_DEVICE_INFO_USM_DEVICE_SUPPORT) != 0
}

/// Whether a context has copies and fills of rows that are one command. They are many here, so that
/// programs which ask may know better.
pub fn has_2d(_: &Context) -> bool {
    false
}

/// Checks what is asked of an allocation, and gives the alignment.
fn check_request(desc: Option<&ur_usm_desc_t>, size: usize) -> Result<u32> {
    if desc.is_some_and(|desc| desc.hints & UR_USM_ADVICE_FLAGS_MASK != 0) {
        return Err(Error::code(UR_RESULT_ERROR_INVALID_ENUMERATION));
    }
    let align = desc.map_or(0, |desc| desc.align);
    if align != 0 && !align.is_power_of_two() {
        return Err(Error::value("an alignment that is no power of two"));
    }
    if size == 0 {
        return Err(Error::code(UR_RESULT_ERROR_INVALID_USM_SIZE));
    }
    Ok(align)
}

/// Refuses a device that is none of the context.
pub(crate) fn check_device(context: &Context, device: &Device) -> Result {
    match context.has(device) {
        true => Ok(()),
        false => Err(Error::new(
            UR_RESULT_ERROR_INVALID_DEVICE,
            "the device does not belong to the context",
        )),
    }
}

/// What all three kinds of allocation do.
fn allocate(
    context: &Object<Context>,
    kind: ur_usm_type_t,
    device: Option<&Object<Device>>,
    desc: Option<&ur_usm_desc_t>,
    pool: Option<&Object<UsmPool>>,
    size: usize,
) -> Result<*mut c_void> {
    if let Some(device) = device {
        check_device(context, device)?;
    }
    let align = check_request(desc, size)?;
    let plain = device.map(|device| &**device);
    if let Some(pool) = pool {
        return pool::allocate(context, kind, device, pool, size, align);
    }
    if context.usm().source() == Source::Intel {
        return recent::allocate(context, kind, device, size, align);
    }
    let memory = driver::allocate(context, kind, plain, size, align)?;
    context.known().add(Allocation {
        memory,
        size,
        kind,
        device: device.map(Object::handle),
        pool: None,
    });
    Ok(memory.start)
}

/// Frees an allocation after the commands that may use it.
///
/// # Errors
/// `INVALID_MEM_OBJECT` for a pointer that begins none of the context, and what the driver says; the
/// allocation is not freed then.
fn free(context: &Object<Context>, memory: *mut c_void) -> Result {
    let intel = context.usm().source() == Source::Intel;
    if intel && context.known().is_empty() {
        return recent::free(context, memory);
    }
    let Some(allocation) = context.known().remove(memory) else {
        return match intel {
            true => recent::free(context, memory),
            false => Err(Error::new(
                UR_RESULT_ERROR_INVALID_MEM_OBJECT,
                "the pointer begins no allocation of the context",
            )),
        };
    };
    let queues = context.platform().queues();
    if hosted::is_hosted() {
        let leaving = Leaving::new(context, allocation);
        queues.after_context(context, Arc::new(leaving));
        return Ok(());
    }
    match queues.finish_context(context) {
        Ok(()) => drop(Leaving::new(context, allocation)),
        Err(error) => {
            // A command may use it still, so it stays what it was.
            context.known().add(allocation);
            return Err(error);
        }
    }
    Ok(())
}

/// An allocation that nobody knows any more. Its memory goes back when this is dropped, which is after
/// the commands that may use it.
#[derive(Debug)]
pub struct Leaving {
    context: Handle<Context>,
    memory: Memory,
    pool: Option<Pooled>,
}

impl Leaving {
    /// The allocation that begins at an address, if it is one that the driver cannot tell of.
    pub fn known(context: &Object<Context>, memory: *mut c_void) -> Option<Self> {
        let allocation = context.known().remove(memory)?;
        Some(Self::new(context, allocation))
    }

    fn new(context: &Object<Context>, allocation: Allocation) -> Self {
        Self {
            context: context.handle(),
            memory: allocation.memory,
            pool: allocation.pool,
        }
    }

    /// Any allocation of the context that begins at an address.
    pub fn of(context: &Object<Context>, memory: *mut c_void) -> Self {
        Self::known(context, memory).unwrap_or_else(|| {
            context.recent().forget(memory);
            Self {
                context: context.handle(),
                memory: Memory::plain(memory),
                pool: None,
            }
        })
    }
}

impl Drop for Leaving {
    fn drop(&mut self) {
        match &self.pool {
            Some(pooled) => pooled.pool.put(self.memory, &pooled.block),
            // SAFETY: an allocation of the driver's that no command uses. If it refuses, nothing is
            // left to be done.
            None => drop(unsafe { driver::free_unused(&self.context, self.memory) }),
        }
    }
}

/// Whether an allocation of the context begins at an address.
pub fn begins(context: &Context, memory: *mut c_void) -> bool {
    if let Some(known) = context.known().find(memory) {
        return known.memory.start == memory;
    }
    let is_there = kind_of(context, memory).is_ok_and(|kind| kind != UR_USM_TYPE_UNKNOWN);
    let start = || ask::<usize>(context, memory, cl::CL_MEM_ALLOC_BASE_PTR_INTEL);
    is_there && start() == Ok(memory as usize)
}

/// What is asked of an allocation that the driver cannot tell of.
fn answer_known(allocation: &Allocation, name: ur_usm_alloc_info_t, info: &mut Info<'_>) -> Result {
    match name {
        UR_USM_ALLOC_INFO_TYPE => info.value(allocation.kind.0),
        UR_USM_ALLOC_INFO_BASE_PTR => info.value(allocation.memory.start as usize),
        UR_USM_ALLOC_INFO_SIZE => info.value(allocation.size),
        UR_USM_ALLOC_INFO_DEVICE => match &allocation.device {
            Some(device) => info.handle(&**device),
            None => info.value(std::ptr::null::<ur_device_handle_t_>()),
        },
        UR_USM_ALLOC_INFO_POOL => match &allocation.pool {
            Some(pooled) => info.handle(&*pooled.pool),
            None => Err(Error::unsupported_query()),
        },
        _ => Err(Error::unsupported_query()),
    }
}

/// What Intel's extension tells of the memory at an address.
///
/// # Safety
/// None is asked of the address.
fn ask<T: query::Answer>(context: &Context, memory: *const c_void, name: cl::cl_uint) -> Result<T> {
    let get = context.extensions().clGetMemAllocInfoINTEL;
    let get = get.ok_or_else(Error::unsupported)?;
    query::value(|size, value, told| {
        // SAFETY: a live context, and any pointer; the places are as `query` says.
        unsafe { get(context.native(), memory, name, size, value, told) }
    })
}

/// The kind of memory that is at an address, as far as the driver tells.
fn kind_of(context: &Context, memory: *const c_void) -> Result<ur_usm_type_t> {
    if context.usm().source() != Source::Intel || context.recent().holds(memory) {
        return Ok(UR_USM_TYPE_UNKNOWN);
    }
    let kind: cl::cl_uint = ask(context, memory, cl::CL_MEM_ALLOC_TYPE_INTEL)?;
    Ok(match kind {
        cl::CL_MEM_TYPE_HOST_INTEL => UR_USM_TYPE_HOST,
        cl::CL_MEM_TYPE_DEVICE_INTEL => UR_USM_TYPE_DEVICE,
        cl::CL_MEM_TYPE_SHARED_INTEL => UR_USM_TYPE_SHARED,
        _ => UR_USM_TYPE_UNKNOWN,
    })
}

/// The device whose memory is at an address; none if it is no device's.
fn device_of(context: &Context, memory: *const c_void) -> Result<Option<&Handle<Device>>> {
    let native: usize = ask(context, memory, cl::CL_MEM_ALLOC_DEVICE_INTEL)?;
    if native == 0 {
        return Ok(None);
    }
    let native = cl::cl_device_id::from_native(native);
    let mut devices = context.devices().iter();
    match devices.find(|device| device.native() == native) {
        Some(device) => Ok(Some(device)),
        None => Err(Error::code(UR_RESULT_ERROR_INVALID_DEVICE)),
    }
}

impl UsmFns for OpenCl {
    fn usm_host_alloc(
        context: &Object<Context>,
        usm_desc: Option<&ur_usm_desc_t>,
        pool: Option<&Object<UsmPool>>,
        size: usize,
    ) -> Result<*mut c_void> {
        allocate(context, UR_USM_TYPE_HOST, None, usm_desc, pool, size)
    }

    fn usm_device_alloc(
        context: &Object<Context>,
        device: &Object<Device>,
        usm_desc: Option<&ur_usm_desc_t>,
        pool: Option<&Object<UsmPool>>,
        size: usize,
    ) -> Result<*mut c_void> {
        let kind = UR_USM_TYPE_DEVICE;
        allocate(context, kind, Some(device), usm_desc, pool, size)
    }

    fn usm_shared_alloc(
        context: &Object<Context>,
        device: &Object<Device>,
        usm_desc: Option<&ur_usm_desc_t>,
        pool: Option<&Object<UsmPool>>,
        size: usize,
    ) -> Result<*mut c_void> {
        let kind = UR_USM_TYPE_SHARED;
        allocate(context, kind, Some(device), usm_desc, pool, size)
    }

    unsafe fn usm_free(context: &Object<Context>, mem: *mut c_void) -> Result {
        free(context, mem)
    }

    unsafe fn usm_get_mem_alloc_info(
        context: &Object<Context>,
        mem: *const c_void,
        prop_name: ur_usm_alloc_info_t,
        info: &mut Info<'_>,
    ) -> Result {
        if !context.known().is_empty()
            && let Some(allocation) = context.known().find(mem)
        {
            return answer_known(&allocation, prop_name, info);
        }
        let kind = kind_of(context, mem)?;
        if prop_name == UR_USM_ALLOC_INFO_TYPE {
            // Of any other pointer this much is known: it is no allocation.
            return info.value(kind.0);
        }
        let name = match prop_name {
            UR_USM_ALLOC_INFO_BASE_PTR => cl::CL_MEM_ALLOC_BASE_PTR_INTEL,
            UR_USM_ALLOC_INFO_SIZE => cl::CL_MEM_ALLOC_SIZE_INTEL,
            UR_USM_ALLOC_INFO_DEVICE => cl::CL_MEM_ALLOC_DEVICE_INTEL,
            _ => return Err(Error::unsupported_query()),
        };
        if kind == UR_USM_TYPE_UNKNOWN {
            return Err(Error::new(
                UR_RESULT_ERROR_INVALID_MEM_OBJECT,
                "the pointer is in no allocation of the context",
            ));
        }
        if prop_name == UR_USM_ALLOC_INFO_DEVICE {
            return match device_of(context, mem)? {
                Some(device) => info.handle(&**device),
                None => info.value(std::ptr::null::<ur_device_handle_t_>()),
            };
        }
        // Both are as large as a pointer.
        info.value(ask::<usize>(context, mem, name)?)
    }

    fn usm_pool_create(
        context: &Object<Context>,
        pool_desc: &ur_usm_pool_desc_t,
    ) -> Result<Handle<UsmPool>> {
        UsmPool::create(context, pool_desc)
    }

    fn usm_pool_get_info(
        pool: &Object<UsmPool>,
        prop_name: ur_usm_pool_info_t,
        info: &mut Info<'_>,
    ) -> Result {
        pool.info(prop_name, info)
    }
}
