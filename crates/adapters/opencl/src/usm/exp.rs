//! Pools of devices, and copies without a queue.

use super::pool::{ContextPools, UsmPool};
use super::{check_device, device_of, kind_of};
use crate::OpenCl;
use crate::cl::{self, check};
use crate::context::Context;
use crate::device::Device;
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

/// The device whose memory is at an address, if it is known to be one's.
fn home(context: &Context, memory: *const c_void) -> Option<Handle<Device>> {
    if let Some(allocation) = context.known().find(memory) {
        return allocation.device;
    }
    match kind_of(context, memory) {
        Ok(UR_USM_TYPE_DEVICE | UR_USM_TYPE_SHARED) => {
            device_of(context, memory).ok().flatten().cloned()
        }
        _ => None,
    }
}

impl UsmExpFns for OpenCl {
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
        let copy = context.usm().memcpy()?;
        // A device reaches its own memory, and the host's.
        let device = home(context, dst).or_else(|| home(context, src));
        let queue = context.service_queue(device.as_ref().unwrap_or(&context.devices()[0]))?;
        let (none, nothing) = (std::ptr::null(), std::ptr::null_mut());
        // SAFETY: a live queue, and memory of that size as the program says.
        check(unsafe { copy(queue, cl::CL_TRUE, dst, src, size, 0, none, nothing) })
    }

    unsafe fn usm_import_exp(_: &Object<Context>, _: *mut c_void, size: usize) -> Result {
        if size == 0 {
            return Err(Error::code(UR_RESULT_ERROR_INVALID_SIZE));
        }
        // A hint, of which OpenCL has none like it.
        Ok(())
    }

    unsafe fn usm_release_exp(_: &Object<Context>, _: *mut c_void) -> Result {
        Ok(())
    }
}
