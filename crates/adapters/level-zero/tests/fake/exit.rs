//! The end of the process, with objects alive.

use crate::driver::{NEWEST, expect_pass, is_for, process};
use crate::support::*;
use std::mem::forget;

extern "C" fn late() {
    // SAFETY: a number that only this process's one thread changes.
    let left = unsafe { std::ptr::replace(&raw mut LEFT, None) };
    if let Some((event, queue, context)) = left {
        // Releases and questions, after the drivers have gone.
        assert!(queue.mark().is_err());
        queue.finish().expect("nothing is left to wait for");
        event.wait().expect("nothing is left to wait for");
        drop((event, queue, context));
        eprintln!("released late");
    }
}

static mut LEFT: Option<(Event, Queue, Context)> = None;

/// Ends the process with commands that wait, callbacks that wait for them, and objects that are released
/// by a handler that was there before the adapter.
#[test]
fn late_releases_call_nothing() {
    let name = crate::test_name!(late_releases_call_nothing);
    if !is_for(&name) {
        for settings in [NEWEST, "1.0"] {
            let output = expect_pass(process(&name, settings));
            let said = String::from_utf8_lossy(&output.stderr);
            assert!(said.contains("released late"), "{said}");
        }
        return;
    }
    // SAFETY: a function that stays.
    assert_eq!(unsafe { libc::atexit(late) }, 0);
    let driver = crate::driver::Driver::open();
    let context = Context::new().expect("a context");
    let queue = context.queue(BATCHED).expect("a queue");
    driver.hold(true);
    let event = queue.marker(&[]).expect("a marker");
    queue.flush().expect("a flush");
    unsafe extern "C" fn nothing(
        _: ur_api::ur_event_handle_t,
        _: ur_api::ur_execution_info_t,
        _: *mut std::ffi::c_void,
    ) {
    }
    let status = ur_api::UR_EXECUTION_INFO_COMPLETE;
    crate::ur!(Event.pfnSetCallback(event.0, status, Some(nothing), std::ptr::null_mut()))
        .expect("a callback");
    forget(queue.marker(&[]).expect("a marker"));
    // SAFETY: as above.
    unsafe { LEFT = Some((event, queue, context)) };
}
