//! Allocations from a pool.

use super::UsmPool;
use crate::context::Context;
use crate::device::Device;
use crate::event::Engine;
use crate::usm::driver::Request;
use crate::usm::known::Allocation;
use crate::ze;
use std::ffi::c_void;
use ur_adapter::pool::Block;
use ur_adapter::{Error, Object, Result};
use ur_api::*;

/// An allocation from a pool.
///
/// # Errors
/// `INVALID_VALUE` for a pool of another context, `OUT_OF_RESOURCES` at the pool's limit, and what the
/// driver says.
pub fn allocate(
    context: &Object<Context>,
    device: Option<&Object<Device>>,
    pool: &Object<UsmPool>,
    request: &Request,
) -> Result<*mut c_void> {
    if !pool.is_of(context) {
        return Err(Error::value("the pool does not belong to the context"));
    }
    let owner = device.map_or(0, |device| std::ptr::from_ref(device) as usize);
    let Request {
        kind, size, align, ..
    } = *request;
    let block = Block::new(kind, owner, size, align)?;
    let memory = pool.take(context, device.map(|device| &**device), &block, request)?;
    if pool.flags & UR_USM_POOL_FLAG_ZERO_INITIALIZE_BLOCK.0 != 0
        && let Err(error) = zero(context, device, memory, size)
    {
        pool.put(memory, &block);
        return Err(error);
    }
    context.known().add(Allocation {
        start: memory as usize,
        size,
        kind,
        device: device.map(Object::handle),
        pool: pool.handle(),
        block,
    });
    Ok(memory)
}

/// Fills new memory with zeros, and waits for the end.
fn zero(
    context: &Context,
    device: Option<&Object<Device>>,
    start: *mut c_void,
    size: usize,
) -> Result {
    let fill = context.api().zeCommandListAppendMemoryFill;
    let (none, nothing, zero) = (ze::ze_event_handle_t::NULL, std::ptr::null(), 0u8);
    let pattern = (&raw const zero).cast();
    let device = device.unwrap_or(&context.devices()[0]);
    context.serve(device, Engine::Copy, |list| {
        // SAFETY: a list of ours, memory of that size that nobody else uses, and a pattern of one byte.
        unsafe { fill(list, start, pattern, 1, size, none, 0, nothing) }
    })
}
