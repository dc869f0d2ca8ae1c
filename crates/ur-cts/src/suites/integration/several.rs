//! Several queues, contexts, devices and adapters in one process.

use crate::failure::Stop;
use crate::objects::{
    Arg, Context, Counted, Device, Event, Kernel, Memory, Program, Queue, Range, Usm, UsmKind,
};
use crate::test::Suite;
use crate::world::Cx;
use crate::{Outcome, ensure, kernels, same};
use ur_api::*;

/// A context and a queue of a device.
struct Side {
    queue: Queue,
    context: Context,
    device: ur_device_handle_t,
}

impl Side {
    fn new(device: ur_device_handle_t) -> Result<Side, Stop> {
        let context = Context::new(&[device])?;
        let queue = Queue::new(&context, device, 0)?;
        Ok(Side {
            queue,
            context,
            device,
        })
    }
}

/// Every device of every adapter.
fn devices(cx: &Cx) -> Vec<ur_device_handle_t> {
    let platforms = cx.world().adapters.iter().flat_map(|a| &a.platforms);
    platforms.flat_map(|p| p.devices.iter().copied()).collect()
}

fn marked(size: usize, seed: u8) -> Vec<u8> {
    (0..size).map(|i| (i * 3) as u8 ^ seed).collect()
}

/// Brings bytes through a buffer of a side.
fn through(side: &Side, bytes: &[u8]) -> Result<Vec<u8>, Stop> {
    Memory::with(&side.context, bytes)?.read(&side.queue, bytes.len())
}

pub(super) fn tests(suite: &mut Suite<'_>) {
    for queues in [2usize, 4, 16] {
        for size in [64usize, 100_000] {
            suite.device(
                format!("queues::{queues}_pass_{size}_bytes_on"),
                move |cx| pass_on(cx, queues, size),
            );
        }
        suite.device(format!("queues::{queues}_share_a_source"), move |cx| {
            let context = cx.context()?;
            let source = Memory::with(&context, &marked(1000, 5))?;
            let mut events = Vec::new();
            for _ in 0..queues {
                let queue = Queue::new(&context, cx.device(), 0)?;
                let mut bytes = vec![0u8; 1000];
                let read = Event::made("urEnqueueMemBufferRead", |out| {
                    crate::ur!(urEnqueueMemBufferRead(
                        queue.get(),
                        source.get(),
                        false,
                        0,
                        1000,
                        bytes.as_mut_ptr().cast(),
                        0,
                        std::ptr::null(),
                        out
                    ))
                })?;
                events.push((read, bytes, queue));
            }
            for (read, bytes, _queue) in events {
                read.wait()?;
                ensure!(bytes == marked(1000, 5), "a copy differs");
            }
            Ok(())
        });
        suite.device(format!("contexts::{queues}_apart"), move |cx| {
            let sides: Result<Vec<Side>, Stop> =
                (0..queues).map(|_| Side::new(cx.device())).collect();
            let sides = sides?;
            for round in 0..3 {
                for (number, side) in sides.iter().enumerate() {
                    let bytes = marked(500, (number + round) as u8);
                    ensure!(through(side, &bytes)? == bytes, "the bytes differ");
                }
            }
            for side in &sides {
                side.queue.finish()?;
                let told: ur_context_handle_t = side.queue.info(UR_QUEUE_INFO_CONTEXT)?;
                same!("the context", told, side.context.get());
            }
            Ok(())
        });
        suite.device(
            format!("contexts::{queues}_pass_on_by_the_host"),
            move |cx| {
                let mut bytes = marked(5000, 1);
                for _ in 0..queues {
                    bytes = through(&Side::new(cx.device())?, &bytes)?;
                }
                ensure!(bytes == marked(5000, 1), "the bytes differ");
                Ok(())
            },
        );
    }
    suite.device("devices::all_of_the_platform_in_one_context", |cx| {
        let all = cx.devices();
        let context = Context::new(all)?;
        let told: Vec<ur_device_handle_t> = context.list(UR_CONTEXT_INFO_DEVICES)?;
        same!("the devices", told, all);
        let buffer = Memory::with(&context, &marked(1000, 2))?;
        for device in all {
            let queue = Queue::new(&context, *device, 0)?;
            let found = buffer.read(&queue, 1000)?;
            ensure!(found == marked(1000, 2), "the bytes differ");
        }
        Ok(())
    });
    suite.device("devices::written_by_one_read_by_all", |cx| {
        let all = cx.devices();
        let context = Context::new(all)?;
        let buffer = Memory::buffer(&context, UR_MEM_FLAG_READ_WRITE, 256)?;
        for (number, device) in all.iter().enumerate() {
            let queue = Queue::new(&context, *device, 0)?;
            let bytes = marked(256, number as u8 + 1);
            crate::ok!(urEnqueueMemBufferWrite(
                queue.get(),
                buffer.get(),
                true,
                0,
                256,
                bytes.as_ptr().cast(),
                0,
                std::ptr::null(),
                std::ptr::null_mut()
            ))?;
            for device in all {
                let queue = Queue::new(&context, *device, 0)?;
                ensure!(buffer.read(&queue, 256)? == bytes, "the bytes differ");
            }
        }
        Ok(())
    });
    suite.device("devices::parts_share_a_context", parts);
    suite.device("adapters::there_and_back_through_each", |cx| {
        let own = Side::new(cx.device())?;
        let bytes = marked(10_000, 3);
        for device in devices(cx) {
            let there = Side::new(device)?;
            let moved = through(&there, &through(&own, &bytes)?)?;
            ensure!(through(&own, &moved)? == bytes, "the bytes differ");
        }
        Ok(())
    });
    for rounds in [1usize, 20] {
        suite.device(
            format!("adapters::interleaved_{rounds}_rounds"),
            move |cx| {
                let sides: Result<Vec<Side>, Stop> =
                    devices(cx).into_iter().map(Side::new).collect();
                let sides = sides?;
                for round in 0..rounds {
                    // All that a round makes lives at the same time.
                    let mut buffers = Vec::new();
                    for (number, side) in sides.iter().enumerate() {
                        let bytes = marked(777, (number * 7 + round) as u8);
                        buffers.push((Memory::with(&side.context, &bytes)?, bytes));
                    }
                    for (side, (buffer, bytes)) in sides.iter().zip(&buffers).rev() {
                        let found = buffer.read(&side.queue, bytes.len())?;
                        ensure!(found == *bytes, "the bytes differ");
                    }
                }
                Ok(())
            },
        );
    }
    suite.device("adapters::handles_asked_in_mixed_order", mixed_queries);
    suite.device("adapters::released_in_mixed_order", mixed_releases);
    suite.device("adapters::events_stay_with_their_own", |cx| {
        let sides: Result<Vec<Side>, Stop> = devices(cx).into_iter().map(Side::new).collect();
        let sides = sides?;
        let mut events = Vec::new();
        for round in 0..5 {
            for side in &sides {
                events.push((Event::after(&side.queue, &[])?, side, round));
            }
        }
        for (event, side, _) in events.iter().rev() {
            event.wait()?;
            let told: ur_context_handle_t = event.info(UR_EVENT_INFO_CONTEXT)?;
            same!("the context", told, side.context.get());
            ensure!(event.ended()?, "it has not ended after the wait");
        }
        Ok(())
    });
    suite.device("adapters::kernels_of_one_among_copies_of_all", |cx| {
        let own = Side::new(cx.device())?;
        let program = Program::built(&own.context, kernels::BASIC)?;
        let kernel = Kernel::new(&program, c"increment")?;
        let others: Result<Vec<Side>, Stop> = devices(cx).into_iter().map(Side::new).collect();
        let others = others?;
        let mut area = Usm::new(cx, &own.context, UsmKind::Host, 256)?;
        area.bytes().fill(0);
        for round in 0..10u32 {
            let args = [Arg::Pointer(area.at)];
            kernel.run(&own.queue, Range::from(&[64][..]), &args)?;
            let mut bytes = area.bytes().to_vec();
            if round == 0 && bytes.iter().all(|b| *b == 0) {
                let reason = "kernels have no effect on this device";
                return Err(Stop::Unsupported(reason.into()));
            }
            for other in &others {
                bytes = through(other, &bytes)?;
            }
            same!("the counts", bytes, (round + 1).to_ne_bytes().repeat(64));
        }
        Ok(())
    });
    suite.device("adapters::threads_of_all_at_once", |cx| {
        let all = devices(cx);
        let sides: Result<Vec<Side>, Stop> = all.into_iter().map(Side::new).collect();
        let sides = sides?;
        std::thread::scope(|scope| {
            let threads: Vec<_> = sides
                .iter()
                .enumerate()
                .map(|(number, side)| {
                    scope.spawn(move || -> Outcome {
                        for round in 0..20 {
                            let bytes = marked(300, (number + round) as u8);
                            ensure!(through(side, &bytes)? == bytes, "the bytes differ");
                        }
                        Ok(())
                    })
                })
                .collect();
            threads.into_iter().try_for_each(|thread| {
                let join = thread.join();
                join.map_err(|_| Stop::fail("a thread panicked"))?
            })
        })
    });
}

// SAFETY: handles may be used on any thread.
unsafe impl Sync for Side {}
// SAFETY: as above.
unsafe impl Send for Side {}

/// Copies from one area to the next, each in a queue of its own.
fn pass_on(cx: &Cx, queues: usize, size: usize) -> Outcome {
    let context = cx.context()?;
    let bytes = marked(size, 9);
    let mut areas = Vec::new();
    for _ in 0..=queues {
        areas.push(Usm::new(cx, &context, UsmKind::Host, size)?);
    }
    areas[0].bytes().copy_from_slice(&bytes);
    let mut before: Option<(Event, Queue)> = None;
    let mut kept = Vec::new();
    for number in 0..queues {
        let queue = Queue::new(&context, cx.device(), 0)?;
        let wait: Vec<_> = before.iter().map(|(event, _)| event.get()).collect();
        let (from, to) = (areas[number].at, areas[number + 1].at);
        let event = queue.copy(to, from, size, &wait)?;
        kept.extend(before.replace((event, queue)));
    }
    if let Some((last, _)) = &before {
        last.wait()?;
    }
    for (event, _) in &kept {
        ensure!(event.ended()?, "an earlier one has not ended");
    }
    ensure!(areas[queues].bytes() == bytes, "the bytes differ");
    Ok(())
}

/// Parts of a device, and the device, with one buffer.
fn parts(cx: &Cx) -> Outcome {
    let units = cx.device_info::<u32>(UR_DEVICE_INFO_MAX_COMPUTE_UNITS)?;
    if units.unwrap_or(1) < 2 {
        return Err(Stop::Unsupported("the device has one compute unit".into()));
    }
    let how = ur_device_partition_property_t {
        r#type: UR_DEVICE_PARTITION_EQUALLY,
        value: ur_device_partition_value_t { equally: 1 },
    };
    let properties = ur_device_partition_properties_t {
        pProperties: &raw const how,
        PropCount: 1,
        ..Default::default()
    };
    let mut handles = [std::ptr::null_mut(); 2];
    let mut count = 0;
    let code = crate::ur!(urDevicePartition(
        cx.device(),
        &raw const properties,
        2,
        handles.as_mut_ptr(),
        &raw mut count
    ));
    if code != UR_RESULT_SUCCESS {
        return Err(Stop::Unsupported(format!("urDevicePartition: {code}")));
    }
    let [one, two] = handles.map(Device::adopt);
    let context = Context::new(&[one.get(), two.get()])?;
    let buffer = Memory::with(&context, &marked(600, 4))?;
    for device in [&one, &two] {
        let queue = Queue::new(&context, device.get(), 0)?;
        ensure!(
            buffer.read(&queue, 600)? == marked(600, 4),
            "the bytes differ"
        );
        let told: ur_device_handle_t = queue.info(UR_QUEUE_INFO_DEVICE)?;
        same!("the device", told, device.get());
    }
    Ok(())
}

fn mixed_queries(cx: &Cx) -> Outcome {
    let sides: Result<Vec<Side>, Stop> = devices(cx).into_iter().map(Side::new).collect();
    let sides = sides?;
    for round in 0..5 {
        for offset in 0..sides.len() {
            let side = &sides[(offset * 3 + round) % sides.len()];
            let told: ur_device_handle_t = side.queue.info(UR_QUEUE_INFO_DEVICE)?;
            same!("the device", told, side.device);
            let told: Vec<ur_device_handle_t> = side.context.list(UR_CONTEXT_INFO_DEVICES)?;
            same!("the devices", told, [side.device]);
            ensure!(side.context.count()? >= 1, "no owner");
        }
    }
    Ok(())
}

fn mixed_releases(cx: &Cx) -> Outcome {
    for turn in 0..3 {
        let sides: Result<Vec<Side>, Stop> = devices(cx).into_iter().map(Side::new).collect();
        let mut sides = sides?;
        let mut buffers = Vec::new();
        for side in &sides {
            buffers.push(Memory::with(&side.context, &[1; 64])?);
        }
        if turn == 1 {
            sides.reverse();
        }
        if turn == 2 {
            buffers.reverse();
        }
        // Contexts and queues go before buffers, and those of one adapter between another's.
        while let Some(side) = sides.pop() {
            let Side { queue, context, .. } = side;
            context.release()?;
            if let Some(buffer) = buffers.pop() {
                buffer.release()?;
            }
            queue.release()?;
        }
    }
    Ok(())
}
