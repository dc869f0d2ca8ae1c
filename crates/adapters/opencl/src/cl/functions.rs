//! The functions of the OpenCL library.

#![allow(non_snake_case, reason = "the names of OpenCL")]

use super::types::*;
use std::ffi::{CStr, c_char, c_void};
use std::sync::OnceLock;

/// The library's name; the dynamic linker finds it.
const LIBRARY: &CStr = c"libOpenCL.so.1";

/// Declares the functions that are looked up, each with its type: those that must be there, and those
/// that may be missing.
macro_rules! functions {
    (
        must { $($name:ident: fn($($arg:ty),* $(,)?) -> $result:ty;)* }
        may { $($later:ident: fn($($later_arg:ty),* $(,)?) -> $later_result:ty;)* }
    ) => {
        /// The functions of the library that are used, by their names.
        ///
        /// Those from OpenCL 2.0 on may be missing from the library. Being there says nothing of a
        /// platform: a function is called only on objects of a platform whose version has it.
        #[derive(Debug)]
        pub struct Functions {
            $(
                #[allow(missing_docs, reason = "the name says it")]
                pub $name: unsafe extern "C" fn($($arg),*) -> $result,
            )*
            $(
                #[allow(missing_docs, reason = "the name says it")]
                pub $later: Option<unsafe extern "C" fn($($later_arg),*) -> $later_result>,
            )*
        }

        impl Functions {
            /// Looks all of them up.
            ///
            /// # Safety
            /// `library` was opened and is OpenCL's.
            unsafe fn of(library: *mut c_void) -> Result<Self, String> {
                Ok(Self {
                    $($name: {
                        let name = concat!(stringify!($name), "\0");
                        // SAFETY: an open library and a terminated name.
                        let address = unsafe { libc::dlsym(library, name.as_ptr().cast()) };
                        if address.is_null() {
                            return Err(format!("it lacks {}", stringify!($name)));
                        }
                        // SAFETY: the function of that name has this type.
                        unsafe {
                            std::mem::transmute::<
                                *mut c_void,
                                unsafe extern "C" fn($($arg),*) -> $result,
                            >(address)
                        }
                    },)*
                    $($later: {
                        let name = concat!(stringify!($later), "\0");
                        // SAFETY: an open library and a terminated name; an optional function is
                        // null or of this type.
                        unsafe {
                            std::mem::transmute::<
                                *mut c_void,
                                Option<unsafe extern "C" fn($($later_arg),*) -> $later_result>,
                            >(libc::dlsym(library, name.as_ptr().cast()))
                        }
                    },)*
                })
            }
        }
    };
}

functions! {
    must {
        clGetPlatformIDs: fn(cl_uint, *mut cl_platform_id, *mut cl_uint) -> cl_int;
        clGetPlatformInfo: fn(cl_platform_id, cl_uint, usize, *mut c_void, *mut usize) -> cl_int;
        clGetExtensionFunctionAddressForPlatform: fn(cl_platform_id, *const c_char) -> *mut c_void;

        clGetDeviceIDs: fn(
            cl_platform_id, cl_bitfield, cl_uint, *mut cl_device_id, *mut cl_uint,
        ) -> cl_int;
        clGetDeviceInfo: fn(cl_device_id, cl_uint, usize, *mut c_void, *mut usize) -> cl_int;
        clCreateSubDevices: fn(
            cl_device_id, *const cl_properties, cl_uint, *mut cl_device_id, *mut cl_uint,
        ) -> cl_int;
        clRetainDevice: fn(cl_device_id) -> cl_int;
        clReleaseDevice: fn(cl_device_id) -> cl_int;

        clCreateContext: fn(
            *const cl_properties, cl_uint, *const cl_device_id, ContextNotify, *mut c_void,
            *mut cl_int,
        ) -> cl_context;
        clGetContextInfo: fn(cl_context, cl_uint, usize, *mut c_void, *mut usize) -> cl_int;
        clRetainContext: fn(cl_context) -> cl_int;
        clReleaseContext: fn(cl_context) -> cl_int;

        clCreateCommandQueue: fn(
            cl_context, cl_device_id, cl_bitfield, *mut cl_int,
        ) -> cl_command_queue;
        clGetCommandQueueInfo: fn(
            cl_command_queue, cl_uint, usize, *mut c_void, *mut usize,
        ) -> cl_int;
        clRetainCommandQueue: fn(cl_command_queue) -> cl_int;
        clReleaseCommandQueue: fn(cl_command_queue) -> cl_int;
        clFlush: fn(cl_command_queue) -> cl_int;
        clFinish: fn(cl_command_queue) -> cl_int;

        clCreateBuffer: fn(cl_context, cl_bitfield, usize, *mut c_void, *mut cl_int) -> cl_mem;
        clCreateSubBuffer: fn(
            cl_mem, cl_bitfield, cl_uint, *const c_void, *mut cl_int,
        ) -> cl_mem;
        clCreateImage: fn(
            cl_context, cl_bitfield, *const cl_image_format, *const cl_image_desc, *mut c_void,
            *mut cl_int,
        ) -> cl_mem;
        clGetMemObjectInfo: fn(cl_mem, cl_uint, usize, *mut c_void, *mut usize) -> cl_int;
        clGetImageInfo: fn(cl_mem, cl_uint, usize, *mut c_void, *mut usize) -> cl_int;
        clRetainMemObject: fn(cl_mem) -> cl_int;
        clReleaseMemObject: fn(cl_mem) -> cl_int;

        clCreateSampler: fn(cl_context, cl_bool, cl_uint, cl_uint, *mut cl_int) -> cl_sampler;
        clGetSamplerInfo: fn(cl_sampler, cl_uint, usize, *mut c_void, *mut usize) -> cl_int;
        clRetainSampler: fn(cl_sampler) -> cl_int;
        clReleaseSampler: fn(cl_sampler) -> cl_int;

        clCreateProgramWithBinary: fn(
            cl_context, cl_uint, *const cl_device_id, *const usize, *const *const u8, *mut cl_int,
            *mut cl_int,
        ) -> cl_program;
        clBuildProgram: fn(
            cl_program, cl_uint, *const cl_device_id, *const c_char, ProgramNotify, *mut c_void,
        ) -> cl_int;
        clCompileProgram: fn(
            cl_program, cl_uint, *const cl_device_id, *const c_char, cl_uint, *const cl_program,
            *const *const c_char, ProgramNotify, *mut c_void,
        ) -> cl_int;
        clLinkProgram: fn(
            cl_context, cl_uint, *const cl_device_id, *const c_char, cl_uint, *const cl_program,
            ProgramNotify, *mut c_void, *mut cl_int,
        ) -> cl_program;
        clGetProgramInfo: fn(cl_program, cl_uint, usize, *mut c_void, *mut usize) -> cl_int;
        clGetProgramBuildInfo: fn(
            cl_program, cl_device_id, cl_uint, usize, *mut c_void, *mut usize,
        ) -> cl_int;
        clRetainProgram: fn(cl_program) -> cl_int;
        clReleaseProgram: fn(cl_program) -> cl_int;

        clCreateKernel: fn(cl_program, *const c_char, *mut cl_int) -> cl_kernel;
        clSetKernelArg: fn(cl_kernel, cl_uint, usize, *const c_void) -> cl_int;
        clGetKernelInfo: fn(cl_kernel, cl_uint, usize, *mut c_void, *mut usize) -> cl_int;
        clGetKernelArgInfo: fn(
            cl_kernel, cl_uint, cl_uint, usize, *mut c_void, *mut usize,
        ) -> cl_int;
        clGetKernelWorkGroupInfo: fn(
            cl_kernel, cl_device_id, cl_uint, usize, *mut c_void, *mut usize,
        ) -> cl_int;
        clRetainKernel: fn(cl_kernel) -> cl_int;
        clReleaseKernel: fn(cl_kernel) -> cl_int;

        clWaitForEvents: fn(cl_uint, *const cl_event) -> cl_int;
        clGetEventInfo: fn(cl_event, cl_uint, usize, *mut c_void, *mut usize) -> cl_int;
        clGetEventProfilingInfo: fn(cl_event, cl_uint, usize, *mut c_void, *mut usize) -> cl_int;
        clSetEventCallback: fn(cl_event, cl_int, EventNotify, *mut c_void) -> cl_int;
        clCreateUserEvent: fn(cl_context, *mut cl_int) -> cl_event;
        clSetUserEventStatus: fn(cl_event, cl_int) -> cl_int;
        clRetainEvent: fn(cl_event) -> cl_int;
        clReleaseEvent: fn(cl_event) -> cl_int;

        // Memory that is only read is `*mut`, too: both ways of a copy have one type.
        clEnqueueReadBuffer: fn(
            cl_command_queue, cl_mem, cl_bool, usize, usize, *mut c_void, cl_uint, *const cl_event,
            *mut cl_event,
        ) -> cl_int;
        clEnqueueWriteBuffer: fn(
            cl_command_queue, cl_mem, cl_bool, usize, usize, *mut c_void, cl_uint,
            *const cl_event, *mut cl_event,
        ) -> cl_int;
        clEnqueueReadBufferRect: fn(
            cl_command_queue, cl_mem, cl_bool, *const usize, *const usize, *const usize, usize,
            usize, usize, usize, *mut c_void, cl_uint, *const cl_event, *mut cl_event,
        ) -> cl_int;
        clEnqueueWriteBufferRect: fn(
            cl_command_queue, cl_mem, cl_bool, *const usize, *const usize, *const usize, usize,
            usize, usize, usize, *mut c_void, cl_uint, *const cl_event, *mut cl_event,
        ) -> cl_int;
        clEnqueueCopyBuffer: fn(
            cl_command_queue, cl_mem, cl_mem, usize, usize, usize, cl_uint, *const cl_event,
            *mut cl_event,
        ) -> cl_int;
        clEnqueueCopyBufferRect: fn(
            cl_command_queue, cl_mem, cl_mem, *const usize, *const usize, *const usize, usize,
            usize, usize, usize, cl_uint, *const cl_event, *mut cl_event,
        ) -> cl_int;
        clEnqueueFillBuffer: fn(
            cl_command_queue, cl_mem, *const c_void, usize, usize, usize, cl_uint,
            *const cl_event, *mut cl_event,
        ) -> cl_int;
        clEnqueueReadImage: fn(
            cl_command_queue, cl_mem, cl_bool, *const usize, *const usize, usize, usize,
            *mut c_void, cl_uint, *const cl_event, *mut cl_event,
        ) -> cl_int;
        clEnqueueWriteImage: fn(
            cl_command_queue, cl_mem, cl_bool, *const usize, *const usize, usize, usize,
            *mut c_void, cl_uint, *const cl_event, *mut cl_event,
        ) -> cl_int;
        clEnqueueCopyImage: fn(
            cl_command_queue, cl_mem, cl_mem, *const usize, *const usize, *const usize, cl_uint,
            *const cl_event, *mut cl_event,
        ) -> cl_int;
        clEnqueueMapBuffer: fn(
            cl_command_queue, cl_mem, cl_bool, cl_bitfield, usize, usize, cl_uint,
            *const cl_event, *mut cl_event, *mut cl_int,
        ) -> *mut c_void;
        clEnqueueUnmapMemObject: fn(
            cl_command_queue, cl_mem, *mut c_void, cl_uint, *const cl_event, *mut cl_event,
        ) -> cl_int;
        clEnqueueNDRangeKernel: fn(
            cl_command_queue, cl_kernel, cl_uint, *const usize, *const usize, *const usize,
            cl_uint, *const cl_event, *mut cl_event,
        ) -> cl_int;
        clEnqueueMigrateMemObjects: fn(
            cl_command_queue, cl_uint, *const cl_mem, cl_bitfield, cl_uint, *const cl_event,
            *mut cl_event,
        ) -> cl_int;
        clEnqueueMarkerWithWaitList: fn(
            cl_command_queue, cl_uint, *const cl_event, *mut cl_event,
        ) -> cl_int;
        clEnqueueBarrierWithWaitList: fn(
            cl_command_queue, cl_uint, *const cl_event, *mut cl_event,
        ) -> cl_int;
    }
    may {
        // 2.0
        clCreateCommandQueueWithProperties: fn(
            cl_context, cl_device_id, *const cl_properties64, *mut cl_int,
        ) -> cl_command_queue;
        clSVMAlloc: fn(cl_context, cl_bitfield, usize, cl_uint) -> *mut c_void;
        clSVMFree: fn(cl_context, *mut c_void) -> ();
        clEnqueueSVMMemcpy: fn(
            cl_command_queue, cl_bool, *mut c_void, *const c_void, usize, cl_uint,
            *const cl_event, *mut cl_event,
        ) -> cl_int;
        clEnqueueSVMMemFill: fn(
            cl_command_queue, *mut c_void, *const c_void, usize, usize, cl_uint, *const cl_event,
            *mut cl_event,
        ) -> cl_int;
        clEnqueueSVMMap: fn(
            cl_command_queue, cl_bool, cl_bitfield, *mut c_void, usize, cl_uint, *const cl_event,
            *mut cl_event,
        ) -> cl_int;
        clEnqueueSVMUnmap: fn(
            cl_command_queue, *mut c_void, cl_uint, *const cl_event, *mut cl_event,
        ) -> cl_int;
        clSetKernelArgSVMPointer: fn(cl_kernel, cl_uint, *const c_void) -> cl_int;
        clSetKernelExecInfo: fn(cl_kernel, cl_uint, usize, *const c_void) -> cl_int;
        // 2.1
        clCreateProgramWithIL: fn(
            cl_context, *const c_void, usize, *mut cl_int,
        ) -> cl_program;
        clCloneKernel: fn(cl_kernel, *mut cl_int) -> cl_kernel;
        clGetKernelSubGroupInfo: fn(
            cl_kernel, cl_device_id, cl_uint, usize, *const c_void, usize, *mut c_void, *mut usize,
        ) -> cl_int;
        clGetDeviceAndHostTimer: fn(cl_device_id, *mut cl_ulong, *mut cl_ulong) -> cl_int;
        clGetHostTimer: fn(cl_device_id, *mut cl_ulong) -> cl_int;
        clEnqueueSVMMigrateMem: fn(
            cl_command_queue, cl_uint, *const *const c_void, *const usize, cl_bitfield, cl_uint,
            *const cl_event, *mut cl_event,
        ) -> cl_int;
        // 2.2
        clSetProgramSpecializationConstant: fn(cl_program, cl_uint, usize, *const c_void) -> cl_int;
    }
}

impl Functions {
    /// The functions of the library, which is opened by the first call and stays open.
    ///
    /// # Errors
    /// Why the library cannot be used; the same at each call.
    pub fn get() -> Result<&'static Self, &'static str> {
        static FUNCTIONS: OnceLock<Result<Functions, String>> = OnceLock::new();
        FUNCTIONS
            .get_or_init(Self::open)
            .as_ref()
            .map_err(String::as_str)
    }

    fn open() -> Result<Self, String> {
        // SAFETY: a terminated name; what the library does on being opened is its business.
        let library = unsafe { libc::dlopen(LIBRARY.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
        if library.is_null() {
            // SAFETY: after a failure there is a text, which is copied at once, or null.
            let reason = unsafe {
                let text = libc::dlerror();
                (!text.is_null()).then(|| CStr::from_ptr(text).to_string_lossy().into_owned())
            };
            return Err(reason.unwrap_or_else(|| String::from("it cannot be opened")));
        }
        // SAFETY: opened above.
        let functions = unsafe { Self::of(library) };
        functions.map_err(|reason| format!("{}: {reason}", LIBRARY.to_string_lossy()))
    }
}
