//! Unified shared memory: host, device and shared allocations are all memory of the process.

pub mod async_alloc;
mod chunks;
mod exp;
mod export;
pub mod ipc;
pub mod pool;
pub mod registry;

use crate::context::Context;
use crate::device::Device;
use crate::device::info::{MEM_ALIGN, max_alloc_size};
use crate::{NativeCpu, heap, memfd};
use pool::UsmPool;
use registry::{Allocation, Origin};
use std::ffi::c_void;
use ur_adapter::{DevicePool, Error, Handle, Info, Object, Result, UsmFns};
use ur_api::*;

/// What the registry knows a context by.
fn key(context: &Object<Context>) -> usize {
    std::ptr::from_ref(context) as usize
}

/// Checks the size of an allocation.
fn check_size(size: usize) -> Result {
    if size == 0 || size as u64 > max_alloc_size() {
        return Err(Error::code(UR_RESULT_ERROR_INVALID_USM_SIZE));
    }
    Ok(())
}

fn check_device(context: &Object<Context>, device: &Object<Device>) -> Result {
    if context.has(device) {
        return Ok(());
    }
    Err(Error::new(
        UR_RESULT_ERROR_INVALID_DEVICE,
        "the device does not belong to the context",
    ))
}

/// Bytes that an allocation takes of the heap.
fn heap_bytes(kind: ur_usm_type_t, size: usize) -> Option<usize> {
    size.checked_next_multiple_of(heap::unit(kind, 1))
}

fn allocate(
    context: &Object<Context>,
    device: Option<&Object<Device>>,
    kind: ur_usm_type_t,
    desc: Option<&ur_usm_desc_t>,
    pool: Option<&Object<UsmPool>>,
    size: usize,
) -> Result<*mut c_void> {
    if let Some(device) = device {
        check_device(context, device)?;
    }
    if desc.is_some_and(|desc| desc.hints & UR_USM_ADVICE_FLAGS_MASK != 0) {
        return Err(Error::code(UR_RESULT_ERROR_INVALID_ENUMERATION));
    }
    let align = desc.map_or(0, |desc| desc.align) as usize;
    if align != 0 && !align.is_power_of_two() {
        return Err(Error::value(format!(
            "alignment {align} is no power of two"
        )));
    }
    check_size(size)?;
    let (base, origin) = match pool {
        Some(pool) if !pool.is_of(context) => {
            return Err(Error::value("the pool does not belong to the context"));
        }
        Some(pool) => {
            let (base, bytes) = pool.take(kind, size, align)?;
            (base, Origin::Pool(pool.handle(), bytes))
        }
        None => {
            let unit = heap::unit(kind, 1);
            let base = heap_bytes(kind, size)
                .and_then(|bytes| heap::allocate(bytes, align.max(MEM_ALIGN).max(unit)))
                .ok_or_else(|| {
                    Error::new(
                        UR_RESULT_ERROR_OUT_OF_RESOURCES,
                        format!("no memory for an allocation of {size} bytes"),
                    )
                })?;
            (base, Origin::Heap)
        }
    };
    crate::fork::watch();
    registry::insert(Allocation {
        base,
        size,
        kind,
        context: key(context),
        device: device.map(Object::handle),
        origin,
        file: None,
    });
    Ok(base as *mut c_void)
}

/// Frees what [`allocate`] gave; false if nothing of it begins there.
fn free(context: usize, base: usize) -> bool {
    let ours = |origin: &Origin| matches!(origin, Origin::Heap | Origin::Pool(..));
    let Some(allocation) = registry::remove(context, base, ours) else {
        return false;
    };
    let was_shared = allocation.file.is_some();
    if was_shared {
        let pages = allocation.size.next_multiple_of(memfd::PAGE);
        let usual = libc::PROT_READ | libc::PROT_WRITE;
        // SAFETY: shared memory has its pages to itself and has just left the registry.
        if unsafe { memfd::blank(base, pages, usual) }.is_err() {
            // The memory is still the other processes' too: the heap must not have it.
            return true;
        }
    }
    match (
        &allocation.origin,
        heap_bytes(allocation.kind, allocation.size),
    ) {
        (Origin::Pool(pool, bytes), _) => pool.put(base, *bytes),
        (_, Some(bytes)) if was_shared => heap::release(base, bytes),
        (_, Some(bytes)) => heap::free(base, bytes),
        // No allocation has so many bytes.
        (_, None) => {}
    }
    true
}

impl UsmFns for NativeCpu {
    fn usm_host_alloc(
        context: &Object<Context>,
        usm_desc: Option<&ur_usm_desc_t>,
        pool: Option<&Object<UsmPool>>,
        size: usize,
    ) -> Result<*mut c_void> {
        allocate(context, None, UR_USM_TYPE_HOST, usm_desc, pool, size)
    }

    fn usm_device_alloc(
        context: &Object<Context>,
        device: &Object<Device>,
        usm_desc: Option<&ur_usm_desc_t>,
        pool: Option<&Object<UsmPool>>,
        size: usize,
    ) -> Result<*mut c_void> {
        let kind = UR_USM_TYPE_DEVICE;
        allocate(context, Some(device), kind, usm_desc, pool, size)
    }

    fn usm_shared_alloc(
        context: &Object<Context>,
        device: &Object<Device>,
        usm_desc: Option<&ur_usm_desc_t>,
        pool: Option<&Object<UsmPool>>,
        size: usize,
    ) -> Result<*mut c_void> {
        let kind = UR_USM_TYPE_SHARED;
        allocate(context, Some(device), kind, usm_desc, pool, size)
    }

    unsafe fn usm_free(context: &Object<Context>, mem: *mut c_void) -> Result {
        if free(key(context), mem as usize) {
            return Ok(());
        }
        Err(Error::new(
            UR_RESULT_ERROR_INVALID_MEM_OBJECT,
            "the pointer begins no allocation of the context",
        ))
    }

    unsafe fn usm_get_mem_alloc_info(
        context: &Object<Context>,
        mem: *const c_void,
        prop_name: ur_usm_alloc_info_t,
        info: &mut Info<'_>,
    ) -> Result {
        let found = registry::find(key(context), mem as usize);
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
            UR_USM_ALLOC_INFO_POOL => match &found.origin {
                Origin::Pool(pool, _) => info.handle(&**pool),
                _ => Err(Error::value("the allocation is of no pool")),
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
