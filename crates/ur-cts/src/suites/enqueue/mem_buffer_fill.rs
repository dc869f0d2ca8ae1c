//! `urEnqueueMemBufferFill`.

use super::buffers::{SIZE, filled, holds, part_of, part_origin, same_buffer};
use super::bytes::{bytes, named};
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
    "urEnqueueMemBufferFill",
    UR_COMMAND_MEM_BUFFER_FILL,
    |scene| {
        Ok(Box::new(Fill {
            buffer: filled(scene, SIZE, 1)?,
        }))
    },
);

struct Fill {
    buffer: Memory,
}

/// The pattern of cases that are the same for every function.
fn pattern() -> Vec<u8> {
    bytes(16, 5)
}

impl Command for Fill {
    fn enqueue(
        &mut self,
        queue: ur_queue_handle_t,
        _: bool,
        wait: Wait,
        event: *mut ur_event_handle_t,
    ) -> ur_result_t {
        // The pattern is gone when the command runs: the call took a copy.
        let pattern = pattern();
        let (buffer, count, list) = (self.buffer.get(), wait.count, wait.list);
        ur!(urEnqueueMemBufferFill(
            queue,
            buffer,
            pattern.as_ptr().cast(),
            pattern.len(),
            0,
            SIZE,
            count,
            list,
            event
        ))
    }

    fn happened(&mut self, scene: &Scene) -> Result<Option<bool>, Stop> {
        holds(scene, &self.buffer, &pattern().repeat(SIZE / 16)).map(Some)
    }
}

pub(crate) fn tests(suite: &mut Suite<'_>) {
    common::tests(suite, SUBJECT);
    for shift in 0..8 {
        let size = 1 << shift;
        for (name, offset, count) in [
            ("once", 0, 1),
            ("once_behind_another", 1, 1),
            ("thrice_in_the_middle", 2, 3),
            ("a_thousand_times", 0, 1000),
        ] {
            suite.device(format!("pattern_of_{size}::{name}"), move |cx| {
                fill(cx, size, offset * size, count * size)
            });
        }
    }
    for size in [1 << 16, 1 << 20, 3 << 20] {
        for pattern in [1, 4, 128] {
            suite.device(format!("large::{}_by_{pattern}", named(size)), move |cx| {
                fill(cx, pattern, pattern, size)
            });
        }
    }
    suite.device("sub_buffer", |cx| {
        let scene = Scene::new(cx, 0)?;
        let origin = part_origin(cx)?;
        let all = origin + SIZE + 64;
        let buffer = filled(&scene, all, 1)?;
        let part = part_of(&buffer, origin, SIZE)?;
        call(&scene, &part, &pattern(), 16, SIZE - 16)?;
        drop(part);
        let mut wanted = bytes(all, 1);
        let area = &mut wanted[origin + 16..][..SIZE - 16];
        area.copy_from_slice(&pattern().repeat(SIZE / 16 - 1));
        same_buffer(&scene, &buffer, &wanted)
    });
    for (name, pattern, offset, size) in [
        ("no_pattern", 0, 0, 64),
        ("no_size", 4, 0, 0),
        ("pattern_larger_than_size", 64, 0, 32),
        ("pattern_of_three", 3, 0, 63),
        ("pattern_of_twelve", 12, 0, 48),
        ("size_no_multiple_of_the_pattern", 8, 0, 60),
        ("offset_no_multiple_of_the_pattern", 8, 4, 64),
        ("beyond_the_end", 8, 0, SIZE + 8),
        ("offset_to_beyond_the_end", 8, SIZE - 8, 16),
        ("offset_beyond_the_end", 8, SIZE + 8, 8),
    ] {
        suite.device(format!("errors::{name}"), move |cx| {
            let scene = Scene::new(cx, 0)?;
            let buffer = filled(&scene, SIZE, 1)?;
            let bits = bytes(128, 5);
            refused!(
                UR_RESULT_ERROR_INVALID_SIZE,
                urEnqueueMemBufferFill(
                    scene.queue.get(),
                    buffer.get(),
                    bits.as_ptr().cast(),
                    pattern,
                    offset,
                    size,
                    0,
                    null(),
                    null_mut()
                )
            )?;
            same_buffer(&scene, &buffer, &bytes(SIZE, 1))
        });
    }
}

fn call(scene: &Scene, buffer: &Memory, pattern: &[u8], offset: usize, size: usize) -> Outcome {
    ok!(urEnqueueMemBufferFill(
        scene.queue.get(),
        buffer.get(),
        pattern.as_ptr().cast(),
        pattern.len(),
        offset,
        size,
        0,
        null(),
        null_mut()
    ))?;
    scene.queue.finish()
}

fn fill(cx: &Cx, pattern: usize, offset: usize, size: usize) -> Outcome {
    let scene = Scene::new(cx, 0)?;
    let all = offset + size + 7;
    let buffer = filled(&scene, all, 1)?;
    let bits = bytes(pattern, 6);
    call(&scene, &buffer, &bits, offset, size)?;
    let mut wanted = bytes(all, 1);
    wanted[offset..][..size].copy_from_slice(&bits.repeat(size / pattern));
    same_buffer(&scene, &buffer, &wanted)
}
