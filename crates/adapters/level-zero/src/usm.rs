//! Memory with the same address everywhere.

pub mod driver;
pub mod exp;
pub mod export;
pub mod known;
pub mod p2p;
pub mod pool;

use crate::LevelZero;
use crate::context::Context;
use crate::device::{Able, Device};
use crate::queue::live;
use driver::Request;
pub use known::Known;
pub use pool::UsmPool;
use std::ffi::c_void;
use std::sync::Arc;
use ur_adapter::pool::Block;
use ur_adapter::{Error, Handle, Info, Object, Result, UsmFns};
use ur_api::*;

/// What memory of devices can do; none for other questions.
pub fn able(device: &Device, name: ur_device_info_t) -> Option<Able> {
    let access = &device.facts().access;
    // The numbers of the flags are the API's.
    Some(match name {
        UR_DEVICE_INFO_USM_HOST_SUPPORT => Able::Flags(access.hostAllocCapabilities),
        UR_DEVICE_INFO_USM_DEVICE_SUPPORT => Able::Flags(access.deviceAllocCapabilities),
        UR_DEVICE_INFO_USM_SINGLE_SHARED_SUPPORT => {
            Able::Flags(access.sharedSingleDeviceAllocCapabilities)
        }
        UR_DEVICE_INFO_USM_CROSS_SHARED_SUPPORT => {
            Able::Flags(access.sharedCrossDeviceAllocCapabilities)
        }
        UR_DEVICE_INFO_USM_SYSTEM_SHARED_SUPPORT => {
            Able::Flags(access.sharedSystemAllocCapabilities)
        }
        UR_DEVICE_INFO_USM_POOL_SUPPORT
        | UR_DEVICE_INFO_ASYNC_USM_ALLOCATIONS_SUPPORT_EXP
        | UR_DEVICE_INFO_USM_CONTEXT_MEMCPY_SUPPORT_EXP
        | UR_DEVICE_INFO_USM_P2P_SUPPORT_EXP => Able::Bool(is_there(device)),
        UR_DEVICE_INFO_MEMORY_EXPORT_EXPORTABLE_DEVICE_MEM_EXP => {
            Able::Bool(export::is_there(device))
        }
        _ => return None,
    })
}

/// Whether a device has memory of its own that programs can allocate.
pub fn is_there(device: &Device) -> bool {
    device.facts().access.deviceAllocCapabilities != 0
}

/// Whether one command copies rows of memory.
pub fn has_copy_2d(context: &Context) -> bool {
    context.devices().iter().all(|device| is_there(device))
}

/// Whether one command fills rows of memory. They are several, so that programs which ask may know
/// better.
pub fn has_fill_2d(_: &Context) -> bool {
    false
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

/// What all kinds of allocation do.
///
/// # Errors
/// `INVALID_DEVICE` for one of another context, what is wrong with the request, and what the driver says.
pub(crate) fn allocate(
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
    let request = Request::of(kind, desc, size)?;
    match pool {
        Some(pool) => pool::allocate(context, device, pool, &request),
        None => driver::allocate(context, device.map(|device| &**device), &request),
    }
}

/// An allocation that nobody knows any more. Its memory goes back when this is dropped, which is after
/// the commands that may use it.
#[derive(Debug)]
pub struct Leaving {
    context: Handle<Context>,
    start: usize,
    pool: Option<(Handle<UsmPool>, Block)>,
}

impl Leaving {
    /// The allocation of the context that begins at an address.
    ///
    /// # Errors
    /// `INVALID_MEM_OBJECT` for an address at which none begins.
    pub fn of(context: &Object<Context>, memory: *mut c_void) -> Result<Self> {
        expect_begin(context, memory)?;
        let known = context.known().remove(memory);
        let pool = known.map(|allocation| (allocation.pool, allocation.block));
        Ok(Self {
            context: context.handle(),
            start: memory as usize,
            pool,
        })
    }
}

/// Fails unless an allocation of the context begins at an address.
///
/// # Errors
/// `INVALID_MEM_OBJECT`.
pub(crate) fn expect_begin(context: &Context, memory: *mut c_void) -> Result {
    let begins = match context.known().find(memory) {
        Some(allocation) => allocation.start == memory as usize,
        None => {
            driver::tell(context, memory)?.kind != UR_USM_TYPE_UNKNOWN
                && driver::range(context, memory)?.0 == memory
        }
    };
    match begins {
        true => Ok(()),
        false => Err(Error::new(
            UR_RESULT_ERROR_INVALID_MEM_OBJECT,
            "the pointer begins no allocation of the context",
        )),
    }
}

impl Drop for Leaving {
    fn drop(&mut self) {
        let memory = self.start as *mut c_void;
        match &self.pool {
            Some((pool, block)) => pool.put(memory, block),
            // SAFETY: an allocation of the driver's that no command uses. If it refuses, nothing is
            // left to be done.
            None => drop(unsafe { driver::free(&self.context, memory) }),
        }
    }
}

impl UsmFns for LevelZero {
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
        let leaving = Leaving::of(context, mem)?;
        live::after_context(context, Arc::new(leaving));
        Ok(())
    }

    unsafe fn usm_get_mem_alloc_info(
        context: &Object<Context>,
        mem: *const c_void,
        prop_name: ur_usm_alloc_info_t,
        info: &mut Info<'_>,
    ) -> Result {
        let known = context.known().find(mem);
        let kind = match &known {
            Some(allocation) => allocation.kind,
            None => driver::tell(context, mem)?.kind,
        };
        if prop_name == UR_USM_ALLOC_INFO_TYPE {
            // Of any other pointer this much is known: it is no allocation.
            return info.value(kind.0);
        }
        if kind == UR_USM_TYPE_UNKNOWN {
            return Err(Error::new(
                UR_RESULT_ERROR_INVALID_MEM_OBJECT,
                "the pointer is in no allocation of the context",
            ));
        }
        let range = || match &known {
            Some(allocation) => Ok((allocation.start as *mut c_void, allocation.size)),
            None => driver::range(context, mem),
        };
        match (prop_name, &known) {
            (UR_USM_ALLOC_INFO_BASE_PTR, _) => info.value(range()?.0),
            (UR_USM_ALLOC_INFO_SIZE, _) => info.value(range()?.1),
            (UR_USM_ALLOC_INFO_POOL, Some(allocation)) => info.handle(&*allocation.pool),
            (UR_USM_ALLOC_INFO_DEVICE, _) => match home(context, mem)? {
                Some(device) => info.handle(&*device),
                None => info.value(std::ptr::null::<ur_device_handle_t_>()),
            },
            _ => Err(Error::unsupported_query()),
        }
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

/// The device whose memory is at an address; none if it is no device's.
pub(crate) fn home(context: &Context, memory: *const c_void) -> Result<Option<Handle<Device>>> {
    if let Some(allocation) = context.known().find(memory) {
        return Ok(allocation.device);
    }
    let told = driver::tell(context, memory)?;
    let is_of_device = matches!(told.kind, UR_USM_TYPE_DEVICE | UR_USM_TYPE_SHARED);
    match told.device {
        native if is_of_device && !native.is_null() => context.device_of(native).map(Some),
        _ => Ok(None),
    }
}
