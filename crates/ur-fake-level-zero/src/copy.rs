//! Boxes of bytes in memory.

/// Where the rows of a box are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rect {
    /// Address of the first byte.
    pub start: usize,
    /// Bytes from one row to the next.
    pub row_pitch: usize,
    /// Bytes from one slice to the next.
    pub slice_pitch: usize,
}

/// How large a box is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Region {
    /// Bytes of a row.
    pub width: usize,
    /// Rows of a slice.
    pub height: usize,
    /// Slices.
    pub depth: usize,
}

impl Rect {
    /// The addresses of its rows.
    pub fn rows(self, region: Region) -> impl Iterator<Item = usize> {
        (0..region.depth).flat_map(move |slice| {
            let start = self.start + slice * self.slice_pitch;
            (0..region.height).map(move |row| start + row * self.row_pitch)
        })
    }

    /// Bytes from the first to behind the last; none if that is too many.
    pub fn span(&self, region: Region) -> Option<usize> {
        if region.width == 0 || region.height == 0 || region.depth == 0 {
            return Some(0);
        }
        let rows = (region.height - 1).checked_mul(self.row_pitch)?;
        let slices = (region.depth - 1).checked_mul(self.slice_pitch)?;
        rows.checked_add(slices)?.checked_add(region.width)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_and_span() {
        let rect = Rect {
            start: 100,
            row_pitch: 10,
            slice_pitch: 50,
        };
        let region = Region {
            width: 4,
            height: 2,
            depth: 2,
        };
        assert_eq!(rect.rows(region).collect::<Vec<_>>(), [100, 110, 150, 160]);
        assert_eq!(rect.span(region), Some(64));
        assert_eq!(rect.span(Region { width: 0, ..region }), Some(0));
        let huge = Region {
            depth: usize::MAX,
            ..region
        };
        assert_eq!(rect.span(huge), None);
    }
}
