//! The CPU as a device, and its sub-devices.

pub mod info;

use crate::adapter::roots;
use crate::platform::Platform;
use crate::{NativeCpu, clock, pool};
use std::ffi::CStr;
use std::mem::MaybeUninit;
use ur_adapter::{DeviceFns, Error, Handle, Info, Object, Result};
use ur_api::*;

/// What a device handle names: the whole CPU, or a part of it.
///
/// A sub-device is a share of the compute units, not particular ones: each of its commands runs on
/// that many threads at most.
#[derive(Debug)]
pub struct Device {
    units: u32,
    parent: Option<Handle<Device>>,
    /// How the parent was partitioned: kind and value.
    partition: Option<(ur_device_partition_t, u32)>,
    /// Position among the sub-devices made together.
    index: u32,
}

impl Device {
    /// The whole CPU.
    pub fn root() -> Device {
        Device {
            units: pool::thread_count() as u32,
            parent: None,
            partition: None,
            index: 0,
        }
    }

    /// Threads that run a command of this device at the same time.
    pub fn units(&self) -> u32 {
        self.units
    }

    /// Whether it is only a part of the CPU.
    pub fn is_sub_device(&self) -> bool {
        self.parent.is_some()
    }

    /// Whether it is `other` or a part of it.
    pub fn is_part_of(&self, other: &Object<Device>) -> bool {
        let mut at = self;
        loop {
            if std::ptr::eq(at, &**other) {
                return true;
            }
            match &at.parent {
                Some(parent) => at = parent,
                None => return false,
            }
        }
    }
}

/// The sizes of the parts that `properties` ask for, with the value that asked for each.
fn parts(units: u32, properties: &[ur_device_partition_property_t]) -> Result<Vec<(u32, u32)>> {
    let Some(first) = properties.first() else {
        return Err(Error::value("no partition property"));
    };
    match first.r#type {
        UR_DEVICE_PARTITION_EQUALLY => {
            // SAFETY: the type says which member holds the value; all are 32-bit numbers.
            let size = unsafe { first.value.equally };
            if properties.len() > 1 {
                return Err(Error::value("more than one property to partition equally"));
            }
            if size == 0 {
                return Err(Error::value("parts of 0 compute units"));
            }
            if size > units {
                return Err(Error::code(UR_RESULT_ERROR_DEVICE_PARTITION_FAILED));
            }
            Ok(vec![(size, size); (units / size) as usize])
        }
        UR_DEVICE_PARTITION_BY_COUNTS => {
            let mut left = units;
            properties
                .iter()
                .map(|property| {
                    if property.r#type != UR_DEVICE_PARTITION_BY_COUNTS {
                        return Err(Error::value("partition properties of two kinds"));
                    }
                    // SAFETY: as above.
                    let size = unsafe { property.value.count };
                    left = left.checked_sub(size).filter(|_| size > 0).ok_or_else(|| {
                        Error::code(UR_RESULT_ERROR_INVALID_DEVICE_PARTITION_COUNT)
                    })?;
                    Ok((size, size))
                })
                .collect()
        }
        UR_DEVICE_PARTITION_BY_AFFINITY_DOMAIN | UR_DEVICE_PARTITION_BY_CSLICE => {
            Err(Error::code(UR_RESULT_ERROR_DEVICE_PARTITION_FAILED))
        }
        _ => Err(Error::code(UR_RESULT_ERROR_INVALID_ENUMERATION)),
    }
}

impl DeviceFns for NativeCpu {
    fn device_get(
        _: &Object<Platform>,
        device_type: ur_device_type_t,
    ) -> Result<Vec<Handle<Device>>> {
        match device_type {
            UR_DEVICE_TYPE_DEFAULT | UR_DEVICE_TYPE_ALL | UR_DEVICE_TYPE_CPU => {
                Ok(vec![roots().device.handle()])
            }
            UR_DEVICE_TYPE_GPU
            | UR_DEVICE_TYPE_FPGA
            | UR_DEVICE_TYPE_MCA
            | UR_DEVICE_TYPE_VPU
            | UR_DEVICE_TYPE_CUSTOM => Ok(Vec::new()),
            _ => Err(Error::code(UR_RESULT_ERROR_INVALID_ENUMERATION)),
        }
    }

    fn device_get_info(
        device: &Object<Device>,
        prop_name: ur_device_info_t,
        info: &mut Info<'_>,
    ) -> Result {
        info::answer(device, prop_name, info)
    }

    fn device_partition(
        device: &Object<Device>,
        properties: &ur_device_partition_properties_t,
    ) -> Result<Vec<Handle<Device>>> {
        if properties.pProperties.is_null() {
            return Err(Error::code(UR_RESULT_ERROR_INVALID_NULL_POINTER));
        }
        // SAFETY: the caller passes that many properties.
        let list =
            unsafe { std::slice::from_raw_parts(properties.pProperties, properties.PropCount) };
        let kind = list.first().map(|property| property.r#type);
        parts(device.units, list)?
            .into_iter()
            .enumerate()
            .map(|(index, (units, value))| {
                Handle::new(Device {
                    units,
                    parent: Some(device.handle()),
                    partition: kind.map(|kind| (kind, value)),
                    index: index as u32,
                })
            })
            .collect()
    }

    fn device_select_binary(_: &Object<Device>, binaries: &[ur_device_binary_t]) -> Result<u32> {
        if binaries.is_empty() {
            return Err(Error::code(UR_RESULT_ERROR_INVALID_SIZE));
        }
        let is_spirv = |binary: &ur_device_binary_t| {
            // SAFETY: the target is null or a terminated text.
            !binary.pDeviceTargetSpec.is_null()
                && unsafe { CStr::from_ptr(binary.pDeviceTargetSpec) }
                    == UR_DEVICE_BINARY_TARGET_SPIRV64
        };
        binaries
            .iter()
            .position(is_spirv)
            .map(|position| position as u32)
            .ok_or_else(|| {
                Error::new(
                    UR_RESULT_ERROR_INVALID_BINARY,
                    "no image is SPIR-V (spir64)",
                )
            })
    }

    fn device_get_global_timestamps(
        _: &Object<Device>,
        device_timestamp: Option<&mut MaybeUninit<u64>>,
        host_timestamp: Option<&mut MaybeUninit<u64>>,
    ) -> Result {
        // Device and host have the same clock.
        let now = clock::now();
        for place in [device_timestamp, host_timestamp].into_iter().flatten() {
            place.write(now);
        }
        Ok(())
    }
}
