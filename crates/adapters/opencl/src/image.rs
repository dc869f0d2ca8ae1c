//! Images: how they are made and asked about.

mod format;

use crate::cl::{self, Functions, Owned, check, query};
use crate::context::Context;
use std::ffi::c_void;
use ur_adapter::{Error, Info, Result};
use ur_api::*;

/// What an image is.
#[derive(Debug)]
pub struct Image {
    /// Width, height and depth in texels, the number of layers behind the last dimension, 1 for the
    /// others.
    extent: [usize; 3],
    /// Bytes of a texel.
    texel: usize,
    format: ur_image_format_t,
    dimensions: usize,
    layered: bool,
}

/// How many dimensions images of a type have, and whether they have layers.
fn shape(kind: ur_mem_type_t) -> Option<(usize, bool)> {
    Some(match kind {
        UR_MEM_TYPE_IMAGE1D => (1, false),
        UR_MEM_TYPE_IMAGE2D => (2, false),
        UR_MEM_TYPE_IMAGE3D => (3, false),
        UR_MEM_TYPE_IMAGE1D_ARRAY => (1, true),
        UR_MEM_TYPE_IMAGE2D_ARRAY => (2, true),
        _ => return None,
    })
}

/// The API's types of images and OpenCL's.
const TYPES: [(ur_mem_type_t, cl::cl_uint); 5] = [
    (UR_MEM_TYPE_IMAGE1D, cl::CL_MEM_OBJECT_IMAGE1D),
    (UR_MEM_TYPE_IMAGE2D, cl::CL_MEM_OBJECT_IMAGE2D),
    (UR_MEM_TYPE_IMAGE3D, cl::CL_MEM_OBJECT_IMAGE3D),
    (UR_MEM_TYPE_IMAGE1D_ARRAY, cl::CL_MEM_OBJECT_IMAGE1D_ARRAY),
    (UR_MEM_TYPE_IMAGE2D_ARRAY, cl::CL_MEM_OBJECT_IMAGE2D_ARRAY),
];

fn bad_descriptor(message: &'static str) -> Error {
    Error::new(UR_RESULT_ERROR_INVALID_IMAGE_FORMAT_DESCRIPTOR, message)
}

/// Whether any device of a context has images.
fn has_images(context: &Context) -> bool {
    let mut devices = context.devices().iter();
    devices.any(|device| device.value(cl::CL_DEVICE_IMAGE_SUPPORT) == Ok(cl::CL_TRUE))
}

/// Fails for an image that is too large for every device of its context, which not every driver
/// notices.
fn expect_allowed(context: &Context, desc: &ur_image_desc_t) -> Result {
    let Some((dimensions, layered)) = shape(desc.r#type) else {
        return Ok(());
    };
    let extent = &[desc.width, desc.height, desc.depth][..dimensions];
    let layers = layered.then_some(desc.arraySize);
    let mut devices = context.devices().iter();
    match devices.any(|device| device.facts().images.allow(extent, layers)) {
        true => Ok(()),
        false => Err(Error::new(
            UR_RESULT_ERROR_INVALID_IMAGE_SIZE,
            "larger than images of the devices can be",
        )),
    }
}

/// Makes an image.
///
/// # Errors
/// `INVALID_IMAGE_FORMAT_DESCRIPTOR` for a descriptor that makes no sense, `UNSUPPORTED_IMAGE_FORMAT`
/// for a format that OpenCL has no number for, `INVALID_IMAGE_SIZE` for an image that no device of the
/// context can have, and what the driver says.
///
/// # Safety
/// `host` is null or memory for all of the image with the pitches of `desc`.
pub unsafe fn create(
    context: &Context,
    flags: cl::cl_bitfield,
    format: &ur_image_format_t,
    desc: &ur_image_desc_t,
    host: *mut c_void,
) -> Result<(Owned<cl::cl_mem>, Image)> {
    let kind = TYPES.iter().find(|(kind, _)| *kind == desc.r#type);
    let (_, native_kind) = *kind.ok_or_else(|| bad_descriptor("no type of images"))?;
    let native_format = format::native(format).ok_or(UR_RESULT_ERROR_UNSUPPORTED_IMAGE_FORMAT)?;
    if desc.stype != UR_STRUCTURE_TYPE_IMAGE_DESC {
        return Err(bad_descriptor("a structure of another type"));
    }
    if desc.numMipLevel != 0 || desc.numSamples != 0 {
        return Err(bad_descriptor("several levels or samples"));
    }
    if host.is_null() && (desc.rowPitch != 0 || desc.slicePitch != 0) {
        return Err(bad_descriptor("pitches without host memory"));
    }
    expect_allowed(context, desc)?;
    let native_desc = cl::cl_image_desc {
        image_type: native_kind,
        image_width: desc.width,
        image_height: desc.height,
        image_depth: desc.depth,
        image_array_size: desc.arraySize,
        image_row_pitch: desc.rowPitch,
        image_slice_pitch: desc.slicePitch,
        num_mip_levels: 0,
        num_samples: 0,
        mem_object: cl::cl_mem::NULL,
    };
    let api = context.api();
    let mut code = 0;
    // SAFETY: a live context and descriptors; host memory is as the caller says.
    let native = unsafe {
        (api.clCreateImage)(
            context.native(),
            flags,
            &raw const native_format,
            &raw const native_desc,
            host,
            &raw mut code,
        )
    };
    match code {
        // That no device has images. Some drivers say it of a format, too.
        cl::CL_INVALID_OPERATION if has_images(context) => {
            return Err(Error::code(UR_RESULT_ERROR_UNSUPPORTED_IMAGE_FORMAT).with_native(code));
        }
        code => check(code)?,
    }
    // SAFETY: made for this call.
    let native = unsafe { Owned::new(api, native) };
    let image = Image::of_native(api, native.get(), native_kind)?;
    Ok((native, image))
}

impl Image {
    /// What an image of OpenCL's is, whose type it has told.
    ///
    /// # Errors
    /// `INVALID_MEM_OBJECT` for what is no image, or one of a type or format that the API does not
    /// have.
    pub fn of_native(api: &Functions, native: cl::cl_mem, kind: cl::cl_uint) -> Result<Self> {
        let kind = TYPES.iter().find(|(_, native)| *native == kind);
        let shape = kind.and_then(|(kind, _)| shape(*kind));
        let (dimensions, layered) = shape.ok_or(UR_RESULT_ERROR_INVALID_MEM_OBJECT)?;
        let format: cl::cl_image_format = value(api, native, cl::CL_IMAGE_FORMAT)?;
        let mut extent = [1; 3];
        let names = [cl::CL_IMAGE_WIDTH, cl::CL_IMAGE_HEIGHT, cl::CL_IMAGE_DEPTH];
        for (size, name) in extent.iter_mut().zip(names).take(dimensions) {
            *size = value(api, native, name)?;
        }
        if let Some(layers) = extent.get_mut(dimensions).filter(|_| layered) {
            *layers = value(api, native, cl::CL_IMAGE_ARRAY_SIZE)?;
        }
        Ok(Self {
            extent,
            texel: value(api, native, cl::CL_IMAGE_ELEMENT_SIZE)?,
            format: format::of_native(format).ok_or(UR_RESULT_ERROR_INVALID_MEM_OBJECT)?,
            dimensions,
            layered,
        })
    }

    /// Width, height and depth in texels, the number of layers behind the last dimension, 1 for the
    /// others.
    pub fn extent(&self) -> [usize; 3] {
        self.extent
    }

    /// Bytes of a texel.
    pub fn texel(&self) -> usize {
        self.texel
    }

    /// How many dimensions it has, without layers.
    pub fn dimensions(&self) -> usize {
        self.dimensions
    }

    /// Whether it has slices or layers, which have a pitch.
    pub fn has_slices(&self) -> bool {
        self.layered || self.dimensions == 3
    }

    /// Whether the texels of both are the same.
    pub fn has_format_of(&self, other: &Image) -> bool {
        self.format.channelOrder == other.format.channelOrder
            && self.format.channelType == other.format.channelType
    }

    /// Answers a query.
    ///
    /// # Errors
    /// `UNSUPPORTED_ENUMERATION` for an unknown one, and what the driver says.
    pub fn answer(
        &self,
        api: &Functions,
        native: cl::cl_mem,
        name: ur_image_info_t,
        info: &mut Info<'_>,
    ) -> Result {
        let size = match name {
            UR_IMAGE_INFO_FORMAT => return info.value(self.format),
            UR_IMAGE_INFO_ELEMENT_SIZE => return info.value(self.texel),
            UR_IMAGE_INFO_NUM_MIP_LEVELS => {
                return info.value(value::<u32>(api, native, cl::CL_IMAGE_NUM_MIP_LEVELS)?);
            }
            UR_IMAGE_INFO_NUM_SAMPLES => {
                return info.value(value::<u32>(api, native, cl::CL_IMAGE_NUM_SAMPLES)?);
            }
            UR_IMAGE_INFO_ROW_PITCH => cl::CL_IMAGE_ROW_PITCH,
            UR_IMAGE_INFO_SLICE_PITCH => cl::CL_IMAGE_SLICE_PITCH,
            UR_IMAGE_INFO_WIDTH => cl::CL_IMAGE_WIDTH,
            UR_IMAGE_INFO_HEIGHT => cl::CL_IMAGE_HEIGHT,
            UR_IMAGE_INFO_DEPTH => cl::CL_IMAGE_DEPTH,
            UR_IMAGE_INFO_ARRAY_SIZE => cl::CL_IMAGE_ARRAY_SIZE,
            _ => return Err(Error::unsupported_query()),
        };
        info.value(value::<usize>(api, native, size)?)
    }
}

/// A value that the driver has about an image.
fn value<T: query::Answer>(api: &Functions, native: cl::cl_mem, name: cl::cl_uint) -> Result<T> {
    query::value(|size, value, told| {
        // SAFETY: a live image; the places are as `query` says.
        unsafe { (api.clGetImageInfo)(native, name, size, value, told) }
    })
}
