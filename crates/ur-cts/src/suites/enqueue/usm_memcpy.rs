//! `urEnqueueUSMMemcpy`.

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

const SUBJECT: Subject = Subject::new("urEnqueueUSMMemcpy", UR_COMMAND_USM_MEMCPY, |scene| {
    let home = Home::Usm(UsmKind::Device);
    Ok(Box::new(Copy {
        from: Area::of(scene, home, &bytes(SIZE, 1))?,
        to: Area::of(scene, home, &bytes(SIZE, 2))?,
    }))
})
.blocking();

struct Copy {
    from: Area,
    to: Area,
}

impl Command for Copy {
    fn enqueue(
        &mut self,
        queue: ur_queue_handle_t,
        blocking: bool,
        wait: Wait,
        event: *mut ur_event_handle_t,
    ) -> ur_result_t {
        let (to, from) = (self.to.at().cast(), self.from.at().cast_const().cast());
        let (count, list) = (wait.count, wait.list);
        ur!(urEnqueueUSMMemcpy(
            queue, blocking, to, from, SIZE, count, list, event
        ))
    }

    fn happened(&mut self, scene: &Scene) -> Result<Option<bool>, Stop> {
        Ok(Some(self.to.bytes(scene)? == bytes(SIZE, 1)))
    }
}

pub(crate) fn tests(suite: &mut Suite<'_>) {
    common::tests(suite, SUBJECT);
    for (how, blocking) in [("blocking", true), ("not_blocking", false)] {
        for from in Home::ALL {
            for to in Home::ALL {
                for size in [1, 3, 4096, 65537, 1 << 20] {
                    let (source, target) = (from.name(), to.name());
                    let name = format!("{how}::{source}_to_{target}::{}", named(size));
                    suite.device(name, move |cx| copy(cx, [from, to], [0, 0], size, blocking));
                }
            }
        }
        for source in [0, 1, 7] {
            for target in [0, 3, 64] {
                let home = [Home::Usm(UsmKind::Shared), Home::Usm(UsmKind::Device)];
                let name = format!("{how}::from_{source}_to_{target}");
                suite.device(name, move |cx| {
                    copy(cx, home, [source, target], 1001, blocking)
                });
            }
        }
    }
    for kind in UsmKind::ALL {
        suite.device(
            format!("within_one_allocation::{}", kind.name()),
            move |cx| {
                let scene = Scene::new(cx, 0)?;
                let mut area = Area::of(&scene, Home::Usm(kind), &bytes(1024, 1))?;
                let at = area.at();
                call(&scene, at.wrapping_add(512), at, 512, true)?;
                let wanted = bytes(1024, 1)[..512].repeat(2);
                area.same(&scene, &wanted)
            },
        );
    }
    suite.device("chain_of_copies_in_order", |cx| {
        let scene = Scene::new(cx, 0)?;
        let homes = [UsmKind::Device, UsmKind::Shared, UsmKind::Host];
        let mut areas = Vec::new();
        for at in 0..9 {
            areas.push(Area::of(
                &scene,
                Home::Usm(homes[at % 3]),
                &bytes(999, at as u32 + 1),
            )?);
        }
        for at in 1..9 {
            let (to, from) = (areas[at].at(), areas[at - 1].at());
            call(&scene, to, from, 999, false)?;
        }
        scene.queue.finish()?;
        areas[8].same(&scene, &bytes(999, 1))
    });
    suite.device("errors::no_size", |cx| {
        let scene = Scene::new(cx, 0)?;
        let mut area = Area::of(&scene, Home::Usm(UsmKind::Host), &bytes(128, 1))?;
        let at = area.at();
        refused!(
            UR_RESULT_ERROR_INVALID_SIZE,
            urEnqueueUSMMemcpy(
                scene.queue.get(),
                true,
                at.wrapping_add(64).cast(),
                at.cast_const().cast(),
                0,
                0,
                null(),
                null_mut()
            )
        )?;
        area.same(&scene, &bytes(128, 1))
    });
}

#[track_caller]
fn call(scene: &Scene, to: *mut u8, from: *mut u8, size: usize, blocking: bool) -> Outcome {
    ok!(urEnqueueUSMMemcpy(
        scene.queue.get(),
        blocking,
        to.cast(),
        from.cast_const().cast(),
        size,
        0,
        null(),
        null_mut()
    ))?;
    Ok(())
}

fn copy(
    cx: &Cx,
    [from, to]: [Home; 2],
    [source, target]: [usize; 2],
    size: usize,
    blocking: bool,
) -> Outcome {
    let scene = Scene::new(cx, 0)?;
    let (from_size, to_size) = (source + size + 5, target + size + 3);
    let mut from = Area::of(&scene, from, &bytes(from_size, 1))?;
    let mut to = Area::of(&scene, to, &bytes(to_size, 2))?;
    let (start, end) = (from.at().wrapping_add(source), to.at().wrapping_add(target));
    let called = call(&scene, end, start, size, blocking);
    let finished = if blocking {
        Ok(())
    } else {
        scene.queue.finish()
    };
    called?;
    finished?;
    let mut wanted = bytes(to_size, 2);
    wanted[target..][..size].copy_from_slice(&bytes(from_size, 1)[source..][..size]);
    to.same(&scene, &wanted)?;
    from.same(&scene, &bytes(from_size, 1))
}
