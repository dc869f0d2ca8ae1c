//! Allocations, memory of other interfaces, physical memory.

use super::*;

structures! {
    desc ze_device_mem_alloc_desc_t: ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC {
        flags: u32,
        ordinal: u32,
    }
    desc ze_host_mem_alloc_desc_t: ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC {
        flags: u32,
    }
    /// Behind an allocation's description: it may be larger than `maxMemAllocSize`.
    desc ze_relaxed_allocation_limits_exp_desc_t:
    ZE_STRUCTURE_TYPE_RELAXED_ALLOCATION_LIMITS_EXP_DESC {
        flags: u32,
    }
    /// Behind an allocation's or an image's description.
    desc ze_memory_compression_hints_ext_desc_t: ZE_STRUCTURE_TYPE_MEMORY_COMPRESSION_HINTS_EXT_DESC {
        flags: u32,
    }
    properties ze_memory_allocation_properties_t: ZE_STRUCTURE_TYPE_MEMORY_ALLOCATION_PROPERTIES {
        type_: u32,
        id: u64,
        pageSize: u64,
    }
    desc ze_memory_free_ext_desc_t: ZE_STRUCTURE_TYPE_MEMORY_FREE_EXT_DESC {
        freePolicy: u32,
    }
    /// Behind `ze_driver_properties_t`.
    properties ze_driver_memory_free_ext_properties_t:
    ZE_STRUCTURE_TYPE_DRIVER_MEMORY_FREE_EXT_PROPERTIES {
        freePolicies: u32,
    }
    /// Behind an allocation's or an image's description.
    desc ze_external_memory_export_desc_t: ZE_STRUCTURE_TYPE_EXTERNAL_MEMORY_EXPORT_DESC {
        flags: u32,
    }
    /// Behind an allocation's or an image's description.
    desc ze_external_memory_import_fd_t: ZE_STRUCTURE_TYPE_EXTERNAL_MEMORY_IMPORT_FD {
        flags: u32,
        fd: i32,
    }
    /// Behind `ze_memory_allocation_properties_t`.
    properties ze_external_memory_export_fd_t: ZE_STRUCTURE_TYPE_EXTERNAL_MEMORY_EXPORT_FD {
        flags: u32,
        fd: i32,
    }
    desc ze_physical_mem_desc_t: ZE_STRUCTURE_TYPE_PHYSICAL_MEM_DESC {
        flags: u32,
        size: usize,
    }
    /// (1.12)
    desc ze_external_semaphore_ext_desc_t: ZE_STRUCTURE_TYPE_EXTERNAL_SEMAPHORE_EXT_DESC {
        flags: u32,
    }
    /// Behind `ze_external_semaphore_ext_desc_t`.
    desc ze_external_semaphore_fd_ext_desc_t: ZE_STRUCTURE_TYPE_EXTERNAL_SEMAPHORE_FD_EXT_DESC {
        fd: i32,
    }
    desc ze_external_semaphore_signal_params_ext_t:
    ZE_STRUCTURE_TYPE_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_EXT {
        value: u64,
    }
    desc ze_external_semaphore_wait_params_ext_t:
    ZE_STRUCTURE_TYPE_EXTERNAL_SEMAPHORE_WAIT_PARAMS_EXT {
        value: u64,
    }
}
