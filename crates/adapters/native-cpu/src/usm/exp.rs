//! Pools of devices, memory made known, and devices that reach each other's memory.

use super::key;
use super::pool::UsmPool;
use super::registry::{self, Allocation, Origin};
use crate::NativeCpu;
use crate::context::Context;
use crate::device::Device;
use std::ffi::c_void;
use ur_adapter::{Error, Info, Object, Result, UsmExpFns, UsmP2PExpFns};
use ur_api::*;

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

    ur_adapter::device_pools!();

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
