//! Boxes of bytes in memory, and what a copy of one is to give.

use ur_api::{ur_rect_offset_t, ur_rect_region_t};

/// A box in an area of memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    /// Bytes, rows and slices before it.
    pub(crate) origin: [u64; 3],
    /// Bytes from row to row; 0 for rows without a gap.
    pub(crate) row: usize,
    /// Bytes from slice to slice; 0 for slices without a gap.
    pub(crate) slice: usize,
}

/// A copy of a box.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    /// In names of tests.
    pub(crate) name: &'static str,
    /// Bytes, rows and slices of the box.
    pub(crate) region: [u64; 3],
    /// The box in the buffer that is read or written, or that is copied from.
    pub(crate) buffer: Place,
    /// The box on the other side.
    pub(crate) host: Place,
}

const fn at(origin: [u64; 3], row: usize, slice: usize) -> Place {
    Place { origin, row, slice }
}

const fn shape(name: &'static str, region: [u64; 3], buffer: Place, host: Place) -> Shape {
    Shape {
        name,
        region,
        buffer,
        host,
    }
}

/// Copies of boxes.
#[rustfmt::skip]
pub(crate) const SHAPES: &[Shape] = &[
    shape("one_byte", [1, 1, 1], at([0; 3], 0, 0), at([0; 3], 0, 0)),
    shape("row", [37, 1, 1], at([0; 3], 0, 0), at([0; 3], 0, 0)),
    shape("row_with_origins", [37, 1, 1], at([5, 0, 0], 64, 0), at([11, 0, 0], 64, 0)),
    shape("column", [1, 9, 1], at([3, 0, 0], 16, 0), at([0; 3], 1, 0)),
    shape("plane_without_pitches", [16, 8, 1], at([0; 3], 0, 0), at([0; 3], 0, 0)),
    shape("plane_with_pitches", [16, 8, 1], at([0; 3], 20, 0), at([0; 3], 33, 0)),
    shape("plane_with_origins", [16, 8, 1], at([4, 2, 0], 32, 0), at([1, 3, 0], 24, 0)),
    shape("plane_packed_to_pitched", [16, 8, 1], at([0; 3], 0, 0), at([7, 1, 0], 40, 0)),
    shape("plane_pitched_to_packed", [16, 8, 1], at([7, 1, 0], 40, 0), at([0; 3], 0, 0)),
    shape("box_without_pitches", [8, 4, 3], at([0; 3], 0, 0), at([0; 3], 0, 0)),
    shape("box_with_row_pitches", [8, 4, 3], at([0; 3], 10, 0), at([0; 3], 13, 0)),
    shape("box_with_slice_pitches", [8, 4, 3], at([0; 3], 8, 48), at([0; 3], 8, 40)),
    shape("box_with_all_pitches", [8, 4, 3], at([0; 3], 12, 72), at([0; 3], 10, 60)),
    shape("box_with_origins", [8, 4, 3], at([2, 1, 1], 16, 128), at([3, 2, 2], 20, 140)),
    shape("box_of_one_byte_rows", [1, 4, 4], at([1, 0, 0], 4, 32), at([0; 3], 2, 16)),
    shape("box_with_gap_only_in_slices", [8, 2, 5], at([0, 0, 1], 8, 64), at([0; 3], 0, 0)),
    shape("odd_numbers", [13, 7, 5], at([3, 1, 2], 17, 17 * 11), at([1, 5, 1], 19, 19 * 13)),
    shape("large_plane", [1000, 200, 1], at([24, 3, 0], 1024, 0), at([0; 3], 1000, 0)),
    shape("large_box", [500, 20, 30], at([12, 4, 0], 512, 512 * 24), at([0; 3], 0, 0)),
];

/// Bytes from row to row and from slice to slice.
fn pitches(place: Place, region: [u64; 3]) -> (usize, usize) {
    let row = if place.row == 0 {
        region[0] as usize
    } else {
        place.row
    };
    let slice = if place.slice == 0 {
        row * region[1] as usize
    } else {
        place.slice
    };
    (row, slice)
}

/// Where a byte of the box is.
fn index(place: Place, region: [u64; 3], [x, y, z]: [usize; 3]) -> usize {
    let (row, slice) = pitches(place, region);
    let [ox, oy, oz] = place.origin.map(|n| n as usize);
    (ox + x) + (oy + y) * row + (oz + z) * slice
}

/// Bytes of the smallest area that the box fits in.
pub(crate) fn area(place: Place, region: [u64; 3]) -> usize {
    let last = region.map(|n| n as usize - 1);
    index(place, region, last) + 1
}

/// Copies the box byte by byte.
pub(crate) fn copy(to: &mut [u8], target: Place, from: &[u8], source: Place, region: [u64; 3]) {
    let [width, height, depth] = region.map(|n| n as usize);
    for z in 0..depth {
        for y in 0..height {
            for x in 0..width {
                to[index(target, region, [x, y, z])] = from[index(source, region, [x, y, z])];
            }
        }
    }
}

/// Numbers as the API has them.
pub(crate) fn offset([x, y, z]: [u64; 3]) -> ur_rect_offset_t {
    ur_rect_offset_t { x, y, z }
}

/// Numbers as the API has them.
pub(crate) fn region([width, height, depth]: [u64; 3]) -> ur_rect_region_t {
    ur_rect_region_t {
        width,
        height,
        depth,
    }
}

/// Boxes that are refused, in a buffer of 256 bytes.
#[rustfmt::skip]
pub(crate) const WRONG: &[Shape] = &[
    shape("no_width", [0, 4, 2], at([0; 3], 8, 0), at([0; 3], 8, 0)),
    shape("no_height", [4, 0, 2], at([0; 3], 8, 0), at([0; 3], 8, 0)),
    shape("no_depth", [4, 4, 0], at([0; 3], 8, 0), at([0; 3], 8, 0)),
    shape("row_pitch_below_width", [8, 4, 1], at([0; 3], 7, 0), at([0; 3], 8, 0)),
    shape("other_row_pitch_below_width", [8, 4, 1], at([0; 3], 8, 0), at([0; 3], 7, 0)),
    shape("slice_pitch_below_slice", [8, 4, 2], at([0; 3], 8, 31), at([0; 3], 8, 32)),
    shape("other_slice_pitch_below_slice", [8, 4, 2], at([0; 3], 8, 32), at([0; 3], 8, 31)),
    shape("slice_pitch_no_multiple", [8, 4, 2], at([0; 3], 8, 36), at([0; 3], 8, 32)),
    shape("other_slice_pitch_no_multiple", [8, 4, 2], at([0; 3], 8, 32), at([0; 3], 8, 36)),
    shape("row_beyond_the_end", [257, 1, 1], at([0; 3], 0, 0), at([0; 3], 0, 0)),
    shape("rows_beyond_the_end", [16, 17, 1], at([0; 3], 16, 0), at([0; 3], 0, 0)),
    shape("slices_beyond_the_end", [16, 4, 5], at([0; 3], 16, 64), at([0; 3], 0, 0)),
    shape("x_to_beyond_the_end", [16, 16, 1], at([1, 0, 0], 16, 0), at([0; 3], 0, 0)),
    shape("y_to_beyond_the_end", [16, 8, 1], at([0, 9, 0], 16, 0), at([0; 3], 0, 0)),
    shape("z_to_beyond_the_end", [16, 4, 2], at([0, 0, 3], 16, 64), at([0; 3], 0, 0)),
];
