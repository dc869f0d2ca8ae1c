//! The functions of the Level Zero loader that have been there since version 1.0.

#![allow(non_snake_case, reason = "the names of Level Zero")]

use super::later::Later;
use super::structs::*;
use super::types::*;
use std::ffi::{CStr, c_char, c_void};

/// The library's name; the dynamic linker finds it.
const LIBRARY: &CStr = c"libze_loader.so.1";

/// Declares the functions that must be there, each with its type.
macro_rules! functions {
    ($($name:ident: fn($($arg:ty),* $(,)?);)*) => {
        /// The functions of the library that are used, by their names. All give a [`ze_result_t`].
        #[derive(Debug)]
        pub struct Functions {
            $(
                #[allow(missing_docs, reason = "the name says it")]
                pub $name: unsafe extern "C" fn($($arg),*) -> ze_result_t,
            )*
            /// Those that came after version 1.0.
            pub later: Later,
        }

        impl Functions {
            /// Looks all of them up.
            ///
            /// # Safety
            /// `library` was opened and is Level Zero's.
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
                                unsafe extern "C" fn($($arg),*) -> ze_result_t,
                            >(address)
                        }
                    },)*
                    // SAFETY: forwarded.
                    later: unsafe { Later::of(library) },
                })
            }
        }
    };
}

functions! {
    zeInit: fn(u32);
    zeDriverGet: fn(*mut u32, *mut ze_driver_handle_t);
    zeDriverGetApiVersion: fn(ze_driver_handle_t, *mut ze_api_version_t);
    zeDriverGetProperties: fn(ze_driver_handle_t, *mut ze_driver_properties_t);
    zeDriverGetIpcProperties: fn(ze_driver_handle_t, *mut ze_driver_ipc_properties_t);
    zeDriverGetExtensionProperties: fn(
        ze_driver_handle_t, *mut u32, *mut ze_driver_extension_properties_t,
    );

    zeDeviceGet: fn(ze_driver_handle_t, *mut u32, *mut ze_device_handle_t);
    zeDeviceGetSubDevices: fn(ze_device_handle_t, *mut u32, *mut ze_device_handle_t);
    zeDeviceGetProperties: fn(ze_device_handle_t, *mut ze_device_properties_t);
    zeDeviceGetComputeProperties: fn(ze_device_handle_t, *mut ze_device_compute_properties_t);
    zeDeviceGetModuleProperties: fn(ze_device_handle_t, *mut ze_device_module_properties_t);
    zeDeviceGetCommandQueueGroupProperties: fn(
        ze_device_handle_t, *mut u32, *mut ze_command_queue_group_properties_t,
    );
    zeDeviceGetMemoryProperties: fn(
        ze_device_handle_t, *mut u32, *mut ze_device_memory_properties_t,
    );
    zeDeviceGetMemoryAccessProperties: fn(
        ze_device_handle_t, *mut ze_device_memory_access_properties_t,
    );
    zeDeviceGetCacheProperties: fn(ze_device_handle_t, *mut u32, *mut ze_device_cache_properties_t);
    zeDeviceGetImageProperties: fn(ze_device_handle_t, *mut ze_device_image_properties_t);
    zeDeviceGetExternalMemoryProperties: fn(
        ze_device_handle_t, *mut ze_device_external_memory_properties_t,
    );
    zeDeviceGetP2PProperties: fn(
        ze_device_handle_t, ze_device_handle_t, *mut ze_device_p2p_properties_t,
    );
    zeDeviceCanAccessPeer: fn(ze_device_handle_t, ze_device_handle_t, *mut ze_bool_t);
    zeDeviceGetStatus: fn(ze_device_handle_t);

    zeContextCreate: fn(ze_driver_handle_t, *const ze_context_desc_t, *mut ze_context_handle_t);
    zeContextDestroy: fn(ze_context_handle_t);
    zeContextGetStatus: fn(ze_context_handle_t);
    zeContextSystemBarrier: fn(ze_context_handle_t, ze_device_handle_t);
    zeContextMakeMemoryResident: fn(ze_context_handle_t, ze_device_handle_t, *mut c_void, usize);
    zeContextEvictMemory: fn(ze_context_handle_t, ze_device_handle_t, *mut c_void, usize);
    zeContextMakeImageResident: fn(ze_context_handle_t, ze_device_handle_t, ze_image_handle_t);
    zeContextEvictImage: fn(ze_context_handle_t, ze_device_handle_t, ze_image_handle_t);

    zeCommandQueueCreate: fn(
        ze_context_handle_t, ze_device_handle_t, *const ze_command_queue_desc_t,
        *mut ze_command_queue_handle_t,
    );
    zeCommandQueueDestroy: fn(ze_command_queue_handle_t);
    zeCommandQueueExecuteCommandLists: fn(
        ze_command_queue_handle_t, u32, *const ze_command_list_handle_t, ze_fence_handle_t,
    );
    zeCommandQueueSynchronize: fn(ze_command_queue_handle_t, u64);
    zeFenceCreate: fn(ze_command_queue_handle_t, *const ze_fence_desc_t, *mut ze_fence_handle_t);
    zeFenceDestroy: fn(ze_fence_handle_t);
    zeFenceHostSynchronize: fn(ze_fence_handle_t, u64);
    zeFenceQueryStatus: fn(ze_fence_handle_t);
    zeFenceReset: fn(ze_fence_handle_t);

    zeCommandListCreate: fn(
        ze_context_handle_t, ze_device_handle_t, *const ze_command_list_desc_t,
        *mut ze_command_list_handle_t,
    );
    zeCommandListCreateImmediate: fn(
        ze_context_handle_t, ze_device_handle_t, *const ze_command_queue_desc_t,
        *mut ze_command_list_handle_t,
    );
    zeCommandListDestroy: fn(ze_command_list_handle_t);
    zeCommandListClose: fn(ze_command_list_handle_t);
    zeCommandListReset: fn(ze_command_list_handle_t);
    zeCommandListAppendWriteGlobalTimestamp: fn(
        ze_command_list_handle_t, *mut u64, ze_event_handle_t, u32, *const ze_event_handle_t,
    );
    zeCommandListAppendBarrier: fn(
        ze_command_list_handle_t, ze_event_handle_t, u32, *const ze_event_handle_t,
    );
    zeCommandListAppendMemoryRangesBarrier: fn(
        ze_command_list_handle_t, u32, *const usize, *const *const c_void, ze_event_handle_t, u32,
        *const ze_event_handle_t,
    );
    zeCommandListAppendMemoryCopy: fn(
        ze_command_list_handle_t, *mut c_void, *const c_void, usize, ze_event_handle_t, u32,
        *const ze_event_handle_t,
    );
    zeCommandListAppendMemoryFill: fn(
        ze_command_list_handle_t, *mut c_void, *const c_void, usize, usize, ze_event_handle_t, u32,
        *const ze_event_handle_t,
    );
    zeCommandListAppendMemoryCopyRegion: fn(
        ze_command_list_handle_t, *mut c_void, *const ze_copy_region_t, u32, u32, *const c_void,
        *const ze_copy_region_t, u32, u32, ze_event_handle_t, u32, *const ze_event_handle_t,
    );
    zeCommandListAppendMemoryCopyFromContext: fn(
        ze_command_list_handle_t, *mut c_void, ze_context_handle_t, *const c_void, usize,
        ze_event_handle_t, u32, *const ze_event_handle_t,
    );
    zeCommandListAppendImageCopy: fn(
        ze_command_list_handle_t, ze_image_handle_t, ze_image_handle_t, ze_event_handle_t, u32,
        *const ze_event_handle_t,
    );
    zeCommandListAppendImageCopyRegion: fn(
        ze_command_list_handle_t, ze_image_handle_t, ze_image_handle_t, *const ze_image_region_t,
        *const ze_image_region_t, ze_event_handle_t, u32, *const ze_event_handle_t,
    );
    zeCommandListAppendImageCopyToMemory: fn(
        ze_command_list_handle_t, *mut c_void, ze_image_handle_t, *const ze_image_region_t,
        ze_event_handle_t, u32, *const ze_event_handle_t,
    );
    zeCommandListAppendImageCopyFromMemory: fn(
        ze_command_list_handle_t, ze_image_handle_t, *const c_void, *const ze_image_region_t,
        ze_event_handle_t, u32, *const ze_event_handle_t,
    );
    zeCommandListAppendMemoryPrefetch: fn(ze_command_list_handle_t, *const c_void, usize);
    zeCommandListAppendMemAdvise: fn(
        ze_command_list_handle_t, ze_device_handle_t, *const c_void, usize, u32,
    );
    zeCommandListAppendSignalEvent: fn(ze_command_list_handle_t, ze_event_handle_t);
    zeCommandListAppendWaitOnEvents: fn(
        ze_command_list_handle_t, u32, *const ze_event_handle_t,
    );
    zeCommandListAppendEventReset: fn(ze_command_list_handle_t, ze_event_handle_t);
    zeCommandListAppendQueryKernelTimestamps: fn(
        ze_command_list_handle_t, u32, *const ze_event_handle_t, *mut c_void, *const usize,
        ze_event_handle_t, u32, *const ze_event_handle_t,
    );
    zeCommandListAppendLaunchKernel: fn(
        ze_command_list_handle_t, ze_kernel_handle_t, *const ze_group_count_t, ze_event_handle_t,
        u32, *const ze_event_handle_t,
    );
    zeCommandListAppendLaunchCooperativeKernel: fn(
        ze_command_list_handle_t, ze_kernel_handle_t, *const ze_group_count_t, ze_event_handle_t,
        u32, *const ze_event_handle_t,
    );
    zeCommandListAppendLaunchKernelIndirect: fn(
        ze_command_list_handle_t, ze_kernel_handle_t, *const ze_group_count_t, ze_event_handle_t,
        u32, *const ze_event_handle_t,
    );
    zeCommandListAppendLaunchMultipleKernelsIndirect: fn(
        ze_command_list_handle_t, u32, *const ze_kernel_handle_t, *const u32,
        *const ze_group_count_t, ze_event_handle_t, u32, *const ze_event_handle_t,
    );

    zeEventPoolCreate: fn(
        ze_context_handle_t, *const ze_event_pool_desc_t, u32, *const ze_device_handle_t,
        *mut ze_event_pool_handle_t,
    );
    zeEventPoolDestroy: fn(ze_event_pool_handle_t);
    zeEventPoolGetIpcHandle: fn(ze_event_pool_handle_t, *mut ze_ipc_event_pool_handle_t);
    zeEventPoolOpenIpcHandle: fn(
        ze_context_handle_t, ze_ipc_event_pool_handle_t, *mut ze_event_pool_handle_t,
    );
    zeEventPoolCloseIpcHandle: fn(ze_event_pool_handle_t);
    zeEventCreate: fn(ze_event_pool_handle_t, *const ze_event_desc_t, *mut ze_event_handle_t);
    zeEventDestroy: fn(ze_event_handle_t);
    zeEventHostSignal: fn(ze_event_handle_t);
    zeEventHostSynchronize: fn(ze_event_handle_t, u64);
    zeEventHostReset: fn(ze_event_handle_t);
    zeEventQueryStatus: fn(ze_event_handle_t);
    zeEventQueryKernelTimestamp: fn(ze_event_handle_t, *mut ze_kernel_timestamp_result_t);

    zeImageGetProperties: fn(
        ze_device_handle_t, *const ze_image_desc_t, *mut ze_image_properties_t,
    );
    zeImageCreate: fn(
        ze_context_handle_t, ze_device_handle_t, *const ze_image_desc_t, *mut ze_image_handle_t,
    );
    zeImageDestroy: fn(ze_image_handle_t);
    zeSamplerCreate: fn(
        ze_context_handle_t, ze_device_handle_t, *const ze_sampler_desc_t,
        *mut ze_sampler_handle_t,
    );
    zeSamplerDestroy: fn(ze_sampler_handle_t);

    zeMemAllocShared: fn(
        ze_context_handle_t, *const ze_device_mem_alloc_desc_t, *const ze_host_mem_alloc_desc_t,
        usize, usize, ze_device_handle_t, *mut *mut c_void,
    );
    zeMemAllocDevice: fn(
        ze_context_handle_t, *const ze_device_mem_alloc_desc_t, usize, usize, ze_device_handle_t,
        *mut *mut c_void,
    );
    zeMemAllocHost: fn(
        ze_context_handle_t, *const ze_host_mem_alloc_desc_t, usize, usize, *mut *mut c_void,
    );
    zeMemFree: fn(ze_context_handle_t, *mut c_void);
    zeMemGetAllocProperties: fn(
        ze_context_handle_t, *const c_void, *mut ze_memory_allocation_properties_t,
        *mut ze_device_handle_t,
    );
    zeMemGetAddressRange: fn(ze_context_handle_t, *const c_void, *mut *mut c_void, *mut usize);
    zeMemGetIpcHandle: fn(ze_context_handle_t, *const c_void, *mut ze_ipc_mem_handle_t);
    zeMemOpenIpcHandle: fn(
        ze_context_handle_t, ze_device_handle_t, ze_ipc_mem_handle_t, u32, *mut *mut c_void,
    );
    zeMemCloseIpcHandle: fn(ze_context_handle_t, *const c_void);
    zeVirtualMemReserve: fn(ze_context_handle_t, *const c_void, usize, *mut *mut c_void);
    zeVirtualMemFree: fn(ze_context_handle_t, *const c_void, usize);
    zeVirtualMemQueryPageSize: fn(ze_context_handle_t, ze_device_handle_t, usize, *mut usize);
    zeVirtualMemMap: fn(
        ze_context_handle_t, *const c_void, usize, ze_physical_mem_handle_t, usize, u32,
    );
    zeVirtualMemUnmap: fn(ze_context_handle_t, *const c_void, usize);
    zeVirtualMemSetAccessAttribute: fn(ze_context_handle_t, *const c_void, usize, u32);
    zeVirtualMemGetAccessAttribute: fn(
        ze_context_handle_t, *const c_void, usize, *mut u32, *mut usize,
    );
    zePhysicalMemCreate: fn(
        ze_context_handle_t, ze_device_handle_t, *const ze_physical_mem_desc_t,
        *mut ze_physical_mem_handle_t,
    );
    zePhysicalMemDestroy: fn(ze_context_handle_t, ze_physical_mem_handle_t);

    zeModuleCreate: fn(
        ze_context_handle_t, ze_device_handle_t, *const ze_module_desc_t, *mut ze_module_handle_t,
        *mut ze_module_build_log_handle_t,
    );
    zeModuleDestroy: fn(ze_module_handle_t);
    zeModuleDynamicLink: fn(
        u32, *const ze_module_handle_t, *mut ze_module_build_log_handle_t,
    );
    zeModuleBuildLogDestroy: fn(ze_module_build_log_handle_t);
    zeModuleBuildLogGetString: fn(ze_module_build_log_handle_t, *mut usize, *mut c_char);
    zeModuleGetNativeBinary: fn(ze_module_handle_t, *mut usize, *mut u8);
    zeModuleGetGlobalPointer: fn(
        ze_module_handle_t, *const c_char, *mut usize, *mut *mut c_void,
    );
    zeModuleGetKernelNames: fn(ze_module_handle_t, *mut u32, *mut *const c_char);
    zeModuleGetProperties: fn(ze_module_handle_t, *mut ze_module_properties_t);
    zeModuleGetFunctionPointer: fn(ze_module_handle_t, *const c_char, *mut *mut c_void);
    zeKernelCreate: fn(ze_module_handle_t, *const ze_kernel_desc_t, *mut ze_kernel_handle_t);
    zeKernelDestroy: fn(ze_kernel_handle_t);
    zeKernelSetGroupSize: fn(ze_kernel_handle_t, u32, u32, u32);
    zeKernelSuggestGroupSize: fn(
        ze_kernel_handle_t, u32, u32, u32, *mut u32, *mut u32, *mut u32,
    );
    zeKernelSuggestMaxCooperativeGroupCount: fn(ze_kernel_handle_t, *mut u32);
    zeKernelSetArgumentValue: fn(ze_kernel_handle_t, u32, usize, *const c_void);
    zeKernelSetIndirectAccess: fn(ze_kernel_handle_t, u32);
    zeKernelGetIndirectAccess: fn(ze_kernel_handle_t, *mut u32);
    zeKernelGetSourceAttributes: fn(ze_kernel_handle_t, *mut u32, *mut *mut c_char);
    zeKernelSetCacheConfig: fn(ze_kernel_handle_t, u32);
    zeKernelGetProperties: fn(ze_kernel_handle_t, *mut ze_kernel_properties_t);
    zeKernelGetName: fn(ze_kernel_handle_t, *mut usize, *mut c_char);
}

impl Functions {
    /// Opens the library, for good, and looks its functions up.
    ///
    /// # Errors
    /// A sentence that says why there is no library of Level Zero.
    pub fn open() -> Result<Self, String> {
        // SAFETY: a terminated name. Level Zero's loader does nothing when loaded that could harm.
        let library = unsafe { libc::dlopen(LIBRARY.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
        if library.is_null() {
            // SAFETY: what the linker says of the failure, valid until its next call here.
            let said = unsafe { libc::dlerror() };
            if said.is_null() {
                return Err(format!("{} is not found", LIBRARY.to_string_lossy()));
            }
            // SAFETY: not null, hence a terminated text.
            return Err(unsafe { CStr::from_ptr(said) }
                .to_string_lossy()
                .into_owned());
        }
        // SAFETY: opened above and never closed.
        unsafe { Self::of(library) }
            .map_err(|reason| format!("{}: {reason}", LIBRARY.to_string_lossy()))
    }
}
