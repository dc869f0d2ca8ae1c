//! Level Zero's numbers.

#![allow(missing_docs, reason = "the names of Level Zero say it")]

use super::types::*;

#[path = "constants/flags.rs"]
mod flags;
#[path = "constants/structure.rs"]
mod structure;

pub use flags::*;
pub use structure::*;

// Results.
pub const ZE_RESULT_SUCCESS: ze_result_t = 0;
pub const ZE_RESULT_NOT_READY: ze_result_t = 1;
pub const ZE_RESULT_ERROR_DEVICE_LOST: ze_result_t = 0x7000_0001;
pub const ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY: ze_result_t = 0x7000_0002;
pub const ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY: ze_result_t = 0x7000_0003;
pub const ZE_RESULT_ERROR_MODULE_BUILD_FAILURE: ze_result_t = 0x7000_0004;
pub const ZE_RESULT_ERROR_MODULE_LINK_FAILURE: ze_result_t = 0x7000_0005;
pub const ZE_RESULT_ERROR_DEVICE_REQUIRES_RESET: ze_result_t = 0x7000_0006;
pub const ZE_RESULT_ERROR_DEVICE_IN_LOW_POWER_STATE: ze_result_t = 0x7000_0007;
pub const ZE_RESULT_EXP_ERROR_REMOTE_DEVICE: ze_result_t = 0x7ff0_0003;
pub const ZE_RESULT_ERROR_INSUFFICIENT_PERMISSIONS: ze_result_t = 0x7001_0000;
pub const ZE_RESULT_ERROR_NOT_AVAILABLE: ze_result_t = 0x7001_0001;
pub const ZE_RESULT_ERROR_DEPENDENCY_UNAVAILABLE: ze_result_t = 0x7002_0000;
pub const ZE_RESULT_WARNING_DROPPED_DATA: ze_result_t = 0x7002_0001;
pub const ZE_RESULT_ERROR_UNINITIALIZED: ze_result_t = 0x7800_0001;
pub const ZE_RESULT_ERROR_UNSUPPORTED_VERSION: ze_result_t = 0x7800_0002;
pub const ZE_RESULT_ERROR_UNSUPPORTED_FEATURE: ze_result_t = 0x7800_0003;
pub const ZE_RESULT_ERROR_INVALID_ARGUMENT: ze_result_t = 0x7800_0004;
pub const ZE_RESULT_ERROR_INVALID_NULL_HANDLE: ze_result_t = 0x7800_0005;
pub const ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE: ze_result_t = 0x7800_0006;
pub const ZE_RESULT_ERROR_INVALID_NULL_POINTER: ze_result_t = 0x7800_0007;
pub const ZE_RESULT_ERROR_INVALID_SIZE: ze_result_t = 0x7800_0008;
pub const ZE_RESULT_ERROR_UNSUPPORTED_SIZE: ze_result_t = 0x7800_0009;
pub const ZE_RESULT_ERROR_UNSUPPORTED_ALIGNMENT: ze_result_t = 0x7800_000a;
pub const ZE_RESULT_ERROR_INVALID_SYNCHRONIZATION_OBJECT: ze_result_t = 0x7800_000b;
pub const ZE_RESULT_ERROR_INVALID_ENUMERATION: ze_result_t = 0x7800_000c;
pub const ZE_RESULT_ERROR_UNSUPPORTED_ENUMERATION: ze_result_t = 0x7800_000d;
pub const ZE_RESULT_ERROR_UNSUPPORTED_IMAGE_FORMAT: ze_result_t = 0x7800_000e;
pub const ZE_RESULT_ERROR_INVALID_NATIVE_BINARY: ze_result_t = 0x7800_000f;
pub const ZE_RESULT_ERROR_INVALID_GLOBAL_NAME: ze_result_t = 0x7800_0010;
pub const ZE_RESULT_ERROR_INVALID_KERNEL_NAME: ze_result_t = 0x7800_0011;
pub const ZE_RESULT_ERROR_INVALID_FUNCTION_NAME: ze_result_t = 0x7800_0012;
pub const ZE_RESULT_ERROR_INVALID_GROUP_SIZE_DIMENSION: ze_result_t = 0x7800_0013;
pub const ZE_RESULT_ERROR_INVALID_GLOBAL_WIDTH_DIMENSION: ze_result_t = 0x7800_0014;
pub const ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_INDEX: ze_result_t = 0x7800_0015;
pub const ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE: ze_result_t = 0x7800_0016;
pub const ZE_RESULT_ERROR_INVALID_KERNEL_ATTRIBUTE_VALUE: ze_result_t = 0x7800_0017;
pub const ZE_RESULT_ERROR_INVALID_MODULE_UNLINKED: ze_result_t = 0x7800_0018;
pub const ZE_RESULT_ERROR_INVALID_COMMAND_LIST_TYPE: ze_result_t = 0x7800_0019;
pub const ZE_RESULT_ERROR_OVERLAPPING_REGIONS: ze_result_t = 0x7800_001a;
pub const ZE_RESULT_WARNING_ACTION_REQUIRED: ze_result_t = 0x7800_001b;
pub const ZE_RESULT_ERROR_INVALID_KERNEL_HANDLE: ze_result_t = 0x7800_001c;
pub const ZE_RESULT_ERROR_UNKNOWN: ze_result_t = 0x7fff_fffe;

// Names of extensions of drivers.
pub const ZE_MODULE_PROGRAM_EXP_NAME: &str = "ZE_experimental_module_program";
pub const ZE_FLOAT_ATOMICS_EXT_NAME: &str = "ZE_extension_float_atomics";
pub const ZE_GLOBAL_OFFSET_EXP_NAME: &str = "ZE_experimental_global_offset";
pub const ZE_RELAXED_ALLOCATION_LIMITS_EXP_NAME: &str = "ZE_experimental_relaxed_allocation_limits";
pub const ZE_PCI_PROPERTIES_EXT_NAME: &str = "ZE_extension_pci_properties";
pub const ZE_SRGB_EXT_NAME: &str = "ZE_extension_srgb";
pub const ZE_IMAGE_COPY_EXT_NAME: &str = "ZE_extension_image_copy";
pub const ZE_IMAGE_VIEW_EXT_NAME: &str = "ZE_extension_image_view";
pub const ZE_LINKONCE_ODR_EXT_NAME: &str = "ZE_extension_linkonce_odr";
pub const ZE_SUBGROUPS_EXT_NAME: &str = "ZE_extension_subgroups";
pub const ZE_EU_COUNT_EXT_NAME: &str = "ZE_extension_eu_count";
pub const ZE_MEMORY_FREE_POLICIES_EXT_NAME: &str = "ZE_extension_memory_free_policies";
pub const ZE_DEVICE_LUID_EXT_NAME: &str = "ZE_extension_device_luid";
pub const ZE_DEVICE_MEMORY_PROPERTIES_EXT_NAME: &str = "ZE_extension_device_memory_properties";
pub const ZE_DEVICE_IP_VERSION_EXT_NAME: &str = "ZE_extension_device_ip_version";
pub const ZE_BFLOAT16_CONVERSIONS_EXT_NAME: &str = "ZE_extension_bfloat16_conversions";
pub const ZE_KERNEL_MAX_GROUP_SIZE_EXT_NAME: &str = "ZE_extension_kernel_max_group_size_properties";
pub const ZE_EVENT_QUERY_KERNEL_TIMESTAMPS_EXT_NAME: &str =
    "ZE_extension_event_query_kernel_timestamps";
pub const ZE_EVENT_POOL_COUNTER_BASED_EXP_NAME: &str = "ZE_experimental_event_pool_counter_based";
pub const ZE_MUTABLE_COMMAND_LIST_EXP_NAME: &str = "ZE_experimental_mutable_command_list";
pub const ZE_IMMEDIATE_COMMAND_LIST_APPEND_EXP_NAME: &str =
    "ZE_experimental_immediate_command_list_append";
pub const ZE_BINDLESS_IMAGE_EXP_NAME: &str = "ZE_experimental_bindless_image";
pub const ZE_EXTERNAL_SEMAPHORES_EXTENSION_NAME: &str = "ZE_extension_external_semaphores";
