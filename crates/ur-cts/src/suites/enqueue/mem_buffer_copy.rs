//! `urEnqueueMemBufferCopy`.

use super::buffers::{SIZE, filled, holds, part_of, part_origin, same_buffer};
use super::bytes::{bytes, named};
use super::command::{Command, Scene, Subject, Wait};
use super::common;
use crate::failure::Stop;
use crate::objects::{Counted, Memory};
use crate::test::Suite;
use crate::world::Cx;
use crate::{Outcome, ok, refused, ur};
use std::ptr::{null, null_mut};
use ur_api::*;

const SUBJECT: Subject = Subject::new(
    "urEnqueueMemBufferCopy",
    UR_COMMAND_MEM_BUFFER_COPY,
    |scene| {
        Ok(Box::new(Copy {
            from: Some(filled(scene, SIZE, 1)?),
            to: filled(scene, SIZE, 2)?,
        }))
    },
);

struct Copy {
    from: Option<Memory>,
    to: Memory,
}

impl Command for Copy {
    fn enqueue(
        &mut self,
        queue: ur_queue_handle_t,
        _: bool,
        wait: Wait,
        event: *mut ur_event_handle_t,
    ) -> ur_result_t {
        let from = self.from.as_ref().map_or(null_mut(), Memory::get);
        let (count, list) = (wait.count, wait.list);
        let to = self.to.get();
        ur!(urEnqueueMemBufferCopy(
            queue, from, to, 0, 0, SIZE, count, list, event
        ))
    }

    fn happened(&mut self, scene: &Scene) -> Result<Option<bool>, Stop> {
        holds(scene, &self.to, &bytes(SIZE, 1)).map(Some)
    }

    fn forget(&mut self) -> Outcome {
        self.from.take().map_or(Ok(()), Memory::release)
    }
}

fn copy(
    scene: &Scene,
    (from, source): (&Memory, usize),
    (to, target): (&Memory, usize),
    size: usize,
) -> Outcome {
    ok!(urEnqueueMemBufferCopy(
        scene.queue.get(),
        from.get(),
        to.get(),
        source,
        target,
        size,
        0,
        null(),
        null_mut()
    ))?;
    scene.queue.finish()
}

pub(crate) fn tests(suite: &mut Suite<'_>) {
    common::tests(suite, SUBJECT);
    for size in [1, 3, 64, 4096, 65537, 1 << 20] {
        for source in [0, 5, 4096] {
            for target in [0, 3, 4096] {
                let name = format!("{}::{}_to_{}", named(size), named(source), named(target));
                suite.device(name, move |cx| part(cx, size, source, target));
            }
        }
    }
    suite.device("same_buffer::forwards", |cx| inside(cx, 0, 160, 96));
    suite.device("same_buffer::backwards", |cx| inside(cx, 160, 0, 96));
    suite.device("same_buffer::neighbours", |cx| inside(cx, 0, 128, 128));
    suite.device("sub_buffer::from", |cx| {
        let scene = Scene::new(cx, 0)?;
        let origin = part_origin(cx)?;
        let (from, to) = (filled(&scene, origin + SIZE, 1)?, filled(&scene, SIZE, 2)?);
        let part = part_of(&from, origin, SIZE)?;
        copy(&scene, (&part, 0), (&to, 0), SIZE)?;
        same_buffer(&scene, &to, &bytes(origin + SIZE, 1)[origin..])
    });
    suite.device("sub_buffer::to", |cx| {
        let scene = Scene::new(cx, 0)?;
        let origin = part_origin(cx)?;
        let (from, to) = (filled(&scene, SIZE, 1)?, filled(&scene, origin + SIZE, 2)?);
        let part = part_of(&to, origin, SIZE)?;
        copy(&scene, (&from, 0), (&part, 0), SIZE)?;
        drop(part);
        let mut wanted = bytes(origin + SIZE, 2);
        wanted[origin..].copy_from_slice(&bytes(SIZE, 1));
        same_buffer(&scene, &to, &wanted)
    });
    for (name, source, target, size) in [
        ("source_beyond_the_end", 0, 0, SIZE + 1),
        ("source_offset_to_beyond_the_end", SIZE - 4, 0, 8),
        ("target_offset_to_beyond_the_end", 0, 2 * SIZE - 4, 8),
        ("target_offset_beyond_the_end", 0, 2 * SIZE + 8, 8),
        ("source_offset_beyond_the_end", SIZE + 8, 0, 8),
    ] {
        suite.device(format!("errors::{name}"), move |cx| {
            let scene = Scene::new(cx, 0)?;
            let (from, to) = (filled(&scene, SIZE, 1)?, filled(&scene, 2 * SIZE, 2)?);
            refused!(
                UR_RESULT_ERROR_INVALID_SIZE,
                urEnqueueMemBufferCopy(
                    scene.queue.get(),
                    from.get(),
                    to.get(),
                    source,
                    target,
                    size,
                    0,
                    null(),
                    null_mut()
                )
            )?;
            same_buffer(&scene, &to, &bytes(2 * SIZE, 2))
        });
    }
}

fn part(cx: &Cx, size: usize, source: usize, target: usize) -> Outcome {
    let scene = Scene::new(cx, 0)?;
    let (from_size, to_size) = (source + size + 7, target + size + 9);
    let from = filled(&scene, from_size, 1)?;
    let to = filled(&scene, to_size, 2)?;
    copy(&scene, (&from, source), (&to, target), size)?;
    let mut wanted = bytes(to_size, 2);
    wanted[target..][..size].copy_from_slice(&bytes(from_size, 1)[source..][..size]);
    same_buffer(&scene, &to, &wanted)?;
    same_buffer(&scene, &from, &bytes(from_size, 1))
}

fn inside(cx: &Cx, source: usize, target: usize, size: usize) -> Outcome {
    let scene = Scene::new(cx, 0)?;
    let buffer = filled(&scene, SIZE, 1)?;
    copy(&scene, (&buffer, source), (&buffer, target), size)?;
    let mut wanted = bytes(SIZE, 1);
    wanted.copy_within(source..source + size, target);
    same_buffer(&scene, &buffer, &wanted)
}
