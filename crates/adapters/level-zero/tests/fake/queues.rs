//! Queues: order, batches, what becomes of commands whose queue goes.

use crate::case;
use crate::driver::{Driver, EVENTS, LISTS, NEWEST};
use crate::support::*;
use ur_adapter_level_zero::ze;
use ur_api::*;

/// Drivers with lists in order, without, and of the first version.
const ALL: &[&str] = &[
    NEWEST,
    "1.15 -in-order",
    "1.0",
    "1.9 fifo",
    "1.15 one-stream",
];

case! { commands_of_a_queue_end_in_order, ALL, in_order }

fn in_order(driver: &Driver) {
    driver.hold(true);
    let context = Context::new().expect("a context");
    for flags in [0, BATCHED] {
        let queue = context.queue(flags).expect("a queue");
        let events: Vec<_> = (0..5)
            .map(|_| queue.marker(&[]).expect("a marker"))
            .collect();
        queue.flush().expect("a flush");
        let mut left = driver.unfinished();
        assert!(left >= events.len());
        while left > 0 {
            let complete: Vec<_> = events.iter().map(Event::is_complete).collect();
            assert!(
                complete.is_sorted_by(|one, next| one >= next),
                "{complete:?}"
            );
            driver.step(1);
            while driver.unfinished() == left {
                std::thread::yield_now();
            }
            left = driver.unfinished();
        }
        queue.finish().expect("an end");
        assert_eq!(queue.is_empty(), Ok(true));
    }
}

case! { batches_go_when_somebody_waits, &[NEWEST, "1.0"], batches }

fn batches(driver: &Driver) {
    let context = Context::new().expect("a context");
    let queue = context.queue(BATCHED).expect("a queue");
    let other = context.queue(0).expect("a queue");
    let executed = || driver.calls("zeCommandQueueExecuteCommandLists");
    let before = |what: &str, number: u64| assert_eq!(executed(), number, "{what}");

    let event = queue.marker(&[]).expect("a marker");
    before("nobody waits", 0);
    event.wait().expect("an end");
    before("the host waits", 1);
    let event = queue.marker(&[]).expect("a marker");
    let behind = other.marker(&[&event]).expect("a marker");
    before("another queue waits", 2);
    behind.wait().expect("an end");
    // The same queue waits: nothing has to go.
    let event = queue.marker(&[]).expect("a marker");
    let behind = queue.marker(&[&event]).expect("a marker");
    before("the same queue waits", 2);
    queue.finish().expect("an end");
    before("a finish", 3);
    assert!(event.is_complete() && behind.is_complete());
    queue.mark().expect("a marker");
    queue.flush().expect("a flush");
    before("a flush", 4);
    queue.flush().expect("a flush");
    before("a flush of nothing", 4);
    let event = queue.marker(&[]).expect("a marker");
    assert!(event.status().is_ok());
    before("a look at the status", 5);
    for _ in 0..1000 {
        queue.mark().expect("a marker");
    }
    assert!(executed() > 10, "a full list goes by itself");
    queue.finish().expect("an end");
    // Lists are used again.
    for _ in 0..200 {
        queue.mark().expect("a marker");
        queue.finish().expect("an end");
    }
    assert!(
        driver.alive_of(LISTS) < 40,
        "{} lists",
        driver.alive_of(LISTS)
    );
}

case! { commands_that_are_not_taken_never_run, &[NEWEST], not_taken }

fn not_taken(driver: &Driver) {
    let context = Context::new().expect("a context");
    let queue = context.queue(BATCHED).expect("a queue");
    let other = context.queue(0).expect("a queue");
    let event = queue.marker(&[]).expect("a marker");
    let lost = ze::ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY;
    driver.fail("zeCommandQueueExecuteCommandLists", lost, 0, 1);
    let out = Err(UR_RESULT_ERROR_OUT_OF_DEVICE_MEMORY);
    assert_eq!(queue.finish(), out);
    assert_eq!(event.status(), Ok(UR_EVENT_STATUS_ERROR));
    assert_eq!(event.wait(), out);
    let behind = other.marker(&[&event]).map(|_| ());
    assert_eq!(behind, Err(UR_RESULT_ERROR_IN_EVENT_LIST_EXEC_STATUS));
    // The queue goes on.
    let next = queue.marker(&[]).expect("a marker");
    next.wait().expect("an end");
}

case! {
    /// The last reference to a queue may go while its commands are held back; they run on, and what they
    /// need stays.
    a_queue_may_go_before_its_commands, ALL, released
}

fn released(driver: &Driver) {
    for flags in [0, FREE, BATCHED, BATCHED | FREE] {
        driver.hold(true);
        let context = Context::new().expect("a context");
        let queue = context.queue(flags).expect("a queue");
        for _ in 0..3 {
            queue.mark().expect("a marker");
        }
        drop(queue);
        assert!(driver.unfinished() >= 3, "flags {flags:#x}");
        drop(context);
        assert!(driver.alive() > 0);
        driver.hold(false);
        // Any later call sees that they have ended.
        let device = device();
        crate::ur!(DeviceExp.pfnWaitExp(device)).expect("an end");
        assert_eq!(driver.alive(), 0, "flags {flags:#x}");
        assert_eq!(driver.unfinished(), 0);
    }
}

case! { a_call_that_fails_leaves_nothing, &[NEWEST, "1.0"], failures }

fn failures(driver: &Driver) {
    for flags in [0, FREE, BATCHED] {
        // Every call of the driver's in turn.
        for skip in 0.. {
            let failed = driver.failed();
            driver.fail("*", ze::ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY, skip, 1);
            let run = || -> Result {
                let context = Context::new()?;
                let queue = context.queue(flags)?;
                let first = queue.marker(&[])?;
                let second = queue.barrier(&[&first])?;
                queue.mark()?;
                second.wait()?;
                queue.finish()
            };
            let result = run();
            // What was left to the queue's end is seen there.
            crate::ur!(DeviceExp.pfnWaitExp(device())).expect("an end");
            assert_eq!(driver.alive(), 0, "flags {flags:#x}, {skip}: {result:?}");
            assert_eq!(driver.faults(), "", "flags {flags:#x}, {skip}");
            if driver.failed() == failed {
                assert_eq!(result, Ok(()));
                assert!(skip > 5, "no call failed");
                break;
            }
        }
    }
}

case! { handles_are_used_again_without_mixing_them_up, &[NEWEST, "1.3"], recycling }

fn recycling(driver: &Driver) {
    driver.recycle(true);
    for round in 0..100 {
        let context = Context::new().expect("a context");
        let queues = [0, FREE, BATCHED].map(|flags| context.queue(flags).expect("a queue"));
        let mut last: Option<Event> = None;
        for number in 0..30 {
            let queue = &queues[number % queues.len()];
            let waits: Vec<_> = last.iter().collect();
            let event = queue.marker(&waits).expect("a marker");
            last = Some(event);
        }
        last.expect("an event").wait().expect("an end");
        for queue in &queues {
            queue.finish().expect("an end");
        }
        drop((queues, context));
        assert_eq!(driver.alive(), 0, "round {round}");
        assert_eq!(driver.faults(), "", "round {round}");
    }
}

case! { long_queues_do_not_grow_what_is_kept, &[NEWEST, "1.9 -in-order"], long }

fn long(driver: &Driver) {
    let context = Context::new().expect("a context");
    for flags in [0, FREE, BATCHED] {
        let queue = context.queue(flags).expect("a queue");
        for _ in 0..20 {
            let mut last = queue.marker(&[]).expect("a marker");
            for _ in 0..20 {
                last = queue.marker(&[&last]).expect("a marker");
            }
            last.wait().expect("an end");
        }
    }
    // A round's of each queue, and not all 1,260.
    let events = driver.alive_of(EVENTS);
    assert!(events < 200, "{events} events");
}
