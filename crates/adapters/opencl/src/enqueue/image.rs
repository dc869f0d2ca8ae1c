//! Commands on images.

use super::buffer::{Ties, Way};
use super::invalid_size;
use crate::event::submit;
use crate::image::Image;
use crate::memory::Mem;
use crate::queue::Queue;
use std::ffi::c_void;
use ur_adapter::rect;
use ur_adapter::{Error, Object, Result};
use ur_api::*;

/// A copy between a box of texels and memory of the program.
pub struct Transfer<'a> {
    /// The image.
    pub mem: &'a Mem,
    /// Whether the call waits for it.
    pub blocking: bool,
    /// Where the box begins, in texels.
    pub origin: [usize; 3],
    /// Width, height and depth of the box in texels.
    pub extent: [usize; 3],
    /// Bytes from one row to the next in memory; 0 for tightly packed.
    pub row_pitch: usize,
    /// Bytes from one slice to the next in memory; 0 for tightly packed.
    pub slice_pitch: usize,
}

impl Transfer<'_> {
    fn check(&self) -> Result {
        let image = self.mem.image()?;
        rect::expect_in_image(image.extent(), self.origin, self.extent)?;
        self.check_pitches(image)
    }

    /// Pitches that are too small are an error of another name in OpenCL.
    fn check_pitches(&self, image: &Image) -> Result {
        let width = self.extent[0].saturating_mul(image.texel());
        if self.row_pitch != 0 && self.row_pitch < width {
            return Err(invalid_size("a row pitch below the region's width"));
        }
        let row = self.row_pitch.max(width);
        let rows = match image.dimensions() {
            1 => 1,
            _ => self.extent[1],
        };
        if self.slice_pitch != 0
            && image.has_slices()
            && self.slice_pitch < row.saturating_mul(rows)
        {
            return Err(invalid_size("a slice pitch below the region's slices"));
        }
        Ok(())
    }

    /// The slice pitch as OpenCL wants it, which allows none where there are no slices.
    fn slice_pitch(&self) -> usize {
        match self.mem.image() {
            Ok(image) if image.has_slices() => self.slice_pitch,
            _ => 0,
        }
    }
}

/// Enqueues a copy of a box between an image and memory.
///
/// # Errors
/// `INVALID_SIZE` for a box outside of the image or pitches that do not fit, `INVALID_MEM_OBJECT` for a
/// buffer, and what the driver says.
///
/// # Safety
/// The memory has the box, or room for it, until the command ends.
pub unsafe fn transfer(
    queue: &Object<Queue>,
    way: Way,
    what: &Transfer<'_>,
    memory: *mut c_void,
    ties: Ties<'_, '_>,
) -> Result {
    what.check()?;
    let api = queue.api();
    let (enqueue, kind) = match way {
        Way::Read => (api.clEnqueueReadImage, UR_COMMAND_MEM_IMAGE_READ),
        Way::Write => (api.clEnqueueWriteImage, UR_COMMAND_MEM_IMAGE_WRITE),
    };
    submit(queue, kind, ties.waits, ties.event, |call| {
        way.enqueue(queue, call, what.blocking, |c, blocking| {
            // SAFETY: live objects, and memory as the caller says.
            unsafe {
                enqueue(
                    c.queue,
                    what.mem.native(),
                    blocking,
                    what.origin.as_ptr(),
                    what.extent.as_ptr(),
                    what.row_pitch,
                    what.slice_pitch(),
                    memory,
                    c.count,
                    c.waits,
                    c.event,
                )
            }
        })
    })
}

/// Enqueues a copy between images of the same format; from and to are an image and an origin.
pub fn copy(
    queue: &Object<Queue>,
    from: (&Mem, [usize; 3]),
    to: (&Mem, [usize; 3]),
    extent: [usize; 3],
    ties: Ties<'_, '_>,
) -> Result {
    let (src, dst) = (from.0.image()?, to.0.image()?);
    if !src.has_format_of(dst) {
        return Err(Error::value("images of different formats"));
    }
    rect::expect_in_image(src.extent(), from.1, extent)?;
    rect::expect_in_image(dst.extent(), to.1, extent)?;
    let enqueue = queue.api().clEnqueueCopyImage;
    let kind = UR_COMMAND_MEM_IMAGE_COPY;
    submit(queue, kind, ties.waits, ties.event, |c| {
        // SAFETY: live objects, and arrays of three.
        unsafe {
            enqueue(
                c.queue,
                from.0.native(),
                to.0.native(),
                from.1.as_ptr(),
                to.1.as_ptr(),
                extent.as_ptr(),
                c.count,
                c.waits,
                c.event,
            )
        }
    })
}
