//! Extents of images, and the pitches of the host's memory that they are made from.

use crate::ze;
use ur_adapter::{Error, Result};
use ur_api::*;

/// The extent of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    kind: u32,
    extent: [usize; 3],
    dimensions: usize,
    layered: bool,
    row_pitch: usize,
    slice_pitch: usize,
}

fn bad_descriptor(message: &'static str) -> Error {
    Error::new(UR_RESULT_ERROR_INVALID_IMAGE_FORMAT_DESCRIPTOR, message)
}

impl Shape {
    /// The shape that a program asks for, of texels of so many bytes, `from_host` if it has pitches.
    ///
    /// # Errors
    /// `INVALID_IMAGE_SIZE` for an extent that the device does not have,
    /// `INVALID_IMAGE_FORMAT_DESCRIPTOR` for anything else that makes no sense.
    pub fn new(
        desc: &ur_image_desc_t,
        texel: usize,
        from_host: bool,
        limits: &ze::ze_device_image_properties_t,
    ) -> Result<Self> {
        let (kind, dimensions, layered) = match desc.r#type {
            UR_MEM_TYPE_IMAGE1D => (ze::ZE_IMAGE_TYPE_1D, 1, false),
            UR_MEM_TYPE_IMAGE2D => (ze::ZE_IMAGE_TYPE_2D, 2, false),
            UR_MEM_TYPE_IMAGE3D => (ze::ZE_IMAGE_TYPE_3D, 3, false),
            UR_MEM_TYPE_IMAGE1D_ARRAY => (ze::ZE_IMAGE_TYPE_1DARRAY, 1, true),
            UR_MEM_TYPE_IMAGE2D_ARRAY => (ze::ZE_IMAGE_TYPE_2DARRAY, 2, true),
            _ => return Err(bad_descriptor("no type of images")),
        };
        if desc.stype != UR_STRUCTURE_TYPE_IMAGE_DESC {
            return Err(bad_descriptor("a structure of another type"));
        }
        if desc.numMipLevel != 0 || desc.numSamples != 0 {
            return Err(bad_descriptor("several levels or samples"));
        }
        if !from_host && (desc.rowPitch != 0 || desc.slicePitch != 0) {
            return Err(bad_descriptor("pitches without host memory"));
        }
        let most = match dimensions {
            1 => limits.maxImageDims1D,
            2 => limits.maxImageDims2D,
            _ => limits.maxImageDims3D,
        };
        let mut extent = [1; 3];
        let given = [desc.width, desc.height, desc.depth];
        for (size, given) in extent.iter_mut().zip(given).take(dimensions) {
            *size = in_limit(given, most)?;
        }
        if layered {
            extent[dimensions] = in_limit(desc.arraySize, limits.maxImageArraySlices)?;
        }
        // None of these overflows: an extent has 32 bits, a texel 16 bytes.
        let least = extent[0] * texel;
        let row_pitch = match desc.rowPitch {
            0 => least,
            pitch if pitch >= least && pitch.is_multiple_of(texel) => pitch,
            _ => return Err(bad_descriptor("a row pitch that does not fit")),
        };
        let rows = if dimensions == 1 { 1 } else { extent[1] };
        let too_large = || bad_descriptor("a row pitch that is too large");
        let least = row_pitch.checked_mul(rows).ok_or_else(too_large)?;
        let slice_pitch = match desc.slicePitch {
            // A pitch that is never used does not matter.
            _ if !layered && dimensions != 3 => 0,
            0 => least,
            pitch if pitch >= least && pitch.is_multiple_of(row_pitch) => pitch,
            _ => return Err(bad_descriptor("a slice pitch that does not fit")),
        };
        let mut slices = extent[1..].iter();
        let all = slices.try_fold(row_pitch.max(slice_pitch), |all, n| all.checked_mul(*n));
        all.ok_or(UR_RESULT_ERROR_INVALID_IMAGE_SIZE)?;
        Ok(Self {
            kind,
            extent,
            dimensions,
            layered,
            row_pitch,
            slice_pitch,
        })
    }

    /// Level Zero's description, without a format.
    pub fn native(&self) -> ze::ze_image_desc_t {
        let mut desc = ze::ze_image_desc_t::new();
        desc.type_ = self.kind;
        // Extents are within limits of 32 bits.
        desc.width = self.extent[0] as u64;
        desc.height = self.size_of(1) as u32;
        desc.depth = self.size_of(2) as u32;
        desc.arraylevels = self.layers() as u32;
        desc
    }

    /// Width, height and depth in texels, the number of layers behind the last dimension, 1 for the
    /// others.
    pub fn extent(&self) -> [usize; 3] {
        self.extent
    }

    /// Texels along a dimension; 0 if it has not that many.
    pub fn size_of(&self, dimension: usize) -> usize {
        match dimension < self.dimensions {
            true => self.extent[dimension],
            false => 0,
        }
    }

    /// Layers; 0 if it is no array.
    pub fn layers(&self) -> usize {
        match self.layered {
            true => self.extent[self.dimensions],
            false => 0,
        }
    }

    /// How many dimensions it has, without layers.
    pub fn dimensions(&self) -> usize {
        self.dimensions
    }

    /// Whether it has slices or layers, which have a pitch.
    pub fn has_slices(&self) -> bool {
        self.layered || self.dimensions == 3
    }

    /// Bytes from one row of the host's memory to the next.
    pub fn row_pitch(&self) -> usize {
        self.row_pitch
    }

    /// Bytes from one slice or layer of the host's memory to the next; 0 if there is only one.
    pub fn slice_pitch(&self) -> usize {
        self.slice_pitch
    }

    /// Bytes of all texels.
    pub fn bytes(&self, texel: usize) -> usize {
        self.extent.iter().product::<usize>() * texel
    }
}

/// An extent, if it is one and within a limit.
fn in_limit(size: usize, most: u32) -> Result<usize> {
    match size {
        0 => Err(Error::new(UR_RESULT_ERROR_INVALID_IMAGE_SIZE, "no texels")),
        size if size > most as usize => Err(Error::new(
            UR_RESULT_ERROR_INVALID_IMAGE_SIZE,
            format!("{size} texels or layers, at most {most}"),
        )),
        size => Ok(size),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits() -> ze::ze_device_image_properties_t {
        let mut limits = ze::ze_device_image_properties_t::new();
        limits.maxImageDims1D = 64;
        limits.maxImageDims2D = 32;
        limits.maxImageDims3D = 16;
        limits.maxImageArraySlices = 8;
        limits
    }

    fn desc(kind: ur_mem_type_t, [width, height, depth, layers]: [usize; 4]) -> ur_image_desc_t {
        ur_image_desc_t {
            r#type: kind,
            width,
            height,
            depth,
            arraySize: layers,
            ..Default::default()
        }
    }

    fn code(desc: &ur_image_desc_t) -> Option<ur_result_t> {
        let shape = Shape::new(desc, 4, true, &limits());
        shape.err().map(|error| error.code)
    }

    #[test]
    fn layers_are_behind_the_last_dimension() {
        let made = desc(UR_MEM_TYPE_IMAGE1D_ARRAY, [9, 7, 7, 3]);
        let shape = Shape::new(&made, 4, false, &limits()).expect("a shape");
        assert_eq!(shape.extent(), [9, 3, 1]);
        let native = shape.native();
        assert_eq!((native.width, native.height), (9, 0));
        assert_eq!((native.depth, native.arraylevels), (0, 3));
        assert_eq!((shape.row_pitch(), shape.slice_pitch()), (36, 36));
        assert_eq!(shape.bytes(4), 9 * 3 * 4);
    }

    #[test]
    fn limits_are_those_of_the_kind() {
        let size = Some(UR_RESULT_ERROR_INVALID_IMAGE_SIZE);
        assert_eq!(code(&desc(UR_MEM_TYPE_IMAGE1D, [64, 0, 0, 0])), None);
        assert_eq!(code(&desc(UR_MEM_TYPE_IMAGE2D, [33, 1, 0, 0])), size);
        assert_eq!(code(&desc(UR_MEM_TYPE_IMAGE3D, [1, 1, 17, 0])), size);
        assert_eq!(code(&desc(UR_MEM_TYPE_IMAGE2D_ARRAY, [1, 1, 0, 9])), size);
        assert_eq!(code(&desc(UR_MEM_TYPE_IMAGE2D, [0, 1, 0, 0])), size);
    }

    #[test]
    fn pitches_hold_rows_and_slices() {
        let bad = Some(UR_RESULT_ERROR_INVALID_IMAGE_FORMAT_DESCRIPTOR);
        let with = |row, slice| ur_image_desc_t {
            rowPitch: row,
            slicePitch: slice,
            ..desc(UR_MEM_TYPE_IMAGE3D, [4, 2, 2, 0])
        };
        assert_eq!(code(&with(20, 60)), None);
        assert_eq!(code(&with(12, 0)), bad);
        assert_eq!(code(&with(18, 0)), bad);
        assert_eq!(code(&with(20, 50)), bad);
        assert_eq!(code(&with(usize::MAX / 4 * 4, 0)), bad);
    }
}
