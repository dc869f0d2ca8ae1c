//! `urEnqueueMemBufferReadRect`, `urEnqueueMemBufferWriteRect` and `urEnqueueMemBufferCopyRect`.

use super::buffers::{filled, holds, same_buffer, same_host};
use super::bytes::{Host, bytes};
use super::command::{Command, Scene, Subject, Wait};
use super::common;
use super::rect::{SHAPES, Shape, WRONG, area, copy, offset, region};
use crate::failure::{Stop, check};
use crate::objects::{Counted, Memory};
use crate::test::Suite;
use crate::world::Cx;
use crate::{Outcome, ur};
use std::ptr::null_mut;
use ur_api::*;

/// The shape of cases that are the same for every function.
const USUAL: Shape = SHAPES[6];

/// Which of the three functions.
#[derive(Clone, Copy, PartialEq)]
enum Way {
    Read,
    Write,
    Copy,
}

impl Way {
    fn call(self) -> &'static str {
        match self {
            Way::Read => "urEnqueueMemBufferReadRect",
            Way::Write => "urEnqueueMemBufferWriteRect",
            Way::Copy => "urEnqueueMemBufferCopyRect",
        }
    }
}

/// A call of one of the functions with a shape; the other side is memory of the host, or a buffer.
struct Rect {
    way: Way,
    shape: Shape,
    buffer: Option<Memory>,
    host: Host,
    other: Option<Memory>,
}

impl Rect {
    /// The buffer has the bytes of the first seed and the other side those of the second, and both
    /// the sizes.
    fn sized(scene: &Scene, way: Way, shape: Shape, sizes: [usize; 2]) -> Result<Rect, Stop> {
        let [inside, outside] = sizes;
        Ok(Rect {
            way,
            shape,
            buffer: Some(filled(scene, inside, 1)?),
            host: Host::of(&bytes(outside, 2)),
            other: match way {
                Way::Copy => Some(filled(scene, outside, 2)?),
                _ => None,
            },
        })
    }

    /// Areas are a little larger than the box needs.
    fn new(scene: &Scene, way: Way, shape: Shape) -> Result<Rect, Stop> {
        Rect::sized(scene, way, shape, sizes(&shape))
    }

    /// What the side that is written holds afterwards.
    fn wanted(&self) -> Vec<u8> {
        let shape = &self.shape;
        let [inside, outside] = sizes(shape);
        let (mut inside, mut outside) = (bytes(inside, 1), bytes(outside, 2));
        if self.way == Way::Write {
            copy(
                &mut inside,
                shape.buffer,
                &outside,
                shape.host,
                shape.region,
            );
            return inside;
        }
        copy(
            &mut outside,
            shape.host,
            &inside,
            shape.buffer,
            shape.region,
        );
        outside
    }
}

fn sizes(shape: &Shape) -> [usize; 2] {
    let spare = |size| size + 7;
    [
        spare(area(shape.buffer, shape.region)),
        spare(area(shape.host, shape.region)),
    ]
}

impl Command for Rect {
    fn enqueue(
        &mut self,
        queue: ur_queue_handle_t,
        blocking: bool,
        wait: Wait,
        event: *mut ur_event_handle_t,
    ) -> ur_result_t {
        let Shape { buffer, host, .. } = self.shape;
        let (at, there) = (offset(buffer.origin), offset(host.origin));
        let region = region(self.shape.region);
        let handle = self.buffer.as_ref().map_or(null_mut(), Memory::get);
        let other = self.other.as_ref().map_or(null_mut(), Memory::get);
        let memory = self.host.at().cast();
        let (count, list) = (wait.count, wait.list);
        match self.way {
            Way::Read => ur!(urEnqueueMemBufferReadRect(
                queue,
                handle,
                blocking,
                at,
                there,
                region,
                buffer.row,
                buffer.slice,
                host.row,
                host.slice,
                memory,
                count,
                list,
                event
            )),
            Way::Write => ur!(urEnqueueMemBufferWriteRect(
                queue,
                handle,
                blocking,
                at,
                there,
                region,
                buffer.row,
                buffer.slice,
                host.row,
                host.slice,
                memory,
                count,
                list,
                event
            )),
            Way::Copy => ur!(urEnqueueMemBufferCopyRect(
                queue,
                handle,
                other,
                at,
                there,
                region,
                buffer.row,
                buffer.slice,
                host.row,
                host.slice,
                count,
                list,
                event
            )),
        }
    }

    fn happened(&mut self, scene: &Scene) -> Result<Option<bool>, Stop> {
        let wanted = self.wanted();
        Ok(Some(match (self.way, &self.buffer, &self.other) {
            (Way::Write, Some(buffer), _) => holds(scene, buffer, &wanted)?,
            (Way::Copy, _, Some(other)) => holds(scene, other, &wanted)?,
            _ => self.host.bytes() == wanted,
        }))
    }

    fn forget(&mut self) -> Outcome {
        if self.way == Way::Write {
            return Ok(());
        }
        self.buffer.take().map_or(Ok(()), Memory::release)
    }
}

const READ: Subject = Subject::new(
    "urEnqueueMemBufferReadRect",
    UR_COMMAND_MEM_BUFFER_READ_RECT,
    |scene| Ok(Box::new(Rect::new(scene, Way::Read, USUAL)?)),
)
.blocking();
const WRITE: Subject = Subject::new(
    "urEnqueueMemBufferWriteRect",
    UR_COMMAND_MEM_BUFFER_WRITE_RECT,
    |scene| Ok(Box::new(Rect::new(scene, Way::Write, USUAL)?)),
)
.writing();
const COPY: Subject = Subject::new(
    "urEnqueueMemBufferCopyRect",
    UR_COMMAND_MEM_BUFFER_COPY_RECT,
    |scene| Ok(Box::new(Rect::new(scene, Way::Copy, USUAL)?)),
);

pub(crate) fn tests(suite: &mut Suite<'_>) {
    for (name, way, subject) in [
        ("mem_buffer_read_rect", Way::Read, READ),
        ("mem_buffer_write_rect", Way::Write, WRITE),
        ("mem_buffer_copy_rect", Way::Copy, COPY),
    ] {
        let mut suite = suite.part(name);
        common::tests(&mut suite, subject);
        for shape in SHAPES {
            for (how, blocking) in [("blocking", true), ("not_blocking", false)] {
                if blocking && !subject.blocks {
                    continue;
                }
                let name = format!("{how}::{}", shape.name);
                suite.device(name, move |cx| moved(cx, way, *shape, blocking));
            }
        }
        for shape in WRONG {
            suite.device(format!("errors::{}", shape.name), move |cx| {
                wrong(cx, way, *shape)
            });
        }
        if way == Way::Copy {
            suite.device("errors::target_beyond_the_end", |cx| {
                let mut shape = *WRONG.last().unwrap_or(&USUAL);
                std::mem::swap(&mut shape.buffer, &mut shape.host);
                wrong(cx, Way::Copy, shape)
            });
        }
    }
}

fn moved(cx: &Cx, way: Way, shape: Shape, blocking: bool) -> Outcome {
    let scene = Scene::new(cx, 0)?;
    let mut rect = Rect::new(&scene, way, shape)?;
    let code = rect.enqueue(scene.queue.get(), blocking, Wait::NONE, null_mut());
    check(way.call(), UR_RESULT_SUCCESS, code)?;
    if !blocking || way == Way::Write {
        scene.queue.finish()?;
    }
    let wanted = rect.wanted();
    match (way, &rect.buffer, &rect.other) {
        (Way::Read, Some(buffer), _) => {
            same_host(&rect.host, &wanted)?;
            let from = bytes(sizes(&shape)[0], 1);
            same_buffer(&scene, buffer, &from)
        }
        (Way::Write, Some(buffer), _) => same_buffer(&scene, buffer, &wanted),
        (_, _, Some(other)) => same_buffer(&scene, other, &wanted),
        _ => Ok(()),
    }
}

fn wrong(cx: &Cx, way: Way, shape: Shape) -> Outcome {
    let scene = Scene::new(cx, 0)?;
    let mut rect = Rect::sized(&scene, way, shape, [256, 1024])?;
    if shape.buffer.origin == [0; 3] && shape.host.origin != [0; 3] {
        // The box is too far out on the other side.
        rect = Rect::sized(&scene, way, shape, [1024, 256])?;
    }
    let code = rect.enqueue(scene.queue.get(), true, Wait::NONE, null_mut());
    check(way.call(), UR_RESULT_ERROR_INVALID_SIZE, code)?;
    Ok(())
}
