//! What memory a device has.

use super::{Device, tell_properties};
use crate::call::{call, fill_behind, letters};
use crate::device::properties::answer;
use crate::settings::Settings;
use crate::world::Kind;
use crate::ze::*;

/// Lists the memory of a device.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeDeviceGetMemoryProperties(
    device: ze_device_handle_t,
    count: *mut u32,
    place: *mut ze_device_memory_properties_t,
) -> ze_result_t {
    call("zeDeviceGetMemoryProperties", |world| {
        let settings = world.settings_of(device.to_native(), Kind::Device)?;
        let mut properties = ze_device_memory_properties_t::new();
        properties.maxClockRate = 3200;
        properties.maxBusWidth = 64;
        properties.totalSize = settings.memory;
        properties.name = letters("DDR");
        let mut more = ze_device_memory_ext_properties_t::new();
        more.type_ = 0;
        more.physicalSize = settings.memory;
        more.readBandwidth = 51;
        more.writeBandwidth = 51;
        more.bandwidthUnit = 1;
        // SAFETY: as the caller says.
        unsafe {
            tell_properties(&[properties], count, place)?;
            if settings.since(4) && !place.is_null() {
                fill_behind((*place).pNext, more);
            }
        }
        Ok(())
    })
}

/// What kinds of memory can be used for.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeDeviceGetMemoryAccessProperties(
    device: ze_device_handle_t,
    place: *mut ze_device_memory_access_properties_t,
) -> ze_result_t {
    let make = |_: &Device, settings: &Settings| {
        let all = ZE_MEMORY_ACCESS_CAP_FLAG_RW
            | ZE_MEMORY_ACCESS_CAP_FLAG_ATOMIC
            | ZE_MEMORY_ACCESS_CAP_FLAG_CONCURRENT
            | ZE_MEMORY_ACCESS_CAP_FLAG_CONCURRENT_ATOMIC;
        let mut properties = ze_device_memory_access_properties_t::new();
        properties.hostAllocCapabilities = all;
        properties.deviceAllocCapabilities = all;
        if settings.has("shared") {
            properties.sharedSingleDeviceAllocCapabilities = all;
            properties.sharedCrossDeviceAllocCapabilities = all;
        }
        properties
    };
    let name = "zeDeviceGetMemoryAccessProperties";
    // SAFETY: as the caller says.
    unsafe { answer(name, device, place, make, |_, _| ()) }
}

/// Lists the caches of a device.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeDeviceGetCacheProperties(
    device: ze_device_handle_t,
    count: *mut u32,
    place: *mut ze_device_cache_properties_t,
) -> ze_result_t {
    call("zeDeviceGetCacheProperties", |world| {
        let settings = world.settings_of(device.to_native(), Kind::Device)?;
        let mut cache = ze_device_cache_properties_t::new();
        cache.cacheSize = 4 << 20;
        let mut line = ze_device_cache_line_size_ext_t::new();
        line.cacheLineSize = 64;
        // SAFETY: as the caller says.
        unsafe {
            tell_properties(&[cache], count, place)?;
            if settings.since(12) && !place.is_null() {
                fill_behind((*place).pNext, line);
            }
        }
        Ok(())
    })
}
