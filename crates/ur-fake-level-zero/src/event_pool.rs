//! Event pools.

use crate::call::{call, find, get, list, put};
use crate::world::{Body, Kind};
use crate::ze::*;
use std::collections::BTreeSet;

/// Room for events.
#[derive(Debug)]
pub struct EventPool {
    /// Its context.
    pub context: usize,
    /// What its events can do, by Level Zero's flags.
    pub flags: u32,
    /// How many events there is room for.
    pub count: u32,
    /// The places that are taken.
    pub taken: BTreeSet<u32>,
    /// Whether its events count the commands of lists that are in order.
    pub counts: bool,
}

/// All flags that there are.
const FLAGS: u32 = ZE_EVENT_POOL_FLAG_HOST_VISIBLE
    | ZE_EVENT_POOL_FLAG_IPC
    | ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP
    | ZE_EVENT_POOL_FLAG_KERNEL_MAPPED_TIMESTAMP;

/// Makes an event pool.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeEventPoolCreate(
    context: ze_context_handle_t,
    desc: *const ze_event_pool_desc_t,
    count: u32,
    devices: *const ze_device_handle_t,
    place: *mut ze_event_pool_handle_t,
) -> ze_result_t {
    call("zeEventPoolCreate", |world| {
        let context = context.to_native();
        let driver = world.object(context, Kind::Context)?.driver;
        // SAFETY: as the caller says.
        let (desc, devices) = unsafe { (get(desc)?, list(devices, count as usize)?) };
        for device in devices {
            world.device_in(context, device.to_native())?;
        }
        if desc.flags & !FLAGS != 0 {
            return Err(ZE_RESULT_ERROR_INVALID_ENUMERATION);
        }
        let mapped = desc.flags & ZE_EVENT_POOL_FLAG_KERNEL_MAPPED_TIMESTAMP != 0;
        if mapped && !world.settings[driver].has("timestamps") {
            return Err(ZE_RESULT_ERROR_INVALID_ENUMERATION);
        }
        if desc.count == 0 {
            return Err(ZE_RESULT_ERROR_INVALID_SIZE);
        }
        // SAFETY: as the caller says.
        let counts = unsafe { find::<ze_event_pool_counter_based_exp_desc_t>(desc.pNext) };
        if counts.is_some() && !world.settings[driver].has("counters") {
            return Err(ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
        }
        let pool = EventPool {
            context,
            flags: desc.flags,
            count: desc.count,
            taken: BTreeSet::new(),
            counts: counts.is_some(),
        };
        let handle = world.add(driver, Body::EventPool(pool), vec![context]);
        // SAFETY: as the caller says.
        unsafe { put(place, ze_event_pool_handle_t::from_native(handle)) }
    })
}

/// Takes an event pool away.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeEventPoolDestroy(pool: ze_event_pool_handle_t) -> ze_result_t {
    call("zeEventPoolDestroy", |world| {
        world.destroy(pool.to_native(), Kind::EventPool)?;
        Ok(())
    })
}

/// Pools stay in their process: the driver's properties say so.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeEventPoolGetIpcHandle(
    pool: ze_event_pool_handle_t,
    _: *mut ze_ipc_event_pool_handle_t,
) -> ze_result_t {
    call("zeEventPoolGetIpcHandle", |world| {
        world.event_pool(pool.to_native())?;
        Err(ZE_RESULT_ERROR_UNSUPPORTED_FEATURE)
    })
}

/// As [`zeEventPoolGetIpcHandle`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeEventPoolOpenIpcHandle(
    context: ze_context_handle_t,
    _: ze_ipc_event_pool_handle_t,
    _: *mut ze_event_pool_handle_t,
) -> ze_result_t {
    call("zeEventPoolOpenIpcHandle", |world| {
        world.context(context.to_native())?;
        Err(ZE_RESULT_ERROR_UNSUPPORTED_FEATURE)
    })
}

/// As [`zeEventPoolGetIpcHandle`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeEventPoolCloseIpcHandle(pool: ze_event_pool_handle_t) -> ze_result_t {
    call("zeEventPoolCloseIpcHandle", |world| {
        world.event_pool(pool.to_native())?;
        Err(ZE_RESULT_ERROR_UNSUPPORTED_FEATURE)
    })
}

/// As [`zeEventPoolGetIpcHandle`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeEventPoolPutIpcHandle(
    context: ze_context_handle_t,
    _: ze_ipc_event_pool_handle_t,
) -> ze_result_t {
    call("zeEventPoolPutIpcHandle", |world| {
        world.context(context.to_native())?;
        Err(ZE_RESULT_ERROR_UNSUPPORTED_FEATURE)
    })
}

/// What a pool's events can do.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeEventPoolGetFlags(
    pool: ze_event_pool_handle_t,
    flags: *mut u32,
) -> ze_result_t {
    call("zeEventPoolGetFlags", |world| {
        world.needs(pool.to_native(), Kind::EventPool, 9)?;
        let own = world.event_pool(pool.to_native())?.flags;
        // SAFETY: as the caller says.
        unsafe { put(flags, own) }
    })
}
