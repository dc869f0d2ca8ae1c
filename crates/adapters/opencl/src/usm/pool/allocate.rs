//! Allocations from a pool.

use super::{Block, UsmPool};
use crate::cl::{self, check};
use crate::context::Context;
use crate::device::Device;
use crate::usm::known::{Allocation, Pooled};
use std::ffi::c_void;
use ur_adapter::{DevicePool, Error, Object, Result};
use ur_api::*;

/// An allocation from a pool.
///
/// # Errors
/// `INVALID_VALUE` for a pool of another context, `OUT_OF_RESOURCES` at the pool's limit, and what the
/// driver says.
pub fn allocate(
    context: &Object<Context>,
    kind: ur_usm_type_t,
    device: Option<&Object<Device>>,
    pool: &Object<UsmPool>,
    size: usize,
    align: u32,
) -> Result<*mut c_void> {
    if !pool.is_of(context) {
        return Err(Error::value("the pool does not belong to the context"));
    }
    let owner = device.map_or(0, |device| std::ptr::from_ref(device) as usize);
    let block = Block::new(kind, owner, size, align)?;
    let memory = pool.take(context, kind, device.map(|device| &**device), &block)?;
    if pool.flags & UR_USM_POOL_FLAG_ZERO_INITIALIZE_BLOCK.0 != 0
        && let Err(error) = zero(context, device, memory.start, size)
    {
        pool.put(memory, &block);
        return Err(error);
    }
    let allocation = Allocation {
        memory,
        size,
        kind,
        device: device.map(Object::handle),
        pool: Some(Pooled {
            pool: pool.handle(),
            block,
        }),
    };
    context.known().add(allocation);
    Ok(memory.start)
}

/// Fills new memory with zeros, and waits for the end.
fn zero(
    context: &Object<Context>,
    device: Option<&Object<Device>>,
    start: *mut c_void,
    size: usize,
) -> Result {
    let handle = device.map(Object::handle);
    let queue = context.service_queue(handle.as_ref().unwrap_or(&context.devices()[0]))?;
    let (fill, zero, none) = (context.usm().fill()?, 0u8, std::ptr::null());
    let pattern = (&raw const zero).cast();
    let mut event = cl::cl_event::NULL;
    // SAFETY: a live queue, memory of that size that nobody else uses, and a pattern of one byte.
    check(unsafe { fill(queue, start, pattern, 1, size, 0, none, &raw mut event) })?;
    // SAFETY: made for this call.
    let event = unsafe { cl::Owned::new(context.api(), event) };
    let waited = event.get();
    // SAFETY: a live event.
    check(unsafe { (context.api().clWaitForEvents)(1, &raw const waited) })
}
