//! What a kernel says of itself.

use super::Kernel;
use crate::cl::{self, Version, check, query};
use crate::device::Device;
use std::ffi::c_void;
use ur_adapter::{Error, Info, Object, Result};
use ur_api::*;

/// Answers `urKernelGetInfo`.
///
/// # Errors
/// `UNSUPPORTED_ENUMERATION` for what OpenCL does not tell, and what the driver says.
pub fn answer(kernel: &Kernel, name: ur_kernel_info_t, info: &mut Info<'_>) -> Result {
    let text = |name| {
        query::text(|size, value, told| {
            let get = kernel.api().clGetKernelInfo;
            // SAFETY: a live kernel; the places are as `query` says.
            unsafe { get(kernel.native(), name, size, value, told) }
        })
    };
    match name {
        UR_KERNEL_INFO_FUNCTION_NAME => info.text(&text(cl::CL_KERNEL_FUNCTION_NAME)?),
        UR_KERNEL_INFO_NUM_ARGS => info.value(kernel.arg_count()),
        UR_KERNEL_INFO_CONTEXT => info.handle(&**kernel.context()),
        UR_KERNEL_INFO_PROGRAM => info.handle(&**kernel.program()),
        UR_KERNEL_INFO_ATTRIBUTES => info.text(&text(cl::CL_KERNEL_ATTRIBUTES)?),
        UR_KERNEL_INFO_SPILL_MEM_SIZE => info.slice(&spills(kernel)?),
        _ => Err(Error::unsupported_query()),
    }
}

/// Bytes of registers that did not fit, for each device.
fn spills(kernel: &Kernel) -> Result<Vec<u32>> {
    let one = |device: &Device| {
        if !device.has("cl_intel_required_subgroup_size") {
            return Err(Error::unsupported_query());
        }
        let size: u64 = of_group(kernel, device, cl::CL_KERNEL_SPILL_MEM_SIZE_INTEL)?;
        Ok(size as u32)
    };
    let devices = kernel.program().devices();
    devices.iter().map(|device| one(device)).collect()
}

fn of_group<T: query::Answer>(kernel: &Kernel, device: &Device, name: cl::cl_uint) -> Result<T> {
    query::value(|size, value, told| {
        let get = kernel.api().clGetKernelWorkGroupInfo;
        // SAFETY: live objects; the places are as `query` says.
        unsafe { get(kernel.native(), device.native(), name, size, value, told) }
    })
}

/// Work-group size that a kernel must be launched with on a device; zeroes if it does not say.
///
/// # Errors
/// What the driver says.
pub fn required(kernel: &Kernel, device: &Device) -> Result<[usize; 3]> {
    of_group(kernel, device, cl::CL_KERNEL_COMPILE_WORK_GROUP_SIZE)
}

fn expect_device(kernel: &Kernel, device: &Device) -> Result {
    match kernel.context().has(device) {
        true => Ok(()),
        false => Err(Error::code(UR_RESULT_ERROR_INVALID_DEVICE)),
    }
}

/// Answers `urKernelGetGroupInfo`.
///
/// # Errors
/// `UNSUPPORTED_ENUMERATION` for what OpenCL does not tell, `INVALID_DEVICE`, and what the driver says.
pub fn answer_group(
    kernel: &Kernel,
    device: &Object<Device>,
    name: ur_kernel_group_info_t,
    info: &mut Info<'_>,
) -> Result {
    expect_device(kernel, device)?;
    match name {
        // Only custom devices and built-in kernels have one.
        UR_KERNEL_GROUP_INFO_GLOBAL_WORK_SIZE => {
            match of_group::<[usize; 3]>(kernel, device, cl::CL_KERNEL_GLOBAL_WORK_SIZE) {
                Err(error) if error.native == cl::CL_INVALID_VALUE => {
                    Err(Error::unsupported_query())
                }
                size => info.value(size?),
            }
        }
        UR_KERNEL_GROUP_INFO_WORK_GROUP_SIZE => info.value(of_group::<usize>(
            kernel,
            device,
            cl::CL_KERNEL_WORK_GROUP_SIZE,
        )?),
        UR_KERNEL_GROUP_INFO_COMPILE_WORK_GROUP_SIZE => info.value(required(kernel, device)?),
        UR_KERNEL_GROUP_INFO_LOCAL_MEM_SIZE => {
            let size: u64 = of_group(kernel, device, cl::CL_KERNEL_LOCAL_MEM_SIZE)?;
            info.value(size as usize)
        }
        UR_KERNEL_GROUP_INFO_PREFERRED_WORK_GROUP_SIZE_MULTIPLE => {
            let name = cl::CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE;
            info.value(of_group::<usize>(kernel, device, name)?)
        }
        UR_KERNEL_GROUP_INFO_PRIVATE_MEM_SIZE => {
            let size: u64 = of_group(kernel, device, cl::CL_KERNEL_PRIVATE_MEM_SIZE)?;
            info.value(size as usize)
        }
        _ => Err(Error::unsupported_query()),
    }
}

/// Answers `urKernelGetSubGroupInfo`.
///
/// # Errors
/// `UNSUPPORTED_ENUMERATION` for what OpenCL or the device does not have, `INVALID_DEVICE`, and what
/// the driver says.
pub fn answer_sub_group(
    kernel: &Kernel,
    device: &Object<Device>,
    name: ur_kernel_sub_group_info_t,
    info: &mut Info<'_>,
) -> Result {
    expect_device(kernel, device)?;
    let value = match name {
        UR_KERNEL_SUB_GROUP_INFO_MAX_SUB_GROUP_SIZE => {
            // The size depends on that of the work-group; the largest has the largest.
            let most: usize = of_group(kernel, device, cl::CL_KERNEL_WORK_GROUP_SIZE)?;
            let name = cl::CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE;
            of_sub_group(kernel, device, name, &[most.max(1), 1, 1])?
        }
        UR_KERNEL_SUB_GROUP_INFO_MAX_NUM_SUB_GROUPS => {
            of_sub_group(kernel, device, cl::CL_KERNEL_MAX_NUM_SUB_GROUPS, &[])?
        }
        UR_KERNEL_SUB_GROUP_INFO_COMPILE_NUM_SUB_GROUPS => {
            of_sub_group(kernel, device, cl::CL_KERNEL_COMPILE_NUM_SUB_GROUPS, &[])?
        }
        UR_KERNEL_SUB_GROUP_INFO_SUB_GROUP_SIZE_INTEL => {
            if !device.has("cl_intel_required_subgroup_size") {
                return Err(Error::unsupported_query());
            }
            let name = cl::CL_KERNEL_COMPILE_SUB_GROUP_SIZE_INTEL;
            of_sub_group(kernel, device, name, &[])?
        }
        _ => return Err(Error::unsupported_query()),
    };
    info.value(value as u32)
}

/// A number about sub-groups, which depends on `input` for some questions.
fn of_sub_group(
    kernel: &Kernel,
    device: &Device,
    name: cl::cl_uint,
    input: &[usize],
) -> Result<usize> {
    let core = kernel.api().clGetKernelSubGroupInfo;
    let core = core.filter(|_| device.version() >= Version(2, 1));
    let extension = device.platform().extensions().clGetKernelSubGroupInfoKHR;
    let get = core.or(extension.filter(|_| device.has("cl_khr_subgroups")));
    let get = get.ok_or_else(Error::unsupported_query)?;
    let (mut result, mut told) = (0usize, 0);
    // SAFETY: live objects; input and the place of the result have the sizes named.
    let code = unsafe {
        get(
            kernel.native(),
            device.native(),
            name,
            size_of_val(input),
            match input {
                [] => std::ptr::null(),
                input => input.as_ptr().cast::<c_void>(),
            },
            size_of_val(&result),
            (&raw mut result).cast(),
            &raw mut told,
        )
    };
    match code {
        // A device without sub-groups.
        cl::CL_INVALID_OPERATION => Err(Error::unsupported_query()),
        code => check(code).map(|()| result),
    }
}
