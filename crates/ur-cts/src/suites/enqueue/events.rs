//! `urEnqueueEventsWait`, `urEnqueueEventsWaitWithBarrier` and `urEnqueueEventsWaitWithBarrierExt`.

use super::buffers::{SIZE, filled, holds};
use super::bytes::bytes;
use super::command::{Command, Scene, Subject, Wait};
use super::common;
use crate::failure::Stop;
use crate::objects::{Dam, Event, Memory};
use crate::test::Suite;
use crate::world::Cx;
use crate::{Outcome, ensure, ur};

use std::ptr::null;
use ur_api::*;

/// Which of the three functions; the last one with these flags, or without properties.
#[derive(Clone, Copy)]
enum Way {
    Wait,
    Barrier,
    Ext(Option<u32>),
}

impl Command for Way {
    fn enqueue(
        &mut self,
        queue: ur_queue_handle_t,
        _: bool,
        wait: Wait,
        event: *mut ur_event_handle_t,
    ) -> ur_result_t {
        let (count, list) = (wait.count, wait.list);
        match self {
            Way::Wait => ur!(urEnqueueEventsWait(queue, count, list, event)),
            Way::Barrier => ur!(urEnqueueEventsWaitWithBarrier(queue, count, list, event)),
            Way::Ext(flags) => {
                let properties = flags.map(|flags| ur_exp_enqueue_ext_properties_t {
                    flags,
                    ..Default::default()
                });
                let properties = properties.as_ref().map_or(null(), std::ptr::from_ref);
                ur!(urEnqueueEventsWaitWithBarrierExt(
                    queue, properties, count, list, event
                ))
            }
        }
    }

    fn happened(&mut self, _: &Scene) -> Result<Option<bool>, Stop> {
        Ok(None)
    }
}

const WAIT: Subject = Subject::new("urEnqueueEventsWait", UR_COMMAND_EVENTS_WAIT, |_| {
    Ok(Box::new(Way::Wait))
});
const BARRIER: Subject = Subject::new(
    "urEnqueueEventsWaitWithBarrier",
    UR_COMMAND_EVENTS_WAIT_WITH_BARRIER,
    |_| Ok(Box::new(Way::Barrier)),
);
const EXT: Subject = Subject::new(
    "urEnqueueEventsWaitWithBarrierExt",
    UR_COMMAND_EVENTS_WAIT_WITH_BARRIER,
    |_| Ok(Box::new(Way::Ext(None))),
);

const OUT_OF_ORDER: u32 = UR_QUEUE_FLAG_OUT_OF_ORDER_EXEC_MODE_ENABLE.0;

pub(crate) fn tests(suite: &mut Suite<'_>) {
    suite.device("events_wait::flush_does_not_wait_for_it", flush);
    let low_power = UR_EXP_ENQUEUE_EXT_FLAG_LOW_POWER_EVENTS_SUPPORT.0;
    for (name, subject, ways, barrier) in [
        ("events_wait", WAIT, &[("", Way::Wait)][..], false),
        (
            "events_wait_with_barrier",
            BARRIER,
            &[("", Way::Barrier)],
            true,
        ),
        (
            "events_wait_with_barrier_ext",
            EXT,
            &[
                ("without_properties::", Way::Ext(None)),
                ("without_flags::", Way::Ext(Some(0))),
                ("low_power::", Way::Ext(Some(low_power))),
            ],
            true,
        ),
    ] {
        let mut suite = suite.part(name);
        common::tests(&mut suite, subject);
        for (name, way) in ways {
            let way = *way;
            suite.device(format!("{name}without_list_waits_for_all"), move |cx| {
                without_list(cx, subject, way)
            });
            suite.device(format!("{name}list_waits_for_no_others"), move |cx| {
                list_alone(cx, subject, way)
            });
            suite.device(format!("{name}later_commands::list"), move |cx| {
                later(cx, subject, way, true, barrier)
            });
            suite.device(format!("{name}later_commands::no_list"), move |cx| {
                later(cx, subject, way, false, barrier)
            });
            suite.device(format!("{name}empty_queue"), move |cx| {
                let scene = Scene::new(cx, OUT_OF_ORDER)?;
                let event = subject.event(&mut { way }, &scene.queue, false, &[])?;
                event.wait()?;
                ensure!(event.ended()?, "the event is not complete after a wait");
                Ok(())
            });
        }
    }
}

/// A flush sends commands to the device and does not wait for them.
fn flush(cx: &Cx) -> Outcome {
    let scene = Scene::new(cx, 0)?;
    let dam = Dam::of(cx, &scene.context, &scene.queue)?;
    let flush = || crate::ok!(urQueueFlush(scene.queue.get()));
    let (result, opened) = common::opened_meanwhile(&dam, flush);
    result?;
    dam.pass()?;
    ensure!(!opened, "a flush waited for the end of a command");
    Ok(())
}

fn without_list(cx: &Cx, subject: Subject, mut way: Way) -> Outcome {
    let scene = Scene::new(cx, OUT_OF_ORDER)?;
    let dams = [
        Dam::of(cx, &scene.context, &scene.queue)?,
        Dam::of(cx, &scene.context, &scene.queue)?,
    ];
    let event = subject.event(&mut way, &scene.queue, false, &[])?;
    for dam in dams {
        ensure!(
            !event.ended()?,
            "complete before a command that was enqueued first"
        );
        dam.pass()?;
    }
    event.wait()
}

fn list_alone(cx: &Cx, subject: Subject, mut way: Way) -> Outcome {
    let scene = Scene::new(cx, OUT_OF_ORDER)?;
    let first = Event::made("urEnqueueEventsWait", |out| {
        ur!(urEnqueueEventsWait(scene.other.get(), 0, null(), out))
    })?;
    let dam = Dam::of(cx, &scene.context, &scene.queue)?;
    let event = subject.event(&mut way, &scene.queue, false, &[first.get()])?;
    // Hangs if the command waits for the dam, which is not in its list.
    event.wait()?;
    dam.pass()
}

/// A write to a buffer, from memory that lives as long.
struct Write {
    event: Event,
    buffer: Memory,
    _from: Vec<u8>,
}

fn write(scene: &Scene) -> Result<Write, Stop> {
    let buffer = filled(scene, SIZE, 1)?;
    let from = bytes(SIZE, 2);
    let event = Event::made("urEnqueueMemBufferWrite", |out| {
        let (queue, buffer, from) = (scene.queue.get(), buffer.get(), from.as_ptr().cast());
        ur!(urEnqueueMemBufferWrite(
            queue,
            buffer,
            false,
            0,
            SIZE,
            from,
            0,
            null(),
            out
        ))
    })?;
    Ok(Write {
        event,
        buffer,
        _from: from,
    })
}

/// A command behind: a barrier holds it back, a mere wait does not.
fn later(cx: &Cx, subject: Subject, mut way: Way, list: bool, barrier: bool) -> Outcome {
    let scene = Scene::new(cx, OUT_OF_ORDER)?;
    let dam = if list {
        Dam::new(cx, &scene.context)?
    } else {
        Dam::of(cx, &scene.context, &scene.queue)?
    };
    let wait = [dam.event()];
    let wait = if list { &wait[..] } else { &[] };
    let event = subject.event(&mut way, &scene.queue, false, wait)?;
    let later = write(&scene)?;
    let result = if barrier {
        let early = holds(&scene, &later.buffer, &bytes(SIZE, 2))? || later.event.ended()?;
        dam.pass()?;
        (!early)
            .then_some(())
            .ok_or_else(|| Stop::fail("a later command passed the barrier"))
    } else {
        // Hangs if the wait holds back what does not wait itself.
        let result = later.event.wait();
        dam.pass()?;
        result
    };
    later.event.wait()?;
    event.wait()?;
    result?;
    ensure!(
        holds(&scene, &later.buffer, &bytes(SIZE, 2))?,
        "the later command has ended without its effect"
    );
    Ok(())
}
