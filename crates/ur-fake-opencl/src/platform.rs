//! Platforms.

use crate::call::{Raw, call, code, tell};
use crate::cl::*;
use crate::device::Device;
use crate::settings::{Like, Settings};
use crate::world::{Body, World};
use std::ffi::c_void;

/// A platform.
#[derive(Debug)]
pub struct Platform {
    /// Its number.
    pub index: usize,
    /// What it is like.
    pub settings: Settings,
    /// Its root devices.
    pub devices: Vec<usize>,
}

impl World {
    /// Makes a platform and its devices.
    pub fn add_platform(&mut self, settings: Settings) {
        let index = self.platforms.len();
        crate::dispatch::make_table(index, settings.version);
        let platform = Platform {
            index,
            settings: settings.clone(),
            devices: Vec::new(),
        };
        let handle = self.add(index, Body::Platform(platform), Vec::new());
        self.platforms.push(handle);
        for number in 0..settings.devices {
            let device = Device::root(handle, number, settings.clone());
            let device = self.add(index, Body::Device(device), Vec::new());
            if let Ok(platform) = self.platform(handle) {
                platform.devices.push(device);
            }
        }
    }
}

/// Answers a question about a platform.
pub unsafe extern "C" fn clGetPlatformInfo(
    platform: cl_platform_id,
    name: cl_uint,
    size: usize,
    value: *mut c_void,
    told: *mut usize,
) -> cl_int {
    code(call("clGetPlatformInfo", |world| {
        let Platform {
            index, settings, ..
        } = world.platform(platform.to_native())?;
        let (major, minor) = settings.version;
        let answer = match name {
            CL_PLATFORM_PROFILE => "FULL_PROFILE".raw(),
            CL_PLATFORM_VERSION => format!("OpenCL {major}.{minor} fake").raw(),
            CL_PLATFORM_NAME => match settings.like {
                Like::OpenCl => format!("Fake platform {index}").raw(),
                Like::Pocl => "Portable Computing Language".raw(),
                Like::Nvidia => "NVIDIA CUDA".raw(),
            },
            CL_PLATFORM_VENDOR => "Concord".raw(),
            CL_PLATFORM_EXTENSIONS => format!("cl_khr_icd {}", settings.extensions.join(" ")).raw(),
            CL_PLATFORM_ICD_SUFFIX_KHR => "FAKE".raw(),
            _ => return Err(CL_INVALID_VALUE),
        };
        // SAFETY: as the caller says.
        unsafe { tell(&answer, size, value, told) }
    }))
}

/// Lists devices.
pub unsafe extern "C" fn clGetDeviceIDs(
    platform: cl_platform_id,
    kind: cl_bitfield,
    count: cl_uint,
    devices: *mut cl_device_id,
    told: *mut cl_uint,
) -> cl_int {
    code(call("clGetDeviceIDs", |world| {
        let all = world.platform(platform.to_native())?.devices.clone();
        // All are accelerators, the first the default.
        let wanted = match kind {
            CL_DEVICE_TYPE_ALL => &all[..],
            kind if kind & CL_DEVICE_TYPE_ACCELERATOR != 0 => &all[..],
            kind if kind & CL_DEVICE_TYPE_DEFAULT != 0 => &all[..all.len().min(1)],
            _ => &[],
        };
        if wanted.is_empty() {
            return Err(CL_DEVICE_NOT_FOUND);
        }
        for (place, handle) in wanted.iter().enumerate().take(count as usize) {
            if !devices.is_null() {
                // SAFETY: the caller has room for `count` handles.
                unsafe { devices.add(place).write(cl_device_id::from_native(*handle)) };
            }
        }
        if !told.is_null() {
            // SAFETY: the caller has room for a count.
            unsafe { told.write(wanted.len() as cl_uint) };
        }
        Ok(())
    }))
}
