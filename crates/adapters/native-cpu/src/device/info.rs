//! Answers to `urDeviceGetInfo`.

use super::Device;
use crate::adapter::{backend, roots};
use crate::{facts, image, platform};
use ur_adapter::{Error, Info, Object, Result};
use ur_api::*;

/// Most work-items in a work-group.
pub const MAX_WORK_GROUP_SIZE: usize = 8192;

/// Bytes of local memory of a work-group.
pub const LOCAL_MEM_SIZE: u64 = 256 << 10;

/// Bytes of all arguments of a kernel together.
pub const MAX_PARAMETER_SIZE: usize = 4096;

/// Alignment in bytes of buffers, and of USM allocations that ask for none: that of the widest
/// OpenCL type, a vector of 16 doubles.
pub const MEM_ALIGN: usize = 128;

/// Sub-group sizes that a kernel can require.
pub const SUB_GROUP_SIZES: [u32; 4] = [8, 16, 32, 64];

/// Versions of SPIR-V that are read.
const IL_VERSION: &str =
    "SPIR-V_1.0 SPIR-V_1.1 SPIR-V_1.2 SPIR-V_1.3 SPIR-V_1.4 SPIR-V_1.5 SPIR-V_1.6";

/// What the device can do beyond the basics, in the words of OpenCL; clients derive their aspects
/// from it.
pub const EXTENSIONS: &str = "cl_khr_il_program cl_khr_fp64 cl_khr_fp16 \
    cl_khr_byte_addressable_store cl_khr_3d_image_writes \
    cl_khr_global_int32_base_atomics cl_khr_global_int32_extended_atomics \
    cl_khr_local_int32_base_atomics cl_khr_local_int32_extended_atomics \
    cl_khr_int64_base_atomics cl_khr_int64_extended_atomics cl_ext_float_atomics \
    cl_khr_subgroups cl_khr_subgroup_ballot cl_khr_subgroup_shuffle \
    cl_khr_subgroup_shuffle_relative cl_khr_subgroup_extended_types \
    cl_khr_subgroup_non_uniform_vote cl_khr_subgroup_non_uniform_arithmetic \
    cl_khr_subgroup_clustered_reduce cl_khr_subgroup_rotate \
    cl_khr_work_group_uniform_arithmetic cl_khr_integer_dot_product cl_khr_extended_bit_ops \
    cl_khr_kernel_clock cl_intel_split_work_group_barrier cl_intel_bfloat16_conversions \
    cl_khr_spirv_no_integer_wrap_decoration cl_ext_relaxed_printf_string_address_space \
    cl_intel_subgroups cl_intel_subgroups_char cl_intel_subgroups_short \
    cl_intel_subgroups_long cl_intel_required_subgroup_size cl_intel_spirv_subgroups \
    cl_khr_expect_assume cl_khr_spirv_linkonce_odr cl_khr_suggested_local_work_size \
    cl_intel_unified_shared_memory cl_khr_device_uuid";

const FP: u32 = UR_DEVICE_FP_CAPABILITY_FLAG_ROUND_TO_NEAREST.0
    | UR_DEVICE_FP_CAPABILITY_FLAG_INF_NAN.0
    | UR_DEVICE_FP_CAPABILITY_FLAG_DENORM.0;

const ALL_ORDERS: u32 = UR_MEMORY_ORDER_CAPABILITY_FLAG_RELAXED.0
    | UR_MEMORY_ORDER_CAPABILITY_FLAG_ACQUIRE.0
    | UR_MEMORY_ORDER_CAPABILITY_FLAG_RELEASE.0
    | UR_MEMORY_ORDER_CAPABILITY_FLAG_ACQ_REL.0
    | UR_MEMORY_ORDER_CAPABILITY_FLAG_SEQ_CST.0;

const ALL_SCOPES: u32 = UR_MEMORY_SCOPE_CAPABILITY_FLAG_WORK_ITEM.0
    | UR_MEMORY_SCOPE_CAPABILITY_FLAG_SUB_GROUP.0
    | UR_MEMORY_SCOPE_CAPABILITY_FLAG_WORK_GROUP.0
    | UR_MEMORY_SCOPE_CAPABILITY_FLAG_DEVICE.0
    | UR_MEMORY_SCOPE_CAPABILITY_FLAG_SYSTEM.0;

const FULL_USM: u32 = UR_DEVICE_USM_ACCESS_CAPABILITY_FLAG_ACCESS.0
    | UR_DEVICE_USM_ACCESS_CAPABILITY_FLAG_ATOMIC_ACCESS.0
    | UR_DEVICE_USM_ACCESS_CAPABILITY_FLAG_CONCURRENT_ACCESS.0
    | UR_DEVICE_USM_ACCESS_CAPABILITY_FLAG_ATOMIC_CONCURRENT_ACCESS.0;

/// Bytes that one allocation may have: half the memory, so that a program that asks for as much as
/// is allowed does not drive the machine into swapping.
pub fn max_alloc_size() -> u64 {
    facts::get().memory / 2
}

/// Ways in which a device can be partitioned.
fn partitions(device: &Device) -> &'static [ur_device_partition_t] {
    const ALL: &[ur_device_partition_t] = &[
        UR_DEVICE_PARTITION_BY_COUNTS,
        UR_DEVICE_PARTITION_EQUALLY,
        UR_DEVICE_PARTITION_BY_AFFINITY_DOMAIN,
    ];
    match (device.units(), device.affinity_domains()) {
        (1, _) => &[],
        (_, 0) => &ALL[..2],
        _ => ALL,
    }
}

/// Sixteen bytes that stay the same for the same kind of processor and part of it.
fn uuid(device: &Device) -> [u8; 16] {
    let facts = facts::get();
    let mut uuid = [0; 16];
    let mut path = 0u32;
    let mut at = Some(device);
    while let Some(part) = at {
        if part.parent.is_some() {
            path = path.wrapping_mul(257).wrapping_add(part.index + 1);
        }
        at = part.parent.as_deref().map(|parent| &**parent);
    }
    uuid[..4].copy_from_slice(b"CNCD");
    uuid[4..8].copy_from_slice(&facts.signature.to_le_bytes());
    uuid[8..10].copy_from_slice(&(facts.vendor_id as u16).to_le_bytes());
    uuid[10..12].copy_from_slice(&(device.units() as u16).to_le_bytes());
    uuid[12..].copy_from_slice(&path.to_le_bytes());
    uuid
}

/// Answers one query.
///
/// # Errors
/// `UNSUPPORTED_ENUMERATION` for what does not apply to a CPU or is not known.
pub fn answer(device: &Object<Device>, name: ur_device_info_t, info: &mut Info<'_>) -> Result {
    match name {
        // What it is.
        UR_DEVICE_INFO_TYPE => info.value(UR_DEVICE_TYPE_CPU.0),
        UR_DEVICE_INFO_VENDOR_ID => info.value(facts::get().vendor_id),
        UR_DEVICE_INFO_DEVICE_ID => info.value(facts::get().signature),
        UR_DEVICE_INFO_NAME => info.text(&facts::get().name),
        UR_DEVICE_INFO_VENDOR => info.text(&facts::get().vendor),
        UR_DEVICE_INFO_DRIVER_VERSION => info.text(env!("CARGO_PKG_VERSION")),
        UR_DEVICE_INFO_PROFILE => info.text("FULL_PROFILE"),
        UR_DEVICE_INFO_VERSION => info.text(platform::version()),
        UR_DEVICE_INFO_BACKEND_RUNTIME_VERSION => info.text(if backend() == UR_BACKEND_OPENCL {
            "3.0"
        } else {
            env!("CARGO_PKG_VERSION")
        }),
        UR_DEVICE_INFO_EXTENSIONS => info.text(EXTENSIONS),
        UR_DEVICE_INFO_UUID => info.value(uuid(device)),
        UR_DEVICE_INFO_PLATFORM => info.handle(&roots().platform),
        UR_DEVICE_INFO_IL_VERSION => info.text(IL_VERSION),
        UR_DEVICE_INFO_BUILT_IN_KERNELS => info.text(""),
        UR_DEVICE_INFO_AVAILABLE
        | UR_DEVICE_INFO_ENDIAN_LITTLE
        | UR_DEVICE_INFO_HOST_UNIFIED_MEMORY
        | UR_DEVICE_INFO_COMPILER_AVAILABLE
        | UR_DEVICE_INFO_LINKER_AVAILABLE
        | UR_DEVICE_INFO_ATOMIC_64
        | UR_DEVICE_INFO_BUILD_ON_SUBDEVICE
        | UR_DEVICE_INFO_GLOBAL_VARIABLE_SUPPORT
        | UR_DEVICE_INFO_PROGRAM_SET_SPECIALIZATION_CONSTANTS
        | UR_DEVICE_INFO_PREFERRED_INTEROP_USER_SYNC
        | UR_DEVICE_INFO_TIMESTAMP_RECORDING_SUPPORT_EXP
        | UR_DEVICE_INFO_MULTI_DEVICE_COMPILE_SUPPORT_EXP
        | UR_DEVICE_INFO_DYNAMIC_LINK_SUPPORT_EXP
        | UR_DEVICE_INFO_USM_CONTEXT_MEMCPY_SUPPORT_EXP
        | UR_DEVICE_INFO_COMMAND_BUFFER_SUPPORT_EXP
        | UR_DEVICE_INFO_COMMAND_BUFFER_EVENT_SUPPORT_EXP
        | UR_DEVICE_INFO_USM_POOL_SUPPORT
        | UR_DEVICE_INFO_IPC_MEMORY_SUPPORT_EXP
        | UR_DEVICE_INFO_ASYNC_USM_ALLOCATIONS_SUPPORT_EXP
        | UR_DEVICE_INFO_USM_HOST_ALLOC_REGISTER_SUPPORT_EXP
        | UR_DEVICE_INFO_USM_P2P_SUPPORT_EXP
        | UR_DEVICE_INFO_MEMORY_EXPORT_EXPORTABLE_DEVICE_MEM_EXP
        | UR_DEVICE_INFO_VIRTUAL_MEMORY_SUPPORT
        | UR_DEVICE_INFO_IPC_PHYSICAL_MEMORY_SUPPORT_EXP
        | UR_DEVICE_INFO_GRAPH_RECORD_AND_REPLAY_SUPPORT_EXP
        | UR_DEVICE_INFO_REUSABLE_EVENTS_SUPPORT_EXP
        | UR_DEVICE_INFO_PER_EVENT_PROFILING_SUPPORT_EXP
        | UR_DEVICE_INFO_DEVICE_WAIT_SUPPORT_EXP
        | UR_DEVICE_INFO_ENQUEUE_HOST_TASK_SUPPORT_EXP => info.bool(true),
        UR_DEVICE_INFO_EXECUTION_CAPABILITIES => {
            info.value(UR_DEVICE_EXEC_CAPABILITY_FLAG_KERNEL.0)
        }

        // Its parts.
        UR_DEVICE_INFO_MAX_COMPUTE_UNITS | UR_DEVICE_INFO_NUM_COMPUTE_UNITS => {
            info.value(device.units())
        }
        UR_DEVICE_INFO_PARENT_DEVICE => match &device.parent {
            Some(parent) => info.handle(&**parent),
            None => info.value(std::ptr::null::<ur_device_handle_t_>()),
        },
        UR_DEVICE_INFO_SUPPORTED_PARTITIONS => info.slice(partitions(device)),
        UR_DEVICE_INFO_PARTITION_MAX_SUB_DEVICES => info.value(match device.units() {
            1 => 0,
            units => units,
        }),
        UR_DEVICE_INFO_PARTITION_AFFINITY_DOMAIN => info.value(device.affinity_domains()),
        UR_DEVICE_INFO_PARTITION_TYPE => match device.partition {
            Some((kind, value)) => info.value([kind.0, value]),
            None => info.slice::<[u32; 2]>(&[]),
        },

        // Sizes of work.
        UR_DEVICE_INFO_MAX_WORK_ITEM_DIMENSIONS => info.value(3u32),
        UR_DEVICE_INFO_MAX_WORK_ITEM_SIZES => info.value([MAX_WORK_GROUP_SIZE; 3]),
        UR_DEVICE_INFO_MAX_WORK_GROUP_SIZE => info.value(MAX_WORK_GROUP_SIZE),
        UR_DEVICE_INFO_MAX_WORK_GROUPS_3D => info.value([usize::MAX; 3]),
        UR_DEVICE_INFO_MAX_WORK_GROUPS => info.value(usize::MAX),
        UR_DEVICE_INFO_MAX_NUM_SUB_GROUPS => {
            info.value(MAX_WORK_GROUP_SIZE as u32 / SUB_GROUP_SIZES[0])
        }
        UR_DEVICE_INFO_SUB_GROUP_SIZES_INTEL => info.slice(&SUB_GROUP_SIZES),
        UR_DEVICE_INFO_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS => info.bool(false),
        UR_DEVICE_INFO_MAX_PARAMETER_SIZE => info.value(MAX_PARAMETER_SIZE),
        UR_DEVICE_INFO_MAX_CONSTANT_ARGS => info.value((MAX_PARAMETER_SIZE / 8) as u32),
        UR_DEVICE_INFO_PRINTF_BUFFER_SIZE => info.value(0usize),
        UR_DEVICE_INFO_MAX_COMPUTE_QUEUE_INDICES => info.value(1u32),

        // Numbers.
        UR_DEVICE_INFO_SINGLE_FP_CONFIG => info.value(
            FP | UR_DEVICE_FP_CAPABILITY_FLAG_FMA.0
                | UR_DEVICE_FP_CAPABILITY_FLAG_CORRECTLY_ROUNDED_DIVIDE_SQRT.0,
        ),
        UR_DEVICE_INFO_DOUBLE_FP_CONFIG => info.value(FP | UR_DEVICE_FP_CAPABILITY_FLAG_FMA.0),
        UR_DEVICE_INFO_HALF_FP_CONFIG => info.value(FP),
        UR_DEVICE_INFO_BFLOAT16_CONVERSIONS_NATIVE
        | UR_DEVICE_INFO_CLOCK_SUB_GROUP_SUPPORT_EXP
        | UR_DEVICE_INFO_CLOCK_WORK_GROUP_SUPPORT_EXP
        | UR_DEVICE_INFO_CLOCK_DEVICE_SUPPORT_EXP => info.bool(true),
        UR_DEVICE_INFO_PREFERRED_VECTOR_WIDTH_CHAR
        | UR_DEVICE_INFO_PREFERRED_VECTOR_WIDTH_SHORT
        | UR_DEVICE_INFO_PREFERRED_VECTOR_WIDTH_INT
        | UR_DEVICE_INFO_PREFERRED_VECTOR_WIDTH_LONG
        | UR_DEVICE_INFO_PREFERRED_VECTOR_WIDTH_LONG_LONG
        | UR_DEVICE_INFO_PREFERRED_VECTOR_WIDTH_FLOAT
        | UR_DEVICE_INFO_PREFERRED_VECTOR_WIDTH_DOUBLE
        | UR_DEVICE_INFO_PREFERRED_VECTOR_WIDTH_HALF => info.value(1u32),
        UR_DEVICE_INFO_NATIVE_VECTOR_WIDTH_CHAR => info.value(facts::get().vector_bytes),
        UR_DEVICE_INFO_NATIVE_VECTOR_WIDTH_SHORT | UR_DEVICE_INFO_NATIVE_VECTOR_WIDTH_HALF => {
            info.value(facts::get().vector_bytes / 2)
        }
        UR_DEVICE_INFO_NATIVE_VECTOR_WIDTH_INT | UR_DEVICE_INFO_NATIVE_VECTOR_WIDTH_FLOAT => {
            info.value(facts::get().vector_bytes / 4)
        }
        UR_DEVICE_INFO_NATIVE_VECTOR_WIDTH_LONG
        | UR_DEVICE_INFO_NATIVE_VECTOR_WIDTH_LONG_LONG
        | UR_DEVICE_INFO_NATIVE_VECTOR_WIDTH_DOUBLE => info.value(facts::get().vector_bytes / 8),
        UR_DEVICE_INFO_ATOMIC_MEMORY_ORDER_CAPABILITIES
        | UR_DEVICE_INFO_ATOMIC_FENCE_ORDER_CAPABILITIES => info.value(ALL_ORDERS),
        UR_DEVICE_INFO_ATOMIC_MEMORY_SCOPE_CAPABILITIES
        | UR_DEVICE_INFO_ATOMIC_FENCE_SCOPE_CAPABILITIES => info.value(ALL_SCOPES),
        UR_DEVICE_INFO_ADDRESS_BITS => info.value(64u32),

        // Memory.
        UR_DEVICE_INFO_GLOBAL_MEM_SIZE => info.value(facts::get().memory),
        UR_DEVICE_INFO_GLOBAL_MEM_FREE => match facts::free_memory() {
            Some(free) => info.value(free),
            None => Err(Error::unsupported_query()),
        },
        UR_DEVICE_INFO_MAX_MEM_ALLOC_SIZE | UR_DEVICE_INFO_MAX_CONSTANT_BUFFER_SIZE => {
            info.value(max_alloc_size())
        }
        UR_DEVICE_INFO_MEM_BASE_ADDR_ALIGN => info.value(MEM_ALIGN as u32 * 8),
        UR_DEVICE_INFO_GLOBAL_MEM_CACHE_TYPE => {
            info.value(UR_DEVICE_MEM_CACHE_TYPE_READ_WRITE_CACHE.0)
        }
        UR_DEVICE_INFO_GLOBAL_MEM_CACHELINE_SIZE => info.value(facts::get().cache_line),
        UR_DEVICE_INFO_GLOBAL_MEM_CACHE_SIZE => info.value(facts::get().cache_size),
        UR_DEVICE_INFO_LOCAL_MEM_TYPE => info.value(UR_DEVICE_LOCAL_MEM_TYPE_GLOBAL.0),
        UR_DEVICE_INFO_LOCAL_MEM_SIZE => info.value(LOCAL_MEM_SIZE),
        UR_DEVICE_INFO_USM_HOST_SUPPORT
        | UR_DEVICE_INFO_USM_DEVICE_SUPPORT
        | UR_DEVICE_INFO_USM_SINGLE_SHARED_SUPPORT
        | UR_DEVICE_INFO_USM_CROSS_SHARED_SUPPORT
        | UR_DEVICE_INFO_USM_SYSTEM_SHARED_SUPPORT => info.value(FULL_USM),

        // Time.
        UR_DEVICE_INFO_MAX_CLOCK_FREQUENCY => info.value(facts::get().clock_mhz),
        UR_DEVICE_INFO_PROFILING_TIMER_RESOLUTION => info.value(1usize),

        // Queues.
        UR_DEVICE_INFO_QUEUE_PROPERTIES | UR_DEVICE_INFO_QUEUE_ON_HOST_PROPERTIES => info.value(
            UR_QUEUE_FLAG_OUT_OF_ORDER_EXEC_MODE_ENABLE.0 | UR_QUEUE_FLAG_PROFILING_ENABLE.0,
        ),
        UR_DEVICE_INFO_QUEUE_ON_DEVICE_PROPERTIES => info.value(0u32),

        // Command buffers: all of a launch can be changed.
        UR_DEVICE_INFO_COMMAND_BUFFER_UPDATE_CAPABILITIES_EXP => info.value(
            UR_DEVICE_COMMAND_BUFFER_UPDATE_CAPABILITY_FLAG_KERNEL_ARGUMENTS.0
                | UR_DEVICE_COMMAND_BUFFER_UPDATE_CAPABILITY_FLAG_LOCAL_WORK_SIZE.0
                | UR_DEVICE_COMMAND_BUFFER_UPDATE_CAPABILITY_FLAG_GLOBAL_WORK_SIZE.0
                | UR_DEVICE_COMMAND_BUFFER_UPDATE_CAPABILITY_FLAG_GLOBAL_WORK_OFFSET.0
                | UR_DEVICE_COMMAND_BUFFER_UPDATE_CAPABILITY_FLAG_KERNEL_HANDLE.0
                | UR_DEVICE_COMMAND_BUFFER_UPDATE_CAPABILITY_FLAG_EVENTS.0,
        ),

        // Images.
        UR_DEVICE_INFO_IMAGE_SUPPORT | UR_DEVICE_INFO_IMAGE_SRGB => info.bool(true),
        UR_DEVICE_INFO_MAX_READ_IMAGE_ARGS
        | UR_DEVICE_INFO_MAX_WRITE_IMAGE_ARGS
        | UR_DEVICE_INFO_MAX_READ_WRITE_IMAGE_ARGS
        | UR_DEVICE_INFO_MAX_SAMPLERS => info.value(image::MAX_ARGS),
        // Kernels take a plain image of one dimension for one over a buffer.
        UR_DEVICE_INFO_IMAGE2D_MAX_WIDTH
        | UR_DEVICE_INFO_IMAGE2D_MAX_HEIGHT
        | UR_DEVICE_INFO_IMAGE_MAX_BUFFER_SIZE => info.value(image::MAX_EXTENT),
        UR_DEVICE_INFO_IMAGE3D_MAX_WIDTH
        | UR_DEVICE_INFO_IMAGE3D_MAX_HEIGHT
        | UR_DEVICE_INFO_IMAGE3D_MAX_DEPTH => info.value(image::MAX_EXTENT_3D),
        UR_DEVICE_INFO_IMAGE_MAX_ARRAY_SIZE => info.value(image::MAX_LAYERS),

        // Sets of abilities that are empty.
        UR_DEVICE_INFO_KERNEL_LAUNCH_CAPABILITIES
        | UR_DEVICE_INFO_2D_BLOCK_ARRAY_CAPABILITIES_EXP => info.value(0u32),

        // What it cannot do.
        UR_DEVICE_INFO_ERROR_CORRECTION_SUPPORT
        | UR_DEVICE_INFO_KERNEL_SET_SPECIALIZATION_CONSTANTS
        | UR_DEVICE_INFO_ASYNC_BARRIER
        | UR_DEVICE_INFO_MEM_CHANNEL_SUPPORT
        | UR_DEVICE_INFO_HOST_PIPE_READ_WRITE_SUPPORT
        | UR_DEVICE_INFO_ESIMD_SUPPORT
        | UR_DEVICE_INFO_USE_NATIVE_ASSERT
        | UR_DEVICE_INFO_COMMAND_BUFFER_SUBGRAPH_SUPPORT_EXP
        | UR_DEVICE_INFO_BINDLESS_IMAGES_SUPPORT_EXP
        | UR_DEVICE_INFO_BINDLESS_IMAGES_SHARED_USM_SUPPORT_EXP
        | UR_DEVICE_INFO_BINDLESS_IMAGES_1D_USM_SUPPORT_EXP
        | UR_DEVICE_INFO_BINDLESS_IMAGES_2D_USM_SUPPORT_EXP
        | UR_DEVICE_INFO_MIPMAP_SUPPORT_EXP
        | UR_DEVICE_INFO_MIPMAP_ANISOTROPY_SUPPORT_EXP
        | UR_DEVICE_INFO_MIPMAP_LEVEL_REFERENCE_SUPPORT_EXP
        | UR_DEVICE_INFO_EXTERNAL_MEMORY_IMPORT_SUPPORT_EXP
        | UR_DEVICE_INFO_EXTERNAL_SEMAPHORE_IMPORT_SUPPORT_EXP
        | UR_DEVICE_INFO_CUBEMAP_SUPPORT_EXP
        | UR_DEVICE_INFO_CUBEMAP_SEAMLESS_FILTERING_SUPPORT_EXP
        | UR_DEVICE_INFO_BINDLESS_SAMPLED_IMAGE_FETCH_1D_USM_SUPPORT_EXP
        | UR_DEVICE_INFO_BINDLESS_SAMPLED_IMAGE_FETCH_1D_SUPPORT_EXP
        | UR_DEVICE_INFO_BINDLESS_SAMPLED_IMAGE_FETCH_2D_USM_SUPPORT_EXP
        | UR_DEVICE_INFO_BINDLESS_SAMPLED_IMAGE_FETCH_2D_SUPPORT_EXP
        | UR_DEVICE_INFO_BINDLESS_SAMPLED_IMAGE_FETCH_3D_SUPPORT_EXP
        | UR_DEVICE_INFO_IMAGE_ARRAY_SUPPORT_EXP
        | UR_DEVICE_INFO_BINDLESS_UNIQUE_ADDRESSING_PER_DIM_SUPPORT_EXP
        | UR_DEVICE_INFO_BINDLESS_SAMPLE_1D_USM_SUPPORT_EXP
        | UR_DEVICE_INFO_BINDLESS_SAMPLE_2D_USM_SUPPORT_EXP
        | UR_DEVICE_INFO_BINDLESS_IMAGES_GATHER_SUPPORT_EXP
        | UR_DEVICE_INFO_ENQUEUE_NATIVE_COMMAND_SUPPORT_EXP
        | UR_DEVICE_INFO_LOW_POWER_EVENTS_SUPPORT_EXP
        | UR_DEVICE_INFO_IPC_EVENT_SUPPORT_EXP
        | UR_DEVICE_INFO_IS_INTEGRATED_GPU => info.bool(false),

        // GPU counters, PCI places, fans, power: not this device's, or not told to programs.
        _ => Err(Error::unsupported_query()),
    }
}
