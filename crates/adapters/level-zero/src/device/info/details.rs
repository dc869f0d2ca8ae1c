//! Answers about devices that take more than a look at what is known.

use super::{Device, INTEL, told};
use crate::ze;
use ur_adapter::{Error, Result};
use ur_api::*;

/// Whether the device can be used. A driver need not be able to tell, and then it can.
pub fn is_available(device: &Device) -> bool {
    // SAFETY: a live device.
    let status = unsafe { (device.api().zeDeviceGetStatus)(device.native()) };
    !matches!(
        status,
        ze::ZE_RESULT_ERROR_DEVICE_LOST | ze::ZE_RESULT_ERROR_DEVICE_REQUIRES_RESET
    )
}

/// The version of SPIR-V that the driver takes.
pub fn il_version(device: &Device) -> Result<String> {
    match device.facts().module.spirvVersionSupported {
        0 => Err(Error::unsupported_query()),
        version => Ok(format!("SPIR-V_{}.{}", version >> 16, version & 0xffff)),
    }
}

/// Where the device is, as domain, bus, device and function.
pub fn pci_address(device: &Device) -> Result<String> {
    let get = told(device.api().later.zeDevicePciGetPropertiesExt)?;
    let mut pci = ze::ze_pci_ext_properties_t::new();
    // SAFETY: a live device and a place of ours.
    if unsafe { get(device.native(), &raw mut pci) } != ze::ZE_RESULT_SUCCESS {
        return Err(Error::unsupported_query());
    }
    let ze::ze_pci_address_ext_t {
        domain,
        bus,
        device,
        function,
    } = pci.address;
    Ok(format!("{domain:04x}:{bus:02x}:{device:02x}.{function:x}"))
}

/// Bytes per second that the device reads from its memories; none if the driver does not tell.
pub fn bandwidth(device: &Device) -> Option<u64> {
    if !device
        .platform()
        .has(ze::ZE_DEVICE_MEMORY_PROPERTIES_EXT_NAME)
    {
        return None;
    }
    let count = device.facts().memories.len();
    let mut more = vec![ze::ze_device_memory_ext_properties_t::new(); count];
    let mut memories: Vec<_> = more
        .iter_mut()
        .map(|more| {
            let mut memory = ze::ze_device_memory_properties_t::new();
            memory.pNext = std::ptr::from_mut(more).cast();
            memory
        })
        .collect();
    let mut count = count as u32;
    let get = device.api().zeDeviceGetMemoryProperties;
    // SAFETY: a live device and as many places as told, with more behind each.
    let code = unsafe { get(device.native(), &raw mut count, memories.as_mut_ptr()) };
    if code != ze::ZE_RESULT_SUCCESS {
        return None;
    }
    let of = |memory: &ze::ze_device_memory_properties_t,
              more: &ze::ze_device_memory_ext_properties_t| {
        let unit = match more.bandwidthUnit {
            ze::ZE_BANDWIDTH_UNIT_BYTES_PER_NANOSEC => 1_000_000_000,
            ze::ZE_BANDWIDTH_UNIT_BYTES_PER_CLOCK => u64::from(memory.maxClockRate) * 1_000_000,
            _ => 0,
        };
        u64::from(more.readBandwidth).saturating_mul(unit)
    };
    let each = memories.iter().zip(&more);
    let all = each.map(|(memory, more)| of(memory, more)).sum();
    (all != 0).then_some(all)
}

/// What programs can use, by the names that OpenCL has for it, by which SYCL's runtime asks.
pub fn extensions(device: &Device) -> String {
    let facts = device.facts();
    let mut names = Vec::new();
    if facts.module.spirvVersionSupported != 0 {
        names.push("cl_khr_il_program");
    }
    if !facts.sub_group_sizes().is_empty() {
        names.extend(["cl_khr_subgroups", "cl_intel_required_subgroup_size"]);
        if facts.properties.vendorId == INTEL {
            names.extend(["cl_intel_subgroups", "cl_intel_subgroups_short"]);
        }
    }
    let flags: [(u32, &[&str]); 3] = [
        (ze::ZE_DEVICE_MODULE_FLAG_FP16, &["cl_khr_fp16"]),
        (ze::ZE_DEVICE_MODULE_FLAG_FP64, &["cl_khr_fp64"]),
        (
            ze::ZE_DEVICE_MODULE_FLAG_INT64_ATOMICS,
            &["cl_khr_int64_base_atomics", "cl_khr_int64_extended_atomics"],
        ),
    ];
    for (flag, extensions) in flags {
        if facts.can(flag) {
            names.extend(extensions);
        }
    }
    if device.platform().has(ze::ZE_BFLOAT16_CONVERSIONS_EXT_NAME) {
        names.push("cl_intel_bfloat16_conversions");
    }
    names.join(" ")
}

/// The API's flags for what a device can do with numbers of one width.
pub fn floats(native: u32) -> u32 {
    let flags = [
        (
            ze::ZE_DEVICE_FP_FLAG_DENORM,
            UR_DEVICE_FP_CAPABILITY_FLAG_DENORM,
        ),
        (
            ze::ZE_DEVICE_FP_FLAG_INF_NAN,
            UR_DEVICE_FP_CAPABILITY_FLAG_INF_NAN,
        ),
        (
            ze::ZE_DEVICE_FP_FLAG_ROUND_TO_NEAREST,
            UR_DEVICE_FP_CAPABILITY_FLAG_ROUND_TO_NEAREST,
        ),
        (
            ze::ZE_DEVICE_FP_FLAG_ROUND_TO_ZERO,
            UR_DEVICE_FP_CAPABILITY_FLAG_ROUND_TO_ZERO,
        ),
        (
            ze::ZE_DEVICE_FP_FLAG_ROUND_TO_INF,
            UR_DEVICE_FP_CAPABILITY_FLAG_ROUND_TO_INF,
        ),
        (ze::ZE_DEVICE_FP_FLAG_FMA, UR_DEVICE_FP_CAPABILITY_FLAG_FMA),
        (
            ze::ZE_DEVICE_FP_FLAG_ROUNDED_DIVIDE_SQRT,
            UR_DEVICE_FP_CAPABILITY_FLAG_CORRECTLY_ROUNDED_DIVIDE_SQRT,
        ),
        (
            ze::ZE_DEVICE_FP_FLAG_SOFT_FLOAT,
            UR_DEVICE_FP_CAPABILITY_FLAG_SOFT_FLOAT,
        ),
    ];
    let have = flags.iter().filter(|(flag, _)| native & flag != 0);
    have.fold(0, |all, (_, flag)| all | flag.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_of_floats_are_the_ones_of_that_name() {
        assert_eq!(floats(0), 0);
        assert_eq!(
            floats(ze::ZE_DEVICE_FP_FLAG_SOFT_FLOAT | ze::ZE_DEVICE_FP_FLAG_FMA),
            UR_DEVICE_FP_CAPABILITY_FLAG_SOFT_FLOAT.0 | UR_DEVICE_FP_CAPABILITY_FLAG_FMA.0
        );
        assert_eq!(floats(u32::MAX).count_ones(), 8);
    }
}
