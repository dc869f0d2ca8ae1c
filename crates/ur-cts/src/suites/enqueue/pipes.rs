//! `urEnqueueReadHostPipe` and `urEnqueueWriteHostPipe`: no device of these tests has a program with a
//! pipe, so what is asserted is that a call about one is refused, and how.

use super::bytes::bytes;
use super::command::Scene;
use crate::failure::check;
use crate::objects::Program;
use crate::test::Suite;
use crate::{Outcome, ensure, kernels, ur};
use std::ptr::{null, null_mut};
use ur_api::*;

pub(crate) fn tests(suite: &mut Suite<'_>) {
    for (function, write) in [("read_host_pipe", false), ("write_host_pipe", true)] {
        for (how, blocking) in [("blocking", true), ("not_blocking", false)] {
            for events in [false, true] {
                let event = if events {
                    "with_event"
                } else {
                    "without_event"
                };
                suite.device(
                    format!("{function}::unknown_pipe::{how}::{event}"),
                    move |cx| {
                        let scene = Scene::new(cx, 0)?;
                        unknown(&scene, write, blocking, events)
                    },
                );
            }
        }
    }
}

fn unknown(scene: &Scene, write: bool, blocking: bool, events: bool) -> Outcome {
    scene.cx.needs(UR_DEVICE_INFO_COMPILER_AVAILABLE)?;
    let program = Program::built(&scene.context, kernels::BASIC)?;
    let mut host = bytes(16, 1);
    let (queue, program, data) = (scene.queue.get(), program.get(), host.as_mut_ptr().cast());
    let (name, mut event) = (c"no_such_pipe".as_ptr(), null_mut());
    let out = if events { &raw mut event } else { null_mut() };
    let (call, code) = if write {
        (
            "urEnqueueWriteHostPipe",
            ur!(urEnqueueWriteHostPipe(
                queue,
                program,
                name,
                blocking,
                data,
                16,
                0,
                null(),
                out
            )),
        )
    } else {
        (
            "urEnqueueReadHostPipe",
            ur!(urEnqueueReadHostPipe(
                queue,
                program,
                name,
                blocking,
                data,
                16,
                0,
                null(),
                out
            )),
        )
    };
    if scene.cx.has(UR_DEVICE_INFO_HOST_PIPE_READ_WRITE_SUPPORT)? {
        ensure!(
            code != UR_RESULT_SUCCESS,
            "a pipe was found that is not there"
        );
    } else {
        check(call, UR_RESULT_ERROR_UNSUPPORTED_FEATURE, code)?;
    }
    ensure!(event.is_null(), "a call that failed gave an event");
    ensure!(host == bytes(16, 1), "a call that failed wrote something");
    Ok(())
}
