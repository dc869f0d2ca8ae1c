//! How the OpenCL library reaches the driver: its entry points, the dispatch tables, and the functions
//! of extensions. The order of the table is that of `cl_khr_icd`.

use crate::call::{call, code, world};
use crate::cl::*;
use crate::command_buffer::*;
use crate::settings::MOST;
use crate::{context::*, device::*, enqueue::*, event::*, kernel::*, memory::*, platform::*};
use crate::{program::*, queue::*, sampler::*, usm::*};
use std::ffi::{CStr, c_char, c_void};
use std::sync::OnceLock;

/// An address in a table.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub struct Address(*const c_void);

// SAFETY: addresses of functions.
unsafe impl Send for Address {}
// SAFETY: as above.
unsafe impl Sync for Address {}

/// Hands the driver's functions to a macro: of the core, of later versions, of nothing that the adapter
/// calls, and of extensions.
macro_rules! functions {
    ($then:ident) => {
        $then! {
            core {
                clGetPlatformInfo clGetDeviceIDs clGetDeviceInfo clCreateSubDevices clRetainDevice
                clReleaseDevice clCreateContext clGetContextInfo clRetainContext clReleaseContext
                clCreateCommandQueue clGetCommandQueueInfo clRetainCommandQueue
                clReleaseCommandQueue clFlush clFinish clCreateBuffer clCreateSubBuffer clCreateImage
                clGetMemObjectInfo clGetImageInfo clRetainMemObject clReleaseMemObject
                clCreateSampler clGetSamplerInfo clRetainSampler clReleaseSampler
                clCreateProgramWithBinary clBuildProgram clCompileProgram clLinkProgram
                clGetProgramInfo clGetProgramBuildInfo clRetainProgram clReleaseProgram
                clCreateKernel clSetKernelArg clGetKernelInfo clGetKernelArgInfo
                clGetKernelWorkGroupInfo clRetainKernel clReleaseKernel clWaitForEvents
                clGetEventInfo clGetEventProfilingInfo clSetEventCallback clCreateUserEvent
                clSetUserEventStatus clRetainEvent clReleaseEvent clEnqueueReadBuffer
                clEnqueueWriteBuffer clEnqueueReadBufferRect clEnqueueWriteBufferRect
                clEnqueueCopyBuffer clEnqueueCopyBufferRect clEnqueueFillBuffer clEnqueueReadImage
                clEnqueueWriteImage clEnqueueCopyImage clEnqueueMapBuffer clEnqueueUnmapMemObject
                clEnqueueNDRangeKernel clEnqueueMigrateMemObjects clEnqueueMarkerWithWaitList
                clEnqueueBarrierWithWaitList
                clGetExtensionFunctionAddressForPlatform
            }
            later {
                clCreateCommandQueueWithProperties clSVMAlloc clSVMFree clEnqueueSVMMemcpy
                clEnqueueSVMMemFill clSetKernelArgSVMPointer clSetKernelExecInfo
                clCreateProgramWithIL clCloneKernel clGetKernelSubGroupInfo clGetDeviceAndHostTimer
                clGetHostTimer clSetProgramSpecializationConstant
            }
            other { clCreateProgramWithSource }
            extension {
                clCreateCommandQueueWithPropertiesKHR: "cl_khr_create_command_queue",
                clCreateProgramWithILKHR: "cl_khr_il_program",
                clGetKernelSubGroupInfoKHR: "cl_khr_subgroups",
                clGetKernelSuggestedLocalWorkSizeKHR: "cl_khr_suggested_local_work_size",
                clHostMemAllocINTEL: "cl_intel_unified_shared_memory",
                clDeviceMemAllocINTEL: "cl_intel_unified_shared_memory",
                clSharedMemAllocINTEL: "cl_intel_unified_shared_memory",
                clMemFreeINTEL: "cl_intel_unified_shared_memory",
                clMemBlockingFreeINTEL: "cl_intel_unified_shared_memory",
                clGetMemAllocInfoINTEL: "cl_intel_unified_shared_memory",
                clSetKernelArgMemPointerINTEL: "cl_intel_unified_shared_memory",
                clEnqueueMemFillINTEL: "cl_intel_unified_shared_memory",
                clEnqueueMemcpyINTEL: "cl_intel_unified_shared_memory",
                clCreateCommandBufferKHR: "cl_khr_command_buffer",
                clReleaseCommandBufferKHR: "cl_khr_command_buffer",
                clFinalizeCommandBufferKHR: "cl_khr_command_buffer",
                clEnqueueCommandBufferKHR: "cl_khr_command_buffer",
                clCommandBarrierWithWaitListKHR: "cl_khr_command_buffer",
                clCommandCopyBufferKHR: "cl_khr_command_buffer",
                clCommandCopyBufferRectKHR: "cl_khr_command_buffer",
                clCommandFillBufferKHR: "cl_khr_command_buffer",
                clCommandNDRangeKernelKHR: "cl_khr_command_buffer",
                clCommandSVMMemcpyKHR: "cl_khr_command_buffer",
                clCommandSVMMemFillKHR: "cl_khr_command_buffer",
                clUpdateMutableCommandsKHR: "cl_khr_command_buffer_mutable_dispatch",
            }
        }
    };
}

macro_rules! lookups {
    (
        core { $($core:ident)* } later { $($later:ident)* } other { $($other:ident)* }
        extension { $($extension:ident: $of:literal,)* }
    ) => {
        /// The driver's function of a name, if it has one.
        fn function(name: &str) -> Option<*const c_void> {
            $(if name == stringify!($core) { return Some($core as *const c_void); })*
            $(if name == stringify!($later) { return Some($later as *const c_void); })*
            $(if name == stringify!($other) { return Some($other as *const c_void); })*
            None
        }

        /// A platform's function of a name, and the extension that it is of.
        fn extension<const P: usize>(name: &str) -> Option<(*const c_void, &'static str)> {
            $(if name == stringify!($extension) {
                return Some(($extension::<P> as *const c_void, $of));
            })*
            None
        }
    };
}

functions!(lookups);

/// The table's slots in their order: the version that they came with, and their names. What no caller
/// needs here (graphics, and what 1.2 replaced) is only a `-`.
const SLOTS: &[((u32, u32), &str)] = &[
    (
        (1, 0),
        "clGetPlatformIDs clGetPlatformInfo clGetDeviceIDs clGetDeviceInfo clCreateContext - \
         clRetainContext clReleaseContext clGetContextInfo clCreateCommandQueue \
         clRetainCommandQueue clReleaseCommandQueue clGetCommandQueueInfo - clCreateBuffer - - \
         clRetainMemObject clReleaseMemObject - clGetMemObjectInfo clGetImageInfo clCreateSampler \
         clRetainSampler clReleaseSampler clGetSamplerInfo clCreateProgramWithSource \
         clCreateProgramWithBinary clRetainProgram clReleaseProgram clBuildProgram - \
         clGetProgramInfo clGetProgramBuildInfo clCreateKernel - clRetainKernel clReleaseKernel \
         clSetKernelArg clGetKernelInfo clGetKernelWorkGroupInfo clWaitForEvents clGetEventInfo \
         clRetainEvent clReleaseEvent clGetEventProfilingInfo clFlush clFinish \
         clEnqueueReadBuffer clEnqueueWriteBuffer clEnqueueCopyBuffer clEnqueueReadImage \
         clEnqueueWriteImage clEnqueueCopyImage - - clEnqueueMapBuffer - clEnqueueUnmapMemObject \
         clEnqueueNDRangeKernel - - - - - clGetExtensionFunctionAddress",
    ),
    // OpenGL and Direct3D 10.
    ((1, 0), "- - - - - - - - - - - - - - -"),
    (
        (1, 1),
        "clSetEventCallback clCreateSubBuffer - clCreateUserEvent clSetUserEventStatus \
         clEnqueueReadBufferRect clEnqueueWriteBufferRect clEnqueueCopyBufferRect",
    ),
    // Extensions for parts of devices and for OpenGL.
    ((1, 1), "- - - -"),
    (
        (1, 2),
        "clCreateSubDevices clRetainDevice clReleaseDevice clCreateImage - clCompileProgram \
         clLinkProgram - clGetKernelArgInfo clEnqueueFillBuffer - clEnqueueMigrateMemObjects \
         clEnqueueMarkerWithWaitList clEnqueueBarrierWithWaitList clGetExtensionFunctionAddressForPlatform -",
    ),
    // Direct3D 11, DirectX 9 and EGL.
    ((1, 2), "- - - - - - - - - - - - - -"),
    (
        (2, 0),
        "clCreateCommandQueueWithProperties - - clSVMAlloc clSVMFree - clEnqueueSVMMemcpy \
         clEnqueueSVMMemFill - - - clSetKernelArgSVMPointer clSetKernelExecInfo -",
    ),
    (
        (2, 1),
        "clCloneKernel clCreateProgramWithIL - clGetDeviceAndHostTimer clGetHostTimer \
         clGetKernelSubGroupInfo -",
    ),
    ((2, 2), "- clSetProgramSpecializationConstant"),
    ((3, 0), "- - -"),
];

/// What stands in a table for functions that a platform does not have, some of which are in later
/// versions only. A caller should have looked at the version.
unsafe extern "C" fn missing() -> usize {
    world().fault("a function was called that the platform does not have".to_owned());
    0
}

static TABLES: [OnceLock<Box<[Address]>>; MOST] = [const { OnceLock::new() }; MOST];

/// The table of a platform, which [`make_table`] has made; null for any other.
pub fn table(platform: usize) -> *const Address {
    let table = TABLES.get(platform).and_then(OnceLock::get);
    table.map_or(std::ptr::null(), |table| table.as_ptr())
}

/// Makes the table of a platform of this version.
pub fn make_table(platform: usize, version: (u32, u32)) {
    let slots = SLOTS
        .iter()
        .flat_map(|(since, names)| names.split_whitespace().map(|name| (*since, name)));
    TABLES[platform].get_or_init(|| {
        slots
            .map(|(since, name)| match function(name) {
                Some(address) if since <= version => Address(address),
                _ => Address(missing as *const c_void),
            })
            .collect()
    });
}

/// The platforms, as the OpenCL library asks for them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clIcdGetPlatformIDsKHR(
    count: cl_uint,
    platforms: *mut cl_platform_id,
    told: *mut cl_uint,
) -> cl_int {
    code(call("clIcdGetPlatformIDsKHR", |world| {
        if world.platforms.is_empty() {
            return Err(CL_PLATFORM_NOT_FOUND_KHR);
        }
        for (place, handle) in world.platforms.iter().enumerate() {
            if !platforms.is_null() && place < count as usize {
                // SAFETY: the caller has room for `count` handles.
                unsafe {
                    platforms
                        .add(place)
                        .write(cl_platform_id::from_native(*handle))
                };
            }
        }
        if !told.is_null() {
            // SAFETY: the caller has room for a count.
            unsafe { told.write(world.platforms.len() as cl_uint) };
        }
        Ok(())
    }))
}

/// The functions that the OpenCL library needs of a driver before it has a platform.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clGetExtensionFunctionAddress(name: *const c_char) -> *mut c_void {
    // SAFETY: the caller passes a terminated text.
    let name = unsafe { CStr::from_ptr(name) };
    let address = match name.to_bytes() {
        b"clIcdGetPlatformIDsKHR" => clIcdGetPlatformIDsKHR as *const c_void,
        b"clGetPlatformInfo" => clGetPlatformInfo as *const c_void,
        _ => std::ptr::null(),
    };
    address.cast_mut()
}

/// A platform's function of an extension that it has.
pub unsafe extern "C" fn clGetExtensionFunctionAddressForPlatform(
    platform: cl_platform_id,
    name: *const c_char,
) -> *mut c_void {
    // SAFETY: the caller passes a terminated text.
    let name = unsafe { CStr::from_ptr(name) }.to_string_lossy();
    let found = call("clGetExtensionFunctionAddressForPlatform", |world| {
        let handle = platform.to_native();
        let found = match world.platform(handle)?.index {
            0 => extension::<0>(&name),
            1 => extension::<1>(&name),
            2 => extension::<2>(&name),
            _ => extension::<3>(&name),
        };
        let (address, of) = found.ok_or(CL_INVALID_VALUE)?;
        let has = world.platform(handle)?.settings.has(of);
        Ok(if has { address as usize } else { 0 })
    });
    found.unwrap_or(0) as *mut c_void
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cl::extensions::Extensions;
    use crate::cl::functions::Functions;

    macro_rules! same_types {
        (
            core { $($core:ident)* } later { $($later:ident)* } other { $($other:ident)* }
            extension { $($extension:ident: $of:literal,)* }
        ) => {
            /// Compiles only if the driver's functions have the types that the adapter declares.
            fn fill(functions: &mut Functions, extensions: &mut Extensions) {
                $(functions.$core = $core;)*
                $(functions.$later = Some($later);)*
                $(extensions.$extension = Some($extension::<0>);)*
            }
        };
    }

    functions!(same_types);

    #[test]
    fn tables_have_the_functions_of_their_version() {
        let _ = fill;
        let names = || SLOTS.iter().flat_map(|(_, names)| names.split_whitespace());
        let named = |name: &&str| *name != "-" && *name != "clGetPlatformIDs";
        for name in names().filter(named) {
            // Both are the library's, or asked for by name.
            let own = name == "clGetExtensionFunctionAddress";
            assert!(own || function(name).is_some(), "{name}");
        }
        make_table(0, (1, 2));
        make_table(1, (3, 0));
        // Numbers of slots by `cl_khr_icd`.
        let at = |name: &str| names().position(|other| other == name);
        assert_eq!(at("clGetExtensionFunctionAddress"), Some(65));
        assert_eq!(at("clSetEventCallback"), Some(81));
        assert_eq!(at("clCreateSubDevices"), Some(93));
        assert_eq!(at("clCreateCommandQueueWithProperties"), Some(123));
        assert_eq!(at("clSetProgramSpecializationConstant"), Some(145));
        let (old, new) = (TABLES[0].get().unwrap(), TABLES[1].get().unwrap());
        assert_eq!((old.len(), new.len()), (149, 149));
        assert_eq!(old[134].0, missing as *const c_void);
        assert_eq!(new[134].0, clSetKernelArgSVMPointer as *const c_void);
        assert_eq!(old[93].0, new[93].0);
    }
}
