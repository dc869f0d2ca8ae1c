//! Pools of devices, memory made known, and devices that reach each other's memory.

use super::pool::{ContextPools, UsmPool};
use super::registry::{self, Allocation, Origin};
use super::{check_device, key};
use crate::NativeCpu;
use crate::context::Context;
use crate::device::Device;
use std::ffi::c_void;
use std::mem::MaybeUninit;
use ur_adapter::{Error, Handle, Info, Object, Result, UsmExpFns, UsmP2PExpFns};
use ur_api::*;

/// A handle that the program gets without owning it: the API has no call to give back the pool that
/// a query told.
fn lend(pool: Handle<UsmPool>) -> Handle<UsmPool> {
    // SAFETY: the context holds a reference of a default pool, and the program one of any other; the
    // one made here ends with `pool`, and that one is passed out without ever being dropped.
    unsafe { Handle::from_owned(&pool) }
}

fn check_pool(
    context: &Object<Context>,
    device: &Object<Device>,
    pool: &Object<UsmPool>,
) -> Result {
    check_device(context, device)?;
    if pool.is_of(context) {
        return Ok(());
    }
    Err(Error::value("the pool does not belong to the context"))
}

/// Bytes that rows begin at multiples of: a cache line, so that rows share none.
const ROW_ALIGN: usize = 64;

impl UsmExpFns for NativeCpu {
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
        let mem = super::allocate(context, Some(device), kind, usm_desc, pool, size)?;
        Ok((mem, pitch))
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
        ContextPools::set_current(context, device, pool)
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

    unsafe fn usm_host_alloc_register_exp(
        context: &Object<Context>,
        host_mem: *mut c_void,
        size: usize,
        properties: Option<&ur_exp_usm_host_alloc_register_properties_t>,
    ) -> Result {
        let known = UR_EXP_USM_HOST_ALLOC_REGISTER_FLAG_READ_ONLY.0;
        if properties.is_some_and(|properties| properties.flags & !known != 0) {
            return Err(Error::code(UR_RESULT_ERROR_INVALID_ENUMERATION));
        }
        let base = host_mem as usize;
        if size == 0 || base.checked_add(size).is_none() {
            return Err(Error::value("no range of memory"));
        }
        crate::fork::watch();
        let entered = registry::insert_apart(Allocation {
            base,
            size,
            kind: UR_USM_TYPE_HOST,
            context: key(context),
            device: None,
            origin: Origin::Registered,
            file: None,
        });
        if entered {
            return Ok(());
        }
        Err(Error::value("the memory is known already"))
    }

    unsafe fn usm_host_alloc_unregister_exp(
        context: &Object<Context>,
        host_mem: *mut c_void,
    ) -> Result {
        let meant = |origin: &Origin| matches!(origin, Origin::Registered);
        match registry::remove(key(context), host_mem as usize, meant) {
            Some(_) => Ok(()),
            None => Err(Error::value("no memory was registered there")),
        }
    }

    unsafe fn usm_import_exp(_: &Object<Context>, _: *mut c_void, size: usize) -> Result {
        if size == 0 {
            return Err(Error::code(UR_RESULT_ERROR_INVALID_SIZE));
        }
        // The device reaches all memory equally fast: there is nothing to gain.
        Ok(())
    }

    unsafe fn usm_release_exp(_: &Object<Context>, _: *mut c_void) -> Result {
        Ok(())
    }
}

impl UsmP2PExpFns for NativeCpu {
    fn usm_p2p_enable_peer_access_exp(_: &Object<Device>, _: &Object<Device>) -> Result {
        // Parts of one CPU have one memory.
        Ok(())
    }

    fn usm_p2p_disable_peer_access_exp(_: &Object<Device>, _: &Object<Device>) -> Result {
        Ok(())
    }

    fn usm_p2p_peer_access_get_info_exp(
        _: &Object<Device>,
        _: &Object<Device>,
        prop_name: ur_exp_peer_info_t,
        info: &mut Info<'_>,
    ) -> Result {
        match prop_name {
            UR_EXP_PEER_INFO_UR_PEER_ACCESS_SUPPORT | UR_EXP_PEER_INFO_UR_PEER_ATOMICS_SUPPORT => {
                info.value(1i32)
            }
            _ => Err(Error::unsupported_query()),
        }
    }
}
