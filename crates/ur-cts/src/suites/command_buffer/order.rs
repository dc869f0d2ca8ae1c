//! The order of recorded commands, and of command buffers among other commands.

use super::stage::{Kind, Links, SIZE, Stage, append, enqueue, finalize, recorded, run};
use crate::objects::{Event, Gate, Memory, Queue};
use crate::test::Suite;
use crate::world::Cx;
use crate::{Outcome, ensure, ok, same};
use std::ptr::null_mut;
use ur_api::*;

pub(super) fn tests(suite: &mut Suite<'_>) {
    for length in [2, 10, 100] {
        for in_order in [false, true] {
            let how = if in_order {
                "in_order"
            } else {
                "by_sync_points"
            };
            suite.device(format!("order::chain_of_{length}::{how}"), move |cx| {
                chain(cx, length, in_order)
            });
        }
        suite.device(format!("order::{length}_join_into_one"), move |cx| {
            join(cx, length)
        });
        suite.device(format!("order::one_fans_out_to_{length}"), move |cx| {
            fan_out(cx, length)
        });
    }
    suite.device("order::same_sync_point_twice", |cx| {
        let mut stage = Stage::new(cx, Kind::UsmMemcpy)?;
        let buffer = stage.buffer()?;
        let mut point = 0;
        let links = Links {
            point: &raw mut point,
            ..Links::NONE
        };
        stage.append_fill(&buffer, 9, links)?;
        let links = Links {
            points: &[point, point],
            ..Links::NONE
        };
        stage.append(&buffer, Kind::UsmMemcpy, links)?;
        finalize(&buffer)?;
        run(&stage.queue, &buffer)?;
        stage.expect(Kind::UsmMemcpy)
    });
    suite.device("order::between_commands_of_an_in_order_queue", |cx| {
        let mut stage = Stage::new(cx, Kind::UsmMemcpy)?;
        let buffer = stage.buffer()?;
        stage.append(&buffer, Kind::UsmMemcpy, Links::NONE)?;
        finalize(&buffer)?;
        let (at, queue) = (stage.usm_to.at, &stage.queue);
        let mut after = vec![0u8; SIZE];
        queue.fill(at, SIZE, 0xee, &[])?;
        enqueue(queue, &buffer, &[])?;
        queue.copy(after.as_mut_ptr().cast(), at, SIZE, &[])?;
        queue.fill(at, SIZE, 0x11, &[])?;
        queue.finish()?;
        same!("what came behind it saw", after, stage.host_from);
        ensure!(
            stage.usm_to.bytes().iter().all(|b| *b == 0x11),
            "the last command is not the last"
        );
        Ok(())
    });
    suite.device("order::without_event_and_finished", |cx| {
        let mut stage = Stage::new(cx, Kind::UsmMemcpy)?;
        let buffer = stage.buffer()?;
        stage.append(&buffer, Kind::UsmMemcpy, Links::NONE)?;
        finalize(&buffer)?;
        ok!(urEnqueueCommandBufferExp(
            stage.queue.get(),
            buffer.get(),
            0,
            std::ptr::null(),
            null_mut()
        ))?;
        stage.queue.finish()?;
        stage.expect(Kind::UsmMemcpy)
    });
    suite.device("order::its_event_holds_another_queue", |cx| {
        let mut stage = Stage::new(cx, Kind::UsmMemcpy)?;
        let other = Queue::new(&stage.context, cx.device(), 0)?;
        let gate = Gate::new(cx, &stage.context)?;
        let buffer = stage.buffer()?;
        stage.append(&buffer, Kind::UsmMemcpy, Links::NONE)?;
        finalize(&buffer)?;
        gate.block(&stage.queue)?;
        let done = enqueue(&stage.queue, &buffer, &[])?;
        let behind = Event::after(&other, &[done.get()])?;
        ensure!(!behind.ended()?, "it did not wait");
        gate.open();
        behind.wait()?;
        stage.expect(Kind::UsmMemcpy)?;
        stage.queue.finish()
    });
    suite.device("order::two_command_buffers", |cx| {
        let mut stage = Stage::new(cx, Kind::UsmMemcpy)?;
        let (first, second) = (stage.buffer()?, stage.buffer()?);
        stage.append_fill(&first, 0xee, Links::NONE)?;
        stage.append(&second, Kind::UsmMemcpy, Links::NONE)?;
        finalize(&first)?;
        finalize(&second)?;
        for _ in 0..10 {
            enqueue(&stage.queue, &first, &[])?;
            enqueue(&stage.queue, &second, &[])?;
        }
        stage.queue.finish()?;
        stage.expect(Kind::UsmMemcpy)
    });
    suite.device(
        "order::runs_follow_each_other_in_an_out_of_order_queue",
        |cx| {
            let flag = UR_QUEUE_FLAG_OUT_OF_ORDER_EXEC_MODE_ENABLE;
            cx.needs_bits(UR_DEVICE_INFO_QUEUE_PROPERTIES, flag)?;
            let mut stage = Stage::with(cx, Kind::UsmMemcpy, flag)?;
            let buffer = stage.in_order()?;
            stage.append_fill(&buffer, 0xee, Links::NONE)?;
            stage.append(&buffer, Kind::UsmMemcpy, Links::NONE)?;
            finalize(&buffer)?;
            let mut before: Vec<ur_event_handle_t> = Vec::new();
            let mut kept = Vec::new();
            for _ in 0..10 {
                let done = enqueue(&stage.queue, &buffer, &before)?;
                before = vec![done.get()];
                kept.push(done);
            }
            stage.queue.finish()?;
            for done in &kept {
                ensure!(done.ended()?, "a run has not ended behind finish");
            }
            stage.expect(Kind::UsmMemcpy)
        },
    );
    suite.device("order::sync_points_are_not_those_of_another", |cx| {
        let stage = Stage::new(cx, Kind::UsmFill)?;
        let (long, short) = (stage.buffer()?, stage.buffer()?);
        let mut point = 0;
        for value in 0..10 {
            let links = Links {
                point: &raw mut point,
                ..Links::NONE
            };
            stage.append_fill(&long, value, links)?;
        }
        let points = [point];
        let links = Links {
            points: &points,
            ..Links::NONE
        };
        let code = stage.append_raw(&short, Kind::UsmFill, links);
        crate::failure::check(Kind::UsmFill.call(), super::NO_SYNC_POINT, code)?;
        Ok(())
    });
}

/// Fills of one area, each behind the one before it, and a copy of what each left.
fn chain(cx: &Cx, length: usize, in_order: bool) -> Outcome {
    let mut stage = Stage::new(cx, Kind::UsmFill)?;
    let buffer = match in_order {
        true => stage.in_order()?,
        false => stage.buffer()?,
    };
    let mut seen =
        crate::objects::Usm::new(cx, &stage.context, crate::objects::UsmKind::Host, length)?;
    seen.bytes().fill(0xff);
    let mut points: Vec<u32> = Vec::new();
    let mut point = 0;
    for step in 0..length {
        let links = |points| Links {
            points,
            ..Links::NONE
        };
        let before = if in_order { Vec::new() } else { points.clone() };
        let mut own = links(&before);
        own.point = &raw mut point;
        stage.append_fill(&buffer, step as u8, own)?;
        let before = if in_order { Vec::new() } else { vec![point] };
        let mut own = links(&before);
        own.point = &raw mut point;
        let to = seen.at.wrapping_byte_add(step);
        let code = append!(
            urCommandBufferAppendUSMMemcpyExp(buffer.get(), to, stage.usm_to.at, 1),
            own
        );
        recorded("urCommandBufferAppendUSMMemcpyExp", code)?;
        points = vec![point];
    }
    finalize(&buffer)?;
    run(&stage.queue, &buffer)?;
    let wanted: Vec<u8> = (0..length).map(|step| step as u8).collect();
    same!("what each step left", seen.bytes(), wanted);
    let last = (length - 1) as u8;
    ensure!(stage.usm_to.bytes().iter().all(|b| *b == last), "the end");
    Ok(())
}

/// Many writes, and a copy of all behind all of them.
fn join(cx: &Cx, width: usize) -> Outcome {
    let stage = Stage::new(cx, Kind::UsmFill)?;
    let buffer = stage.buffer()?;
    let from = Memory::with(&stage.context, &vec![0; width])?;
    let to = Memory::with(&stage.context, &vec![0; width])?;
    let mut points = vec![0; width];
    for (step, point) in points.iter_mut().enumerate() {
        let value = step as u8 + 1;
        let links = Links {
            point: &raw mut *point,
            ..Links::NONE
        };
        let pattern = (&raw const value).cast();
        let code = append!(
            urCommandBufferAppendMemBufferFillExp(buffer.get(), from.get(), pattern, 1, step, 1),
            links
        );
        recorded("urCommandBufferAppendMemBufferFillExp", code)?;
    }
    let links = Links {
        points: &points,
        ..Links::NONE
    };
    let code = append!(
        urCommandBufferAppendMemBufferCopyExp(buffer.get(), from.get(), to.get(), 0, 0, width),
        links
    );
    recorded("urCommandBufferAppendMemBufferCopyExp", code)?;
    finalize(&buffer)?;
    run(&stage.queue, &buffer)?;
    let wanted: Vec<u8> = (1..=width).map(|step| step as u8).collect();
    same!("the copy", to.read(&stage.queue, width)?, wanted);
    Ok(())
}

/// A write, and many copies of it behind it.
fn fan_out(cx: &Cx, width: usize) -> Outcome {
    let stage = Stage::new(cx, Kind::UsmFill)?;
    let buffer = stage.buffer()?;
    let from = Memory::with(&stage.context, &[0; 4])?;
    let to = Memory::with(&stage.context, &vec![0; 4 * width])?;
    let value = [5u8, 6, 7, 8];
    let mut point = 0;
    let links = Links {
        point: &raw mut point,
        ..Links::NONE
    };
    let pattern = value.as_ptr().cast();
    let code = append!(
        urCommandBufferAppendMemBufferFillExp(buffer.get(), from.get(), pattern, 4, 0, 4),
        links
    );
    recorded("urCommandBufferAppendMemBufferFillExp", code)?;
    for step in 0..width {
        let links = Links {
            points: &[point],
            ..Links::NONE
        };
        let code = append!(
            urCommandBufferAppendMemBufferCopyExp(
                buffer.get(),
                from.get(),
                to.get(),
                0,
                4 * step,
                4
            ),
            links
        );
        recorded("urCommandBufferAppendMemBufferCopyExp", code)?;
    }
    finalize(&buffer)?;
    run(&stage.queue, &buffer)?;
    same!(
        "the copies",
        to.read(&stage.queue, 4 * width)?,
        value.repeat(width)
    );
    Ok(())
}
