//! Copies and fills of host memory, whole, by rectangle and in two dimensions.
//!
//! All addresses are plain numbers here; that they are valid is the caller's business.

/// Bytes of a piece of a large copy or fill: enough to outweigh handing it to another thread.
pub const PIECE: usize = 1 << 20;

/// A rectangle in memory: the address of its first byte and the distances between rows and slices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rect {
    /// Address of the byte at the rectangle's own origin.
    pub start: usize,
    /// Bytes from one row to the next.
    pub row_pitch: usize,
    /// Bytes from one slice to the next.
    pub slice_pitch: usize,
}

/// The extent of a rectangle: bytes in a row, rows in a slice, slices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Region {
    /// Bytes in a row.
    pub width: usize,
    /// Rows in a slice.
    pub height: usize,
    /// Slices.
    pub depth: usize,
}

/// Where a rectangle lies inside an area of memory: offsets in bytes, rows and slices, and pitches
/// in bytes, 0 for tightly packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Placement {
    /// Offset in bytes, rows and slices.
    pub origin: [usize; 3],
    /// Bytes from one row to the next; 0 means the width of the region.
    pub row_pitch: usize,
    /// Bytes from one slice to the next; 0 means the height of the region times the row pitch.
    pub slice_pitch: usize,
}

impl Placement {
    /// The rectangle and the offset one past its last byte, both relative to the area's start; none
    /// if a number overflows, the region is empty, or a pitch is too small.
    pub fn resolve(&self, region: Region) -> Option<(Rect, usize)> {
        if region.width == 0 || region.height == 0 || region.depth == 0 {
            return None;
        }
        let row_pitch = match self.row_pitch {
            0 => region.width,
            pitch if pitch >= region.width => pitch,
            _ => return None,
        };
        let least = region.height.checked_mul(row_pitch)?;
        let slice_pitch = match self.slice_pitch {
            0 => least,
            pitch if pitch >= least && pitch.is_multiple_of(row_pitch) => pitch,
            _ => return None,
        };
        let start = self.origin[0]
            .checked_add(self.origin[1].checked_mul(row_pitch)?)?
            .checked_add(self.origin[2].checked_mul(slice_pitch)?)?;
        let end = start
            .checked_add((region.depth - 1).checked_mul(slice_pitch)?)?
            .checked_add((region.height - 1).checked_mul(row_pitch)?)?
            .checked_add(region.width)?;
        let rect = Rect {
            start,
            row_pitch,
            slice_pitch,
        };
        Some((rect, end))
    }
}

/// Number of pieces in which `size` bytes are copied or filled.
pub fn pieces(size: usize) -> u64 {
    size.div_ceil(PIECE).max(1) as u64
}

/// Start and length of one of the [`pieces`] of `size` bytes.
pub fn piece(size: usize, number: u64) -> (usize, usize) {
    let start = number as usize * PIECE;
    (start, (size - start).min(PIECE))
}

/// Whether two areas of `size` bytes share a byte, so that the copy must not be split.
pub fn overlaps(a: usize, b: usize, size: usize) -> bool {
    a.abs_diff(b) < size
}

/// Copies `size` bytes, which may overlap.
///
/// # Safety
/// The source must be readable and the destination writable for `size` bytes.
pub unsafe fn copy(dst: usize, src: usize, size: usize) {
    // SAFETY: the caller's promise.
    unsafe { std::ptr::copy(src as *const u8, dst as *mut u8, size) };
}

/// Copies a rectangle row by row, or at once where both sides have no gaps.
///
/// # Safety
/// Every row of the source must be readable and every row of the destination writable.
pub unsafe fn copy_rect(dst: Rect, src: Rect, region: Region) {
    let Region {
        width,
        height,
        depth,
    } = region;
    if dst.row_pitch == width && src.row_pitch == width {
        let slice = width * height;
        if dst.slice_pitch == slice && src.slice_pitch == slice {
            // SAFETY: the rows of the rectangle follow each other without gaps on both sides.
            return unsafe { copy(dst.start, src.start, slice * depth) };
        }
        for z in 0..depth {
            // SAFETY: the rows of a slice follow each other without gaps on both sides.
            unsafe {
                copy(
                    dst.start + z * dst.slice_pitch,
                    src.start + z * src.slice_pitch,
                    slice,
                )
            };
        }
        return;
    }
    for z in 0..depth {
        for y in 0..height {
            // SAFETY: one row, as the caller promises.
            unsafe {
                copy(
                    dst.start + z * dst.slice_pitch + y * dst.row_pitch,
                    src.start + z * src.slice_pitch + y * src.row_pitch,
                    width,
                )
            };
        }
    }
}

/// Fills `size` bytes with `pattern` over and over; a last incomplete one is cut. `phase` is the
/// number of bytes of the pattern that precede the area.
///
/// # Safety
/// The destination must be writable for `size` bytes.
pub unsafe fn fill(dst: usize, size: usize, pattern: &[u8], phase: usize) {
    if size == 0 || pattern.is_empty() {
        return;
    }
    // SAFETY: the caller's promise; the pattern is memory of our own and not part of the area.
    let area = unsafe { std::slice::from_raw_parts_mut(dst as *mut u8, size) };
    if let Some(&byte) = pattern.first()
        && pattern.iter().all(|&other| other == byte)
    {
        area.fill(byte);
        return;
    }
    let phase = phase % pattern.len();
    // The first pattern byte by byte, then the filled part is doubled, a whole number of patterns.
    let first = pattern.len().min(size);
    for (at, byte) in area[..first].iter_mut().enumerate() {
        *byte = pattern[(phase + at) % pattern.len()];
    }
    let mut filled = first;
    while filled < size {
        // Copies of at most 64 KiB keep the source in the nearest cache.
        let step = filled
            .min(size - filled)
            .min(largest_multiple(first, 1 << 16));
        area.copy_within(..step, filled);
        filled += step;
    }
}

/// The largest multiple of `unit` up to `limit`, at least `unit` itself.
fn largest_multiple(unit: usize, limit: usize) -> usize {
    (limit / unit).max(1) * unit
}

/// Fills `height` rows of `width` bytes, `pitch` apart, as one run of patterns across the rows.
///
/// # Safety
/// Every row must be writable.
pub unsafe fn fill_2d(dst: usize, pitch: usize, width: usize, height: usize, pattern: &[u8]) {
    for row in 0..height {
        // SAFETY: one row, as the caller promises.
        unsafe { fill(dst + row * pitch, width, pattern, row * width) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn bytes(len: usize, seed: usize) -> Vec<u8> {
        (0..len).map(|i| ((i + seed) * 131 % 251) as u8).collect()
    }

    #[test]
    fn pieces_cover_everything_once() {
        for size in [1, PIECE - 1, PIECE, PIECE + 1, 5 * PIECE + 3] {
            let mut at = 0;
            for number in 0..pieces(size) {
                let (start, len) = piece(size, number);
                assert_eq!(start, at);
                assert!(len > 0);
                at += len;
            }
            assert_eq!(at, size);
        }
    }

    #[test]
    fn bad_placements_are_refused() {
        let region = Region {
            width: 8,
            height: 2,
            depth: 2,
        };
        let place = |origin, row_pitch, slice_pitch| {
            Placement {
                origin,
                row_pitch,
                slice_pitch,
            }
            .resolve(region)
        };
        assert!(place([0; 3], 0, 0).is_some());
        assert!(place([0; 3], 7, 0).is_none());
        assert!(place([0; 3], 8, 15).is_none());
        assert!(place([0; 3], 10, 25).is_none());
        assert!(place([usize::MAX, 0, 0], 0, 0).is_none());
        assert!(place([0, usize::MAX / 2, 0], 8, 0).is_none());
        assert!(place([0; 3], usize::MAX / 2, 0).is_none());
        let empty = Region { depth: 0, ..region };
        let tight = Placement {
            origin: [0; 3],
            row_pitch: 0,
            slice_pitch: 0,
        };
        assert!(tight.resolve(empty).is_none());
    }

    prop_compose! {
        fn placement(width: usize, height: usize)(
            origin in prop::array::uniform3(0usize..4),
            row in prop::option::of(0usize..5),
            rows in prop::option::of(0usize..3),
        ) -> Placement {
            let row_pitch = row.map_or(0, |extra| width + extra);
            let effective = if row_pitch == 0 { width } else { row_pitch };
            let slice_pitch = rows.map_or(0, |extra| (height + extra) * effective);
            Placement { origin, row_pitch, slice_pitch }
        }
    }

    prop_compose! {
        fn copies()(
            width in 1usize..9, height in 1usize..5, depth in 1usize..4,
        )(
            region in Just(Region { width, height, depth }),
            src in placement(width, height),
            dst in placement(width, height),
        ) -> (Region, Placement, Placement) {
            (region, src, dst)
        }
    }

    proptest! {
        #[test]
        fn rectangles_equal_the_naive_model((region, src, dst) in copies()) {
            let (src_rect, src_end) = src.resolve(region).unwrap();
            let (dst_rect, dst_end) = dst.resolve(region).unwrap();
            let from = bytes(src_end, 1);
            let mut to = bytes(dst_end, 77);
            let mut expected = to.clone();
            for z in 0..region.depth {
                for y in 0..region.height {
                    for x in 0..region.width {
                        let at = |p: &Placement| {
                            let row = if p.row_pitch == 0 { region.width } else { p.row_pitch };
                            let slice = if p.slice_pitch == 0 {
                                row * region.height
                            } else {
                                p.slice_pitch
                            };
                            (z + p.origin[2]) * slice + (y + p.origin[1]) * row + x + p.origin[0]
                        };
                        expected[at(&dst)] = from[at(&src)];
                    }
                }
            }
            let based = |rect: Rect, base: usize| Rect { start: rect.start + base, ..rect };
            // SAFETY: both vectors reach to the end that `resolve` computed.
            unsafe {
                copy_rect(
                    based(dst_rect, to.as_mut_ptr() as usize),
                    based(src_rect, from.as_ptr() as usize),
                    region,
                )
            };
            prop_assert_eq!(to, expected);
        }

        #[test]
        fn fills_equal_the_naive_model(
            pattern in prop::collection::vec(0u8..3, 1..20),
            size in 0usize..200_000,
            phase in 0usize..40,
        ) {
            let mut area = vec![9u8; size + 1];
            // SAFETY: the vector is longer than the fill.
            unsafe { fill(area.as_mut_ptr() as usize, size, &pattern, phase) };
            for (i, byte) in area[..size].iter().enumerate() {
                prop_assert_eq!(*byte, pattern[(i + phase) % pattern.len()]);
            }
            prop_assert_eq!(area[size], 9);
        }

        #[test]
        fn rows_are_filled_and_gaps_left(
            pattern in prop::collection::vec(0u8..3, 1..9),
            width in 1usize..40, gap in 0usize..5, height in 1usize..6,
        ) {
            let pitch = width + gap;
            let mut area = vec![9u8; pitch * height];
            // SAFETY: the vector holds all rows.
            unsafe { fill_2d(area.as_mut_ptr() as usize, pitch, width, height, &pattern) };
            for (i, byte) in area.iter().enumerate() {
                let (y, x) = (i / pitch, i % pitch);
                let expected = if x < width { pattern[(y * width + x) % pattern.len()] } else { 9 };
                prop_assert_eq!(*byte, expected);
            }
        }

        #[test]
        fn overlapping_copies_move(start in 0usize..50, shift in 0usize..50, size in 1usize..100) {
            let mut area = bytes(250, 3);
            let mut expected = area.clone();
            expected.copy_within(start..start + size, start + shift);
            let base = area.as_mut_ptr() as usize;
            prop_assert_eq!(overlaps(base + start, base + start + shift, size), shift < size);
            // SAFETY: both ranges lie in the vector.
            unsafe { copy(base + start + shift, base + start, size) };
            prop_assert_eq!(area, expected);
        }
    }
}
