//! Events: statuses, callbacks, times, waits that are refused.

use crate::case;
use crate::driver::{Driver, EVENTS, NEWEST};
use crate::support::*;
use crate::ur;
use std::ffi::c_void;
use std::ptr::{null, null_mut};
use std::sync::mpsc::{Sender, channel};
use ur_api::*;

/// Tells of a call. It asks the event something, which a lock held during the call would not survive.
unsafe extern "C" fn tell(event: ur_event_handle_t, _: ur_execution_info_t, data: *mut c_void) {
    let event = std::mem::ManuallyDrop::new(Event(event));
    // SAFETY: the box that the test gave away.
    let told = unsafe { Box::from_raw(data.cast::<Sender<bool>>()) };
    told.send(event.is_complete()).expect("somebody receives");
}

fn tell_at(event: &Event, status: ur_execution_info_t, told: &Sender<bool>) -> Result {
    let data = Box::into_raw(Box::new(told.clone())).cast();
    ur!(Event.pfnSetCallback(event.0, status, Some(tell), data))
}

case! { callbacks_are_made_once_whenever_they_are_set, &[NEWEST, "1.0"], callbacks }

fn callbacks(driver: &Driver) {
    driver.hold(true);
    let context = Context::new().expect("a context");
    let queue = context.queue(0).expect("a queue");
    let event = queue.marker(&[]).expect("a marker");
    let (told, calls) = channel();
    for _ in 0..3 {
        tell_at(&event, UR_EXECUTION_INFO_COMPLETE, &told).expect("a callback");
    }
    assert_eq!(event.status(), Ok(UR_EVENT_STATUS_SUBMITTED));
    assert!(calls.try_recv().is_err());
    // Released before, the event lives until its callbacks.
    let raw = event.0;
    ur!(Event.pfnRetain(raw)).expect("an owner");
    drop(event);
    driver.step(1);
    for _ in 0..3 {
        assert_eq!(calls.recv(), Ok(true));
    }
    // Set when all is over, it is called at once.
    let event = Event(raw);
    event.wait().expect("an end");
    tell_at(&event, UR_EXECUTION_INFO_COMPLETE, &told).expect("a callback");
    assert_eq!(calls.try_recv(), Ok(true));
    drop((event, told));
    assert!(calls.recv().is_err(), "no call comes twice");
    drop((queue, context));
    driver.hold(false);
}

case! { many_callbacks_on_many_queues, &[NEWEST], many_callbacks }

fn many_callbacks(_: &Driver) {
    let context = Context::new().expect("a context");
    let queues: Vec<_> = (0..4)
        .map(|_| context.queue(FREE).expect("a queue"))
        .collect();
    let (told, calls) = channel();
    for number in 0..400 {
        let event = queues[number % 4].marker(&[]).expect("a marker");
        tell_at(&event, UR_EXECUTION_INFO_COMPLETE, &told).expect("a callback");
    }
    drop(told);
    assert_eq!(calls.iter().filter(|complete| *complete).count(), 400);
    drop(queues);
}

case! { events_of_other_contexts_are_refused, &[NEWEST], foreign }

fn foreign(_: &Driver) {
    let (one, other) = (
        Context::new().expect("one"),
        Context::new().expect("another"),
    );
    let queues = [
        one.queue(0).expect("a queue"),
        other.queue(0).expect("a queue"),
    ];
    let event = queues[0].marker(&[]).expect("a marker");
    let refused = queues[1].marker(&[&event]).map(|_| ());
    assert_eq!(refused, Err(UR_RESULT_ERROR_INVALID_CONTEXT));
    // The host may wait for both.
    let second = queues[1].marker(&[]).expect("a marker");
    let both = [event.0, second.0];
    ur!(Event.pfnWait(2, both.as_ptr())).expect("an end");
    drop((event, second, queues, one, other));
}

case! { events_are_used_again, &[NEWEST, "1.0"], reuse }

fn reuse(driver: &Driver) {
    let context = Context::new().expect("a context");
    let queue = context.queue(0).expect("a queue");
    for _ in 0..1000 {
        let event = queue.marker(&[]).expect("a marker");
        assert!(event.status().is_ok());
        event.wait().expect("an end");
        assert!(event.is_complete());
    }
    assert!(driver.alive_of(EVENTS) < 10, "{}", driver.alive_of(EVENTS));
    // Not while somebody holds them, or a command that waits for them has not ended.
    driver.hold(true);
    let other = context.queue(0).expect("a queue");
    let first = queue.marker(&[]).expect("a marker");
    let behind = other.marker(&[&first]).expect("a marker");
    driver.step(1);
    first.wait().expect("an end");
    drop(first);
    let next = queue.marker(&[]).expect("a marker");
    assert!(!behind.is_complete() && !next.is_complete());
    driver.hold(false);
    behind.wait().expect("an end");
}

case! { times_are_in_order, &[NEWEST, "1.1"], times }

fn times(_: &Driver) {
    let context = Context::new().expect("a context");
    for flags in [0, FREE, BATCHED] {
        let flags = flags | UR_QUEUE_FLAG_PROFILING_ENABLE.0;
        let queue = context.queue(flags).expect("a queue");
        let mut last = 0;
        for _ in 0..20 {
            let event = queue.marker(&[]).expect("a marker");
            event.wait().expect("an end");
            let names = [
                UR_PROFILING_INFO_COMMAND_QUEUED,
                UR_PROFILING_INFO_COMMAND_SUBMIT,
                UR_PROFILING_INFO_COMMAND_START,
                UR_PROFILING_INFO_COMMAND_END,
            ];
            for name in names {
                let time = event.time(name).expect("a time");
                assert!(time >= last, "{name}: {time} after {last}");
                last = time;
            }
        }
    }
    let queue = context.queue(0).expect("a queue");
    let event = queue.marker(&[]).expect("a marker");
    event.wait().expect("an end");
    let none = Err(UR_RESULT_ERROR_PROFILING_INFO_NOT_AVAILABLE);
    assert_eq!(event.time(UR_PROFILING_INFO_COMMAND_START), none);
}

case! { native_events_and_queues_go_there_and_back, &[NEWEST, "1.0"], natives }

fn natives(_: &Driver) {
    let context = Context::new().expect("a context");
    for flags in [0, FREE, BATCHED] {
        let queue = context.queue(flags).expect("a queue");
        let event = queue.marker(&[]).expect("a marker");
        let mut native = 0;
        ur!(Event.pfnGetNativeHandle(event.0, &mut native)).expect("a handle");
        let mut raw = null_mut();
        ur!(Event.pfnCreateWithNativeHandle(native, context.0, null(), &mut raw))
            .expect("an event");
        let same = Event(raw);
        same.wait().expect("an end");
        assert!(event.is_complete());
        drop(same);

        let mut kind = -1i32;
        let mut desc = ur_queue_native_desc_t {
            pNativeData: (&raw mut kind).cast(),
            ..Default::default()
        };
        let (raw_queue, mut number) = (queue.0, 0);
        ur!(Queue.pfnGetNativeHandle(raw_queue, &mut desc, &mut number)).expect("a handle");
        assert_eq!(kind, i32::from(flags != BATCHED));
        let properties = ur_queue_native_properties_t {
            pNext: (&raw mut desc).cast(),
            ..Default::default()
        };
        let (mut raw, device) = (null_mut(), device());
        ur!(Queue.pfnCreateWithNativeHandle(number, context.0, device, &properties, &mut raw))
            .expect("a queue");
        let same = Queue(raw);
        same.marker(&[&event])
            .expect("a marker")
            .wait()
            .expect("an end");
        drop((same, event, queue));
    }
}
