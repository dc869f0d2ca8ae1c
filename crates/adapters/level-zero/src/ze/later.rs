//! The functions of the Level Zero loader that came after version 1.0, and those of extensions. A
//! loader may lack any of them, and a loader that has one may sit on a driver that does not.

#![allow(non_snake_case, reason = "the names of Level Zero")]

use super::structs::*;
use super::types::*;
use std::ffi::{c_char, c_void};

/// Declares the functions that may be missing, each with its type.
macro_rules! later {
    ($($name:ident: fn($($arg:ty),* $(,)?);)*) => {
        /// Functions that may be missing, by their names. All give a [`ze_result_t`]; one that is here
        /// may still say `ZE_RESULT_ERROR_UNSUPPORTED_FEATURE`.
        #[derive(Debug, Default)]
        pub struct Later {
            $(
                #[allow(missing_docs, reason = "the name says it")]
                pub $name: Option<unsafe extern "C" fn($($arg),*) -> ze_result_t>,
            )*
        }

        impl Later {
            /// Looks all of them up.
            ///
            /// # Safety
            /// `library` was opened and is Level Zero's.
            pub unsafe fn of(library: *mut c_void) -> Self {
                Self {
                    $($name: {
                        let name = concat!(stringify!($name), "\0");
                        // SAFETY: an open library and a terminated name; what is found is null or of
                        // this type.
                        unsafe {
                            std::mem::transmute::<
                                *mut c_void,
                                Option<unsafe extern "C" fn($($arg),*) -> ze_result_t>,
                            >(libc::dlsym(library, name.as_ptr().cast()))
                        }
                    },)*
                }
            }
        }
    };
}

later! {
    // 1.1 to 1.4
    zeDriverGetExtensionFunctionAddress: fn(
        ze_driver_handle_t, *const c_char, *mut *mut c_void,
    );
    zeDeviceGetGlobalTimestamps: fn(ze_device_handle_t, *mut u64, *mut u64);
    zeDevicePciGetPropertiesExt: fn(ze_device_handle_t, *mut ze_pci_ext_properties_t);
    zeDeviceReserveCacheExt: fn(ze_device_handle_t, usize, usize);
    zeDeviceSetCacheAdviceExt: fn(ze_device_handle_t, *mut c_void, usize, u32);
    zeContextCreateEx: fn(
        ze_driver_handle_t, *const ze_context_desc_t, u32, *const ze_device_handle_t,
        *mut ze_context_handle_t,
    );
    zeKernelSetGlobalOffsetExp: fn(ze_kernel_handle_t, u32, u32, u32);
    zeKernelSchedulingHintExp: fn(ze_kernel_handle_t, *const ze_scheduling_hint_exp_desc_t);
    zeEventQueryTimestampsExp: fn(
        ze_event_handle_t, ze_device_handle_t, *mut u32, *mut ze_kernel_timestamp_result_t,
    );
    zeImageGetMemoryPropertiesExp: fn(ze_image_handle_t, *mut ze_image_memory_properties_exp_t);
    zeImageGetAllocPropertiesExt: fn(
        ze_context_handle_t, ze_image_handle_t, *mut ze_image_allocation_ext_properties_t,
    );
    zeImageViewCreateExp: fn(
        ze_context_handle_t, ze_device_handle_t, *const ze_image_desc_t, ze_image_handle_t,
        *mut ze_image_handle_t,
    );
    zeCommandListAppendImageCopyToMemoryExt: fn(
        ze_command_list_handle_t, *mut c_void, ze_image_handle_t, *const ze_image_region_t, u32, u32,
        ze_event_handle_t, u32, *const ze_event_handle_t,
    );
    zeCommandListAppendImageCopyFromMemoryExt: fn(
        ze_command_list_handle_t, ze_image_handle_t, *const c_void, *const ze_image_region_t, u32,
        u32, ze_event_handle_t, u32, *const ze_event_handle_t,
    );
    zeModuleInspectLinkageExt: fn(
        *const ze_linkage_inspection_ext_desc_t, u32, *const ze_module_handle_t,
        *mut ze_module_build_log_handle_t,
    );
    zeMemFreeExt: fn(ze_context_handle_t, *const ze_memory_free_ext_desc_t, *mut c_void);

    // 1.5 to 1.8
    zeImageViewCreateExt: fn(
        ze_context_handle_t, ze_device_handle_t, *const ze_image_desc_t, ze_image_handle_t,
        *mut ze_image_handle_t,
    );
    zeDriverGetLastErrorDescription: fn(ze_driver_handle_t, *mut *const c_char);
    zeCommandListHostSynchronize: fn(ze_command_list_handle_t, u64);
    zeEventQueryKernelTimestampsExt: fn(
        ze_event_handle_t, ze_device_handle_t, *mut u32,
        *mut ze_event_query_kernel_timestamps_results_ext_properties_t,
    );
    zeMemPutIpcHandle: fn(ze_context_handle_t, ze_ipc_mem_handle_t);
    zeMemGetIpcHandleFromFileDescriptorExp: fn(
        ze_context_handle_t, u64, *mut ze_ipc_mem_handle_t,
    );
    zeMemGetFileDescriptorFromIpcHandleExp: fn(
        ze_context_handle_t, ze_ipc_mem_handle_t, *mut u64,
    );
    zeEventPoolPutIpcHandle: fn(ze_context_handle_t, ze_ipc_event_pool_handle_t);
    zeDeviceGetRootDevice: fn(ze_device_handle_t, *mut ze_device_handle_t);
    zeMemSetAtomicAccessAttributeExp: fn(
        ze_context_handle_t, ze_device_handle_t, *const c_void, usize, u32,
    );

    // 1.9
    zeCommandListGetDeviceHandle: fn(ze_command_list_handle_t, *mut ze_device_handle_t);
    zeCommandListGetContextHandle: fn(ze_command_list_handle_t, *mut ze_context_handle_t);
    zeCommandListGetOrdinal: fn(ze_command_list_handle_t, *mut u32);
    zeCommandListIsImmediate: fn(ze_command_list_handle_t, *mut ze_bool_t);
    zeCommandListImmediateGetIndex: fn(ze_command_list_handle_t, *mut u32);
    zeCommandQueueGetOrdinal: fn(ze_command_queue_handle_t, *mut u32);
    zeCommandQueueGetIndex: fn(ze_command_queue_handle_t, *mut u32);
    zeCommandListImmediateAppendCommandListsExp: fn(
        ze_command_list_handle_t, u32, *const ze_command_list_handle_t, ze_event_handle_t, u32,
        *const ze_event_handle_t,
    );
    zeCommandListGetNextCommandIdExp: fn(
        ze_command_list_handle_t, *const ze_mutable_command_id_exp_desc_t, *mut u64,
    );
    zeCommandListGetNextCommandIdWithKernelsExp: fn(
        ze_command_list_handle_t, *const ze_mutable_command_id_exp_desc_t, u32,
        *const ze_kernel_handle_t, *mut u64,
    );
    zeCommandListUpdateMutableCommandsExp: fn(
        ze_command_list_handle_t, *const ze_mutable_commands_exp_desc_t,
    );
    zeCommandListUpdateMutableCommandSignalEventExp: fn(
        ze_command_list_handle_t, u64, ze_event_handle_t,
    );
    zeCommandListUpdateMutableCommandWaitEventsExp: fn(
        ze_command_list_handle_t, u64, u32, *const ze_event_handle_t,
    );
    zeCommandListUpdateMutableCommandKernelsExp: fn(
        ze_command_list_handle_t, u32, *const u64, *const ze_kernel_handle_t,
    );
    zeEventGetEventPool: fn(ze_event_handle_t, *mut ze_event_pool_handle_t);
    zeEventPoolGetFlags: fn(ze_event_pool_handle_t, *mut u32);
    zeMemGetPitchFor2dImage: fn(
        ze_context_handle_t, ze_device_handle_t, usize, usize, u32, *mut usize,
    );
    zeImageGetDeviceOffsetExp: fn(ze_image_handle_t, *mut u64);

    // 1.10 to 1.15
    zeInitDrivers: fn(*mut u32, *mut ze_driver_handle_t, *const ze_init_driver_type_desc_t);
    zeDeviceImportExternalSemaphoreExt: fn(
        ze_device_handle_t, *const ze_external_semaphore_ext_desc_t,
        *mut ze_external_semaphore_ext_handle_t,
    );
    zeDeviceReleaseExternalSemaphoreExt: fn(ze_external_semaphore_ext_handle_t);
    zeCommandListAppendSignalExternalSemaphoreExt: fn(
        ze_command_list_handle_t, u32, *const ze_external_semaphore_ext_handle_t,
        *const ze_external_semaphore_signal_params_ext_t, ze_event_handle_t, u32,
        *const ze_event_handle_t,
    );
    zeCommandListAppendWaitExternalSemaphoreExt: fn(
        ze_command_list_handle_t, u32, *const ze_external_semaphore_ext_handle_t,
        *const ze_external_semaphore_wait_params_ext_t, ze_event_handle_t, u32,
        *const ze_event_handle_t,
    );
    zeDeviceGetVectorWidthPropertiesExt: fn(
        ze_device_handle_t, *mut u32, *mut ze_device_vector_width_properties_ext_t,
    );
    zeDeviceSynchronize: fn(ze_device_handle_t);
    zeCommandListAppendLaunchKernelWithArguments: fn(
        ze_command_list_handle_t, ze_kernel_handle_t, ze_group_count_t, ze_group_size_t,
        *const *const c_void, *const c_void, ze_event_handle_t, u32, *const ze_event_handle_t,
    );
    zeEventCounterBasedCreate: fn(
        ze_context_handle_t, ze_device_handle_t, *const ze_event_counter_based_desc_t,
        *mut ze_event_handle_t,
    );
    zeEventCounterBasedGetIpcHandle: fn(
        ze_event_handle_t, *mut ze_ipc_event_counter_based_handle_t,
    );
    zeEventCounterBasedOpenIpcHandle: fn(
        ze_context_handle_t, ze_ipc_event_counter_based_handle_t, *mut ze_event_handle_t,
    );
    zeEventCounterBasedCloseIpcHandle: fn(ze_event_handle_t);

    // The loader's own: a handle of the loader as the driver's, for functions that the driver gave.
    zelLoaderTranslateHandle: fn(u32, *mut c_void, *mut *mut c_void);
}
