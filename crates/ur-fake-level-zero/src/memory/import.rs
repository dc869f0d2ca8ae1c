//! Memory of the program's that devices may use, and how they may.

use crate::call::{call, put};
use crate::driver::VERSION;
use crate::module::write;
use crate::world::Kind;
use crate::ze::*;
use std::ffi::{c_char, c_void};

/// Lets devices use memory of the program's as they use that of the host.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zexDriverImportExternalPointer(
    driver: ze_driver_handle_t,
    start: *mut c_void,
    size: usize,
) -> ze_result_t {
    call("zexDriverImportExternalPointer", |world| {
        world.driver(driver.to_native())?;
        let start = world.range(start as usize, size)?;
        let mut imported = world.imported.iter();
        let overlaps =
            imported.any(|(other, bytes)| *other < start + size && start < other + bytes);
        if overlaps || world.find_memory(start).is_some() {
            return world.wrong(ZE_RESULT_ERROR_INVALID_ARGUMENT, "memory is imported twice");
        }
        world.imported.insert(start, size);
        Ok(())
    })
}

/// Ends what [`zexDriverImportExternalPointer`] began.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zexDriverReleaseImportedPointer(
    driver: ze_driver_handle_t,
    start: *mut c_void,
) -> ze_result_t {
    call("zexDriverReleaseImportedPointer", |world| {
        world.driver(driver.to_native())?;
        match world.imported.remove(&(start as usize)) {
            Some(_) => Ok(()),
            None => world.wrong(
                ZE_RESULT_ERROR_INVALID_ARGUMENT,
                "memory is released that was not imported",
            ),
        }
    })
}

/// Where memory of the program's that was imported begins.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zexDriverGetHostPointerBaseAddress(
    driver: ze_driver_handle_t,
    address: *mut c_void,
    place: *mut *mut c_void,
) -> ze_result_t {
    call("zexDriverGetHostPointerBaseAddress", |world| {
        world.driver(driver.to_native())?;
        let found = world.imported.range(..=address as usize).next_back();
        let found = found.filter(|(start, size)| (address as usize) < **start + **size);
        let (start, _) = found.ok_or(ZE_RESULT_ERROR_INVALID_ARGUMENT)?;
        // SAFETY: as the caller says.
        unsafe { put(place, *start as *mut c_void) }
    })
}

/// Tells the driver's version as a text, terminated.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeIntelGetDriverVersionString(
    driver: ze_driver_handle_t,
    place: *mut c_char,
    size: *mut usize,
) -> ze_result_t {
    call("zeIntelGetDriverVersionString", |world| {
        world.driver(driver.to_native())?;
        // SAFETY: as the caller says.
        unsafe { write(VERSION.to_bytes_with_nul(), size, place.cast()) }
    })
}

/// Says which atomics a device will use on shared memory: it can use all.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeMemSetAtomicAccessAttributeExp(
    context: ze_context_handle_t,
    device: ze_device_handle_t,
    start: *const c_void,
    size: usize,
    flags: u32,
) -> ze_result_t {
    call("zeMemSetAtomicAccessAttributeExp", |world| {
        world.needs(context.to_native(), Kind::Context, 7)?;
        world.device_in(context.to_native(), device.to_native())?;
        if flags & !0x7f != 0 {
            return Err(ZE_RESULT_ERROR_INVALID_ENUMERATION);
        }
        world.range(start as usize, size)?;
        Ok(())
    })
}
