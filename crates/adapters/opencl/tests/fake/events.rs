//! Events: statuses, callbacks, and commands that fail.

use crate::case;
use crate::driver::{Driver, EVENTS, EVERYTHING};
use crate::support::*;
use crate::ur;
use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicU32, Ordering};
use ur_adapter_opencl::cl;
use ur_api::*;

/// Counts calls. It asks the event something, which a lock held during the call would not survive.
unsafe extern "C" fn count(event: ur_event_handle_t, _: ur_execution_info_t, calls: *mut c_void) {
    let event = std::mem::ManuallyDrop::new(Event(event));
    assert!(event.status().is_ok());
    // SAFETY: the counter outlives the event.
    unsafe { &*calls.cast::<AtomicU32>() }.fetch_add(1, Ordering::SeqCst);
}

fn count_at(event: &Event, status: ur_execution_info_t, calls: &AtomicU32) -> Result {
    let data = std::ptr::from_ref(calls).cast_mut().cast();
    ur!(Event.pfnSetCallback(event.0, status, Some(count), data))
}

case! { callbacks_are_made_once_whenever_they_are_set, EVERYTHING, callbacks }

fn callbacks(driver: &Driver) {
    let context = Context::new().expect("a context");
    let queue = context.queue(0).expect("a queue");
    let (user, native) = context.user_event().expect("an event");
    let marker = queue.marker(&[&user]).expect("a marker");
    let calls: [AtomicU32; 3] = Default::default();
    for call in &calls[..2] {
        count_at(&marker, UR_EXECUTION_INFO_COMPLETE, call).expect("a callback");
    }
    assert_eq!(marker.status(), Ok(UR_EVENT_STATUS_QUEUED));
    assert_eq!(calls[0].load(Ordering::SeqCst), 0);
    complete(native, cl::CL_COMPLETE);
    assert_eq!(marker.status(), Ok(UR_EVENT_STATUS_COMPLETE));
    marker.wait().expect("an end");
    // Set when all is over, it is called at once.
    count_at(&marker, UR_EXECUTION_INFO_RUNNING, &calls[2]).expect("a callback");
    drop((marker, user, queue, context));
    assert_eq!(calls.map(AtomicU32::into_inner), [1, 1, 1]);
    assert_eq!(driver.alive(), 0);
}

case! { an_event_lives_until_its_callback, EVERYTHING, released_before }

fn released_before(driver: &Driver) {
    let context = Context::new().expect("a context");
    let queue = context.queue(0).expect("a queue");
    let (user, native) = context.user_event().expect("an event");
    let marker = queue.marker(&[&user]).expect("a marker");
    let calls = AtomicU32::new(0);
    count_at(&marker, UR_EXECUTION_INFO_COMPLETE, &calls).expect("a callback");
    drop(marker);
    complete(native, cl::CL_COMPLETE);
    assert_eq!(calls.load(Ordering::SeqCst), 1);
    drop(user);
    assert_eq!(driver.alive_of(EVENTS), 0);
}

case! { callbacks_that_are_not_taken_are_not_kept, EVERYTHING, refused_callbacks }

fn refused_callbacks(driver: &Driver) {
    let context = Context::new().expect("a context");
    let queue = context.queue(0).expect("a queue");
    let marker = queue.marker(&[]).expect("a marker");
    let calls = AtomicU32::new(0);
    driver.fail("clSetEventCallback", cl::CL_OUT_OF_HOST_MEMORY, 0, 1);
    let refused = count_at(&marker, UR_EXECUTION_INFO_COMPLETE, &calls);
    assert_eq!(refused, Err(UR_RESULT_ERROR_OUT_OF_HOST_MEMORY));
    drop((marker, queue, context));
    assert_eq!(calls.into_inner(), 0);
    assert_eq!(driver.alive(), 0);
}

case! { failures_of_commands_are_seen_by_whoever_waits, EVERYTHING, failures }

fn failures(driver: &Driver) {
    let context = Context::new().expect("a context");
    let queue = context
        .queue(UR_QUEUE_FLAG_OUT_OF_ORDER_EXEC_MODE_ENABLE.0)
        .expect("a queue");
    let failed = Err(UR_RESULT_ERROR_IN_EVENT_LIST_EXEC_STATUS);

    // A command of its own.
    driver.outcome(cl::CL_OUT_OF_RESOURCES);
    let broken = queue.marker(&[]).expect("a marker");
    assert_eq!(broken.status(), Ok(UR_EVENT_STATUS_ERROR));
    assert_eq!(broken.wait(), failed);
    let calls = AtomicU32::new(0);
    count_at(&broken, UR_EXECUTION_INFO_COMPLETE, &calls).expect("a callback");
    assert_eq!(calls.load(Ordering::SeqCst), 1);

    // Those behind it.
    let behind = queue.marker(&[&broken]).expect("a marker");
    assert_eq!(behind.status(), Ok(UR_EVENT_STATUS_ERROR));
    assert_eq!(behind.wait(), failed);
    drop(behind);

    // A user event that fails, and a good one beside it.
    let (user, native) = context.user_event().expect("an event");
    let good = queue.marker(&[]).expect("a marker");
    let behind = queue.marker(&[&good, &user]).expect("a marker");
    count_at(&behind, UR_EXECUTION_INFO_COMPLETE, &calls).expect("a callback");
    complete(native, cl::CL_INVALID_VALUE);
    assert_eq!(calls.load(Ordering::SeqCst), 2);
    let both = [good.0, behind.0];
    assert_eq!(ur!(Event.pfnWait(2, both.as_ptr())), failed);
    assert_eq!(good.wait(), Ok(()));

    // A call that waits for its command.
    let mem = context.buffer(4).expect("a buffer");
    driver.outcome(cl::CL_OUT_OF_RESOURCES);
    assert_eq!(queue.read(&mem, &mut [0; 4], true), failed);
    queue.finish().expect("an end");
    drop((broken, behind, user, good, mem, queue, context));
    assert_eq!(driver.alive(), 0);
}

case! {
    /// A driver may keep commands until their queue is flushed; whoever asks for progress gets some.
    commands_are_pushed_by_whoever_looks, EVERYTHING, pushed
}

fn pushed(driver: &Driver) {
    driver.lazy(true);
    let context = Context::new().expect("a context");
    let (one, other) = (
        context.queue(0).expect("a queue"),
        context.queue(0).expect("a queue"),
    );

    let marker = one.marker(&[]).expect("a marker");
    assert_eq!(driver.calls("clFlush"), 0);
    assert_eq!(marker.status(), Ok(UR_EVENT_STATUS_COMPLETE));

    // By a command of another queue.
    let first = one.marker(&[]).expect("a marker");
    let second = other.marker(&[&first]).expect("a marker");
    second.wait().expect("an end");

    // By a callback.
    let calls = AtomicU32::new(0);
    let marker = one.marker(&[]).expect("a marker");
    count_at(&marker, UR_EXECUTION_INFO_COMPLETE, &calls).expect("a callback");
    assert_eq!(calls.load(Ordering::SeqCst), 1);

    // By the question whether a queue is empty.
    let _kept = one.marker(&[]).expect("a marker");
    let mut empty: ur_bool_t = Default::default();
    let place = (&raw mut empty).cast();
    let size = size_of::<ur_bool_t>();
    ur!(Queue.pfnGetInfo(one.0, UR_QUEUE_INFO_EMPTY, size, place, null_mut())).expect("an answer");
    assert!(empty != ur_bool_t::default());
}

case! { a_queue_is_empty_when_its_commands_have_ended, EVERYTHING, emptiness }

fn emptiness(driver: &Driver) {
    let context = Context::new().expect("a context");
    let queue = context.queue(0).expect("a queue");
    let is_empty = || {
        let mut empty: ur_bool_t = Default::default();
        let (place, size) = ((&raw mut empty).cast(), size_of::<ur_bool_t>());
        ur!(Queue.pfnGetInfo(queue.0, UR_QUEUE_INFO_EMPTY, size, place, null_mut()))
            .map(|()| empty != ur_bool_t::default())
    };
    assert_eq!(is_empty(), Ok(true));
    let (user, native) = context.user_event().expect("an event");
    drop(queue.marker(&[&user]).expect("a marker"));
    assert_eq!(is_empty(), Ok(false));
    assert_eq!(is_empty(), Ok(false));
    complete(native, cl::CL_COMPLETE);
    assert_eq!(is_empty(), Ok(true));
    // A question that the driver refuses is asked again.
    drop(queue.marker(&[]).expect("a marker"));
    driver.fail("clEnqueueMarkerWithWaitList", cl::CL_OUT_OF_RESOURCES, 0, 1);
    assert_eq!(is_empty(), Err(UR_RESULT_ERROR_OUT_OF_RESOURCES));
    assert_eq!(is_empty(), Ok(true));
}
