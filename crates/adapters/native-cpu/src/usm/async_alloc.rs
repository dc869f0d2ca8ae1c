//! Allocations and frees that are commands of a queue.

use super::pool::{ContextPools, UsmPool};
use super::{allocate, free, key, registry};
use crate::command::Work;
use crate::context::Context;
use crate::enqueue::work::Prepared;
use crate::queue::Queue;
use std::ffi::c_void;
use ur_adapter::{Error, Handle, Object, Result};
use ur_api::*;

/// Memory for an enqueued allocation, of a pool or of the one that the queue's device allocates
/// from. It is there at once; only the command that stands for it is ordered.
///
/// # Errors
/// As for any allocation.
pub fn take(
    queue: &Object<Queue>,
    pool: Option<&Object<UsmPool>>,
    kind: ur_usm_type_t,
    size: usize,
    properties: Option<&ur_exp_async_usm_alloc_properties_t>,
) -> Result<*mut c_void> {
    let known = UR_EXP_ASYNC_USM_ALLOC_FLAG_TBD.0;
    if properties.is_some_and(|properties| properties.flags & !known != 0) {
        return Err(Error::code(UR_RESULT_ERROR_INVALID_ENUMERATION));
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
    let device = (kind != UR_USM_TYPE_HOST).then_some(&**device);
    allocate(context, device, kind, None, Some(pool), size)
}

/// A free in the making.
struct Free {
    context: Handle<Context>,
    base: usize,
}

impl Work for Free {
    fn run(&self, _: u64) -> std::result::Result<(), ur_result_t> {
        if free(key(&self.context), self.base) {
            Ok(())
        } else {
            Err(UR_RESULT_ERROR_INVALID_MEM_OBJECT)
        }
    }
}

/// Work that frees an allocation.
///
/// # Errors
/// `INVALID_MEM_OBJECT` for a pointer that begins none of the context.
pub fn release(queue: &Object<Queue>, mem: *mut c_void) -> Result<Prepared> {
    let (context, base) = (queue.context(), mem as usize);
    if registry::find(key(context), base).is_none_or(|found| found.base != base) {
        return Err(Error::new(
            UR_RESULT_ERROR_INVALID_MEM_OBJECT,
            "the pointer begins no allocation of the context",
        ));
    }
    Ok(Prepared {
        work: Box::new(Free {
            context: context.clone(),
            base,
        }),
        pieces: 1,
        small: true,
    })
}
