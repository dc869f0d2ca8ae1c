//! Parts of buffers.

use super::{pattern, write};
use crate::failure::Stop;
use crate::objects::{Counted, Memory};
use crate::test::Suite;
use crate::world::Cx;
use crate::{Outcome, ensure, refused, same, ur};
use std::ptr::null_mut;
use ur_api::*;

fn part(whole: &Memory, flags: u32, origin: usize, size: usize) -> Result<Memory, Stop> {
    let region = ur_buffer_region_t {
        origin,
        size,
        ..Default::default()
    };
    Memory::made("urMemBufferPartition", |out| {
        ur!(urMemBufferPartition(
            whole.get(),
            flags,
            UR_BUFFER_CREATE_TYPE_REGION,
            &raw const region,
            out
        ))
    })
}

/// Bytes that parts begin at multiples of.
fn step(cx: &Cx) -> Result<usize, Stop> {
    let bits = cx.device_info::<u32>(UR_DEVICE_INFO_MEM_BASE_ADDR_ALIGN)?;
    Ok((bits.unwrap_or(8) as usize / 8).max(1))
}

/// A part of a buffer of eight steps sees and changes the bytes of the whole at its place.
fn is_the_same_memory(cx: &Cx, first: usize, steps: usize, flags: u32) -> Outcome {
    let step = step(cx)?;
    let (context, queue) = cx.queue(0)?;
    let all = pattern(8 * step);
    let whole = Memory::with(&context, &all)?;
    let (origin, size) = (first * step, steps * step);
    let own = part(&whole, flags, origin, size)?;
    same!("the size", own.info::<usize>(UR_MEM_INFO_SIZE)?, size);
    same!("the count", own.count()?, 1);
    ensure!(
        own.read(&queue, size)? == all[origin..origin + size],
        "the part holds other bytes"
    );
    let new = vec![0xee; size];
    write(&queue, &own, &new)?;
    let mut wanted = all;
    wanted[origin..origin + size].copy_from_slice(&new);
    ensure!(
        whole.read(&queue, 8 * step)? == wanted,
        "the whole holds other bytes"
    );
    Ok(())
}

pub(super) fn tests(suite: &mut Suite<'_>) {
    for (name, flags) in [
        ("read_write", UR_MEM_FLAG_READ_WRITE.0),
        ("write_only", UR_MEM_FLAG_WRITE_ONLY.0),
        ("read_only", UR_MEM_FLAG_READ_ONLY.0),
        ("of_the_whole", 0),
    ] {
        for (first, steps) in [(0, 1), (0, 8), (1, 1), (3, 4), (7, 1)] {
            let case = format!("{name}::steps_{first}_to_{}", first + steps);
            suite.device(case, move |cx| is_the_same_memory(cx, first, steps, flags));
        }
    }
    // A part has the memory of the whole, so nothing of the host's is for it to say.
    for (name, flag) in [
        ("use_host_pointer", UR_MEM_FLAG_USE_HOST_POINTER),
        ("alloc_host_pointer", UR_MEM_FLAG_ALLOC_HOST_POINTER),
        (
            "alloc_copy_host_pointer",
            UR_MEM_FLAG_ALLOC_COPY_HOST_POINTER,
        ),
    ] {
        suite.device(format!("errors::{name}"), move |cx| {
            let context = cx.context()?;
            let whole = Memory::with(&context, &pattern(2 * step(cx)?))?;
            let region = ur_buffer_region_t {
                size: step(cx)?,
                ..Default::default()
            };
            let mut out = null_mut();
            refused!(
                [
                    UR_RESULT_ERROR_INVALID_VALUE,
                    UR_RESULT_ERROR_INVALID_HOST_PTR
                ],
                urMemBufferPartition(
                    whole.get(),
                    flag.0,
                    UR_BUFFER_CREATE_TYPE_REGION,
                    &raw const region,
                    &raw mut out
                )
            )?;
            ensure!(out.is_null(), "a part came with the refusal");
            Ok(())
        });
    }
    suite.device("inherits_the_access_of_the_whole", |cx| {
        is_the_same_memory(cx, 1, 2, 0)
    });
    suite.device("outlives_the_handle_of_the_whole", |cx| {
        let (context, queue) = cx.queue(0)?;
        let step = step(cx)?;
        let whole = Memory::with(&context, &pattern(2 * step))?;
        let own = part(&whole, UR_MEM_FLAG_READ_WRITE.0, step, step)?;
        whole.release()?;
        ensure!(
            own.read(&queue, step)? == pattern(2 * step)[step..],
            "it holds other bytes"
        );
        Ok(())
    });
    suite.device("many_of_one", |cx| {
        let (context, queue) = cx.queue(0)?;
        let step = step(cx)?;
        let whole = Memory::with(&context, &vec![0; 16 * step])?;
        let parts: Result<Vec<Memory>, Stop> = (0..16)
            .map(|at| part(&whole, UR_MEM_FLAG_READ_WRITE.0, at * step, step))
            .collect();
        for (value, own) in parts?.iter().enumerate() {
            write(&queue, own, &vec![value as u8; step])?;
        }
        let held = whole.read(&queue, 16 * step)?;
        let right = held
            .iter()
            .enumerate()
            .all(|(at, b)| *b as usize == at / step);
        ensure!(right, "the whole does not hold what its parts were given");
        Ok(())
    });
    for (name, origin, size) in [
        ("beyond_the_end", 0, 3),
        ("begins_at_the_end", 2, 1),
        ("begins_behind_the_end", 5, 1),
        ("larger_than_all", 0, 1000),
    ] {
        suite.device(format!("refused::{name}"), move |cx| {
            let context = cx.context()?;
            let step = step(cx)?;
            let whole = Memory::buffer(&context, UR_MEM_FLAG_READ_WRITE, 2 * step)?;
            let region = ur_buffer_region_t {
                origin: origin * step,
                size: size * step,
                ..Default::default()
            };
            let mut own = null_mut();
            refused!(
                [
                    UR_RESULT_ERROR_INVALID_BUFFER_SIZE,
                    UR_RESULT_ERROR_INVALID_VALUE,
                    UR_RESULT_ERROR_INVALID_SIZE,
                ],
                urMemBufferPartition(
                    whole.get(),
                    UR_MEM_FLAG_READ_WRITE.0,
                    UR_BUFFER_CREATE_TYPE_REGION,
                    &raw const region,
                    &raw mut own
                )
            )?;
            Ok(())
        });
    }
    suite.device("refused::offset_that_overflows", |cx| {
        let context = cx.context()?;
        let whole = Memory::buffer(&context, UR_MEM_FLAG_READ_WRITE, 4096)?;
        let origin = usize::MAX - usize::MAX % step(cx)?;
        ensure!(
            part(&whole, UR_MEM_FLAG_READ_WRITE.0, origin, 4096).is_err(),
            "it was made"
        );
        Ok(())
    });
    suite.device("refused::no_bytes", |cx| {
        let context = cx.context()?;
        let whole = Memory::buffer(&context, UR_MEM_FLAG_READ_WRITE, 4096)?;
        ensure!(
            part(&whole, UR_MEM_FLAG_READ_WRITE.0, 0, 0).is_err(),
            "it was made"
        );
        Ok(())
    });
    suite.device("refused::part_of_a_part", |cx| {
        let context = cx.context()?;
        let step = step(cx)?;
        let whole = Memory::buffer(&context, UR_MEM_FLAG_READ_WRITE, 4 * step)?;
        let own = part(&whole, UR_MEM_FLAG_READ_WRITE.0, 0, 2 * step)?;
        let again = part(&own, UR_MEM_FLAG_READ_WRITE.0, 0, step);
        ensure!(again.is_err(), "a part of a part was made");
        Ok(())
    });
}
