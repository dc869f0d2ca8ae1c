//! Devices and sub-devices.

pub mod facts;
pub mod info;
pub mod limits;
pub mod partition;

use crate::OpenCl;
use crate::adapter::{Adapter, api};
use crate::cl::{self, Functions, Owned, Version, check, query};
use crate::platform::{self, Platform};
use facts::Facts;
use limits::{Groups, Images};
use std::ffi::CStr;
use std::mem::MaybeUninit;
use std::sync::OnceLock;
use ur_adapter::{DeviceExpFns, DeviceFns, Error, Handle, Info, Object, Result};
use ur_api::*;

/// What a device handle names: a root device, which stays, or a sub-device.
#[derive(Debug)]
pub struct Device {
    platform: &'static Object<Platform>,
    native: cl::cl_device_id,
    part: Option<Part>,
    facts: OnceLock<Facts>,
}

/// What only a sub-device has.
#[derive(Debug)]
struct Part {
    parent: Handle<Device>,
    _owned: Owned<cl::cl_device_id>,
}

impl Device {
    /// A root device of a platform.
    pub fn root(platform: &'static Object<Platform>, native: cl::cl_device_id) -> Self {
        Self {
            platform,
            native,
            part: None,
            facts: OnceLock::new(),
        }
    }

    /// A part of a device.
    pub fn part(parent: &Object<Device>, owned: Owned<cl::cl_device_id>) -> Self {
        Self {
            platform: parent.platform,
            native: owned.get(),
            part: Some(Part {
                parent: parent.handle(),
                _owned: owned,
            }),
            facts: OnceLock::new(),
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

    /// OpenCL's own handle.
    pub fn native(&self) -> cl::cl_device_id {
        self.native
    }

    /// What it is a part of; none for a root device.
    pub fn parent(&self) -> Option<&Handle<Device>> {
        self.part.as_ref().map(|part| &part.parent)
    }

    /// What is known of it, read by the first call.
    pub fn facts(&self) -> &Facts {
        self.facts.get_or_init(|| Facts::of(self))
    }

    /// The version of OpenCL that it has.
    pub fn version(&self) -> Version {
        self.facts().version
    }

    /// Whether it has an extension.
    pub fn has(&self, extension: &str) -> bool {
        self.facts().has(extension)
    }

    /// The device, what it is a part of, and so on up to the root.
    pub fn line(&self) -> impl Iterator<Item = &Device> {
        std::iter::successors(Some(self), |device| {
            device.parent().map(|parent| &***parent)
        })
    }

    /// Whether it is `other` or a part of it.
    pub fn is_part_of(&self, other: &Device) -> bool {
        self.line().any(|device| device.native == other.native)
    }

    /// A value that the driver has about it.
    ///
    /// # Errors
    /// What the driver says.
    pub fn value<T: query::Answer>(&self, name: cl::cl_uint) -> Result<T> {
        query::value(|size, value, told| self.ask(name, size, value, told))
    }

    /// A list that the driver has about it.
    ///
    /// # Errors
    /// What the driver says.
    pub fn list<T: query::Answer>(&self, name: cl::cl_uint) -> Result<Vec<T>> {
        query::list(|size, value, told| self.ask(name, size, value, told))
    }

    /// A text that the driver has about it.
    ///
    /// # Errors
    /// What the driver says.
    pub fn text(&self, name: cl::cl_uint) -> Result<String> {
        query::text(|size, value, told| self.ask(name, size, value, told))
    }

    fn ask(
        &self,
        name: cl::cl_uint,
        size: usize,
        value: *mut std::ffi::c_void,
        told: *mut usize,
    ) -> cl::cl_int {
        // SAFETY: a live device; the places are as `query` says.
        unsafe { (self.api().clGetDeviceInfo)(self.native, name, size, value, told) }
    }
}

/// The device with this handle of OpenCL's. A root device is the one that its platform lists. For a
/// sub-device a new object is made, with the program's reference if it gives that away.
///
/// # Errors
/// `INVALID_DEVICE` for a handle that no platform knows.
///
/// # Safety
/// `native` names a live device; if it is `given`, the caller owns a reference.
pub unsafe fn of_native(native: cl::cl_device_id, given: bool) -> Result<Handle<Device>> {
    let invalid = || Error::code(UR_RESULT_ERROR_INVALID_DEVICE);
    if native.is_null() {
        return Err(invalid());
    }
    let known = platform::platforms()
        .iter()
        .flat_map(platform::devices)
        .find(|device| device.native == native);
    if let Some(device) = known {
        return Ok(device.handle());
    }
    let api = api()?;
    let parent: cl::cl_device_id = query::value(|size, value, told| {
        // SAFETY: a live device, as the caller says; the places are as `query` says.
        unsafe { (api.clGetDeviceInfo)(native, cl::CL_DEVICE_PARENT_DEVICE, size, value, told) }
    })
    .map_err(|_| invalid())?;
    // SAFETY: a device keeps what it is a part of.
    let parent = unsafe { of_native(parent, false) }?;
    // SAFETY: forwarded.
    let owned = unsafe { Owned::of_native(api, native, given) }?;
    Handle::new(Device::part(&parent, owned))
}

impl DeviceFns for OpenCl {
    fn device_get(
        platform: &Object<Platform>,
        device_type: ur_device_type_t,
    ) -> Result<Vec<Handle<Device>>> {
        let platform = platform::lasting(platform)?;
        let devices = platform::devices(platform);
        let of_type = |kind: ur_device_type_t| {
            let all = devices.iter();
            all.filter(move |device| device.facts().kind == kind)
                .map(Object::handle)
                .collect()
        };
        match device_type {
            UR_DEVICE_TYPE_ALL => Ok(devices.iter().map(Object::handle).collect()),
            UR_DEVICE_TYPE_DEFAULT => {
                let default = platform::ids(platform, cl::CL_DEVICE_TYPE_DEFAULT);
                let all = devices.iter();
                Ok(all
                    .filter(|device| default.contains(&device.native))
                    .map(Object::handle)
                    .collect())
            }
            UR_DEVICE_TYPE_CPU
            | UR_DEVICE_TYPE_GPU
            | UR_DEVICE_TYPE_FPGA
            | UR_DEVICE_TYPE_MCA
            | UR_DEVICE_TYPE_VPU
            | UR_DEVICE_TYPE_CUSTOM => Ok(of_type(device_type)),
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
        partition::split(device, properties)
    }

    fn device_select_binary(
        device: &Object<Device>,
        binaries: &[ur_device_binary_t],
    ) -> Result<u32> {
        if binaries.is_empty() {
            return Err(Error::code(UR_RESULT_ERROR_INVALID_SIZE));
        }
        let facts = device.facts();
        let ahead_of_time = match facts.kind {
            UR_DEVICE_TYPE_CPU => Some(UR_DEVICE_BINARY_TARGET_SPIRV64_X86_64),
            UR_DEVICE_TYPE_GPU => Some(UR_DEVICE_BINARY_TARGET_SPIRV64_GEN),
            UR_DEVICE_TYPE_FPGA => Some(UR_DEVICE_BINARY_TARGET_SPIRV64_FPGA),
            _ => None,
        };
        let spirv = match facts.address_bits {
            32 => UR_DEVICE_BINARY_TARGET_SPIRV32,
            _ => UR_DEVICE_BINARY_TARGET_SPIRV64,
        };
        let is = |binary: &ur_device_binary_t, target: &CStr| {
            // SAFETY: the target is null or a terminated text.
            !binary.pDeviceTargetSpec.is_null()
                && unsafe { CStr::from_ptr(binary.pDeviceTargetSpec) } == target
        };
        // What was compiled for such devices before what must be compiled now.
        let wanted = [ahead_of_time, facts.takes_il.then_some(spirv)];
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
        properties: Option<&ur_device_native_properties_t>,
    ) -> Result<Handle<Device>> {
        let given = properties.is_some_and(|properties| properties.isNativeHandleOwned);
        let native = cl::cl_device_id::from_native(native_device);
        // SAFETY: the program passes a live device and says whether its reference is ours.
        unsafe { of_native(native, given) }
    }

    fn device_get_global_timestamps(
        device: &Object<Device>,
        device_timestamp: Option<&mut MaybeUninit<u64>>,
        host_timestamp: Option<&mut MaybeUninit<u64>>,
    ) -> Result {
        let (mut on_device, mut on_host) = (0, 0);
        let get = device.api().clGetDeviceAndHostTimer;
        let get = get.filter(|_| device.version() >= Version(2, 1));
        let get = get.ok_or_else(Error::unsupported)?;
        // SAFETY: a live device; the places are ours.
        match unsafe { get(device.native, &raw mut on_device, &raw mut on_host) } {
            // The driver has no such clocks.
            cl::CL_INVALID_OPERATION => return Err(Error::unsupported()),
            code => check(code)?,
        }
        if let Some(place) = device_timestamp {
            place.write(on_device);
        }
        if let Some(place) = host_timestamp {
            place.write(on_host);
        }
        Ok(())
    }
}

impl DeviceExpFns for OpenCl {
    fn device_wait_exp(device: &Object<Device>) -> Result {
        device.platform().queues().finish_device(device)
    }
}
