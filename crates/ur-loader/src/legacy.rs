//! The six functions that 2026.0 and 2026.1 had and 2026.2 has no more: `urKernelSetArg…` and
//! `urEnqueueKernelLaunch`, and those that record and ask about a launch with what they set.
//!
//! An adapter of those releases has them, and gets the call. For adapters built from our kit,
//! arguments are kept with the kernel ([`crate::arguments`]) and a launch becomes one of
//! `urEnqueueKernelLaunchWithArgsExp`. Another adapter of this release has neither the functions
//! nor a place to keep arguments in; the loader has no table of kernels to make up for it, and
//! answers UNSUPPORTED_FEATURE.

use crate::arguments::{self, Argument};
use crate::dispatch::{created, tables};
use crate::foreign::{Foreign, Made};
use crate::guard::guard;
use crate::log::{Level, log};
use std::ffi::c_void;
use std::sync::Arc;
use ur_api::*;

/// The adapter of an earlier release that made an object, if one did.
///
/// # Errors
/// INVALID_NULL_HANDLE.
///
/// # Safety
/// The handle is null or that of a live object.
unsafe fn foreign<T>(handle: *mut T) -> Result<Option<&'static Foreign>, ur_result_t> {
    // SAFETY: as the caller says.
    let tables = unsafe { tables(handle) }.ok_or(UR_RESULT_ERROR_INVALID_NULL_HANDLE)?;
    Ok(Foreign::of(tables))
}

/// Keeps an argument with the kernel.
///
/// # Safety
/// The kernel is live.
unsafe fn set(
    name: &str,
    kernel: ur_kernel_handle_t,
    index: u32,
    argument: &Argument,
) -> ur_result_t {
    // SAFETY: as the caller says.
    let result = guard(|| unsafe { arguments::set(kernel, index, argument) });
    if result == UR_RESULT_ERROR_UNSUPPORTED_FEATURE {
        unsupported(name);
    }
    result
}

fn unsupported(name: &str) {
    log!(
        Level::Error,
        "{name} was removed after release 2026.1, and this adapter does not support it; use urEnqueueKernelLaunchWithArgsExp"
    );
}

/// Returns what the same function of an adapter of an earlier release answers; goes on if the
/// kernel is of no such adapter.
macro_rules! hand_over {
    ($function:ident($kernel:ident, $($argument:expr),*)) => {
        // SAFETY: the caller's handle is live or null.
        match unsafe { foreign($kernel) } {
            Err(result) => return result,
            Ok(Some(foreign)) => {
                return match foreign.removed.$function {
                    // SAFETY: the adapter's function gets what the caller promised for this one.
                    Some(function) => unsafe { function($kernel, $($argument),*) },
                    None => UR_RESULT_ERROR_UNSUPPORTED_FEATURE,
                };
            }
            Ok(None) => {}
        }
    };
}

/// `urKernelSetArgValue`: Sets an argument that is bytes, which are copied.
///
/// # Safety
/// The kernel is null or live; `pArgValue` is null or points to `argSize` bytes.
pub(crate) unsafe extern "C" fn kernel_set_arg_value(
    hKernel: ur_kernel_handle_t,
    argIndex: u32,
    argSize: usize,
    pProperties: *const ur_kernel_arg_value_properties_t,
    pArgValue: *const c_void,
) -> ur_result_t {
    hand_over!(urKernelSetArgValue(
        hKernel,
        argIndex,
        argSize,
        pProperties,
        pArgValue
    ));
    if pArgValue.is_null() {
        return UR_RESULT_ERROR_INVALID_NULL_POINTER;
    }
    if argSize == 0 || argSize > isize::MAX as usize {
        return UR_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE;
    }
    // SAFETY: that many bytes are the caller's.
    let bytes = unsafe { std::slice::from_raw_parts(pArgValue.cast::<u8>(), argSize) };
    let argument = Argument::Value(Arc::from(bytes));
    // SAFETY: the handle is not null, so it is live.
    unsafe { set("urKernelSetArgValue", hKernel, argIndex, &argument) }
}

/// `urKernelSetArgLocal`: Sets an argument that is local memory.
///
/// # Safety
/// The kernel is null or live.
pub(crate) unsafe extern "C" fn kernel_set_arg_local(
    hKernel: ur_kernel_handle_t,
    argIndex: u32,
    argSize: usize,
    pProperties: *const ur_kernel_arg_local_properties_t,
) -> ur_result_t {
    hand_over!(urKernelSetArgLocal(hKernel, argIndex, argSize, pProperties));
    let argument = Argument::Local(argSize);
    // SAFETY: the handle is not null, so it is live.
    unsafe { set("urKernelSetArgLocal", hKernel, argIndex, &argument) }
}

/// `urKernelSetArgPointer`: Sets an argument that is a USM pointer.
///
/// # Safety
/// The kernel is null or live. Nothing that the pointer points to is read.
pub(crate) unsafe extern "C" fn kernel_set_arg_pointer(
    hKernel: ur_kernel_handle_t,
    argIndex: u32,
    pProperties: *const ur_kernel_arg_pointer_properties_t,
    pArgValue: *const c_void,
) -> ur_result_t {
    hand_over!(urKernelSetArgPointer(
        hKernel,
        argIndex,
        pProperties,
        pArgValue
    ));
    let argument = Argument::Pointer(pArgValue);
    // SAFETY: the handle is not null, so it is live.
    unsafe { set("urKernelSetArgPointer", hKernel, argIndex, &argument) }
}

/// `urKernelSetArgSampler`: Sets an argument that is a sampler, which is not retained.
///
/// # Safety
/// Handles are null or live.
pub(crate) unsafe extern "C" fn kernel_set_arg_sampler(
    hKernel: ur_kernel_handle_t,
    argIndex: u32,
    pProperties: *const ur_kernel_arg_sampler_properties_t,
    hArgValue: ur_sampler_handle_t,
) -> ur_result_t {
    hand_over!(urKernelSetArgSampler(
        hKernel,
        argIndex,
        pProperties,
        hArgValue
    ));
    if hArgValue.is_null() {
        return UR_RESULT_ERROR_INVALID_NULL_HANDLE;
    }
    let argument = Argument::Sampler(hArgValue);
    // SAFETY: the handle is not null, so it is live.
    unsafe { set("urKernelSetArgSampler", hKernel, argIndex, &argument) }
}

/// `urKernelSetArgMemObj`: Sets an argument that is a memory object, which is not retained, or null.
///
/// # Safety
/// Handles are null or live; `pProperties` is null or may be read.
pub(crate) unsafe extern "C" fn kernel_set_arg_mem_obj(
    hKernel: ur_kernel_handle_t,
    argIndex: u32,
    pProperties: *const ur_kernel_arg_mem_obj_properties_t,
    hArgValue: ur_mem_handle_t,
) -> ur_result_t {
    hand_over!(urKernelSetArgMemObj(
        hKernel,
        argIndex,
        pProperties,
        hArgValue
    ));
    // SAFETY: null or readable, says the caller.
    let access = unsafe { pProperties.as_ref() }.map(|properties| properties.memoryAccess);
    let argument = Argument::Memory(hArgValue, access.unwrap_or(UR_MEM_FLAG_READ_WRITE.0));
    // SAFETY: the handle is not null, so it is live.
    unsafe { set("urKernelSetArgMemObj", hKernel, argIndex, &argument) }
}

/// `urEnqueueKernelLaunch`: Launches a kernel with the arguments that were set.
///
/// # Safety
/// Handles are null or live and pointers are what the API asks for.
pub(crate) unsafe extern "C" fn enqueue_kernel_launch(
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
    // SAFETY: the caller's handle is live or null.
    let Some(tables) = (unsafe { tables(hQueue) }) else {
        return UR_RESULT_ERROR_INVALID_NULL_HANDLE;
    };
    if hKernel.is_null() {
        return UR_RESULT_ERROR_INVALID_NULL_HANDLE;
    }
    if let Some(foreign) = Foreign::of(tables) {
        let Some(function) = foreign.removed.urEnqueueKernelLaunch else {
            return UR_RESULT_ERROR_UNSUPPORTED_FEATURE;
        };
        let mut event = Made::at(phEvent);
        // SAFETY: the adapter's function gets what the caller promised for this one, and a place
        // that stands in for the caller's.
        return unsafe {
            let result = function(
                hQueue,
                hKernel,
                workDim,
                pGlobalWorkOffset,
                pGlobalWorkSize,
                pLocalWorkSize,
                launchPropList,
                numEventsInWaitList,
                phEventWaitList,
                event.place(),
            );
            event.give(foreign, result);
            created(result, phEvent);
            result
        };
    }
    let Some(function) = tables.EnqueueExp.pfnKernelLaunchWithArgsExp else {
        unsupported("urEnqueueKernelLaunch");
        return UR_RESULT_ERROR_UNSUPPORTED_FEATURE;
    };
    // SAFETY: the kernel is live.
    let arguments = unsafe { arguments::of(hKernel) }.unwrap_or_default();
    // SAFETY: the adapter's function gets what the caller promised for this one, and arguments
    // that live until it returns, by when it has copied them.
    let result = unsafe {
        function(
            hQueue,
            hKernel,
            workDim,
            pGlobalWorkOffset,
            pGlobalWorkSize,
            pLocalWorkSize,
            arguments.count(),
            arguments.first(),
            launchPropList,
            numEventsInWaitList,
            phEventWaitList,
            phEvent,
        )
    };
    created(result, phEvent);
    result
}

/// `urKernelGetSuggestedLocalWorkSize`: Gives the local size that a launch without one would get, with
/// the arguments that were set before.
///
/// # Safety
/// Handles are live or null and pointers are what the API asks for.
pub(crate) unsafe extern "C" fn kernel_get_suggested_local_work_size(
    hKernel: ur_kernel_handle_t,
    hQueue: ur_queue_handle_t,
    numWorkDim: u32,
    pGlobalWorkOffset: *const usize,
    pGlobalWorkSize: *const usize,
    pSuggestedLocalWorkSize: *mut usize,
) -> ur_result_t {
    // SAFETY: the caller's handle is live or null.
    let Some(tables) = (unsafe { tables(hKernel) }) else {
        return UR_RESULT_ERROR_INVALID_NULL_HANDLE;
    };
    let functions = &tables.Kernel;
    // SAFETY: there are tables, so the kernel is live.
    let arguments = unsafe { arguments::of(hKernel) };
    // SAFETY: the adapter's function gets what the caller promised for this one, and arguments
    // that live until it returns.
    unsafe {
        match (arguments, functions.pfnGetSuggestedLocalWorkSizeWithArgs) {
            (Some(arguments), Some(function)) => function(
                hKernel,
                hQueue,
                numWorkDim,
                pGlobalWorkOffset,
                pGlobalWorkSize,
                arguments.count(),
                arguments.first(),
                pSuggestedLocalWorkSize,
            ),
            _ => match functions.pfnGetSuggestedLocalWorkSize {
                Some(function) => function(
                    hKernel,
                    hQueue,
                    numWorkDim,
                    pGlobalWorkOffset,
                    pGlobalWorkSize,
                    pSuggestedLocalWorkSize,
                ),
                None => UR_RESULT_ERROR_UNSUPPORTED_FEATURE,
            },
        }
    }
}

/// `urCommandBufferAppendKernelLaunchExp`: Records a kernel launch with the arguments that were
/// set before.
///
/// # Safety
/// Handles are live or null and pointers are what the API asks for.
pub(crate) unsafe extern "C" fn append_kernel_launch(
    hCommandBuffer: ur_exp_command_buffer_handle_t,
    hKernel: ur_kernel_handle_t,
    workDim: u32,
    pGlobalWorkOffset: *const usize,
    pGlobalWorkSize: *const usize,
    pLocalWorkSize: *const usize,
    numKernelAlternatives: u32,
    phKernelAlternatives: *mut ur_kernel_handle_t,
    numSyncPointsInWaitList: u32,
    pSyncPointWaitList: *const ur_exp_command_buffer_sync_point_t,
    numEventsInWaitList: u32,
    phEventWaitList: *const ur_event_handle_t,
    pSyncPoint: *mut ur_exp_command_buffer_sync_point_t,
    phEvent: *mut ur_event_handle_t,
    phCommand: *mut ur_exp_command_buffer_command_handle_t,
) -> ur_result_t {
    // SAFETY: the caller's handle is live or null.
    let Some(tables) = (unsafe { tables(hCommandBuffer) }) else {
        return UR_RESULT_ERROR_INVALID_NULL_HANDLE;
    };
    let functions = &tables.CommandBufferExp;
    let arguments = if hKernel.is_null() {
        None
    } else {
        // SAFETY: not null, so the kernel is live.
        unsafe { arguments::of(hKernel) }
    };
    // SAFETY: the adapter's function gets what the caller promised for this one, and arguments
    // that live until it returns, by when it has copied them.
    let result = unsafe {
        match (arguments, functions.pfnAppendKernelLaunchWithArgsExp) {
            (Some(arguments), Some(function)) => function(
                hCommandBuffer,
                hKernel,
                workDim,
                pGlobalWorkOffset,
                pGlobalWorkSize,
                pLocalWorkSize,
                arguments.count(),
                arguments.first(),
                numKernelAlternatives,
                phKernelAlternatives,
                numSyncPointsInWaitList,
                pSyncPointWaitList,
                numEventsInWaitList,
                phEventWaitList,
                pSyncPoint,
                phEvent,
                phCommand,
            ),
            _ => match functions.pfnAppendKernelLaunchExp {
                Some(function) => function(
                    hCommandBuffer,
                    hKernel,
                    workDim,
                    pGlobalWorkOffset,
                    pGlobalWorkSize,
                    pLocalWorkSize,
                    numKernelAlternatives,
                    phKernelAlternatives,
                    numSyncPointsInWaitList,
                    pSyncPointWaitList,
                    numEventsInWaitList,
                    phEventWaitList,
                    pSyncPoint,
                    phEvent,
                    phCommand,
                ),
                None => UR_RESULT_ERROR_UNSUPPORTED_FEATURE,
            },
        }
    };
    created(result, phEvent);
    created(result, phCommand);
    result
}
