//! Commands that wait, on platforms whose own wait for more or have no times.

use crate::driver::{Driver, EVERYTHING};
use crate::support::*;
use crate::{case, ur};
use std::ptr::{null, null_mut};
use ur_adapter_opencl::cl;
use ur_api::*;

const POCL: &str = "3.0 pocl svm fine";
const NVIDIA: &str = "3.0 nvidia svm fine";

const OUT_OF_ORDER: u32 = UR_QUEUE_FLAG_OUT_OF_ORDER_EXEC_MODE_ENABLE.0;
const PROFILED: u32 = UR_QUEUE_FLAG_PROFILING_ENABLE.0;

/// A command that waits for these, and holds back what comes behind.
fn barrier(queue: &Queue, waits: &[&Event]) -> Result<Event> {
    let waits = list(waits);
    let (count, list) = (waits.len() as u32, start(&waits));
    let mut raw = null_mut();
    ur!(Enqueue.pfnEventsWaitWithBarrier(queue.0, count, list, &mut raw))?;
    Ok(Event(raw))
}

/// A command that does not end before its event does, which comes along.
fn blocked(context: &Context, queue: &Queue) -> (Event, Event, cl::cl_event) {
    let (until, native) = context.user_event().expect("an event");
    let blocked = queue.marker(&[&until]).expect("a command");
    assert_eq!(blocked.status(), Ok(UR_EVENT_STATUS_QUEUED));
    (blocked, until, native)
}

fn waits_for_no_others(driver: &Driver) {
    let context = Context::new().expect("a context");
    let (queue, other) = (context.queue(OUT_OF_ORDER), context.queue(0));
    let (queue, other) = (queue.expect("a queue"), other.expect("a queue"));
    let first = other.marker(&[]).expect("a command");
    first.wait().expect("an end");
    let (blocked, until, native) = blocked(&context, &queue);
    let alone = queue.marker(&[&first]).expect("a command");
    assert_eq!(alone.status(), Ok(UR_EVENT_STATUS_COMPLETE));
    // Without a list it is for all.
    let all = queue.marker(&[]).expect("a command");
    assert_eq!(all.status(), Ok(UR_EVENT_STATUS_QUEUED));
    complete(native, cl::CL_COMPLETE);
    for event in [&blocked, &all] {
        event.wait().expect("an end");
    }
    drop((blocked, until, alone, all, first, queue, other));
    drop(context);
    assert_eq!(driver.alive(), 0);
}

case! { a_wait_with_a_list_is_for_no_others, EVERYTHING, waits_for_no_others }
case! { a_wait_with_a_list_is_for_no_others_on_pocl, POCL, waits_for_no_others }

case! {
    /// Nothing is left of the buffer that stands in, whatever fails.
    waits_on_pocl_fail_as_they_should, POCL, |driver: &Driver| {
        let context = Context::new().expect("a context");
        let queue = context.queue(OUT_OF_ORDER).expect("a queue");
        let first = queue.marker(&[]).expect("a command");
        let before = driver.alive();
        for name in ["clCreateBuffer", "clEnqueueMigrateMemObjects"] {
            driver.fail(name, cl::CL_OUT_OF_RESOURCES, 0, 1);
            let refused = queue.marker(&[&first]).err();
            assert_eq!(refused, Some(UR_RESULT_ERROR_OUT_OF_RESOURCES), "{name}");
            assert_eq!(driver.alive(), before, "{name}");
        }
        // Queues in order wait for everything anyway.
        let queue = context.queue(0).expect("a queue");
        drop(queue.marker(&[&first]).expect("a command"));
        assert_eq!(driver.calls("clEnqueueMigrateMemObjects"), 1);
    }
}

/// The times of an event.
fn times(event: &Event) -> Result<[u64; 4]> {
    let mut times = [0; 4];
    let names = [
        UR_PROFILING_INFO_COMMAND_QUEUED,
        UR_PROFILING_INFO_COMMAND_SUBMIT,
        UR_PROFILING_INFO_COMMAND_START,
        UR_PROFILING_INFO_COMMAND_END,
    ];
    for (time, name) in times.iter_mut().zip(names) {
        let place = std::ptr::from_mut(time).cast();
        ur!(Event.pfnGetProfilingInfo(event.0, name, 8, place, null_mut()))?;
    }
    Ok(times)
}

fn waits_have_times(_: &Driver) {
    let context = Context::new().expect("a context");
    for flags in [PROFILED, PROFILED | OUT_OF_ORDER] {
        let queue = context.queue(flags).expect("a queue");
        let first = queue.marker(&[]).expect("a command");
        let ended = times(&first).expect("times")[3];
        for event in [
            queue.marker(&[&first]),
            barrier(&queue, &[]),
            barrier(&queue, &[&first]),
        ] {
            let times = times(&event.expect("a command")).expect("times");
            assert!(times.is_sorted() && times[3] > ended, "{times:?}");
        }
    }
    // Nor does it wait for less.
    let queue = context.queue(PROFILED).expect("a queue");
    let (blocked, _until, native) = blocked(&context, &queue);
    let behind = barrier(&queue, &[]).expect("a command");
    assert_eq!(behind.status(), Ok(UR_EVENT_STATUS_QUEUED));
    assert_eq!(
        times(&behind),
        Err(UR_RESULT_ERROR_PROFILING_INFO_NOT_AVAILABLE)
    );
    complete(native, cl::CL_COMPLETE);
    behind.wait().expect("an end");
    assert!(times(&behind).expect("times")[3] > times(&blocked).expect("times")[3]);
}

case! { waits_have_times_of_their_own, EVERYTHING, waits_have_times }
case! { waits_have_times_of_their_own_on_nvidia, NVIDIA, waits_have_times }

case! {
    /// One command is enough where nobody asks for times.
    waits_without_times_are_one_command, NVIDIA, |driver: &Driver| {
        let context = Context::new().expect("a context");
        let (plain, profiled) = (context.queue(0), context.queue(PROFILED));
        drop(barrier(&plain.expect("a queue"), &[]).expect("a command"));
        let profiled = profiled.expect("a queue");
        let none = null_mut();
        ur!(Enqueue.pfnEventsWaitWithBarrier(profiled.0, 0, null(), none)).expect("a command");
        profiled.finish().expect("an end");
        assert_eq!(driver.calls("clEnqueueBarrierWithWaitList"), 2);
        // Only queues that are released have markers.
        assert_eq!(driver.calls("clEnqueueMarkerWithWaitList"), 1);
    }
}

case! {
    /// A driver that says 0 for a command's times has none.
    times_of_0_are_none, NVIDIA, |_: &Driver| {
        let context = Context::new().expect("a context");
        let queue = context.queue(PROFILED).expect("a queue");
        let mut native = 0;
        ur!(Queue.pfnGetNativeHandle(queue.0, null_mut(), &mut native)).expect("a handle");
        let mut event = cl::cl_event::NULL;
        let queue = cl::cl_command_queue::from_native(native);
        // SAFETY: a live queue; the place is ours.
        let code = unsafe {
            (api().clEnqueueBarrierWithWaitList)(queue, 0, null(), &raw mut event)
        };
        assert_eq!(code, cl::CL_SUCCESS);
        let event = context.event_of(event).expect("an event");
        assert_eq!(times(&event), Err(UR_RESULT_ERROR_PROFILING_INFO_NOT_AVAILABLE));
    }
}
