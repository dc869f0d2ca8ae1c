//! `urEnqueueUSMMemcpy2D` and `urEnqueueUSMFill2D`.

use super::bytes::bytes;
use super::command::{Command, Scene, Subject, Wait};
use super::common;
use super::memories::{Area, Home};
use crate::failure::{Stop, check};
use crate::objects::UsmKind;
use crate::test::Suite;
use crate::world::Cx;
use crate::{Outcome, ur};
use std::ptr::{null, null_mut};
use ur_api::*;

const COPY: Subject = Subject::new("urEnqueueUSMMemcpy2D", UR_COMMAND_USM_MEMCPY_2D, |scene| {
    let home = Home::Usm(UsmKind::Device);
    Ok(Box::new(Copy::new(scene, [home; 2], ROWS[3])?))
})
.blocking();

const FILL: Subject = Subject::new("urEnqueueUSMFill2D", UR_COMMAND_USM_FILL_2D, |scene| {
    Ok(Box::new(Fill::new(
        scene,
        UsmKind::Device,
        4,
        1,
        [32, 16, 5],
    )?))
});

/// Whether the context says that it has one of the two.
fn has(scene: &Scene, query: ur_context_info_t) -> bool {
    scene
        .context
        .info::<ur_bool_t>(query)
        .is_ok_and(|has| has != 0)
}

/// A call may be declined unless the context says that it will not be.
#[track_caller]
fn honest(scene: &Scene, call: &'static str, code: ur_result_t) -> Outcome {
    let query = if call == COPY.call {
        UR_CONTEXT_INFO_USM_MEMCPY2D_SUPPORT
    } else {
        UR_CONTEXT_INFO_USM_FILL2D_SUPPORT
    };
    if code == UR_RESULT_ERROR_UNSUPPORTED_FEATURE && has(scene, query) {
        return Err(Stop::fail(format_args!(
            "{call} declines; yet {query} says yes"
        )));
    }
    check(call, UR_RESULT_SUCCESS, code)?;
    Ok(())
}

/// Name, target pitch, source pitch, width, height.
type Rows = (&'static str, usize, usize, usize, usize);

const ROWS: [Rows; 8] = [
    ("one_byte", 1, 1, 1, 1),
    ("one_row", 64, 64, 64, 1),
    ("packed", 16, 16, 16, 8),
    ("pitched", 24, 40, 16, 8),
    ("packed_to_pitched", 33, 16, 16, 8),
    ("pitched_to_packed", 16, 33, 16, 8),
    ("one_byte_rows", 7, 3, 1, 20),
    ("large", 1024, 2048, 1000, 500),
];

struct Copy {
    from: Area,
    to: Area,
    rows: Rows,
}

impl Copy {
    fn new(scene: &Scene, [from, to]: [Home; 2], rows: Rows) -> Result<Copy, Stop> {
        let (_, target, source, width, height) = rows;
        let size = |pitch: usize| pitch * (height - 1) + width + 9;
        Ok(Copy {
            from: Area::of(scene, from, &bytes(size(source), 1))?,
            to: Area::of(scene, to, &bytes(size(target), 2))?,
            rows,
        })
    }

    fn wanted(&self, size: usize) -> Vec<u8> {
        let (_, target, source, width, height) = self.rows;
        let from = bytes(source * (height - 1) + width, 1);
        let mut to = bytes(size, 2);
        for row in 0..height {
            to[row * target..][..width].copy_from_slice(&from[row * source..][..width]);
        }
        to
    }
}

impl Command for Copy {
    fn enqueue(
        &mut self,
        queue: ur_queue_handle_t,
        blocking: bool,
        wait: Wait,
        event: *mut ur_event_handle_t,
    ) -> ur_result_t {
        let (_, target, source, width, height) = self.rows;
        let (to, from) = (self.to.at().cast(), self.from.at().cast_const().cast());
        let (count, list) = (wait.count, wait.list);
        ur!(urEnqueueUSMMemcpy2D(
            queue, blocking, to, target, from, source, width, height, count, list, event
        ))
    }

    fn happened(&mut self, scene: &Scene) -> Result<Option<bool>, Stop> {
        let found = self.to.bytes(scene)?;
        Ok(Some(found == self.wanted(found.len())))
    }
}

struct Fill {
    area: Area,
    pattern: usize,
    offset: usize,
    /// Pitch, width, height.
    rows: [usize; 3],
}

impl Fill {
    fn new(
        scene: &Scene,
        kind: UsmKind,
        pattern: usize,
        patterns_before: usize,
        rows: [usize; 3],
    ) -> Result<Fill, Stop> {
        let [pitch, _, height] = rows;
        let offset = patterns_before * pattern;
        let size = offset + pitch * height;
        Ok(Fill {
            area: Area::of(scene, Home::Usm(kind), &bytes(size, 1))?,
            pattern,
            offset,
            rows,
        })
    }

    fn wanted(&self, size: usize) -> Vec<u8> {
        let [pitch, width, height] = self.rows;
        let line = bytes(self.pattern, 6).repeat(width / self.pattern);
        let mut all = bytes(size, 1);
        for row in 0..height {
            all[self.offset + row * pitch..][..width].copy_from_slice(&line);
        }
        all
    }
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
        let pattern = bytes(self.pattern, 6);
        let at = self.area.at().wrapping_add(self.offset).cast();
        let [pitch, width, height] = self.rows;
        let (count, list) = (wait.count, wait.list);
        ur!(urEnqueueUSMFill2D(
            queue,
            at,
            pitch,
            pattern.len(),
            pattern.as_ptr().cast(),
            width,
            height,
            count,
            list,
            event
        ))
    }

    fn happened(&mut self, scene: &Scene) -> Result<Option<bool>, Stop> {
        let found = self.area.bytes(scene)?;
        Ok(Some(found == self.wanted(found.len())))
    }
}

pub(crate) fn tests(suite: &mut Suite<'_>) {
    copies(&mut suite.part("usm_memcpy_2d"));
    fills(&mut suite.part("usm_fill_2d"));
}

fn copies(suite: &mut Suite<'_>) {
    common::tests(suite, COPY);
    for from in Home::ALL {
        for to in Home::ALL {
            for rows in ROWS {
                let name = format!("{}_to_{}::{}", from.name(), to.name(), rows.0);
                suite.device(name, move |cx| copied(cx, [from, to], rows, false));
            }
            let name = format!("{}_to_{}::blocking", from.name(), to.name());
            suite.device(name, move |cx| copied(cx, [from, to], ROWS[3], true));
        }
    }
    for (name, target, source, width, height) in [
        ("no_source_pitch", 16, 0, 16, 4),
        ("no_target_pitch", 0, 16, 16, 4),
        ("source_pitch_below_width", 16, 15, 16, 4),
        ("target_pitch_below_width", 15, 16, 16, 4),
        ("no_height", 16, 16, 16, 0),
    ] {
        suite.device(format!("errors::{name}"), move |cx| {
            let scene = Scene::new(cx, 0)?;
            let home = Home::Usm(UsmKind::Host);
            let mut copy = Copy::new(&scene, [home; 2], ROWS[3])?;
            copy.rows = (name, target, source, width, height);
            let code = copy.enqueue(scene.queue.get(), true, Wait::NONE, null_mut());
            refused(&scene, COPY.call, code)?;
            let size = copy.to.bytes(&scene)?.len();
            copy.to.same(&scene, &bytes(size, 2))
        });
    }
}

#[track_caller]
fn refused(scene: &Scene, call: &'static str, code: ur_result_t) -> Outcome {
    if code == UR_RESULT_ERROR_UNSUPPORTED_FEATURE {
        return honest(scene, call, code);
    }
    check(call, UR_RESULT_ERROR_INVALID_SIZE, code)?;
    Ok(())
}

fn copied(cx: &Cx, homes: [Home; 2], rows: Rows, blocking: bool) -> Outcome {
    let scene = Scene::new(cx, 0)?;
    let mut copy = Copy::new(&scene, homes, rows)?;
    let code = copy.enqueue(scene.queue.get(), blocking, Wait::NONE, null_mut());
    honest(&scene, COPY.call, code)?;
    if !blocking {
        scene.queue.finish()?;
    }
    let size = copy.to.bytes(&scene)?.len();
    copy.to.same(&scene, &copy.wanted(size))
}

fn fills(suite: &mut Suite<'_>) {
    common::tests(suite, FILL);
    for kind in UsmKind::ALL {
        for shift in 0..8 {
            let pattern = 1usize << shift;
            for (name, before, rows) in [
                ("one_row", 0, [pattern, pattern, 1]),
                ("packed", 0, [4 * pattern, 4 * pattern, 8]),
                ("pitched", 1, [7 * pattern, 3 * pattern, 9]),
            ] {
                let name = format!("{}::pattern_of_{pattern}::{name}", kind.name());
                suite.device(name, move |cx| filled(cx, kind, pattern, before, rows));
            }
        }
        suite.device(format!("{}::large", kind.name()), move |cx| {
            filled(cx, kind, 16, 0, [2048, 1600, 700])
        });
    }
    for (name, pattern, rows) in [
        ("no_pitch", 4, [0, 16, 4]),
        ("pitch_below_width", 4, [12, 16, 4]),
        ("no_pattern", 0, [16, 16, 4]),
        ("pattern_larger_than_all", 128, [16, 16, 4]),
        ("pattern_of_three", 3, [15, 15, 4]),
        ("no_width", 4, [16, 0, 4]),
        ("no_height", 4, [16, 16, 0]),
        ("no_multiple_of_the_pattern", 8, [16, 15, 3]),
    ] {
        suite.device(format!("errors::{name}"), move |cx| {
            let scene = Scene::new(cx, 0)?;
            let mut fill = Fill::new(&scene, UsmKind::Host, 4, 0, [16, 16, 4])?;
            let bits = bytes(128, 6);
            let [pitch, width, height] = rows;
            let code = ur!(urEnqueueUSMFill2D(
                scene.queue.get(),
                fill.area.at().cast(),
                pitch,
                pattern,
                bits.as_ptr().cast(),
                width,
                height,
                0,
                null(),
                null_mut()
            ));
            refused(&scene, FILL.call, code)?;
            fill.area.same(&scene, &bytes(64, 1))
        });
    }
}

fn filled(cx: &Cx, kind: UsmKind, pattern: usize, before: usize, rows: [usize; 3]) -> Outcome {
    let scene = Scene::new(cx, 0)?;
    let mut fill = Fill::new(&scene, kind, pattern, before, rows)?;
    let code = fill.enqueue(scene.queue.get(), false, Wait::NONE, null_mut());
    honest(&scene, FILL.call, code)?;
    scene.queue.finish()?;
    let size = fill.area.bytes(&scene)?.len();
    fill.area.same(&scene, &fill.wanted(size))
}
