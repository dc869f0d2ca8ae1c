//! Level Zero's own handles of queues.

use super::{Core, Queue};
use crate::context::Context;
use crate::device::Device;
use crate::ze::{self, Owned};
use ur_adapter::{Error, Object, Result, chain};
use ur_api::*;

/// What a description says of a handle that is an immediate command list. 0 is a command queue.
const IMMEDIATE: i32 = 1;

/// Level Zero's handle of a queue; which kind it is goes to where the description says.
///
/// # Errors
/// What the driver says.
pub fn handle(queue: &Queue, desc: Option<&ur_queue_native_desc_t>) -> Result<ur_native_handle_t> {
    // Whoever enqueues there expects to be behind what is in the queue.
    queue.flush()?;
    let (native, kind) = queue.native();
    if let Some(desc) = desc
        && !desc.pNativeData.is_null()
    {
        // SAFETY: the program passes a place for a number of this size.
        unsafe { desc.pNativeData.cast::<i32>().write(kind) };
    }
    Ok(native)
}

/// The kind of handle and the flags that a program describes.
fn described(properties: Option<&ur_queue_native_properties_t>) -> (i32, u32) {
    let next = match properties {
        Some(properties) => properties.pNext.cast_const(),
        None => std::ptr::null(),
    };
    // SAFETY: the program passes a chain of structures, each as its type says.
    let (desc, properties) = unsafe {
        (
            chain::find::<ur_queue_native_desc_t>(next, UR_STRUCTURE_TYPE_QUEUE_NATIVE_DESC),
            chain::find::<ur_queue_properties_t>(next, UR_STRUCTURE_TYPE_QUEUE_PROPERTIES),
        )
    };
    let kind = desc.map(|desc| desc.pNativeData.cast::<i32>());
    // SAFETY: the number that the description leads to.
    let kind = kind.and_then(|kind| unsafe { kind.as_ref() });
    let flags = properties.map_or(0, |properties| properties.flags);
    (kind.copied().unwrap_or(IMMEDIATE), flags)
}

/// The queue of a handle of Level Zero's: an immediate command list, unless the description says that
/// it is a command queue.
///
/// # Errors
/// `INVALID_QUEUE` without a handle, `INVALID_DEVICE` for a device that is not the context's.
pub fn of_handle(
    native: ur_native_handle_t,
    context: &Object<Context>,
    device: Option<&Object<Device>>,
    properties: Option<&ur_queue_native_properties_t>,
) -> Result<Core> {
    if ze::ze_command_list_handle_t::from_native(native).is_null() {
        return Err(Error::code(UR_RESULT_ERROR_INVALID_QUEUE));
    }
    let device = device.unwrap_or(&context.devices()[0]);
    if !context.has(device) {
        return Err(Error::code(UR_RESULT_ERROR_INVALID_DEVICE));
    }
    let owned = properties.is_some_and(|properties| properties.isNativeHandleOwned);
    let (kind, flags) = described(properties);
    super::check_flags(flags)?;
    let api = context.api();
    match kind {
        IMMEDIATE => {
            let list = ze::ze_command_list_handle_t::from_native(native);
            // SAFETY: a live list; the program says whether it is ours.
            let list = unsafe { Owned::of_native(api, list, owned) };
            Ok(Core::of_list(context, device, flags, list))
        }
        _ => {
            let queue = ze::ze_command_queue_handle_t::from_native(native);
            // SAFETY: a live queue; the program says whether it is ours.
            let queue = unsafe { Owned::of_native(api, queue, owned) };
            Ok(Core::of_queue(context, device, flags, queue))
        }
    }
}
