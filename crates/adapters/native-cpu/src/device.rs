//! The CPU as a device, and its sub-devices.

pub mod affinity;
pub mod info;

use crate::adapter::roots;
use crate::platform::Platform;
use crate::{NativeCpu, clock, pool};
use affinity::{Cpus, Topology};
use std::ffi::CStr;
use std::mem::MaybeUninit;
use std::sync::Arc;
use ur_adapter::{DeviceFns, Error, Handle, Info, Object, Result};
use ur_api::*;

/// What a device handle names: the whole CPU, or a part of it.
///
/// A sub-device is a share of the compute units: each of its commands runs on that many threads at
/// most. One made by affinity domain is made of particular CPUs, and its commands run on those; any
/// other is not tied to particular ones.
#[derive(Debug)]
pub struct Device {
    units: u32,
    parent: Option<Handle<Device>>,
    /// How the parent was partitioned: kind and value.
    partition: Option<(ur_device_partition_t, u32)>,
    /// Position among the sub-devices made together.
    index: u32,
    /// The CPUs that it is made of, for a part by affinity domain and its own parts.
    cpus: Option<Arc<Cpus>>,
}

/// A sub-device to be.
#[derive(Debug, PartialEq, Eq)]
struct Part {
    units: u32,
    /// How it came about, for queries.
    partition: (ur_device_partition_t, u32),
    cpus: Option<Cpus>,
}

impl Device {
    /// The whole CPU.
    pub fn root() -> Device {
        Device {
            units: pool::thread_count() as u32,
            parent: None,
            partition: None,
            index: 0,
            cpus: None,
        }
    }

    /// The CPUs that its commands are to run on; none for any.
    pub fn cpus(&self) -> Option<&Arc<Cpus>> {
        self.cpus.as_ref()
    }

    /// The affinity domains that it can be partitioned by, as flags.
    fn affinity_domains(&self) -> u32 {
        let topology = Topology::get();
        match (&self.cpus, self.units) {
            (_, 1) => 0,
            (Some(cpus), _) => topology.splitting(cpus),
            (None, _) if self.parent.is_none() => topology.splitting(topology.allowed()),
            // A share of the threads is not tied to CPUs that a domain could split.
            (None, _) => 0,
        }
    }

    fn by_affinity(&self, domain: u32) -> Result<Vec<Part>> {
        let failed = || {
            Error::new(
                UR_RESULT_ERROR_DEVICE_PARTITION_FAILED,
                "the affinity domain does not split the device",
            )
        };
        if domain.count_ones() != 1 || domain > UR_DEVICE_AFFINITY_DOMAIN_FLAG_NEXT_PARTITIONABLE.0
        {
            return Err(Error::value("not one affinity domain"));
        }
        if self.affinity_domains() & domain == 0 {
            return Err(failed());
        }
        let topology = Topology::get();
        let own = self.cpus.as_ref().map_or(topology.allowed(), |cpus| cpus);
        let (domain, groups) = topology.split(domain, own).ok_or_else(failed)?;
        Ok(groups
            .into_iter()
            .map(|cpus| Part {
                units: (cpus.len() as u32).min(self.units),
                partition: (UR_DEVICE_PARTITION_BY_AFFINITY_DOMAIN, domain),
                cpus: Some(cpus),
            })
            .collect())
    }

    /// Threads that run a command of this device at the same time.
    pub fn units(&self) -> u32 {
        self.units
    }

    /// Whether it is only a part of the CPU.
    pub fn is_sub_device(&self) -> bool {
        self.parent.is_some()
    }

    /// The device, what it is a part of, and so on up to the root.
    pub fn line(&self) -> impl Iterator<Item = &Device> {
        std::iter::successors(Some(self), |part| {
            part.parent.as_deref().map(|parent| &**parent)
        })
    }

    /// Whether it is `other` or a part of it.
    pub fn is_part_of(&self, other: &Object<Device>) -> bool {
        self.line().any(|part| std::ptr::eq(part, &**other))
    }
}

/// The parts that `properties` ask for.
fn parts(device: &Device, properties: &[ur_device_partition_property_t]) -> Result<Vec<Part>> {
    let units = device.units;
    let share = |kind, size| Part {
        units: size,
        partition: (kind, size),
        cpus: None,
    };
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
            let parts = 0..units / size;
            Ok(parts
                .map(|_| share(UR_DEVICE_PARTITION_EQUALLY, size))
                .collect())
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
                    Ok(share(UR_DEVICE_PARTITION_BY_COUNTS, size))
                })
                .collect()
        }
        UR_DEVICE_PARTITION_BY_AFFINITY_DOMAIN => {
            if properties.len() > 1 {
                return Err(Error::value("more than one affinity domain"));
            }
            // SAFETY: as above.
            device.by_affinity(unsafe { first.value.affinity_domain })
        }
        UR_DEVICE_PARTITION_BY_CSLICE => Err(Error::new(
            UR_RESULT_ERROR_DEVICE_PARTITION_FAILED,
            "a CPU has no slices of compute units",
        )),
        _ => Err(Error::code(UR_RESULT_ERROR_INVALID_ENUMERATION)),
    }
}

impl DeviceFns for NativeCpu {
    fn device_get(
        _: &Object<Platform>,
        device_type: ur_device_type_t,
    ) -> Result<Vec<Handle<Device>>> {
        // A program sets its logger between getting the adapter and this.
        pool::warn();
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
        parts(device, list)?
            .into_iter()
            .enumerate()
            .map(|(index, part)| {
                Handle::new(Device {
                    units: part.units,
                    parent: Some(device.handle()),
                    partition: Some(part.partition),
                    index: index as u32,
                    // A share of particular CPUs stays among them.
                    cpus: part.cpus.map(Arc::new).or_else(|| device.cpus.clone()),
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
