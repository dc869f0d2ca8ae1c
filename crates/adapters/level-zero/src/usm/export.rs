//! Device memory that other APIs can be given, as a file descriptor.

use super::driver::{self, Request};
use super::{Leaving, check_device};
use crate::LevelZero;
use crate::context::Context;
use crate::device::Device;
use crate::ze::{self, check};
use std::ffi::c_void;
use ur_adapter::{Error, MemoryExportExpFns, Object, Result};
use ur_api::*;

/// The kinds of handles that a device's memory can have, as flags of Level Zero.
fn types(device: &Device) -> u32 {
    let mut properties = ze::ze_device_external_memory_properties_t::new();
    let get = device.api().zeDeviceGetExternalMemoryProperties;
    // SAFETY: a live device, a place of ours.
    match unsafe { get(device.native(), &raw mut properties) } {
        ze::ZE_RESULT_SUCCESS => properties.memoryAllocationExportTypes,
        _ => 0,
    }
}

/// Whether a device has memory that is exported as an opaque file descriptor.
pub fn is_there(device: &Device) -> bool {
    types(device) & ze::ZE_EXTERNAL_MEMORY_TYPE_FLAG_OPAQUE_FD != 0
}

/// The flag of Level Zero for a kind of handle, if the device has it.
fn native_type(device: &Device, handle_type: ur_exp_external_mem_type_t) -> Result<u32> {
    let flag = match handle_type {
        UR_EXP_EXTERNAL_MEM_TYPE_OPAQUE_FD => ze::ZE_EXTERNAL_MEMORY_TYPE_FLAG_OPAQUE_FD,
        UR_EXP_EXTERNAL_MEM_TYPE_DMA_BUF => ze::ZE_EXTERNAL_MEMORY_TYPE_FLAG_DMA_BUF,
        UR_EXP_EXTERNAL_MEM_TYPE_WIN32_NT
        | UR_EXP_EXTERNAL_MEM_TYPE_WIN32_NT_DX12_RESOURCE
        | UR_EXP_EXTERNAL_MEM_TYPE_WIN32_NT_DX11_RESOURCE => return Err(Error::unsupported()),
        _ => return Err(Error::code(UR_RESULT_ERROR_INVALID_ENUMERATION)),
    };
    let types = types(device);
    // What the device's info says no to is not there in any way.
    match types & flag != 0 && types & ze::ZE_EXTERNAL_MEMORY_TYPE_FLAG_OPAQUE_FD != 0 {
        true => Ok(flag),
        false => Err(Error::unsupported()),
    }
}

impl MemoryExportExpFns for LevelZero {
    fn memory_export_alloc_exportable_memory_exp(
        context: &Object<Context>,
        device: &Object<Device>,
        alignment: usize,
        size: usize,
        handle_type_to_export: ur_exp_external_mem_type_t,
    ) -> Result<*mut c_void> {
        check_device(context, device)?;
        let flag = native_type(device, handle_type_to_export)?;
        let unaligned = || Error::code(UR_RESULT_ERROR_UNSUPPORTED_ALIGNMENT);
        if !(alignment == 0 || alignment.is_power_of_two()) {
            return Err(unaligned());
        }
        let align = u32::try_from(alignment).map_err(|_| unaligned())?;
        if size == 0 {
            return Err(Error::code(UR_RESULT_ERROR_INVALID_USM_SIZE));
        }
        let mut desc = ze::ze_external_memory_export_desc_t::new();
        desc.flags = flag;
        let request = Request::plain(UR_USM_TYPE_DEVICE, size, align);
        // SAFETY: a structure of ours.
        unsafe { driver::allocate_with(context, Some(device), &request, (&raw const desc).cast()) }
    }

    unsafe fn memory_export_free_exportable_memory_exp(
        context: &Object<Context>,
        device: &Object<Device>,
        mem: *mut c_void,
    ) -> Result {
        check_device(context, device)?;
        let leaving = Leaving::of(context, mem);
        leaving.map(drop).map_err(|error| Error {
            code: UR_RESULT_ERROR_INVALID_VALUE,
            ..error
        })
    }

    unsafe fn memory_export_export_memory_handle_exp(
        context: &Object<Context>,
        device: &Object<Device>,
        handle_type_to_export: ur_exp_external_mem_type_t,
        mem: *mut c_void,
        mem_handle_ret: *mut c_void,
    ) -> Result {
        check_device(context, device)?;
        let flag = native_type(device, handle_type_to_export)?;
        let not_exportable = || Error::value("no exportable memory of the context is there");
        if driver::tell(context, mem)?.kind != UR_USM_TYPE_DEVICE {
            return Err(not_exportable());
        }
        let mut export = ze::ze_external_memory_export_fd_t::new();
        (export.flags, export.fd) = (flag, -1);
        let mut properties = ze::ze_memory_allocation_properties_t::new();
        properties.pNext = (&raw mut export).cast();
        let mut owner = ze::ze_device_handle_t::NULL;
        let get = context.api().zeMemGetAllocProperties;
        // SAFETY: a live context, any pointer, places of ours.
        check(unsafe { get(context.native(), mem, &raw mut properties, &raw mut owner) })?;
        if export.fd < 0 {
            return Err(not_exportable());
        }
        // SAFETY: for these types the program has room for a file descriptor.
        unsafe { mem_handle_ret.cast::<i32>().write_unaligned(export.fd) };
        Ok(())
    }
}
