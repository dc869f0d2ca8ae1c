//! Device memory that other APIs can be given, as a file descriptor.

use super::registry::{self, Allocation, Origin};
use super::{check_device, check_size, key};
use crate::NativeCpu;
use crate::context::Context;
use crate::device::Device;
use crate::memfd::{self, MemFile, PAGE};
use std::ffi::c_void;
use std::sync::Arc;
use ur_adapter::{Error, MemoryExportExpFns, Object, Result};
use ur_api::*;

fn check_type(handle_type: ur_exp_external_mem_type_t) -> Result {
    match handle_type {
        UR_EXP_EXTERNAL_MEM_TYPE_OPAQUE_FD => Ok(()),
        UR_EXP_EXTERNAL_MEM_TYPE_WIN32_NT
        | UR_EXP_EXTERNAL_MEM_TYPE_WIN32_NT_DX12_RESOURCE
        | UR_EXP_EXTERNAL_MEM_TYPE_DMA_BUF
        | UR_EXP_EXTERNAL_MEM_TYPE_WIN32_NT_DX11_RESOURCE => Err(Error::unsupported()),
        _ => Err(Error::code(UR_RESULT_ERROR_INVALID_ENUMERATION)),
    }
}

fn not_exportable() -> Error {
    Error::value("no exportable memory of the context begins there")
}

impl MemoryExportExpFns for NativeCpu {
    fn memory_export_alloc_exportable_memory_exp(
        context: &Object<Context>,
        device: &Object<Device>,
        alignment: usize,
        size: usize,
        handle_type_to_export: ur_exp_external_mem_type_t,
    ) -> Result<*mut c_void> {
        check_device(context, device)?;
        check_type(handle_type_to_export)?;
        if !(alignment == 0 || alignment.is_power_of_two()) || alignment > PAGE {
            return Err(Error::code(UR_RESULT_ERROR_UNSUPPORTED_ALIGNMENT));
        }
        check_size(size)?;
        let len = size.next_multiple_of(PAGE);
        let mapped = MemFile::new(len).and_then(|file| Ok((file.map(0, len)?, file)));
        let (base, file) = mapped.map_err(|error| {
            Error::new(UR_RESULT_ERROR_OUT_OF_RESOURCES, error.to_string())
                .with_native(error.raw_os_error().unwrap_or(0))
        })?;
        crate::fork::watch();
        registry::insert(Allocation {
            base,
            size,
            kind: UR_USM_TYPE_DEVICE,
            context: key(context),
            device: Some(device.handle()),
            origin: Origin::Exportable(len),
            file: Some(Arc::new(file)),
        });
        Ok(base as *mut c_void)
    }

    unsafe fn memory_export_free_exportable_memory_exp(
        context: &Object<Context>,
        device: &Object<Device>,
        mem: *mut c_void,
    ) -> Result {
        check_device(context, device)?;
        let mut mapped = 0;
        let meant = |origin: &Origin| match origin {
            Origin::Exportable(len) => {
                mapped = *len;
                true
            }
            _ => false,
        };
        let base = mem as usize;
        registry::remove(key(context), base, meant).ok_or_else(not_exportable)?;
        // SAFETY: it was mapped above and has just left the registry.
        unsafe { memfd::unmap(base, mapped) };
        Ok(())
    }

    unsafe fn memory_export_export_memory_handle_exp(
        context: &Object<Context>,
        device: &Object<Device>,
        handle_type_to_export: ur_exp_external_mem_type_t,
        mem: *mut c_void,
        mem_handle_ret: *mut c_void,
    ) -> Result {
        check_device(context, device)?;
        check_type(handle_type_to_export)?;
        let found = registry::find(key(context), mem as usize).ok_or_else(not_exportable)?;
        let file = match (&found.origin, &found.file) {
            (Origin::Exportable(_), Some(file)) => file,
            _ => return Err(not_exportable()),
        };
        let fd = file.duplicate().map_err(|error| {
            Error::new(UR_RESULT_ERROR_OUT_OF_RESOURCES, error.to_string())
                .with_native(error.raw_os_error().unwrap_or(0))
        })?;
        // SAFETY: for this type the program has room for a file descriptor.
        unsafe { mem_handle_ret.cast::<i32>().write_unaligned(fd) };
        Ok(())
    }
}
