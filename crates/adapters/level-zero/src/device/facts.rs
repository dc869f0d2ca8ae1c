//! What a device is asked once.

use super::Device;
use crate::ze::driver::list;
use crate::ze::{self, Structure};
use std::ffi::c_void;
use ur_api::*;

/// What is known of a device. What the driver does not answer is 0 or empty.
#[derive(Debug)]
pub struct Facts {
    /// What it is.
    pub properties: ze::ze_device_properties_t,
    /// Sizes of work.
    pub compute: ze::ze_device_compute_properties_t,
    /// What its kernels can be.
    pub module: ze::ze_device_module_properties_t,
    /// What can be done with which kind of allocation.
    pub access: ze::ze_device_memory_access_properties_t,
    /// Limits of images; all 0 without images.
    pub image: ze::ze_device_image_properties_t,
    /// Its memories.
    pub memories: Vec<ze::ze_device_memory_properties_t>,
    /// Its caches.
    pub caches: Vec<ze::ze_device_cache_properties_t>,
    /// Its groups of engines; the position is the ordinal of command queues and lists.
    pub groups: Vec<ze::ze_command_queue_group_properties_t>,
    /// How its clock ticks.
    pub timer: Timer,
    /// The version of its hardware.
    pub ip_version: Option<u32>,
    /// Its identity for other interfaces, and the nodes that it is on.
    pub luid: Option<([u8; 8], u32)>,
    /// The parts of its parent that it is one of, for a part that is an engine.
    share: u32,
}

// SAFETY: the pointers in it are null.
unsafe impl Send for Facts {}
// SAFETY: as above.
unsafe impl Sync for Facts {}

/// How a device's clock ticks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Timer {
    /// Nanoseconds of a tick.
    pub period: f64,
    /// Bits of a time of the device's that count.
    pub bits: u32,
    /// Bits of a time of a kernel's that count.
    pub kernel_bits: u32,
}

impl Timer {
    fn of(properties: &ze::ze_device_properties_t) -> Self {
        let resolution = properties.timerResolution.max(1) as f64;
        let period = match properties.stype {
            // Ticks of a second.
            ze::ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES_1_2 => 1e9 / resolution,
            _ => resolution,
        };
        Self {
            period,
            bits: properties.timestampValidBits,
            kernel_bits: properties.kernelTimestampValidBits,
        }
    }

    /// A time of the device's in nanoseconds.
    pub fn nanoseconds(&self, ticks: u64) -> u64 {
        (valid(ticks, self.bits) as f64 * self.period) as u64
    }

    /// The nanoseconds from one time of a kernel's to another, which may have begun from 0 between.
    pub fn kernel_span(&self, from: u64, to: u64) -> u64 {
        (valid(to.wrapping_sub(from), self.kernel_bits) as f64 * self.period) as u64
    }
}

/// The lower bits of a time; all if the device does not say how many there are.
fn valid(ticks: u64, bits: u32) -> u64 {
    match bits {
        1..64 => ticks & ((1 << bits) - 1),
        _ => ticks,
    }
}

/// One structure that the driver fills.
fn one<T: Structure>(get: impl FnOnce(*mut T) -> ze::ze_result_t) -> T {
    let mut value = T::new();
    if get(&raw mut value) == ze::ZE_RESULT_SUCCESS {
        value
    } else {
        T::new()
    }
}

impl Facts {
    /// Asks the driver.
    pub(super) fn of(device: &Device) -> Self {
        let (api, native, platform) = (device.api(), device.native, device.platform);
        let mut ip = ze::ze_device_ip_version_ext_t::new();
        let mut luid = ze::ze_device_luid_ext_properties_t::new();
        let has_ip = platform.has(ze::ZE_DEVICE_IP_VERSION_EXT_NAME);
        let has_luid = platform.has(ze::ZE_DEVICE_LUID_EXT_NAME);
        let mut properties = one(|value: *mut ze::ze_device_properties_t| {
            let mut next: *mut c_void = std::ptr::null_mut();
            if has_ip {
                next = (&raw mut ip).cast();
            }
            if has_luid {
                luid.pNext = next;
                next = (&raw mut luid).cast();
            }
            // SAFETY: a live device and places of ours. From 1.2 on, the structure may have a type that
            // asks for the more exact resolution.
            unsafe {
                if platform.version() >= ze::version(1, 2) {
                    (*value).stype = ze::ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES_1_2;
                }
                (*value).pNext = next;
                (api.zeDeviceGetProperties)(native, value)
            }
        });
        // What hung behind it is gone with this function.
        properties.pNext = std::ptr::null_mut();
        Self {
            timer: Timer::of(&properties),
            properties,
            // SAFETY: a live device and a place of ours; so in all of these.
            compute: one(|value| unsafe { (api.zeDeviceGetComputeProperties)(native, value) }),
            // SAFETY: as above.
            module: one(|value| unsafe { (api.zeDeviceGetModuleProperties)(native, value) }),
            // SAFETY: as above.
            access: one(|value| unsafe { (api.zeDeviceGetMemoryAccessProperties)(native, value) }),
            // SAFETY: as above.
            image: one(|value| unsafe { (api.zeDeviceGetImageProperties)(native, value) }),
            // SAFETY: as above; the places are as `list` says.
            memories: list(Structure::new(), |count, values| unsafe {
                (api.zeDeviceGetMemoryProperties)(native, count, values)
            }),
            // SAFETY: as above.
            caches: list(Structure::new(), |count, values| unsafe {
                (api.zeDeviceGetCacheProperties)(native, count, values)
            }),
            // SAFETY: as above.
            groups: list(Structure::new(), |count, values| unsafe {
                (api.zeDeviceGetCommandQueueGroupProperties)(native, count, values)
            }),
            ip_version: has_ip
                .then_some(ip.ipVersion)
                .filter(|version| *version != 0),
            luid: has_luid.then_some((luid.luid, luid.nodeMask)),
            share: match (device.parent, device.slice) {
                (Some(parent), Some(_)) => parent.facts().compute_engines().max(1),
                _ => 1,
            },
        }
    }

    /// What kind of device it is.
    pub fn kind(&self) -> ur_device_type_t {
        match self.properties.type_ {
            ze::ZE_DEVICE_TYPE_GPU => UR_DEVICE_TYPE_GPU,
            ze::ZE_DEVICE_TYPE_CPU => UR_DEVICE_TYPE_CPU,
            ze::ZE_DEVICE_TYPE_FPGA => UR_DEVICE_TYPE_FPGA,
            ze::ZE_DEVICE_TYPE_MCA => UR_DEVICE_TYPE_MCA,
            ze::ZE_DEVICE_TYPE_VPU => UR_DEVICE_TYPE_VPU,
            _ => UR_DEVICE_TYPE_CUSTOM,
        }
    }

    /// Whether it shares the host's memory.
    pub fn is_integrated(&self) -> bool {
        self.properties.flags & ze::ZE_DEVICE_PROPERTY_FLAG_INTEGRATED != 0
    }

    /// Whether its kernels can do something, of which the flag is one of `ZE_DEVICE_MODULE_FLAG_`.
    pub fn can(&self, flag: u32) -> bool {
        self.module.flags & flag != 0
    }

    /// The ordinal of the group of engines that run kernels.
    pub fn compute_group(&self) -> Option<u32> {
        let compute = ze::ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COMPUTE;
        let mut groups = self.groups.iter();
        let found = groups.position(|group| group.flags & compute != 0 && group.numQueues > 0);
        found.map(|ordinal| ordinal as u32)
    }

    /// How many engines run kernels.
    pub fn compute_engines(&self) -> u32 {
        let group = self.compute_group();
        group.map_or(0, |ordinal| self.groups[ordinal as usize].numQueues)
    }

    /// The ordinal of the first group of engines that do nothing but copy; none if it has none.
    pub fn copy_group(&self) -> Option<u32> {
        let compute = ze::ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COMPUTE;
        let copy = ze::ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COPY;
        let mut groups = self.groups.iter();
        let found =
            groups.position(|group| group.flags & (compute | copy) == copy && group.numQueues > 0);
        found.map(|ordinal| ordinal as u32)
    }

    /// Sub-slices, which are Xe cores; of its parent's the part that it has.
    pub fn cores(&self) -> u32 {
        let properties = &self.properties;
        let all = properties.numSlices * properties.numSubslicesPerSlice;
        (all / self.share).max(1)
    }

    /// Execution units.
    pub fn execution_units(&self) -> u32 {
        self.cores() * self.properties.numEUsPerSubslice.max(1)
    }

    /// Bytes of all its memories.
    pub fn memory_size(&self) -> u64 {
        self.memories.iter().map(|memory| memory.totalSize).sum()
    }

    /// Bytes of the largest allocation, unless a program asks for less strict limits.
    pub fn max_alloc_size(&self) -> u64 {
        self.properties.maxMemAllocSize.min(self.memory_size())
    }

    /// The sizes that sub-groups can have.
    pub fn sub_group_sizes(&self) -> &[u32] {
        let sizes = &self.compute.subGroupSizes;
        &sizes[..sizes.len().min(self.compute.numSubGroupSizes as usize)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn timer(stype: u32, resolution: u64, bits: u32) -> Timer {
        let mut properties = ze::ze_device_properties_t::new();
        properties.stype = stype;
        properties.timerResolution = resolution;
        properties.timestampValidBits = bits;
        properties.kernelTimestampValidBits = 8;
        Timer::of(&properties)
    }

    #[test]
    fn ticks_are_nanoseconds_by_either_kind_of_resolution() {
        let old = timer(ze::ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES, 83, 36);
        assert_eq!(old.nanoseconds(100), 8300);
        let new = timer(ze::ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES_1_2, 12_500_000, 36);
        assert_eq!(new.nanoseconds(100), 8000);
        // A driver that says nothing does not divide by 0.
        let none = timer(ze::ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES, 0, 64);
        assert_eq!(none.nanoseconds(100), 100);
    }

    #[test]
    fn only_valid_bits_count() {
        let timer = timer(ze::ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES, 1, 36);
        assert_eq!(timer.nanoseconds((1 << 36) + 5), 5);
        assert_eq!(timer.kernel_span(250, 4), 10);
        assert_eq!(timer.kernel_span(3, 4), 1);
    }
}
