//! Allocations and frees that are commands of a queue.

use super::Ties;
use crate::event::{Command, submit};
use crate::queue::Queue;
use crate::usm::driver::Request;
use crate::usm::pool::{self, ContextPools, UsmPool};
use crate::usm::{self, Leaving};
use std::ffi::c_void;
use std::sync::{Arc, Mutex, PoisonError};
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
    let request = Request::of(kind, None, size)?;
    let (context, device) = (queue.context(), queue.device());
    let own;
    let pool = match pool {
        Some(pool) => pool,
        None => {
            own = ContextPools::current_of(context, device)?;
            &*own
        }
    };
    let (device, kind) = match kind {
        UR_USM_TYPE_HOST => (None, UR_COMMAND_ENQUEUE_USM_HOST_ALLOC_EXP),
        UR_USM_TYPE_SHARED => (Some(&**device), UR_COMMAND_ENQUEUE_USM_SHARED_ALLOC_EXP),
        _ => (Some(&**device), UR_COMMAND_ENQUEUE_USM_DEVICE_ALLOC_EXP),
    };
    let memory = pool::allocate(context, device, pool, &request)?;
    let command = Command::new(kind, ties.waits);
    let enqueued = submit(queue, &command, ties.event, (), |call| {
        call.several(|_| Ok(()))
    });
    if let Err(error) = enqueued {
        // Nobody has seen it.
        drop(Leaving::of(context, memory));
        return Err(error);
    }
    Ok(memory)
}

/// Enqueues freeing an allocation: no longer known from now on, its memory goes when the command has
/// ended.
///
/// # Errors
/// `INVALID_MEM_OBJECT` for a pointer that begins no allocation of the context, and what the driver
/// says; then the allocation stays.
pub fn free(queue: &Object<Queue>, memory: *mut c_void, ties: Ties<'_, '_>) -> Result {
    let context = queue.context();
    usm::expect_begin(context, memory)?;
    // Filled only when nothing can fail any more.
    let leaving = Arc::new(Mutex::new(None));
    let command = Command::new(UR_COMMAND_ENQUEUE_USM_FREE_EXP, ties.waits);
    submit(queue, &command, ties.event, leaving.clone(), |call| {
        call.several(|_| Ok(()))
    })?;
    let gone = Leaving::of(context, memory)?;
    let place = leaving.lock();
    *place.unwrap_or_else(PoisonError::into_inner) = Some(gone);
    Ok(())
}
