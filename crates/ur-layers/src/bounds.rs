//! Whether the memory that a command touches lies within its buffer, image or allocation.
//!
//! Sizes are asked of the adapter that the object names. Only what it said of allocations is kept,
//! until some memory is freed (`memory.rs`).

use crate::memory::{Answers, Question};
use crate::objects::{Call, Family};
use crate::zeroed::Zeroed;
use std::ffi::c_void;
use std::mem::MaybeUninit;
use ur_api::*;

/// The answer to a query, if there is one; `ask` gets room for it.
fn answer<T: Copy>(ask: impl FnOnce(usize, *mut c_void) -> ur_result_t) -> Option<T> {
    let mut room = MaybeUninit::<T>::zeroed();
    let result = ask(size_of::<T>(), room.as_mut_ptr().cast());
    // SAFETY: it is only used for numbers, enumerations and pointers, which zero is one of, and
    // the adapter wrote it.
    (result == UR_RESULT_SUCCESS).then(|| unsafe { room.assume_init() })
}

fn outside(
    call: &Call,
    parameter: &str,
    end: u64,
    size: u64,
    what: &str,
) -> Result<(), ur_result_t> {
    if end <= size {
        return Ok(());
    }
    Err(call.refuse(
        parameter,
        UR_RESULT_ERROR_INVALID_SIZE,
        format_args!("is touched up to byte {end}, beyond the {size} bytes of {what}"),
    ))
}

/// `size` bytes of a buffer from `offset` on.
///
/// # Errors
/// INVALID_SIZE when they do not lie within it.
///
/// # Safety
/// The handle is null or that of a live object.
pub unsafe fn buffer(
    call: &Call,
    parameter: &str,
    memory: ur_mem_handle_t,
    offset: u64,
    size: u64,
) -> Result<(), ur_result_t> {
    // SAFETY: the same is asked of the caller.
    match unsafe { buffer_size(memory) } {
        Some(all) => outside(
            call,
            parameter,
            offset.saturating_add(size),
            all as u64,
            "the buffer",
        ),
        None => Ok(()),
    }
}

/// # Safety
/// The handle is null or that of a live object.
unsafe fn buffer_size(memory: ur_mem_handle_t) -> Option<usize> {
    // SAFETY: the same is asked of the caller.
    let query = unsafe { tables_of(memory) }?.Mem.pfnGetInfo?;
    answer::<usize>(|size, room| {
        // SAFETY: the object is live, and there is room for the answer.
        unsafe { query(memory, UR_MEM_INFO_SIZE, size, room, std::ptr::null_mut()) }
    })
}

/// A box of bytes of a buffer. A pitch of 0 is that of a box without gaps.
///
/// # Errors
/// INVALID_SIZE when its last byte does not lie within the buffer.
///
/// # Safety
/// The handle is null or that of a live object.
pub unsafe fn rectangle(
    call: &Call,
    parameter: &str,
    memory: ur_mem_handle_t,
    origin: ur_rect_offset_t,
    region: ur_rect_region_t,
    row: usize,
    slice: usize,
) -> Result<(), ur_result_t> {
    if region.width == 0 || region.height == 0 || region.depth == 0 {
        return Ok(());
    }
    let end = rectangle_end(origin, region, row, slice);
    // SAFETY: the same is asked of the caller.
    unsafe { buffer(call, parameter, memory, 0, end) }
}

/// The first byte behind a box, which isn't empty.
fn rectangle_end(
    origin: ur_rect_offset_t,
    region: ur_rect_region_t,
    row: usize,
    slice: usize,
) -> u64 {
    let row = if row == 0 { region.width } else { row as u64 };
    let slice = if slice == 0 {
        row.saturating_mul(region.height)
    } else {
        slice as u64
    };
    let last = |from: u64, count: u64| from.saturating_add(count - 1);
    last(origin.z, region.depth)
        .saturating_mul(slice)
        .saturating_add(last(origin.y, region.height).saturating_mul(row))
        .saturating_add(last(origin.x, region.width))
        .saturating_add(1)
}

/// A box of texels of an image.
///
/// # Errors
/// INVALID_SIZE when it does not lie within the image.
///
/// # Safety
/// The handle is null or that of a live object.
pub unsafe fn image(
    call: &Call,
    parameter: &str,
    memory: ur_mem_handle_t,
    origin: ur_rect_offset_t,
    region: ur_rect_region_t,
) -> Result<(), ur_result_t> {
    // SAFETY: the same is asked of the caller.
    let Some(query) = (unsafe { tables_of(memory) }).and_then(|tables| tables.Mem.pfnImageGetInfo)
    else {
        return Ok(());
    };
    let ask = |name| {
        answer::<usize>(|size, room| {
            // SAFETY: the object is live, and there is room for the answer.
            unsafe { query(memory, name, size, room, std::ptr::null_mut()) }
        })
    };
    let (Some(width), Some(height), Some(depth)) = (
        ask(UR_IMAGE_INFO_WIDTH),
        ask(UR_IMAGE_INFO_HEIGHT),
        ask(UR_IMAGE_INFO_DEPTH),
    ) else {
        return Ok(());
    };
    // The layers of an array take the place of its first missing dimension.
    let layers = ask(UR_IMAGE_INFO_ARRAY_SIZE).unwrap_or(0).max(1);
    let (height, depth) = match (height, depth) {
        (0, _) => (layers, 1),
        (_, 0) => (height, layers),
        _ => (height, depth),
    };
    for (axis, from, count, all) in [
        ("x", origin.x, region.width, width),
        ("y", origin.y, region.height, height),
        ("z", origin.z, region.depth, depth),
    ] {
        let end = from.saturating_add(count);
        if end > all as u64 {
            return Err(call.refuse(
                parameter,
                UR_RESULT_ERROR_INVALID_SIZE,
                format_args!("is touched up to {axis} = {end}, where the image has {all}"),
            ));
        }
    }
    Ok(())
}

/// Whether `size` bytes from `offset` behind `pointer` on are known to lie within an allocation of
/// the family's context. Everything that gives memory back must be watched.
#[inline(always)]
pub fn known(pointer: *const c_void, offset: u64, size: u64, family: Family) -> bool {
    let question = Question {
        context: family.head,
        address: pointer.addr() as u64,
    };
    ANSWERS.get().find(question).is_some_and(|left| {
        let end = offset.checked_add(size);
        end.is_some_and(|end| end <= left)
    })
}

/// `size` bytes of memory from `offset` behind `pointer` on. Memory that is no USM allocation of
/// the queue's context is the program's own business.
///
/// # Errors
/// INVALID_SIZE when they do not lie within the allocation.
///
/// # Safety
/// The handle is null or that of a live object.
pub unsafe fn usm(
    call: &Call,
    parameter: &str,
    queue: ur_queue_handle_t,
    pointer: *const c_void,
    offset: u64,
    size: u64,
    family: Family,
) -> Result<(), ur_result_t> {
    // The context is known if objects are watched, and with them what frees memory.
    let watched = family.head != 0;
    if watched && known(pointer, offset, size, family) {
        return Ok(());
    }
    let asking = ANSWERS.get().ask().filter(|_| watched);
    // SAFETY: the same is asked of the caller.
    let Some((base, all)) = (unsafe { allocation(queue, pointer) }) else {
        return Ok(());
    };
    let before = (pointer.addr() as u64).wrapping_sub(base.addr() as u64);
    let all = all as u64;
    if let (Some(asking), Some(left)) = (asking, all.checked_sub(before)) {
        let question = Question {
            context: family.head,
            address: pointer.addr() as u64,
        };
        ANSWERS.get().keep(question, asking, left);
    }
    let end = before.saturating_add(offset).saturating_add(size);
    outside(call, parameter, end, all, "the allocation")
}

/// What adapters said of allocations.
static ANSWERS: Zeroed<Answers<64>> = Zeroed::new();

/// A call that may free memory has begun; it ends when this goes.
#[derive(Debug)]
#[must_use]
pub struct Freeing(());

impl Freeing {
    /// Such a call begins.
    pub fn begin() -> Freeing {
        ANSWERS.get().begin_free();
        Freeing(())
    }

    /// The memory may go any time after the call: nothing is kept from now on.
    pub fn later() {
        ANSWERS.get().begin_free();
    }
}

impl Drop for Freeing {
    fn drop(&mut self) {
        ANSWERS.get().end_free();
    }
}

/// The last reference to an object is being released, and memory may go with it.
pub(crate) fn begin_free() {
    ANSWERS.get().begin_free();
}

/// That release has ended.
pub(crate) fn end_free() {
    ANSWERS.get().end_free();
}

/// Forgets what adapters said.
pub(crate) fn forget() {
    ANSWERS.get().forget();
}

/// The allocation that a pointer lies in, and its size.
///
/// # Safety
/// The handle is null or that of a live object.
unsafe fn allocation(
    queue: ur_queue_handle_t,
    pointer: *const c_void,
) -> Option<(*const c_void, usize)> {
    if pointer.is_null() {
        return None;
    }
    let nowhere = std::ptr::null_mut();
    // SAFETY: the same is asked of the caller.
    let tables = unsafe { tables_of(queue) }?;
    let of_queue = tables.Queue.pfnGetInfo?;
    let context = answer::<ur_context_handle_t>(|size, room| {
        // SAFETY: the object is live, and there is room for the answer.
        unsafe { of_queue(queue, UR_QUEUE_INFO_CONTEXT, size, room, nowhere) }
    })?;
    let of_memory = tables.USM.pfnGetMemAllocInfo?;
    // SAFETY: the context of a live queue is live, and there is room for the answer.
    let ask = |name, size, room| unsafe { of_memory(context, pointer, name, size, room, nowhere) };
    let kind = answer::<ur_usm_type_t>(|size, room| ask(UR_USM_ALLOC_INFO_TYPE, size, room))?;
    if kind == UR_USM_TYPE_UNKNOWN {
        return None;
    }
    let base = answer::<*const c_void>(|size, room| ask(UR_USM_ALLOC_INFO_BASE_PTR, size, room))?;
    let all = answer::<usize>(|size, room| ask(UR_USM_ALLOC_INFO_SIZE, size, room))?;
    Some((base, all))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_of_boxes() {
        let at = |x, y, z| ur_rect_offset_t { x, y, z };
        let of = |width, height, depth| ur_rect_region_t {
            width,
            height,
            depth,
        };
        assert_eq!(rectangle_end(at(0, 0, 0), of(4, 1, 1), 0, 0), 4);
        assert_eq!(rectangle_end(at(0, 0, 0), of(4, 3, 2), 0, 0), 24);
        // The last row need not be as long as the pitch.
        assert_eq!(rectangle_end(at(1, 0, 0), of(4, 3, 1), 10, 0), 25);
        assert_eq!(rectangle_end(at(0, 1, 1), of(4, 3, 1), 10, 100), 134);
        assert_eq!(
            rectangle_end(at(u64::MAX, 0, 0), of(4, 3, 1), 10, 100),
            u64::MAX
        );
    }
}
