//! Pools of devices, and copies without a queue.

use super::pool::{ContextPools, UsmPool};
use super::{check_device, home};
use crate::LevelZero;
use crate::context::Context;
use crate::device::Device;
use crate::event::Engine;
use crate::ze::{self, check};
use std::ffi::c_void;
use std::mem::MaybeUninit;
use ur_adapter::{Error, Handle, Info, Object, Result, UsmExpFns};
use ur_api::*;

/// A handle that the program gets without owning it: the API has no call to give back the pool that a
/// query told.
fn lend(pool: Handle<UsmPool>) -> Handle<UsmPool> {
    // SAFETY: the context has a reference to a default pool, and the program to any other; the one
    // made here ends with `pool`, and that one is passed out without ever being dropped.
    unsafe { Handle::from_owned(&pool) }
}

fn check_pool(
    context: &Object<Context>,
    device: &Object<Device>,
    pool: &Object<UsmPool>,
) -> Result {
    check_device(context, device)?;
    match pool.is_of(context) {
        true => Ok(()),
        false => Err(Error::value("the pool does not belong to the context")),
    }
}

/// Bytes that rows begin at multiples of: a cache line, so that rows share none.
const ROW_ALIGN: usize = 64;

impl UsmExpFns for LevelZero {
    fn usm_pitched_alloc_exp(
        context: &Object<Context>,
        device: &Object<Device>,
        usm_desc: Option<&ur_usm_desc_t>,
        pool: Option<&Object<UsmPool>>,
        width_in_bytes: usize,
        height: usize,
        _element_size_bytes: usize,
    ) -> Result<(*mut c_void, usize)> {
        let too_large = || Error::code(UR_RESULT_ERROR_INVALID_USM_SIZE);
        let pitch = width_in_bytes
            .checked_next_multiple_of(ROW_ALIGN)
            .ok_or_else(too_large)?;
        let size = pitch.checked_mul(height).ok_or_else(too_large)?;
        let kind = UR_USM_TYPE_DEVICE;
        let memory = super::allocate(context, kind, Some(device), usm_desc, pool, size)?;
        Ok((memory, pitch))
    }

    fn usm_pool_create_exp(
        context: &Object<Context>,
        device: &Object<Device>,
        pool_desc: &ur_usm_pool_desc_t,
    ) -> Result<Handle<UsmPool>> {
        check_device(context, device)?;
        UsmPool::create(context, pool_desc)
    }

    fn usm_pool_destroy_exp(
        context: &Object<Context>,
        device: &Object<Device>,
        pool: &Object<UsmPool>,
    ) -> Result {
        check_pool(context, device, pool)?;
        if pool.is_default() {
            return Err(Error::value("a default pool goes with its context"));
        }
        // SAFETY: the program gives its reference up with this call.
        drop(unsafe { Handle::from_owned(pool) });
        Ok(())
    }

    fn usm_pool_get_default_device_pool_exp(
        context: &Object<Context>,
        device: &Object<Device>,
    ) -> Result<Handle<UsmPool>> {
        ContextPools::default_of(context, device).map(lend)
    }

    unsafe fn usm_pool_get_info_exp(
        pool: &Object<UsmPool>,
        prop_name: ur_usm_pool_info_t,
        prop_value: *mut c_void,
        prop_size_ret: Option<&mut MaybeUninit<usize>>,
    ) -> Result {
        let size = match prop_name {
            UR_USM_POOL_INFO_REFERENCE_COUNT => size_of::<u32>(),
            _ => size_of::<usize>(),
        };
        // SAFETY: the program passes room for the answer, whose size the query says.
        let info = &mut unsafe { Info::of_size(size, prop_value, prop_size_ret) }?;
        match prop_name {
            UR_USM_POOL_INFO_REFERENCE_COUNT => info.value(pool.count()),
            _ => pool.info(prop_name, info),
        }
    }

    unsafe fn usm_pool_set_info_exp(
        pool: &Object<UsmPool>,
        prop_name: ur_usm_pool_info_t,
        prop_value: *mut c_void,
        prop_size: usize,
    ) -> Result {
        if prop_size != size_of::<usize>() {
            return Err(Error::code(UR_RESULT_ERROR_INVALID_SIZE));
        }
        // SAFETY: the program passes a value of that size.
        let value = unsafe { prop_value.cast::<usize>().read_unaligned() };
        pool.set_number(prop_name, value)
    }

    fn usm_pool_set_device_pool_exp(
        context: &Object<Context>,
        device: &Object<Device>,
        pool: &Object<UsmPool>,
    ) -> Result {
        check_pool(context, device, pool)?;
        ContextPools::choose(context, device, pool)
    }

    fn usm_pool_get_device_pool_exp(
        context: &Object<Context>,
        device: &Object<Device>,
    ) -> Result<Handle<UsmPool>> {
        ContextPools::current_of(context, device).map(lend)
    }

    fn usm_pool_trim_to_exp(
        context: &Object<Context>,
        device: &Object<Device>,
        pool: &Object<UsmPool>,
        min_bytes_to_keep: usize,
    ) -> Result {
        check_pool(context, device, pool)?;
        pool.trim(min_bytes_to_keep);
        Ok(())
    }

    unsafe fn usm_context_memcpy_exp(
        context: &Object<Context>,
        dst: *mut c_void,
        src: *const c_void,
        size: usize,
    ) -> Result {
        if size == 0 {
            return Err(Error::code(UR_RESULT_ERROR_INVALID_SIZE));
        }
        // A device reaches its own memory, and the host's.
        let device = match home(context, dst)? {
            Some(device) => Some(device),
            None => home(context, src)?,
        };
        let copy = context.api().zeCommandListAppendMemoryCopy;
        let (none, nothing) = (ze::ze_event_handle_t::NULL, std::ptr::null());
        let device = device.as_ref().unwrap_or(&context.devices()[0]);
        context.serve(device, Engine::Copy, |list| {
            // SAFETY: a list of ours, and memory of that size as the program says.
            unsafe { copy(list, dst, src, size, none, 0, nothing) }
        })
    }

    unsafe fn usm_import_exp(context: &Object<Context>, mem: *mut c_void, size: usize) -> Result {
        if size == 0 {
            return Err(Error::code(UR_RESULT_ERROR_INVALID_SIZE));
        }
        let platform = context.platform();
        let Some(import) = platform.functions().zexDriverImportExternalPointer else {
            // A hint, which this driver does not take.
            return Ok(());
        };
        // SAFETY: the driver's own function and handle; the program passes memory of that size.
        check(unsafe { import(platform.own_native(), mem, size) })
    }

    unsafe fn usm_release_exp(context: &Object<Context>, mem: *mut c_void) -> Result {
        let platform = context.platform();
        let Some(release) = platform.functions().zexDriverReleaseImportedPointer else {
            return Ok(());
        };
        // SAFETY: the driver's own function and handle.
        check(unsafe { release(platform.own_native(), mem) })
    }
}
