//! What the functions for buffers share.

use super::bytes::{Host, alike, bytes};
use super::command::Scene;
use crate::Outcome;
use crate::failure::{Stop, check};
use crate::objects::{Memory, Queue};
use crate::ur;
use std::ptr::{null, null_mut};
use ur_api::*;

/// Bytes in the buffers of cases that are about something else.
pub(crate) const SIZE: usize = 256;

/// A buffer whose bytes are those of a seed.
///
/// # Errors
/// When it cannot be made or written.
#[track_caller]
pub(crate) fn filled(scene: &Scene, size: usize, seed: u32) -> Result<Memory, Stop> {
    let buffer = Memory::buffer(&scene.context, UR_MEM_FLAG_READ_WRITE, size)?;
    write(&scene.other, &buffer, 0, &bytes(size, seed))?;
    Ok(buffer)
}

/// Writes bytes to a buffer.
///
/// # Errors
/// When the call does not succeed.
#[track_caller]
pub(crate) fn write(queue: &Queue, buffer: &Memory, offset: usize, from: &[u8]) -> Outcome {
    let code = ur!(urEnqueueMemBufferWrite(
        queue.get(),
        buffer.get(),
        true,
        offset,
        from.len(),
        from.as_ptr().cast(),
        0,
        null(),
        null_mut()
    ));
    check("urEnqueueMemBufferWrite", UR_RESULT_SUCCESS, code)?;
    // A blocking write is done with its source when it returns, not necessarily with the buffer.
    queue.finish()
}

/// Whether a buffer, as seen through the other queue of the scene, holds these bytes.
///
/// # Errors
/// When it cannot be read.
#[track_caller]
pub(crate) fn holds(scene: &Scene, buffer: &Memory, wanted: &[u8]) -> Result<bool, Stop> {
    Ok(buffer.read(&scene.other, wanted.len())? == wanted)
}

/// Whether a buffer holds these bytes and no others.
///
/// # Errors
/// When it cannot be read, or holds others.
#[track_caller]
pub(crate) fn same_buffer(scene: &Scene, buffer: &Memory, wanted: &[u8]) -> Outcome {
    alike("buffer", &buffer.read(&scene.other, wanted.len())?, wanted)
}

/// Whether memory of the host holds these bytes, and nothing beside it was written.
///
/// # Errors
/// When it does not.
#[track_caller]
pub(crate) fn same_host(host: &Host, wanted: &[u8]) -> Outcome {
    alike("host memory", host.bytes(), wanted)?;
    host.guarded()
}

/// Where a part of a buffer may begin: at bits that the device tells, in bytes.
///
/// # Errors
/// When the query is not answered.
#[track_caller]
pub(crate) fn part_origin(cx: &crate::world::Cx) -> Result<usize, Stop> {
    let bits = cx.device_info::<u32>(UR_DEVICE_INFO_MEM_BASE_ADDR_ALIGN)?;
    Ok((bits.unwrap_or(0) as usize / 8).max(128))
}

/// A part of a buffer.
///
/// # Errors
/// When it cannot be made.
#[track_caller]
pub(crate) fn part_of(buffer: &Memory, origin: usize, size: usize) -> Result<Memory, Stop> {
    let region = ur_buffer_region_t {
        origin,
        size,
        ..Default::default()
    };
    Memory::made("urMemBufferPartition", |out| {
        ur!(urMemBufferPartition(
            buffer.get(),
            UR_MEM_FLAG_READ_WRITE.0,
            UR_BUFFER_CREATE_TYPE_REGION,
            &raw const region,
            out
        ))
    })
}
