//! `urEnqueueTimestampRecordingExp`.

use super::command::{Command, Scene, Subject, Wait};
use super::common;
use crate::failure::Stop;
use crate::objects::Dam;
use crate::test::Suite;
use crate::world::Cx;
use crate::{Outcome, ensure, ok, ur};
use std::ptr::null_mut;
use ur_api::*;

const SUBJECT: Subject = Subject {
    eventless: false,
    ..Subject::new(
        "urEnqueueTimestampRecordingExp",
        UR_COMMAND_TIMESTAMP_RECORDING_EXP,
        |scene| {
            scene
                .cx
                .needs(UR_DEVICE_INFO_TIMESTAMP_RECORDING_SUPPORT_EXP)?;
            Ok(Box::new(Timestamp))
        },
    )
    .blocking()
};

struct Timestamp;

impl Command for Timestamp {
    fn enqueue(
        &mut self,
        queue: ur_queue_handle_t,
        blocking: bool,
        wait: Wait,
        event: *mut ur_event_handle_t,
    ) -> ur_result_t {
        let (count, list) = (wait.count, wait.list);
        ur!(urEnqueueTimestampRecordingExp(
            queue, blocking, count, list, event
        ))
    }

    fn happened(&mut self, _: &Scene) -> Result<Option<bool>, Stop> {
        Ok(None)
    }
}

/// The device's time.
fn now(cx: &Cx) -> Result<u64, Stop> {
    let mut time = 0;
    ok!(urDeviceGetGlobalTimestamps(
        cx.device(),
        &raw mut time,
        null_mut()
    ))?;
    Ok(time)
}

pub(crate) fn tests(suite: &mut Suite<'_>) {
    common::tests(suite, SUBJECT);
    for (how, blocking) in [("blocking", true), ("not_blocking", false)] {
        // The queue records no times of others.
        suite.device(format!("{how}::between_device_times"), move |cx| {
            let scene = Scene::new(cx, 0)?;
            let mut command = (SUBJECT.make)(&scene)?;
            let before = now(cx)?;
            let event = SUBJECT.event(&mut *command, &scene.queue, blocking, &[])?;
            event.wait()?;
            let after = now(cx)?;
            let start = event.time(UR_PROFILING_INFO_COMMAND_START)?;
            let end = event.time(UR_PROFILING_INFO_COMMAND_END)?;
            ensure!(
                before <= start && start <= end && end <= after,
                "recorded {start} to {end}, between {before} and {after}"
            );
            Ok(())
        });
        suite.device(format!("{how}::one_after_another"), move |cx| {
            let scene = Scene::new(cx, 0)?;
            let mut command = (SUBJECT.make)(&scene)?;
            let mut last = 0;
            for _ in 0..20 {
                let event = SUBJECT.event(&mut *command, &scene.queue, blocking, &[])?;
                event.wait()?;
                let time = event.time(UR_PROFILING_INFO_COMMAND_END)?;
                ensure!(time >= last, "{time} was recorded after {last}");
                last = time;
            }
            Ok(())
        });
    }
    suite.device("after_what_it_waits_for", recorded_late);
}

fn recorded_late(cx: &Cx) -> Outcome {
    let scene = Scene::new(cx, 0)?;
    let mut command = (SUBJECT.make)(&scene)?;
    let dam = Dam::new(cx, &scene.context)?;
    let event = SUBJECT.event(&mut *command, &scene.queue, false, &[dam.event()])?;
    let before = now(cx)?;
    dam.pass()?;
    event.wait()?;
    let end = event.time(UR_PROFILING_INFO_COMMAND_END)?;
    ensure!(
        before <= end,
        "recorded {end}, while {before} was not yet the time"
    );
    Ok(())
}
