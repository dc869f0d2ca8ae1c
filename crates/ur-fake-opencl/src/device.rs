//! Devices and sub-devices.

use crate::call::{Raw, call, code, tell};
use crate::cl::*;
use crate::settings::Settings;
use crate::world::{Body, Kind};
use std::ffi::c_void;

/// A device.
#[derive(Debug)]
pub struct Device {
    platform: usize,
    number: usize,
    settings: Settings,
    units: u32,
    /// What it is a part of.
    pub parent: Option<usize>,
    /// How it was split off, as the list of properties that OpenCL tells.
    origin: Vec<isize>,
}

/// Compute units of a root device.
const UNITS: u32 = 4;

impl Device {
    /// A root device.
    pub fn root(platform: usize, number: usize, settings: Settings) -> Self {
        Self {
            platform,
            number,
            settings,
            units: UNITS,
            parent: None,
            origin: Vec::new(),
        }
    }

    /// The version of OpenCL that it has.
    pub fn version(&self) -> (u32, u32) {
        self.settings.version
    }

    /// What it is like.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The names of its extensions with their versions, each as OpenCL lays it out.
    fn versions(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        for extension in &self.settings.extensions {
            let mut name = [0; 64];
            // A name that is too long cannot be told.
            if let Some(place) = name.get_mut(..extension.len()) {
                place.copy_from_slice(extension.as_bytes());
            }
            bytes.extend(self.settings.version_of(extension).raw());
            bytes.extend(name);
        }
        bytes
    }

    /// Whether it takes SPIR-V by a function of the core or of the extension.
    pub fn takes_il(&self) -> bool {
        self.settings.il
    }

    fn answer(&self, name: cl_uint) -> Result<Vec<u8>, cl_int> {
        let (major, minor) = self.settings.version;
        let since = |wanted: (u32, u32), answer: Vec<u8>| match self.settings.version >= wanted {
            true => Ok(answer),
            false => Err(CL_INVALID_VALUE),
        };
        let with = |extension: &str, answer: Vec<u8>| match self.settings.has(extension) {
            true => Ok(answer),
            false => Err(CL_INVALID_VALUE),
        };
        let flag = |set: bool| cl_uint::from(set).raw();
        Ok(match name {
            CL_DEVICE_TYPE => CL_DEVICE_TYPE_ACCELERATOR.raw(),
            CL_DEVICE_NAME => format!("Fake device {}", self.number).raw(),
            CL_DEVICE_VENDOR => "Concord".raw(),
            CL_DRIVER_VERSION => "1".raw(),
            CL_DEVICE_PROFILE => "FULL_PROFILE".raw(),
            CL_DEVICE_VERSION => format!("OpenCL {major}.{minor} fake").raw(),
            CL_DEVICE_EXTENSIONS => self.settings.extensions.join(" ").as_str().raw(),
            CL_DEVICE_PLATFORM => self.platform.raw(),
            CL_DEVICE_MAX_COMPUTE_UNITS => self.units.raw(),
            CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS => 3u32.raw(),
            CL_DEVICE_MAX_WORK_ITEM_SIZES => [64usize; 3][..].raw(),
            CL_DEVICE_MAX_WORK_GROUP_SIZE => 64usize.raw(),
            CL_DEVICE_ADDRESS_BITS => 64u32.raw(),
            CL_DEVICE_MAX_MEM_ALLOC_SIZE | CL_DEVICE_GLOBAL_MEM_SIZE => (1u64 << 30).raw(),
            CL_DEVICE_LOCAL_MEM_SIZE | CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE => (1u64 << 16).raw(),
            CL_DEVICE_GLOBAL_MEM_CACHE_SIZE => 0u64.raw(),
            CL_DEVICE_LOCAL_MEM_TYPE => CL_LOCAL.raw(),
            CL_DEVICE_GLOBAL_MEM_CACHE_TYPE => CL_NONE.raw(),
            CL_DEVICE_MEM_BASE_ADDR_ALIGN => 1024u32.raw(),
            CL_DEVICE_SINGLE_FP_CONFIG | CL_DEVICE_DOUBLE_FP_CONFIG => {
                (CL_FP_INF_NAN | CL_FP_ROUND_TO_NEAREST).raw()
            }
            CL_DEVICE_EXECUTION_CAPABILITIES => CL_EXEC_KERNEL.raw(),
            CL_DEVICE_QUEUE_PROPERTIES => {
                (CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE).raw()
            }
            CL_DEVICE_IMAGE2D_MAX_WIDTH
            | CL_DEVICE_IMAGE2D_MAX_HEIGHT
            | CL_DEVICE_IMAGE3D_MAX_WIDTH
            | CL_DEVICE_IMAGE3D_MAX_HEIGHT
            | CL_DEVICE_IMAGE3D_MAX_DEPTH
            | CL_DEVICE_MAX_PARAMETER_SIZE
            | CL_DEVICE_PROFILING_TIMER_RESOLUTION => 2048usize.raw(),
            CL_DEVICE_AVAILABLE
            | CL_DEVICE_ENDIAN_LITTLE
            | CL_DEVICE_COMPILER_AVAILABLE
            | CL_DEVICE_IMAGE_SUPPORT
            | CL_DEVICE_HOST_UNIFIED_MEMORY => flag(true),
            CL_DEVICE_ERROR_CORRECTION_SUPPORT => flag(false),
            CL_DEVICE_VENDOR_ID
            | CL_DEVICE_MAX_CLOCK_FREQUENCY
            | CL_DEVICE_MAX_READ_IMAGE_ARGS
            | CL_DEVICE_MAX_WRITE_IMAGE_ARGS
            | CL_DEVICE_MAX_SAMPLERS
            | CL_DEVICE_MAX_CONSTANT_ARGS
            | CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE
            | CL_DEVICE_PREFERRED_VECTOR_WIDTH_CHAR..=CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE
            | CL_DEVICE_PREFERRED_VECTOR_WIDTH_HALF
            | CL_DEVICE_NATIVE_VECTOR_WIDTH_CHAR..=CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF => 8u32.raw(),
            CL_DEVICE_LINKER_AVAILABLE | CL_DEVICE_PREFERRED_INTEROP_USER_SYNC => {
                since((1, 2), flag(true))?
            }
            CL_DEVICE_BUILT_IN_KERNELS => since((1, 2), "".raw())?,
            CL_DEVICE_IMAGE_MAX_BUFFER_SIZE
            | CL_DEVICE_IMAGE_MAX_ARRAY_SIZE
            | CL_DEVICE_PRINTF_BUFFER_SIZE => since((1, 2), 2048usize.raw())?,
            CL_DEVICE_PARENT_DEVICE => since((1, 2), self.parent.unwrap_or(0).raw())?,
            CL_DEVICE_PARTITION_MAX_SUB_DEVICES => since((1, 2), self.units.raw())?,
            CL_DEVICE_PARTITION_PROPERTIES => {
                let ways = [CL_DEVICE_PARTITION_EQUALLY, CL_DEVICE_PARTITION_BY_COUNTS];
                since((1, 2), ways[..].raw())?
            }
            CL_DEVICE_PARTITION_AFFINITY_DOMAIN => since((1, 2), 0u64.raw())?,
            CL_DEVICE_PARTITION_TYPE => since((1, 2), self.origin[..].raw())?,
            CL_DEVICE_SVM_CAPABILITIES => {
                let mut able = 0;
                if self.settings.svm {
                    able |= CL_DEVICE_SVM_COARSE_GRAIN_BUFFER;
                }
                if self.settings.fine {
                    able |= CL_DEVICE_SVM_FINE_GRAIN_BUFFER;
                }
                since((2, 0), able.raw())?
            }
            CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS => since((2, 0), 8u32.raw())?,
            CL_DEVICE_IL_VERSION if self.settings.il => "SPIR-V_1.2".raw(),
            CL_DEVICE_IL_VERSION => since((2, 1), "".raw())?,
            CL_DEVICE_MAX_NUM_SUB_GROUPS => since((2, 1), 8u32.raw())?,
            CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS => since((2, 1), flag(false))?,
            CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES | CL_DEVICE_ATOMIC_FENCE_CAPABILITIES => {
                let least = CL_DEVICE_ATOMIC_ORDER_RELAXED | CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP;
                since((3, 0), least.raw())?
            }
            CL_DEVICE_EXTENSIONS_WITH_VERSION => since((3, 0), self.versions())?,
            CL_DEVICE_COMMAND_BUFFER_CAPABILITIES_KHR => {
                let able = match self.settings.simultaneous {
                    true => CL_COMMAND_BUFFER_CAPABILITY_SIMULTANEOUS_USE_KHR,
                    false => 0,
                };
                with("cl_khr_command_buffer", able.raw())?
            }
            CL_DEVICE_COMMAND_BUFFER_SUPPORTED_QUEUE_PROPERTIES_KHR => {
                let able = CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE;
                with("cl_khr_command_buffer", able.raw())?
            }
            CL_DEVICE_MUTABLE_DISPATCH_CAPABILITIES_KHR => {
                let able = CL_MUTABLE_DISPATCH_ARGUMENTS_KHR | CL_MUTABLE_DISPATCH_GLOBAL_SIZE_KHR;
                with("cl_khr_command_buffer_mutable_dispatch", able.raw())?
            }
            CL_DEVICE_SUB_GROUP_SIZES_INTEL => {
                with("cl_intel_required_subgroup_size", [8usize, 16][..].raw())?
            }
            CL_DEVICE_HOST_MEM_CAPABILITIES_INTEL
            | CL_DEVICE_DEVICE_MEM_CAPABILITIES_INTEL
            | CL_DEVICE_SINGLE_DEVICE_SHARED_MEM_CAPABILITIES_INTEL => {
                with("cl_intel_unified_shared_memory", 1u64.raw())?
            }
            CL_DEVICE_CROSS_DEVICE_SHARED_MEM_CAPABILITIES_INTEL
            | CL_DEVICE_SHARED_SYSTEM_MEM_CAPABILITIES_INTEL => {
                with("cl_intel_unified_shared_memory", 0u64.raw())?
            }
            _ => return Err(CL_INVALID_VALUE),
        })
    }

    /// The sizes of the parts that a list of properties asks for.
    fn parts(&self, list: &[isize]) -> Result<Vec<u32>, cl_int> {
        match list {
            [CL_DEVICE_PARTITION_EQUALLY, size, 0] if *size > 0 => {
                match self.units / *size as u32 {
                    0 => Err(CL_DEVICE_PARTITION_FAILED),
                    count => Ok(vec![*size as u32; count as usize]),
                }
            }
            [CL_DEVICE_PARTITION_BY_COUNTS, counts @ .., 0, 0] => {
                let counts: Vec<u32> = counts.iter().map(|count| *count as u32).collect();
                match counts.iter().sum::<u32>() <= self.units {
                    true => Ok(counts),
                    false => Err(CL_INVALID_DEVICE_PARTITION_COUNT),
                }
            }
            _ => Err(CL_INVALID_VALUE),
        }
    }
}

/// Answers a question about a device.
pub unsafe extern "C" fn clGetDeviceInfo(
    device: cl_device_id,
    name: cl_uint,
    size: usize,
    value: *mut c_void,
    told: *mut usize,
) -> cl_int {
    code(call("clGetDeviceInfo", |world| {
        let answer = world.device(device.to_native())?.answer(name)?;
        // SAFETY: as the caller says.
        unsafe { tell(&answer, size, value, told) }
    }))
}

/// The list up to the zero that ends it; counts have a zero of their own.
unsafe fn properties(list: *const cl_properties) -> Vec<isize> {
    let mut found = Vec::new();
    let mut zeroes = 0;
    loop {
        // SAFETY: the caller passes a list that ends with zero.
        let value = unsafe { *list.add(found.len()) };
        zeroes += usize::from(value == 0);
        found.push(value);
        let counts = found[0] == CL_DEVICE_PARTITION_BY_COUNTS;
        if zeroes == 1 + usize::from(counts) {
            return found;
        }
    }
}

/// Splits a device.
pub unsafe extern "C" fn clCreateSubDevices(
    device: cl_device_id,
    list: *const cl_properties,
    count: cl_uint,
    devices: *mut cl_device_id,
    told: *mut cl_uint,
) -> cl_int {
    code(call("clCreateSubDevices", |world| {
        let parent = device.to_native();
        let of = world.platform_of(parent, Kind::Device)?;
        // SAFETY: as the caller says.
        let origin = unsafe { properties(list) };
        let whole = world.device(parent)?;
        let (platform, settings) = (whole.platform, whole.settings.clone());
        let parts = whole.parts(&origin)?;
        if !devices.is_null() && (count as usize) < parts.len() {
            return Err(CL_INVALID_VALUE);
        }
        if !told.is_null() {
            // SAFETY: the caller has room for a count.
            unsafe { told.write(parts.len() as cl_uint) };
        }
        if devices.is_null() {
            return Ok(());
        }
        for (place, units) in parts.into_iter().enumerate() {
            let part = Device {
                platform,
                number: place,
                settings: settings.clone(),
                units,
                parent: Some(parent),
                origin: origin.clone(),
            };
            let part = world.add(of, Body::Device(part), vec![parent]);
            // SAFETY: the caller has room for that many.
            unsafe { devices.add(place).write(cl_device_id::from_native(part)) };
        }
        Ok(())
    }))
}

/// Adds a reference; root devices have none.
pub unsafe extern "C" fn clRetainDevice(device: cl_device_id) -> cl_int {
    code(call("clRetainDevice", |world| {
        world.retain(device.to_native(), Kind::Device)
    }))
}

/// Gives a reference up; root devices have none.
pub unsafe extern "C" fn clReleaseDevice(device: cl_device_id) -> cl_int {
    code(call("clReleaseDevice", |world| {
        world.release(device.to_native(), Kind::Device)
    }))
}

/// Reads both clocks.
pub unsafe extern "C" fn clGetDeviceAndHostTimer(
    device: cl_device_id,
    on_device: *mut cl_ulong,
    on_host: *mut cl_ulong,
) -> cl_int {
    code(call("clGetDeviceAndHostTimer", |world| {
        world.device(device.to_native())?;
        world.clock += 1;
        // SAFETY: the caller has room for both.
        unsafe {
            on_device.write(world.clock);
            on_host.write(world.clock);
        }
        Ok(())
    }))
}

/// Reads the host's clock.
pub unsafe extern "C" fn clGetHostTimer(device: cl_device_id, on_host: *mut cl_ulong) -> cl_int {
    code(call("clGetHostTimer", |world| {
        world.device(device.to_native())?;
        world.clock += 1;
        // SAFETY: the caller has room for it.
        unsafe { on_host.write(world.clock) };
        Ok(())
    }))
}
