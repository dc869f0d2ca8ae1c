//! Devices and sub-devices.

mod memory;
mod properties;

pub use memory::*;
pub use properties::*;

use crate::call::{call, get, put, tell};
use crate::clock;
use crate::settings::Settings;
use crate::world::{Body, Kind, World};
use crate::ze::*;

/// A device.
#[derive(Clone, Debug)]
pub struct Device {
    /// Its number among the driver's root devices.
    pub number: u32,
    /// The device that it is a part of.
    pub parent: Option<usize>,
    /// Its number among the parts.
    pub part: u32,
    /// Its parts.
    pub parts: Vec<usize>,
}

impl World {
    /// Adds a root device with its parts, and gives its handle.
    pub fn add_device(&mut self, driver: usize, number: u32) -> usize {
        let parts = self.settings[driver].parts;
        let root = Device {
            number,
            parent: None,
            part: 0,
            parts: Vec::new(),
        };
        let handle = self.add(driver, Body::Device(root.clone()), Vec::new());
        for part in 0..parts {
            let device = Device {
                parent: Some(handle),
                part,
                ..root.clone()
            };
            let device = self.add(driver, Body::Device(device), Vec::new());
            if let Ok(root) = self.device(handle) {
                root.parts.push(device);
            }
        }
        handle
    }
}

/// The groups of engines of a device: one that does all, one engine that copies, and all others that do.
pub fn groups(settings: &Settings) -> Vec<ze_command_queue_group_properties_t> {
    let group = |flags, fill, engines| {
        let mut group = ze_command_queue_group_properties_t::new();
        group.flags = flags;
        group.maxMemoryFillPatternSize = fill;
        group.numQueues = engines;
        group
    };
    let mut all =
        ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COMPUTE | ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COPY;
    if settings.has("cooperative") {
        all |= ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COOPERATIVE_KERNELS;
    }
    let mut groups = vec![group(all, usize::MAX, settings.computes)];
    if settings.has("copy") && settings.copies > 0 {
        let copy = ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COPY;
        groups.push(group(copy, settings.fill, 1));
        if settings.copies > 1 {
            groups.push(group(copy, settings.fill, settings.copies - 1));
        }
    }
    groups
}

/// Most bytes of an allocation that asks for no more than usual.
pub fn max_allocation(settings: &Settings) -> u64 {
    settings.memory / 2
}

/// Lists the root devices of a driver.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeDeviceGet(
    driver: ze_driver_handle_t,
    count: *mut u32,
    place: *mut ze_device_handle_t,
) -> ze_result_t {
    call("zeDeviceGet", |world| {
        let devices = world.driver(driver.to_native())?.devices.iter();
        let all: Vec<_> = devices
            .map(|device| ze_device_handle_t::from_native(*device))
            .collect();
        // SAFETY: as the caller says.
        unsafe { tell(&all, count, place) }
    })
}

/// Lists the parts of a device.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeDeviceGetSubDevices(
    device: ze_device_handle_t,
    count: *mut u32,
    place: *mut ze_device_handle_t,
) -> ze_result_t {
    call("zeDeviceGetSubDevices", |world| {
        let parts = world.device(device.to_native())?.parts.iter();
        let all: Vec<_> = parts
            .map(|device| ze_device_handle_t::from_native(*device))
            .collect();
        // SAFETY: as the caller says.
        unsafe { tell(&all, count, place) }
    })
}

/// The device that a part is of; null for a root device.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeDeviceGetRootDevice(
    device: ze_device_handle_t,
    place: *mut ze_device_handle_t,
) -> ze_result_t {
    call("zeDeviceGetRootDevice", |world| {
        world.needs(device.to_native(), Kind::Device, 7)?;
        let parent = world.device(device.to_native())?.parent.unwrap_or(0);
        // SAFETY: as the caller says.
        unsafe { put(place, ze_device_handle_t::from_native(parent)) }
    })
}

/// Lists the groups of engines of a device.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeDeviceGetCommandQueueGroupProperties(
    device: ze_device_handle_t,
    count: *mut u32,
    place: *mut ze_command_queue_group_properties_t,
) -> ze_result_t {
    call("zeDeviceGetCommandQueueGroupProperties", |world| {
        let settings = world.settings_of(device.to_native(), Kind::Device)?;
        // SAFETY: as the caller says.
        unsafe { tell_properties(&groups(&settings), count, place) }
    })
}

/// Answers a listing of properties, see [`tell`].
///
/// # Errors
/// `INVALID_NULL_POINTER`.
///
/// # Safety
/// `count` is null or a number; `place` is null or has as many structures with their type.
unsafe fn tell_properties<T: Structure>(all: &[T], count: *mut u32, place: *mut T) -> Answer {
    // SAFETY: as the caller says.
    let room = unsafe { get(count) }? as usize;
    if room == 0 || place.is_null() {
        // SAFETY: as the caller says.
        return unsafe { put(count, all.len() as u32) };
    }
    for (number, one) in all.iter().take(room).enumerate() {
        // SAFETY: as the caller says.
        unsafe { crate::call::fill(place.add(number), *one) }?;
    }
    // SAFETY: as the caller says.
    unsafe { put(count, room.min(all.len()) as u32) }
}

/// Whether devices can use each other's memory.
fn is_peer(world: &mut World, device: usize, peer: usize) -> Answer<bool> {
    let settings = world.settings_of(device, Kind::Device)?;
    let (of, other) = (
        world.object(device, Kind::Device)?.driver,
        world.object(peer, Kind::Device)?.driver,
    );
    Ok(of == other && (device == peer || settings.has("p2p")))
}

/// Whether a device can use another one's memory.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeDeviceCanAccessPeer(
    device: ze_device_handle_t,
    peer: ze_device_handle_t,
    place: *mut ze_bool_t,
) -> ze_result_t {
    call("zeDeviceCanAccessPeer", |world| {
        let can = is_peer(world, device.to_native(), peer.to_native())?;
        // SAFETY: as the caller says.
        unsafe { put(place, can.into()) }
    })
}

/// How a device can use another one's memory.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeDeviceGetP2PProperties(
    device: ze_device_handle_t,
    peer: ze_device_handle_t,
    place: *mut ze_device_p2p_properties_t,
) -> ze_result_t {
    call("zeDeviceGetP2PProperties", |world| {
        let mut properties = ze_device_p2p_properties_t::new();
        if is_peer(world, device.to_native(), peer.to_native())? {
            properties.flags =
                ZE_DEVICE_P2P_PROPERTY_FLAG_ACCESS | ZE_DEVICE_P2P_PROPERTY_FLAG_ATOMICS;
        }
        // SAFETY: as the caller says.
        unsafe { crate::call::fill(place, properties) }
    })
}

/// Whether a device can be used: it can as long as the test does not lose it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeDeviceGetStatus(device: ze_device_handle_t) -> ze_result_t {
    call("zeDeviceGetStatus", |world| {
        world.device(device.to_native())?;
        world.check_lost()
    })
}

/// Tells the host's time in nanoseconds and the device's in ticks.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeDeviceGetGlobalTimestamps(
    device: ze_device_handle_t,
    host: *mut u64,
    ticks: *mut u64,
) -> ze_result_t {
    call("zeDeviceGetGlobalTimestamps", |world| {
        world.needs(device.to_native(), Kind::Device, 1)?;
        let now = clock::host();
        // SAFETY: as the caller says.
        unsafe {
            put(host, now)?;
            put(ticks, clock::device_at(now))
        }
    })
}

/// Waits until all commands on a device have ended.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeDeviceSynchronize(device: ze_device_handle_t) -> ze_result_t {
    let name = "zeDeviceSynchronize";
    let result = call(name, |world| {
        world.needs(device.to_native(), Kind::Device, 14)
    });
    match result {
        ZE_RESULT_SUCCESS => crate::call::code(crate::call::wait(name, u64::MAX, |world| {
            let idle = world.engines.is_device_idle(device.to_native());
            idle.then_some(Ok(()))
        })),
        error => error,
    }
}

/// A device has no cache to divide.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeDeviceReserveCacheExt(
    device: ze_device_handle_t,
    _: usize,
    _: usize,
) -> ze_result_t {
    call("zeDeviceReserveCacheExt", |world| {
        world.device(device.to_native())?;
        Err(ZE_RESULT_ERROR_UNSUPPORTED_FEATURE)
    })
}
