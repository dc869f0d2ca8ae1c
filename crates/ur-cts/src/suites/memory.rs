//! Buffers and parts of them, and what images say of themselves.

mod image;
mod image_host;
mod part;

use crate::failure::Stop;
use crate::objects::{Context, Counted, Memory, Queue};
use crate::test::Suite;
use crate::world::Cx;
use crate::{Outcome, ensure, ok, refused, same, ur};
use std::ffi::c_void;
use std::ptr::{null, null_mut};
use ur_api::*;

const SIZES: [usize; 7] = [1, 3, 64, 1000, 4096, 65_537, 4 << 20];

fn write(queue: &Queue, memory: &Memory, bytes: &[u8]) -> Outcome {
    ok!(urEnqueueMemBufferWrite(
        queue.get(),
        memory.get(),
        true,
        0,
        bytes.len(),
        bytes.as_ptr().cast(),
        0,
        null(),
        null_mut()
    ))?;
    Ok(())
}

fn pattern(size: usize) -> Vec<u8> {
    (0..size).map(|i| (i % 253) as u8).collect()
}

/// A buffer with these flags, and with a place of the host where it is given.
fn made(context: &Context, flags: u32, size: usize, host: *mut c_void) -> Result<Memory, Stop> {
    let properties = ur_buffer_properties_t {
        pHost: host,
        ..Default::default()
    };
    let properties = if host.is_null() {
        null()
    } else {
        &raw const properties
    };
    Memory::made("urMemBufferCreate", |out| {
        ur!(urMemBufferCreate(
            context.get(),
            flags,
            size,
            properties,
            out
        ))
    })
}

/// The buffer holds what is written to it.
fn holds(cx: &Cx, context: &Context, buffer: &Memory, size: usize) -> Outcome {
    let queue = Queue::new(context, cx.device(), 0)?;
    let wrote = pattern(size);
    write(&queue, buffer, &wrote)?;
    ensure!(
        buffer.read(&queue, size)? == wrote,
        "something else came back"
    );
    Ok(())
}

fn create(cx: &Cx, flags: u32, size: usize) -> Outcome {
    let context = cx.context()?;
    let buffer = made(&context, flags, size, null_mut())?;
    let told: usize = buffer.info(UR_MEM_INFO_SIZE)?;
    ensure!(told >= size, "{told} of {size} bytes");
    let own: ur_context_handle_t = buffer.info(UR_MEM_INFO_CONTEXT)?;
    same!("the context", own, context.get());
    same!("the count", buffer.count()?, 1);
    holds(cx, &context, &buffer, size)
}

const USE: u32 = UR_MEM_FLAG_USE_HOST_POINTER.0;
const COPY: u32 = UR_MEM_FLAG_ALLOC_COPY_HOST_POINTER.0;
const HOST: u32 = UR_MEM_FLAG_ALLOC_HOST_POINTER.0;

/// What the host gives is in the buffer.
fn from_host(cx: &Cx, flags: u32, size: usize) -> Outcome {
    let (context, queue) = cx.queue(0)?;
    let mut host = pattern(size);
    let wanted = host.clone();
    let buffer = made(&context, flags, size, host.as_mut_ptr().cast())?;
    if flags & COPY != 0 {
        // It was copied when the buffer was made.
        host.fill(0xff);
    }
    ensure!(
        buffer.read(&queue, size)? == wanted,
        "it holds something else"
    );
    let again: Vec<u8> = wanted.iter().map(|byte| !byte).collect();
    write(&queue, &buffer, &again)?;
    ensure!(
        buffer.read(&queue, size)? == again,
        "it does not hold what was written"
    );
    if flags & COPY != 0 {
        ensure!(
            host.iter().all(|b| *b == 0xff),
            "the host's own bytes changed"
        );
    }
    drop(buffer);
    queue.finish()
}

/// A place of the host that a buffer uses shows the buffer's contents while it is mapped.
fn mapped_host(cx: &Cx) -> Outcome {
    let (context, queue) = cx.queue(0)?;
    let mut host = vec![0u8; 4096];
    let flags = UR_MEM_FLAG_READ_WRITE.0 | USE;
    let buffer = made(&context, flags, host.len(), host.as_mut_ptr().cast())?;
    write(&queue, &buffer, &pattern(4096))?;
    let mut at = null_mut();
    ok!(urEnqueueMemBufferMap(
        queue.get(),
        buffer.get(),
        true,
        UR_MAP_FLAG_READ.0,
        0,
        4096,
        0,
        null(),
        null_mut(),
        &raw mut at
    ))?;
    same!("where it is mapped", at.cast(), host.as_mut_ptr());
    // SAFETY: the mapping is the vector's own memory, which nobody writes now.
    let seen = unsafe { std::slice::from_raw_parts(at.cast::<u8>(), 4096) };
    ensure!(
        *seen == pattern(4096)[..],
        "the mapping shows something else"
    );
    ok!(urEnqueueMemUnmap(
        queue.get(),
        buffer.get(),
        at,
        0,
        null(),
        null_mut()
    ))?;
    queue.finish()
}

pub(crate) fn tests(suite: &mut Suite<'_>) {
    for (name, flags) in [
        ("read_write", UR_MEM_FLAG_READ_WRITE.0),
        ("write_only", UR_MEM_FLAG_WRITE_ONLY.0),
        ("read_only", UR_MEM_FLAG_READ_ONLY.0),
        ("alloc_host_pointer", UR_MEM_FLAG_READ_WRITE.0 | HOST),
        ("no_flags", 0),
    ] {
        for size in SIZES {
            suite.device(format!("buffer_create::{name}::{size}_bytes"), move |cx| {
                create(cx, flags, size)
            });
        }
    }
    for (name, flags) in [
        ("use_host_pointer", USE),
        ("alloc_copy_host_pointer", COPY),
        ("alloc_host_pointer_and_copy", HOST | COPY),
    ] {
        for size in SIZES {
            suite.device(format!("buffer_create::{name}::{size}_bytes"), move |cx| {
                from_host(cx, UR_MEM_FLAG_READ_WRITE.0 | flags, size)
            });
        }
    }
    suite.device(
        "buffer_create::use_host_pointer::is_what_is_mapped",
        mapped_host,
    );
    suite.device("buffer_create::no_bytes", |cx| {
        let context = cx.context()?;
        let mut buffer = null_mut();
        refused!(
            UR_RESULT_ERROR_INVALID_BUFFER_SIZE,
            urMemBufferCreate(
                context.get(),
                UR_MEM_FLAG_READ_WRITE.0,
                0,
                null(),
                &raw mut buffer
            )
        )?;
        Ok(())
    });
    suite.device("buffer_create::more_than_there_can_be", |cx| {
        let context = cx.context()?;
        let mut buffer = null_mut();
        refused!(
            [
                UR_RESULT_ERROR_INVALID_BUFFER_SIZE,
                UR_RESULT_ERROR_OUT_OF_HOST_MEMORY,
                UR_RESULT_ERROR_OUT_OF_DEVICE_MEMORY,
                UR_RESULT_ERROR_OUT_OF_RESOURCES,
            ],
            urMemBufferCreate(
                context.get(),
                UR_MEM_FLAG_READ_WRITE.0,
                isize::MAX as usize,
                null(),
                &raw mut buffer
            )
        )?;
        Ok(())
    });
    suite.device("buffer_create::a_place_without_a_flag_for_it", |cx| {
        let context = cx.context()?;
        let mut host = [0u8; 64];
        let result = made(
            &context,
            UR_MEM_FLAG_READ_WRITE.0,
            64,
            host.as_mut_ptr().cast(),
        );
        ensure!(result.is_err(), "it was made");
        Ok(())
    });
    for flags in [USE, COPY] {
        suite.device(
            format!("buffer_create::flag_{flags:#x}_without_a_place"),
            move |cx| {
                let context = cx.context()?;
                let result = made(&context, UR_MEM_FLAG_READ_WRITE.0 | flags, 64, null_mut());
                ensure!(result.is_err(), "it was made");
                Ok(())
            },
        );
    }
    for number in [16, 1000] {
        suite.device(format!("buffer_create::{number}_at_once"), move |cx| {
            let (context, queue) = cx.queue(0)?;
            let mut all = Vec::new();
            for value in 0..number {
                all.push(Memory::with(&context, &[value as u8; 40])?);
            }
            for (value, buffer) in all.iter().enumerate() {
                let held = buffer.read(&queue, 40)?;
                ensure!(held == [value as u8; 40], "buffer {value} holds {held:?}");
            }
            Ok(())
        });
    }
    for times in [1, 2, 100] {
        suite.device(format!("retain::{times}_times"), move |cx| {
            let context = cx.context()?;
            let buffer = Memory::buffer(&context, UR_MEM_FLAG_READ_WRITE, 64)?;
            let mut more = Vec::new();
            for count in 2..times + 2 {
                more.push(buffer.retain()?);
                same!("the count", buffer.count()?, count);
            }
            while let Some(one) = more.pop() {
                one.release()?;
                same!("the count", buffer.count()? as usize, more.len() + 1);
            }
            holds(cx, &context, &buffer, 64)
        });
    }
    suite.device("release::commands_keep_what_they_need", |cx| {
        let (context, queue) = cx.queue(0)?;
        let mut host = [0u8; 64];
        let buffer = Memory::with(&context, &[6; 64])?;
        ok!(urEnqueueMemBufferRead(
            queue.get(),
            buffer.get(),
            false,
            0,
            64,
            host.as_mut_ptr().cast(),
            0,
            null(),
            null_mut()
        ))?;
        buffer.release()?;
        queue.finish()?;
        same!("what was read", host, [6; 64]);
        Ok(())
    });
    suite.device("release::outlives_its_context_handle", |cx| {
        let (context, queue) = cx.queue(0)?;
        let buffer = Memory::with(&context, &[6; 64])?;
        context.release()?;
        same!("what it holds", buffer.read(&queue, 64)?, [6; 64]);
        Ok(())
    });
    suite.device("native_handle::there_and_back", |cx| {
        let (context, queue) = cx.queue(0)?;
        let buffer = Memory::with(&context, &[6; 64])?;
        let mut native = 0;
        ok!(urMemGetNativeHandle(
            buffer.get(),
            cx.device(),
            &raw mut native
        ))?;
        let properties = ur_mem_native_properties_t::default();
        let back = Memory::made("urMemBufferCreateWithNativeHandle", |out| {
            let properties = &raw const properties;
            ur!(urMemBufferCreateWithNativeHandle(
                native,
                context.get(),
                properties,
                out
            ))
        })?;
        same!("what it holds", back.read(&queue, 64)?, [6; 64]);
        Ok(())
    });
    suite.validated().global("null_handles", |_| {
        let null_handle = UR_RESULT_ERROR_INVALID_NULL_HANDLE;
        refused!(null_handle, urMemRetain(null_mut()))?;
        refused!(null_handle, urMemRelease(null_mut()))?;
        Ok(())
    });
    part::tests(&mut suite.part("buffer_partition"));
    image_host::tests(&mut suite.part("image"));
    image::tests(&mut suite.part("image"));
}
