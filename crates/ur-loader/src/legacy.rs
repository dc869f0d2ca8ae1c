//! The six functions that 2026.0 and 2026.1 had and 2026.2 has no more: `urKernelSetArg…` and
//! `urEnqueueKernelLaunch`.
//!
//! They keep a program built for those releases loadable: its runtime binds every symbol when it
//! starts, whether it calls it or not. Its launches go through
//! `urEnqueueKernelLaunchWithArgsExp`, which is the same function in all three releases.
//!
//! A call of one of the six is answered UNSUPPORTED_FEATURE. The tables of this release have no
//! slots for them, and lowering them to a launch with arguments would make the loader keep
//! arguments by kernel handle: state beside the object that it belongs to, the very thing the
//! loader must not have.

use crate::guard::guard;
use crate::log::{Level, log};
use std::ffi::c_void;
use ur_api::{
    UR_RESULT_ERROR_INVALID_NULL_HANDLE, UR_RESULT_ERROR_UNSUPPORTED_FEATURE, ur_event_handle_t,
    ur_kernel_arg_local_properties_t, ur_kernel_arg_mem_obj_properties_t,
    ur_kernel_arg_pointer_properties_t, ur_kernel_arg_sampler_properties_t,
    ur_kernel_arg_value_properties_t, ur_kernel_handle_t, ur_kernel_launch_ext_properties_t,
    ur_mem_handle_t, ur_queue_handle_t, ur_result_t, ur_sampler_handle_t,
};

fn unsupported(name: &str, handles: &[bool]) -> ur_result_t {
    guard(|| {
        if handles.contains(&false) {
            return Err(UR_RESULT_ERROR_INVALID_NULL_HANDLE);
        }
        log!(
            Level::Error,
            "{name} was removed after release 2026.1 and is not supported; use urEnqueueKernelLaunchWithArgsExp"
        );
        Err(UR_RESULT_ERROR_UNSUPPORTED_FEATURE)
    })
}

/// Not supported.
///
/// # Safety
/// Nothing that the arguments point to is read.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn urKernelSetArgValue(
    hKernel: ur_kernel_handle_t,
    argIndex: u32,
    argSize: usize,
    pProperties: *const ur_kernel_arg_value_properties_t,
    pArgValue: *const c_void,
) -> ur_result_t {
    let _ = (argIndex, argSize, pProperties, pArgValue);
    unsupported("urKernelSetArgValue", &[!hKernel.is_null()])
}

/// Not supported.
///
/// # Safety
/// Nothing that the arguments point to is read.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn urKernelSetArgLocal(
    hKernel: ur_kernel_handle_t,
    argIndex: u32,
    argSize: usize,
    pProperties: *const ur_kernel_arg_local_properties_t,
) -> ur_result_t {
    let _ = (argIndex, argSize, pProperties);
    unsupported("urKernelSetArgLocal", &[!hKernel.is_null()])
}

/// Not supported.
///
/// # Safety
/// Nothing that the arguments point to is read.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn urKernelSetArgPointer(
    hKernel: ur_kernel_handle_t,
    argIndex: u32,
    pProperties: *const ur_kernel_arg_pointer_properties_t,
    pArgValue: *const c_void,
) -> ur_result_t {
    let _ = (argIndex, pProperties, pArgValue);
    unsupported("urKernelSetArgPointer", &[!hKernel.is_null()])
}

/// Not supported.
///
/// # Safety
/// Nothing that the arguments point to is read.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn urKernelSetArgSampler(
    hKernel: ur_kernel_handle_t,
    argIndex: u32,
    pProperties: *const ur_kernel_arg_sampler_properties_t,
    hArgValue: ur_sampler_handle_t,
) -> ur_result_t {
    let _ = (argIndex, pProperties);
    unsupported(
        "urKernelSetArgSampler",
        &[!hKernel.is_null(), !hArgValue.is_null()],
    )
}

/// Not supported.
///
/// # Safety
/// Nothing that the arguments point to is read.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn urKernelSetArgMemObj(
    hKernel: ur_kernel_handle_t,
    argIndex: u32,
    pProperties: *const ur_kernel_arg_mem_obj_properties_t,
    hArgValue: ur_mem_handle_t,
) -> ur_result_t {
    let _ = (argIndex, pProperties, hArgValue);
    unsupported("urKernelSetArgMemObj", &[!hKernel.is_null()])
}

/// Not supported.
///
/// # Safety
/// Nothing that the arguments point to is read.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn urEnqueueKernelLaunch(
    hQueue: ur_queue_handle_t,
    hKernel: ur_kernel_handle_t,
    workDim: u32,
    pGlobalWorkOffset: *const usize,
    pGlobalWorkSize: *const usize,
    pLocalWorkSize: *const usize,
    launchPropList: *const ur_kernel_launch_ext_properties_t,
    numEventsInWaitList: u32,
    phEventWaitList: *const ur_event_handle_t,
    phEvent: *mut ur_event_handle_t,
) -> ur_result_t {
    let _ = (workDim, pGlobalWorkOffset, pGlobalWorkSize, pLocalWorkSize);
    let _ = (
        launchPropList,
        numEventsInWaitList,
        phEventWaitList,
        phEvent,
    );
    unsupported(
        "urEnqueueKernelLaunch",
        &[!hQueue.is_null(), !hKernel.is_null()],
    )
}
