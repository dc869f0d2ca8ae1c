//! Platforms: one for each driver that the Level Zero loader finds and that has a device.

use crate::LevelZero;
use crate::adapter::{Adapter, adapter};
use crate::device::Device;
use crate::ze::driver::{self, DriverFunctions};
use crate::ze::{self, Functions};
use std::ffi::{CStr, c_char};
use std::sync::OnceLock;
use ur_adapter::{Backend, Error, Handle, Info, Object, PlatformFns, Result};
use ur_api::*;

/// What a platform handle names. Platforms stay as long as the process lives.
#[derive(Debug)]
pub struct Platform {
    api: &'static Functions,
    native: ze::ze_driver_handle_t,
    version: ze::ze_api_version_t,
    driver_version: u32,
    extensions: Vec<Box<str>>,
    functions: DriverFunctions,
    devices: OnceLock<Box<[Object<Device>]>>,
}

impl Platform {
    /// Reads what is needed of every platform.
    ///
    /// # Safety
    /// A live driver of the library.
    unsafe fn new(api: &'static Functions, native: ze::ze_driver_handle_t) -> Self {
        let mut version = ze::version(1, 0);
        let mut properties = ze::ze_driver_properties_t::new();
        // SAFETY: a live driver and places of ours. One that fails leaves them as they are.
        unsafe {
            (api.zeDriverGetApiVersion)(native, &raw mut version);
            (api.zeDriverGetProperties)(native, &raw mut properties);
        }
        Self {
            api,
            native,
            version,
            driver_version: properties.driverVersion,
            // SAFETY: forwarded.
            extensions: unsafe { driver::extensions(api, native) },
            // SAFETY: forwarded.
            functions: unsafe { DriverFunctions::of(api, native) },
            devices: OnceLock::new(),
        }
    }

    /// The library's functions.
    pub fn api(&self) -> &'static Functions {
        self.api
    }

    /// Level Zero's own handle.
    pub fn native(&self) -> ze::ze_driver_handle_t {
        self.native
    }

    /// The version of Level Zero that the driver has.
    pub fn version(&self) -> ze::ze_api_version_t {
        self.version
    }

    /// The version of Level Zero as a text.
    pub fn version_text(&self) -> String {
        format!("{}.{}", self.version >> 16, self.version & 0xffff)
    }

    /// Whether the driver has an extension of Level Zero.
    pub fn has(&self, extension: &str) -> bool {
        self.extensions.iter().any(|have| &**have == extension)
    }

    /// Functions of the driver's own.
    pub fn functions(&self) -> &DriverFunctions {
        &self.functions
    }

    /// The driver's version: its own text, or else the number that it has, as Intel's drivers put it
    /// together.
    pub fn driver_version(&self) -> String {
        let version = self.driver_version;
        self.own_version().unwrap_or_else(|| {
            let (major, minor, build) = (version >> 24, version >> 16 & 0xff, version & 0xffff);
            format!("{major}.{minor}.{build}")
        })
    }

    /// The driver's own handle of itself, for [`Platform::functions`].
    pub fn own_native(&self) -> ze::ze_driver_handle_t {
        let driver = self.native.to_pointer();
        // SAFETY: a live driver.
        let driver = unsafe { driver::to_driver(self.api, ze::ZEL_HANDLE_DRIVER, driver) };
        ze::ze_driver_handle_t::from_pointer(driver)
    }

    fn own_version(&self) -> Option<String> {
        let get = self.functions.zeIntelGetDriverVersionString?;
        let driver = self.own_native();
        let mut size = 0;
        // SAFETY: a live driver; only the size is asked for.
        let code = unsafe { get(driver, std::ptr::null_mut(), &raw mut size) };
        // No version is longer; a size that is makes no sense.
        if code != ze::ZE_RESULT_SUCCESS || size == 0 || size > 4096 {
            return None;
        }
        // One more, since the size may be that without an end.
        let mut text: Vec<c_char> = vec![0; size + 1];
        size = text.len();
        // SAFETY: as above, with room for that many.
        let code = unsafe { get(driver, text.as_mut_ptr(), &raw mut size) };
        (code == ze::ZE_RESULT_SUCCESS).then(|| ze::text(&text).into_owned())
    }
}

/// The loader with its drivers initialised, and the drivers; or why there is none.
fn drivers() -> std::result::Result<(&'static Functions, Vec<ze::ze_driver_handle_t>), String> {
    static API: OnceLock<std::result::Result<Functions, String>> = OnceLock::new();
    let api = API.get_or_init(Functions::open).as_ref();
    let api = api.map_err(String::clone)?;
    if let Some(init) = api.later.zeInitDrivers {
        let mut desc = ze::ze_init_driver_type_desc_t::new();
        desc.flags = ze::ZE_INIT_DRIVER_TYPE_FLAG_GPU;
        let drivers = driver::list(ze::ze_driver_handle_t::NULL, |count, drivers| {
            // SAFETY: the places are as `list` says.
            unsafe { init(count, drivers, &raw const desc) }
        });
        if !drivers.is_empty() {
            return Ok((api, drivers));
        }
    }
    // Drivers that do not know the newer way have this one.
    // SAFETY: may be called at any time.
    let code = unsafe { (api.zeInit)(ze::ZE_INIT_FLAG_GPU_ONLY) };
    if code != ze::ZE_RESULT_SUCCESS {
        return Err(format!("no driver can be used ({})", ze::error::name(code)));
    }
    let drivers = driver::list(ze::ze_driver_handle_t::NULL, |count, drivers| {
        // SAFETY: the places are as `list` says.
        unsafe { (api.zeDriverGet)(count, drivers) }
    });
    Ok((api, drivers))
}

/// The platforms, found by the first call.
pub fn platforms() -> &'static [Object<Platform>] {
    static PLATFORMS: OnceLock<Box<[Object<Platform>]>> = OnceLock::new();
    PLATFORMS.get_or_init(|| {
        find().unwrap_or_else(|reason| {
            let message = format!("there is no Level Zero platform: {reason}");
            LevelZero::logger().say(UR_LOGGER_LEVEL_WARN, &message);
            Box::default()
        })
    })
}

/// The drivers with a device, or why there is none.
fn find() -> std::result::Result<Box<[Object<Platform>]>, String> {
    let (api, drivers) = drivers()?;
    ze::exit::prepare();
    if drivers.is_empty() {
        return Err("the loader finds no driver".into());
    }
    let platforms: Box<_> = drivers
        .into_iter()
        // SAFETY: drivers that the library gave.
        .map(|driver| unsafe { Platform::new(api, driver) })
        .filter(|platform| platform.version >> 16 == 1 && !roots(platform).is_empty())
        .map(Object::fixed)
        .collect();
    if platforms.is_empty() {
        return Err("no driver of version 1 has a device".into());
    }
    Ok(platforms)
}

/// Level Zero's handles of the root devices of a driver.
fn roots(platform: &Platform) -> Vec<ze::ze_device_handle_t> {
    let mut roots = driver::list(ze::ze_device_handle_t::NULL, |count, devices| {
        // SAFETY: a live driver; the places are as `list` says.
        unsafe { (platform.api.zeDeviceGet)(platform.native, count, devices) }
    });
    roots.retain(|native| !native.is_null());
    roots
}

/// The platform with this handle of Level Zero's.
///
/// # Errors
/// `INVALID_PLATFORM`.
pub fn of_native(native: ze::ze_driver_handle_t) -> Result<&'static Object<Platform>> {
    platforms()
        .iter()
        .find(|platform| platform.native == native)
        .ok_or_else(|| Error::code(UR_RESULT_ERROR_INVALID_PLATFORM))
}

/// The root devices of a platform.
pub fn devices(platform: &'static Object<Platform>) -> &'static [Object<Device>] {
    platform.devices.get_or_init(|| {
        let natives = roots(platform).into_iter();
        natives
            .map(|native| Object::fixed(Device::root(platform, native)))
            .collect()
    })
}

/// The platform that outlives a reference to it: all do.
///
/// # Errors
/// `INVALID_PLATFORM`.
pub fn lasting(platform: &Object<Platform>) -> Result<&'static Object<Platform>> {
    of_native(platform.native)
}

impl PlatformFns for LevelZero {
    fn platform_get(_: &Object<Adapter>) -> Result<Vec<Handle<Platform>>> {
        Ok(platforms().iter().map(Object::handle).collect())
    }

    fn platform_get_info(
        platform: &Object<Platform>,
        prop_name: ur_platform_info_t,
        info: &mut Info<'_>,
    ) -> Result {
        match prop_name {
            UR_PLATFORM_INFO_NAME => info.text("Level Zero"),
            UR_PLATFORM_INFO_VENDOR_NAME => {
                let first = devices(lasting(platform)?).first();
                info.text(&first.map(|device| device.vendor()).unwrap_or_default())
            }
            UR_PLATFORM_INFO_VERSION => info.text(&platform.version_text()),
            UR_PLATFORM_INFO_EXTENSIONS => info.text(&platform.extensions.join(" ")),
            UR_PLATFORM_INFO_PROFILE => info.text("FULL_PROFILE"),
            UR_PLATFORM_INFO_BACKEND => info.value(UR_BACKEND_LEVEL_ZERO.0),
            UR_PLATFORM_INFO_ADAPTER => info.handle(adapter()),
            _ => Err(Error::unsupported_query()),
        }
    }

    fn platform_get_native_handle(platform: &Object<Platform>) -> Result<ur_native_handle_t> {
        Ok(platform.native.to_native())
    }

    fn platform_create_with_native_handle(
        native_platform: ur_native_handle_t,
        _: &Object<Adapter>,
        _: Option<&ur_platform_native_properties_t>,
    ) -> Result<Handle<Platform>> {
        Ok(of_native(ze::ze_driver_handle_t::from_native(native_platform))?.handle())
    }

    fn platform_get_api_version(_: &Object<Platform>) -> Result<ur_api_version_t> {
        Ok(UR_API_VERSION_CURRENT)
    }

    fn platform_get_backend_option(
        _: &Object<Platform>,
        frontend_option: &CStr,
    ) -> Result<*const c_char> {
        let option = match frontend_option.to_bytes() {
            b"" => c"",
            b"-O1" | b"-O2" | b"-O3" => c"-ze-opt-level=2",
            b"-O0" => c"-ze-opt-disable",
            b"-ftarget-compile-fast" => c"-igc_opts 'PartitionUnit=1,SubroutineThreshold=50000'",
            b"-foffload-fp32-prec-div" | b"-foffload-fp32-prec-sqrt" => {
                c"-ze-fp32-correctly-rounded-divide-sqrt"
            }
            _ => return Err(Error::value("no such frontend option")),
        };
        Ok(option.as_ptr())
    }
}
