//! The functions of a platform's extensions.

#![allow(non_snake_case, reason = "the names of OpenCL")]

use super::functions::Functions;
use super::types::*;
use std::ffi::{c_char, c_void};

macro_rules! extensions {
    ($($name:ident: fn($($arg:ty),* $(,)?) -> $result:ty;)*) => {
        /// The functions of extensions that a platform has, by their names. They are the driver's own,
        /// so each platform has its own addresses.
        ///
        /// A function that is there may still be one of an extension that a device does not have;
        /// [`crate::device::facts`] knows what a device has.
        #[derive(Debug)]
        pub struct Extensions {
            $(
                #[allow(missing_docs, reason = "the name says it")]
                pub $name: Option<unsafe extern "C" fn($($arg),*) -> $result>,
            )*
        }

        impl Extensions {
            /// The functions of a platform without any.
            pub fn none() -> Self {
                Self { $($name: None,)* }
            }

            /// Looks all of them up.
            ///
            /// # Safety
            /// `platform` is one of the library's.
            pub unsafe fn of(api: &Functions, platform: cl_platform_id) -> Self {
                Self {
                    $($name: {
                        let name = concat!(stringify!($name), "\0");
                        // SAFETY: a live platform and a terminated name; an optional function is
                        // null or of this type.
                        unsafe {
                            std::mem::transmute::<
                                *mut c_void,
                                Option<unsafe extern "C" fn($($arg),*) -> $result>,
                            >((api.clGetExtensionFunctionAddressForPlatform)(
                                platform,
                                name.as_ptr().cast(),
                            ))
                        }
                    },)*
                }
            }
        }
    };
}

extensions! {
    // cl_khr_create_command_queue
    clCreateCommandQueueWithPropertiesKHR: fn(
        cl_context, cl_device_id, *const cl_properties64, *mut cl_int,
    ) -> cl_command_queue;
    // cl_khr_il_program
    clCreateProgramWithILKHR: fn(cl_context, *const c_void, usize, *mut cl_int) -> cl_program;
    // cl_khr_subgroups
    clGetKernelSubGroupInfoKHR: fn(
        cl_kernel, cl_device_id, cl_uint, usize, *const c_void, usize, *mut c_void, *mut usize,
    ) -> cl_int;
    // cl_khr_suggested_local_work_size
    clGetKernelSuggestedLocalWorkSizeKHR: fn(
        cl_command_queue, cl_kernel, cl_uint, *const usize, *const usize, *mut usize,
    ) -> cl_int;
    // cl_intel_program_scope_host_pipe and its like
    clGetDeviceFunctionPointerINTEL: fn(
        cl_device_id, cl_program, *const c_char, *mut cl_ulong,
    ) -> cl_int;
    clGetDeviceGlobalVariablePointerINTEL: fn(
        cl_device_id, cl_program, *const c_char, *mut usize, *mut *mut c_void,
    ) -> cl_int;
    clEnqueueReadGlobalVariableINTEL: fn(
        cl_command_queue, cl_program, *const c_char, cl_bool, usize, usize, *mut c_void, cl_uint,
        *const cl_event, *mut cl_event,
    ) -> cl_int;
    clEnqueueWriteGlobalVariableINTEL: fn(
        cl_command_queue, cl_program, *const c_char, cl_bool, usize, usize, *const c_void,
        cl_uint, *const cl_event, *mut cl_event,
    ) -> cl_int;
    // cl_intel_unified_shared_memory
    clHostMemAllocINTEL: fn(
        cl_context, *const cl_properties64, usize, cl_uint, *mut cl_int,
    ) -> *mut c_void;
    clDeviceMemAllocINTEL: fn(
        cl_context, cl_device_id, *const cl_properties64, usize, cl_uint, *mut cl_int,
    ) -> *mut c_void;
    clSharedMemAllocINTEL: fn(
        cl_context, cl_device_id, *const cl_properties64, usize, cl_uint, *mut cl_int,
    ) -> *mut c_void;
    clMemFreeINTEL: fn(cl_context, *mut c_void) -> cl_int;
    clMemBlockingFreeINTEL: fn(cl_context, *mut c_void) -> cl_int;
    clGetMemAllocInfoINTEL: fn(
        cl_context, *const c_void, cl_uint, usize, *mut c_void, *mut usize,
    ) -> cl_int;
    clSetKernelArgMemPointerINTEL: fn(cl_kernel, cl_uint, *const c_void) -> cl_int;
    clEnqueueMemFillINTEL: fn(
        cl_command_queue, *mut c_void, *const c_void, usize, usize, cl_uint, *const cl_event,
        *mut cl_event,
    ) -> cl_int;
    clEnqueueMemcpyINTEL: fn(
        cl_command_queue, cl_bool, *mut c_void, *const c_void, usize, cl_uint, *const cl_event,
        *mut cl_event,
    ) -> cl_int;
    clEnqueueMigrateMemINTEL: fn(
        cl_command_queue, *const c_void, usize, cl_bitfield, cl_uint, *const cl_event,
        *mut cl_event,
    ) -> cl_int;
    clEnqueueMemAdviseINTEL: fn(
        cl_command_queue, *const c_void, usize, cl_uint, cl_uint, *const cl_event, *mut cl_event,
    ) -> cl_int;
    // cl_khr_command_buffer, from 0.9.5 on
    clCreateCommandBufferKHR: fn(
        cl_uint, *const cl_command_queue, *const cl_properties64, *mut cl_int,
    ) -> cl_command_buffer_khr;
    clReleaseCommandBufferKHR: fn(cl_command_buffer_khr) -> cl_int;
    clFinalizeCommandBufferKHR: fn(cl_command_buffer_khr) -> cl_int;
    clEnqueueCommandBufferKHR: fn(
        cl_uint, *const cl_command_queue, cl_command_buffer_khr, cl_uint, *const cl_event,
        *mut cl_event,
    ) -> cl_int;
    clCommandBarrierWithWaitListKHR: fn(
        cl_command_buffer_khr, cl_command_queue, *const cl_properties64, cl_uint,
        *const cl_sync_point_khr, *mut cl_sync_point_khr, *mut cl_mutable_command_khr,
    ) -> cl_int;
    clCommandCopyBufferKHR: fn(
        cl_command_buffer_khr, cl_command_queue, *const cl_properties64, cl_mem, cl_mem, usize,
        usize, usize, cl_uint, *const cl_sync_point_khr, *mut cl_sync_point_khr,
        *mut cl_mutable_command_khr,
    ) -> cl_int;
    clCommandCopyBufferRectKHR: fn(
        cl_command_buffer_khr, cl_command_queue, *const cl_properties64, cl_mem, cl_mem,
        *const usize, *const usize, *const usize, usize, usize, usize, usize, cl_uint,
        *const cl_sync_point_khr, *mut cl_sync_point_khr, *mut cl_mutable_command_khr,
    ) -> cl_int;
    clCommandFillBufferKHR: fn(
        cl_command_buffer_khr, cl_command_queue, *const cl_properties64, cl_mem, *const c_void,
        usize, usize, usize, cl_uint, *const cl_sync_point_khr, *mut cl_sync_point_khr,
        *mut cl_mutable_command_khr,
    ) -> cl_int;
    clCommandNDRangeKernelKHR: fn(
        cl_command_buffer_khr, cl_command_queue, *const cl_properties64, cl_kernel, cl_uint,
        *const usize, *const usize, *const usize, cl_uint, *const cl_sync_point_khr,
        *mut cl_sync_point_khr, *mut cl_mutable_command_khr,
    ) -> cl_int;
    clCommandSVMMemcpyKHR: fn(
        cl_command_buffer_khr, cl_command_queue, *const cl_properties64, *mut c_void,
        *const c_void, usize, cl_uint, *const cl_sync_point_khr, *mut cl_sync_point_khr,
        *mut cl_mutable_command_khr,
    ) -> cl_int;
    clCommandSVMMemFillKHR: fn(
        cl_command_buffer_khr, cl_command_queue, *const cl_properties64, *mut c_void,
        *const c_void, usize, usize, cl_uint, *const cl_sync_point_khr, *mut cl_sync_point_khr,
        *mut cl_mutable_command_khr,
    ) -> cl_int;
    // cl_khr_command_buffer_mutable_dispatch, from 0.9.3 on
    clUpdateMutableCommandsKHR: fn(
        cl_command_buffer_khr, cl_uint, *const cl_uint, *const *const c_void,
    ) -> cl_int;
}
