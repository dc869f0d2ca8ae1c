//! What a device says of itself and of its kernels.

use super::Device;
use crate::call::{call, fill, fill_behind, get, letters};
use crate::clock;
use crate::settings::Settings;
use crate::world::{Kind, World};
use crate::ze::*;
use std::ffi::c_void;

/// Most work-items of a work-group.
pub const MAX_GROUP: u32 = 1024;
/// Bytes of local memory.
pub const LOCAL_MEMORY: u32 = 128 << 10;
/// Sizes of sub-groups that a kernel can ask for.
pub const SUB_GROUPS: [u32; 4] = [8, 16, 32, 64];
/// Work-groups of a cooperative launch.
pub const MAX_COOPERATIVE: u32 = 16;

/// Answers a question about a device: the properties, and what is to be behind them.
///
/// # Safety
/// `place` is null or leads to the structure.
pub(super) unsafe fn answer<T: Structure>(
    name: &'static str,
    device: ze_device_handle_t,
    place: *mut T,
    make: impl FnOnce(&Device, &Settings) -> T,
    behind: impl FnOnce(*const c_void, &Settings),
) -> ze_result_t {
    call(name, |world: &mut World| {
        let settings = world.settings_of(device.to_native(), Kind::Device)?;
        let device = world.device(device.to_native())?;
        let properties = make(device, &settings);
        // SAFETY: as the caller says.
        unsafe {
            fill(place, properties)?;
            let next = get(place.cast::<ze_base_desc_t>())?.pNext;
            behind(next, &settings);
        }
        Ok(())
    })
}

/// What a device is.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeDeviceGetProperties(
    device: ze_device_handle_t,
    place: *mut ze_device_properties_t,
) -> ze_result_t {
    // SAFETY: as the caller says.
    let stype = unsafe { place.as_ref() }.map_or(0, |place| place.stype);
    let make = |device: &Device, settings: &Settings| {
        let mut properties = ze_device_properties_t::new();
        properties.type_ = ZE_DEVICE_TYPE_GPU;
        properties.vendorId = 0xf4ce;
        properties.deviceId = 0x0100 + device.number;
        if settings.integrated {
            properties.flags |= ZE_DEVICE_PROPERTY_FLAG_INTEGRATED;
        }
        if device.parent.is_some() {
            properties.flags |= ZE_DEVICE_PROPERTY_FLAG_SUBDEVICE;
            properties.subdeviceId = device.part;
        }
        properties.coreClockRate = 1600;
        properties.maxMemAllocSize = super::max_allocation(settings);
        properties.maxHardwareContexts = 65_536;
        properties.maxCommandQueuePriority = 0;
        properties.numThreadsPerEU = 8;
        properties.physicalEUSimdWidth = 16;
        properties.numEUsPerSubslice = 8;
        properties.numSubslicesPerSlice = 4;
        properties.numSlices = device.parts.len().max(1) as u32;
        // Ticks per second for who asks with the later type.
        properties.timerResolution = match stype {
            ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES_1_2 if settings.since(2) => {
                1_000_000_000 / clock::TICK
            }
            _ => clock::TICK,
        };
        properties.timestampValidBits = clock::BITS;
        properties.kernelTimestampValidBits = clock::KERNEL_BITS;
        properties.uuid = *b"ur-fake-ze\0\0\0\0\0\0";
        properties.uuid[11] = device.number as u8;
        properties.uuid[15] = device.parent.map_or(0, |_| device.part as u8 + 1);
        properties.name = letters(&format!("Fake Level Zero device {}", device.number));
        properties
    };
    let behind = |next, settings: &Settings| {
        let mut count = ze_eu_count_ext_t::new();
        count.numTotalEUs = 32 * settings.parts.max(1);
        let mut version = ze_device_ip_version_ext_t::new();
        version.ipVersion = 0x00f4_ce00;
        let mut mutable = ze_mutable_command_list_exp_properties_t::new();
        if settings.has("mutable") {
            mutable.mutableCommandFlags = ZE_MUTABLE_COMMAND_EXP_FLAG_KERNEL_ARGUMENTS
                | ZE_MUTABLE_COMMAND_EXP_FLAG_GROUP_COUNT
                | ZE_MUTABLE_COMMAND_EXP_FLAG_GROUP_SIZE
                | ZE_MUTABLE_COMMAND_EXP_FLAG_GLOBAL_OFFSET
                | ZE_MUTABLE_COMMAND_EXP_FLAG_SIGNAL_EVENT
                | ZE_MUTABLE_COMMAND_EXP_FLAG_WAIT_EVENTS
                | ZE_MUTABLE_COMMAND_EXP_FLAG_KERNEL_INSTRUCTION;
        }
        let mut times = ze_event_query_kernel_timestamps_ext_properties_t::new();
        if settings.has("timestamps") {
            times.flags = ZE_EVENT_QUERY_KERNEL_TIMESTAMPS_EXT_FLAG_KERNEL
                | ZE_EVENT_QUERY_KERNEL_TIMESTAMPS_EXT_FLAG_SYNCHRONIZED;
        }
        // SAFETY: the chain is the caller's.
        unsafe {
            if settings.since(3) {
                fill_behind(next, count);
            }
            if settings.since(5) {
                fill_behind(next, version);
            }
            fill_behind(next, mutable);
            fill_behind(next, times);
        }
    };
    // SAFETY: as the caller says.
    unsafe { answer("zeDeviceGetProperties", device, place, make, behind) }
}

/// What work-groups can be.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeDeviceGetComputeProperties(
    device: ze_device_handle_t,
    place: *mut ze_device_compute_properties_t,
) -> ze_result_t {
    let make = |_: &Device, _: &Settings| {
        let mut properties = ze_device_compute_properties_t::new();
        properties.maxTotalGroupSize = MAX_GROUP;
        properties.maxGroupSizeX = MAX_GROUP;
        properties.maxGroupSizeY = MAX_GROUP;
        properties.maxGroupSizeZ = MAX_GROUP;
        properties.maxGroupCountX = u32::MAX;
        properties.maxGroupCountY = u32::MAX;
        properties.maxGroupCountZ = u32::MAX;
        properties.maxSharedLocalMemory = LOCAL_MEMORY;
        properties.numSubGroupSizes = SUB_GROUPS.len() as u32;
        properties.subGroupSizes[..SUB_GROUPS.len()].copy_from_slice(&SUB_GROUPS);
        properties
    };
    // SAFETY: as the caller says.
    unsafe {
        answer(
            "zeDeviceGetComputeProperties",
            device,
            place,
            make,
            |_, _| (),
        )
    }
}

/// What kernels can do.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeDeviceGetModuleProperties(
    device: ze_device_handle_t,
    place: *mut ze_device_module_properties_t,
) -> ze_result_t {
    let make = |_: &Device, settings: &Settings| {
        let float = ZE_DEVICE_FP_FLAG_DENORM
            | ZE_DEVICE_FP_FLAG_INF_NAN
            | ZE_DEVICE_FP_FLAG_ROUND_TO_NEAREST
            | ZE_DEVICE_FP_FLAG_FMA;
        let mut properties = ze_device_module_properties_t::new();
        properties.spirvVersionSupported = version(1, 4);
        properties.flags = ZE_DEVICE_MODULE_FLAG_INT64_ATOMICS;
        properties.fp32flags = float | ZE_DEVICE_FP_FLAG_ROUNDED_DIVIDE_SQRT;
        if settings.has("fp16") {
            properties.flags |= ZE_DEVICE_MODULE_FLAG_FP16;
            properties.fp16flags = float;
        }
        if settings.has("fp64") {
            properties.flags |= ZE_DEVICE_MODULE_FLAG_FP64;
            properties.fp64flags = float;
        }
        properties.maxArgumentsSize = 2048;
        properties.printfBufferSize = 4 << 20;
        properties.nativeKernelSupported = *b"ur-fake-ze-bin\0\0";
        properties
    };
    let behind = |next, settings: &Settings| {
        let all = ZE_DEVICE_FP_ATOMIC_EXT_FLAG_GLOBAL_LOAD_STORE
            | ZE_DEVICE_FP_ATOMIC_EXT_FLAG_GLOBAL_ADD
            | ZE_DEVICE_FP_ATOMIC_EXT_FLAG_GLOBAL_MIN_MAX
            | ZE_DEVICE_FP_ATOMIC_EXT_FLAG_LOCAL_LOAD_STORE
            | ZE_DEVICE_FP_ATOMIC_EXT_FLAG_LOCAL_ADD
            | ZE_DEVICE_FP_ATOMIC_EXT_FLAG_LOCAL_MIN_MAX;
        let mut atomics = ze_float_atomic_ext_properties_t::new();
        atomics.fp32Flags = all;
        if settings.has("fp64") {
            atomics.fp64Flags = all;
        }
        if settings.since(1) {
            // SAFETY: the chain is the caller's.
            unsafe { fill_behind(next, atomics) };
        }
    };
    // SAFETY: as the caller says.
    unsafe { answer("zeDeviceGetModuleProperties", device, place, make, behind) }
}

/// What images and samplers can be.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeDeviceGetImageProperties(
    device: ze_device_handle_t,
    place: *mut ze_device_image_properties_t,
) -> ze_result_t {
    let make = |_: &Device, settings: &Settings| {
        let mut properties = ze_device_image_properties_t::new();
        if settings.has("images") {
            properties.maxImageDims1D = crate::image::MAX_EXTENT;
            properties.maxImageDims2D = crate::image::MAX_EXTENT;
            properties.maxImageDims3D = crate::image::MAX_EXTENT_3D;
            properties.maxImageBufferSize = u64::from(crate::image::MAX_EXTENT);
            properties.maxImageArraySlices = crate::image::MAX_LAYERS;
            properties.maxSamplers = 16;
            properties.maxReadImageArgs = 128;
            properties.maxWriteImageArgs = 128;
        }
        properties
    };
    // SAFETY: as the caller says.
    unsafe { answer("zeDeviceGetImageProperties", device, place, make, |_, _| ()) }
}

/// How memory can be given to other interfaces and got from them; images cannot.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeDeviceGetExternalMemoryProperties(
    device: ze_device_handle_t,
    place: *mut ze_device_external_memory_properties_t,
) -> ze_result_t {
    let make = |_: &Device, _: &Settings| {
        let mut properties = ze_device_external_memory_properties_t::new();
        properties.memoryAllocationImportTypes = crate::memory::EXTERNAL_KINDS;
        properties.memoryAllocationExportTypes = crate::memory::EXTERNAL_KINDS;
        properties
    };
    let name = "zeDeviceGetExternalMemoryProperties";
    // SAFETY: as the caller says.
    unsafe { answer(name, device, place, make, |_, _| ()) }
}

/// Where a device is on the bus.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeDevicePciGetPropertiesExt(
    device: ze_device_handle_t,
    place: *mut ze_pci_ext_properties_t,
) -> ze_result_t {
    let name = "zeDevicePciGetPropertiesExt";
    let mut since = false;
    let make = |device: &Device, settings: &Settings| {
        since = settings.since(3);
        let mut properties = ze_pci_ext_properties_t::new();
        properties.address.bus = 0x10 + device.number;
        properties.maxSpeed.genVersion = 4;
        properties.maxSpeed.width = 16;
        properties.maxSpeed.maxBandwidth = 32_000_000_000;
        properties
    };
    // SAFETY: as the caller says.
    let result = unsafe { answer(name, device, place, make, |_, _| ()) };
    match since {
        false if result == ZE_RESULT_SUCCESS => ZE_RESULT_ERROR_UNSUPPORTED_FEATURE,
        _ => result,
    }
}

/// How wide vectors are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeDeviceGetVectorWidthPropertiesExt(
    device: ze_device_handle_t,
    count: *mut u32,
    place: *mut ze_device_vector_width_properties_ext_t,
) -> ze_result_t {
    call("zeDeviceGetVectorWidthPropertiesExt", |world| {
        world.needs(device.to_native(), Kind::Device, 13)?;
        let mut widths = ze_device_vector_width_properties_ext_t::new();
        widths.vector_width_size = 32;
        widths.preferred_vector_width_char = 32;
        widths.preferred_vector_width_short = 16;
        widths.preferred_vector_width_int = 8;
        widths.preferred_vector_width_long = 4;
        widths.preferred_vector_width_float = 8;
        widths.preferred_vector_width_double = 4;
        widths.preferred_vector_width_half = 16;
        widths.native_vector_width_char = 32;
        widths.native_vector_width_short = 16;
        widths.native_vector_width_int = 8;
        widths.native_vector_width_long = 4;
        widths.native_vector_width_float = 8;
        widths.native_vector_width_double = 4;
        widths.native_vector_width_half = 16;
        // SAFETY: as the caller says.
        unsafe { super::tell_properties(&[widths], count, place) }
    })
}
