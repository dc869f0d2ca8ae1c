//! Command buffers.

mod append;
mod launch;
mod order;
mod stage;
mod update;

use crate::failure::Stop;
use crate::objects::{CommandBuffer, Counted, Event, Gate, Queue};
use crate::test::Suite;
use crate::world::Cx;
use crate::{Outcome, ensure, ok, refused, same, ur};
use stage::{Kind, Links, SIZE, Stage, enqueue, finalize, run};
use std::ptr::{null, null_mut};
use ur_api::*;

/// What an append may answer to a sync point that there is not.
const NO_SYNC_POINT: [ur_result_t; 2] = [
    UR_RESULT_ERROR_INVALID_COMMAND_BUFFER_SYNC_POINT_EXP,
    UR_RESULT_ERROR_INVALID_COMMAND_BUFFER_SYNC_POINT_WAIT_LIST_EXP,
];

/// What a test of every kind of command does.
type Body = fn(&Cx, Kind) -> Outcome;

/// Tests of every kind of command.
const CASES: [(&str, Body); 17] = [
    ("effect", effect),
    ("again_and_again", again),
    ("in_an_in_order_command_buffer", in_order),
    ("in_a_profiled_command_buffer", profiled),
    ("in_an_out_of_order_queue", out_of_order),
    ("behind_events_of_the_queue", behind_events),
    ("sync_point", sync_point),
    ("behind_a_sync_point", behind_sync_point),
    ("unknown_sync_point", unknown_sync_point),
    ("event", event),
    ("behind_an_event", behind_event),
    ("command", command),
    ("after_the_end", after_end),
    ("what_it_uses_goes_before", forgotten),
    ("command_buffer_released_while_it_runs", released),
    ("with_all_others", with_others),
    ("refused_command_changes_nothing", refused_changes_nothing),
];

pub(crate) fn tests(suite: &mut Suite<'_>) {
    for kind in Kind::ALL {
        let mut suite = suite.part(kind.name());
        for (name, body) in CASES {
            suite.device(name, move |cx| body(cx, kind));
        }
        if kind.is_launch() {
            suite.device("no_command_unless_updatable", move |cx| {
                let stage = Stage::new(cx, kind)?;
                let buffer = stage.buffer()?;
                let mut command = null_mut();
                let code = stage.append_raw(
                    &buffer,
                    kind,
                    Links {
                        command: &raw mut command,
                        ..Links::NONE
                    },
                );
                crate::failure::check(kind.call(), UR_RESULT_ERROR_INVALID_OPERATION, code)?;
                Ok(())
            });
        }
    }
    create(suite);
    objects(suite);
    append::tests(suite);
    launch::tests(&mut suite.part("append_kernel_launch"));
    order::tests(suite);
    update::tests(suite);
}

/// Tests of what a command buffer is made with and says.
fn create(suite: &mut Suite<'_>) {
    for bits in 0..8u8 {
        let desc = ur_exp_command_buffer_desc_t {
            isUpdatable: bits & 1,
            isInOrder: bits >> 1 & 1,
            enableProfiling: bits >> 2 & 1,
            ..Default::default()
        };
        let (updatable, in_order, profiled) =
            (desc.isUpdatable, desc.isInOrder, desc.enableProfiling);
        let name = format!("updatable_{updatable}_in_order_{in_order}_profiled_{profiled}");
        let make = move |cx: &Cx| {
            let stage = Stage::new(cx, Kind::UsmFill)?;
            if updatable != 0 {
                stage.updatable()?;
            }
            let buffer = stage.buffer_with(&ur_exp_command_buffer_desc_t {
                isUpdatable: updatable,
                isInOrder: in_order,
                enableProfiling: profiled,
                ..Default::default()
            })?;
            Ok::<_, Stop>((buffer, stage))
        };
        suite.device(format!("create::{name}"), move |cx| {
            let (buffer, mut stage) = make(cx)?;
            same!("the count", buffer.count()?, 1);
            stage.append(&buffer, Kind::UsmFill, Links::NONE)?;
            finalize(&buffer)?;
            run(&stage.queue, &buffer)?;
            stage.expect(Kind::UsmFill)
        });
        suite.device(format!("get_info::descriptor_of_{name}"), move |cx| {
            let (buffer, _stage) = make(cx)?;
            let mut told = ur_exp_command_buffer_desc_t::default();
            ok!(urCommandBufferGetInfoExp(
                buffer.get(),
                UR_EXP_COMMAND_BUFFER_INFO_DESCRIPTOR,
                size_of_val(&told),
                (&raw mut told).cast(),
                null_mut()
            ))?;
            same!("isUpdatable", told.isUpdatable, updatable);
            same!("isInOrder", told.isInOrder, in_order);
            same!("enableProfiling", told.enableProfiling, profiled);
            Ok(())
        });
    }
    suite.device("create::device_of_no_such_context", |cx| {
        let stage = Stage::new(cx, Kind::UsmFill)?;
        let others = cx.world().adapters.iter().flat_map(|a| &a.platforms);
        let mut others = others.filter(|p| p.handle == cx.platform());
        let other = others.find_map(|p| p.devices.iter().find(|d| **d != cx.device()));
        let Some(&other) = other else {
            return Err(Stop::Unsupported("the platform has one device".into()));
        };
        let mut handle = null_mut();
        let desc = ur_exp_command_buffer_desc_t::default();
        refused!(
            UR_RESULT_ERROR_INVALID_DEVICE,
            urCommandBufferCreateExp(stage.context.get(), other, &raw const desc, &raw mut handle)
        )?;
        Ok(())
    });
    for times in [1, 2, 100] {
        suite.device(format!("retain::{times}_times"), move |cx| {
            let mut stage = Stage::new(cx, Kind::UsmFill)?;
            let buffer = stage.buffer()?;
            let mut more = Vec::new();
            for count in 2..times + 2 {
                more.push(buffer.retain()?);
                same!("the count", buffer.count()?, count);
            }
            while let Some(one) = more.pop() {
                one.release()?;
                same!("the count", buffer.count()? as usize, more.len() + 1);
            }
            stage.append(&buffer, Kind::UsmFill, Links::NONE)?;
            finalize(&buffer)?;
            run(&stage.queue, &buffer)?;
            stage.expect(Kind::UsmFill)
        });
    }
}

/// Tests of the life of a command buffer.
fn objects(suite: &mut Suite<'_>) {
    suite.device("finalize::empty", |cx| {
        let stage = Stage::new(cx, Kind::UsmFill)?;
        let buffer = stage.buffer()?;
        finalize(&buffer)?;
        for _ in 0..3 {
            run(&stage.queue, &buffer)?;
        }
        stage.queue.finish()
    });
    suite.device("finalize::twice", |cx| {
        let stage = Stage::new(cx, Kind::UsmFill)?;
        let buffer = stage.buffer()?;
        finalize(&buffer)?;
        refused!(
            [
                UR_RESULT_ERROR_INVALID_OPERATION,
                UR_RESULT_ERROR_INVALID_COMMAND_BUFFER_EXP
            ],
            urCommandBufferFinalizeExp(buffer.get())
        )?;
        run(&stage.queue, &buffer)
    });
    suite.device("enqueue::not_finalized", |cx| {
        let stage = Stage::new(cx, Kind::UsmFill)?;
        let buffer = stage.buffer()?;
        stage.append(&buffer, Kind::UsmFill, Links::NONE)?;
        refused!(
            [
                UR_RESULT_ERROR_INVALID_OPERATION,
                UR_RESULT_ERROR_INVALID_COMMAND_BUFFER_EXP
            ],
            urEnqueueCommandBufferExp(stage.queue.get(), buffer.get(), 0, null(), null_mut())
        )?;
        Ok(())
    });
    suite.device("enqueue::queue_of_another_context", |cx| {
        let stage = Stage::new(cx, Kind::UsmFill)?;
        let (_other, queue) = cx.queue(0)?;
        let buffer = stage.buffer()?;
        stage.append(&buffer, Kind::UsmFill, Links::NONE)?;
        finalize(&buffer)?;
        refused!(
            [
                UR_RESULT_ERROR_INVALID_QUEUE,
                UR_RESULT_ERROR_INVALID_CONTEXT,
                UR_RESULT_ERROR_INVALID_COMMAND_BUFFER_EXP
            ],
            urEnqueueCommandBufferExp(queue.get(), buffer.get(), 0, null(), null_mut())
        )?;
        Ok(())
    });
    suite.device("native_handle::asked_twice", |cx| {
        let stage = Stage::new(cx, Kind::UsmFill)?;
        let buffer = stage.buffer()?;
        let ask = || {
            let mut native = 0;
            let code = ur!(urCommandBufferGetNativeHandleExp(
                buffer.get(),
                &raw mut native
            ));
            if code == UR_RESULT_ERROR_UNSUPPORTED_FEATURE {
                return Err(Stop::Unsupported("there is no native handle".into()));
            }
            crate::failure::check("urCommandBufferGetNativeHandleExp", UR_RESULT_SUCCESS, code)?;
            Ok(native)
        };
        let native = ask()?;
        same!("the handle when asked again", ask()?, native);
        same!("the count", buffer.count()?, 1);
        Ok(())
    });
    suite.device("append_native_command::runs_or_declines", native_command);
}

/// Appends through the driver's own interface.
fn native_command(cx: &Cx) -> Outcome {
    unsafe extern "C" fn called(data: *mut std::ffi::c_void) {
        // SAFETY: the test's own number, which outlives the recording.
        unsafe { *data.cast::<u32>() += 1 };
    }
    let stage = Stage::new(cx, Kind::UsmFill)?;
    let buffer = stage.buffer()?;
    let mut calls = 0u32;
    let mut point = u32::MAX;
    let code = ur!(urCommandBufferAppendNativeCommandExp(
        buffer.get(),
        Some(called),
        (&raw mut calls).cast(),
        null_mut(),
        0,
        null(),
        &raw mut point
    ));
    stage::recorded("urCommandBufferAppendNativeCommandExp", code)?;
    finalize(&buffer)?;
    run(&stage.queue, &buffer)?;
    same!("the calls", calls, 1);
    Ok(())
}

/// Nothing happens until the command buffer is enqueued, and then the command has its effect.
fn effect(cx: &Cx, kind: Kind) -> Outcome {
    let mut stage = Stage::new(cx, kind)?;
    let buffer = stage.buffer()?;
    stage.append(&buffer, kind, Links::NONE)?;
    stage.expect_nothing(kind)?;
    finalize(&buffer)?;
    stage.expect_nothing(kind)?;
    let done = enqueue(&stage.queue, &buffer, &[])?;
    done.wait()?;
    stage.expect(kind)?;
    ensure!(done.ended()?, "the event has not ended after the wait");
    let command: ur_command_t = done.info(UR_EVENT_INFO_COMMAND_TYPE)?;
    same!(
        "the command",
        command,
        UR_COMMAND_ENQUEUE_COMMAND_BUFFER_EXP
    );
    stage.queue.finish()
}

/// It can be enqueued many times, and has its effect each time.
fn again(cx: &Cx, kind: Kind) -> Outcome {
    let mut stage = Stage::new(cx, kind)?;
    let buffer = stage.buffer()?;
    stage.append(&buffer, kind, Links::NONE)?;
    finalize(&buffer)?;
    for _ in 0..5 {
        stage.reset()?;
        run(&stage.queue, &buffer)?;
        stage.expect(kind)?;
    }
    // And without waiting in between.
    stage.reset()?;
    for _ in 0..5 {
        enqueue(&stage.queue, &buffer, &[])?;
    }
    stage.queue.finish()?;
    stage.expect(kind)
}

/// In an in-order command buffer it comes behind the command before it.
fn in_order(cx: &Cx, kind: Kind) -> Outcome {
    let mut stage = Stage::new(cx, kind)?;
    let buffer = stage.in_order()?;
    stage.append_fill(&buffer, 0xee, Links::NONE)?;
    stage.append_fill(&buffer, 0, Links::NONE)?;
    stage.append(&buffer, kind, Links::NONE)?;
    finalize(&buffer)?;
    run(&stage.queue, &buffer)?;
    stage.expect(kind)
}

fn profiled(cx: &Cx, kind: Kind) -> Outcome {
    let flag = UR_QUEUE_FLAG_PROFILING_ENABLE;
    cx.needs_bits(UR_DEVICE_INFO_QUEUE_PROPERTIES, flag)?;
    let mut stage = Stage::with(cx, kind, flag)?;
    let buffer = stage.buffer_with(&ur_exp_command_buffer_desc_t {
        enableProfiling: 1,
        ..Default::default()
    })?;
    stage.append(&buffer, kind, Links::NONE)?;
    finalize(&buffer)?;
    let done = enqueue(&stage.queue, &buffer, &[])?;
    done.wait()?;
    stage.expect(kind)?;
    let queued = done.time(UR_PROFILING_INFO_COMMAND_QUEUED)?;
    let start = done.time(UR_PROFILING_INFO_COMMAND_START)?;
    let end = done.time(UR_PROFILING_INFO_COMMAND_END)?;
    ensure!(queued <= start && start <= end, "{queued} {start} {end}");
    Ok(())
}

fn out_of_order(cx: &Cx, kind: Kind) -> Outcome {
    let flag = UR_QUEUE_FLAG_OUT_OF_ORDER_EXEC_MODE_ENABLE;
    cx.needs_bits(UR_DEVICE_INFO_QUEUE_PROPERTIES, flag)?;
    let mut stage = Stage::with(cx, kind, flag)?;
    let buffer = stage.buffer()?;
    stage.append(&buffer, kind, Links::NONE)?;
    finalize(&buffer)?;
    run(&stage.queue, &buffer)?;
    stage.expect(kind)
}

/// Commands do not run before the events that the enqueue waits for.
fn behind_events(cx: &Cx, kind: Kind) -> Outcome {
    let mut stage = Stage::new(cx, kind)?;
    let buffer = stage.buffer()?;
    stage.append(&buffer, kind, Links::NONE)?;
    finalize(&buffer)?;
    let other = Queue::new(&stage.context, cx.device(), 0)?;
    let gate = Gate::new(cx, &stage.context)?;
    let blocked = gate.block(&other)?;
    let done = enqueue(&stage.queue, &buffer, &[blocked.get()])?;
    ensure!(!done.ended()?, "it ended before what it waits for");
    stage.expect_nothing_yet(kind)?;
    gate.open();
    done.wait()?;
    stage.expect(kind)?;
    other.finish()
}

/// Every command gets a sync point of its own.
fn sync_point(cx: &Cx, kind: Kind) -> Outcome {
    let mut stage = Stage::new(cx, kind)?;
    let buffer = stage.buffer()?;
    let mut points = [u32::MAX; 3];
    for at in 0..3 {
        let (before, rest) = points.split_at_mut(at);
        let links = Links {
            points: before,
            point: &raw mut rest[0],
            ..Links::NONE
        };
        stage.append(&buffer, kind, links)?;
    }
    let [a, b, c] = points;
    ensure!(a != b && b != c && a != c, "sync points {points:?}");
    finalize(&buffer)?;
    run(&stage.queue, &buffer)?;
    stage.expect(kind)
}

/// A command follows those whose sync points it waits for.
fn behind_sync_point(cx: &Cx, kind: Kind) -> Outcome {
    let mut stage = Stage::new(cx, kind)?;
    let buffer = stage.buffer()?;
    let mut point = 0;
    let mut points = Vec::new();
    for value in [0xee, 0x77, 0] {
        let links = Links {
            points: &points,
            point: &raw mut point,
            ..Links::NONE
        };
        stage.append_fill(&buffer, value, links)?;
        points = vec![point];
    }
    let links = Links {
        points: &points,
        ..Links::NONE
    };
    stage.append(&buffer, kind, links)?;
    finalize(&buffer)?;
    for _ in 0..3 {
        run(&stage.queue, &buffer)?;
        stage.expect(kind)?;
    }
    Ok(())
}

fn unknown_sync_point(cx: &Cx, kind: Kind) -> Outcome {
    let stage = Stage::new(cx, kind)?;
    let buffer = stage.buffer()?;
    stage.append(&buffer, kind, Links::NONE)?;
    let links = Links {
        points: &[12345],
        ..Links::NONE
    };
    let code = stage.append_raw(&buffer, kind, links);
    crate::failure::check(kind.call(), NO_SYNC_POINT, code)?;
    Ok(())
}

/// A recorded command completes its event when it runs.
fn event(cx: &Cx, kind: Kind) -> Outcome {
    cx.needs(UR_DEVICE_INFO_COMMAND_BUFFER_EVENT_SUPPORT_EXP)?;
    let mut stage = Stage::new(cx, kind)?;
    let buffer = stage.buffer()?;
    let mut handle = null_mut();
    let links = Links {
        event: &raw mut handle,
        ..Links::NONE
    };
    stage.append(&buffer, kind, links)?;
    ensure!(!handle.is_null(), "there is no event");
    let event = Event::adopt(handle);
    finalize(&buffer)?;
    ensure!(!event.ended()?, "it ended before its command was enqueued");
    enqueue(&stage.queue, &buffer, &[])?;
    event.wait()?;
    stage.expect(kind)?;
    let command: ur_command_t = event.info(UR_EVENT_INFO_COMMAND_TYPE)?;
    same!("the command", command, kind.command());
    stage.queue.finish()
}

/// A recorded command waits for events.
fn behind_event(cx: &Cx, kind: Kind) -> Outcome {
    cx.needs(UR_DEVICE_INFO_COMMAND_BUFFER_EVENT_SUPPORT_EXP)?;
    let mut stage = Stage::new(cx, kind)?;
    let other = Queue::new(&stage.context, cx.device(), 0)?;
    let gate = Gate::new(cx, &stage.context)?;
    let blocked = gate.block(&other)?;
    let buffer = stage.buffer()?;
    let handle = blocked.get();
    let links = Links {
        wait: &[handle],
        ..Links::NONE
    };
    stage.append(&buffer, kind, links)?;
    finalize(&buffer)?;
    let done = enqueue(&stage.queue, &buffer, &[])?;
    ensure!(!done.ended()?, "it ended before what it waits for");
    stage.expect_nothing_yet(kind)?;
    gate.open();
    done.wait()?;
    stage.expect(kind)?;
    other.finish()
}

/// An updatable command buffer gives handles of its commands.
fn command(cx: &Cx, kind: Kind) -> Outcome {
    let mut stage = Stage::new(cx, kind)?;
    let buffer = stage.updatable()?;
    let mut handles = [null_mut(); 2];
    for handle in &mut handles {
        let links = Links {
            command: &raw mut *handle,
            ..Links::NONE
        };
        stage.append(&buffer, kind, links)?;
        // Only launches can be changed: others may have no handle.
        ensure!(
            !handle.is_null() || !kind.is_launch(),
            "there is no command"
        );
    }
    if kind.is_launch() {
        ensure!(handles[0] != handles[1], "two commands have one handle");
    }
    finalize(&buffer)?;
    run(&stage.queue, &buffer)?;
    stage.expect(kind)
}

/// Nothing can be recorded after the end.
fn after_end(cx: &Cx, kind: Kind) -> Outcome {
    let mut stage = Stage::new(cx, kind)?;
    let buffer = stage.buffer()?;
    finalize(&buffer)?;
    let code = stage.append_raw(&buffer, kind, Links::NONE);
    ensure!(code != UR_RESULT_SUCCESS, "{} succeeded", kind.call());
    run(&stage.queue, &buffer)?;
    stage.expect_nothing(kind)
}

/// A command buffer keeps what its commands use.
fn forgotten(cx: &Cx, kind: Kind) -> Outcome {
    let mut stage = Stage::new(cx, kind)?;
    let buffer = stage.buffer()?;
    stage.append(&buffer, kind, Links::NONE)?;
    finalize(&buffer)?;
    stage.forget();
    for _ in 0..2 {
        stage.reset()?;
        run(&stage.queue, &buffer)?;
        stage.expect(kind)?;
    }
    Ok(())
}

/// A command buffer whose handle is released goes on.
fn released(cx: &Cx, kind: Kind) -> Outcome {
    let mut stage = Stage::new(cx, kind)?;
    let buffer = stage.buffer()?;
    stage.append(&buffer, kind, Links::NONE)?;
    finalize(&buffer)?;
    let other = Queue::new(&stage.context, cx.device(), 0)?;
    let gate = Gate::new(cx, &stage.context)?;
    let blocked = gate.block(&other)?;
    let done = enqueue(&stage.queue, &buffer, &[blocked.get()])?;
    buffer.release()?;
    gate.open();
    done.wait()?;
    stage.expect(kind)?;
    other.finish()
}

/// A command among many of all other kinds that are in nobody's way.
fn with_others(cx: &Cx, kind: Kind) -> Outcome {
    let mut stage = Stage::new(cx, kind)?;
    let buffer = stage.in_order()?;
    // Their own targets, which this command does not use.
    let mut spare =
        crate::objects::Usm::new(cx, &stage.context, crate::objects::UsmKind::Host, SIZE)?;
    for value in 1..=10u8 {
        let (at, pattern) = (spare.at, (&raw const value).cast());
        let code = stage::append!(
            urCommandBufferAppendUSMFillExp(buffer.get(), at, pattern, 1, SIZE),
            Links::NONE
        );
        stage::recorded("urCommandBufferAppendUSMFillExp", code)?;
        if value == 5 {
            stage.append(&buffer, kind, Links::NONE)?;
        }
    }
    finalize(&buffer)?;
    run(&stage.queue, &buffer)?;
    stage.expect(kind)?;
    ensure!(
        spare.bytes().iter().all(|b| *b == 10),
        "the last is missing"
    );
    Ok(())
}

/// What is refused leaves the command buffer as it is.
fn refused_changes_nothing(cx: &Cx, kind: Kind) -> Outcome {
    let mut stage = Stage::new(cx, kind)?;
    let buffer: CommandBuffer = stage.buffer()?;
    let links = Links {
        points: &[777],
        ..Links::NONE
    };
    let code = stage.append_raw(&buffer, kind, links);
    ensure!(code != UR_RESULT_SUCCESS, "{} succeeded", kind.call());
    finalize(&buffer)?;
    run(&stage.queue, &buffer)?;
    stage.expect_nothing(kind)
}
