//! Cases that are the same for every function that enqueues: its event, wait list, queue, and the
//! objects that a pending command keeps.

use super::command::{Command, Scene, Subject, settle};
use crate::failure::Stop;
use crate::objects::{Counted, Dam, Event, Queue};
use crate::test::Suite;
use crate::{Outcome, ensure, ok, same, ur};
use std::ptr::null;
use std::sync::atomic::{AtomicBool, Ordering};
use ur_api::*;

/// A case, in a scene whose queue has the flags.
type Case = fn(&Subject, &mut Scene, &mut dyn Command) -> Outcome;

const OUT_OF_ORDER: u32 = UR_QUEUE_FLAG_OUT_OF_ORDER_EXEC_MODE_ENABLE.0;
const PROFILED: u32 = UR_QUEUE_FLAG_PROFILING_ENABLE.0;

/// Cases of every function, with queues of both orders.
const ALL: &[(&str, Case)] = &[
    ("event::given", event_given),
    ("event::null", event_null),
    ("event::complete_after_finish", event_after_finish),
    ("event::outlives_queue", event_outlives_queue),
    ("event::released_at_once", event_released_at_once),
    ("event::awaited_by_another_queue", event_elsewhere),
    ("repeated::sixty_four", repeated),
    ("threads::four", threads),
];

/// Cases of functions with a wait list, with queues of both orders.
const WAITING: &[(&str, Case)] = &[
    ("wait_list::pending", |s, c, d| pending(s, c, d, &[true])),
    ("wait_list::ended", wait_list_ended),
    ("wait_list::last_of_three_pending", |s, c, d| {
        pending(s, c, d, &[false, false, true])
    }),
    ("wait_list::first_of_three_pending", |s, c, d| {
        pending(s, c, d, &[true, false, false])
    }),
    ("wait_list::all_of_four_pending", |s, c, d| {
        pending(s, c, d, &[true, true, true, true])
    }),
    ("wait_list::same_event_twice", wait_list_twice),
    ("wait_list::thirty_two", wait_list_long),
    ("wait_list::released_event", wait_list_released),
    ("wait_list::event_of_the_same_queue", wait_list_same_queue),
    ("wait_list::changed_after_the_call", wait_list_changed),
    ("chain::sixteen", chain),
    ("finish::waits", finish_waits),
    ("lifetime::queue_released", queue_released),
    ("lifetime::objects_released", objects_released),
];

/// Cases of functions that can block, with queues of both orders.
const BLOCKING: &[(&str, Case)] = &[
    ("blocking::with_event", blocking_with_event),
    ("blocking::without_event", blocking_without_event),
    ("blocking::with_an_ended_event", blocking_after_ended),
    ("blocking::waits_for_its_list", blocking_late),
];

/// Cases of a queue that keeps order, a command of which does not end.
const BLOCKED: &[(&str, Case)] = &[
    ("blocked_queue::waits", blocked_waits),
    ("blocked_queue::several", blocked_several),
    ("blocked_queue::other_queue_goes_on", blocked_other),
];

/// Registers the cases of a function.
pub(crate) fn tests(suite: &mut Suite<'_>, subject: Subject) {
    let orders = [("in_order", 0), ("out_of_order", OUT_OF_ORDER)];
    let mut add = |name: String, flags: u32, case: Case| {
        suite.device(name, move |cx| {
            let mut scene = Scene::new(cx, flags)?;
            let mut command = (subject.make)(&scene)?;
            let result = case(&subject, &mut scene, &mut *command);
            // However that went: nothing may be pending when the command's memory goes.
            let settled = settle(&scene);
            result.and(settled).and(command.end(&scene))
        });
    };
    let sets = [
        (true, ALL),
        (subject.waits, WAITING),
        (subject.blocks, BLOCKING),
    ];
    for (_, cases) in sets.iter().filter(|(has, _)| *has) {
        for (name, case) in *cases {
            for (order, flags) in orders {
                add(format!("{name}::{order}"), flags, *case);
            }
        }
    }
    for (name, case) in BLOCKED {
        add((*name).into(), 0, *case);
    }
    for (order, flags) in orders {
        add(
            format!("event::profiled::{order}"),
            flags | PROFILED,
            event_profiled,
        );
    }
}

/// Whether the effect is there, where it can be seen, as it should.
#[track_caller]
fn expect(command: &mut dyn Command, scene: &Scene, wanted: bool) -> Outcome {
    match command.happened(scene)? {
        Some(found) if found != wanted => Err(Stop::fail(if wanted {
            "the command has ended without its effect"
        } else {
            "the command had its effect too early"
        })),
        _ => Ok(()),
    }
}

/// Whether what an event says of its command is right.
#[track_caller]
fn described(event: &Event, subject: &Subject, scene: &Scene) -> Outcome {
    let queue: ur_queue_handle_t = event.info(UR_EVENT_INFO_COMMAND_QUEUE)?;
    same!("queue of the event", queue, scene.queue.get());
    let context: ur_context_handle_t = event.info(UR_EVENT_INFO_CONTEXT)?;
    same!("context of the event", context, scene.context.get());
    let command: ur_command_t = event.info(UR_EVENT_INFO_COMMAND_TYPE)?;
    same!("command of the event", command, subject.command);
    Ok(())
}

fn event_given(subject: &Subject, scene: &mut Scene, command: &mut dyn Command) -> Outcome {
    let event = subject.event(command, &scene.queue, false, &[])?;
    described(&event, subject, scene)?;
    event.wait()?;
    ensure!(event.ended()?, "the event is not complete after a wait");
    expect(command, scene, true)?;
    described(&event, subject, scene)?;
    Ok(())
}

fn event_null(subject: &Subject, scene: &mut Scene, command: &mut dyn Command) -> Outcome {
    subject.plain(command, &scene.queue, false, &[])?;
    scene.queue.finish()?;
    expect(command, scene, true)
}

fn event_after_finish(subject: &Subject, scene: &mut Scene, command: &mut dyn Command) -> Outcome {
    let event = subject.event(command, &scene.queue, false, &[])?;
    scene.queue.finish()?;
    ensure!(event.ended()?, "the event is not complete after a finish");
    expect(command, scene, true)
}

/// Replaces the queue of the scene by a new one; the old one is released.
fn release_queue(scene: &mut Scene) -> Outcome {
    let queue = Queue::new(&scene.context, scene.cx.device(), 0)?;
    std::mem::replace(&mut scene.queue, queue).release()
}

fn event_outlives_queue(
    subject: &Subject,
    scene: &mut Scene,
    command: &mut dyn Command,
) -> Outcome {
    let event = subject.event(command, &scene.queue, false, &[])?;
    release_queue(scene)?;
    event.wait()?;
    ensure!(event.ended()?, "the event is not complete after a wait");
    let kind: ur_command_t = event.info(UR_EVENT_INFO_COMMAND_TYPE)?;
    same!("command of the event", kind, subject.command);
    expect(command, scene, true)
}

fn event_released_at_once(
    subject: &Subject,
    scene: &mut Scene,
    command: &mut dyn Command,
) -> Outcome {
    let event = subject.event(command, &scene.queue, false, &[])?;
    let second = event.retain()?;
    event.release()?;
    second.release()?;
    scene.queue.finish()?;
    expect(command, scene, true)
}

fn event_elsewhere(subject: &Subject, scene: &mut Scene, command: &mut dyn Command) -> Outcome {
    let event = subject.event(command, &scene.queue, false, &[])?;
    ok!(urQueueFlush(scene.queue.get()))?;
    let wait = [event.get()];
    let end = Event::made("urEnqueueEventsWait", |out| {
        ur!(urEnqueueEventsWait(
            scene.other.get(),
            1,
            wait.as_ptr(),
            out
        ))
    })?;
    end.wait()?;
    ensure!(event.ended()?, "what waits for it ended before it");
    expect(command, scene, true)?;
    Ok(())
}

fn event_profiled(subject: &Subject, scene: &mut Scene, command: &mut dyn Command) -> Outcome {
    let event = subject.event(command, &scene.queue, false, &[])?;
    event.wait()?;
    let times = [
        event.time(UR_PROFILING_INFO_COMMAND_QUEUED)?,
        event.time(UR_PROFILING_INFO_COMMAND_SUBMIT)?,
        event.time(UR_PROFILING_INFO_COMMAND_START)?,
        event.time(UR_PROFILING_INFO_COMMAND_END)?,
    ];
    ensure!(
        times.is_sorted() && times[3] > 0,
        "queued, submitted, started, ended are {times:?}"
    );
    Ok(())
}

fn repeated(subject: &Subject, scene: &mut Scene, command: &mut dyn Command) -> Outcome {
    for _ in 0..64 {
        subject.plain(command, &scene.queue, false, &[])?;
    }
    scene.queue.finish()?;
    expect(command, scene, true)
}

fn threads(subject: &Subject, scene: &mut Scene, _: &mut dyn Command) -> Outcome {
    let scene = &*scene;
    let one = || {
        let mut command = (subject.make)(scene)?;
        for _ in 0..8 {
            let event = subject.event(&mut *command, &scene.queue, false, &[])?;
            event.wait()?;
            ensure!(event.ended()?, "the event is not complete after a wait");
            expect(&mut *command, scene, true)?;
        }
        command.end(scene)
    };
    let results: Vec<Outcome> = std::thread::scope(|scope| {
        let running: Vec<_> = (0..4).map(|_| scope.spawn(one)).collect();
        let ended = running.into_iter().map(|thread| thread.join());
        ended
            .map(|result| result.unwrap_or_else(|_| Err(Stop::fail("a thread panicked"))))
            .collect()
    });
    results.into_iter().collect()
}

/// An event that has ended.
fn ended(scene: &Scene) -> Result<Event, Stop> {
    let event = Event::made("urEnqueueEventsWait", |out| {
        ur!(urEnqueueEventsWait(scene.other.get(), 0, null(), out))
    })?;
    event.wait()?;
    Ok(event)
}

/// The command waits for events of which some do not end: it must not begin before all have.
fn pending(
    subject: &Subject,
    scene: &mut Scene,
    command: &mut dyn Command,
    which: &[bool],
) -> Outcome {
    let (mut dams, mut events, mut wait) = (Vec::new(), Vec::new(), Vec::new());
    for closed in which {
        if *closed {
            let dam = Dam::new(&scene.cx, &scene.context)?;
            wait.push(dam.event());
            dams.push(dam);
        } else {
            let event = ended(scene)?;
            wait.push(event.get());
            events.push(event);
        }
    }
    let event = subject.event(command, &scene.queue, false, &wait)?;
    while let Some(dam) = dams.pop() {
        expect(command, scene, false)?;
        ensure!(
            !event.ended()?,
            "complete before what it waits for has ended"
        );
        dam.pass()?;
    }
    event.wait()?;
    ensure!(event.ended()?, "the event is not complete after a wait");
    expect(command, scene, true)?;
    Ok(())
}

fn wait_list_ended(subject: &Subject, scene: &mut Scene, command: &mut dyn Command) -> Outcome {
    let first = ended(scene)?;
    let event = subject.event(command, &scene.queue, false, &[first.get()])?;
    event.wait()?;
    expect(command, scene, true)?;
    Ok(())
}

fn wait_list_twice(subject: &Subject, scene: &mut Scene, command: &mut dyn Command) -> Outcome {
    let dam = Dam::new(&scene.cx, &scene.context)?;
    let wait = [dam.event(); 2];
    let event = subject.event(command, &scene.queue, false, &wait)?;
    ensure!(
        !event.ended()?,
        "complete before what it waits for has ended"
    );
    dam.pass()?;
    event.wait()?;
    expect(command, scene, true)?;
    Ok(())
}

fn wait_list_long(subject: &Subject, scene: &mut Scene, command: &mut dyn Command) -> Outcome {
    let dam = Dam::new(&scene.cx, &scene.context)?;
    let mut events = Vec::new();
    for _ in 0..31 {
        events.push(ended(scene)?);
    }
    let mut wait: Vec<_> = events.iter().map(Event::get).collect();
    wait.push(dam.event());
    let event = subject.event(command, &scene.queue, false, &wait)?;
    expect(command, scene, false)?;
    ensure!(
        !event.ended()?,
        "complete before what it waits for has ended"
    );
    dam.pass()?;
    event.wait()?;
    expect(command, scene, true)?;
    Ok(())
}

fn wait_list_released(subject: &Subject, scene: &mut Scene, command: &mut dyn Command) -> Outcome {
    let dam = Dam::new(&scene.cx, &scene.context)?;
    // An event of the other queue that waits for the dam; only the command knows of it later.
    let wait = [dam.event()];
    let between = Event::made("urEnqueueEventsWait", |out| {
        ur!(urEnqueueEventsWait(
            scene.other.get(),
            1,
            wait.as_ptr(),
            out
        ))
    })?;
    let event = subject.event(command, &scene.queue, false, &[between.get()])?;
    between.release()?;
    ensure!(
        !event.ended()?,
        "complete before what it waits for has ended"
    );
    dam.pass()?;
    event.wait()?;
    expect(command, scene, true)?;
    Ok(())
}

fn wait_list_same_queue(
    subject: &Subject,
    scene: &mut Scene,
    command: &mut dyn Command,
) -> Outcome {
    let dam = Dam::of(&scene.cx, &scene.context, &scene.queue)?;
    let event = subject.event(command, &scene.queue, false, &[dam.event()])?;
    expect(command, scene, false)?;
    ensure!(
        !event.ended()?,
        "complete before what it waits for has ended"
    );
    dam.pass()?;
    event.wait()?;
    expect(command, scene, true)?;
    Ok(())
}

fn wait_list_changed(subject: &Subject, scene: &mut Scene, command: &mut dyn Command) -> Outcome {
    let dam = Dam::new(&scene.cx, &scene.context)?;
    let mut wait = [dam.event()];
    let event = subject.event(command, &scene.queue, false, &wait)?;
    // The list was read by the call; what it held is nobody's business any more.
    wait[0] = std::ptr::without_provenance_mut(0x10);
    std::hint::black_box(&mut wait);
    expect(command, scene, false)?;
    dam.pass()?;
    event.wait()?;
    expect(command, scene, true)?;
    Ok(())
}

fn chain(subject: &Subject, scene: &mut Scene, command: &mut dyn Command) -> Outcome {
    let dam = Dam::new(&scene.cx, &scene.context)?;
    let mut events: Vec<Event> = Vec::new();
    for at in 0..16 {
        let before = events.last().map_or(dam.event(), Event::get);
        let queue = if at % 2 == 0 {
            &scene.queue
        } else {
            &scene.other
        };
        events.push(subject.event(command, queue, false, &[before])?);
    }
    for event in &events {
        ensure!(
            !event.ended()?,
            "complete before what it waits for has ended"
        );
    }
    dam.pass()?;
    // The last one alone: all others must have ended before it.
    if let Some(last) = events.last() {
        last.wait()?;
    }
    for event in &events {
        ensure!(event.ended()?, "the last of a chain ended before another");
    }
    expect(command, scene, true)?;
    Ok(())
}

/// Calls `call` while a thread opens the dam, and says whether the dam was open when it returned.
pub(crate) fn opened_meanwhile<T>(dam: &Dam, call: impl FnOnce() -> T) -> (T, bool) {
    let (calling, opened) = (AtomicBool::new(false), AtomicBool::new(false));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !calling.load(Ordering::SeqCst) {
                std::thread::yield_now();
            }
            // A call that does not wait returns long before this has ended.
            for _ in 0..300 {
                std::thread::yield_now();
            }
            opened.store(true, Ordering::SeqCst);
            dam.open();
        });
        calling.store(true, Ordering::SeqCst);
        let result = call();
        (result, opened.load(Ordering::SeqCst))
    })
}

fn finish_waits(subject: &Subject, scene: &mut Scene, command: &mut dyn Command) -> Outcome {
    let dam = Dam::new(&scene.cx, &scene.context)?;
    subject.plain(command, &scene.queue, false, &[dam.event()])?;
    let (result, opened) = opened_meanwhile(&dam, || scene.queue.finish());
    result?;
    ensure!(opened, "the queue was finished while its command waited");
    expect(command, scene, true)?;
    Ok(())
}

fn queue_released(subject: &Subject, scene: &mut Scene, command: &mut dyn Command) -> Outcome {
    let dam = Dam::new(&scene.cx, &scene.context)?;
    let event = subject.event(command, &scene.queue, false, &[dam.event()])?;
    release_queue(scene)?;
    expect(command, scene, false)?;
    dam.pass()?;
    event.wait()?;
    expect(command, scene, true)?;
    Ok(())
}

fn objects_released(subject: &Subject, scene: &mut Scene, command: &mut dyn Command) -> Outcome {
    let dam = Dam::new(&scene.cx, &scene.context)?;
    let event = subject.event(command, &scene.queue, false, &[dam.event()])?;
    command.forget()?;
    dam.pass()?;
    event.wait()?;
    ensure!(event.ended()?, "the event is not complete after a wait");
    expect(command, scene, true)?;
    Ok(())
}

fn blocking_with_event(subject: &Subject, scene: &mut Scene, command: &mut dyn Command) -> Outcome {
    let event = subject.event(command, &scene.queue, true, &[])?;
    if !subject.completes {
        event.wait()?;
    }
    ensure!(
        event.ended()?,
        "the event is not complete after a blocking call"
    );
    described(&event, subject, scene)?;
    expect(command, scene, true)
}

fn blocking_without_event(
    subject: &Subject,
    scene: &mut Scene,
    command: &mut dyn Command,
) -> Outcome {
    subject.plain(command, &scene.queue, true, &[])?;
    if !subject.completes {
        scene.queue.finish()?;
    }
    expect(command, scene, true)
}

fn blocking_after_ended(
    subject: &Subject,
    scene: &mut Scene,
    command: &mut dyn Command,
) -> Outcome {
    let first = ended(scene)?;
    subject.plain(command, &scene.queue, true, &[first.get()])?;
    if !subject.completes {
        scene.queue.finish()?;
    }
    expect(command, scene, true)
}

fn blocking_late(subject: &Subject, scene: &mut Scene, command: &mut dyn Command) -> Outcome {
    let dam = Dam::new(&scene.cx, &scene.context)?;
    let wait = [dam.event()];
    let call = || subject.event(command, &scene.queue, true, &wait);
    let (event, opened) = opened_meanwhile(&dam, call);
    let event = event?;
    let ended = event.ended()?;
    // Whatever it was, nothing may be pending when the memory goes.
    event.wait()?;
    if subject.completes {
        ensure!(opened, "a blocking call returned before its command began");
        ensure!(ended, "the event is not complete after a blocking call");
    }
    expect(command, scene, true)?;
    Ok(())
}

fn blocked_waits(subject: &Subject, scene: &mut Scene, command: &mut dyn Command) -> Outcome {
    let dam = Dam::of(&scene.cx, &scene.context, &scene.queue)?;
    let event = subject.event(command, &scene.queue, false, &[])?;
    expect(command, scene, false)?;
    ensure!(
        !event.ended()?,
        "complete before the command that was enqueued first"
    );
    dam.pass()?;
    event.wait()?;
    expect(command, scene, true)?;
    Ok(())
}

fn blocked_several(subject: &Subject, scene: &mut Scene, command: &mut dyn Command) -> Outcome {
    let dam = Dam::of(&scene.cx, &scene.context, &scene.queue)?;
    let mut events = Vec::new();
    for _ in 0..4 {
        events.push(subject.event(command, &scene.queue, false, &[])?);
    }
    for event in &events {
        ensure!(
            !event.ended()?,
            "complete before the command that was enqueued first"
        );
    }
    dam.pass()?;
    events[3].wait()?;
    for event in &events {
        ensure!(
            event.ended()?,
            "a later command of the queue is complete before it"
        );
    }
    expect(command, scene, true)?;
    Ok(())
}

fn blocked_other(subject: &Subject, scene: &mut Scene, command: &mut dyn Command) -> Outcome {
    let dam = Dam::of(&scene.cx, &scene.context, &scene.queue)?;
    let event = subject.event(command, &scene.other, false, &[])?;
    event.wait()?;
    expect(command, scene, true)?;
    dam.pass()?;
    Ok(())
}
