//! `urEnqueueUSMFill`.

use super::bytes::{bytes, named};
use super::command::{Command, Scene, Subject, Wait};
use super::common;
use super::memories::{Area, Home};
use crate::failure::Stop;
use crate::objects::UsmKind;
use crate::test::Suite;
use crate::world::Cx;
use crate::{Outcome, ok, refused, ur};
use std::ptr::{null, null_mut};
use ur_api::*;

const SIZE: usize = 256;

const SUBJECT: Subject = Subject::new("urEnqueueUSMFill", UR_COMMAND_USM_FILL, |scene| {
    Ok(Box::new(Fill {
        area: Area::of(scene, Home::Usm(UsmKind::Device), &bytes(SIZE, 1))?,
    }))
});

struct Fill {
    area: Area,
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
        let pattern = bytes(8, 5);
        let (at, from) = (self.area.at().cast(), pattern.as_ptr().cast());
        let (count, list) = (wait.count, wait.list);
        ur!(urEnqueueUSMFill(
            queue, at, 8, from, SIZE, count, list, event
        ))
    }

    fn happened(&mut self, scene: &Scene) -> Result<Option<bool>, Stop> {
        let wanted = bytes(8, 5).repeat(SIZE / 8);
        Ok(Some(self.area.bytes(scene)? == wanted))
    }
}

pub(crate) fn tests(suite: &mut Suite<'_>) {
    common::tests(suite, SUBJECT);
    for kind in UsmKind::ALL {
        let kind_name = kind.name();
        for pattern in [1, 2, 4, 8, 16, 32, 64, 128] {
            for count in [1, 3, 1000] {
                let name = format!("{kind_name}::pattern_of_{pattern}::{count}_times");
                suite.device(name, move |cx| fill(cx, kind, 0, pattern, count));
            }
            let name = format!("{kind_name}::pattern_of_{pattern}::in_the_middle");
            suite.device(name, move |cx| fill(cx, kind, 2 * pattern, pattern, 5));
        }
        // Sizes that are no power of two are as good, and so are patterns for the whole.
        for pattern in [3, 5, 12, 100, 255, 256, 4096] {
            let name = format!("{kind_name}::pattern_of_{pattern}::7_times");
            suite.device(name, move |cx| fill(cx, kind, 0, pattern, 7));
        }
        for size in [1 << 16, 1 << 20, 3 << 20] {
            let name = format!("{kind_name}::large::{}", named(size));
            suite.device(name, move |cx| fill(cx, kind, 0, 16, size / 16));
        }
        // Patterns that are one byte over and over, or even 0, are no special case.
        for (what, byte) in [("zeroes", 0u8), ("ones", 0xff)] {
            suite.device(format!("{kind_name}::pattern_of_{what}"), move |cx| {
                let scene = Scene::new(cx, 0)?;
                let mut area = Area::of(&scene, Home::Usm(kind), &bytes(SIZE, 1))?;
                call(&scene, area.at(), &[byte; 4], SIZE - 16)?;
                let mut wanted = bytes(SIZE, 1);
                wanted[..SIZE - 16].fill(byte);
                area.same(&scene, &wanted)
            });
        }
    }
    for (name, pattern, size) in [
        ("no_pattern", 0, 64),
        ("no_size", 4, 0),
        ("nothing_at_all", 0, 0),
        ("pattern_larger_than_size", 64, 32),
        ("size_no_multiple_of_the_pattern", 8, 60),
    ] {
        suite.device(format!("errors::{name}"), move |cx| {
            let scene = Scene::new(cx, 0)?;
            let mut area = Area::of(&scene, Home::Usm(UsmKind::Host), &bytes(SIZE, 1))?;
            let bits = bytes(128, 5);
            refused!(
                UR_RESULT_ERROR_INVALID_SIZE,
                urEnqueueUSMFill(
                    scene.queue.get(),
                    area.at().cast(),
                    pattern,
                    bits.as_ptr().cast(),
                    size,
                    0,
                    null(),
                    null_mut()
                )
            )?;
            area.same(&scene, &bytes(SIZE, 1))
        });
    }
}

#[track_caller]
fn call(scene: &Scene, at: *mut u8, pattern: &[u8], size: usize) -> Outcome {
    ok!(urEnqueueUSMFill(
        scene.queue.get(),
        at.cast(),
        pattern.len(),
        pattern.as_ptr().cast(),
        size,
        0,
        null(),
        null_mut()
    ))?;
    scene.queue.finish()
}

fn fill(cx: &Cx, kind: UsmKind, offset: usize, pattern: usize, count: usize) -> Outcome {
    let scene = Scene::new(cx, 0)?;
    let size = pattern * count;
    let all = offset + size + pattern;
    let mut area = Area::of(&scene, Home::Usm(kind), &bytes(all, 1))?;
    let bits = bytes(pattern, 6);
    call(&scene, area.at().wrapping_add(offset), &bits, size)?;
    let mut wanted = bytes(all, 1);
    wanted[offset..][..size].copy_from_slice(&bits.repeat(count));
    area.same(&scene, &wanted)
}
