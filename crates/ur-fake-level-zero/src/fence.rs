//! Fences.

use crate::call::{call, code, get, put, wait};
use crate::world::{Body, Kind};
use crate::ze::*;

/// Says that an execution of command lists has ended.
#[derive(Debug)]
pub struct Fence {
    /// Whether lists were executed with it, or it was made signalled.
    pub armed: bool,
    /// How many commands have not ended.
    pub left: u64,
}

impl Fence {
    fn is_signalled(&self) -> bool {
        self.armed && self.left == 0
    }
}

/// Makes a fence.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeFenceCreate(
    queue: ze_command_queue_handle_t,
    desc: *const ze_fence_desc_t,
    place: *mut ze_fence_handle_t,
) -> ze_result_t {
    call("zeFenceCreate", |world| {
        let queue = queue.to_native();
        let driver = world.object(queue, Kind::CommandQueue)?.driver;
        // SAFETY: as the caller says.
        let desc = unsafe { get(desc) }?;
        if desc.flags & !1 != 0 {
            return Err(ZE_RESULT_ERROR_INVALID_ENUMERATION);
        }
        let fence = Fence {
            armed: desc.flags & 1 != 0,
            left: 0,
        };
        let handle = world.add(driver, Body::Fence(fence), vec![queue]);
        // SAFETY: as the caller says.
        unsafe { put(place, ze_fence_handle_t::from_native(handle)) }
    })
}

/// Takes a fence away.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeFenceDestroy(fence: ze_fence_handle_t) -> ze_result_t {
    call("zeFenceDestroy", |world| {
        world.destroy(fence.to_native(), Kind::Fence)?;
        Ok(())
    })
}

/// Waits for a fence.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeFenceHostSynchronize(
    fence: ze_fence_handle_t,
    timeout: u64,
) -> ze_result_t {
    let begun = call("zeFenceHostSynchronize", |world| {
        world.fence(fence.to_native())?;
        Ok(())
    });
    if begun != ZE_RESULT_SUCCESS {
        return begun;
    }
    code(wait(
        "zeFenceHostSynchronize",
        timeout,
        |world| match world.fence(fence.to_native()) {
            Ok(fence) => fence.is_signalled().then_some(Ok(())),
            Err(error) => Some(Err(error)),
        },
    ))
}

/// Whether a fence is signalled.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeFenceQueryStatus(fence: ze_fence_handle_t) -> ze_result_t {
    call("zeFenceQueryStatus", |world| {
        world.check_lost()?;
        match world.fence(fence.to_native())?.is_signalled() {
            true => Ok(()),
            false => Err(ZE_RESULT_NOT_READY),
        }
    })
}

/// Resets a fence. That commands have not ended whose end it is to tell is a fault.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeFenceReset(fence: ze_fence_handle_t) -> ze_result_t {
    call("zeFenceReset", |world| {
        let left = world.fence(fence.to_native())?.left;
        if left > 0 {
            world.fault("a fence is reset before what it waits for has ended");
        }
        world.fence(fence.to_native())?.armed = false;
        Ok(())
    })
}
