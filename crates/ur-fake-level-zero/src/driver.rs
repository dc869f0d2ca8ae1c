//! Drivers.

use crate::call::{call, code, fill, fill_behind, get, letters, put, tell, text, world};
use crate::settings::Settings;
use crate::world::{Body, Kind, World};
use crate::ze::*;
use std::ffi::{CStr, c_char, c_void};
use std::sync::Arc;

/// A driver.
#[derive(Debug)]
pub struct Driver {
    /// Its devices.
    pub devices: Vec<usize>,
}

/// The driver's own version.
const DRIVER_VERSION: u32 = 0x0100_0001;
/// The same as a text.
pub const VERSION: &CStr = c"1.0.1";

impl World {
    /// Adds a driver with its devices.
    pub fn add_driver(&mut self, settings: Settings) {
        let number = self.drivers.len();
        let settings = Arc::new(settings);
        self.engines.choice = settings.seed.max(1);
        self.settings.push(settings.clone());
        let driver = Driver {
            devices: Vec::new(),
        };
        let handle = self.add(number, Body::Driver(driver), Vec::new());
        self.drivers.push(handle);
        for place in 0..settings.devices {
            let device = self.add_device(number, place);
            if let Ok(driver) = self.driver(handle) {
                driver.devices.push(device);
            }
        }
    }
}

/// Extensions with the version of Level Zero that they came with, and the part they are of, if that can
/// be left out.
const EXTENSIONS: [(&str, u16, &str); 20] = [
    (ZE_FLOAT_ATOMICS_EXT_NAME, 1, ""),
    (ZE_MODULE_PROGRAM_EXP_NAME, 0, ""),
    (ZE_GLOBAL_OFFSET_EXP_NAME, 1, "offset"),
    (ZE_RELAXED_ALLOCATION_LIMITS_EXP_NAME, 1, ""),
    (ZE_PCI_PROPERTIES_EXT_NAME, 3, ""),
    (ZE_SRGB_EXT_NAME, 3, "images"),
    (ZE_IMAGE_COPY_EXT_NAME, 3, "images"),
    (ZE_LINKONCE_ODR_EXT_NAME, 2, ""),
    (ZE_SUBGROUPS_EXT_NAME, 2, ""),
    (ZE_EU_COUNT_EXT_NAME, 3, ""),
    (ZE_MEMORY_FREE_POLICIES_EXT_NAME, 3, ""),
    (ZE_DEVICE_LUID_EXT_NAME, 4, ""),
    (ZE_DEVICE_MEMORY_PROPERTIES_EXT_NAME, 4, ""),
    (ZE_DEVICE_IP_VERSION_EXT_NAME, 5, ""),
    (ZE_BFLOAT16_CONVERSIONS_EXT_NAME, 5, ""),
    (ZE_KERNEL_MAX_GROUP_SIZE_EXT_NAME, 7, ""),
    (ZE_EVENT_QUERY_KERNEL_TIMESTAMPS_EXT_NAME, 6, "timestamps"),
    (ZE_EVENT_POOL_COUNTER_BASED_EXP_NAME, 8, "counters"),
    (ZE_MUTABLE_COMMAND_LIST_EXP_NAME, 9, "mutable"),
    (ZE_IMMEDIATE_COMMAND_LIST_APPEND_EXP_NAME, 9, ""),
];

/// Initialises. Without drivers there is nothing to use.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeInit(flags: u32) -> ze_result_t {
    call("zeInit", |world| {
        if flags & !3 != 0 {
            return Err(ZE_RESULT_ERROR_INVALID_ENUMERATION);
        }
        world.initialised = true;
        match world.drivers.is_empty() {
            true => Err(ZE_RESULT_ERROR_UNINITIALIZED),
            false => Ok(()),
        }
    })
}

/// Initialises and lists the drivers of kinds of devices.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeInitDrivers(
    count: *mut u32,
    drivers: *mut ze_driver_handle_t,
    desc: *const ze_init_driver_type_desc_t,
) -> ze_result_t {
    call("zeInitDrivers", |world| {
        // SAFETY: as the caller says.
        let flags = unsafe { get(desc) }?.flags;
        if flags == 0 {
            return Err(ZE_RESULT_ERROR_INVALID_ENUMERATION);
        }
        if !world.settings.iter().any(|settings| settings.since(10)) {
            return Err(ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
        }
        world.initialised = true;
        let all = match flags & ZE_INIT_DRIVER_TYPE_FLAG_GPU != 0 {
            true => handles(world),
            false => Vec::new(),
        };
        if all.is_empty() {
            return Err(ZE_RESULT_ERROR_UNINITIALIZED);
        }
        // SAFETY: as the caller says.
        unsafe { tell(&all, count, drivers) }
    })
}

fn handles(world: &World) -> Vec<ze_driver_handle_t> {
    let drivers = world.drivers.iter();
    drivers
        .map(|driver| ze_driver_handle_t::from_native(*driver))
        .collect()
}

/// Lists the drivers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeDriverGet(
    count: *mut u32,
    drivers: *mut ze_driver_handle_t,
) -> ze_result_t {
    call("zeDriverGet", |world| {
        // SAFETY: as the caller says.
        unsafe { tell(&handles(world), count, drivers) }
    })
}

/// The version of Level Zero that a driver has.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeDriverGetApiVersion(
    driver: ze_driver_handle_t,
    place: *mut ze_api_version_t,
) -> ze_result_t {
    call("zeDriverGetApiVersion", |world| {
        let (major, minor) = world.settings_of(driver.to_native(), Kind::Driver)?.version;
        // SAFETY: as the caller says.
        unsafe { put(place, version(major, minor)) }
    })
}

/// What a driver says of itself.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeDriverGetProperties(
    driver: ze_driver_handle_t,
    place: *mut ze_driver_properties_t,
) -> ze_result_t {
    call("zeDriverGetProperties", |world| {
        let number = world.object(driver.to_native(), Kind::Driver)?.driver;
        let mut properties = ze_driver_properties_t::new();
        properties.uuid = *b"ur-fake-ze-drv\0\0";
        properties.uuid[15] = number as u8;
        properties.driverVersion = DRIVER_VERSION;
        // SAFETY: as the caller says.
        unsafe {
            fill(place, properties)?;
            let mut free = ze_driver_memory_free_ext_properties_t::new();
            free.freePolicies = ZE_DRIVER_MEMORY_FREE_POLICY_EXT_FLAG_BLOCKING_FREE
                | ZE_DRIVER_MEMORY_FREE_POLICY_EXT_FLAG_DEFER_FREE;
            fill_behind((*place).pNext, free);
        }
        Ok(())
    })
}

/// What a driver can share with other processes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeDriverGetIpcProperties(
    driver: ze_driver_handle_t,
    place: *mut ze_driver_ipc_properties_t,
) -> ze_result_t {
    call("zeDriverGetIpcProperties", |world| {
        let settings = world.settings_of(driver.to_native(), Kind::Driver)?;
        let mut properties = ze_driver_ipc_properties_t::new();
        if settings.has("ipc") {
            properties.flags = ZE_IPC_PROPERTY_FLAG_MEMORY;
        }
        // SAFETY: as the caller says.
        unsafe { fill(place, properties) }
    })
}

/// Lists the extensions of a driver.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeDriverGetExtensionProperties(
    driver: ze_driver_handle_t,
    count: *mut u32,
    place: *mut ze_driver_extension_properties_t,
) -> ze_result_t {
    call("zeDriverGetExtensionProperties", |world| {
        let settings = world.settings_of(driver.to_native(), Kind::Driver)?;
        let has = |(_, since, part): &&(&str, u16, &str)| {
            settings.since(*since) && (part.is_empty() || settings.has(part))
        };
        let all: Vec<_> = EXTENSIONS
            .iter()
            .filter(has)
            .map(|(name, ..)| ze_driver_extension_properties_t {
                name: letters(name),
                version: version(1, 0),
            })
            .collect();
        // SAFETY: as the caller says.
        unsafe { tell(&all, count, place) }
    })
}

/// Looks a function of a driver up: those that this library exports.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeDriverGetExtensionFunctionAddress(
    driver: ze_driver_handle_t,
    name: *const c_char,
    place: *mut *mut c_void,
) -> ze_result_t {
    call("zeDriverGetExtensionFunctionAddress", |world| {
        world.needs(driver.to_native(), Kind::Driver, 1)?;
        // SAFETY: as the caller says.
        let name = unsafe { text(name) }?;
        let found = crate::ddi::function(&name).ok_or(ZE_RESULT_ERROR_INVALID_ARGUMENT)?;
        // SAFETY: as the caller says.
        unsafe { put(place, found as *mut c_void) }
    })
}

/// What was wrong last: nothing is said.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeDriverGetLastErrorDescription(
    driver: ze_driver_handle_t,
    place: *mut *const c_char,
) -> ze_result_t {
    call("zeDriverGetLastErrorDescription", |world| {
        world.needs(driver.to_native(), Kind::Driver, 6)?;
        // SAFETY: as the caller says.
        unsafe { put(place, c"".as_ptr()) }
    })
}

/// A handle as the driver's, for who has the driver without Level Zero's loader: it is the same.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zelLoaderTranslateHandle(
    _: u32,
    handle: *mut c_void,
    place: *mut *mut c_void,
) -> ze_result_t {
    drop(world());
    // SAFETY: as the caller says.
    code(unsafe { put(place, handle) })
}
