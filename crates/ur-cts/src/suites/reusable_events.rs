//! Events made before their command and completed more than once.

use crate::failure::Stop;
use crate::objects::{Context, Counted, Event, Gate, Queue, Usm, UsmKind};
use crate::test::Suite;
use crate::world::Cx;
use crate::{Outcome, ensure, ok, refused, same, ur};
use std::ptr::{null, null_mut};
use ur_api::*;

struct Place {
    event: Event,
    queue: Queue,
    context: Context,
}

fn place(cx: &Cx, event_flags: u32) -> Result<Place, Stop> {
    cx.needs(UR_DEVICE_INFO_REUSABLE_EVENTS_SUPPORT_EXP)?;
    let (context, queue) = cx.queue(0)?;
    let event = create(cx, &context, event_flags)?;
    Ok(Place {
        event,
        queue,
        context,
    })
}

fn create(cx: &Cx, context: &Context, flags: u32) -> Result<Event, Stop> {
    let desc = ur_exp_event_desc_t {
        flags,
        ..Default::default()
    };
    Event::made("urEventCreateExp", |out| {
        ur!(urEventCreateExp(
            context.get(),
            cx.device(),
            &raw const desc,
            out
        ))
    })
}

/// Has a command behind a fill complete the event: its handle stands where the call would write that
/// of a new one.
fn signal(queue: &Queue, usm: &Usm, value: u8, event: &Event) -> Outcome {
    queue.fill(usm.at, usm.size, value, &[])?;
    let mut handle = event.get();
    ok!(urEnqueueEventsWaitWithBarrierExt(
        queue.get(),
        null(),
        0,
        null(),
        &raw mut handle
    ))?;
    same!("the event", handle, event.get());
    Ok(())
}

pub(crate) fn tests(suite: &mut Suite<'_>) {
    for (name, flags) in [
        ("no_flags", 0),
        ("profiling", UR_EXP_EVENT_FLAG_ENABLE_PROFILING.0),
    ] {
        suite.device(format!("create::{name}"), move |cx| {
            let place = place(cx, flags)?;
            same!("the count", place.event.count()?, 1);
            let own: ur_context_handle_t = place.event.info(UR_EVENT_INFO_CONTEXT)?;
            same!("the context", own, place.context.get());
            Ok(())
        });
    }
    suite.device("create::for_other_processes", |cx| {
        let place = place(cx, 0)?;
        let event = create(cx, &place.context, UR_EXP_EVENT_FLAG_IPC_EXP.0)?;
        same!("the count", event.count()?, 1);
        Ok(())
    });
    for times in [1, 2, 100] {
        suite.device(format!("retain::{times}_times"), move |cx| {
            let place = place(cx, 0)?;
            let mut more = Vec::new();
            for count in 2..times + 2 {
                more.push(place.event.retain()?);
                same!("the count", place.event.count()?, count);
            }
            while let Some(one) = more.pop() {
                one.release()?;
                same!("the count", place.event.count()? as usize, more.len() + 1);
            }
            Ok(())
        });
    }
    suite.device("create::unknown_flag", |cx| {
        let place = place(cx, 0)?;
        let desc = ur_exp_event_desc_t {
            flags: 1 << 30,
            ..Default::default()
        };
        let mut handle = null_mut();
        refused!(
            UR_RESULT_ERROR_INVALID_ENUMERATION,
            urEventCreateExp(
                place.context.get(),
                cx.device(),
                &raw const desc,
                &raw mut handle
            )
        )?;
        Ok(())
    });
    for rounds in [1u8, 2, 50] {
        suite.device(format!("signal::{rounds}_times"), move |cx| {
            let place = place(cx, 0)?;
            let mut usm = Usm::new(cx, &place.context, UsmKind::Host, 4096)?;
            for value in 1..=rounds {
                signal(&place.queue, &usm, value, &place.event)?;
                place.event.wait()?;
                ensure!(usm.bytes().iter().all(|b| *b == value), "it did not wait");
                ensure!(place.event.ended()?, "it has not ended after the wait");
            }
            same!("the count", place.event.count()?, 1);
            Ok(())
        });
    }
    suite.device("signal::by_a_blocked_command", |cx| {
        let place = place(cx, 0)?;
        let usm = Usm::new(cx, &place.context, UsmKind::Host, 64)?;
        signal(&place.queue, &usm, 1, &place.event)?;
        place.event.wait()?;
        let gate = Gate::new(cx, &place.context)?;
        gate.block(&place.queue)?;
        signal(&place.queue, &usm, 2, &place.event)?;
        ensure!(
            !place.event.ended()?,
            "it is still that of the first command"
        );
        gate.open();
        place.event.wait()?;
        place.queue.finish()
    });
    suite.device("signal::another_queue_waits_for_it", |cx| {
        let place = place(cx, 0)?;
        let other = Queue::new(&place.context, cx.device(), 0)?;
        let from = Usm::new(cx, &place.context, UsmKind::Host, 4096)?;
        let mut to = Usm::new(cx, &place.context, UsmKind::Host, 4096)?;
        for value in 1..=20u8 {
            signal(&place.queue, &from, value, &place.event)?;
            other
                .copy(to.at, from.at, 4096, &[place.event.get()])?
                .wait()?;
            ensure!(to.bytes().iter().all(|b| *b == value), "it did not wait");
        }
        place.queue.finish()
    });
    suite.device("signal::by_two_queues_in_turn", |cx| {
        let place = place(cx, 0)?;
        let other = Queue::new(&place.context, cx.device(), 0)?;
        let mut usm = Usm::new(cx, &place.context, UsmKind::Host, 4096)?;
        for value in 1..=20u8 {
            let queue = if value % 2 == 0 { &other } else { &place.queue };
            signal(queue, &usm, value, &place.event)?;
            place.event.wait()?;
            ensure!(usm.bytes().iter().all(|b| *b == value), "it did not wait");
        }
        Ok(())
    });
    suite.device("signal::released_before_its_command_ran", |cx| {
        let place = place(cx, 0)?;
        let mut usm = Usm::new(cx, &place.context, UsmKind::Host, 64)?;
        let gate = Gate::new(cx, &place.context)?;
        gate.block(&place.queue)?;
        let event = create(cx, &place.context, 0)?;
        signal(&place.queue, &usm, 4, &event)?;
        drop(event);
        gate.open();
        place.queue.finish()?;
        ensure!(usm.bytes().iter().all(|b| *b == 4), "it did not run");
        Ok(())
    });
}
