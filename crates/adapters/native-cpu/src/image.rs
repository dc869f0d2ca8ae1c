//! Images: what their bytes are, how they are made and asked about.

mod copy;
mod format;

pub use copy::{copy, read, write};

use crate::arena::Block;
use crate::context::Context;
use crate::copy::{Rect, Region, copy_rect};
use crate::device::info::{MEM_ALIGN, max_alloc_size};
use crate::memory::{self, Mem, Storage};
use std::ffi::c_void;
use ur_adapter::{Error, Handle, Info, Object, Result};
use ur_api::*;
use ur_jit_abi::{ImageDescriptor, ImageFormat};
use ur_spirv::spirv::Dim;

/// Most images, and most samplers, among the arguments of a kernel.
pub const MAX_ARGS: u32 = 128;

/// Largest width and height of images of one and two dimensions.
pub const MAX_EXTENT: usize = 65_536;

/// Largest width, height and depth of images of three dimensions.
pub const MAX_EXTENT_3D: usize = 16_384;

/// Most layers of an array.
pub const MAX_LAYERS: usize = 16_384;

/// What the bytes of an image are.
#[derive(Debug)]
pub struct Image {
    descriptor: ImageDescriptor,
    format: ur_image_format_t,
    /// Bytes from one row to the next and from one slice or layer to the next; 0 where there is only
    /// one slice.
    row_pitch: usize,
    slice_pitch: usize,
}

/// Extent and pitches of an image that was asked for.
struct Shape {
    /// Width, height and depth, the number of layers behind the last dimension, 1 for the others.
    extent: [usize; 3],
    dims: u32,
    layered: bool,
    row_pitch: usize,
    slice_pitch: usize,
}

impl Shape {
    /// # Errors
    /// `INVALID_IMAGE_SIZE` for an extent, `INVALID_IMAGE_FORMAT_DESCRIPTOR` for anything else.
    fn new(desc: &ur_image_desc_t, texel: usize, from_host: bool) -> Result<Shape> {
        let (dims, layered) = match desc.r#type {
            UR_MEM_TYPE_IMAGE1D => (1, false),
            UR_MEM_TYPE_IMAGE2D => (2, false),
            UR_MEM_TYPE_IMAGE3D => (3, false),
            UR_MEM_TYPE_IMAGE1D_ARRAY => (1, true),
            UR_MEM_TYPE_IMAGE2D_ARRAY => (2, true),
            other => return Err(bad_descriptor(format!("images of type {}", other.0))),
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
        let most = if dims == 3 { MAX_EXTENT_3D } else { MAX_EXTENT };
        let mut extent = [1; 3];
        let given = [desc.width, desc.height, desc.depth];
        for (axis, size) in given.into_iter().take(dims).enumerate() {
            if size == 0 || size > most {
                return Err(bad_size(format!("{size} texels, at most {most}")));
            }
            extent[axis] = size;
        }
        if layered {
            if desc.arraySize == 0 || desc.arraySize > MAX_LAYERS {
                return Err(bad_size(format!("{} layers", desc.arraySize)));
            }
            extent[dims] = desc.arraySize;
        }
        // None of these can overflow: 2^16 texels of 16 bytes, 2^16 rows.
        let least = extent[0] * texel;
        let row_pitch = match desc.rowPitch {
            0 => least,
            pitch if pitch >= least && pitch.is_multiple_of(texel) => pitch,
            _ => return Err(bad_descriptor("a row pitch that does not fit")),
        };
        let rows = if dims == 1 { 1 } else { extent[1] };
        let slices = dims == 3 || layered;
        let least = row_pitch
            .checked_mul(rows)
            .ok_or_else(|| bad_descriptor("a row pitch that is too large"))?;
        let slice_pitch = match desc.slicePitch {
            // A pitch that is never used does not matter.
            _ if !slices => 0,
            0 => least,
            pitch if pitch >= least && pitch.is_multiple_of(row_pitch) => pitch,
            _ => return Err(bad_descriptor("a slice pitch that does not fit")),
        };
        Ok(Shape {
            extent,
            dims: dims as u32,
            layered,
            row_pitch,
            slice_pitch,
        })
    }

    /// Bytes from a texel to its neighbours.
    fn pitch(&self, texel: usize) -> [usize; 3] {
        match (self.dims, self.layered) {
            (1, true) => [texel, self.slice_pitch, 0],
            _ => [texel, self.row_pitch, self.slice_pitch],
        }
    }

    /// The same without gaps between rows and slices.
    fn tight(&self, texel: usize) -> Shape {
        let row_pitch = self.extent[0] * texel;
        let rows = if self.dims == 1 { 1 } else { self.extent[1] };
        Shape {
            row_pitch,
            slice_pitch: if self.slice_pitch == 0 {
                0
            } else {
                row_pitch * rows
            },
            ..*self
        }
    }

    /// Bytes from the first of the image to its end.
    ///
    /// # Errors
    /// `INVALID_IMAGE_SIZE` for more than an allocation may have.
    fn size(&self, texel: usize) -> Result<usize> {
        let mut size = Some(texel);
        for (extent, pitch) in self.extent.iter().zip(self.pitch(texel)) {
            let more = (extent - 1).checked_mul(pitch);
            size = size.and_then(|size| size.checked_add(more?));
        }
        size.filter(|size| *size as u64 <= max_alloc_size())
            .ok_or_else(|| bad_size("more bytes than an allocation may have"))
    }

    /// All of it as a rectangle of bytes from address `start` on.
    fn whole(&self, start: usize, texel: usize) -> (Rect, Region) {
        let [_, row_pitch, slice_pitch] = self.pitch(texel);
        let [width, height, depth] = self.extent;
        let rect = Rect {
            start,
            row_pitch,
            slice_pitch,
        };
        let region = Region {
            width: width * texel,
            height,
            depth,
        };
        (rect, region)
    }
}

fn bad_descriptor(message: impl Into<String>) -> Error {
    Error::new(
        UR_RESULT_ERROR_INVALID_IMAGE_FORMAT_DESCRIPTOR,
        message.into(),
    )
}

fn bad_size(message: impl Into<String>) -> Error {
    Error::new(UR_RESULT_ERROR_INVALID_IMAGE_SIZE, message.into())
}

/// Makes an image.
///
/// # Errors
/// What is wrong with the flags, the format, the extent or the host pointer.
///
/// # Safety
/// `host` is null or memory for all of the image with the pitches of `desc`.
pub unsafe fn create(
    context: &Object<Context>,
    flags: ur_mem_flags_t,
    format: &ur_image_format_t,
    desc: &ur_image_desc_t,
    host: *mut c_void,
) -> Result<Handle<Mem>> {
    memory::check_flags(flags)?;
    let uses = flags & UR_MEM_FLAG_USE_HOST_POINTER.0 != 0;
    let copies = flags & UR_MEM_FLAG_ALLOC_COPY_HOST_POINTER.0 != 0;
    if (uses || copies) == host.is_null() {
        return Err(Error::code(UR_RESULT_ERROR_INVALID_HOST_PTR));
    }
    let texels = format::known(format).ok_or_else(|| {
        Error::new(
            UR_RESULT_ERROR_UNSUPPORTED_IMAGE_FORMAT,
            format!(
                "channel order {} with type {}",
                format.channelOrder.0, format.channelType.0
            ),
        )
    })?;
    let texel = texels.texel_bytes();
    let given = Shape::new(desc, texel, !host.is_null())?;
    if uses {
        let size = given.size(texel)?;
        let image = Image::new(&given, texels, *format, host as usize);
        return Mem::of_image(context, Storage::of_image(image, None), size, flags);
    }
    let own = given.tight(texel);
    let size = own.size(texel)?;
    let block = Block::zeroed(size, MEM_ALIGN)
        .ok_or_else(|| Error::code(UR_RESULT_ERROR_OUT_OF_RESOURCES))?;
    let start = block.start() as usize;
    if copies {
        given.size(texel)?;
        let (to, region) = own.whole(start, texel);
        let (from, _) = given.whole(host as usize, texel);
        // SAFETY: the block was made for the whole image, and the program passes memory for it.
        unsafe { copy_rect(to, from, region) };
    }
    let image = Image::new(&own, texels, *format, start);
    Mem::of_image(context, Storage::of_image(image, Some(block)), size, flags)
}

impl Image {
    fn new(shape: &Shape, texels: ImageFormat, format: ur_image_format_t, data: usize) -> Image {
        let layer = if shape.layered { shape.dims } else { 3 };
        Image {
            descriptor: ImageDescriptor {
                data,
                pitch: shape.pitch(texels.texel_bytes()).map(|pitch| pitch as u64),
                // Far below 2^31.
                extent: shape.extent.map(|extent| extent as u32),
                dims: shape.dims,
                layer,
                format: texels,
            },
            format,
            row_pitch: shape.row_pitch,
            slice_pitch: shape.slice_pitch,
        }
    }

    /// What kernels get the address of.
    pub fn descriptor(&self) -> &ImageDescriptor {
        &self.descriptor
    }

    /// Whether a kernel may get it for a parameter of an image type.
    pub fn fits(&self, dim: Dim, arrayed: bool) -> bool {
        let dims = match dim {
            // No image can be made over a buffer; one of a single dimension is the same to a kernel.
            Dim::Dim1D | Dim::DimBuffer => 1,
            Dim::Dim2D => 2,
            Dim::Dim3D => 3,
            _ => 0,
        };
        self.descriptor.dims == dims && (self.descriptor.layer < 3) == arrayed
    }

    /// Answers a query.
    ///
    /// # Errors
    /// `UNSUPPORTED_ENUMERATION` for an unknown one.
    pub fn answer(&self, name: ur_image_info_t, info: &mut Info<'_>) -> Result {
        let ImageDescriptor {
            extent,
            dims,
            layer,
            ..
        } = self.descriptor;
        // An extent that the image has not is 0.
        let extent = |axis: u32, has: bool| {
            if has {
                extent[axis as usize] as usize
            } else {
                0
            }
        };
        match name {
            UR_IMAGE_INFO_FORMAT => info.value(self.format),
            UR_IMAGE_INFO_ELEMENT_SIZE => info.value(self.descriptor.format.texel_bytes()),
            UR_IMAGE_INFO_ROW_PITCH => info.value(self.row_pitch),
            UR_IMAGE_INFO_SLICE_PITCH => info.value(self.slice_pitch),
            UR_IMAGE_INFO_WIDTH => info.value(extent(0, true)),
            UR_IMAGE_INFO_HEIGHT => info.value(extent(1, dims > 1)),
            UR_IMAGE_INFO_DEPTH => info.value(extent(2, dims > 2)),
            UR_IMAGE_INFO_ARRAY_SIZE => info.value(extent(layer.min(2), layer < 3)),
            UR_IMAGE_INFO_NUM_MIP_LEVELS | UR_IMAGE_INFO_NUM_SAMPLES => info.value(0u32),
            _ => Err(Error::unsupported_query()),
        }
    }
}
