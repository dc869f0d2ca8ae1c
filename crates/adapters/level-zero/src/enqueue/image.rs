//! Commands on images.

use super::buffer::expect_same_context;
use super::{Ties, invalid_size};
use crate::event::{Call, Command, submit};
use crate::image::Image;
use crate::memory::Mem;
use crate::queue::Queue;
use crate::ze::{self, check};
use std::ffi::c_void;
use ur_adapter::rect::expect_in_image;
use ur_adapter::{Error, Object, Result};
use ur_api::*;

/// A box of texels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Texels {
    /// Where it begins.
    pub origin: [usize; 3],
    /// Width, height and depth.
    pub extent: [usize; 3],
}

impl Texels {
    /// Level Zero's description. All numbers are within an image's, which have 32 bits.
    pub fn native(&self) -> ze::ze_image_region_t {
        let [x, y, z] = self.origin.map(|number| number as u32);
        let [width, height, depth] = self.extent.map(|number| number as u32);
        ze::ze_image_region_t {
            originX: x,
            originY: y,
            originZ: z,
            width,
            height,
            depth,
        }
    }
}

/// How a box of texels lies in memory: bytes from one row to the next along each of the other two
/// dimensions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Steps {
    row: usize,
    slice: usize,
}

impl Steps {
    /// By the pitches of the API, 0 for tightly packed.
    ///
    /// # Errors
    /// `INVALID_SIZE` for pitches that are too small.
    pub fn of(
        image: &Image,
        extent: [usize; 3],
        (row_pitch, slice_pitch): (usize, usize),
    ) -> Result<Self> {
        let width = extent[0] * image.texel();
        let row = match row_pitch {
            0 => width,
            pitch if pitch >= width => pitch,
            _ => return Err(invalid_size("a row pitch below the region's width")),
        };
        let rows = match image.shape().dimensions() {
            1 => 1,
            _ => extent[1],
        };
        let least = row.checked_mul(rows);
        let least = least.ok_or_else(|| invalid_size("a row pitch that is too large"))?;
        let slice = match slice_pitch {
            0 => least,
            _ if !image.shape().has_slices() => least,
            pitch if pitch >= least => pitch,
            _ => return Err(invalid_size("a slice pitch below the region's slices")),
        };
        // The layers of images of one dimension lie where others have rows.
        let row = match image.shape().dimensions() {
            1 => slice,
            _ => row,
        };
        match row.checked_mul(extent[1]).is_some() && slice.checked_mul(extent[2]).is_some() {
            true => Ok(Self { row, slice }),
            false => Err(invalid_size("pitches that are too large")),
        }
    }

    fn is_tight(&self, width: usize, [_, height, depth]: [usize; 3]) -> bool {
        (height == 1 || self.row == width) && (depth == 1 || self.slice == height * width)
    }
}

/// The boxes that a box is copied in if each must lie in memory without gaps, with where they lie there.
pub fn pieces(image: &Image, all: Texels, steps: Steps) -> Vec<(Texels, usize)> {
    let [width, height, depth] = all.extent;
    let bytes = width * image.texel();
    if steps.is_tight(bytes, all.extent) {
        return vec![(all, 0)];
    }
    let [x, y, z] = all.origin;
    let slices = 0..depth;
    if steps.is_tight(bytes, [width, height, 1]) {
        let slice = |slice| {
            let part = Texels {
                origin: [x, y, z + slice],
                extent: [width, height, 1],
            };
            (part, slice * steps.slice)
        };
        return slices.map(slice).collect();
    }
    let row = |slice, row| {
        let part = Texels {
            origin: [x, y + row, z + slice],
            extent: [width, 1, 1],
        };
        (part, slice * steps.slice + row * steps.row)
    };
    slices
        .flat_map(|slice| (0..height).map(move |at| row(slice, at)))
        .collect()
}

/// A copy between a box of texels and memory of the program.
#[derive(Debug)]
pub struct Transfer<'a> {
    /// The image.
    pub mem: &'a Mem,
    /// Whether the call waits for it.
    pub blocking: bool,
    /// The box.
    pub texels: Texels,
    /// Bytes from one row, and one slice, to the next in memory; 0 for tightly packed.
    pub pitches: (usize, usize),
}

/// Which way texels go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    ToMemory,
    ToImage,
}

/// A list with the events of one command.
struct Ends {
    list: ze::ze_command_list_handle_t,
    signal: ze::ze_event_handle_t,
    count: u32,
    waits: *const ze::ze_event_handle_t,
}

/// Appends the copy of a box that lies in memory without gaps.
unsafe fn piece(
    call: &Call,
    ends: &Ends,
    way: Way,
    image: ze::ze_image_handle_t,
    part: Texels,
    memory: *mut c_void,
) -> Result {
    let region = part.native();
    let region = &raw const region;
    let Ends {
        list,
        signal,
        count,
        waits,
    } = *ends;
    // SAFETY: a list that the caller has for itself, live objects, memory as the caller says.
    check(unsafe {
        match way {
            Way::ToMemory => {
                let copy = call.api.zeCommandListAppendImageCopyToMemory;
                copy(list, memory, image, region, signal, count, waits)
            }
            Way::ToImage => {
                let copy = call.api.zeCommandListAppendImageCopyFromMemory;
                copy(list, image, memory, region, signal, count, waits)
            }
        }
    })
}

/// Enqueues a copy between texels and memory.
unsafe fn transfer(
    queue: &Object<Queue>,
    what: &Transfer<'_>,
    way: Way,
    memory: *mut c_void,
    ties: Ties<'_, '_>,
) -> Result {
    expect_same_context(queue, what.mem)?;
    let (native, image) = what.mem.image()?;
    let all = what.texels;
    expect_in_image(image.extent(), all.origin, all.extent)?;
    let steps = Steps::of(image, all.extent, what.pitches)?;
    let parts = pieces(image, all, steps);
    let kind = match way {
        Way::ToMemory => UR_COMMAND_MEM_IMAGE_READ,
        Way::ToImage => UR_COMMAND_MEM_IMAGE_WRITE,
    };
    let command = Command::new(kind, ties.waits).blocking(what.blocking);
    let keep = what.mem.storage().clone();
    submit(queue, &command, ties.event, keep, |call| {
        if let [(part, _)] = parts[..] {
            let ends = Ends {
                list: call.list,
                signal: call.signal,
                count: call.count,
                waits: call.waits,
            };
            // SAFETY: forwarded.
            return unsafe { piece(call, &ends, way, native, part, memory) };
        }
        call.several(|list| {
            let ends = Ends {
                list,
                signal: ze::ze_event_handle_t::NULL,
                count: 0,
                waits: std::ptr::null(),
            };
            parts.iter().try_for_each(|(part, offset)| {
                let memory = memory.wrapping_byte_add(*offset);
                // SAFETY: forwarded.
                unsafe { piece(call, &ends, way, native, *part, memory) }
            })
        })
    })
}

/// Enqueues a read.
///
/// # Errors
/// `INVALID_SIZE` for a box that leaves the image and for pitches that are too small,
/// `INVALID_MEM_OBJECT` for a buffer, and what the driver says.
///
/// # Safety
/// `to` has room for the box until the command ends.
pub unsafe fn read(
    queue: &Object<Queue>,
    what: &Transfer<'_>,
    to: *mut c_void,
    ties: Ties<'_, '_>,
) -> Result {
    // SAFETY: forwarded.
    unsafe { transfer(queue, what, Way::ToMemory, to, ties) }
}

/// Enqueues a write.
///
/// # Errors
/// As [`read`].
///
/// # Safety
/// `from` has the box until the command ends.
pub unsafe fn write(
    queue: &Object<Queue>,
    what: &Transfer<'_>,
    from: *const c_void,
    ties: Ties<'_, '_>,
) -> Result {
    // SAFETY: forwarded; an image is written from memory that is only read.
    unsafe { transfer(queue, what, Way::ToImage, from.cast_mut(), ties) }
}

/// Enqueues a copy between images of the same format; from and to are an image and an origin.
///
/// # Errors
/// `INVALID_VALUE` for images of different formats, `INVALID_SIZE` for a box that leaves an image,
/// `OVERLAPPING_REGIONS`, and what the driver says.
pub fn copy(
    queue: &Object<Queue>,
    from: (&Mem, [usize; 3]),
    to: (&Mem, [usize; 3]),
    extent: [usize; 3],
    ties: Ties<'_, '_>,
) -> Result {
    expect_same_context(queue, from.0)?;
    expect_same_context(queue, to.0)?;
    let ((src, src_image), (dst, dst_image)) = (from.0.image()?, to.0.image()?);
    if !src_image.has_format_of(dst_image) {
        return Err(Error::value("images of different formats"));
    }
    expect_in_image(src_image.extent(), from.1, extent)?;
    expect_in_image(dst_image.extent(), to.1, extent)?;
    let meet = (0..3).all(|axis| from.1[axis].abs_diff(to.1[axis]) < extent[axis]);
    if src == dst && meet {
        return Err(Error::new(
            UR_RESULT_ERROR_OVERLAPPING_REGIONS,
            "from and to overlap",
        ));
    }
    let texels = |origin| Texels { origin, extent }.native();
    let (there, here) = (texels(to.1), texels(from.1));
    let keep = (from.0.storage().clone(), to.0.storage().clone());
    let command = Command::new(UR_COMMAND_MEM_IMAGE_COPY, ties.waits);
    submit(queue, &command, ties.event, keep, |call| {
        let copy = call.api.zeCommandListAppendImageCopyRegion;
        let (there, here) = (&raw const there, &raw const here);
        // SAFETY: a list that the call has for itself, and live objects.
        check(unsafe {
            copy(
                call.list,
                dst,
                src,
                there,
                here,
                call.signal,
                call.count,
                call.waits,
            )
        })
    })
}
