//! What a device is asked once.

use super::{Device, Groups, Images};
use crate::cl::{self, Version};
use ur_api::*;

/// What is known of a device.
#[derive(Debug)]
pub struct Facts {
    /// The version of OpenCL that it has.
    pub version: Version,
    /// What kind of device it is.
    pub kind: ur_device_type_t,
    /// Bits of an address.
    pub address_bits: u32,
    /// Whether programs can be made from SPIR-V for it.
    pub takes_il: bool,
    /// Whether it has `cl_intel_unified_shared_memory`.
    pub has_usm: bool,
    /// What it can do with shared virtual memory.
    pub svm: cl::cl_bitfield,
    /// The largest block of memory in bytes; the highest number if the driver does not tell.
    pub max_alloc_size: u64,
    /// How large images may be.
    pub images: Images,
    /// How large work-groups may be.
    pub groups: Groups,
    /// What it can do with command buffers; none if it has none of a version that is known.
    pub command_buffers: Option<CommandBuffers>,
    /// Its extensions, sorted.
    extensions: Vec<Box<str>>,
}

/// What a device can do with command buffers.
#[derive(Clone, Copy, Debug)]
pub struct CommandBuffers {
    /// Whether one may be enqueued again before it has ended.
    pub simultaneous: bool,
    /// Properties that queues of command buffers may have.
    pub queue_properties: cl::cl_bitfield,
    /// What may change in a recorded launch.
    pub mutable: cl::cl_bitfield,
}

/// A version as OpenCL packs it.
const fn packed(major: u32, minor: u32, patch: u32) -> u32 {
    (major << 22) | (minor << 12) | patch
}

impl CommandBuffers {
    /// Functions of earlier versions have other parameters under the same names.
    const KNOWN: u32 = packed(0, 9, 5);
    const KNOWN_MUTABLE: u32 = packed(0, 9, 3);

    fn of(device: &Device) -> Option<Self> {
        let versions = device.list::<cl::cl_name_version>(cl::CL_DEVICE_EXTENSIONS_WITH_VERSION);
        let versions = versions.ok()?;
        let has = |name: &str, least: u32| {
            let mut found = versions.iter();
            found.any(|one| {
                let text = one.name.split(|byte| *byte == 0).next();
                text == Some(name.as_bytes()) && one.version >= least
            })
        };
        if !has("cl_khr_command_buffer", Self::KNOWN) {
            return None;
        }
        let value = |name| device.value::<cl::cl_bitfield>(name).unwrap_or(0);
        let able = value(cl::CL_DEVICE_COMMAND_BUFFER_CAPABILITIES_KHR);
        Some(Self {
            simultaneous: able & cl::CL_COMMAND_BUFFER_CAPABILITY_SIMULTANEOUS_USE_KHR != 0,
            queue_properties: value(cl::CL_DEVICE_COMMAND_BUFFER_SUPPORTED_QUEUE_PROPERTIES_KHR),
            mutable: match has(
                "cl_khr_command_buffer_mutable_dispatch",
                Self::KNOWN_MUTABLE,
            ) {
                true => value(cl::CL_DEVICE_MUTABLE_DISPATCH_CAPABILITIES_KHR),
                false => 0,
            },
        })
    }
}

impl Facts {
    /// Asks the driver. What it does not answer counts as missing.
    pub(super) fn of(device: &Device) -> Self {
        let version = device.text(cl::CL_DEVICE_VERSION).unwrap_or_default();
        let version = Version::of_text(&version);
        let text = device.text(cl::CL_DEVICE_EXTENSIONS).unwrap_or_default();
        let mut extensions: Vec<Box<str>> = text.split_whitespace().map(Into::into).collect();
        let mut add = |name: &str| {
            if !extensions.iter().any(|have| &**have == name) {
                extensions.push(name.into());
            }
        };
        // Later versions have in the core what was an extension; programs ask for the extension.
        let il = device.text(cl::CL_DEVICE_IL_VERSION).unwrap_or_default();
        let takes_il = il.contains("SPIR-V")
            && (version >= Version(2, 1) || text.contains("cl_khr_il_program"));
        if takes_il {
            add("cl_khr_il_program");
        }
        let groups = device.value::<u32>(cl::CL_DEVICE_MAX_NUM_SUB_GROUPS);
        if version >= Version(2, 1) && groups.is_ok_and(|groups| groups > 0) {
            add("cl_khr_subgroups");
        }
        extensions.sort_unstable();
        let mut facts = Self {
            version,
            kind: kind(device.value(cl::CL_DEVICE_TYPE).unwrap_or(0)),
            address_bits: device.value(cl::CL_DEVICE_ADDRESS_BITS).unwrap_or(64),
            takes_il,
            has_usm: false,
            svm: 0,
            max_alloc_size: device
                .value(cl::CL_DEVICE_MAX_MEM_ALLOC_SIZE)
                .unwrap_or(u64::MAX),
            images: Images::of(device),
            groups: Groups::of(device),
            command_buffers: None,
            extensions,
        };
        // A name without its functions is nothing.
        let functions = device.platform().extensions();
        facts.has_usm = facts.has("cl_intel_unified_shared_memory")
            && functions.clSharedMemAllocINTEL.is_some()
            && functions.clSetKernelArgMemPointerINTEL.is_some();
        if version >= Version(3, 0) && facts.has("cl_khr_command_buffer") {
            facts.command_buffers = CommandBuffers::of(device);
        }
        if version >= Version(2, 0) {
            facts.svm = device.value(cl::CL_DEVICE_SVM_CAPABILITIES).unwrap_or(0);
        }
        facts
    }

    /// Whether the device has an extension.
    pub fn has(&self, extension: &str) -> bool {
        let extensions = &self.extensions;
        let found = extensions.binary_search_by(|have| (**have).cmp(extension));
        found.is_ok()
    }

    /// Whether programs for it can have specialization constants set.
    pub fn specialises(&self, device: &Device) -> bool {
        let set = device.api().clSetProgramSpecializationConstant;
        self.takes_il && self.version >= Version(2, 2) && set.is_some()
    }

    /// The names of its extensions with a space between two.
    pub fn extensions(&self) -> String {
        self.extensions.join(" ")
    }
}

/// The API's number of a type of device, which may also say that it is the default one.
fn kind(native: cl::cl_bitfield) -> ur_device_type_t {
    match native & !cl::CL_DEVICE_TYPE_DEFAULT {
        cl::CL_DEVICE_TYPE_CPU => UR_DEVICE_TYPE_CPU,
        cl::CL_DEVICE_TYPE_GPU => UR_DEVICE_TYPE_GPU,
        cl::CL_DEVICE_TYPE_ACCELERATOR => UR_DEVICE_TYPE_FPGA,
        _ => UR_DEVICE_TYPE_CUSTOM,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn default_devices_have_their_kind() {
        let default = cl::CL_DEVICE_TYPE_DEFAULT;
        assert_eq!(kind(cl::CL_DEVICE_TYPE_CPU | default), UR_DEVICE_TYPE_CPU);
        assert_eq!(kind(cl::CL_DEVICE_TYPE_GPU), UR_DEVICE_TYPE_GPU);
        assert_eq!(kind(cl::CL_DEVICE_TYPE_ACCELERATOR), UR_DEVICE_TYPE_FPGA);
        assert_eq!(kind(0), UR_DEVICE_TYPE_CUSTOM);
    }
}
