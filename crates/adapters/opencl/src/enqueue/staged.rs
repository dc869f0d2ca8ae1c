//! Copies from memory of the adapter's own, which goes when the command has ended.

use super::buffer::Ties;
use crate::cl::{self, Owned};
use crate::event::{Call, submit};
use crate::queue::Queue;
use std::ffi::c_void;
use ur_adapter::{Object, Result};
use ur_api::*;

/// What the driver calls when the command has ended.
unsafe extern "C" fn ended(_: cl::cl_event, _: cl::cl_int, bytes: *mut c_void) {
    // SAFETY: the box that was given away when this function was set; the driver calls it once.
    drop(unsafe { Box::from_raw(bytes.cast::<Vec<u8>>()) });
}

/// Enqueues a copy of these bytes.
///
/// # Errors
/// `UNSUPPORTED_FEATURE` without USM, and what the driver says.
///
/// # Safety
/// `to` has room for the bytes until the command ends.
pub unsafe fn copy(
    queue: &Object<Queue>,
    to: *mut c_void,
    bytes: Vec<u8>,
    kind: ur_command_t,
    ties: Ties<'_, '_>,
) -> Result {
    let enqueue = queue.context().usm().memcpy()?;
    let (from, size) = (bytes.as_ptr().cast::<c_void>(), bytes.len());
    let kept = Box::new(bytes);
    let mut kept = Some(kept);
    submit(queue, kind, ties.waits, ties.event, |call| {
        let Call { queue: native, .. } = call;
        let mut event = cl::cl_event::NULL;
        let (count, waits, out) = (call.count, call.waits, &raw mut event);
        // SAFETY: live objects; memory is as the caller says, and ours until the command has ended.
        let code = unsafe { enqueue(native, cl::CL_FALSE, to, from, size, count, waits, out) };
        if code != cl::CL_SUCCESS {
            return code;
        }
        // SAFETY: made for this call.
        let event = unsafe { Owned::new(queue.api(), event) };
        let bytes = kept.take().map_or(std::ptr::null_mut(), Box::into_raw);
        let set = queue.api().clSetEventCallback;
        // SAFETY: a live event; the box is given away.
        let code = unsafe { set(event.get(), cl::CL_COMPLETE, Some(ended), bytes.cast()) };
        if code != cl::CL_SUCCESS {
            // Nobody will say when the memory may go, so this waits for it.
            // SAFETY: a live event, and the box that was not taken.
            unsafe {
                let waited = event.get();
                let code = (queue.api().clWaitForEvents)(1, &raw const waited);
                // Otherwise nobody knows whether the command has ended, and the memory stays.
                if cl::error::has_ended(code) {
                    drop(Box::from_raw(bytes));
                }
            }
        }
        if !call.event.is_null() {
            // SAFETY: the place is `submit`'s, which takes the reference over.
            unsafe { call.event.write(event.give()) };
        }
        cl::CL_SUCCESS
    })?;
    // Not kept back: the program may never look at it again.
    queue.flush()
}
