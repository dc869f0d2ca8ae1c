//! `urEnqueueMemBufferWrite`.

use super::buffers::{SIZE, filled, holds, part_of, part_origin, same_buffer};
use super::bytes::{Host, bytes, named};
use super::command::{Command, Scene, Subject, Wait};
use super::common;
use crate::failure::Stop;
use crate::objects::Memory;
use crate::test::Suite;
use crate::world::Cx;
use crate::{Outcome, ok, refused, ur};
use std::ptr::{null, null_mut};
use ur_api::*;

const SUBJECT: Subject = Subject::new(
    "urEnqueueMemBufferWrite",
    UR_COMMAND_MEM_BUFFER_WRITE,
    |scene| {
        Ok(Box::new(Write {
            buffer: filled(scene, SIZE, 1)?,
            host: Host::of(&bytes(SIZE, 2)),
        }))
    },
)
.writing();

struct Write {
    buffer: Memory,
    host: Host,
}

impl Command for Write {
    fn enqueue(
        &mut self,
        queue: ur_queue_handle_t,
        blocking: bool,
        wait: Wait,
        event: *mut ur_event_handle_t,
    ) -> ur_result_t {
        let (buffer, from) = (self.buffer.get(), self.host.at().cast_const().cast());
        let (count, list) = (wait.count, wait.list);
        ur!(urEnqueueMemBufferWrite(
            queue, buffer, blocking, 0, SIZE, from, count, list, event
        ))
    }

    fn happened(&mut self, scene: &Scene) -> Result<Option<bool>, Stop> {
        holds(scene, &self.buffer, &bytes(SIZE, 2)).map(Some)
    }
}

pub(crate) fn tests(suite: &mut Suite<'_>) {
    common::tests(suite, SUBJECT);
    for (how, blocking) in [("blocking", true), ("not_blocking", false)] {
        for size in [1, 3, 64, 4096, 65537, 1 << 20] {
            for offset in [0, 1, 4, 4096] {
                let name = format!("{how}::{}_to_{}", named(size), named(offset));
                suite.device(name, move |cx| part(cx, size, offset, blocking));
            }
        }
        suite.device(format!("{how}::to::sub_buffer"), move |cx| {
            to_part(cx, blocking)
        });
    }
    suite.device("blocking::source_changed_after_the_call", |cx| {
        let scene = Scene::new(cx, 0)?;
        let buffer = filled(&scene, SIZE, 1)?;
        let mut from = bytes(SIZE, 2);
        ok!(urEnqueueMemBufferWrite(
            scene.queue.get(),
            buffer.get(),
            true,
            0,
            SIZE,
            from.as_ptr().cast(),
            0,
            null(),
            null_mut()
        ))?;
        from.fill(0);
        std::hint::black_box(&mut from);
        scene.queue.finish()?;
        same_buffer(&scene, &buffer, &bytes(SIZE, 2))
    });
    for (name, offset, size) in [
        ("one_beyond_the_end", 0, SIZE + 1),
        ("offset_to_beyond_the_end", SIZE - 4, 8),
        ("offset_at_the_end", SIZE, 1),
        ("offset_beyond_the_end", SIZE + 64, 4),
        ("end_overflows", 8, usize::MAX - 4),
    ] {
        suite.device(format!("errors::{name}"), move |cx| {
            let scene = Scene::new(cx, 0)?;
            let buffer = filled(&scene, SIZE, 1)?;
            let mut host = Host::new(2 * SIZE);
            refused!(
                UR_RESULT_ERROR_INVALID_SIZE,
                urEnqueueMemBufferWrite(
                    scene.queue.get(),
                    buffer.get(),
                    true,
                    offset,
                    size,
                    host.at().cast_const().cast(),
                    0,
                    null(),
                    null_mut()
                )
            )?;
            // Nothing of it was done.
            same_buffer(&scene, &buffer, &bytes(SIZE, 1))
        });
    }
}

fn write(
    scene: &Scene,
    buffer: &Memory,
    offset: usize,
    host: &mut Host,
    blocking: bool,
) -> Outcome {
    let size = host.bytes().len();
    let result = ok!(urEnqueueMemBufferWrite(
        scene.queue.get(),
        buffer.get(),
        blocking,
        offset,
        size,
        host.at().cast_const().cast(),
        0,
        null(),
        null_mut()
    ));
    scene.queue.finish()?;
    Ok(result?)
}

fn part(cx: &Cx, size: usize, offset: usize, blocking: bool) -> Outcome {
    let scene = Scene::new(cx, 0)?;
    let all = offset + size + 7;
    let buffer = filled(&scene, all, 1)?;
    write(
        &scene,
        &buffer,
        offset,
        &mut Host::of(&bytes(size, 2)),
        blocking,
    )?;
    let mut wanted = bytes(all, 1);
    wanted[offset..][..size].copy_from_slice(&bytes(size, 2));
    same_buffer(&scene, &buffer, &wanted)
}

fn to_part(cx: &Cx, blocking: bool) -> Outcome {
    let scene = Scene::new(cx, 0)?;
    let origin = part_origin(cx)?;
    let all = origin + SIZE + 64;
    let buffer = filled(&scene, all, 1)?;
    let part = part_of(&buffer, origin, SIZE)?;
    write(
        &scene,
        &part,
        5,
        &mut Host::of(&bytes(SIZE - 5, 2)),
        blocking,
    )?;
    drop(part);
    let mut wanted = bytes(all, 1);
    wanted[origin + 5..][..SIZE - 5].copy_from_slice(&bytes(SIZE - 5, 2));
    same_buffer(&scene, &buffer, &wanted)
}
