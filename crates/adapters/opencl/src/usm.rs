//! Unified shared memory.

pub mod pool;

use crate::OpenCl;
use crate::cl::{self, check, query};
use crate::context::Context;
use crate::device::Device;
use std::ffi::c_void;
use ur_adapter::{Error, Info, Object, Result, UsmExpFns, UsmFns};
use ur_api::*;

/// What a device can do with a kind of USM, as the API's flags, whose numbers are OpenCL's.
pub fn capabilities(device: &Device, name: ur_device_info_t) -> u32 {
    if !device.facts().has_usm {
        return 0;
    }
    let name = match name {
        UR_DEVICE_INFO_USM_HOST_SUPPORT => cl::CL_DEVICE_HOST_MEM_CAPABILITIES_INTEL,
        UR_DEVICE_INFO_USM_DEVICE_SUPPORT => cl::CL_DEVICE_DEVICE_MEM_CAPABILITIES_INTEL,
        UR_DEVICE_INFO_USM_SINGLE_SHARED_SUPPORT => {
            cl::CL_DEVICE_SINGLE_DEVICE_SHARED_MEM_CAPABILITIES_INTEL
        }
        UR_DEVICE_INFO_USM_CROSS_SHARED_SUPPORT => {
            cl::CL_DEVICE_CROSS_DEVICE_SHARED_MEM_CAPABILITIES_INTEL
        }
        _ => cl::CL_DEVICE_SHARED_SYSTEM_MEM_CAPABILITIES_INTEL,
    };
    device.value::<cl::cl_bitfield>(name).unwrap_or(0) as u32
}

/// Whether a context has copies and fills of rows that are one command. They are many here, so that
/// programs which ask may know better.
pub fn has_2d(_: &Context) -> bool {
    false
}

/// Checks what is asked of an allocation, and gives the alignment.
fn check_request(desc: Option<&ur_usm_desc_t>, size: usize) -> Result<u32> {
    if desc.is_some_and(|desc| desc.hints & UR_USM_ADVICE_FLAGS_MASK != 0) {
        return Err(Error::code(UR_RESULT_ERROR_INVALID_ENUMERATION));
    }
    let align = desc.map_or(0, |desc| desc.align);
    if align != 0 && !align.is_power_of_two() {
        return Err(Error::value("an alignment that is no power of two"));
    }
    if size == 0 {
        return Err(Error::code(UR_RESULT_ERROR_INVALID_USM_SIZE));
    }
    Ok(align)
}

fn check_device(context: &Context, device: &Device) -> Result {
    match context.has(device) {
        true => Ok(()),
        false => Err(Error::new(
            UR_RESULT_ERROR_INVALID_DEVICE,
            "the device does not belong to the context",
        )),
    }
}

/// What an allocation gave.
fn allocated(memory: *mut c_void, code: cl::cl_int) -> Result<*mut c_void> {
    match code {
        cl::CL_SUCCESS => Ok(memory),
        cl::CL_INVALID_BUFFER_SIZE => {
            Err(Error::code(UR_RESULT_ERROR_INVALID_USM_SIZE).with_native(code))
        }
        code => Err(cl::error::failed(code)),
    }
}

impl UsmFns for OpenCl {
    fn usm_host_alloc(
        context: &Object<Context>,
        usm_desc: Option<&ur_usm_desc_t>,
        _: Option<&Object<pool::UsmPool>>,
        size: usize,
    ) -> Result<*mut c_void> {
        let align = check_request(usm_desc, size)?;
        let allocate = context.extensions().clHostMemAllocINTEL;
        let allocate = allocate.ok_or_else(Error::unsupported)?;
        let mut code = 0;
        let (native, none) = (context.native(), std::ptr::null());
        // SAFETY: a live context; the code's place is ours.
        let memory = unsafe { allocate(native, none, size, align, &raw mut code) };
        allocated(memory, code)
    }

    fn usm_device_alloc(
        context: &Object<Context>,
        device: &Object<Device>,
        usm_desc: Option<&ur_usm_desc_t>,
        _: Option<&Object<pool::UsmPool>>,
        size: usize,
    ) -> Result<*mut c_void> {
        check_device(context, device)?;
        let align = check_request(usm_desc, size)?;
        let allocate = context.extensions().clDeviceMemAllocINTEL;
        let allocate = allocate.ok_or_else(Error::unsupported)?;
        let mut code = 0;
        let (native, none) = (context.native(), std::ptr::null());
        // SAFETY: live objects; the code's place is ours.
        let memory = unsafe { allocate(native, device.native(), none, size, align, &raw mut code) };
        allocated(memory, code)
    }

    fn usm_shared_alloc(
        context: &Object<Context>,
        device: &Object<Device>,
        usm_desc: Option<&ur_usm_desc_t>,
        _: Option<&Object<pool::UsmPool>>,
        size: usize,
    ) -> Result<*mut c_void> {
        check_device(context, device)?;
        let align = check_request(usm_desc, size)?;
        let allocate = context.extensions().clSharedMemAllocINTEL;
        let allocate = allocate.ok_or_else(Error::unsupported)?;
        let mut code = 0;
        let (native, none) = (context.native(), std::ptr::null());
        // SAFETY: live objects; the code's place is ours.
        let memory = unsafe { allocate(native, device.native(), none, size, align, &raw mut code) };
        allocated(memory, code)
    }

    unsafe fn usm_free(context: &Object<Context>, mem: *mut c_void) -> Result {
        // Commands that use the memory may not have ended.
        let free = context.extensions().clMemBlockingFreeINTEL;
        let free = free.ok_or_else(Error::unsupported)?;
        // SAFETY: a live context; the driver looks whether it knows the pointer.
        match unsafe { free(context.native(), mem) } {
            code @ cl::CL_INVALID_VALUE => {
                Err(Error::code(UR_RESULT_ERROR_INVALID_MEM_OBJECT).with_native(code))
            }
            code => check(code),
        }
    }

    unsafe fn usm_get_mem_alloc_info(
        context: &Object<Context>,
        mem: *const c_void,
        prop_name: ur_usm_alloc_info_t,
        info: &mut Info<'_>,
    ) -> Result {
        let get = context.extensions().clGetMemAllocInfoINTEL;
        let get = get.ok_or_else(Error::unsupported)?;
        let native = context.native();
        let kind: cl::cl_uint = query::value(|size, value, told| {
            // SAFETY: a live context, and any pointer; the places are as `query` says.
            unsafe { get(native, mem, cl::CL_MEM_ALLOC_TYPE_INTEL, size, value, told) }
        })?;
        let kind = match kind {
            cl::CL_MEM_TYPE_HOST_INTEL => UR_USM_TYPE_HOST,
            cl::CL_MEM_TYPE_DEVICE_INTEL => UR_USM_TYPE_DEVICE,
            cl::CL_MEM_TYPE_SHARED_INTEL => UR_USM_TYPE_SHARED,
            _ => UR_USM_TYPE_UNKNOWN,
        };
        if prop_name == UR_USM_ALLOC_INFO_TYPE {
            // Of any other pointer this much is known: it is no allocation.
            return info.value(kind.0);
        }
        let name = match prop_name {
            UR_USM_ALLOC_INFO_BASE_PTR => cl::CL_MEM_ALLOC_BASE_PTR_INTEL,
            UR_USM_ALLOC_INFO_SIZE => cl::CL_MEM_ALLOC_SIZE_INTEL,
            UR_USM_ALLOC_INFO_DEVICE => cl::CL_MEM_ALLOC_DEVICE_INTEL,
            _ => return Err(Error::unsupported_query()),
        };
        if kind == UR_USM_TYPE_UNKNOWN {
            return Err(Error::new(
                UR_RESULT_ERROR_INVALID_MEM_OBJECT,
                "the pointer is in no allocation of the context",
            ));
        }
        // All three are as large as a pointer.
        let answer: usize = query::value(|size, value, told| {
            // SAFETY: as above.
            unsafe { get(native, mem, name, size, value, told) }
        })?;
        if prop_name != UR_USM_ALLOC_INFO_DEVICE {
            return info.value(answer);
        }
        if answer == 0 {
            return info.value(std::ptr::null::<ur_device_handle_t_>());
        }
        let native = cl::cl_device_id::from_native(answer);
        let mut devices = context.devices().iter();
        match devices.find(|device| device.native() == native) {
            Some(device) => info.handle(&**device),
            None => Err(Error::code(UR_RESULT_ERROR_INVALID_DEVICE)),
        }
    }
}

impl UsmExpFns for OpenCl {}
