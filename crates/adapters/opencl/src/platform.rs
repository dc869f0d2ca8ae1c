//! Platforms: one for each driver that the OpenCL library finds.

use crate::OpenCl;
use crate::adapter::{Adapter, adapter, api};
use crate::cl::{self, Extensions, Functions, Version, check, query};
use crate::device::Device;
use crate::queue::{Live, Markers};
use std::ffi::{CStr, c_char};
use std::sync::OnceLock;
use ur_adapter::{Backend, Error, Handle, Info, Object, PlatformFns, Result};
use ur_api::*;

/// What a platform handle names. Platforms stay as long as the process lives.
#[derive(Debug)]
pub struct Platform {
    api: &'static Functions,
    native: cl::cl_platform_id,
    version: Version,
    extensions: OnceLock<Extensions>,
    devices: OnceLock<Box<[Object<Device>]>>,
    queues: Live,
    markers: Markers,
}

impl Platform {
    /// Reads what is needed of every platform. A driver that does not even tell its version counts as
    /// one of OpenCL 1.0.
    fn new(api: &'static Functions, native: cl::cl_platform_id) -> Self {
        let mut platform = Self {
            api,
            native,
            version: Version(1, 0),
            extensions: OnceLock::new(),
            devices: OnceLock::new(),
            queues: Live::default(),
            markers: Markers::Plain,
        };
        if let Ok(text) = platform.text(cl::CL_PLATFORM_VERSION) {
            platform.version = Version::of_text(&text);
        }
        if let Ok(name) = platform.text(cl::CL_PLATFORM_NAME) {
            platform.markers = Markers::of_platform(&name);
        }
        platform
    }

    /// The library's functions.
    pub fn api(&self) -> &'static Functions {
        self.api
    }

    /// OpenCL's own handle.
    pub fn native(&self) -> cl::cl_platform_id {
        self.native
    }

    /// The version of OpenCL that the platform has; its devices may have older ones.
    pub fn version(&self) -> Version {
        self.version
    }

    /// The functions of its extensions, looked up by the first call. There is no way to look them up
    /// before 1.2.
    pub fn extensions(&self) -> &Extensions {
        self.extensions.get_or_init(|| match self.version {
            version if version < Version(1, 2) => Extensions::none(),
            // SAFETY: a platform of the library, which stays.
            _ => unsafe { Extensions::of(self.api, self.native) },
        })
    }

    /// The queues that there are at the moment.
    pub fn queues(&self) -> &Live {
        &self.queues
    }

    /// What its driver's markers are like.
    pub fn markers(&self) -> Markers {
        self.markers
    }

    /// A text that the driver has about the platform.
    fn text(&self, name: cl::cl_uint) -> Result<String> {
        query::text(|size, value, told| {
            // SAFETY: a live platform; the places are as `query` says.
            unsafe { (self.api.clGetPlatformInfo)(self.native, name, size, value, told) }
        })
    }
}

/// The platforms, found by the first call that finds the OpenCL library.
pub fn platforms() -> &'static [Object<Platform>] {
    static PLATFORMS: OnceLock<Box<[Object<Platform>]>> = OnceLock::new();
    PLATFORMS.get_or_init(|| match find() {
        Ok(platforms) => platforms,
        Err(error) => {
            let message = format!("there is no OpenCL platform: {error}");
            OpenCl::logger().say(UR_LOGGER_LEVEL_WARN, &message);
            Box::default()
        }
    })
}

fn find() -> Result<Box<[Object<Platform>]>> {
    let api = api()?;
    let mut count = 0;
    // SAFETY: only the count is asked for.
    check(unsafe { (api.clGetPlatformIDs)(0, std::ptr::null_mut(), &raw mut count) })?;
    let mut natives = vec![cl::cl_platform_id::NULL; count as usize];
    let mut found = 0;
    // SAFETY: the list has room for that many.
    check(unsafe { (api.clGetPlatformIDs)(count, natives.as_mut_ptr(), &raw mut found) })?;
    natives.truncate(found as usize);
    Ok(natives
        .into_iter()
        .filter(|native| !native.is_null())
        .map(|native| Object::fixed(Platform::new(api, native)))
        .collect())
}

/// The platform with this handle of OpenCL's.
pub fn of_native(native: cl::cl_platform_id) -> Result<&'static Object<Platform>> {
    platforms()
        .iter()
        .find(|platform| platform.native == native)
        .ok_or_else(|| Error::code(UR_RESULT_ERROR_INVALID_PLATFORM))
}

/// The root devices of a platform, found by the first call. None if the driver does not tell any.
pub fn devices(platform: &'static Object<Platform>) -> &'static [Object<Device>] {
    platform.devices.get_or_init(|| {
        let mut natives = ids(platform, cl::CL_DEVICE_TYPE_ALL);
        // Devices that are custom need not be among all.
        for native in ids(platform, cl::CL_DEVICE_TYPE_CUSTOM) {
            if !natives.contains(&native) {
                natives.push(native);
            }
        }
        natives
            .into_iter()
            .map(|native| Object::fixed(Device::root(platform, native)))
            .collect()
    })
}

/// OpenCL's handles of the root devices of a type; none for a driver that has none or fails.
pub fn ids(platform: &Platform, kind: cl::cl_bitfield) -> Vec<cl::cl_device_id> {
    let get = platform.api.clGetDeviceIDs;
    let mut count = 0;
    // SAFETY: a live platform; only the count is asked for.
    let code = unsafe {
        get(
            platform.native,
            kind,
            0,
            std::ptr::null_mut(),
            &raw mut count,
        )
    };
    if code != cl::CL_SUCCESS {
        return Vec::new();
    }
    let mut natives = vec![cl::cl_device_id::NULL; count as usize];
    let mut found = 0;
    // SAFETY: the list has room for that many.
    let code = unsafe {
        get(
            platform.native,
            kind,
            count,
            natives.as_mut_ptr(),
            &raw mut found,
        )
    };
    natives.truncate(if code == cl::CL_SUCCESS {
        found as usize
    } else {
        0
    });
    natives.retain(|native| !native.is_null());
    natives
}

/// The platform that outlives a reference to it: all do.
pub fn lasting(platform: &Object<Platform>) -> Result<&'static Object<Platform>> {
    of_native(platform.native)
}

impl PlatformFns for OpenCl {
    fn platform_get(_: &Object<Adapter>) -> Result<Vec<Handle<Platform>>> {
        Ok(platforms().iter().map(Object::handle).collect())
    }

    fn platform_get_info(
        platform: &Object<Platform>,
        prop_name: ur_platform_info_t,
        info: &mut Info<'_>,
    ) -> Result {
        let name = match prop_name {
            UR_PLATFORM_INFO_NAME => cl::CL_PLATFORM_NAME,
            UR_PLATFORM_INFO_VENDOR_NAME => cl::CL_PLATFORM_VENDOR,
            UR_PLATFORM_INFO_VERSION => cl::CL_PLATFORM_VERSION,
            UR_PLATFORM_INFO_EXTENSIONS => cl::CL_PLATFORM_EXTENSIONS,
            UR_PLATFORM_INFO_PROFILE => cl::CL_PLATFORM_PROFILE,
            UR_PLATFORM_INFO_BACKEND => return info.value(UR_BACKEND_OPENCL.0),
            UR_PLATFORM_INFO_ADAPTER => return info.handle(adapter()),
            _ => return Err(Error::unsupported_query()),
        };
        info.text(&platform.text(name)?)
    }

    fn platform_get_native_handle(platform: &Object<Platform>) -> Result<ur_native_handle_t> {
        Ok(platform.native.to_native())
    }

    fn platform_create_with_native_handle(
        native_platform: ur_native_handle_t,
        _: &Object<Adapter>,
        _: Option<&ur_platform_native_properties_t>,
    ) -> Result<Handle<Platform>> {
        Ok(of_native(cl::cl_platform_id::from_native(native_platform))?.handle())
    }

    fn platform_get_api_version(_: &Object<Platform>) -> Result<ur_api_version_t> {
        Ok(UR_API_VERSION_CURRENT)
    }

    fn platform_get_backend_option(
        _: &Object<Platform>,
        frontend_option: &CStr,
    ) -> Result<*const c_char> {
        let option = match frontend_option.to_bytes() {
            b"" | b"-O1" | b"-O2" | b"-O3" => c"",
            b"-O0" => c"-cl-opt-disable",
            b"-ftarget-compile-fast" => c"-igc_opts 'PartitionUnit=1,SubroutineThreshold=50000'",
            b"-foffload-fp32-prec-div" | b"-foffload-fp32-prec-sqrt" => {
                c"-cl-fp32-correctly-rounded-divide-sqrt"
            }
            _ => return Err(Error::value("no such frontend option")),
        };
        Ok(option.as_ptr())
    }
}
