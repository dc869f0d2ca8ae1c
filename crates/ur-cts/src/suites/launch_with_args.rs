//! `urEnqueueKernelLaunchWithArgsExp`: ranges, arguments of every kind, and what a launch keeps.

mod arguments;
mod ranges;

use crate::failure::{Stop, check};
use crate::kernels;
use crate::objects::{Arg, Counted, Dam, Event, Kernel, Memory, Program, Range};
use crate::suites::enqueue::buffers::{SIZE, filled, holds, same_buffer};
use crate::suites::enqueue::bytes::bytes;
use crate::suites::enqueue::command::{Command, Scene, Subject, Wait};
use crate::suites::enqueue::common;
use crate::test::Suite;
use crate::world::Cx;
use crate::{Outcome, ensure, same};
use std::ptr::null_mut;
use ur_api::*;

const SUBJECT: Subject = Subject::new(
    "urEnqueueKernelLaunchWithArgsExp",
    UR_COMMAND_KERNEL_LAUNCH,
    |scene| {
        Ok(Box::new(Copying {
            kernel: Some(scene.kernel(kernels::BASIC, c"copy")?),
            from: Some(filled(scene, SIZE, 1)?),
            to: filled(scene, SIZE, 2)?,
        }))
    },
);

/// A launch of a kernel that copies a buffer.
struct Copying {
    kernel: Option<Kernel>,
    from: Option<Memory>,
    to: Memory,
}

impl Command for Copying {
    fn enqueue(
        &mut self,
        queue: ur_queue_handle_t,
        _: bool,
        wait: Wait,
        event: *mut ur_event_handle_t,
    ) -> ur_result_t {
        let (Some(kernel), Some(from)) = (&self.kernel, &self.from) else {
            return UR_RESULT_ERROR_INVALID_KERNEL;
        };
        let global = [SIZE / 4];
        let range = Range::from(&global[..]);
        let args = [Arg::from(from), Arg::from(&self.to)];
        kernel.enqueue_to(queue, range, &args, wait.count, wait.list, event)
    }

    fn happened(&mut self, scene: &Scene) -> Result<Option<bool>, Stop> {
        holds(scene, &self.to, &bytes(SIZE, 1)).map(Some)
    }

    fn forget(&mut self) -> Outcome {
        // The program went when the kernel was made: only the kernel has it.
        self.kernel.take().map_or(Ok(()), Kernel::release)?;
        self.from.take().map_or(Ok(()), Memory::release)
    }
}

pub(crate) fn tests(suite: &mut Suite<'_>) {
    common::tests(suite, SUBJECT);
    arguments::tests(&mut suite.part("arguments"));
    ranges::tests(suite);
    suite.device("one_kernel::many_threads", many_threads);
    suite.device("one_kernel::many_launches_pending", many_pending);
    suite.device("two_kernels_of_one_program", |cx| {
        let scene = Scene::new(cx, 0)?;
        cx.needs(UR_DEVICE_INFO_COMPILER_AVAILABLE)?;
        let program = Program::built(&scene.context, kernels::BASIC)?;
        let first = Kernel::new(&program, c"fill")?;
        let second = Kernel::new(&program, c"increment")?;
        let buffer = filled(&scene, SIZE, 1)?;
        let global = [SIZE / 4];
        let value = 41u32.to_ne_bytes();
        let args = [Arg::from(&buffer), Arg::Value(&value)];
        launched(
            &first,
            first.enqueue(
                &scene.queue,
                Range::from(&global[..]),
                &args,
                &[],
                null_mut(),
            ),
        )?;
        second.run(&scene.queue, Range::from(&global[..]), &args[..1])?;
        same_buffer(&scene, &buffer, &42u32.to_ne_bytes().repeat(SIZE / 4))
    });
    suite.device("launches_in_order_see_each_other", |cx| {
        let scene = Scene::new(cx, 0)?;
        let kernel = scene.kernel(kernels::BASIC, c"increment")?;
        let buffer = filled(&scene, SIZE, 1)?;
        let global = [SIZE / 4];
        for _ in 0..100 {
            let range = Range::from(&global[..]);
            let args = [Arg::from(&buffer)];
            launched(
                &kernel,
                kernel.enqueue(&scene.queue, range, &args, &[], null_mut()),
            )?;
        }
        scene.queue.finish()?;
        same_buffer(&scene, &buffer, &incremented(100))
    });
    suite.device("launches_out_of_order_by_events", |cx| {
        let scene = Scene::new(cx, UR_QUEUE_FLAG_OUT_OF_ORDER_EXEC_MODE_ENABLE)?;
        let kernel = scene.kernel(kernels::BASIC, c"increment")?;
        let buffer = filled(&scene, SIZE, 1)?;
        let global = [SIZE / 4];
        let mut last: Option<Event> = None;
        for _ in 0..50 {
            let wait: Vec<_> = last.iter().map(|event| event.get()).collect();
            let event = Event::made(kernel.launches_by(), |out| {
                let range = Range::from(&global[..]);
                kernel.enqueue(&scene.queue, range, &[Arg::from(&buffer)], &wait, out)
            })?;
            last = Some(event);
        }
        scene.queue.finish()?;
        same_buffer(&scene, &buffer, &incremented(50))
    });
    suite.device("kernel_retained_until_released", |cx| {
        let scene = Scene::new(cx, 0)?;
        let kernel = scene.kernel(kernels::BASIC, c"increment")?;
        let dam = Dam::new(cx, &scene.context)?;
        let buffer = filled(&scene, SIZE, 1)?;
        let global = [SIZE / 4];
        let wait = [dam.event()];
        launched(
            &kernel,
            kernel.enqueue(
                &scene.queue,
                Range::from(&global[..]),
                &[Arg::from(&buffer)],
                &wait,
                null_mut(),
            ),
        )?;
        dam.pass()?;
        scene.queue.finish()?;
        same!("count of the kernel", kernel.count()?, 1);
        same!("count of the buffer", buffer.count()?, 1);
        Ok(())
    });
}

/// 32-bit numbers in bytes.
pub(super) fn numbers(bytes: &[u8]) -> impl Iterator<Item = u32> + '_ {
    let words = bytes.chunks_exact(4);
    words.map(|word| u32::from_ne_bytes([word[0], word[1], word[2], word[3]]))
}

/// Bytes of a buffer whose numbers were made larger.
fn incremented(by: u32) -> Vec<u8> {
    let bytes = bytes(SIZE, 1);
    let more = numbers(&bytes).map(|number| number.wrapping_add(by));
    more.flat_map(u32::to_ne_bytes).collect()
}

/// Whether a launch succeeded.
#[track_caller]
pub(super) fn launched(kernel: &Kernel, code: ur_result_t) -> Outcome {
    check(kernel.launches_by(), UR_RESULT_SUCCESS, code)?;
    Ok(())
}

/// Threads that launch the same kernel with arguments of their own: none gets another's.
fn many_threads(cx: &Cx) -> Outcome {
    let scene = Scene::new(cx, UR_QUEUE_FLAG_OUT_OF_ORDER_EXEC_MODE_ENABLE)?;
    let kernel = scene.kernel(kernels::BASIC, c"fill")?;
    let (scene, kernel) = (&scene, &kernel);
    let one = |thread: u32| {
        let buffer = Memory::buffer(&scene.context, UR_MEM_FLAG_READ_WRITE, SIZE)?;
        for round in 0..20 {
            let value = (thread * 1000 + round).to_ne_bytes();
            let args = [Arg::from(&buffer), Arg::Value(&value)];
            let global = [SIZE / 4];
            let event = Event::made(kernel.launches_by(), |out| {
                kernel.enqueue(&scene.queue, Range::from(&global[..]), &args, &[], out)
            })?;
            event.wait()?;
            ensure!(
                holds(scene, &buffer, &value.repeat(SIZE / 4))?,
                "a launch had another's arguments"
            );
        }
        Ok(())
    };
    let results: Vec<Outcome> = std::thread::scope(|scope| {
        let running: Vec<_> = (0..4)
            .map(|thread| scope.spawn(move || one(thread)))
            .collect();
        let ended = running.into_iter().map(|thread| thread.join());
        ended
            .map(|result| result.unwrap_or_else(|_| Err(Stop::fail("a thread panicked"))))
            .collect()
    });
    scene.queue.finish()?;
    results.into_iter().collect()
}

/// Launches that are pending at the same time with other arguments each.
fn many_pending(cx: &Cx) -> Outcome {
    let scene = Scene::new(cx, 0)?;
    let kernel = scene.kernel(kernels::BASIC, c"fill")?;
    let mut buffers = Vec::new();
    for _ in 0..16 {
        buffers.push(filled(&scene, 64, 1)?);
    }
    let dam = Dam::of(cx, &scene.context, &scene.queue)?;
    for (number, buffer) in buffers.iter().enumerate() {
        let value = (number as u32 + 500).to_ne_bytes();
        let args = [Arg::from(buffer), Arg::Value(&value)];
        let global = [16];
        let range = Range::from(&global[..]);
        launched(
            &kernel,
            kernel.enqueue(&scene.queue, range, &args, &[], null_mut()),
        )?;
    }
    dam.pass()?;
    scene.queue.finish()?;
    for (number, buffer) in buffers.iter().enumerate() {
        let value = (number as u32 + 500).to_ne_bytes();
        same_buffer(&scene, buffer, &value.repeat(16))?;
    }
    Ok(())
}
