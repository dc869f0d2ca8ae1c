//! Questions about devices that OpenCL answers as the API has them.

use super::super::Device;
use crate::cl::{self, Version};
use ur_adapter::{Error, Info, Result};
use ur_api::*;

/// A question of OpenCL's.
#[derive(Clone, Copy, Debug)]
pub struct Question {
    name: cl::cl_uint,
    kind: Kind,
    since: Since,
}

/// What an answer is.
#[derive(Clone, Copy, Debug)]
enum Kind {
    /// 32 bits.
    Number,
    /// A truth value, which has 32 bits in OpenCL and 8 in the API.
    Truth,
    /// A set of flags with the same numbers, of which OpenCL has 64.
    Flags,
    /// 64 bits.
    Long,
    /// A size.
    Size,
    /// A text.
    Text,
    /// 16 bytes.
    Uuid,
}

/// Where the question is known.
#[derive(Clone, Copy, Debug)]
enum Since {
    /// From a version on; before that the answer is 0 or empty.
    Version(Version),
    /// From a version on; before that there is no answer.
    Only(Version),
    /// On devices with an extension; on others there is no answer.
    Extension(&'static str),
}

impl Question {
    /// Answers it.
    ///
    /// # Errors
    /// `UNSUPPORTED_ENUMERATION` where it is not known; what the driver says.
    pub fn answer(&self, device: &Device, info: &mut Info<'_>) -> Result {
        if !self.known(device)? {
            return match self.kind {
                Kind::Number | Kind::Flags => info.value(0u32),
                Kind::Truth => info.bool(false),
                Kind::Long => info.value(0u64),
                Kind::Size => info.value(0usize),
                Kind::Text => info.text(""),
                Kind::Uuid => info.value([0u8; 16]),
            };
        }
        match self.kind {
            Kind::Number => info.value(device.value::<u32>(self.name)?),
            Kind::Truth => info.bool(device.value::<cl::cl_bool>(self.name)? != cl::CL_FALSE),
            Kind::Flags => info.value(device.value::<u64>(self.name)? as u32),
            Kind::Long => info.value(device.value::<u64>(self.name)?),
            Kind::Size => info.value(device.value::<usize>(self.name)?),
            Kind::Text => info.text(&device.text(self.name)?),
            Kind::Uuid => info.value(device.value::<[u8; 16]>(self.name)?),
        }
    }

    /// The answer of a question for a number of 32 bits.
    ///
    /// # Errors
    /// As [`Self::answer`].
    pub fn number(&self, device: &Device) -> Result<u32> {
        match self.known(device)? {
            true => device.value(self.name),
            false => Ok(0),
        }
    }

    fn known(&self, device: &Device) -> Result<bool> {
        let facts = device.facts();
        match self.since {
            Since::Version(version) => Ok(facts.version >= version),
            Since::Only(version) if facts.version >= version => Ok(true),
            Since::Extension(name) if facts.has(name) => Ok(true),
            _ => Err(Error::unsupported_query()),
        }
    }
}

/// OpenCL's question for one of the API's, if it has the same answer.
pub fn question(name: ur_device_info_t) -> Option<Question> {
    use Kind::*;
    let always = Since::Version(Version(1, 0));
    let parts = Since::Version(Version(1, 2));
    let groups = Since::Version(Version(2, 1));
    let attributes = Since::Extension("cl_intel_device_attribute_query");
    let (name, kind, since) = match name {
        UR_DEVICE_INFO_VENDOR_ID => (cl::CL_DEVICE_VENDOR_ID, Number, always),
        UR_DEVICE_INFO_DEVICE_ID => (cl::CL_DEVICE_ID_INTEL, Number, attributes),
        UR_DEVICE_INFO_NAME => (cl::CL_DEVICE_NAME, Text, always),
        UR_DEVICE_INFO_VENDOR => (cl::CL_DEVICE_VENDOR, Text, always),
        UR_DEVICE_INFO_DRIVER_VERSION => (cl::CL_DRIVER_VERSION, Text, always),
        UR_DEVICE_INFO_PROFILE => (cl::CL_DEVICE_PROFILE, Text, always),
        UR_DEVICE_INFO_VERSION => (cl::CL_DEVICE_VERSION, Text, always),
        UR_DEVICE_INFO_UUID => (
            cl::CL_DEVICE_UUID_KHR,
            Uuid,
            Since::Extension("cl_khr_device_uuid"),
        ),
        UR_DEVICE_INFO_IL_VERSION => (
            cl::CL_DEVICE_IL_VERSION,
            Text,
            // The version that has it in its core has the name here, too.
            Since::Extension("cl_khr_il_program"),
        ),
        UR_DEVICE_INFO_BUILT_IN_KERNELS => (cl::CL_DEVICE_BUILT_IN_KERNELS, Text, parts),
        UR_DEVICE_INFO_AVAILABLE => (cl::CL_DEVICE_AVAILABLE, Truth, always),
        UR_DEVICE_INFO_ENDIAN_LITTLE => (cl::CL_DEVICE_ENDIAN_LITTLE, Truth, always),
        UR_DEVICE_INFO_LINKER_AVAILABLE => (cl::CL_DEVICE_LINKER_AVAILABLE, Truth, parts),
        UR_DEVICE_INFO_EXECUTION_CAPABILITIES => {
            (cl::CL_DEVICE_EXECUTION_CAPABILITIES, Flags, always)
        }
        UR_DEVICE_INFO_PREFERRED_INTEROP_USER_SYNC => {
            (cl::CL_DEVICE_PREFERRED_INTEROP_USER_SYNC, Truth, parts)
        }
        UR_DEVICE_INFO_ERROR_CORRECTION_SUPPORT => {
            (cl::CL_DEVICE_ERROR_CORRECTION_SUPPORT, Truth, always)
        }
        UR_DEVICE_INFO_HOST_UNIFIED_MEMORY => (cl::CL_DEVICE_HOST_UNIFIED_MEMORY, Truth, always),

        UR_DEVICE_INFO_MAX_COMPUTE_UNITS | UR_DEVICE_INFO_NUM_COMPUTE_UNITS => {
            (cl::CL_DEVICE_MAX_COMPUTE_UNITS, Number, always)
        }
        UR_DEVICE_INFO_MAX_CLOCK_FREQUENCY => (cl::CL_DEVICE_MAX_CLOCK_FREQUENCY, Number, always),
        UR_DEVICE_INFO_PROFILING_TIMER_RESOLUTION => {
            (cl::CL_DEVICE_PROFILING_TIMER_RESOLUTION, Size, always)
        }
        UR_DEVICE_INFO_PARTITION_MAX_SUB_DEVICES => {
            (cl::CL_DEVICE_PARTITION_MAX_SUB_DEVICES, Number, parts)
        }
        UR_DEVICE_INFO_PARTITION_AFFINITY_DOMAIN => {
            (cl::CL_DEVICE_PARTITION_AFFINITY_DOMAIN, Flags, parts)
        }

        UR_DEVICE_INFO_MAX_WORK_ITEM_DIMENSIONS => {
            (cl::CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS, Number, always)
        }
        UR_DEVICE_INFO_MAX_WORK_GROUP_SIZE => (cl::CL_DEVICE_MAX_WORK_GROUP_SIZE, Size, always),
        UR_DEVICE_INFO_MAX_NUM_SUB_GROUPS => (cl::CL_DEVICE_MAX_NUM_SUB_GROUPS, Number, groups),
        UR_DEVICE_INFO_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS => (
            cl::CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS,
            Truth,
            groups,
        ),
        UR_DEVICE_INFO_MAX_PARAMETER_SIZE => (cl::CL_DEVICE_MAX_PARAMETER_SIZE, Size, always),
        UR_DEVICE_INFO_MAX_CONSTANT_ARGS => (cl::CL_DEVICE_MAX_CONSTANT_ARGS, Number, always),
        UR_DEVICE_INFO_PRINTF_BUFFER_SIZE => (cl::CL_DEVICE_PRINTF_BUFFER_SIZE, Size, parts),

        UR_DEVICE_INFO_PREFERRED_VECTOR_WIDTH_CHAR => {
            (cl::CL_DEVICE_PREFERRED_VECTOR_WIDTH_CHAR, Number, always)
        }
        UR_DEVICE_INFO_PREFERRED_VECTOR_WIDTH_SHORT => {
            (cl::CL_DEVICE_PREFERRED_VECTOR_WIDTH_SHORT, Number, always)
        }
        UR_DEVICE_INFO_PREFERRED_VECTOR_WIDTH_INT => {
            (cl::CL_DEVICE_PREFERRED_VECTOR_WIDTH_INT, Number, always)
        }
        UR_DEVICE_INFO_PREFERRED_VECTOR_WIDTH_LONG
        | UR_DEVICE_INFO_PREFERRED_VECTOR_WIDTH_LONG_LONG => {
            (cl::CL_DEVICE_PREFERRED_VECTOR_WIDTH_LONG, Number, always)
        }
        UR_DEVICE_INFO_PREFERRED_VECTOR_WIDTH_FLOAT => {
            (cl::CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT, Number, always)
        }
        UR_DEVICE_INFO_PREFERRED_VECTOR_WIDTH_DOUBLE => {
            (cl::CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE, Number, always)
        }
        UR_DEVICE_INFO_PREFERRED_VECTOR_WIDTH_HALF => {
            (cl::CL_DEVICE_PREFERRED_VECTOR_WIDTH_HALF, Number, always)
        }
        UR_DEVICE_INFO_NATIVE_VECTOR_WIDTH_CHAR => {
            (cl::CL_DEVICE_NATIVE_VECTOR_WIDTH_CHAR, Number, always)
        }
        UR_DEVICE_INFO_NATIVE_VECTOR_WIDTH_SHORT => {
            (cl::CL_DEVICE_NATIVE_VECTOR_WIDTH_SHORT, Number, always)
        }
        UR_DEVICE_INFO_NATIVE_VECTOR_WIDTH_INT => {
            (cl::CL_DEVICE_NATIVE_VECTOR_WIDTH_INT, Number, always)
        }
        UR_DEVICE_INFO_NATIVE_VECTOR_WIDTH_LONG | UR_DEVICE_INFO_NATIVE_VECTOR_WIDTH_LONG_LONG => {
            (cl::CL_DEVICE_NATIVE_VECTOR_WIDTH_LONG, Number, always)
        }
        UR_DEVICE_INFO_NATIVE_VECTOR_WIDTH_FLOAT => {
            (cl::CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT, Number, always)
        }
        UR_DEVICE_INFO_NATIVE_VECTOR_WIDTH_DOUBLE => {
            (cl::CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE, Number, always)
        }
        UR_DEVICE_INFO_NATIVE_VECTOR_WIDTH_HALF => {
            (cl::CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF, Number, always)
        }

        UR_DEVICE_INFO_GLOBAL_MEM_SIZE => (cl::CL_DEVICE_GLOBAL_MEM_SIZE, Long, always),
        UR_DEVICE_INFO_MAX_MEM_ALLOC_SIZE => (cl::CL_DEVICE_MAX_MEM_ALLOC_SIZE, Long, always),
        UR_DEVICE_INFO_MAX_CONSTANT_BUFFER_SIZE => {
            (cl::CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE, Long, always)
        }
        UR_DEVICE_INFO_MEM_BASE_ADDR_ALIGN => (cl::CL_DEVICE_MEM_BASE_ADDR_ALIGN, Number, always),
        UR_DEVICE_INFO_GLOBAL_MEM_CACHE_TYPE => {
            (cl::CL_DEVICE_GLOBAL_MEM_CACHE_TYPE, Number, always)
        }
        UR_DEVICE_INFO_GLOBAL_MEM_CACHELINE_SIZE => {
            (cl::CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE, Number, always)
        }
        UR_DEVICE_INFO_GLOBAL_MEM_CACHE_SIZE => (cl::CL_DEVICE_GLOBAL_MEM_CACHE_SIZE, Long, always),
        UR_DEVICE_INFO_LOCAL_MEM_TYPE => (cl::CL_DEVICE_LOCAL_MEM_TYPE, Number, always),
        UR_DEVICE_INFO_LOCAL_MEM_SIZE => (cl::CL_DEVICE_LOCAL_MEM_SIZE, Long, always),

        UR_DEVICE_INFO_IMAGE_SUPPORT => (cl::CL_DEVICE_IMAGE_SUPPORT, Truth, always),
        UR_DEVICE_INFO_MAX_READ_IMAGE_ARGS => (cl::CL_DEVICE_MAX_READ_IMAGE_ARGS, Number, always),
        UR_DEVICE_INFO_MAX_WRITE_IMAGE_ARGS => (cl::CL_DEVICE_MAX_WRITE_IMAGE_ARGS, Number, always),
        UR_DEVICE_INFO_MAX_READ_WRITE_IMAGE_ARGS => (
            cl::CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS,
            Number,
            Since::Only(Version(2, 0)),
        ),
        UR_DEVICE_INFO_IMAGE2D_MAX_WIDTH => (cl::CL_DEVICE_IMAGE2D_MAX_WIDTH, Size, always),
        UR_DEVICE_INFO_IMAGE2D_MAX_HEIGHT => (cl::CL_DEVICE_IMAGE2D_MAX_HEIGHT, Size, always),
        UR_DEVICE_INFO_IMAGE3D_MAX_WIDTH => (cl::CL_DEVICE_IMAGE3D_MAX_WIDTH, Size, always),
        UR_DEVICE_INFO_IMAGE3D_MAX_HEIGHT => (cl::CL_DEVICE_IMAGE3D_MAX_HEIGHT, Size, always),
        UR_DEVICE_INFO_IMAGE3D_MAX_DEPTH => (cl::CL_DEVICE_IMAGE3D_MAX_DEPTH, Size, always),
        UR_DEVICE_INFO_IMAGE_MAX_BUFFER_SIZE => (cl::CL_DEVICE_IMAGE_MAX_BUFFER_SIZE, Size, parts),
        UR_DEVICE_INFO_IMAGE_MAX_ARRAY_SIZE => (cl::CL_DEVICE_IMAGE_MAX_ARRAY_SIZE, Size, parts),
        UR_DEVICE_INFO_MAX_SAMPLERS => (cl::CL_DEVICE_MAX_SAMPLERS, Number, always),

        UR_DEVICE_INFO_IP_VERSION => (cl::CL_DEVICE_IP_VERSION_INTEL, Number, attributes),
        UR_DEVICE_INFO_GPU_EU_SLICES => (cl::CL_DEVICE_NUM_SLICES_INTEL, Number, attributes),
        UR_DEVICE_INFO_GPU_SUBSLICES_PER_SLICE => (
            cl::CL_DEVICE_NUM_SUB_SLICES_PER_SLICE_INTEL,
            Number,
            attributes,
        ),
        UR_DEVICE_INFO_GPU_EU_COUNT_PER_SUBSLICE => (
            cl::CL_DEVICE_NUM_EUS_PER_SUB_SLICE_INTEL,
            Number,
            attributes,
        ),
        UR_DEVICE_INFO_GPU_HW_THREADS_PER_EU => {
            (cl::CL_DEVICE_NUM_THREADS_PER_EU_INTEL, Number, attributes)
        }
        _ => return None,
    };
    Some(Question { name, kind, since })
}
