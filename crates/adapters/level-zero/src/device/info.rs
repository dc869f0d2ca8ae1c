//! What a device says of itself.

mod details;

use super::{Able, Device, INTEL, able, partition, vector};
use crate::ze;
use details::{bandwidth, extensions, floats, il_version, is_available, pci_address};
use ur_adapter::{Error, Info, Object, Result};
use ur_api::*;

/// Answers `urDeviceGetInfo`.
///
/// # Errors
/// `UNSUPPORTED_ENUMERATION` for what the driver does not tell.
pub fn answer(device: &Object<Device>, name: ur_device_info_t, info: &mut Info<'_>) -> Result {
    match able::of(device, name) {
        Some(Able::Bool(yes)) => return info.bool(yes),
        Some(Able::Flags(flags)) => return info.value(flags),
        None => {}
    }
    if let Some(width) = vector::width(device, name) {
        return info.value(width);
    }
    let facts = device.facts();
    let (properties, compute) = (&facts.properties, &facts.compute);
    let atomic_64 = facts.can(ze::ZE_DEVICE_MODULE_FLAG_INT64_ATOMICS);
    match name {
        // What it is.
        UR_DEVICE_INFO_TYPE => info.value(facts.kind().0),
        UR_DEVICE_INFO_VENDOR_ID => info.value(properties.vendorId),
        UR_DEVICE_INFO_DEVICE_ID => info.value(properties.deviceId),
        UR_DEVICE_INFO_NAME => info.text(&ze::text(&properties.name)),
        UR_DEVICE_INFO_VENDOR => info.text(&device.vendor()),
        UR_DEVICE_INFO_DRIVER_VERSION => info.text(&device.platform().driver_version()),
        UR_DEVICE_INFO_PROFILE => info.text("FULL_PROFILE"),
        UR_DEVICE_INFO_VERSION | UR_DEVICE_INFO_BACKEND_RUNTIME_VERSION => {
            info.text(&device.platform().version_text())
        }
        UR_DEVICE_INFO_EXTENSIONS => info.text(&extensions(device)),
        UR_DEVICE_INFO_PLATFORM => info.handle(device.platform()),
        UR_DEVICE_INFO_UUID => info.value(properties.uuid),
        UR_DEVICE_INFO_PCI_ADDRESS => info.text(&pci_address(device)?),
        UR_DEVICE_INFO_IP_VERSION => info.value(told(facts.ip_version)?),
        UR_DEVICE_INFO_LUID => info.value(told(facts.luid)?.0),
        UR_DEVICE_INFO_NODE_MASK => info.value(told(facts.luid)?.1),
        UR_DEVICE_INFO_IL_VERSION => info.text(&il_version(device)?),
        UR_DEVICE_INFO_BUILT_IN_KERNELS => info.text(""),
        UR_DEVICE_INFO_AVAILABLE => info.bool(is_available(device)),
        UR_DEVICE_INFO_ADDRESS_BITS => info.value(64u32),
        UR_DEVICE_INFO_ENDIAN_LITTLE | UR_DEVICE_INFO_PREFERRED_INTEROP_USER_SYNC => {
            info.bool(true)
        }
        UR_DEVICE_INFO_EXECUTION_CAPABILITIES => {
            info.value(UR_DEVICE_EXEC_CAPABILITY_FLAG_KERNEL.0)
        }

        // Its parts.
        UR_DEVICE_INFO_PARENT_DEVICE => match device.parent() {
            Some(parent) => info.handle(parent),
            None => info.value(std::ptr::null::<ur_device_handle_t_>()),
        },
        UR_DEVICE_INFO_SUPPORTED_PARTITIONS => info.slice(&partition::supported(device)),
        UR_DEVICE_INFO_PARTITION_MAX_SUB_DEVICES => info.value(partition::most(device)),
        UR_DEVICE_INFO_PARTITION_AFFINITY_DOMAIN => info.value(partition::domains(device)),
        UR_DEVICE_INFO_PARTITION_TYPE => info.slice(&partition::origin(device)),
        UR_DEVICE_INFO_BUILD_ON_SUBDEVICE => info.bool(true),

        // What it is made of.
        UR_DEVICE_INFO_MAX_COMPUTE_UNITS | UR_DEVICE_INFO_GPU_EU_COUNT => {
            info.value(facts.execution_units())
        }
        UR_DEVICE_INFO_NUM_COMPUTE_UNITS => info.value(facts.cores()),
        UR_DEVICE_INFO_GPU_EU_SIMD_WIDTH | UR_DEVICE_INFO_MAX_LANES_PER_HW_THREAD => {
            info.value(properties.physicalEUSimdWidth)
        }
        UR_DEVICE_INFO_GPU_EU_SLICES | UR_DEVICE_INFO_XE_CLUSTERS_PER_REGION => {
            info.value(properties.numSlices)
        }
        UR_DEVICE_INFO_GPU_SUBSLICES_PER_SLICE | UR_DEVICE_INFO_XE_CORES_PER_CLUSTER => {
            info.value(properties.numSubslicesPerSlice)
        }
        UR_DEVICE_INFO_GPU_EU_COUNT_PER_SUBSLICE | UR_DEVICE_INFO_EUS_PER_XE_CORE => {
            info.value(properties.numEUsPerSubslice)
        }
        UR_DEVICE_INFO_XE_STACK_COUNT => info.value(partition::parts(device).len().max(1) as u32),
        UR_DEVICE_INFO_GPU_HW_THREADS_PER_EU => info.value(properties.numThreadsPerEU),
        UR_DEVICE_INFO_MAX_CLOCK_FREQUENCY => info.value(properties.coreClockRate),
        UR_DEVICE_INFO_PROFILING_TIMER_RESOLUTION => {
            info.value(facts.timer.period.round().max(1.0) as usize)
        }
        UR_DEVICE_INFO_IS_INTEGRATED_GPU => {
            info.bool(facts.kind() == UR_DEVICE_TYPE_GPU && facts.is_integrated())
        }
        UR_DEVICE_INFO_ESIMD_SUPPORT => {
            info.bool(facts.kind() == UR_DEVICE_TYPE_GPU && properties.vendorId == INTEL)
        }

        // Sizes of work.
        UR_DEVICE_INFO_MAX_WORK_ITEM_DIMENSIONS => info.value(3u32),
        UR_DEVICE_INFO_MAX_WORK_ITEM_SIZES => info.value(
            [
                compute.maxGroupSizeX,
                compute.maxGroupSizeY,
                compute.maxGroupSizeZ,
            ]
            .map(|size| size as usize),
        ),
        UR_DEVICE_INFO_MAX_WORK_GROUP_SIZE => info.value(compute.maxTotalGroupSize as usize),
        UR_DEVICE_INFO_MAX_WORK_GROUPS_3D => info.value(group_counts(compute)),
        UR_DEVICE_INFO_MAX_WORK_GROUPS => {
            let counts = group_counts(compute);
            info.value(counts.into_iter().fold(1, usize::saturating_mul))
        }
        UR_DEVICE_INFO_SUB_GROUP_SIZES_INTEL => info.slice(facts.sub_group_sizes()),
        UR_DEVICE_INFO_MAX_NUM_SUB_GROUPS => {
            let smallest = facts.sub_group_sizes().iter().min();
            info.value(
                smallest.map_or(0, |size| compute.maxTotalGroupSize.div_ceil((*size).max(1))),
            )
        }
        UR_DEVICE_INFO_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS => info.bool(false),
        UR_DEVICE_INFO_MAX_COMPUTE_QUEUE_INDICES => info.value(match device.slice() {
            Some(_) => 1,
            None => facts.compute_engines().max(1),
        }),
        UR_DEVICE_INFO_MAX_PARAMETER_SIZE => info.value(facts.module.maxArgumentsSize as usize),
        // An argument that is memory takes the bytes of its address.
        UR_DEVICE_INFO_MAX_CONSTANT_ARGS => info.value((facts.module.maxArgumentsSize / 8).max(1)),
        UR_DEVICE_INFO_PRINTF_BUFFER_SIZE => info.value(facts.module.printfBufferSize as usize),

        // Numbers.
        UR_DEVICE_INFO_SINGLE_FP_CONFIG => info.value(floats(facts.module.fp32flags)),
        UR_DEVICE_INFO_HALF_FP_CONFIG => {
            info.value(match facts.can(ze::ZE_DEVICE_MODULE_FLAG_FP16) {
                true => floats(facts.module.fp16flags),
                false => 0,
            })
        }
        UR_DEVICE_INFO_DOUBLE_FP_CONFIG => {
            info.value(match facts.can(ze::ZE_DEVICE_MODULE_FLAG_FP64) {
                true => floats(facts.module.fp64flags),
                false => 0,
            })
        }
        UR_DEVICE_INFO_ATOMIC_64 => info.bool(atomic_64),
        // The memory model of SPIR-V's kernels is the same on all devices.
        UR_DEVICE_INFO_ATOMIC_MEMORY_ORDER_CAPABILITIES
        | UR_DEVICE_INFO_ATOMIC_FENCE_ORDER_CAPABILITIES => info.value(
            UR_MEMORY_ORDER_CAPABILITY_FLAG_RELAXED.0
                | UR_MEMORY_ORDER_CAPABILITY_FLAG_ACQUIRE.0
                | UR_MEMORY_ORDER_CAPABILITY_FLAG_RELEASE.0
                | UR_MEMORY_ORDER_CAPABILITY_FLAG_ACQ_REL.0
                | UR_MEMORY_ORDER_CAPABILITY_FLAG_SEQ_CST.0,
        ),
        UR_DEVICE_INFO_ATOMIC_MEMORY_SCOPE_CAPABILITIES
        | UR_DEVICE_INFO_ATOMIC_FENCE_SCOPE_CAPABILITIES => info.value(
            UR_MEMORY_SCOPE_CAPABILITY_FLAG_WORK_ITEM.0
                | UR_MEMORY_SCOPE_CAPABILITY_FLAG_SUB_GROUP.0
                | UR_MEMORY_SCOPE_CAPABILITY_FLAG_WORK_GROUP.0
                | UR_MEMORY_SCOPE_CAPABILITY_FLAG_DEVICE.0
                | UR_MEMORY_SCOPE_CAPABILITY_FLAG_SYSTEM.0,
        ),
        UR_DEVICE_INFO_BFLOAT16_CONVERSIONS_NATIVE => {
            info.bool(device.platform().has(ze::ZE_BFLOAT16_CONVERSIONS_EXT_NAME))
        }

        // Memory.
        UR_DEVICE_INFO_GLOBAL_MEM_SIZE => info.value(facts.memory_size()),
        UR_DEVICE_INFO_MAX_MEM_ALLOC_SIZE | UR_DEVICE_INFO_MAX_CONSTANT_BUFFER_SIZE => {
            info.value(facts.max_alloc_size())
        }
        UR_DEVICE_INFO_HOST_UNIFIED_MEMORY => info.bool(facts.is_integrated()),
        UR_DEVICE_INFO_ERROR_CORRECTION_SUPPORT => {
            info.bool(properties.flags & ze::ZE_DEVICE_PROPERTY_FLAG_ECC != 0)
        }
        UR_DEVICE_INFO_MEMORY_CLOCK_RATE => {
            let rate = facts
                .memories
                .iter()
                .map(|memory| memory.maxClockRate)
                .max();
            info.value(told(rate.filter(|rate| *rate != 0))?)
        }
        UR_DEVICE_INFO_MEMORY_BUS_WIDTH => {
            let width = facts.memories.iter().map(|memory| memory.maxBusWidth).max();
            info.value(told(width.filter(|width| *width != 0))?)
        }
        UR_DEVICE_INFO_MAX_MEMORY_BANDWIDTH => info.value(told(bandwidth(device))?),
        // The largest vector of a kernel's, in bits.
        UR_DEVICE_INFO_MEM_BASE_ADDR_ALIGN => info.value(8 * size_of::<[u64; 16]>() as u32),
        UR_DEVICE_INFO_GLOBAL_MEM_CACHE_TYPE => info.value(match facts.caches.is_empty() {
            true => UR_DEVICE_MEM_CACHE_TYPE_NONE.0,
            false => UR_DEVICE_MEM_CACHE_TYPE_READ_WRITE_CACHE.0,
        }),
        UR_DEVICE_INFO_GLOBAL_MEM_CACHELINE_SIZE => info.value(64u32),
        UR_DEVICE_INFO_GLOBAL_MEM_CACHE_SIZE => {
            let largest = facts.caches.iter().map(|cache| cache.cacheSize).max();
            info.value(largest.unwrap_or(0) as u64)
        }
        UR_DEVICE_INFO_LOCAL_MEM_TYPE => info.value(match compute.maxSharedLocalMemory {
            0 => UR_DEVICE_LOCAL_MEM_TYPE_NONE.0,
            _ => UR_DEVICE_LOCAL_MEM_TYPE_LOCAL.0,
        }),
        UR_DEVICE_INFO_LOCAL_MEM_SIZE => info.value(u64::from(compute.maxSharedLocalMemory)),

        // Images.
        UR_DEVICE_INFO_MAX_READ_IMAGE_ARGS => info.value(facts.image.maxReadImageArgs),
        UR_DEVICE_INFO_MAX_WRITE_IMAGE_ARGS => info.value(facts.image.maxWriteImageArgs),
        UR_DEVICE_INFO_IMAGE2D_MAX_WIDTH | UR_DEVICE_INFO_IMAGE2D_MAX_HEIGHT => {
            info.value(facts.image.maxImageDims2D as usize)
        }
        UR_DEVICE_INFO_IMAGE3D_MAX_WIDTH
        | UR_DEVICE_INFO_IMAGE3D_MAX_HEIGHT
        | UR_DEVICE_INFO_IMAGE3D_MAX_DEPTH => info.value(facts.image.maxImageDims3D as usize),
        UR_DEVICE_INFO_IMAGE_MAX_BUFFER_SIZE => info.value(facts.image.maxImageBufferSize as usize),
        UR_DEVICE_INFO_IMAGE_MAX_ARRAY_SIZE => info.value(facts.image.maxImageArraySlices as usize),
        UR_DEVICE_INFO_MAX_SAMPLERS => info.value(facts.image.maxSamplers),

        // What the driver does not tell.
        _ => Err(Error::unsupported_query()),
    }
}

/// What a driver may tell.
fn told<T>(value: Option<T>) -> Result<T> {
    value.ok_or_else(Error::unsupported_query)
}

fn group_counts(compute: &ze::ze_device_compute_properties_t) -> [usize; 3] {
    [
        compute.maxGroupCountX,
        compute.maxGroupCountY,
        compute.maxGroupCountZ,
    ]
    .map(|count| count as usize)
}
