//! Several devices, platforms and adapters at once.

mod several;

use crate::failure::Stop;
use crate::objects::{Context, Event, Memory, Queue};
use crate::test::Suite;
use crate::world::Cx;
use crate::{Outcome, ensure, same, ur};
use std::ptr::null_mut;
use ur_api::*;

/// A device with objects of its own.
struct Place {
    cx: Cx,
    queue: Queue,
    context: Context,
}

/// Objects for every device of the test.
fn places(cx: &Cx) -> Result<Vec<Place>, Stop> {
    let mut all = Vec::new();
    for cx in cx.each_device() {
        let (context, queue) = cx.queue(0)?;
        all.push(Place { cx, queue, context });
    }
    if all.is_empty() {
        return Err(Stop::Unsupported("there is no device".into()));
    }
    Ok(all)
}

/// What one device holds does not come from another.
fn apart(cx: &Cx, rounds: usize) -> Outcome {
    let places = places(cx)?;
    let mut buffers = Vec::new();
    for (number, place) in places.iter().enumerate() {
        for round in 0..rounds {
            let value = (number * rounds + round) as u8;
            buffers.push((number, value, Memory::with(&place.context, &[value; 100])?));
        }
    }
    // From behind, so that devices take turns in another order than before.
    for (number, value, buffer) in buffers.iter().rev() {
        let held = buffer.read(&places[*number].queue, 100)?;
        ensure!(held == [*value; 100], "device {number} gave {:?}", held[0]);
        let own: ur_context_handle_t = buffer.info(UR_MEM_INFO_CONTEXT)?;
        same!("the context", own, places[*number].context.get());
    }
    Ok(())
}

pub(crate) fn tests(suite: &mut Suite<'_>) {
    several::tests(suite);
    for rounds in [1, 4, 32] {
        suite.global(format!("all_devices::{rounds}_buffers_each"), move |cx| {
            apart(cx, rounds)
        });
    }
    suite.global("all_devices::handles_know_whose_they_are", |cx| {
        for place in places(cx)? {
            let device: ur_device_handle_t = place.queue.info(UR_QUEUE_INFO_DEVICE)?;
            same!("the queue's device", device, place.cx.device());
            let platform: Option<ur_platform_handle_t> =
                place.cx.device_info(UR_DEVICE_INFO_PLATFORM)?;
            same!("the device's platform", platform, Some(place.cx.platform()));
            let adapter: ur_adapter_handle_t =
                crate::info::value("urPlatformGetInfo", |size, value, out| {
                    let query = UR_PLATFORM_INFO_ADAPTER;
                    ur!(urPlatformGetInfo(
                        place.cx.platform(),
                        query,
                        size,
                        value,
                        out
                    ))
                })?;
            same!("the platform's adapter", adapter, place.cx.adapter());
        }
        Ok(())
    });
    suite.global("all_devices::events_side_by_side", |cx| {
        let places = places(cx)?;
        for _ in 0..16 {
            let events: Result<Vec<Event>, Stop> = places
                .iter()
                .map(|place| Event::after(&place.queue, &[]))
                .collect();
            for (event, place) in events?.iter().zip(&places) {
                event.wait()?;
                let queue: ur_queue_handle_t = event.info(UR_EVENT_INFO_COMMAND_QUEUE)?;
                same!("the event's queue", queue, place.queue.get());
            }
        }
        Ok(())
    });
    suite.global("all_devices::by_a_thread_each", |cx| {
        let each = cx.each_device();
        std::thread::scope(|scope| {
            let threads: Vec<_> = each
                .iter()
                .map(|cx| {
                    scope.spawn(|| -> Outcome {
                        for round in 0..50u8 {
                            let (context, queue) = cx.queue(0)?;
                            let buffer = Memory::with(&context, &[round; 64])?;
                            same!("what it holds", buffer.read(&queue, 64)?, [round; 64]);
                        }
                        Ok(())
                    })
                })
                .collect();
            threads
                .into_iter()
                .try_for_each(|t| t.join().map_err(|_| Stop::fail("a panic"))?)
        })
    });
    suite.global("adapters::errors_are_their_own", |cx| {
        for adapter in &cx.world().adapters {
            let (mut text, mut code) = (std::ptr::null(), 0);
            crate::ok!(urAdapterGetLastError(
                adapter.handle,
                &raw mut text,
                &raw mut code
            ))?;
        }
        Ok(())
    });
    suite.global("adapters::an_array_across_two_is_refused", |cx| {
        let each = cx.each_device();
        let first = each.first().ok_or(Stop::Unsupported("no device".into()))?;
        let other = each.iter().find(|cx| cx.adapter() != first.adapter());
        let Some(other) = other else {
            return Err(Stop::Unsupported("there is one adapter".into()));
        };
        let devices = [first.device(), other.device()];
        let mut context = null_mut();
        let null = std::ptr::null();
        let code = ur!(urContextCreate(2, devices.as_ptr(), null, &raw mut context));
        ensure!(
            code != UR_RESULT_SUCCESS,
            "a context of two adapters was made"
        );
        Ok(())
    });
    suite.platform("devices::one_context_of_all", |cx| {
        let devices = cx.devices();
        if devices.is_empty() {
            return Err(Stop::Unsupported("the platform has no device".into()));
        }
        let context = Context::new(devices)?;
        let buffer = Memory::with(&context, &[4; 256])?;
        for device in devices {
            let queue = Queue::new(&context, *device, 0)?;
            same!("what the buffer holds", buffer.read(&queue, 256)?, [4; 256]);
        }
        Ok(())
    });
}
