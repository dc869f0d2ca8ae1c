//! `urEnqueueDeviceGlobalVariableWrite` and `urEnqueueDeviceGlobalVariableRead`.

use super::buffers::same_host;
use super::bytes::{Host, bytes};
use super::command::{Command, Scene, Subject, Wait};
use super::common;
use crate::failure::{Stop, check};
use crate::objects::{Arg, Kernel, Program, Range, Usm, UsmKind};
use crate::test::Suite;
use crate::world::Cx;
use crate::{Outcome, ensure, kernels, same, ur};
use std::ffi::CStr;
use std::ptr::null_mut;
use ur_api::*;

const READ: Subject = Subject::new(
    "urEnqueueDeviceGlobalVariableRead",
    UR_COMMAND_DEVICE_GLOBAL_VARIABLE_READ,
    |scene| {
        Ok(Box::new(Access {
            program: program(scene)?,
            way: Way::Read,
            host: Host::new(16),
        }))
    },
)
.blocking();

const WRITE: Subject = Subject::new(
    "urEnqueueDeviceGlobalVariableWrite",
    UR_COMMAND_DEVICE_GLOBAL_VARIABLE_WRITE,
    |scene| {
        Ok(Box::new(Access {
            program: program(scene)?,
            way: Way::Write,
            host: Host::of(&bytes(16, 2)),
        }))
    },
)
.writing();

#[derive(Clone, Copy, PartialEq)]
enum Way {
    Read,
    Write,
}

/// The program with variables.
#[track_caller]
pub(crate) fn program(scene: &Scene) -> Result<Program, Stop> {
    scene.cx.needs(UR_DEVICE_INFO_COMPILER_AVAILABLE)?;
    scene.cx.needs(UR_DEVICE_INFO_GLOBAL_VARIABLE_SUPPORT)?;
    Program::built(&scene.context, kernels::VARIABLES)
}

/// What `series` is in the beginning.
fn beginning() -> Vec<u8> {
    [1u32, 2, 3, 4]
        .iter()
        .flat_map(|n| n.to_ne_bytes())
        .collect()
}

/// A call about the variable `series`.
struct Access {
    // Before the host's memory, although nothing is pending when either goes.
    program: Program,
    way: Way,
    host: Host,
}

#[allow(
    clippy::too_many_arguments,
    reason = "as many as the API's function has"
)]
fn call(
    program: &Program,
    way: Way,
    name: &CStr,
    queue: ur_queue_handle_t,
    blocking: bool,
    host: *mut u8,
    [offset, size]: [usize; 2],
    wait: Wait,
    event: *mut ur_event_handle_t,
) -> ur_result_t {
    let (program, name, host) = (program.get(), name.as_ptr(), host.cast());
    let (count, list) = (wait.count, wait.list);
    match way {
        Way::Read => ur!(urEnqueueDeviceGlobalVariableRead(
            queue, program, name, blocking, size, offset, host, count, list, event
        )),
        Way::Write => ur!(urEnqueueDeviceGlobalVariableWrite(
            queue,
            program,
            name,
            blocking,
            size,
            offset,
            host.cast_const(),
            count,
            list,
            event
        )),
    }
}

/// Reads or writes a part of a variable and waits for that.
#[track_caller]
fn part(
    scene: &Scene,
    program: &Program,
    way: Way,
    name: &CStr,
    host: &mut Host,
    offset: usize,
    blocking: bool,
) -> Outcome {
    let size = host.bytes().len();
    let (queue, at) = (scene.queue.get(), host.at());
    let place = [offset, size];
    let code = call(
        program,
        way,
        name,
        queue,
        blocking,
        at,
        place,
        Wait::NONE,
        null_mut(),
    );
    let function = if way == Way::Read {
        READ.call
    } else {
        WRITE.call
    };
    check(function, UR_RESULT_SUCCESS, code)?;
    if !blocking || way == Way::Write {
        scene.queue.finish()?;
    }
    Ok(())
}

impl Command for Access {
    fn enqueue(
        &mut self,
        queue: ur_queue_handle_t,
        blocking: bool,
        wait: Wait,
        event: *mut ur_event_handle_t,
    ) -> ur_result_t {
        let at = self.host.at();
        call(
            &self.program,
            self.way,
            c"series",
            queue,
            blocking,
            at,
            [0, 16],
            wait,
            event,
        )
    }

    fn happened(&mut self, scene: &Scene) -> Result<Option<bool>, Stop> {
        if self.way == Way::Read {
            return Ok(Some(self.host.bytes() == beginning()));
        }
        let mut now = Host::new(16);
        let (queue, at) = (scene.other.get(), now.at());
        let code = call(
            &self.program,
            Way::Read,
            c"series",
            queue,
            true,
            at,
            [0, 16],
            Wait::NONE,
            null_mut(),
        );
        check(READ.call, UR_RESULT_SUCCESS, code)?;
        Ok(Some(now.bytes() == bytes(16, 2)))
    }
}

pub(crate) fn tests(suite: &mut Suite<'_>) {
    for (name, subject, way) in [
        ("device_global_variable_read", READ, Way::Read),
        ("device_global_variable_write", WRITE, Way::Write),
    ] {
        let mut suite = suite.part(name);
        common::tests(&mut suite, subject);
        for (how, blocking) in [("blocking", true), ("not_blocking", false)] {
            for (offset, size) in [(0, 16), (4, 8), (12, 4), (0, 1), (15, 1), (3, 7)] {
                suite.device(format!("{how}::{size}_at_{offset}"), move |cx| {
                    parts(cx, way, offset, size, blocking)
                });
            }
        }
        for (name, variable, offset, size) in [
            ("unknown_name", c"no_such_variable", 0, 4),
            ("beyond_the_end", c"series", 0, 17),
            ("offset_to_beyond_the_end", c"series", 12, 8),
            ("offset_beyond_the_end", c"series", 20, 4),
            ("end_overflows", c"series", usize::MAX - 3, 8),
        ] {
            suite.device(format!("errors::{name}"), move |cx| {
                let scene = Scene::new(cx, 0)?;
                let program = program(&scene)?;
                let mut host = Host::of(&bytes(32, 2));
                let (queue, at) = (scene.queue.get(), host.at());
                let place = [offset, size];
                let code = call(
                    &program,
                    way,
                    variable,
                    queue,
                    true,
                    at,
                    place,
                    Wait::NONE,
                    null_mut(),
                );
                // The API does not say which error.
                ensure!(
                    code != UR_RESULT_SUCCESS,
                    "bytes that are not the variable's were taken"
                );
                same_host(&host, &bytes(32, 2))
            });
        }
    }
    let mut suite = suite.part("device_global_variable_write");
    suite.device("kernels_see_it", |cx| {
        let scene = Scene::new(cx, 0)?;
        let program = program(&scene)?;
        let mut host = Host::of(&beginning());
        let mut number = Host::of(&1000u32.to_ne_bytes());
        part(
            &scene,
            &program,
            Way::Write,
            c"counter",
            &mut number,
            0,
            true,
        )?;
        host.at();
        let ran = run(&scene, &program)?;
        same!("what the kernel saw", ran, [1000, 1, 2, 3, 4]);
        part(
            &scene,
            &program,
            Way::Read,
            c"counter",
            &mut number,
            0,
            true,
        )?;
        same_host(&number, &1001u32.to_ne_bytes())
    });
    suite.device("programs_have_their_own", |cx| {
        let scene = Scene::new(cx, 0)?;
        let (first, second) = (program(&scene)?, program(&scene)?);
        let mut number = Host::of(&7u32.to_ne_bytes());
        part(&scene, &first, Way::Write, c"counter", &mut number, 0, true)?;
        let mut other = Host::new(4);
        part(&scene, &second, Way::Read, c"counter", &mut other, 0, true)?;
        same_host(&other, &40u32.to_ne_bytes())
    });
}

/// Runs the kernel that copies the variables, and gives them.
fn run(scene: &Scene, program: &Program) -> Result<Vec<u32>, Stop> {
    let kernel = Kernel::new(program, c"use_variables")?;
    let mut out = Usm::new(&scene.cx, &scene.context, UsmKind::Host, 20)?;
    let range = Range::from(&[1usize][..]);
    kernel.run(&scene.queue, range, &[Arg::Pointer(out.at)])?;
    let words = out.bytes().chunks_exact(4);
    Ok(words
        .map(|word| u32::from_ne_bytes([word[0], word[1], word[2], word[3]]))
        .collect())
}

fn parts(cx: &Cx, way: Way, offset: usize, size: usize, blocking: bool) -> Outcome {
    let scene = Scene::new(cx, 0)?;
    let program = program(&scene)?;
    let mut wanted = beginning();
    if way == Way::Write {
        let mut host = Host::of(&bytes(size, 2));
        part(
            &scene, &program, way, c"series", &mut host, offset, blocking,
        )?;
        wanted[offset..][..size].copy_from_slice(&bytes(size, 2));
        let mut all = Host::new(16);
        part(&scene, &program, Way::Read, c"series", &mut all, 0, true)?;
        return same_host(&all, &wanted);
    }
    let mut host = Host::new(size);
    part(
        &scene, &program, way, c"series", &mut host, offset, blocking,
    )?;
    same_host(&host, &wanted[offset..][..size])
}
