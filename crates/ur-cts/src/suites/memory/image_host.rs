//! Images made with memory of the host.

use crate::failure::Stop;
use crate::objects::{Context, Memory, Queue, RGBA8, flat};
use crate::test::Suite;
use crate::world::Cx;
use crate::{Outcome, ensure, ok, refused, ur};
use std::ptr::{null, null_mut};
use ur_api::*;

const WIDTH: usize = 7;
const HEIGHT: usize = 5;
/// Bytes of a texel.
const TEXEL: usize = 4;

const REGION: ur_rect_region_t = ur_rect_region_t {
    width: WIDTH as u64,
    height: HEIGHT as u64,
    depth: 1,
};
const ORIGIN: ur_rect_offset_t = ur_rect_offset_t { x: 0, y: 0, z: 0 };

/// An image of these bytes, whose rows lie that far apart; 0 for one behind the other.
fn of(context: &Context, flags: u32, host: &mut [u8], pitch: usize) -> Result<Memory, Stop> {
    let desc = ur_image_desc_t {
        rowPitch: pitch,
        ..flat(WIDTH, HEIGHT)
    };
    Memory::made("urMemImageCreate", |out| {
        let (format, desc) = (&raw const RGBA8, &raw const desc);
        let host = host.as_mut_ptr().cast();
        ur!(urMemImageCreate(
            context.get(),
            flags,
            format,
            desc,
            host,
            out
        ))
    })
}

/// All texels, read through a queue.
fn texels(queue: &Queue, image: &Memory) -> Result<Vec<u8>, Stop> {
    let mut found = vec![0; WIDTH * HEIGHT * TEXEL];
    ok!(urEnqueueMemImageRead(
        queue.get(),
        image.get(),
        true,
        ORIGIN,
        REGION,
        0,
        0,
        found.as_mut_ptr().cast(),
        0,
        null(),
        null_mut()
    ))?;
    Ok(found)
}

/// Writes all texels through a queue.
fn write(queue: &Queue, image: &Memory, bytes: &[u8]) -> Outcome {
    ok!(urEnqueueMemImageWrite(
        queue.get(),
        image.get(),
        true,
        ORIGIN,
        REGION,
        0,
        0,
        bytes.as_ptr().cast_mut().cast(),
        0,
        null(),
        null_mut()
    ))?;
    queue.finish()
}

/// The image holds what the memory held when it was made, with the gaps behind rows left out.
fn holds(cx: &Cx, flags: u32, pitch: usize) -> Outcome {
    cx.needs(UR_DEVICE_INFO_IMAGE_SUPPORT)?;
    let (context, queue) = cx.queue(0)?;
    let row = WIDTH * TEXEL;
    let step = if pitch == 0 { row } else { pitch };
    let mut host = super::pattern(step * HEIGHT);
    let rows = host.chunks_exact(step).flat_map(|r| &r[..row]);
    let wanted: Vec<u8> = rows.copied().collect();
    let image = of(&context, flags, &mut host, pitch)?;
    if flags & UR_MEM_FLAG_USE_HOST_POINTER.0 == 0 {
        // A copy: the memory is the program's again.
        host.fill(0);
    }
    ensure!(texels(&queue, &image)? == wanted, "it holds other texels");
    let new: Vec<u8> = wanted.iter().map(|byte| !byte).collect();
    write(&queue, &image, &new)?;
    ensure!(texels(&queue, &image)? == new, "writing changed nothing");
    if flags & UR_MEM_FLAG_USE_HOST_POINTER.0 == 0 {
        let untouched = host.iter().all(|byte| *byte == 0);
        ensure!(untouched, "the memory that was copied changed");
    }
    Ok(())
}

pub(super) fn tests(suite: &mut Suite<'_>) {
    let alloc = UR_MEM_FLAG_ALLOC_HOST_POINTER.0;
    let copy = UR_MEM_FLAG_ALLOC_COPY_HOST_POINTER.0;
    let usual = UR_MEM_FLAG_READ_WRITE.0;
    let padded = 64;
    for (name, flags, pitch) in [
        ("copy", usual | copy, 0),
        ("copy_without_access", copy, 0),
        ("copy_of_padded_rows", usual | copy, padded),
        ("alloc_copy", usual | alloc | copy, 0),
        ("use", usual | UR_MEM_FLAG_USE_HOST_POINTER.0, 0),
        (
            "use_padded_rows",
            usual | UR_MEM_FLAG_USE_HOST_POINTER.0,
            padded,
        ),
    ] {
        suite.device(format!("host::{name}"), move |cx| holds(cx, flags, pitch));
    }
    suite.device("host::alloc_without_contents", move |cx| {
        cx.needs(UR_DEVICE_INFO_IMAGE_SUPPORT)?;
        let (context, queue) = cx.queue(0)?;
        let image = Memory::image(&context, usual | alloc, &RGBA8, &flat(WIDTH, HEIGHT))?;
        let bytes = super::pattern(WIDTH * HEIGHT * TEXEL);
        write(&queue, &image, &bytes)?;
        ensure!(texels(&queue, &image)? == bytes, "it holds other texels");
        Ok(())
    });
    suite.device("create::no_flags", |cx| {
        cx.needs(UR_DEVICE_INFO_IMAGE_SUPPORT)?;
        let (context, queue) = cx.queue(0)?;
        let image = Memory::image(&context, 0, &RGBA8, &flat(WIDTH, HEIGHT))?;
        let bytes = super::pattern(WIDTH * HEIGHT * TEXEL);
        write(&queue, &image, &bytes)?;
        ensure!(texels(&queue, &image)? == bytes, "it holds other texels");
        Ok(())
    });
    // Both kinds of use of the memory, and flags of access that exclude each other.
    for (name, flags) in [
        ("use_and_copy", UR_MEM_FLAG_USE_HOST_POINTER.0 | copy),
        (
            "two_kinds_of_access",
            copy | UR_MEM_FLAG_READ_ONLY.0 | UR_MEM_FLAG_WRITE_ONLY.0,
        ),
    ] {
        suite.device(format!("refused::{name}"), move |cx| {
            cx.needs(UR_DEVICE_INFO_IMAGE_SUPPORT)?;
            let context = cx.context()?;
            let mut host = vec![0u8; WIDTH * HEIGHT * TEXEL];
            let (desc, mut out) = (flat(WIDTH, HEIGHT), null_mut());
            refused!(
                UR_RESULT_ERROR_INVALID_VALUE,
                urMemImageCreate(
                    context.get(),
                    flags,
                    &raw const RGBA8,
                    &raw const desc,
                    host.as_mut_ptr().cast(),
                    &raw mut out
                )
            )?;
            ensure!(out.is_null(), "an image came with the refusal");
            Ok(())
        });
    }
}
