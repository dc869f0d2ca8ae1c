//! Events that the program makes and that one command after the other completes.

mod common;

use common::*;
use std::ffi::c_void;
use std::ptr::{null, null_mut};
use std::sync::mpsc;
use std::time::Duration;
use ur_api::*;

const OUT_OF_ORDER: u32 = UR_QUEUE_FLAG_OUT_OF_ORDER_EXEC_MODE_ENABLE.0;
const PROFILING: u32 = UR_QUEUE_FLAG_PROFILING_ENABLE.0;

/// Makes a reusable event.
fn create(context: &Context, flags: u32) -> Result<Event, ur_result_t> {
    let desc = ur_exp_event_desc_t {
        stype: UR_STRUCTURE_TYPE_EXP_EVENT_DESC,
        pNext: null(),
        flags,
    };
    let mut event = null_mut();
    match ur!(EventExp.pfnCreateExp(context.0, device(), &desc, &mut event)) {
        UR_RESULT_SUCCESS => Ok(Event(event)),
        error => {
            assert!(event.is_null(), "an error and a handle");
            Err(error)
        }
    }
}

/// Has a barrier complete `event`.
fn signal(queue: &Queue, event: &Event, wait_list: &[ur_event_handle_t]) {
    let mut handle = event.0;
    let (count, list) = (wait_list.len() as u32, wait_list.as_ptr());
    let list = if count == 0 { null() } else { list };
    ok!(Enqueue.pfnEventsWaitWithBarrierExt(queue.0, null(), count, list, &mut handle));
    assert_eq!(handle, event.0, "the event is kept");
}

fn queue_of(event: &Event) -> ur_queue_handle_t {
    let mut queue: ur_queue_handle_t = null_mut();
    let place = (&raw mut queue).cast();
    ok!(Event.pfnGetInfo(event.0, UR_EVENT_INFO_COMMAND_QUEUE, 8, place, null_mut()));
    queue
}

fn count(event: &Event) -> u32 {
    event_info(event.0, UR_EVENT_INFO_REFERENCE_COUNT)
}

/// A time, or why there is none.
fn time(event: &Event, which: ur_profiling_info_t) -> Result<u64, ur_result_t> {
    let mut time = 0u64;
    let place = (&raw mut time).cast();
    match ur!(Event.pfnGetProfilingInfo(event.0, which, 8, place, null_mut())) {
        UR_RESULT_SUCCESS => Ok(time),
        error => Err(error),
    }
}

#[test]
fn the_device_says_that_it_has_them() {
    for name in [
        UR_DEVICE_INFO_REUSABLE_EVENTS_SUPPORT_EXP,
        UR_DEVICE_INFO_PER_EVENT_PROFILING_SUPPORT_EXP,
    ] {
        let mut answer = 0u8;
        let place = (&raw mut answer).cast();
        ok!(Device.pfnGetInfo(device(), name, 1, place, null_mut()));
        assert_eq!(answer, 1, "{name}");
    }
}

#[test]
fn a_new_event_is_complete_and_of_no_queue() {
    let context = Context::new();
    let queue = context.queue();
    let event = create(&context, 0).unwrap();
    assert_eq!(count(&event), 1);
    assert_eq!(event.status(), UR_EVENT_STATUS_COMPLETE);
    assert!(queue_of(&event).is_null());
    event.wait();
    queue.wait_event(&[event.0]).wait();
    assert_eq!(
        time(&event, UR_PROFILING_INFO_COMMAND_END),
        Err(UR_RESULT_ERROR_PROFILING_INFO_NOT_AVAILABLE)
    );
}

#[test]
fn commands_complete_it_one_after_the_other() {
    let context = Context::new();
    for flags in [0, OUT_OF_ORDER] {
        let queue = context.queue_with(flags);
        let event = create(&context, 0).unwrap();
        for _ in 0..100 {
            let (go, blocked) = queue.block();
            signal(&queue, &event, &[]);
            assert_eq!(event.status(), UR_EVENT_STATUS_SUBMITTED);
            assert_eq!(queue_of(&event), queue.0);
            assert_eq!(
                event_info(event.0, UR_EVENT_INFO_COMMAND_TYPE),
                UR_COMMAND_EVENTS_WAIT_WITH_BARRIER.0
            );
            assert_eq!(count(&event), 1);
            drop(go);
            event.wait();
            assert_eq!(blocked.status(), UR_EVENT_STATUS_COMPLETE);
            assert_eq!(event.status(), UR_EVENT_STATUS_COMPLETE);
        }
    }
}

/// Who waits for an event waits for the command that it stood for then.
#[test]
fn an_event_signalled_again_while_pending_keeps_its_earlier_waiters() {
    let context = Context::new();
    let (first, second) = (context.queue(), context.queue());
    let waiters = context.queue_with(OUT_OF_ORDER);
    let event = create(&context, 0).unwrap();
    let (go_first, _one) = first.block();
    signal(&first, &event, &[]);
    let before = waiters.wait_event(&[event.0]);
    let (go_second, _two) = second.block();
    signal(&second, &event, &[]);
    assert_eq!(queue_of(&event), second.0);
    let after = waiters.wait_event(&[event.0]);
    drop(go_second);
    after.wait();
    event.wait();
    assert_ne!(before.status(), UR_EVENT_STATUS_COMPLETE);
    drop(go_first);
    before.wait();
}

/// The wait list is read before the event stands for the new command.
#[test]
fn a_command_may_wait_for_the_event_that_it_completes() {
    let context = Context::new();
    let queue = context.queue_with(OUT_OF_ORDER);
    let event = create(&context, 0).unwrap();
    let (go, _blocked) = queue.block();
    signal(&queue, &event, &[]);
    signal(&queue, &event, &[event.0]);
    assert_ne!(event.status(), UR_EVENT_STATUS_COMPLETE);
    drop(go);
    event.wait();
}

#[test]
fn it_orders_queues() {
    let context = Context::new();
    let (producer, consumer) = (context.queue(), context.queue());
    let event = create(&context, 0).unwrap();
    let size = 1usize << 20;
    let (mut from, mut to) = (vec![0u8; size], vec![0u8; size]);
    for round in 1..=50u8 {
        let (src, pattern) = (
            from.as_mut_ptr().cast::<c_void>(),
            (&raw const round).cast(),
        );
        ok!(Enqueue.pfnUSMFill(producer.0, src, 1, pattern, size, 0, null(), null_mut()));
        signal(&producer, &event, &[]);
        let dst = to.as_mut_ptr().cast();
        let list = &event.0;
        ok!(Enqueue.pfnUSMMemcpy(consumer.0, false, dst, src, size, 1, list, null_mut()));
        consumer.finish();
        assert!(to.iter().all(|byte| *byte == round));
    }
}

#[test]
fn it_has_times_when_it_or_its_queue_is_to() {
    let context = Context::new();
    let (plain, profiled) = (context.queue(), context.queue_with(PROFILING));
    let with = create(&context, UR_EXP_EVENT_FLAG_ENABLE_PROFILING.0).unwrap();
    let without = create(&context, 0).unwrap();
    let missing = Err(UR_RESULT_ERROR_PROFILING_INFO_NOT_AVAILABLE);
    let (start, end) = (
        UR_PROFILING_INFO_COMMAND_START,
        UR_PROFILING_INFO_COMMAND_END,
    );
    assert_eq!(time(&with, end), missing);
    for queue in [&plain, &profiled] {
        let mut last = 0;
        for _ in 0..3 {
            let (go, _blocked) = queue.block();
            signal(queue, &with, &[]);
            // The times of the command before do not shine through.
            assert_eq!(time(&with, end), missing);
            drop(go);
            with.wait();
            let (began, ended) = (time(&with, start).unwrap(), time(&with, end).unwrap());
            assert!(last < began && began <= ended);
            last = ended;
        }
    }
    signal(&profiled, &without, &[]);
    without.wait();
    assert!(time(&without, end).unwrap() > 0);
    signal(&plain, &without, &[]);
    without.wait();
    assert_eq!(time(&without, end), missing);
}

#[test]
fn a_recorded_time_completes_it_too() {
    let context = Context::new();
    let queue = context.queue();
    let event = create(&context, 0).unwrap();
    let mut last = 0;
    for _ in 0..3 {
        let mut handle = event.0;
        ok!(EnqueueExp.pfnTimestampRecordingExp(queue.0, true, 0, null(), &mut handle));
        assert_eq!(handle, event.0);
        let times = [
            UR_PROFILING_INFO_COMMAND_QUEUED,
            UR_PROFILING_INFO_COMMAND_SUBMIT,
            UR_PROFILING_INFO_COMMAND_START,
            UR_PROFILING_INFO_COMMAND_END,
        ]
        .map(|which| event.time(which));
        assert_eq!(times[0], times[1], "both are the time of the call");
        assert!(times.is_sorted() && times[0] > last);
        last = times[3];
    }
}

/// The event of a command is not written over: the call makes a new one, as it always did.
#[test]
fn an_ordinary_event_is_not_reused() {
    let context = Context::new();
    let queue = context.queue();
    let ordinary = queue.wait_event(&[]);
    let mut handle = ordinary.0;
    ok!(Enqueue.pfnEventsWaitWithBarrierExt(queue.0, null(), 0, null(), &mut handle));
    assert_ne!(handle, ordinary.0);
    drop(Event(handle));
    assert_eq!(count(&ordinary), 1);
}

#[test]
fn a_failure_is_gone_with_the_next_command() {
    let context = Context::new();
    let queue = context.queue();
    let event = create(&context, 0).unwrap();
    // A captured command is failed for whoever waits for it outside of the graph.
    ok!(QueueExp.pfnBeginGraphCaptureExp(queue.0));
    let captured = queue.wait_event(&[]);
    let mut graph = null_mut();
    ok!(QueueExp.pfnEndGraphCaptureExp(queue.0, &mut graph));
    ok!(GraphExp.pfnDestroyExp(graph));
    signal(&queue, &event, &[captured.0]);
    assert_eq!(
        ur!(Event.pfnWait(1, &event.0)),
        UR_RESULT_ERROR_IN_EVENT_LIST_EXEC_STATUS
    );
    assert_eq!(event.status(), UR_EVENT_STATUS_ERROR);
    signal(&queue, &event, &[]);
    event.wait();
}

#[test]
fn a_capturing_queue_records_it() {
    let context = Context::new();
    let (queue, other) = (context.queue(), context.queue());
    let event = create(&context, 0).unwrap();
    ok!(QueueExp.pfnBeginGraphCaptureExp(queue.0));
    signal(&queue, &event, &[]);
    // Waiting for it takes the other queue into the graph.
    drop(other.wait_event(&[event.0]));
    let mut capturing = false;
    ok!(QueueExp.pfnIsGraphCaptureEnabledExp(other.0, &mut capturing));
    assert!(capturing);
    let mut graph = null_mut();
    ok!(QueueExp.pfnEndGraphCaptureExp(queue.0, &mut graph));
    ok!(GraphExp.pfnDestroyExp(graph));
    signal(&queue, &event, &[]);
    event.wait();
    other.wait_event(&[event.0]).wait();
}

#[test]
fn callbacks_are_for_the_command_of_the_moment() {
    unsafe extern "C" fn tell(_: ur_event_handle_t, _: ur_execution_info_t, data: *mut c_void) {
        // SAFETY: the box made below, once for each call.
        let teller = unsafe { Box::from_raw(data.cast::<mpsc::Sender<u32>>()) };
        let _ = teller.send(1);
    }
    let context = Context::new();
    let queue = context.queue();
    let event = create(&context, 0).unwrap();
    let (teller, told) = mpsc::channel::<u32>();
    let set = || {
        let data = Box::into_raw(Box::new(teller.clone())).cast();
        let at = UR_EXECUTION_INFO_COMPLETE;
        ok!(Event.pfnSetCallback(event.0, at, Some(tell), data));
    };
    let patience = Duration::from_secs(60);
    set();
    told.recv_timeout(patience).unwrap();
    let (go, _blocked) = queue.block();
    signal(&queue, &event, &[]);
    set();
    assert!(told.try_recv().is_err());
    drop(go);
    told.recv_timeout(patience).unwrap();
}

#[test]
fn a_pending_event_can_be_released() {
    let context = Context::new();
    let queue = context.queue();
    let event = create(&context, 0).unwrap();
    let (go, _blocked) = queue.block();
    signal(&queue, &event, &[]);
    let after = queue.wait_event(&[event.0]);
    drop(event);
    drop(go);
    after.wait();
}

#[test]
fn many_threads_signal_and_wait() {
    let context = Context::new();
    let queues = [context.queue(), context.queue_with(OUT_OF_ORDER)];
    let event = create(&context, UR_EXP_EVENT_FLAG_ENABLE_PROFILING.0).unwrap();
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let (queue, event) = (queues[thread % 2].0 as usize, event.0 as usize);
            scope.spawn(move || {
                let queue = queue as ur_queue_handle_t;
                let event = event as ur_event_handle_t;
                for _ in 0..500 {
                    let mut handle = event;
                    ok!(Enqueue.pfnEventsWaitWithBarrierExt(queue, null(), 0, null(), &mut handle));
                    ok!(Event.pfnWait(1, &event));
                    ok!(Enqueue.pfnEventsWait(queue, 1, &event, null_mut()));
                }
                ok!(Queue.pfnFinish(queue));
            });
        }
    });
    assert_eq!(count(&event), 1);
}

#[test]
fn wrong_calls_are_refused() {
    let context = Context::new();
    let queue = context.queue();
    let desc = ur_exp_event_desc_t {
        stype: UR_STRUCTURE_TYPE_EXP_EVENT_DESC,
        pNext: null(),
        flags: 0,
    };
    let mut made = null_mut();
    let mut create_with = |context, device, desc, out: bool| {
        let out = if out { &raw mut made } else { null_mut() };
        ur!(EventExp.pfnCreateExp(context, device, desc, out))
    };
    assert_eq!(
        create_with(null_mut(), device(), &desc, true),
        UR_RESULT_ERROR_INVALID_NULL_HANDLE
    );
    assert_eq!(
        create_with(context.0, null_mut(), &desc, true),
        UR_RESULT_ERROR_INVALID_NULL_HANDLE
    );
    assert_eq!(
        create_with(context.0, device(), null(), true),
        UR_RESULT_ERROR_INVALID_NULL_POINTER
    );
    assert_eq!(
        create_with(context.0, device(), &desc, false),
        UR_RESULT_ERROR_INVALID_NULL_POINTER
    );
    assert_eq!(
        create(&context, 0x4).err(),
        Some(UR_RESULT_ERROR_INVALID_ENUMERATION)
    );
    // Events are not shared between processes, as the device says.
    assert_eq!(
        create(&context, UR_EXP_EVENT_FLAG_IPC_EXP.0).err(),
        Some(UR_RESULT_ERROR_UNSUPPORTED_FEATURE)
    );

    let stranger = create(&Context::new(), 0).unwrap();
    let mut handle = stranger.0;
    assert_eq!(
        ur!(Enqueue.pfnEventsWaitWithBarrierExt(queue.0, null(), 0, null(), &mut handle)),
        UR_RESULT_ERROR_INVALID_EVENT
    );
    assert_eq!(handle, stranger.0);
    let mut wrong = queue.0.cast::<ur_event_handle_t_>();
    assert_eq!(
        ur!(Enqueue.pfnEventsWaitWithBarrierExt(queue.0, null(), 0, null(), &mut wrong)),
        UR_RESULT_ERROR_INVALID_EVENT
    );
    let properties = ur_exp_enqueue_ext_properties_t {
        stype: UR_STRUCTURE_TYPE_EXP_ENQUEUE_EXT_PROPERTIES,
        pNext: null_mut(),
        flags: 1,
    };
    assert_eq!(
        ur!(Enqueue.pfnEventsWaitWithBarrierExt(queue.0, &properties, 0, null(), null_mut())),
        UR_RESULT_ERROR_INVALID_ENUMERATION
    );
}
