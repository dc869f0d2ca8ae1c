//! Unified shared memory: host memory of three kinds.

use crate::Mock;
use crate::context::Context;
use crate::device::Device;
use std::alloc::Layout;
use std::collections::BTreeMap;
use std::ffi::c_void;
use std::sync::{Mutex, MutexGuard, PoisonError};
use ur_adapter::{Error, Handle, Info, Object, Result, UsmFns};
use ur_api::*;

/// A pool, which holds nothing back.
#[derive(Debug)]
pub struct Pool {
    context: Handle<Context>,
}

#[derive(Debug)]
struct Allocation {
    layout: Layout,
    kind: ur_usm_type_t,
    device: Option<Handle<Device>>,
}

/// Allocations by address: memory that the program owns, not handles.
static ALLOCATIONS: Mutex<BTreeMap<usize, Allocation>> = Mutex::new(BTreeMap::new());

fn allocations() -> MutexGuard<'static, BTreeMap<usize, Allocation>> {
    ALLOCATIONS.lock().unwrap_or_else(PoisonError::into_inner)
}

fn allocate(
    desc: Option<&ur_usm_desc_t>,
    size: usize,
    kind: ur_usm_type_t,
    device: Option<Handle<Device>>,
) -> Result<*mut c_void> {
    let align = desc.map_or(0, |desc| desc.align as usize);
    if align != 0 && !align.is_power_of_two() {
        return Err(UR_RESULT_ERROR_INVALID_VALUE.into());
    }
    if size == 0 {
        return Err(UR_RESULT_ERROR_INVALID_USM_SIZE.into());
    }
    let Ok(layout) = Layout::from_size_align(size, align.max(64)) else {
        return Err(UR_RESULT_ERROR_INVALID_USM_SIZE.into());
    };
    // SAFETY: the size is not 0.
    let memory = unsafe { std::alloc::alloc(layout) };
    if memory.is_null() {
        return Err(UR_RESULT_ERROR_OUT_OF_HOST_MEMORY.into());
    }
    let allocation = Allocation {
        layout,
        kind,
        device,
    };
    allocations().insert(memory as usize, allocation);
    Ok(memory.cast())
}

impl UsmFns for Mock {
    fn usm_host_alloc(
        _context: &Object<Context>,
        desc: Option<&ur_usm_desc_t>,
        _pool: Option<&Object<Pool>>,
        size: usize,
    ) -> Result<*mut c_void> {
        allocate(desc, size, UR_USM_TYPE_HOST, None)
    }

    fn usm_device_alloc(
        _context: &Object<Context>,
        device: &Object<Device>,
        desc: Option<&ur_usm_desc_t>,
        _pool: Option<&Object<Pool>>,
        size: usize,
    ) -> Result<*mut c_void> {
        allocate(desc, size, UR_USM_TYPE_DEVICE, Some(device.handle()))
    }

    fn usm_shared_alloc(
        _context: &Object<Context>,
        device: &Object<Device>,
        desc: Option<&ur_usm_desc_t>,
        _pool: Option<&Object<Pool>>,
        size: usize,
    ) -> Result<*mut c_void> {
        allocate(desc, size, UR_USM_TYPE_SHARED, Some(device.handle()))
    }

    unsafe fn usm_free(_context: &Object<Context>, mem: *mut c_void) -> Result {
        let Some(allocation) = allocations().remove(&(mem as usize)) else {
            return Err(Error::value("no USM allocation begins at this address"));
        };
        // SAFETY: the memory was allocated with this layout and is the program's to free.
        unsafe { std::alloc::dealloc(mem.cast(), allocation.layout) };
        Ok(())
    }

    unsafe fn usm_get_mem_alloc_info(
        _context: &Object<Context>,
        mem: *const c_void,
        prop: ur_usm_alloc_info_t,
        info: &mut Info<'_>,
    ) -> Result {
        let address = mem as usize;
        let allocations = allocations();
        let found = allocations
            .range(..=address)
            .next_back()
            .filter(|(base, a)| address - **base < a.layout.size());
        match (prop, found) {
            (UR_USM_ALLOC_INFO_TYPE, None) => info.value(UR_USM_TYPE_UNKNOWN.0),
            (UR_USM_ALLOC_INFO_TYPE, Some((_, a))) => info.value(a.kind.0),
            (UR_USM_ALLOC_INFO_BASE_PTR, Some((base, _))) => info.value(*base),
            (UR_USM_ALLOC_INFO_SIZE, Some((_, a))) => info.value(a.layout.size()),
            (UR_USM_ALLOC_INFO_DEVICE, Some((_, a))) => match &a.device {
                Some(device) => info.handle(device),
                None => info.value(std::ptr::null_mut::<()>()),
            },
            (_, None) => Err(UR_RESULT_ERROR_INVALID_VALUE.into()),
            _ => Err(Error::unsupported_query()),
        }
    }

    fn usm_pool_create(
        context: &Object<Context>,
        _pool_desc: &ur_usm_pool_desc_t,
    ) -> Result<Handle<Pool>> {
        Handle::new(Pool {
            context: context.handle(),
        })
    }

    fn usm_pool_get_info(
        pool: &Object<Pool>,
        prop: ur_usm_pool_info_t,
        info: &mut Info<'_>,
    ) -> Result {
        match prop {
            UR_USM_POOL_INFO_CONTEXT => info.handle(&pool.context),
            _ => Err(Error::unsupported_query()),
        }
    }
}
