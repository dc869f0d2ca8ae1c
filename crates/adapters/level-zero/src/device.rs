//! Devices and sub-devices.

pub mod able;
pub mod facts;
pub mod info;
pub mod partition;
pub mod vector;

use crate::LevelZero;
use crate::adapter::Adapter;
use crate::platform::{self, Platform};
use crate::ze::{self, Functions, check};
pub use able::Able;
use facts::Facts;
use std::ffi::CStr;
use std::mem::MaybeUninit;
use std::sync::OnceLock;
use ur_adapter::{DeviceFns, Error, Handle, Info, Object, Result};
use ur_api::*;

/// What a device handle names. All devices, parts of others as well, stay as long as the process lives,
/// as they do in Level Zero, so that a part is the same object whenever its device is split.
#[derive(Debug)]
pub struct Device {
    platform: &'static Object<Platform>,
    native: ze::ze_device_handle_t,
    parent: Option<&'static Object<Device>>,
    /// Which of its parent's compute engines it is, for a part by those.
    slice: Option<u32>,
    facts: OnceLock<Facts>,
    parts: OnceLock<Box<[Object<Device>]>>,
    slices: OnceLock<Box<[Object<Device>]>>,
}

impl Device {
    /// A root device of a platform.
    pub fn root(platform: &'static Object<Platform>, native: ze::ze_device_handle_t) -> Self {
        Self {
            platform,
            native,
            parent: None,
            slice: None,
            facts: OnceLock::new(),
            parts: OnceLock::new(),
            slices: OnceLock::new(),
        }
    }

    /// A part of a device.
    fn part(
        parent: &'static Object<Device>,
        native: ze::ze_device_handle_t,
        slice: Option<u32>,
    ) -> Self {
        Self {
            parent: Some(parent),
            slice,
            ..Self::root(parent.platform, native)
        }
    }

    /// The library's functions.
    pub fn api(&self) -> &'static Functions {
        self.platform.api()
    }

    /// Its platform.
    pub fn platform(&self) -> &'static Object<Platform> {
        self.platform
    }

    /// Level Zero's own handle. A part that is one compute engine has its parent's.
    pub fn native(&self) -> ze::ze_device_handle_t {
        self.native
    }

    /// What it is a part of; none for a root device.
    pub fn parent(&self) -> Option<&'static Object<Device>> {
        self.parent
    }

    /// The compute engine that all its commands go to, for a part that is one engine.
    pub fn slice(&self) -> Option<u32> {
        self.slice
    }

    /// What is known of it, read by the first call.
    pub fn facts(&self) -> &Facts {
        self.facts.get_or_init(|| Facts::of(self))
    }

    /// Who made it.
    pub fn vendor(&self) -> String {
        match self.facts().properties.vendorId {
            INTEL => "Intel(R) Corporation".into(),
            other => format!("{other:#06x}"),
        }
    }

    /// The device, what it is a part of, and so on up to the root.
    pub fn line(&self) -> impl Iterator<Item = &Device> {
        std::iter::successors(Some(self), |device| {
            device.parent.map(|parent| -> &Device { parent })
        })
    }

    /// Whether it is `other` or a part of it.
    pub fn is_part_of(&self, other: &Device) -> bool {
        self.line().any(|device| std::ptr::eq(device, other))
    }
}

/// Intel's number among vendors of PCI devices.
pub const INTEL: u32 = 0x8086;

/// The device that outlives a reference to it: all do.
pub fn lasting(device: &Object<Device>) -> &'static Object<Device> {
    // SAFETY: devices are made only in the lists that platforms and devices keep for good.
    unsafe { &*std::ptr::from_ref(device) }
}

/// The device with this handle of Level Zero's, be it a part of another.
///
/// # Errors
/// `INVALID_DEVICE` for a handle that no platform knows.
pub fn of_native(native: ze::ze_device_handle_t) -> Result<&'static Object<Device>> {
    let mut all: Vec<_> = platform::platforms()
        .iter()
        .flat_map(platform::devices)
        .collect();
    while let Some(device) = all.pop() {
        if device.native == native {
            return Ok(device);
        }
        all.extend(partition::parts(device));
    }
    Err(Error::code(UR_RESULT_ERROR_INVALID_DEVICE))
}

impl DeviceFns for LevelZero {
    fn device_get(
        platform: &Object<Platform>,
        device_type: ur_device_type_t,
    ) -> Result<Vec<Handle<Device>>> {
        let devices = platform::devices(platform::lasting(platform)?);
        match device_type {
            UR_DEVICE_TYPE_ALL => Ok(devices.iter().map(Object::handle).collect()),
            UR_DEVICE_TYPE_DEFAULT => Ok(devices.first().map(Object::handle).into_iter().collect()),
            UR_DEVICE_TYPE_CPU
            | UR_DEVICE_TYPE_GPU
            | UR_DEVICE_TYPE_FPGA
            | UR_DEVICE_TYPE_MCA
            | UR_DEVICE_TYPE_VPU
            | UR_DEVICE_TYPE_CUSTOM => Ok(devices
                .iter()
                .filter(|device| device.facts().kind() == device_type)
                .map(Object::handle)
                .collect()),
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
        partition::split(lasting(device), properties)
    }

    fn device_select_binary(
        device: &Object<Device>,
        binaries: &[ur_device_binary_t],
    ) -> Result<u32> {
        if binaries.is_empty() {
            return Err(Error::code(UR_RESULT_ERROR_INVALID_SIZE));
        }
        let ahead_of_time = match device.facts().kind() {
            UR_DEVICE_TYPE_CPU => Some(UR_DEVICE_BINARY_TARGET_SPIRV64_X86_64),
            UR_DEVICE_TYPE_GPU => Some(UR_DEVICE_BINARY_TARGET_SPIRV64_GEN),
            UR_DEVICE_TYPE_FPGA => Some(UR_DEVICE_BINARY_TARGET_SPIRV64_FPGA),
            _ => None,
        };
        let is = |binary: &ur_device_binary_t, target: &CStr| {
            // SAFETY: the target is null or a terminated text.
            !binary.pDeviceTargetSpec.is_null()
                && unsafe { CStr::from_ptr(binary.pDeviceTargetSpec) } == target
        };
        // What was compiled for such devices before what must be compiled now.
        let wanted = [ahead_of_time, Some(UR_DEVICE_BINARY_TARGET_SPIRV64)];
        wanted
            .into_iter()
            .flatten()
            .find_map(|target| binaries.iter().position(|binary| is(binary, target)))
            .map(|position| position as u32)
            .ok_or_else(|| {
                Error::new(
                    UR_RESULT_ERROR_INVALID_BINARY,
                    "no image is one that the device takes",
                )
            })
    }

    fn device_get_native_handle(device: &Object<Device>) -> Result<ur_native_handle_t> {
        Ok(device.native.to_native())
    }

    fn device_create_with_native_handle(
        native_device: ur_native_handle_t,
        _: &Object<Adapter>,
        _: Option<&ur_device_native_properties_t>,
    ) -> Result<Handle<Device>> {
        // Nobody owns a device of Level Zero.
        Ok(of_native(ze::ze_device_handle_t::from_native(native_device))?.handle())
    }

    fn device_get_global_timestamps(
        device: &Object<Device>,
        device_timestamp: Option<&mut MaybeUninit<u64>>,
        host_timestamp: Option<&mut MaybeUninit<u64>>,
    ) -> Result {
        let get = device.api().later.zeDeviceGetGlobalTimestamps;
        let get = get.ok_or_else(Error::unsupported)?;
        let (mut on_device, mut on_host) = (0, 0);
        // SAFETY: a live device; the places are ours.
        check(unsafe { get(device.native, &raw mut on_host, &raw mut on_device) })?;
        if let Some(place) = device_timestamp {
            place.write(device.facts().timer.nanoseconds(on_device));
        }
        if let Some(place) = host_timestamp {
            place.write(on_host);
        }
        Ok(())
    }
}
