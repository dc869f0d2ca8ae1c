//! Functions of the program that are called when an event reaches a status.

use super::Event;
use crate::cl::{self, check};
use std::ffi::c_void;
use ur_adapter::{Error, Handle, Object, Result};
use ur_api::*;

/// A function to be called; it keeps the event until then.
struct Notify {
    event: Handle<Event>,
    function: unsafe extern "C" fn(ur_event_handle_t, ur_execution_info_t, *mut c_void),
    status: ur_execution_info_t,
    user_data: *mut c_void,
}

/// What the driver calls, once.
unsafe extern "C" fn reached(_: cl::cl_event, _: cl::cl_int, notify: *mut c_void) {
    // SAFETY: the box that was given away when this function was set; the driver calls it once.
    let notify = unsafe { Box::from_raw(notify.cast::<Notify>()) };
    // A command that failed has reached its end, too: the API has no number for that here.
    // SAFETY: the program gave the function for this call; the event is alive until after it.
    ur_adapter::hosted::call(|| unsafe {
        (notify.function)(notify.event.raw(), notify.status, notify.user_data);
    });
}

/// Sets a function.
///
/// # Errors
/// `INVALID_NULL_POINTER` without one, `UNSUPPORTED_ENUMERATION` for the status `QUEUED`, and what the
/// driver says.
///
/// # Safety
/// The function may be called once with the event, a status and `user_data`, by any thread.
pub unsafe fn set(
    event: &Object<Event>,
    status: ur_execution_info_t,
    notify: ur_event_callback_t,
    user_data: *mut c_void,
) -> Result {
    let function = notify.ok_or(UR_RESULT_ERROR_INVALID_NULL_POINTER)?;
    let at = match status {
        UR_EXECUTION_INFO_COMPLETE => cl::CL_COMPLETE,
        UR_EXECUTION_INFO_RUNNING => cl::CL_RUNNING,
        UR_EXECUTION_INFO_SUBMITTED => cl::CL_SUBMITTED,
        UR_EXECUTION_INFO_QUEUED => return Err(Error::unsupported_query()),
        _ => return Err(Error::code(UR_RESULT_ERROR_INVALID_ENUMERATION)),
    };
    let notify = Box::new(Notify {
        event: event.handle(),
        function,
        status,
        user_data,
    });
    // A reference of our own: nothing may be locked while the driver calls, which it may do at once.
    let native = {
        let view = event.view();
        let Some(bound) = view.bound() else {
            drop(view);
            // SAFETY: as the caller says.
            unsafe { function(event.raw(), status, user_data) };
            return Ok(());
        };
        let (api, native) = (bound.native.api(), bound.native.get());
        bound.push();
        // SAFETY: alive while the view is held.
        unsafe { cl::Owned::of_native(api, native, false) }?
    };
    let notify = Box::into_raw(notify);
    // SAFETY: a live event; the box is given away.
    let code = unsafe {
        (native.api().clSetEventCallback)(native.get(), at, Some(reached), notify.cast())
    };
    if code != cl::CL_SUCCESS {
        // SAFETY: the driver did not take it.
        drop(unsafe { Box::from_raw(notify) });
    }
    check(code)
}
