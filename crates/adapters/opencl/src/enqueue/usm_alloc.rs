//! Allocations and frees that are commands of a queue.

use super::buffer::Ties;
use super::marker;
use crate::cl::{self, Owned};
use crate::event::submit;
use crate::queue::Queue;
use crate::usm::Leaving;
use crate::usm::pool::{self, ContextPools, UsmPool};
use std::ffi::c_void;
use ur_adapter::{Error, Object, Result};
use ur_api::*;

/// Enqueues an allocation from a pool, or else from the one of the queue's device. The memory is there
/// at once; only the command that stands for it is ordered.
///
/// # Errors
/// As for any allocation, and what the driver says.
pub fn allocate(
    queue: &Object<Queue>,
    pool: Option<&Object<UsmPool>>,
    kind: ur_usm_type_t,
    size: usize,
    properties: Option<&ur_exp_async_usm_alloc_properties_t>,
    ties: Ties<'_, '_>,
) -> Result<*mut c_void> {
    let known = UR_EXP_ASYNC_USM_ALLOC_FLAG_TBD.0;
    if properties.is_some_and(|properties| properties.flags & !known != 0) {
        return Err(Error::code(UR_RESULT_ERROR_INVALID_ENUMERATION));
    }
    if size == 0 {
        return Err(Error::code(UR_RESULT_ERROR_INVALID_USM_SIZE));
    }
    let (context, device) = (queue.context(), queue.device());
    let own;
    let pool = match pool {
        Some(pool) => pool,
        None => {
            own = ContextPools::current_of(context, device)?;
            &*own
        }
    };
    let (device, command) = match kind {
        UR_USM_TYPE_HOST => (None, UR_COMMAND_ENQUEUE_USM_HOST_ALLOC_EXP),
        UR_USM_TYPE_SHARED => (Some(&**device), UR_COMMAND_ENQUEUE_USM_SHARED_ALLOC_EXP),
        _ => (Some(&**device), UR_COMMAND_ENQUEUE_USM_DEVICE_ALLOC_EXP),
    };
    let memory = pool::allocate(context, kind, device, pool, size, 0)?;
    if let Err(error) = marker(queue, command, ties) {
        // Nobody has seen it.
        drop(Leaving::known(context, memory));
        return Err(error);
    }
    Ok(memory)
}

/// What the driver calls when the command has ended.
unsafe extern "C" fn ended(_: cl::cl_event, _: cl::cl_int, leaving: *mut c_void) {
    // SAFETY: the box that was given away when this function was set; the driver calls it once.
    drop(unsafe { Box::from_raw(leaving.cast::<Leaving>()) });
}

/// Enqueues freeing an allocation: no longer known from now on, its memory goes when the command has
/// ended.
///
/// # Errors
/// `INVALID_MEM_OBJECT` for a pointer that begins no allocation of the context, and what the driver
/// says.
pub fn free(queue: &Object<Queue>, memory: *mut c_void, ties: Ties<'_, '_>) -> Result {
    let context = queue.context();
    if !crate::usm::begins(context, memory) {
        return Err(Error::new(
            UR_RESULT_ERROR_INVALID_MEM_OBJECT,
            "the pointer begins no allocation of the context",
        ));
    }
    let api = queue.api();
    let kind = UR_COMMAND_ENQUEUE_USM_FREE_EXP;
    submit(queue, kind, ties.waits, ties.event, |call| {
        let mut event = cl::cl_event::NULL;
        // SAFETY: live events; the place is ours.
        let code = unsafe { queue.enqueue_wait(call.count, call.waits, &raw mut event) };
        if code != cl::CL_SUCCESS {
            return code;
        }
        // SAFETY: made for this call.
        let event = unsafe { Owned::new(api, event) };
        let leaving = Box::into_raw(Box::new(Leaving::of(context, memory)));
        // SAFETY: a live event; the box is given away.
        let code = unsafe {
            (api.clSetEventCallback)(event.get(), cl::CL_COMPLETE, Some(ended), leaving.cast())
        };
        if code != cl::CL_SUCCESS {
            // Nobody will say when the memory may go, so this waits for it.
            // SAFETY: a live event, and the box that was not taken.
            unsafe {
                let waited = event.get();
                let code = (api.clWaitForEvents)(1, &raw const waited);
                // Otherwise nobody knows whether the commands have ended, and the memory stays.
                if cl::error::has_ended(code) {
                    drop(Box::from_raw(leaving));
                }
            }
        }
        if !call.event.is_null() {
            // SAFETY: the place is `submit`'s, which takes the reference over.
            unsafe { call.event.write(event.give()) };
        }
        cl::CL_SUCCESS
    })?;
    // Not kept back: the program may never look at the queue again.
    queue.flush()
}
