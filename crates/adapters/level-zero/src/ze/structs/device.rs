//! What a device says of itself.

use super::*;

structures! {
    properties ze_device_properties_t: ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES {
        type_: u32,
        vendorId: u32,
        deviceId: u32,
        flags: u32,
        subdeviceId: u32,
        /// In MHz.
        coreClockRate: u32,
        /// In bytes.
        maxMemAllocSize: u64,
        maxHardwareContexts: u32,
        maxCommandQueuePriority: u32,
        numThreadsPerEU: u32,
        physicalEUSimdWidth: u32,
        numEUsPerSubslice: u32,
        numSubslicesPerSlice: u32,
        numSlices: u32,
        /// Nanoseconds of a tick; ticks per second in `ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES_1_2`.
        timerResolution: u64,
        timestampValidBits: u32,
        kernelTimestampValidBits: u32,
        uuid: ze_uuid_t,
        name: [c_char; 256],
    }
    properties ze_device_compute_properties_t: ZE_STRUCTURE_TYPE_DEVICE_COMPUTE_PROPERTIES {
        maxTotalGroupSize: u32,
        maxGroupSizeX: u32,
        maxGroupSizeY: u32,
        maxGroupSizeZ: u32,
        maxGroupCountX: u32,
        maxGroupCountY: u32,
        maxGroupCountZ: u32,
        /// In bytes.
        maxSharedLocalMemory: u32,
        numSubGroupSizes: u32,
        subGroupSizes: [u32; 8],
    }
    properties ze_device_module_properties_t: ZE_STRUCTURE_TYPE_DEVICE_MODULE_PROPERTIES {
        spirvVersionSupported: u32,
        flags: u32,
        fp16flags: u32,
        fp32flags: u32,
        fp64flags: u32,
        maxArgumentsSize: u32,
        printfBufferSize: u32,
        nativeKernelSupported: ze_uuid_t,
    }
    /// Of a group of engines.
    properties ze_command_queue_group_properties_t:
    ZE_STRUCTURE_TYPE_COMMAND_QUEUE_GROUP_PROPERTIES {
        flags: u32,
        maxMemoryFillPatternSize: usize,
        numQueues: u32,
    }
    properties ze_device_memory_properties_t: ZE_STRUCTURE_TYPE_DEVICE_MEMORY_PROPERTIES {
        flags: u32,
        /// In MHz.
        maxClockRate: u32,
        /// In bits.
        maxBusWidth: u32,
        totalSize: u64,
        name: [c_char; 256],
    }
    /// Behind `ze_device_memory_properties_t`.
    properties ze_device_memory_ext_properties_t: ZE_STRUCTURE_TYPE_DEVICE_MEMORY_EXT_PROPERTIES {
        type_: u32,
        physicalSize: u64,
        readBandwidth: u32,
        writeBandwidth: u32,
        bandwidthUnit: u32,
    }
    properties ze_device_memory_access_properties_t:
    ZE_STRUCTURE_TYPE_DEVICE_MEMORY_ACCESS_PROPERTIES {
        hostAllocCapabilities: u32,
        deviceAllocCapabilities: u32,
        sharedSingleDeviceAllocCapabilities: u32,
        sharedCrossDeviceAllocCapabilities: u32,
        sharedSystemAllocCapabilities: u32,
    }
    properties ze_device_cache_properties_t: ZE_STRUCTURE_TYPE_DEVICE_CACHE_PROPERTIES {
        flags: u32,
        cacheSize: usize,
    }
    /// Behind `ze_device_cache_properties_t` (1.12).
    properties ze_device_cache_line_size_ext_t: ZE_STRUCTURE_TYPE_DEVICE_CACHELINE_SIZE_EXT {
        cacheLineSize: usize,
    }
    properties ze_device_image_properties_t: ZE_STRUCTURE_TYPE_DEVICE_IMAGE_PROPERTIES {
        maxImageDims1D: u32,
        maxImageDims2D: u32,
        maxImageDims3D: u32,
        maxImageBufferSize: u64,
        maxImageArraySlices: u32,
        maxSamplers: u32,
        maxReadImageArgs: u32,
        maxWriteImageArgs: u32,
    }
    /// Behind `ze_device_image_properties_t` (1.9).
    properties ze_device_pitched_alloc_exp_properties_t:
    ZE_STRUCTURE_TYPE_PITCHED_ALLOC_DEVICE_EXP_PROPERTIES {
        maxImageLinearWidth: usize,
        maxImageLinearHeight: usize,
    }
    properties ze_device_external_memory_properties_t:
    ZE_STRUCTURE_TYPE_DEVICE_EXTERNAL_MEMORY_PROPERTIES {
        memoryAllocationImportTypes: u32,
        memoryAllocationExportTypes: u32,
        imageImportTypes: u32,
        imageExportTypes: u32,
    }
    properties ze_device_p2p_properties_t: ZE_STRUCTURE_TYPE_DEVICE_P2P_PROPERTIES {
        flags: u32,
    }
    /// Behind `ze_device_p2p_properties_t`.
    properties ze_device_p2p_bandwidth_exp_properties_t:
    ZE_STRUCTURE_TYPE_DEVICE_P2P_BANDWIDTH_EXP_PROPERTIES {
        logicalBandwidth: u32,
        physicalBandwidth: u32,
        bandwidthUnit: u32,
        logicalLatency: u32,
        physicalLatency: u32,
        latencyUnit: u32,
    }
    /// Behind `ze_device_module_properties_t`.
    properties ze_float_atomic_ext_properties_t: ZE_STRUCTURE_TYPE_FLOAT_ATOMIC_EXT_PROPERTIES {
        fp16Flags: u32,
        fp32Flags: u32,
        fp64Flags: u32,
    }
    /// Behind `ze_device_properties_t`.
    properties ze_eu_count_ext_t: ZE_STRUCTURE_TYPE_EU_COUNT_EXT {
        numTotalEUs: u32,
    }
    /// Behind `ze_device_properties_t`.
    properties ze_device_luid_ext_properties_t: ZE_STRUCTURE_TYPE_DEVICE_LUID_EXT_PROPERTIES {
        luid: [u8; 8],
        nodeMask: u32,
    }
    /// Behind `ze_device_properties_t` (1.5).
    properties ze_device_ip_version_ext_t: ZE_STRUCTURE_TYPE_DEVICE_IP_VERSION_EXT {
        ipVersion: u32,
    }
    /// Behind `ze_device_module_properties_t`.
    properties ze_scheduling_hint_exp_properties_t:
    ZE_STRUCTURE_TYPE_SCHEDULING_HINT_EXP_PROPERTIES {
        schedulingHintFlags: u32,
    }
    properties ze_pci_ext_properties_t: ZE_STRUCTURE_TYPE_PCI_EXT_PROPERTIES {
        address: ze_pci_address_ext_t,
        maxSpeed: ze_pci_speed_ext_t,
    }
    /// (1.13)
    properties ze_device_vector_width_properties_ext_t:
    ZE_STRUCTURE_TYPE_DEVICE_VECTOR_WIDTH_PROPERTIES_EXT {
        /// In bytes.
        vector_width_size: u32,
        preferred_vector_width_char: u32,
        preferred_vector_width_short: u32,
        preferred_vector_width_int: u32,
        preferred_vector_width_long: u32,
        preferred_vector_width_float: u32,
        preferred_vector_width_double: u32,
        preferred_vector_width_half: u32,
        native_vector_width_char: u32,
        native_vector_width_short: u32,
        native_vector_width_int: u32,
        native_vector_width_long: u32,
        native_vector_width_float: u32,
        native_vector_width_double: u32,
        native_vector_width_half: u32,
    }
    /// Behind `ze_device_properties_t`: what of recorded commands can be changed (1.9).
    properties ze_mutable_command_list_exp_properties_t:
    ZE_STRUCTURE_TYPE_MUTABLE_COMMAND_LIST_EXP_PROPERTIES {
        mutableCommandListFlags: u32,
        mutableCommandFlags: u32,
    }
}

/// Where on the PCI bus a device is.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ze_pci_address_ext_t {
    pub domain: u32,
    pub bus: u32,
    pub device: u32,
    pub function: u32,
}

/// How fast a device's bus is; -1 for what is not known.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ze_pci_speed_ext_t {
    pub genVersion: i32,
    /// Lanes.
    pub width: i32,
    /// In bytes per second.
    pub maxBandwidth: i64,
}
