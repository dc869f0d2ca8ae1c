//! `urEnqueueMemBufferMap` and `urEnqueueMemUnmap`.

use super::buffers::{SIZE, filled, part_of, part_origin, same_buffer};
use super::bytes::{alike, bytes, named};
use super::command::{Command, Scene, Subject, Wait};
use super::common;
use crate::failure::{Stop, check};
use crate::objects::{Counted, Dam, Event, Memory, Queue};
use crate::test::Suite;
use crate::world::Cx;
use crate::{Outcome, ensure, ok, refused, same, ur};
use std::ffi::c_void;
use std::ptr::{null, null_mut};
use ur_api::*;

const MAP: Subject = Subject::new(
    "urEnqueueMemBufferMap",
    UR_COMMAND_MEM_BUFFER_MAP,
    |scene| {
        Ok(Box::new(Map {
            buffer: filled(scene, SIZE, 1)?,
            maps: Vec::new(),
        }))
    },
)
.blocking();

const UNMAP: Subject = Subject::new("urEnqueueMemUnmap", UR_COMMAND_MEM_UNMAP, |scene| {
    let buffer = filled(scene, SIZE, 1)?;
    // As many as any case needs: the queues may be blocked later.
    let maps = (0..64).map(|_| map(&scene.other, &buffer, READ, 0, SIZE));
    let maps = maps.collect::<Result<Vec<_>, Stop>>()?;
    Ok(Box::new(Unmap { buffer, maps }))
});

const READ: u32 = UR_MAP_FLAG_READ.0;
const WRITE: u32 = UR_MAP_FLAG_WRITE.0;
const INVALIDATE: u32 = UR_MAP_FLAG_WRITE_INVALIDATE_REGION.0;

struct Map {
    buffer: Memory,
    maps: Vec<*mut c_void>,
}

impl Command for Map {
    fn enqueue(
        &mut self,
        queue: ur_queue_handle_t,
        blocking: bool,
        wait: Wait,
        event: *mut ur_event_handle_t,
    ) -> ur_result_t {
        let mut place = null_mut();
        let (buffer, count, list) = (self.buffer.get(), wait.count, wait.list);
        let code = ur!(urEnqueueMemBufferMap(
            queue,
            buffer,
            blocking,
            READ,
            0,
            SIZE,
            count,
            list,
            event,
            &raw mut place
        ));
        if code == UR_RESULT_SUCCESS {
            self.maps.push(place);
        }
        code
    }

    fn happened(&mut self, _: &Scene) -> Result<Option<bool>, Stop> {
        // Whether the bytes may be looked at already is all that the command says.
        Ok(None)
    }

    fn end(&mut self, scene: &Scene) -> Outcome {
        for place in self.maps.drain(..) {
            alike("mapped bytes", mapped(place, SIZE), &bytes(SIZE, 1))?;
            unmap(&scene.other, &self.buffer, place)?;
        }
        scene.other.finish()
    }
}

struct Unmap {
    buffer: Memory,
    maps: Vec<*mut c_void>,
}

impl Command for Unmap {
    fn enqueue(
        &mut self,
        queue: ur_queue_handle_t,
        _: bool,
        wait: Wait,
        event: *mut ur_event_handle_t,
    ) -> ur_result_t {
        let (buffer, count, list) = (self.buffer.get(), wait.count, wait.list);
        let place = self.maps.pop().unwrap_or_default();
        ur!(urEnqueueMemUnmap(queue, buffer, place, count, list, event))
    }

    fn happened(&mut self, _: &Scene) -> Result<Option<bool>, Stop> {
        Ok(None)
    }

    fn end(&mut self, scene: &Scene) -> Outcome {
        for place in self.maps.drain(..) {
            unmap(&scene.other, &self.buffer, place)?;
        }
        scene.other.finish()
    }
}

/// Bytes that are mapped.
fn mapped<'a>(place: *mut c_void, size: usize) -> &'a [u8] {
    // SAFETY: the map has ended, and lasts while this is used.
    unsafe { std::slice::from_raw_parts(place.cast_const().cast(), size) }
}

/// Bytes that are mapped for writing.
fn writable<'a>(place: *mut c_void, size: usize) -> &'a mut [u8] {
    // SAFETY: as above; no other map of the bytes is looked at meanwhile.
    unsafe { std::slice::from_raw_parts_mut(place.cast(), size) }
}

/// Maps a part of a buffer and waits for that.
#[track_caller]
fn map(
    queue: &Queue,
    buffer: &Memory,
    flags: u32,
    offset: usize,
    size: usize,
) -> Result<*mut c_void, Stop> {
    let mut place = null_mut();
    ok!(urEnqueueMemBufferMap(
        queue.get(),
        buffer.get(),
        true,
        flags,
        offset,
        size,
        0,
        null(),
        null_mut(),
        &raw mut place
    ))?;
    ensure!(!place.is_null(), "a map gave null");
    Ok(place)
}

#[track_caller]
fn unmap(queue: &Queue, buffer: &Memory, place: *mut c_void) -> Outcome {
    let code = ur!(urEnqueueMemUnmap(
        queue.get(),
        buffer.get(),
        place,
        0,
        null(),
        null_mut()
    ));
    check("urEnqueueMemUnmap", UR_RESULT_SUCCESS, code)?;
    Ok(())
}

/// What a map is for, by its flags.
const FLAGS: [(&str, u32); 4] = [
    ("read", READ),
    ("write", WRITE),
    ("read_write", READ | WRITE),
    ("invalidate", INVALIDATE),
];

pub(crate) fn tests(suite: &mut Suite<'_>) {
    common::tests(&mut suite.part("mem_unmap"), UNMAP);
    let mut suite = suite.part("mem_buffer_map");
    common::tests(&mut suite, MAP);
    for (how, blocking) in [("blocking", true), ("not_blocking", false)] {
        for (what, flags) in FLAGS {
            for size in [1, 3, 4096, 1 << 20] {
                for offset in [0, 1, 4096] {
                    let name = format!("{how}::{what}::{}_from_{}", named(size), named(offset));
                    suite.device(name, move |cx| part(cx, flags, offset, size, blocking));
                }
            }
        }
    }
    suite.device("twice_for_reading", |cx| {
        let scene = Scene::new(cx, 0)?;
        let buffer = filled(&scene, SIZE, 1)?;
        let first = map(&scene.queue, &buffer, READ, 0, SIZE)?;
        let second = map(&scene.queue, &buffer, READ, 64, 64)?;
        alike("first map", mapped(first, SIZE), &bytes(SIZE, 1))?;
        alike("second map", mapped(second, 64), &bytes(SIZE, 1)[64..128])?;
        unmap(&scene.queue, &buffer, first)?;
        scene.queue.finish()?;
        alike("second map", mapped(second, 64), &bytes(SIZE, 1)[64..128])?;
        unmap(&scene.queue, &buffer, second)?;
        scene.queue.finish()
    });
    suite.device("two_parts_for_writing", |cx| {
        let scene = Scene::new(cx, 0)?;
        let buffer = filled(&scene, SIZE, 1)?;
        let first = map(&scene.queue, &buffer, WRITE, 0, 100)?;
        let second = map(&scene.queue, &buffer, WRITE, 128, 100)?;
        writable(first, 100).copy_from_slice(&bytes(100, 2));
        writable(second, 100).copy_from_slice(&bytes(100, 3));
        unmap(&scene.queue, &buffer, second)?;
        unmap(&scene.queue, &buffer, first)?;
        scene.queue.finish()?;
        let mut wanted = bytes(SIZE, 1);
        wanted[..100].copy_from_slice(&bytes(100, 2));
        wanted[128..228].copy_from_slice(&bytes(100, 3));
        same_buffer(&scene, &buffer, &wanted)
    });
    suite.device("sub_buffer", |cx| {
        let scene = Scene::new(cx, 0)?;
        let origin = part_origin(cx)?;
        let buffer = filled(&scene, origin + SIZE, 1)?;
        let part = part_of(&buffer, origin, SIZE)?;
        let place = map(&scene.queue, &part, READ | WRITE, 8, SIZE - 8)?;
        let old = mapped(place, SIZE - 8);
        alike("map", old, &bytes(origin + SIZE, 1)[origin + 8..])?;
        writable(place, SIZE - 8).copy_from_slice(&bytes(SIZE - 8, 2));
        unmap(&scene.queue, &part, place)?;
        scene.queue.finish()?;
        drop(part);
        let mut wanted = bytes(origin + SIZE, 1);
        wanted[origin + 8..].copy_from_slice(&bytes(SIZE - 8, 2));
        same_buffer(&scene, &buffer, &wanted)
    });
    suite.device("sees_commands_before", |cx| {
        let scene = Scene::new(cx, 0)?;
        let buffer = filled(&scene, SIZE, 1)?;
        let dam = Dam::new(cx, &scene.context)?;
        let (new, wait) = (bytes(SIZE, 2), [dam.event()]);
        ok!(urEnqueueMemBufferWrite(
            scene.queue.get(),
            buffer.get(),
            false,
            0,
            SIZE,
            new.as_ptr().cast(),
            1,
            wait.as_ptr(),
            null_mut()
        ))?;
        let mut place = null_mut();
        let event = Event::made("urEnqueueMemBufferMap", |out| {
            let place = &raw mut place;
            let (queue, buffer) = (scene.queue.get(), buffer.get());
            ur!(urEnqueueMemBufferMap(
                queue,
                buffer,
                false,
                READ,
                0,
                SIZE,
                0,
                null(),
                out,
                place
            ))
        })?;
        let early = event.ended()?;
        dam.pass()?;
        event.wait()?;
        ensure!(!early, "mapped before the command before it has ended");
        alike("map", mapped(place, SIZE), &new)?;
        unmap(&scene.queue, &buffer, place)?;
        scene.queue.finish()
    });
    suite.device("unmapped_by_another_queue", |cx| {
        let scene = Scene::new(cx, 0)?;
        let buffer = filled(&scene, SIZE, 1)?;
        let place = map(&scene.queue, &buffer, WRITE, 0, SIZE)?;
        writable(place, SIZE).copy_from_slice(&bytes(SIZE, 2));
        unmap(&scene.other, &buffer, place)?;
        scene.other.finish()?;
        same_buffer(&scene, &buffer, &bytes(SIZE, 2))
    });
    suite.device("count_of_the_buffer_after", |cx| {
        let scene = Scene::new(cx, 0)?;
        let buffer = filled(&scene, SIZE, 1)?;
        let place = map(&scene.queue, &buffer, READ, 0, SIZE)?;
        unmap(&scene.queue, &buffer, place)?;
        scene.queue.finish()?;
        same!("count of the buffer", buffer.count()?, 1);
        Ok(())
    });
    for (name, offset, size) in [
        ("one_beyond_the_end", 0, SIZE + 1),
        ("offset_to_beyond_the_end", SIZE - 4, 8),
        ("offset_beyond_the_end", SIZE + 64, 4),
        ("no_size", 0, 0),
    ] {
        suite.device(format!("errors::{name}"), move |cx| {
            let scene = Scene::new(cx, 0)?;
            let buffer = filled(&scene, SIZE, 1)?;
            let mut place = null_mut();
            refused!(
                UR_RESULT_ERROR_INVALID_SIZE,
                urEnqueueMemBufferMap(
                    scene.queue.get(),
                    buffer.get(),
                    true,
                    READ,
                    offset,
                    size,
                    0,
                    null(),
                    null_mut(),
                    &raw mut place
                )
            )?;
            Ok(())
        });
    }
}

fn part(cx: &Cx, flags: u32, offset: usize, size: usize, blocking: bool) -> Outcome {
    let scene = Scene::new(cx, 0)?;
    let all = offset + size + 5;
    let buffer = filled(&scene, all, 1)?;
    let mut place = null_mut();
    ok!(urEnqueueMemBufferMap(
        scene.queue.get(),
        buffer.get(),
        blocking,
        flags,
        offset,
        size,
        0,
        null(),
        null_mut(),
        &raw mut place
    ))?;
    if !blocking {
        scene.queue.finish()?;
    }
    ensure!(!place.is_null(), "a map gave null");
    let mut wanted = bytes(all, 1);
    if flags & READ != 0 {
        alike("map", mapped(place, size), &wanted[offset..][..size])?;
    }
    if flags & (WRITE | INVALIDATE) != 0 {
        writable(place, size).copy_from_slice(&bytes(size, 2));
        wanted[offset..][..size].copy_from_slice(&bytes(size, 2));
    }
    unmap(&scene.queue, &buffer, place)?;
    scene.queue.finish()?;
    same_buffer(&scene, &buffer, &wanted)
}
