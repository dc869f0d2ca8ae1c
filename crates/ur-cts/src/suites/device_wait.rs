//! Waiting for everything on a device.

use crate::objects::{Event, Gate, Queue, Usm, UsmKind};
use crate::test::Suite;
use crate::world::Cx;
use crate::{Outcome, ensure, ok};
use ur_api::*;

fn wait(cx: &Cx) -> Outcome {
    ok!(urDeviceWaitExp(cx.device()))?;
    Ok(())
}

pub(crate) fn tests(suite: &mut Suite<'_>) {
    suite.device("nothing_to_wait_for", |cx| {
        cx.needs(UR_DEVICE_INFO_DEVICE_WAIT_SUPPORT_EXP)?;
        for _ in 0..3 {
            wait(cx)?;
        }
        Ok(())
    });
    for number in [1usize, 2, 8] {
        suite.device(format!("commands_of_{number}_queues"), move |cx| {
            cx.needs(UR_DEVICE_INFO_DEVICE_WAIT_SUPPORT_EXP)?;
            let context = cx.context()?;
            let mut all = Vec::new();
            for value in 1..=number as u8 {
                let queue = Queue::new(&context, cx.device(), 0)?;
                let usm = Usm::new(cx, &context, UsmKind::Host, 100_000)?;
                let event = queue.fill(usm.at, usm.size, value, &[])?;
                all.push((event, usm, queue, value));
            }
            wait(cx)?;
            for (event, usm, _, value) in &mut all {
                ensure!(event.ended()?, "a command has not ended");
                ensure!(usm.bytes().iter().all(|b| b == value), "a part is missing");
            }
            Ok(())
        });
        suite.device(format!("commands_of_{number}_contexts"), move |cx| {
            cx.needs(UR_DEVICE_INFO_DEVICE_WAIT_SUPPORT_EXP)?;
            let mut all = Vec::new();
            for value in 1..=number as u8 {
                let (context, queue) = cx.queue(0)?;
                let usm = Usm::new(cx, &context, UsmKind::Host, 100_000)?;
                let event = queue.fill(usm.at, usm.size, value, &[])?;
                all.push((event, usm, queue, context));
            }
            wait(cx)?;
            for (event, ..) in &all {
                ensure!(event.ended()?, "a command has not ended");
            }
            Ok(())
        });
    }
    suite.device("blocked_command", |cx| {
        cx.needs(UR_DEVICE_INFO_DEVICE_WAIT_SUPPORT_EXP)?;
        let (context, queue) = cx.queue(0)?;
        let gate = Gate::new(cx, &context)?;
        let blocked = gate.block(&queue)?;
        let behind = Event::after(&queue, &[])?;
        std::thread::scope(|scope| {
            scope.spawn(|| gate.open());
            wait(cx)
        })?;
        ensure!(blocked.ended()? && behind.ended()?, "it did not wait");
        Ok(())
    });
    suite.device("queue_already_released", |cx| {
        cx.needs(UR_DEVICE_INFO_DEVICE_WAIT_SUPPORT_EXP)?;
        let (context, queue) = cx.queue(0)?;
        let mut usm = Usm::new(cx, &context, UsmKind::Host, 1 << 20)?;
        queue.fill(usm.at, usm.size, 6, &[])?;
        drop(queue);
        wait(cx)?;
        ensure!(usm.bytes().iter().all(|b| *b == 6), "it did not wait");
        Ok(())
    });
}
