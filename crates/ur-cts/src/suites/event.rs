//! Events.

mod callback;
mod commands;

use crate::failure::{Stop, check};
use crate::objects::{Counted, Dam, Event, Gate, Queue};
use crate::test::Suite;
use crate::world::Cx;
use crate::{Outcome, ensure, ok, refused, same, ur};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, Ordering};
use ur_api::*;

const TIMES: [ur_profiling_info_t; 5] = [
    UR_PROFILING_INFO_COMMAND_QUEUED,
    UR_PROFILING_INFO_COMMAND_SUBMIT,
    UR_PROFILING_INFO_COMMAND_START,
    UR_PROFILING_INFO_COMMAND_END,
    UR_PROFILING_INFO_COMMAND_COMPLETE,
];

fn wait_for(number: usize, cx: &Cx, flags: u32) -> Outcome {
    let (_context, queue) = cx.queue(flags)?;
    let events: Result<Vec<Event>, Stop> = (0..number).map(|_| Event::after(&queue, &[])).collect();
    let events = events?;
    let handles: Vec<_> = events.iter().map(Event::get).collect();
    ok!(urEventWait(number as u32, handles.as_ptr()))?;
    for event in &events {
        ensure!(event.ended()?, "an event has not ended after the wait");
    }
    Ok(())
}

/// How often a wait that ends too early is given a chance to do so.
const CHANCES: usize = 10_000;

/// A wait for several events, of which the one at `place` is held back, ends after that one.
fn wait_for_held(place: usize, cx: &Cx) -> Outcome {
    let (context, queue) = cx.queue(0)?;
    let dam = Dam::new(cx, &context)?;
    let others = [Event::after(&queue, &[])?, Event::after(&queue, &[])?];
    others.iter().try_for_each(Event::wait)?;
    let opened = AtomicBool::new(false);
    let wait = || {
        let mut handles: Vec<_> = others.iter().map(Event::get).collect();
        handles.insert(place, dam.event());
        let result = ok!(urEventWait(handles.len() as u32, handles.as_ptr()));
        let early = !opened.load(Ordering::Acquire);
        result?;
        ensure!(!early, "the wait ended before one of its events");
        Ok(())
    };
    std::thread::scope(|scope| {
        let waiter = scope.spawn(wait);
        for _ in 0..CHANCES {
            if waiter.is_finished() {
                break;
            }
            std::thread::yield_now();
        }
        opened.store(true, Ordering::Release);
        dam.open();
        waiter.join().map_err(|_| Stop::fail("a panic"))?
    })
}

pub(crate) fn tests(suite: &mut Suite<'_>) {
    for (place, name) in ["first", "second", "last"].into_iter().enumerate() {
        suite.device(format!("wait::for_all::{name}_held"), move |cx| {
            wait_for_held(place, cx)
        });
    }
    for (name, flags) in [
        ("in_order", 0),
        (
            "out_of_order",
            UR_QUEUE_FLAG_OUT_OF_ORDER_EXEC_MODE_ENABLE.0,
        ),
    ] {
        for number in [1, 2, 16, 256] {
            suite.device(format!("wait::{number}_events::{name}"), move |cx| {
                wait_for(number, cx, flags)
            });
        }
        suite.device(format!("wait::the_same_twice::{name}"), move |cx| {
            let (_context, queue) = cx.queue(flags)?;
            let event = Event::after(&queue, &[])?;
            let handles = [event.get(), event.get()];
            ok!(urEventWait(2, handles.as_ptr()))?;
            event.wait()
        });
        suite.device(format!("wait::blocked::{name}"), move |cx| {
            let (context, queue) = cx.queue(flags)?;
            let gate = Gate::new(cx, &context)?;
            let event = gate.block(&queue)?;
            ensure!(!event.ended()?, "it ended before its gate opened");
            std::thread::scope(|scope| {
                scope.spawn(|| gate.open());
                event.wait()
            })?;
            ensure!(event.ended()?, "it has not ended after the wait");
            queue.finish()
        });
        suite.device(format!("wait::by_eight_threads::{name}"), move |cx| {
            let (context, queue) = cx.queue(flags)?;
            let gate = Gate::new(cx, &context)?;
            let event = gate.block(&queue)?;
            let waits = std::thread::scope(|scope| {
                let all: Vec<_> = (0..8).map(|_| scope.spawn(|| event.wait())).collect();
                gate.open();
                let join = |t: std::thread::ScopedJoinHandle<'_, Outcome>| {
                    t.join().map_err(|_| Stop::fail("a panic"))?
                };
                all.into_iter().try_for_each(join)
            });
            waits?;
            ensure!(event.ended()?, "it has not ended after the waits");
            queue.finish()
        });
        suite.device(
            format!("status::blocked_then_complete::{name}"),
            move |cx| {
                let (context, queue) = cx.queue(flags)?;
                let gate = Gate::new(cx, &context)?;
                let event = gate.block(&queue)?;
                let status: ur_event_status_t =
                    event.info(UR_EVENT_INFO_COMMAND_EXECUTION_STATUS)?;
                let before = [
                    UR_EVENT_STATUS_QUEUED,
                    UR_EVENT_STATUS_SUBMITTED,
                    UR_EVENT_STATUS_RUNNING,
                ];
                ensure!(before.contains(&status), "{status} before the gate opened");
                gate.open();
                event.wait()?;
                let status: ur_event_status_t =
                    event.info(UR_EVENT_INFO_COMMAND_EXECUTION_STATUS)?;
                same!("the status", status, UR_EVENT_STATUS_COMPLETE);
                queue.finish()
            },
        );
        suite.device(format!("release::before_the_end::{name}"), move |cx| {
            let (context, queue) = cx.queue(flags)?;
            let gate = Gate::new(cx, &context)?;
            gate.block(&queue)?.release()?;
            let behind = Event::after(&queue, &[])?;
            gate.open();
            behind.wait()?;
            queue.finish()
        });
        for length in [1, 10, 100] {
            suite.device(format!("chain::{length}_events::{name}"), move |cx| {
                let (context, queue) = cx.queue(flags)?;
                let gate = Gate::new(cx, &context)?;
                let mut events = vec![gate.block(&queue)?];
                for _ in 0..length {
                    let before = events.last().map(Event::get);
                    events.push(Event::after(&queue, before.as_slice())?);
                }
                for event in &events {
                    ensure!(!event.ended()?, "an event ended before the gate opened");
                }
                gate.open();
                events.last().map_or(Ok(()), Event::wait)?;
                for event in &events {
                    ensure!(
                        event.ended()?,
                        "an event has not ended before one behind it"
                    );
                }
                queue.finish()
            });
        }
    }
    suite.device("wait::of_two_queues", |cx| {
        let (context, one) = cx.queue(0)?;
        let two = Queue::new(&context, cx.device(), 0)?;
        let events = [Event::after(&one, &[])?, Event::after(&two, &[])?];
        let handles = [events[0].get(), events[1].get()];
        ok!(urEventWait(2, handles.as_ptr()))?;
        Ok(())
    });
    suite.device("wait::none", |cx| {
        let (_context, queue) = cx.queue(0)?;
        let event = Event::after(&queue, &[])?;
        let handle = event.get();
        let code = ur!(urEventWait(0, &raw const handle));
        // The check of parameters refuses it; for an adapter there is nothing to wait for.
        let either = [UR_RESULT_SUCCESS, UR_RESULT_ERROR_INVALID_VALUE];
        check("urEventWait", either, code)?;
        Ok(())
    });
    suite.device("barrier::holds_what_comes_behind", |cx| {
        let (context, queue) = cx.queue(UR_QUEUE_FLAG_OUT_OF_ORDER_EXEC_MODE_ENABLE)?;
        let gate = Gate::new(cx, &context)?;
        let _blocked = gate.block(&queue)?;
        let barrier = Event::barrier(&queue, &[])?;
        let behind = Event::after(&queue, &[])?;
        ensure!(!barrier.ended()?, "the barrier did not wait");
        ensure!(!behind.ended()?, "a command passed the barrier");
        gate.open();
        behind.wait()?;
        ensure!(barrier.ended()?, "the barrier has not ended");
        queue.finish()
    });
    suite.device("barrier::of_some_events", |cx| {
        let (context, queue) = cx.queue(UR_QUEUE_FLAG_OUT_OF_ORDER_EXEC_MODE_ENABLE)?;
        let other = Queue::new(&context, cx.device(), 0)?;
        let gate = Gate::new(cx, &context)?;
        let blocked = gate.block(&other)?;
        let barrier = Event::barrier(&queue, &[blocked.get()])?;
        ensure!(!barrier.ended()?, "the barrier did not wait");
        gate.open();
        barrier.wait()?;
        ensure!(
            blocked.ended()?,
            "what the barrier waited for has not ended"
        );
        queue.finish()?;
        other.finish()
    });
    for times in [1, 2, 100] {
        suite.device(format!("retain::{times}_times"), move |cx| {
            let (_context, queue) = cx.queue(0)?;
            let event = Event::after(&queue, &[])?;
            same!("the count at first", event.count()?, 1);
            let mut more = Vec::new();
            for count in 2..times + 2 {
                more.push(event.retain()?);
                same!("the count", event.count()?, count);
            }
            while let Some(one) = more.pop() {
                one.release()?;
                same!("the count", event.count()? as usize, more.len() + 1);
            }
            event.wait()
        });
    }
    suite.device("count::is_the_programs_alone", |cx| {
        let (context, queue) = cx.queue(0)?;
        let gate = Gate::new(cx, &context)?;
        let event = gate.block(&queue)?;
        same!("the count while it runs", event.count()?, 1);
        let behind = Event::after(&queue, &[event.get()])?;
        same!("the count while another waits", event.count()?, 1);
        gate.open();
        behind.wait()?;
        same!("the count at the end", event.count()?, 1);
        queue.finish()
    });
    suite.device("outlives::its_queue", |cx| {
        let (_context, queue) = cx.queue(0)?;
        let event = Event::after(&queue, &[])?;
        queue.finish()?;
        queue.release()?;
        event.wait()?;
        ensure!(event.ended()?, "it has not ended");
        Ok(())
    });
    suite.device("outlives::its_queue_and_context", |cx| {
        let (context, queue) = cx.queue(0)?;
        let event = Event::after(&queue, &[])?;
        queue.release()?;
        context.release()?;
        event.wait()
    });
    suite.device("profiling::times_in_order", |cx| {
        let flag = UR_QUEUE_FLAG_PROFILING_ENABLE;
        cx.needs_bits(UR_DEVICE_INFO_QUEUE_PROPERTIES, flag)?;
        let (_context, queue) = cx.queue(flag)?;
        for _ in 0..10 {
            let event = Event::after(&queue, &[])?;
            event.wait()?;
            let times: Result<Vec<u64>, Stop> = TIMES.iter().map(|t| event.time(*t)).collect();
            let times = times?;
            ensure!(
                times.is_sorted(),
                "queued, submitted, started, …: {times:?}"
            );
        }
        Ok(())
    });
    for query in TIMES {
        let name = query.to_string().to_lowercase();
        let name = name.trim_start_matches("ur_profiling_info_").to_owned();
        suite.device(format!("profiling::not_available::{name}"), move |cx| {
            let (_context, queue) = cx.queue(0)?;
            let event = Event::after(&queue, &[])?;
            event.wait()?;
            let mut time = 0u64;
            refused!(
                UR_RESULT_ERROR_PROFILING_INFO_NOT_AVAILABLE,
                urEventGetProfilingInfo(event.get(), query, 8, (&raw mut time).cast(), null_mut())
            )?;
            Ok(())
        });
    }
    suite.device("profiling::not_before_the_end", |cx| {
        let flag = UR_QUEUE_FLAG_PROFILING_ENABLE;
        cx.needs_bits(UR_DEVICE_INFO_QUEUE_PROPERTIES, flag)?;
        let (context, queue) = cx.queue(flag)?;
        let gate = Gate::new(cx, &context)?;
        let event = gate.block(&queue)?;
        let mut time = 0u64;
        let query = UR_PROFILING_INFO_COMMAND_END;
        let (place, size) = ((&raw mut time).cast(), null_mut());
        let code = ur!(urEventGetProfilingInfo(event.get(), query, 8, place, size));
        gate.open();
        check(
            "urEventGetProfilingInfo",
            UR_RESULT_ERROR_PROFILING_INFO_NOT_AVAILABLE,
            code,
        )?;
        event.wait()?;
        ensure!(event.time(query)? > 0, "no time at the end");
        queue.finish()
    });
    suite.device("native_handle::there_and_back", |cx| {
        let (context, queue) = cx.queue(0)?;
        let event = Event::after(&queue, &[])?;
        let mut native = 0;
        ok!(urEventGetNativeHandle(event.get(), &raw mut native))?;
        let properties = ur_event_native_properties_t::default();
        let back = Event::made("urEventCreateWithNativeHandle", |out| {
            let properties = &raw const properties;
            ur!(urEventCreateWithNativeHandle(
                native,
                context.get(),
                properties,
                out
            ))
        })?;
        back.wait()
    });
    suite.validated().global("null_handles", |_| {
        let null_handle = UR_RESULT_ERROR_INVALID_NULL_HANDLE;
        refused!(null_handle, urEventRetain(null_mut()))?;
        refused!(null_handle, urEventRelease(null_mut()))?;
        Ok(())
    });
    commands::tests(&mut suite.part("command"));
    callback::tests(&mut suite.part("callback"));
}
