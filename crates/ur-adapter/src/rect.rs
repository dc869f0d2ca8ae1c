//! Boxes of bytes in buffers and in memory of the program, and boxes of texels.

use crate::{Error, Result};
use ur_api::*;

/// Where a box of bytes lies: its origin in bytes, rows and slices, and the distances between rows and
/// slices in bytes, 0 for tightly packed.
#[derive(Clone, Copy, Debug)]
pub struct Placement {
    /// Origin in bytes, rows and slices.
    pub origin: [usize; 3],
    /// Bytes from one row to the next; 0 means the width of the box.
    pub row_pitch: usize,
    /// Bytes from one slice to the next; 0 means the height of the box times the row pitch.
    pub slice_pitch: usize,
}

/// Three numbers of the API.
fn three(x: u64, y: u64, z: u64) -> [usize; 3] {
    [x, y, z].map(|number| number as usize)
}

/// An origin of the API as numbers.
pub fn origin(offset: ur_rect_offset_t) -> [usize; 3] {
    three(offset.x, offset.y, offset.z)
}

/// An extent of the API as numbers.
pub fn extent(region: ur_rect_region_t) -> [usize; 3] {
    three(region.width, region.height, region.depth)
}

impl Placement {
    /// The placement that a call passes.
    pub fn new(offset: ur_rect_offset_t, row_pitch: usize, slice_pitch: usize) -> Self {
        Self {
            origin: origin(offset),
            row_pitch,
            slice_pitch,
        }
    }

    /// The offset one past the last byte of a box of this extent; none if a number overflows, the box
    /// is empty, or a pitch does not fit.
    fn end(&self, [width, height, depth]: [usize; 3]) -> Option<usize> {
        if width == 0 || height == 0 || depth == 0 {
            return None;
        }
        let row_pitch = match self.row_pitch {
            0 => width,
            pitch if pitch >= width => pitch,
            _ => return None,
        };
        let least = height.checked_mul(row_pitch)?;
        let slice_pitch = match self.slice_pitch {
            0 => least,
            pitch if pitch >= least && pitch.is_multiple_of(row_pitch) => pitch,
            _ => return None,
        };
        let [x, y, z] = self.origin;
        let rows = y.checked_add(height - 1)?.checked_mul(row_pitch)?;
        let slices = z.checked_add(depth - 1)?.checked_mul(slice_pitch)?;
        x.checked_add(width)?.checked_add(rows)?.checked_add(slices)
    }

    /// The same with the pitches that a box of this extent has where none is given, for which
    /// [`Placement::end_of`] must have found an end.
    #[must_use]
    pub fn with_pitches(mut self, [width, height, _]: [usize; 3]) -> Self {
        if self.row_pitch == 0 {
            self.row_pitch = width;
        }
        if self.slice_pitch == 0 {
            self.slice_pitch = height * self.row_pitch;
        }
        self
    }

    /// The offset of the first byte of a box, by the pitches that there are.
    pub fn start(&self) -> usize {
        let [x, y, z] = self.origin;
        x + y * self.row_pitch + z * self.slice_pitch
    }

    /// The offset one past the last byte of a box of this extent.
    ///
    /// # Errors
    /// `INVALID_SIZE` for a box that is empty or too large, and for pitches that do not fit it.
    pub fn end_of(&self, extent: [usize; 3]) -> Result<usize> {
        self.end(extent).ok_or_else(|| {
            Error::new(
                UR_RESULT_ERROR_INVALID_SIZE,
                "empty region, or pitches that do not fit it",
            )
        })
    }
}

/// Fails unless a box of texels is not empty and lies inside an image of extent `whole`.
///
/// # Errors
/// `INVALID_SIZE`.
pub fn expect_in_image(whole: [usize; 3], origin: [usize; 3], extent: [usize; 3]) -> Result {
    let inside = (0..3).all(|axis| {
        let end = origin[axis].checked_add(extent[axis]);
        extent[axis] != 0 && end.is_some_and(|end| end <= whole[axis])
    });
    match inside {
        true => Ok(()),
        false => Err(Error::new(
            UR_RESULT_ERROR_INVALID_SIZE,
            "a region that is empty or leaves the image",
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn end(origin: [usize; 3], row: usize, slice: usize, extent: [usize; 3]) -> Option<usize> {
        let placement = Placement {
            origin,
            row_pitch: row,
            slice_pitch: slice,
        };
        placement.end(extent)
    }

    #[test]
    fn ends_of_boxes() {
        assert_eq!(end([0; 3], 0, 0, [4, 3, 2]), Some(24));
        assert_eq!(end([1, 2, 3], 10, 50, [4, 3, 2]), Some(1 + 4 + 40 + 200));
        assert_eq!(end([0; 3], 3, 0, [4, 1, 1]), None);
        assert_eq!(end([0; 3], 4, 11, [4, 3, 2]), None);
        assert_eq!(end([0; 3], 4, 14, [4, 3, 2]), None);
        assert_eq!(end([0; 3], 0, 0, [0, 1, 1]), None);
        assert_eq!(end([usize::MAX, 0, 0], 0, 0, [1, 1, 1]), None);
        assert_eq!(end([0, usize::MAX, 0], 0, 0, [1, 1, 1]), None);
    }

    #[test]
    fn a_box_begins_at_its_origin() {
        let tight = Placement {
            origin: [1, 2, 3],
            row_pitch: 0,
            slice_pitch: 0,
        };
        let tight = tight.with_pitches([4, 3, 2]);
        assert_eq!((tight.row_pitch, tight.slice_pitch), (4, 12));
        assert_eq!(tight.start(), 1 + 2 * 4 + 3 * 12);
        let wide = Placement {
            row_pitch: 10,
            slice_pitch: 50,
            ..tight
        };
        assert_eq!(wide.with_pitches([4, 3, 2]).start(), 1 + 20 + 150);
    }
}
