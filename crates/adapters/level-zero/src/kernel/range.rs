//! Sizes of launches.

use ur_adapter::{Error, Result};
use ur_api::*;

/// Sizes of a launch; dimensions that it does not have are 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    /// Number of dimensions.
    pub dimensions: u32,
    /// Where ids begin.
    pub offset: [usize; 3],
    /// Global size.
    pub global: [usize; 3],
    /// Work-group size; none if it is for the driver to choose.
    pub local: Option<[usize; 3]>,
}

/// The sizes of an array with one for each dimension, with `default` for the others and for all if the
/// array is null.
///
/// # Safety
/// The array is null or has as many elements as there are dimensions, which are 3 at most.
pub unsafe fn sizes(array: *const usize, dimensions: u32, default: usize) -> [usize; 3] {
    std::array::from_fn(|dimension| {
        if array.is_null() || dimension >= dimensions as usize {
            default
        } else {
            // SAFETY: as the caller says.
            unsafe { array.add(dimension).read_unaligned() }
        }
    })
}

impl Range {
    /// Reads the sizes of a launch.
    ///
    /// # Errors
    /// `INVALID_WORK_DIMENSION` for a number of dimensions or a global size, `INVALID_WORK_GROUP_SIZE`
    /// for a work-group without work-items, `INVALID_VALUE` for sizes that overflow.
    ///
    /// # Safety
    /// The arrays have as many elements as there are dimensions; offset and local size may be null.
    #[inline]
    pub unsafe fn read(
        dimensions: u32,
        offset: *const usize,
        global: *const usize,
        local: *const usize,
    ) -> Result<Self> {
        if !(1..=3).contains(&dimensions) {
            return Err(Error::code(UR_RESULT_ERROR_INVALID_WORK_DIMENSION));
        }
        // SAFETY: forwarded.
        let (offset, global, local) = unsafe {
            (
                sizes(offset, dimensions, 0),
                sizes(global, dimensions, 1),
                (!local.is_null()).then(|| sizes(local, dimensions, 1)),
            )
        };
        if global.contains(&0) {
            return Err(Error::code(UR_RESULT_ERROR_INVALID_WORK_DIMENSION));
        }
        if local.is_some_and(|local| local.contains(&0)) {
            return Err(Error::code(UR_RESULT_ERROR_INVALID_WORK_GROUP_SIZE));
        }
        let mut both = offset.iter().zip(global);
        if both.any(|(offset, global)| offset.checked_add(global).is_none()) {
            return Err(Error::value("global offset and size overflow"));
        }
        Ok(Self {
            dimensions,
            offset,
            global,
            local,
        })
    }

    /// Reads the sizes for which a work-group size is to be suggested.
    ///
    /// # Errors
    /// `INVALID_WORK_DIMENSION` for a number of dimensions, `INVALID_GLOBAL_WIDTH_DIMENSION` for a size
    /// of 0.
    ///
    /// # Safety
    /// The array has as many elements as there are dimensions.
    pub unsafe fn suggestion(dimensions: u32, global: *const usize) -> Result<Self> {
        let none = std::ptr::null();
        // SAFETY: forwarded.
        let range = unsafe { Self::read(dimensions, none, global, none) };
        range.map_err(|error| match (1..=3).contains(&dimensions) {
            true => Error::code(UR_RESULT_ERROR_INVALID_GLOBAL_WIDTH_DIMENSION),
            false => error,
        })
    }

    /// Writes a size for each of its dimensions.
    ///
    /// # Safety
    /// There is room for them.
    pub unsafe fn write(&self, sizes: [u32; 3], to: *mut usize) {
        for (dimension, size) in sizes.iter().take(self.dimensions as usize).enumerate() {
            // SAFETY: as the caller says.
            unsafe { to.add(dimension).write_unaligned(*size as usize) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ptr::null;

    #[test]
    fn ranges_are_read_or_refused() {
        let read =
            |dimensions, offset: Option<&[usize]>, global: &[usize], local: Option<&[usize]>| {
                let pointer = |list: Option<&[usize]>| list.map_or(null(), <[usize]>::as_ptr);
                // SAFETY: each list has a size for each dimension that is read.
                unsafe { Range::read(dimensions, pointer(offset), global.as_ptr(), pointer(local)) }
                    .map_err(|error| error.code)
            };
        let range = Range {
            dimensions: 2,
            offset: [5, 6, 0],
            global: [8, 4, 1],
            local: Some([2, 4, 1]),
        };
        assert_eq!(read(2, Some(&[5, 6]), &[8, 4], Some(&[2, 4])), Ok(range));
        let plain = Range {
            offset: [0; 3],
            local: None,
            ..range
        };
        assert_eq!(read(2, None, &[8, 4], None), Ok(plain));
        let dimension = Err(UR_RESULT_ERROR_INVALID_WORK_DIMENSION);
        assert_eq!(read(0, None, &[1], None), dimension);
        assert_eq!(read(4, None, &[1], None), dimension);
        assert_eq!(read(2, None, &[1, 0], None), dimension);
        let group = Err(UR_RESULT_ERROR_INVALID_WORK_GROUP_SIZE);
        assert_eq!(read(1, None, &[1], Some(&[0])), group);
        let value = Err(UR_RESULT_ERROR_INVALID_VALUE);
        assert_eq!(read(1, Some(&[usize::MAX]), &[1], None), value);
        // SAFETY: a size for the one dimension.
        let suggestion = unsafe { Range::suggestion(1, [0].as_ptr()) };
        let width = UR_RESULT_ERROR_INVALID_GLOBAL_WIDTH_DIMENSION;
        assert_eq!(suggestion.map_err(|error| error.code), Err(width));
        let mut written = [9; 3];
        // SAFETY: room for three.
        unsafe { range.write([1, 2, 3], written.as_mut_ptr()) };
        assert_eq!(written, [1, 2, 9]);
    }
}
