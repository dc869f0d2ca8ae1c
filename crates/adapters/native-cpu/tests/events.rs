//! Events: states, order, times, callbacks, long chains.

mod common;

use common::*;
use std::ffi::c_void;
use std::ptr::{null, null_mut};
use std::sync::{OnceLock, mpsc};
use std::time::{Duration, Instant};
use ur_api::*;

const OUT_OF_ORDER: u32 = UR_QUEUE_FLAG_OUT_OF_ORDER_EXEC_MODE_ENABLE.0;

/// Polls, never waits.
fn poll(event: &Event) {
    let end = Instant::now() + Duration::from_secs(60);
    while event.status() != UR_EVENT_STATUS_COMPLETE {
        assert!(Instant::now() < end, "still {}", event.status());
        std::thread::yield_now();
    }
}

#[test]
fn an_event_that_is_only_polled_becomes_complete() {
    let context = Context::new();
    for flags in [0, OUT_OF_ORDER] {
        let queue = context.queue_with(flags);
        let mut memory = vec![0u8; 4 << 20];
        let at = memory.as_mut_ptr().cast();
        let pattern = 7u8;
        let from = (&raw const pattern).cast();
        let mut event = null_mut();
        ok!(Enqueue.pfnUSMFill(queue.0, at, 1, from, 4 << 20, 0, null(), &mut event));
        poll(&Event(event));
        assert!(memory.iter().all(|byte| *byte == 7));
    }
}

#[test]
fn states_of_a_blocked_command() {
    let context = Context::new();
    for flags in [0, OUT_OF_ORDER] {
        let queue = context.queue_with(flags);
        let (go, blocked) = queue.block();
        let after = queue.wait_event(&[blocked.0]);
        assert_eq!(after.status(), UR_EVENT_STATUS_SUBMITTED);
        assert_eq!(
            event_info(after.0, UR_EVENT_INFO_COMMAND_TYPE),
            UR_COMMAND_EVENTS_WAIT.0
        );
        let end = Instant::now() + Duration::from_secs(60);
        while blocked.status() != UR_EVENT_STATUS_RUNNING {
            assert!(Instant::now() < end);
            std::thread::yield_now();
        }
        let empty = || {
            let mut empty = 9u8;
            let place = (&raw mut empty).cast();
            ok!(Queue.pfnGetInfo(queue.0, UR_QUEUE_INFO_EMPTY, 1, place, null_mut()));
            empty
        };
        assert_eq!(empty(), 0);
        go.send(()).unwrap();
        poll(&after);
        assert_eq!(blocked.status(), UR_EVENT_STATUS_COMPLETE);
        queue.finish();
        assert_eq!(empty(), 1);
        assert_eq!(event_info(after.0, UR_EVENT_INFO_REFERENCE_COUNT), 1);
    }
}

#[test]
fn times_are_in_order() {
    let context = Context::new();
    for flags in [0, OUT_OF_ORDER] {
        let queue = context.queue_with(flags | UR_QUEUE_FLAG_PROFILING_ENABLE.0);
        let mut last_end = 0;
        let mut before = 0;
        ok!(Device.pfnGetGlobalTimestamps(device(), &mut before, null_mut()));
        for size in [64usize, 1 << 16, 4 << 20] {
            let (from, mut to) = (vec![1u8; size], vec![0u8; size]);
            let (dst, src) = (to.as_mut_ptr().cast(), from.as_ptr().cast());
            let mut event = null_mut();
            ok!(Enqueue.pfnUSMMemcpy(queue.0, false, dst, src, size, 0, null(), &mut event));
            let event = Event(event);
            event.wait();
            let times = [
                UR_PROFILING_INFO_COMMAND_QUEUED,
                UR_PROFILING_INFO_COMMAND_SUBMIT,
                UR_PROFILING_INFO_COMMAND_START,
                UR_PROFILING_INFO_COMMAND_END,
                UR_PROFILING_INFO_COMMAND_COMPLETE,
            ]
            .map(|which| event.time(which));
            assert!(times.is_sorted(), "{times:?}");
            assert!(times[0] >= before && times[2] >= last_end);
            last_end = times[3];
        }
        let mut after = 0;
        ok!(Device.pfnGetGlobalTimestamps(device(), &mut after, null_mut()));
        assert!(last_end <= after);
    }
}

#[test]
fn times_are_only_there_when_asked_for() {
    let context = Context::new();
    let queue = context.queue();
    let event = queue.wait_event(&[]);
    event.wait();
    let mut time = 0u64;
    let place = (&raw mut time).cast();
    let name = UR_PROFILING_INFO_COMMAND_END;
    assert_eq!(
        ur!(Event.pfnGetProfilingInfo(event.0, name, 8, place, null_mut())),
        UR_RESULT_ERROR_PROFILING_INFO_NOT_AVAILABLE
    );
    // A recorded time needs no profiling queue.
    let mut stamp = null_mut();
    ok!(EnqueueExp.pfnTimestampRecordingExp(queue.0, true, 0, null(), &mut stamp));
    let stamp = Event(stamp);
    assert!(stamp.time(name) >= stamp.time(UR_PROFILING_INFO_COMMAND_QUEUED));
    // Nor is it there before the end.
    let queue = context.queue_with(UR_QUEUE_FLAG_PROFILING_ENABLE.0);
    let (go, blocked) = queue.block();
    assert_eq!(
        ur!(Event.pfnGetProfilingInfo(blocked.0, name, 8, place, null_mut())),
        UR_RESULT_ERROR_PROFILING_INFO_NOT_AVAILABLE
    );
    drop(go);
    blocked.wait();
    assert!(blocked.time(name) > 0);
}

type Told = (usize, ur_execution_info_t);

/// Where [`tell`] sends to. A static, since a callback may still be returning when the test ends.
static TELLER: OnceLock<mpsc::Sender<Told>> = OnceLock::new();

unsafe extern "C" fn tell(event: ur_event_handle_t, state: ur_execution_info_t, _: *mut c_void) {
    // Callbacks may call the API.
    let kind = event_info(event, UR_EVENT_INFO_COMMAND_TYPE);
    assert_ne!(kind, u32::MAX);
    let teller = TELLER.get().unwrap();
    teller.send((event as usize, state)).unwrap();
}

const PATIENCE: Duration = Duration::from_secs(60);

#[test]
fn callbacks_are_called_before_during_and_after() {
    let context = Context::new();
    let queue = context.queue();
    let (teller, told) = mpsc::channel();
    TELLER.set(teller).unwrap();
    let data = null_mut();
    let (go, blocked) = queue.block();
    let set = |event: &Event, at| ok!(Event.pfnSetCallback(event.0, at, Some(tell), data));
    let waiting = queue.wait_event(&[blocked.0]);
    set(&waiting, UR_EXECUTION_INFO_COMPLETE);
    assert!(told.try_recv().is_err());
    set(&waiting, UR_EXECUTION_INFO_SUBMITTED);
    let first = told.recv_timeout(PATIENCE).unwrap();
    assert_eq!(first, (waiting.0 as usize, UR_EXECUTION_INFO_SUBMITTED));
    go.send(()).unwrap();
    let second = told.recv_timeout(PATIENCE).unwrap();
    assert_eq!(second, (waiting.0 as usize, UR_EXECUTION_INFO_COMPLETE));
    // Already complete, and released right after.
    for _ in 0..100 {
        let event = queue.wait_event(&[]);
        event.wait();
        set(&event, UR_EXECUTION_INFO_COMPLETE);
        let name = event.0 as usize;
        drop(event);
        assert_eq!(
            told.recv_timeout(PATIENCE).unwrap(),
            (name, UR_EXECUTION_INFO_COMPLETE)
        );
    }
    let event = queue.wait_event(&[]);
    let refused = |at, function| ur!(Event.pfnSetCallback(event.0, at, function, data));
    assert_eq!(
        refused(UR_EXECUTION_INFO_QUEUED, Some(tell as _)),
        UR_RESULT_ERROR_UNSUPPORTED_ENUMERATION
    );
    assert_eq!(
        refused(UR_EXECUTION_INFO_COMPLETE, None),
        UR_RESULT_ERROR_INVALID_NULL_POINTER
    );
    assert_eq!(
        refused(ur_execution_info_t(77), Some(tell as _)),
        UR_RESULT_ERROR_INVALID_ENUMERATION
    );
}

#[test]
fn a_callback_may_enqueue_and_wait() {
    struct Shared {
        queue: usize,
        sender: mpsc::Sender<()>,
    }
    unsafe extern "C" fn enqueue(_: ur_event_handle_t, _: ur_execution_info_t, data: *mut c_void) {
        // SAFETY: the box made below.
        let shared = unsafe { Box::from_raw(data.cast::<Shared>()) };
        let queue = shared.queue as ur_queue_handle_t;
        let mut event = null_mut();
        ok!(Enqueue.pfnEventsWait(queue, 0, null(), &mut event));
        ok!(Event.pfnWait(1, &event));
        ok!(Event.pfnRelease(event));
        ok!(Queue.pfnFinish(queue));
        shared.sender.send(()).unwrap();
    }
    let context = Context::new();
    let queue = context.queue();
    let (sender, told) = mpsc::channel();
    let (go, blocked) = queue.block();
    let data = Box::into_raw(Box::new(Shared {
        queue: queue.0 as usize,
        sender,
    }));
    let at = UR_EXECUTION_INFO_COMPLETE;
    ok!(Event.pfnSetCallback(blocked.0, at, Some(enqueue), data.cast()));
    drop(go);
    told.recv_timeout(PATIENCE).unwrap();
}

/// A waiting thread holds a lock that a host task needs: host code must run elsewhere.
#[test]
fn a_waiting_thread_does_not_run_host_code() {
    static LOCK: std::sync::Mutex<()> = std::sync::Mutex::new(());
    unsafe extern "C" fn take(_: *mut c_void) {
        drop(LOCK.lock().unwrap());
    }
    let context = Context::new();
    let queue = context.queue_with(OUT_OF_ORDER);
    for _ in 0..50 {
        let guard = LOCK.lock().unwrap();
        for _ in 0..3 {
            ok!(EnqueueExp.pfnHostTaskExp(
                queue.0,
                Some(take),
                null_mut(),
                null(),
                0,
                null(),
                null_mut()
            ));
        }
        let mut memory = vec![0u8; 1 << 20];
        let (at, pattern) = (memory.as_mut_ptr().cast(), 1u8);
        let from = (&raw const pattern).cast();
        let mut event = null_mut();
        ok!(Enqueue.pfnUSMFill(queue.0, at, 1, from, 1 << 20, 0, null(), &mut event));
        Event(event).wait();
        drop(guard);
        queue.finish();
    }
}

/// Host tasks that wait for each other need threads of their own each.
#[test]
fn host_tasks_may_wait_for_each_other() {
    static BARRIER: std::sync::Barrier = std::sync::Barrier::new(4);
    unsafe extern "C" fn meet(_: *mut c_void) {
        BARRIER.wait();
    }
    let context = Context::new();
    let queue = context.queue_with(OUT_OF_ORDER);
    for _ in 0..4 {
        ok!(EnqueueExp.pfnHostTaskExp(
            queue.0,
            Some(meet),
            null_mut(),
            null(),
            0,
            null(),
            null_mut()
        ));
    }
    queue.finish();
}

#[test]
fn a_million_events_in_a_chain() {
    let context = Context::new();
    for flags in [0, OUT_OF_ORDER] {
        let queue = context.queue_with(flags);
        let (go, blocked) = queue.block();
        let mut last = blocked;
        for _ in 0..1_000_000 {
            last = queue.wait_event(&[last.0]);
        }
        assert_ne!(last.status(), UR_EVENT_STATUS_COMPLETE);
        go.send(()).unwrap();
        last.wait();
        queue.finish();
    }
}

#[test]
fn commands_of_an_out_of_order_queue_overtake_unless_there_is_a_barrier() {
    let context = Context::new();
    let queue = context.queue_with(OUT_OF_ORDER);
    let (go, blocked) = queue.block();
    let free = queue.wait_event(&[blocked.0]);
    let (from, mut to) = (1u8, 0u8);
    let (dst, src) = ((&raw mut to).cast(), (&raw const from).cast());
    let copy = || {
        let mut event = null_mut();
        ok!(Enqueue.pfnUSMMemcpy(queue.0, false, dst, src, 1, 0, null(), &mut event));
        Event(event)
    };
    copy().wait();
    // A barrier on one event holds back what follows, not what came before.
    let mut barrier = null_mut();
    ok!(Enqueue.pfnEventsWaitWithBarrier(queue.0, 1, &blocked.0, &mut barrier));
    let barrier = Event(barrier);
    let held = copy();
    let mut all = null_mut();
    ok!(Enqueue.pfnEventsWaitWithBarrierExt(queue.0, null(), 0, null(), &mut all));
    let all = Event(all);
    std::thread::sleep(Duration::from_millis(20));
    for event in [&free, &barrier, &held, &all] {
        assert_eq!(event.status(), UR_EVENT_STATUS_SUBMITTED);
    }
    go.send(()).unwrap();
    all.wait();
    for event in [&free, &barrier, &held] {
        assert_eq!(event.status(), UR_EVENT_STATUS_COMPLETE);
    }
}

#[test]
fn wait_lists_are_checked() {
    let context = Context::new();
    let queue = context.queue();
    let wait = |count, list| ur!(Enqueue.pfnEventsWait(queue.0, count, list, null_mut()));
    assert_eq!(wait(1, null()), UR_RESULT_ERROR_INVALID_EVENT_WAIT_LIST);
    assert_eq!(
        wait(1, &null_mut()),
        UR_RESULT_ERROR_INVALID_EVENT_WAIT_LIST
    );
    let wrong = queue.0.cast::<ur_event_handle_t_>();
    assert_eq!(wait(1, &wrong), UR_RESULT_ERROR_INVALID_EVENT);
    assert_eq!(wait(0, null()), UR_RESULT_SUCCESS);
    assert_eq!(ur!(Event.pfnWait(0, null())), UR_RESULT_ERROR_INVALID_VALUE);
    let event = queue.wait_event(&[]);
    let several = [event.0; 5];
    ok!(Event.pfnWait(5, several.as_ptr()));
}

/// A released queue's commands run, and events outlive it.
#[test]
fn events_outlive_queue_and_context() {
    let (go, event) = {
        let context = Context::new();
        let queue = context.queue();
        let (go, blocked) = queue.block();
        let after = queue.wait_event(&[blocked.0]);
        (go, after)
    };
    assert_ne!(event.status(), UR_EVENT_STATUS_COMPLETE);
    drop(go);
    poll(&event);
}

#[test]
fn many_threads_enqueue_and_wait() {
    let context = Context::new();
    for flags in [0, OUT_OF_ORDER] {
        let queue = context.queue_with(flags);
        std::thread::scope(|scope| {
            for thread in 0..8u8 {
                let handle = queue.0 as usize;
                scope.spawn(move || {
                    let queue = handle as ur_queue_handle_t;
                    let from = vec![thread; 40_000];
                    for _ in 0..200 {
                        let mut to = vec![0u8; 40_000];
                        let (dst, src) = (to.as_mut_ptr().cast(), from.as_ptr().cast());
                        let mut event = null_mut();
                        let size = 40_000;
                        ok!(Enqueue.pfnUSMMemcpy(
                            queue,
                            false,
                            dst,
                            src,
                            size,
                            0,
                            null(),
                            &mut event
                        ));
                        Event(event).wait();
                        assert_eq!(to, from);
                    }
                });
            }
        });
        queue.finish();
    }
}
