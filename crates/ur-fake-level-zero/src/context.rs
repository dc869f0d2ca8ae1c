//! Contexts.

use crate::call::{call, get, list, put};
use crate::world::{Body, Kind, World};
use crate::ze::*;
use std::ffi::c_void;

/// A context.
#[derive(Clone, Debug)]
pub struct Context {
    /// Its devices; all of the driver if it was made without a list.
    pub devices: Option<Vec<usize>>,
}

impl World {
    /// Checks that a device is of a context.
    ///
    /// # Errors
    /// As [`World::object`]; `INVALID_ARGUMENT`, which is a fault.
    pub fn device_in(&mut self, context: usize, device: usize) -> Answer {
        let driver = self.object(context, Kind::Context)?.driver;
        let devices = self.context(context)?.devices.clone();
        let of = self.object(device, Kind::Device)?.driver;
        let root = self.device(device)?.parent;
        let has = |device: usize| {
            let mut devices = devices.iter().flatten();
            devices.any(|one| *one == device)
        };
        let is_in = devices.is_none() || has(device) || root.is_some_and(has);
        match of == driver && is_in {
            true => Ok(()),
            false => self.wrong(
                ZE_RESULT_ERROR_INVALID_ARGUMENT,
                "a device is not of the context that it is used in",
            ),
        }
    }

    fn add_context(
        &mut self,
        driver: ze_driver_handle_t,
        desc: ze_context_desc_t,
        devices: Option<Vec<usize>>,
    ) -> Answer<ze_context_handle_t> {
        let number = self.object(driver.to_native(), Kind::Driver)?.driver;
        if desc.flags & !1 != 0 {
            return Err(ZE_RESULT_ERROR_INVALID_ENUMERATION);
        }
        let context = Body::Context(Context { devices });
        let handle = self.add(number, context, Vec::new());
        Ok(ze_context_handle_t::from_native(handle))
    }
}

/// Makes a context with all devices of a driver.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeContextCreate(
    driver: ze_driver_handle_t,
    desc: *const ze_context_desc_t,
    place: *mut ze_context_handle_t,
) -> ze_result_t {
    call("zeContextCreate", |world| {
        // SAFETY: as the caller says.
        let desc = unsafe { get(desc) }?;
        let context = world.add_context(driver, desc, None)?;
        // SAFETY: as the caller says.
        unsafe { put(place, context) }
    })
}

/// Makes a context with devices.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeContextCreateEx(
    driver: ze_driver_handle_t,
    desc: *const ze_context_desc_t,
    count: u32,
    devices: *const ze_device_handle_t,
    place: *mut ze_context_handle_t,
) -> ze_result_t {
    call("zeContextCreateEx", |world| {
        world.needs(driver.to_native(), Kind::Driver, 1)?;
        let number = world.object(driver.to_native(), Kind::Driver)?.driver;
        // SAFETY: as the caller says.
        let (desc, devices) = unsafe { (get(desc)?, list(devices, count as usize)?) };
        let devices: Vec<_> = devices.iter().map(|device| device.to_native()).collect();
        for device in &devices {
            if world.object(*device, Kind::Device)?.driver != number {
                return world.wrong(
                    ZE_RESULT_ERROR_INVALID_ARGUMENT,
                    "a device of another driver",
                );
            }
        }
        let devices = (!devices.is_empty()).then_some(devices);
        let context = world.add_context(driver, desc, devices)?;
        // SAFETY: as the caller says.
        unsafe { put(place, context) }
    })
}

/// Takes a context away. Memory in it is a fault, as objects are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeContextDestroy(context: ze_context_handle_t) -> ze_result_t {
    call("zeContextDestroy", |world| {
        let handle = context.to_native();
        world.context(handle)?;
        let mut memory = world.allocations.values();
        if memory.any(|memory| memory.context == handle) {
            return world.wrong(
                ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE,
                "a context is destroyed that has memory",
            );
        }
        world.destroy(handle, Kind::Context)?;
        Ok(())
    })
}

/// Whether a context can be used: it can as long as the test does not lose the devices.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeContextGetStatus(context: ze_context_handle_t) -> ze_result_t {
    call("zeContextGetStatus", |world| {
        world.context(context.to_native())?;
        world.check_lost()
    })
}

/// Waits until memory is as the device wrote it: it always is.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeContextSystemBarrier(
    context: ze_context_handle_t,
    device: ze_device_handle_t,
) -> ze_result_t {
    call("zeContextSystemBarrier", |world| {
        world.device_in(context.to_native(), device.to_native())
    })
}

fn residency(
    world: &mut World,
    context: ze_context_handle_t,
    device: ze_device_handle_t,
    (start, size): (*mut c_void, usize),
) -> Answer {
    world.device_in(context.to_native(), device.to_native())?;
    let memory = world.range(start as usize, size)?;
    match world.find_memory(memory) {
        Some(_) => Ok(()),
        None => Err(ZE_RESULT_ERROR_INVALID_ARGUMENT),
    }
}

/// Makes memory resident: it always is.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeContextMakeMemoryResident(
    context: ze_context_handle_t,
    device: ze_device_handle_t,
    start: *mut c_void,
    size: usize,
) -> ze_result_t {
    call("zeContextMakeMemoryResident", |world| {
        residency(world, context, device, (start, size))
    })
}

/// Lets memory be evicted.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeContextEvictMemory(
    context: ze_context_handle_t,
    device: ze_device_handle_t,
    start: *mut c_void,
    size: usize,
) -> ze_result_t {
    call("zeContextEvictMemory", |world| {
        residency(world, context, device, (start, size))
    })
}

/// Makes an image resident: it always is.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeContextMakeImageResident(
    context: ze_context_handle_t,
    device: ze_device_handle_t,
    image: ze_image_handle_t,
) -> ze_result_t {
    call("zeContextMakeImageResident", |world| {
        world.image(image.to_native())?;
        world.device_in(context.to_native(), device.to_native())
    })
}

/// Lets an image be evicted.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeContextEvictImage(
    context: ze_context_handle_t,
    device: ze_device_handle_t,
    image: ze_image_handle_t,
) -> ze_result_t {
    call("zeContextEvictImage", |world| {
        world.image(image.to_native())?;
        world.device_in(context.to_native(), device.to_native())
    })
}
