//! Unified shared memory: host, device and shared allocations are all memory of the process.

pub mod registry;

use crate::NativeCpu;
use crate::adapter::NativeCpu as B;
use crate::context::Context;
use crate::device::Device;
use crate::device::info::{MEM_ALIGN, max_alloc_size};
use registry::Allocation;
use std::ffi::c_void;
use ur_adapter::{Absent, Error, Handle, Info, Object, Result, UsmExpFns, UsmFns, kind};
use ur_api::*;

type Pool = Absent<B, kind::UsmPool>;

fn allocate(
    context: &Object<Context>,
    device: Option<&Object<Device>>,
    kind: ur_usm_type_t,
    desc: Option<&ur_usm_desc_t>,
    pool: Option<&Object<Pool>>,
    size: usize,
) -> Result<*mut c_void> {
    if let Some(pool) = pool {
        pool.never();
    }
    if let Some(device) = device
        && !context.has(device)
    {
        return Err(Error::new(
            UR_RESULT_ERROR_INVALID_DEVICE,
            "the device does not belong to the context",
        ));
    }
    let align = desc.map_or(0, |desc| desc.align) as usize;
    if align != 0 && !align.is_power_of_two() {
        return Err(Error::value(format!(
            "alignment {align} is no power of two"
        )));
    }
    if size == 0 || size as u64 > max_alloc_size() {
        return Err(Error::code(UR_RESULT_ERROR_INVALID_USM_SIZE));
    }
    let mut memory = std::ptr::null_mut();
    // SAFETY: the alignment is a power of two and at least that of a pointer.
    let failed = unsafe { libc::posix_memalign(&mut memory, align.max(MEM_ALIGN), size) } != 0;
    if failed || memory.is_null() {
        return Err(Error::new(
            UR_RESULT_ERROR_OUT_OF_RESOURCES,
            format!("no memory for an allocation of {size} bytes"),
        ));
    }
    crate::fork::watch();
    registry::insert(Allocation {
        base: memory as usize,
        size,
        kind,
        context: std::ptr::from_ref(context) as usize,
        device: device.map(Object::handle),
    });
    Ok(memory)
}

impl UsmFns for NativeCpu {
    fn usm_host_alloc(
        context: &Object<Context>,
        usm_desc: Option<&ur_usm_desc_t>,
        pool: Option<&Object<Pool>>,
        size: usize,
    ) -> Result<*mut c_void> {
        allocate(context, None, UR_USM_TYPE_HOST, usm_desc, pool, size)
    }

    fn usm_device_alloc(
        context: &Object<Context>,
        device: &Object<Device>,
        usm_desc: Option<&ur_usm_desc_t>,
        pool: Option<&Object<Pool>>,
        size: usize,
    ) -> Result<*mut c_void> {
        let kind = UR_USM_TYPE_DEVICE;
        allocate(context, Some(device), kind, usm_desc, pool, size)
    }

    fn usm_shared_alloc(
        context: &Object<Context>,
        device: &Object<Device>,
        usm_desc: Option<&ur_usm_desc_t>,
        pool: Option<&Object<Pool>>,
        size: usize,
    ) -> Result<*mut c_void> {
        let kind = UR_USM_TYPE_SHARED;
        allocate(context, Some(device), kind, usm_desc, pool, size)
    }

    unsafe fn usm_free(context: &Object<Context>, mem: *mut c_void) -> Result {
        let key = std::ptr::from_ref(context) as usize;
        let Some(allocation) = registry::remove(key, mem as usize) else {
            return Err(Error::new(
                UR_RESULT_ERROR_INVALID_MEM_OBJECT,
                "the pointer begins no allocation of the context",
            ));
        };
        // SAFETY: it was allocated above and has just left the registry, so it is freed once.
        unsafe { libc::free(allocation.base as *mut c_void) };
        Ok(())
    }

    unsafe fn usm_get_mem_alloc_info(
        context: &Object<Context>,
        mem: *const c_void,
        prop_name: ur_usm_alloc_info_t,
        info: &mut Info<'_>,
    ) -> Result {
        let key = std::ptr::from_ref(context) as usize;
        let found = registry::find(key, mem as usize);
        if prop_name == UR_USM_ALLOC_INFO_TYPE {
            // Of any other pointer this much is known: it is no allocation.
            let kind = found.map_or(UR_USM_TYPE_UNKNOWN, |found| found.kind);
            return info.value(kind.0);
        }
        let Some(found) = found else {
            return Err(Error::new(
                UR_RESULT_ERROR_INVALID_MEM_OBJECT,
                "the pointer is in no allocation of the context",
            ));
        };
        match prop_name {
            UR_USM_ALLOC_INFO_BASE_PTR => info.value(found.base as *mut c_void),
            UR_USM_ALLOC_INFO_SIZE => info.value(found.size),
            UR_USM_ALLOC_INFO_DEVICE => match &found.device {
                Some(device) => info.handle(&**device),
                None => info.value(std::ptr::null::<ur_device_handle_t_>()),
            },
            _ => Err(Error::unsupported_query()),
        }
    }
}

impl UsmExpFns for NativeCpu {
    fn usm_pool_get_default_device_pool_exp(
        _: &Object<Context>,
        _: &Object<Device>,
    ) -> Result<Handle<Pool>> {
        Err(Error::unsupported())
    }

    unsafe fn usm_context_memcpy_exp(
        _: &Object<Context>,
        dst: *mut c_void,
        src: *const c_void,
        size: usize,
    ) -> Result {
        if size == 0 {
            return Err(Error::code(UR_RESULT_ERROR_INVALID_SIZE));
        }
        // SAFETY: the program passes memory of that size.
        unsafe { crate::copy::copy(dst as usize, src as usize, size) };
        Ok(())
    }
}
