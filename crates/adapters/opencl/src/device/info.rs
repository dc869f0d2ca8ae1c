//! What a device says of itself.

mod native;

use super::{Device, partition};
use crate::cl::{self, Version};
use crate::{command_buffer, queue, usm};
use ur_adapter::{Error, Info, Object, Result};
use ur_api::*;

/// Answers `urDeviceGetInfo`.
///
/// # Errors
/// `UNSUPPORTED_ENUMERATION` for what neither OpenCL nor an extension of the device tells.
pub fn answer(device: &Object<Device>, name: ur_device_info_t, info: &mut Info<'_>) -> Result {
    if let Some(question) = native::question(name) {
        return question.answer(device, info);
    }
    let facts = device.facts();
    let has = |extension: &str| facts.has(extension);
    match name {
        // What it is.
        UR_DEVICE_INFO_TYPE => info.value(facts.kind.0),
        UR_DEVICE_INFO_BACKEND_RUNTIME_VERSION => info.text(&facts.version.to_string()),
        UR_DEVICE_INFO_EXTENSIONS => info.text(&facts.extensions()),
        UR_DEVICE_INFO_PLATFORM => info.handle(device.platform()),
        UR_DEVICE_INFO_ADDRESS_BITS => info.value(facts.address_bits),
        UR_DEVICE_INFO_PCI_ADDRESS => info.text(&pci_address(device)?),
        UR_DEVICE_INFO_IS_INTEGRATED_GPU => {
            let shared = device.value::<u32>(cl::CL_DEVICE_HOST_UNIFIED_MEMORY);
            info.bool(facts.kind == UR_DEVICE_TYPE_GPU && shared == Ok(cl::CL_TRUE))
        }
        UR_DEVICE_INFO_GPU_EU_COUNT => info.value(execution_units(device)?),

        // Its parts.
        UR_DEVICE_INFO_PARENT_DEVICE => match device.parent() {
            Some(parent) => info.handle(&**parent),
            None => info.value(std::ptr::null::<ur_device_handle_t_>()),
        },
        UR_DEVICE_INFO_SUPPORTED_PARTITIONS => info.slice(&partition::supported(device)),
        UR_DEVICE_INFO_PARTITION_TYPE => info.slice(&partition::origin(device)),
        UR_DEVICE_INFO_BUILD_ON_SUBDEVICE => info.bool(true),

        // Sizes of work. OpenCL has no limit for the number of work-groups.
        UR_DEVICE_INFO_MAX_WORK_ITEM_SIZES => {
            info.slice(&device.list::<usize>(cl::CL_DEVICE_MAX_WORK_ITEM_SIZES)?)
        }
        UR_DEVICE_INFO_MAX_WORK_GROUPS_3D => info.value([usize::MAX; 3]),
        UR_DEVICE_INFO_MAX_WORK_GROUPS => info.value(usize::MAX),
        UR_DEVICE_INFO_SUB_GROUP_SIZES_INTEL => info.slice(&sub_group_sizes(device)),
        UR_DEVICE_INFO_MAX_COMPUTE_QUEUE_INDICES => info.value(1u32),

        // Numbers.
        UR_DEVICE_INFO_SINGLE_FP_CONFIG => {
            info.value(floats(device, cl::CL_DEVICE_SINGLE_FP_CONFIG))
        }
        UR_DEVICE_INFO_DOUBLE_FP_CONFIG => {
            info.value(floats(device, cl::CL_DEVICE_DOUBLE_FP_CONFIG))
        }
        UR_DEVICE_INFO_HALF_FP_CONFIG => info.value(match has("cl_khr_fp16") {
            true => floats(device, cl::CL_DEVICE_HALF_FP_CONFIG),
            false => 0,
        }),
        UR_DEVICE_INFO_ATOMIC_64 => {
            info.bool(has("cl_khr_int64_base_atomics") && has("cl_khr_int64_extended_atomics"))
        }
        UR_DEVICE_INFO_ATOMIC_MEMORY_ORDER_CAPABILITIES => {
            info.value(orders(memory_atomics(device)))
        }
        UR_DEVICE_INFO_ATOMIC_MEMORY_SCOPE_CAPABILITIES => {
            info.value(scopes(memory_atomics(device)))
        }
        UR_DEVICE_INFO_ATOMIC_FENCE_ORDER_CAPABILITIES => info.value(orders(fence_atomics(device))),
        UR_DEVICE_INFO_ATOMIC_FENCE_SCOPE_CAPABILITIES => info.value(scopes(fence_atomics(device))),
        UR_DEVICE_INFO_BFLOAT16_CONVERSIONS_NATIVE => {
            info.bool(has("cl_intel_bfloat16_conversions"))
        }

        // Memory.
        UR_DEVICE_INFO_USM_HOST_SUPPORT
        | UR_DEVICE_INFO_USM_DEVICE_SUPPORT
        | UR_DEVICE_INFO_USM_SINGLE_SHARED_SUPPORT
        | UR_DEVICE_INFO_USM_CROSS_SHARED_SUPPORT
        | UR_DEVICE_INFO_USM_SYSTEM_SHARED_SUPPORT => info.value(usm::capabilities(device, name)),
        UR_DEVICE_INFO_USM_CONTEXT_MEMCPY_SUPPORT_EXP
        | UR_DEVICE_INFO_USM_POOL_SUPPORT
        | UR_DEVICE_INFO_ASYNC_USM_ALLOCATIONS_SUPPORT_EXP => info.bool(usm::is_there(device)),
        UR_DEVICE_INFO_IMAGE_SRGB => {
            let images = device.value::<u32>(cl::CL_DEVICE_IMAGE_SUPPORT);
            info.bool(facts.version >= Version(2, 0) && images == Ok(cl::CL_TRUE))
        }

        // Queues.
        UR_DEVICE_INFO_QUEUE_PROPERTIES | UR_DEVICE_INFO_QUEUE_ON_HOST_PROPERTIES => {
            info.value(queue::supported(device))
        }
        UR_DEVICE_INFO_QUEUE_ON_DEVICE_PROPERTIES => info.value(0u32),

        // Programs. The compiler is for what programs of this API are made of; OpenCL C can be built
        // without it.
        UR_DEVICE_INFO_COMPILER_AVAILABLE => {
            let compiler = device.value::<cl::cl_bool>(cl::CL_DEVICE_COMPILER_AVAILABLE)?;
            info.bool(compiler != cl::CL_FALSE && facts.takes_il)
        }
        UR_DEVICE_INFO_GLOBAL_VARIABLE_SUPPORT => {
            let functions = device.platform().extensions();
            let read = functions.clEnqueueReadGlobalVariableINTEL;
            info.bool(read.is_some() && functions.clEnqueueWriteGlobalVariableINTEL.is_some())
        }
        UR_DEVICE_INFO_PROGRAM_SET_SPECIALIZATION_CONSTANTS => info.bool(facts.specialises(device)),
        UR_DEVICE_INFO_USE_NATIVE_ASSERT => info.bool(has("cl_intel_devicelib_assert")),
        UR_DEVICE_INFO_ESIMD_SUPPORT => {
            let intel = device.value::<u32>(cl::CL_DEVICE_VENDOR_ID) == Ok(INTEL);
            info.bool(facts.kind == UR_DEVICE_TYPE_GPU && intel)
        }

        // Command buffers.
        UR_DEVICE_INFO_COMMAND_BUFFER_SUPPORT_EXP => info.bool(facts.command_buffers.is_some()),
        UR_DEVICE_INFO_COMMAND_BUFFER_UPDATE_CAPABILITIES_EXP => {
            let mutable = facts.command_buffers.map_or(0, |able| able.mutable);
            info.value(command_buffer::changes(mutable))
        }

        // What the adapter does itself.
        UR_DEVICE_INFO_REUSABLE_EVENTS_SUPPORT_EXP
        | UR_DEVICE_INFO_ENQUEUE_HOST_TASK_SUPPORT_EXP
        | UR_DEVICE_INFO_ENQUEUE_NATIVE_COMMAND_SUPPORT_EXP
        | UR_DEVICE_INFO_DEVICE_WAIT_SUPPORT_EXP
        | UR_DEVICE_INFO_MULTI_DEVICE_COMPILE_SUPPORT_EXP => info.bool(true),

        // Sets of abilities that are empty.
        UR_DEVICE_INFO_KERNEL_LAUNCH_CAPABILITIES
        | UR_DEVICE_INFO_2D_BLOCK_ARRAY_CAPABILITIES_EXP => info.value(0u32),

        name if UNSUPPORTED.contains(&name) => info.bool(false),

        // What neither OpenCL nor an extension tells.
        _ => Err(Error::unsupported_query()),
    }
}

/// Intel's number among vendors of PCI devices.
const INTEL: u32 = 0x8086;

/// What cannot be done through OpenCL.
const UNSUPPORTED: &[ur_device_info_t] = &[
    UR_DEVICE_INFO_KERNEL_SET_SPECIALIZATION_CONSTANTS,
    UR_DEVICE_INFO_ASYNC_BARRIER,
    UR_DEVICE_INFO_MEM_CHANNEL_SUPPORT,
    UR_DEVICE_INFO_HOST_PIPE_READ_WRITE_SUPPORT,
    UR_DEVICE_INFO_VIRTUAL_MEMORY_SUPPORT,
    UR_DEVICE_INFO_TIMESTAMP_RECORDING_SUPPORT_EXP,
    UR_DEVICE_INFO_DYNAMIC_LINK_SUPPORT_EXP,
    UR_DEVICE_INFO_COMMAND_BUFFER_EVENT_SUPPORT_EXP,
    UR_DEVICE_INFO_COMMAND_BUFFER_SUBGRAPH_SUPPORT_EXP,
    UR_DEVICE_INFO_IPC_MEMORY_SUPPORT_EXP,
    UR_DEVICE_INFO_IPC_EVENT_SUPPORT_EXP,
    UR_DEVICE_INFO_IPC_PHYSICAL_MEMORY_SUPPORT_EXP,
    UR_DEVICE_INFO_USM_HOST_ALLOC_REGISTER_SUPPORT_EXP,
    UR_DEVICE_INFO_USM_P2P_SUPPORT_EXP,
    UR_DEVICE_INFO_MEMORY_EXPORT_EXPORTABLE_DEVICE_MEM_EXP,
    UR_DEVICE_INFO_GRAPH_RECORD_AND_REPLAY_SUPPORT_EXP,
    UR_DEVICE_INFO_PER_EVENT_PROFILING_SUPPORT_EXP,
    UR_DEVICE_INFO_LOW_POWER_EVENTS_SUPPORT_EXP,
    UR_DEVICE_INFO_CLOCK_SUB_GROUP_SUPPORT_EXP,
    UR_DEVICE_INFO_CLOCK_WORK_GROUP_SUPPORT_EXP,
    UR_DEVICE_INFO_CLOCK_DEVICE_SUPPORT_EXP,
    UR_DEVICE_INFO_BINDLESS_IMAGES_SUPPORT_EXP,
    UR_DEVICE_INFO_BINDLESS_IMAGES_SHARED_USM_SUPPORT_EXP,
    UR_DEVICE_INFO_BINDLESS_IMAGES_1D_USM_SUPPORT_EXP,
    UR_DEVICE_INFO_BINDLESS_IMAGES_2D_USM_SUPPORT_EXP,
    UR_DEVICE_INFO_MIPMAP_SUPPORT_EXP,
    UR_DEVICE_INFO_MIPMAP_ANISOTROPY_SUPPORT_EXP,
    UR_DEVICE_INFO_MIPMAP_LEVEL_REFERENCE_SUPPORT_EXP,
    UR_DEVICE_INFO_EXTERNAL_MEMORY_IMPORT_SUPPORT_EXP,
    UR_DEVICE_INFO_EXTERNAL_SEMAPHORE_IMPORT_SUPPORT_EXP,
    UR_DEVICE_INFO_CUBEMAP_SUPPORT_EXP,
    UR_DEVICE_INFO_CUBEMAP_SEAMLESS_FILTERING_SUPPORT_EXP,
    UR_DEVICE_INFO_BINDLESS_SAMPLED_IMAGE_FETCH_1D_USM_SUPPORT_EXP,
    UR_DEVICE_INFO_BINDLESS_SAMPLED_IMAGE_FETCH_1D_SUPPORT_EXP,
    UR_DEVICE_INFO_BINDLESS_SAMPLED_IMAGE_FETCH_2D_USM_SUPPORT_EXP,
    UR_DEVICE_INFO_BINDLESS_SAMPLED_IMAGE_FETCH_2D_SUPPORT_EXP,
    UR_DEVICE_INFO_BINDLESS_SAMPLED_IMAGE_FETCH_3D_SUPPORT_EXP,
    UR_DEVICE_INFO_IMAGE_ARRAY_SUPPORT_EXP,
    UR_DEVICE_INFO_BINDLESS_UNIQUE_ADDRESSING_PER_DIM_SUPPORT_EXP,
    UR_DEVICE_INFO_BINDLESS_SAMPLE_1D_USM_SUPPORT_EXP,
    UR_DEVICE_INFO_BINDLESS_SAMPLE_2D_USM_SUPPORT_EXP,
    UR_DEVICE_INFO_BINDLESS_IMAGES_GATHER_SUPPORT_EXP,
];

/// What a device can do with numbers of one width; nothing if it has none.
fn floats(device: &Device, name: cl::cl_uint) -> u32 {
    let native: cl::cl_bitfield = device.value(name).unwrap_or(0);
    let flags = [
        (cl::CL_FP_DENORM, UR_DEVICE_FP_CAPABILITY_FLAG_DENORM),
        (cl::CL_FP_INF_NAN, UR_DEVICE_FP_CAPABILITY_FLAG_INF_NAN),
        (
            cl::CL_FP_ROUND_TO_NEAREST,
            UR_DEVICE_FP_CAPABILITY_FLAG_ROUND_TO_NEAREST,
        ),
        (
            cl::CL_FP_ROUND_TO_ZERO,
            UR_DEVICE_FP_CAPABILITY_FLAG_ROUND_TO_ZERO,
        ),
        (
            cl::CL_FP_ROUND_TO_INF,
            UR_DEVICE_FP_CAPABILITY_FLAG_ROUND_TO_INF,
        ),
        (cl::CL_FP_FMA, UR_DEVICE_FP_CAPABILITY_FLAG_FMA),
        (
            cl::CL_FP_SOFT_FLOAT,
            UR_DEVICE_FP_CAPABILITY_FLAG_SOFT_FLOAT,
        ),
        (
            cl::CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT,
            UR_DEVICE_FP_CAPABILITY_FLAG_CORRECTLY_ROUNDED_DIVIDE_SQRT,
        ),
    ];
    let have = flags.iter().filter(|(flag, _)| native & flag != 0);
    have.fold(0, |all, (_, flag)| all | flag.0)
}

/// All orders and scopes.
const ALL_ATOMICS: cl::cl_bitfield = cl::CL_DEVICE_ATOMIC_ORDER_RELAXED
    | cl::CL_DEVICE_ATOMIC_ORDER_ACQ_REL
    | cl::CL_DEVICE_ATOMIC_ORDER_SEQ_CST
    | cl::CL_DEVICE_ATOMIC_SCOPE_WORK_ITEM
    | cl::CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP
    | cl::CL_DEVICE_ATOMIC_SCOPE_DEVICE
    | cl::CL_DEVICE_ATOMIC_SCOPE_ALL_DEVICES;

/// Orders and scopes: what the driver says from 3.0 on, all in 2.x, and before that only what any
/// device has.
fn atomics(device: &Device, name: cl::cl_uint, least: cl::cl_bitfield) -> cl::cl_bitfield {
    match device.version() {
        Version(3.., _) => device.value(name).unwrap_or(least),
        Version(2, _) => ALL_ATOMICS,
        _ => least,
    }
}

fn memory_atomics(device: &Device) -> cl::cl_bitfield {
    let least = cl::CL_DEVICE_ATOMIC_ORDER_RELAXED | cl::CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP;
    atomics(device, cl::CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES, least)
}

fn fence_atomics(device: &Device) -> cl::cl_bitfield {
    let least = cl::CL_DEVICE_ATOMIC_ORDER_RELAXED
        | cl::CL_DEVICE_ATOMIC_ORDER_ACQ_REL
        | cl::CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP;
    atomics(device, cl::CL_DEVICE_ATOMIC_FENCE_CAPABILITIES, least)
}

/// The API's flags for orders; OpenCL has one for three of them.
fn orders(native: cl::cl_bitfield) -> u32 {
    let mut flags = 0;
    if native & cl::CL_DEVICE_ATOMIC_ORDER_RELAXED != 0 {
        flags |= UR_MEMORY_ORDER_CAPABILITY_FLAG_RELAXED.0;
    }
    if native & cl::CL_DEVICE_ATOMIC_ORDER_ACQ_REL != 0 {
        flags |= UR_MEMORY_ORDER_CAPABILITY_FLAG_ACQUIRE.0
            | UR_MEMORY_ORDER_CAPABILITY_FLAG_RELEASE.0
            | UR_MEMORY_ORDER_CAPABILITY_FLAG_ACQ_REL.0;
    }
    if native & cl::CL_DEVICE_ATOMIC_ORDER_SEQ_CST != 0 {
        flags |= UR_MEMORY_ORDER_CAPABILITY_FLAG_SEQ_CST.0;
    }
    flags
}

/// The API's flags for scopes. A scope includes the smaller ones.
fn scopes(native: cl::cl_bitfield) -> u32 {
    let scopes = [
        (
            cl::CL_DEVICE_ATOMIC_SCOPE_ALL_DEVICES,
            UR_MEMORY_SCOPE_CAPABILITY_FLAG_SYSTEM,
        ),
        (
            cl::CL_DEVICE_ATOMIC_SCOPE_DEVICE,
            UR_MEMORY_SCOPE_CAPABILITY_FLAG_DEVICE,
        ),
        (
            cl::CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP,
            UR_MEMORY_SCOPE_CAPABILITY_FLAG_WORK_GROUP,
        ),
        (
            cl::CL_DEVICE_ATOMIC_SCOPE_WORK_ITEM,
            UR_MEMORY_SCOPE_CAPABILITY_FLAG_WORK_ITEM,
        ),
    ];
    let largest = scopes.iter().find(|(scope, _)| native & scope != 0);
    // The API's flags grow with the scope.
    largest.map_or(0, |(_, flag)| flag.0 | (flag.0 - 1))
}

/// Sizes of sub-groups that kernels can require; none if the driver does not tell.
fn sub_group_sizes(device: &Device) -> Vec<u32> {
    if !device.has("cl_intel_required_subgroup_size") {
        return Vec::new();
    }
    let sizes = device.list::<usize>(cl::CL_DEVICE_SUB_GROUP_SIZES_INTEL);
    let sizes = sizes.unwrap_or_default();
    sizes.into_iter().map(|size| size as u32).collect()
}

/// Where the device is, as domain, bus, device and function.
fn pci_address(device: &Device) -> Result<String> {
    if !device.has("cl_khr_pci_bus_info") {
        return Err(Error::unsupported_query());
    }
    let [domain, bus, place, function]: [u32; 4] = device
        .value(cl::CL_DEVICE_PCI_BUS_INFO_KHR)
        .map_err(|_| Error::unsupported_query())?;
    Ok(format!("{domain:04x}:{bus:02x}:{place:02x}.{function:x}"))
}

/// Execution units of a GPU of Intel's.
fn execution_units(device: &Device) -> Result<u32> {
    let names = [
        UR_DEVICE_INFO_GPU_EU_SLICES,
        UR_DEVICE_INFO_GPU_SUBSLICES_PER_SLICE,
        UR_DEVICE_INFO_GPU_EU_COUNT_PER_SUBSLICE,
    ];
    names.iter().try_fold(1u32, |all, name| {
        let question = native::question(*name).ok_or_else(Error::unsupported_query)?;
        Ok(all.saturating_mul(question.number(device)?))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scopes_include_smaller_ones() {
        assert_eq!(scopes(0), 0);
        assert_eq!(scopes(cl::CL_DEVICE_ATOMIC_SCOPE_WORK_ITEM), 0x1);
        assert_eq!(scopes(cl::CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP), 0x7);
        assert_eq!(scopes(cl::CL_DEVICE_ATOMIC_SCOPE_DEVICE), 0xf);
        assert_eq!(scopes(ALL_ATOMICS), 0x1f);
    }

    #[test]
    fn orders_are_all_there() {
        assert_eq!(orders(cl::CL_DEVICE_ATOMIC_ORDER_RELAXED), 0x1);
        assert_eq!(orders(cl::CL_DEVICE_ATOMIC_ORDER_ACQ_REL), 0xe);
        assert_eq!(orders(ALL_ATOMICS), 0x1f);
    }

    #[test]
    fn no_question_is_answered_twice() {
        for name in UNSUPPORTED {
            assert!(native::question(*name).is_none(), "{name}");
            let count = UNSUPPORTED.iter().filter(|other| *other == name).count();
            assert_eq!(count, 1, "{name}");
        }
    }
}
