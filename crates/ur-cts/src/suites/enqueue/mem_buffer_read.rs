//! `urEnqueueMemBufferRead`.

use super::buffers::{SIZE, filled, same_buffer, same_host};
use super::bytes::{Host, bytes, named};
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
    "urEnqueueMemBufferRead",
    UR_COMMAND_MEM_BUFFER_READ,
    |scene| {
        Ok(Box::new(Read {
            buffer: Some(filled(scene, SIZE, 1)?),
            host: Host::new(SIZE),
        }))
    },
)
.blocking();

struct Read {
    buffer: Option<Memory>,
    host: Host,
}

impl Command for Read {
    fn enqueue(
        &mut self,
        queue: ur_queue_handle_t,
        blocking: bool,
        wait: Wait,
        event: *mut ur_event_handle_t,
    ) -> ur_result_t {
        let buffer = self.buffer.as_ref().map_or(null_mut(), Memory::get);
        let to = self.host.at().cast();
        let (count, list) = (wait.count, wait.list);
        ur!(urEnqueueMemBufferRead(
            queue, buffer, blocking, 0, SIZE, to, count, list, event
        ))
    }

    fn happened(&mut self, _: &Scene) -> Result<Option<bool>, Stop> {
        Ok(Some(self.host.bytes() == bytes(SIZE, 1)))
    }

    fn forget(&mut self) -> Outcome {
        self.buffer.take().map_or(Ok(()), Memory::release)
    }
}

pub(crate) fn tests(suite: &mut Suite<'_>) {
    common::tests(suite, SUBJECT);
    for (how, blocking) in [("blocking", true), ("not_blocking", false)] {
        for size in [1, 3, 64, 4096, 65537, 1 << 20] {
            for offset in [0, 1, 4, 4096] {
                let name = format!("{how}::{}_from_{}", named(size), named(offset));
                suite.device(name, move |cx| part(cx, size, offset, blocking));
            }
        }
        for (name, flags) in SOURCES {
            let name = format!("{how}::of::{name}");
            suite.device(name, move |cx| of_buffer(cx, flags.0, blocking));
        }
        suite.device(format!("{how}::of::sub_buffer"), move |cx| {
            of_part(cx, blocking)
        });
    }
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
                urEnqueueMemBufferRead(
                    scene.queue.get(),
                    buffer.get(),
                    true,
                    offset,
                    size,
                    host.at().cast(),
                    0,
                    null(),
                    null_mut()
                )
            )?;
            Ok(())
        });
    }
}

const SOURCES: [(&str, ur_mem_flag_t); 3] = [
    ("read_write", UR_MEM_FLAG_READ_WRITE),
    ("read_only", UR_MEM_FLAG_READ_ONLY),
    ("write_only", UR_MEM_FLAG_WRITE_ONLY),
];

fn read(scene: &Scene, buffer: &Memory, offset: usize, host: &mut Host, blocking: bool) -> Outcome {
    let size = host.bytes().len();
    let result = ok!(urEnqueueMemBufferRead(
        scene.queue.get(),
        buffer.get(),
        blocking,
        offset,
        size,
        host.at().cast(),
        0,
        null(),
        null_mut()
    ));
    if !blocking {
        scene.queue.finish()?;
    }
    Ok(result?)
}

fn part(cx: &Cx, size: usize, offset: usize, blocking: bool) -> Outcome {
    let scene = Scene::new(cx, 0)?;
    let all = offset + size + 7;
    let buffer = filled(&scene, all, 2)?;
    let mut host = Host::new(size);
    read(&scene, &buffer, offset, &mut host, blocking)?;
    same_host(&host, &bytes(all, 2)[offset..][..size])?;
    same_buffer(&scene, &buffer, &bytes(all, 2))
}

/// A buffer that was made with its bytes.
fn of_buffer(cx: &Cx, flags: u32, blocking: bool) -> Outcome {
    let scene = Scene::new(cx, 0)?;
    let mut from = bytes(SIZE, 3);
    let properties = ur_buffer_properties_t {
        pHost: from.as_mut_ptr().cast(),
        ..Default::default()
    };
    let flags = flags | UR_MEM_FLAG_ALLOC_COPY_HOST_POINTER.0;
    let buffer = Memory::made("urMemBufferCreate", |out| {
        let properties = &raw const properties;
        ur!(urMemBufferCreate(
            scene.context.get(),
            flags,
            SIZE,
            properties,
            out
        ))
    })?;
    from.fill(0);
    let mut host = Host::new(SIZE - 9);
    read(&scene, &buffer, 9, &mut host, blocking)?;
    same_host(&host, &bytes(SIZE, 3)[9..])
}

fn of_part(cx: &Cx, blocking: bool) -> Outcome {
    let scene = Scene::new(cx, 0)?;
    let origin = super::buffers::part_origin(cx)?;
    let buffer = filled(&scene, origin + SIZE, 4)?;
    let part = super::buffers::part_of(&buffer, origin, SIZE)?;
    let mut host = Host::new(SIZE - 5);
    read(&scene, &part, 5, &mut host, blocking)?;
    same_host(&host, &bytes(origin + SIZE, 4)[origin + 5..])
}
