//! Copies of regions of images.

use super::Image;
use crate::copy::{Rect, Region};
use crate::enqueue::work::{Prepared, RectCopy};
use crate::memory::Mem;
use ur_adapter::{Error, Result};
use ur_api::*;

fn bad_region(message: &'static str) -> Error {
    Error::new(UR_RESULT_ERROR_INVALID_SIZE, message)
}

impl Image {
    /// The region at `origin` as a rectangle of bytes. Origin and region count texels, and layers in
    /// the place behind the last dimension.
    ///
    /// # Errors
    /// `INVALID_SIZE` for a region that is empty or leaves the image.
    fn rect(&self, origin: ur_rect_offset_t, region: ur_rect_region_t) -> Result<(Rect, Region)> {
        let origin = [origin.x, origin.y, origin.z];
        let size = [region.width, region.height, region.depth];
        let mut start = self.descriptor.data as u64;
        for axis in 0..3 {
            if size[axis] == 0 {
                return Err(bad_region("an empty region"));
            }
            let end = origin[axis].checked_add(size[axis]);
            if end.is_none_or(|end| end > u64::from(self.descriptor.extent[axis])) {
                return Err(bad_region("a region that leaves the image"));
            }
            start += origin[axis] * self.descriptor.pitch[axis];
        }
        let [texel, row_pitch, slice_pitch] = self.descriptor.pitch.map(|pitch| pitch as usize);
        let rect = Rect {
            start: start as usize,
            row_pitch,
            slice_pitch,
        };
        let region = Region {
            width: region.width as usize * texel,
            height: region.height as usize,
            depth: region.depth as usize,
        };
        Ok((rect, region))
    }

    /// Memory of the program for such a region.
    ///
    /// # Errors
    /// `INVALID_SIZE` for pitches that do not fit it.
    fn host(
        &self,
        start: usize,
        region: Region,
        row_pitch: usize,
        slice_pitch: usize,
    ) -> Result<Rect> {
        let array_of_rows = self.descriptor.dims == 1 && self.descriptor.layer < 3;
        let row_pitch = match row_pitch {
            0 => region.width,
            pitch if pitch >= region.width => pitch,
            _ => return Err(bad_region("a row pitch below the region's width")),
        };
        let rows = if array_of_rows { 1 } else { region.height };
        let least = row_pitch
            .checked_mul(rows)
            .ok_or_else(|| bad_region("a row pitch that is too large"))?;
        let slices = array_of_rows || region.depth > 1;
        let slice_pitch = match slice_pitch {
            0 => least,
            pitch if pitch >= least || !slices => pitch,
            _ => return Err(bad_region("a slice pitch below the region's slices")),
        };
        let count = if array_of_rows {
            region.height
        } else {
            region.depth
        };
        let end = slice_pitch.checked_mul(count);
        if end.is_none_or(|end| end.checked_add(start).is_none()) {
            return Err(bad_region("a slice pitch that is too large"));
        }
        Ok(if array_of_rows {
            Rect {
                start,
                row_pitch: slice_pitch,
                slice_pitch: 0,
            }
        } else {
            Rect {
                start,
                row_pitch,
                slice_pitch,
            }
        })
    }
}

/// A copy of a region of an image to memory of the program.
///
/// # Errors
/// `INVALID_MEM_OBJECT` for a buffer, `INVALID_SIZE` for a region or pitches that do not fit.
pub fn read(
    image: &Mem,
    origin: ur_rect_offset_t,
    region: ur_rect_region_t,
    [row_pitch, slice_pitch]: [usize; 2],
    host: usize,
) -> Result<Prepared> {
    let about = image.image()?;
    let (src, region) = about.rect(origin, region)?;
    let dst = about.host(host, region, row_pitch, slice_pitch)?;
    let keep = [Some(image.storage()), None];
    Ok(RectCopy::prepare(dst, src, region, keep))
}

/// A copy from memory of the program to a region of an image.
///
/// # Errors
/// As [`read`].
pub fn write(
    image: &Mem,
    origin: ur_rect_offset_t,
    region: ur_rect_region_t,
    [row_pitch, slice_pitch]: [usize; 2],
    host: usize,
) -> Result<Prepared> {
    let about = image.image()?;
    let (dst, region) = about.rect(origin, region)?;
    let src = about.host(host, region, row_pitch, slice_pitch)?;
    let keep = [Some(image.storage()), None];
    Ok(RectCopy::prepare(dst, src, region, keep))
}

/// A copy of a region from one image to another of the same format.
///
/// # Errors
/// As [`read`]; `INVALID_VALUE` for images of different formats, `OVERLAPPING_REGIONS` for regions of
/// one image that share a texel.
pub fn copy(
    src: &Mem,
    dst: &Mem,
    src_origin: ur_rect_offset_t,
    dst_origin: ur_rect_offset_t,
    region: ur_rect_region_t,
) -> Result<Prepared> {
    let (from, to) = (src.image()?, dst.image()?);
    if from.descriptor.format != to.descriptor.format {
        return Err(Error::value("images of different formats"));
    }
    let (source, size) = from.rect(src_origin, region)?;
    let (target, _) = to.rect(dst_origin, region)?;
    let shares = |a: u64, b: u64, size: u64| a.abs_diff(b) < size;
    if from.descriptor.data == to.descriptor.data
        && shares(src_origin.x, dst_origin.x, region.width)
        && shares(src_origin.y, dst_origin.y, region.height)
        && shares(src_origin.z, dst_origin.z, region.depth)
    {
        return Err(Error::new(
            UR_RESULT_ERROR_OVERLAPPING_REGIONS,
            "the regions share texels",
        ));
    }
    let keep = [Some(src.storage()), Some(dst.storage())];
    Ok(RectCopy::prepare(target, source, size, keep))
}
