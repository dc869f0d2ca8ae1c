//! Splitting devices: into the sub-devices that Level Zero has, or into the compute engines of one.

use super::{Device, lasting};
use crate::ze;
use crate::ze::driver::list;
use ur_adapter::{Error, Handle, Object, Result};
use ur_api::*;

/// The sub-devices of a device; none for one that is an engine.
pub fn parts(device: &Object<Device>) -> &'static [Object<Device>] {
    let device = lasting(device);
    device.parts.get_or_init(|| {
        if device.slice.is_some() {
            return Box::default();
        }
        let mut natives = list(ze::ze_device_handle_t::NULL, |count, parts| {
            // SAFETY: a live device; the places are as `list` says.
            unsafe { (device.api().zeDeviceGetSubDevices)(device.native, count, parts) }
        });
        natives.retain(|native| !native.is_null());
        let natives = natives.into_iter();
        natives
            .map(|native| Object::kept(Device::part(device, native, None)))
            .collect()
    })
}

/// The parts of a device without sub-devices that are one of several compute engines each.
pub fn slices(device: &Object<Device>) -> &'static [Object<Device>] {
    let device = lasting(device);
    device.slices.get_or_init(|| {
        let engines = device.facts().compute_engines();
        if device.slice.is_some() || engines < 2 || !parts(device).is_empty() {
            return Box::default();
        }
        (0..engines)
            .map(|index| Object::kept(Device::part(device, device.native, Some(index))))
            .collect()
    })
}

/// The ways to split a device.
pub fn supported(device: &Object<Device>) -> Vec<ur_device_partition_t> {
    let mut ways = Vec::new();
    if !parts(device).is_empty() {
        ways.push(UR_DEVICE_PARTITION_BY_AFFINITY_DOMAIN);
    }
    if !slices(device).is_empty() {
        ways.push(UR_DEVICE_PARTITION_BY_CSLICE);
    }
    ways
}

/// The affinity domains by which a device can be split, as flags. Sub-devices have memory of their own.
pub fn domains(device: &Object<Device>) -> u32 {
    match parts(device) {
        [] => 0,
        _ => {
            UR_DEVICE_AFFINITY_DOMAIN_FLAG_NUMA.0
                | UR_DEVICE_AFFINITY_DOMAIN_FLAG_NEXT_PARTITIONABLE.0
        }
    }
}

/// How many parts there can be at most.
pub fn most(device: &Object<Device>) -> u32 {
    parts(device).len().max(slices(device).len()) as u32
}

/// How a sub-device came about: way and value, two numbers of 32 bits; nothing for a root device.
pub fn origin(device: &Device) -> Vec<[u32; 2]> {
    match (device.parent, device.slice) {
        (None, _) => Vec::new(),
        (Some(_), Some(_)) => vec![[UR_DEVICE_PARTITION_BY_CSLICE.0, 0]],
        (Some(_), None) => vec![[
            UR_DEVICE_PARTITION_BY_AFFINITY_DOMAIN.0,
            UR_DEVICE_AFFINITY_DOMAIN_FLAG_NUMA.0,
        ]],
    }
}

/// Splits a device.
///
/// # Errors
/// `INVALID_VALUE` for properties that make no sense, `DEVICE_PARTITION_FAILED` for a way that the
/// device does not have.
pub fn split(
    device: &'static Object<Device>,
    asked: &ur_device_partition_properties_t,
) -> Result<Vec<Handle<Device>>> {
    if asked.pProperties.is_null() {
        return Err(Error::code(UR_RESULT_ERROR_INVALID_NULL_POINTER));
    }
    // SAFETY: the caller passes that many properties.
    let asked = unsafe { std::slice::from_raw_parts(asked.pProperties, asked.PropCount) };
    let [first, others @ ..] = asked else {
        return Err(Error::value("no partition property"));
    };
    if !others.is_empty() && first.r#type != UR_DEVICE_PARTITION_BY_COUNTS {
        return Err(Error::value("more than one partition property"));
    }
    let failed = |why: &'static str| Error::new(UR_RESULT_ERROR_DEVICE_PARTITION_FAILED, why);
    let found = match first.r#type {
        UR_DEVICE_PARTITION_BY_AFFINITY_DOMAIN => {
            // SAFETY: the type says which member holds the value; all are 32-bit numbers.
            let domain = unsafe { first.value.affinity_domain };
            if domain.count_ones() != 1
                || domain > UR_DEVICE_AFFINITY_DOMAIN_FLAG_NEXT_PARTITIONABLE.0
            {
                return Err(Error::value("not one affinity domain"));
            }
            if domains(device) & domain == 0 {
                return Err(failed("the affinity domain does not split the device"));
            }
            parts(device)
        }
        UR_DEVICE_PARTITION_BY_CSLICE => slices(device),
        // SAFETY: as above.
        UR_DEVICE_PARTITION_EQUALLY if unsafe { first.value.equally } == 0 => {
            return Err(Error::value("parts of 0 compute units"));
        }
        UR_DEVICE_PARTITION_EQUALLY | UR_DEVICE_PARTITION_BY_COUNTS => {
            return Err(failed("Level Zero has no parts of a wanted size"));
        }
        _ => return Err(Error::code(UR_RESULT_ERROR_INVALID_ENUMERATION)),
    };
    if found.is_empty() {
        return Err(failed("the device has no such parts"));
    }
    Ok(found.iter().map(Object::handle).collect())
}
