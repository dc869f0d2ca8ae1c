//! Images: how they are made and asked about.

mod format;
mod shape;

use crate::context::Context;
use crate::device::{Able, Device};
use crate::enqueue::image::{Steps, Texels, pieces};
use crate::event::Engine;
use crate::memory::Mem;
use crate::memory::storage::{Place, Storage};
use crate::ze::{self, Owned, check};
use format::Format;
pub use shape::Shape;
use std::ffi::c_void;
use ur_adapter::{Error, Handle, Info, Object, Result};
use ur_api::*;

/// What images on devices can do; none for other questions.
pub fn able(device: &Device, name: ur_device_info_t) -> Option<Able> {
    Some(Able::Bool(match name {
        UR_DEVICE_INFO_IMAGE_SUPPORT => is_there(device),
        UR_DEVICE_INFO_IMAGE_SRGB => is_there(device) && has_srgb(device),
        _ => return None,
    }))
}

/// Whether a device has images.
pub fn is_there(device: &Device) -> bool {
    device.facts().image.maxImageDims2D > 0
}

fn has_srgb(device: &Device) -> bool {
    device.platform().has(ze::ZE_SRGB_EXT_NAME)
}

/// What an image is.
#[derive(Clone, Debug)]
pub struct Image {
    shape: Shape,
    /// Bytes of a texel.
    texel: usize,
    format: ur_image_format_t,
}

/// The device that an image is made for. Level Zero's images are of one device and its parts.
///
/// # Errors
/// `UNSUPPORTED_FEATURE` if the context has devices that no such image is for.
fn only_device(context: &Context) -> Result<&'static Object<Device>> {
    let root = |device: &Handle<Device>| {
        let mut device = crate::device::lasting(device);
        while let Some(parent) = device.parent() {
            device = parent;
        }
        device
    };
    let (first, others) = match context.devices() {
        [only] => return Ok(crate::device::lasting(only)),
        [first, others @ ..] => (root(first), others),
        [] => return Err(Error::code(UR_RESULT_ERROR_INVALID_CONTEXT)),
    };
    match others.iter().all(|other| root(other).is(first)) {
        true => Ok(first),
        false => Err(Error::new(
            UR_RESULT_ERROR_UNSUPPORTED_FEATURE,
            "images in contexts of several devices",
        )),
    }
}

/// A format and what images of it are in a context.
fn known(context: &Context, format: &ur_image_format_t, flags: ur_mem_flags_t) -> Result<Format> {
    let is_written = flags & UR_MEM_FLAG_READ_ONLY.0 == 0;
    let known = format::native(format, is_written);
    let known = known.filter(|known| !known.is_srgb || has_srgb(&context.devices()[0]));
    known.ok_or_else(|| {
        Error::new(
            UR_RESULT_ERROR_UNSUPPORTED_IMAGE_FORMAT,
            format!(
                "channel order {} with type {}",
                format.channelOrder.0, format.channelType.0
            ),
        )
    })
}

/// Makes an image.
///
/// # Errors
/// What is wrong with the format, the extent or the pitches, and what the driver says.
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
    let device = only_device(context)?;
    if !is_there(device) {
        return Err(Error::unsupported());
    }
    let texels = known(context, format, flags)?;
    let shape = Shape::new(desc, texels.texel, !host.is_null(), &device.facts().image)?;
    let srgb = {
        let mut desc = ze::ze_srgb_ext_desc_t::new();
        desc.sRGB = 1;
        desc
    };
    let mut native_desc = shape.native();
    native_desc.format = texels.native;
    if flags & UR_MEM_FLAG_READ_ONLY.0 == 0 {
        native_desc.flags = ze::ZE_IMAGE_FLAG_KERNEL_WRITE;
    }
    if texels.is_srgb {
        native_desc.pNext = (&raw const srgb).cast();
    }
    let api = context.api();
    let mut native = ze::ze_image_handle_t::NULL;
    // SAFETY: live objects, descriptions and a place of ours.
    check(unsafe {
        let create = api.zeImageCreate;
        create(
            context.native(),
            device.native(),
            &raw const native_desc,
            &raw mut native,
        )
    })?;
    let place = Place::Image {
        // SAFETY: made for this call.
        native: unsafe { Owned::new(api, native) },
        image: Image {
            shape,
            texel: texels.texel,
            format: *format,
        },
    };
    let mem = Mem::whole(
        Storage::new(context, place, std::ptr::null_mut()),
        shape.bytes(texels.texel),
        flags,
    )?;
    if !host.is_null() {
        // SAFETY: forwarded; nobody else has the image yet.
        unsafe { fill_from(context, device, &mem, host) }?;
    }
    Ok(mem)
}

/// Writes all texels of a new image, and waits for the end.
///
/// # Safety
/// `host` has all of the image with its pitches.
unsafe fn fill_from(context: &Context, device: &Device, mem: &Mem, host: *const c_void) -> Result {
    let (native, image) = mem.image()?;
    let all = Texels {
        origin: [0; 3],
        extent: image.extent(),
    };
    let pitches = (image.shape.row_pitch(), image.shape.slice_pitch());
    let parts = pieces(image, all, Steps::of(image, all.extent, pitches)?);
    let api = context.api();
    for (part, offset) in parts {
        let region = part.native();
        let from = host.wrapping_byte_add(offset);
        let (none, nothing) = (ze::ze_event_handle_t::NULL, std::ptr::null());
        context.serve(device, Engine::Compute, |list| {
            let copy = api.zeCommandListAppendImageCopyFromMemory;
            // SAFETY: a list and an image of ours; memory as the caller says.
            unsafe { copy(list, native, from, &raw const region, none, 0, nothing) }
        })?;
    }
    Ok(())
}

/// The memory object of an image that a program has made, of which the API says what it is.
///
/// # Errors
/// What is wrong with the format or the extent.
///
/// # Safety
/// `native` is a live image of the context, and the caller's to give if it is `ours`.
pub unsafe fn adopt(
    context: &Object<Context>,
    native: ze::ze_image_handle_t,
    format: &ur_image_format_t,
    desc: &ur_image_desc_t,
    ours: bool,
) -> Result<Handle<Mem>> {
    let device = only_device(context)?;
    let texels = known(context, format, UR_MEM_FLAG_READ_ONLY.0)?;
    let shape = Shape::new(desc, texels.texel, false, &device.facts().image)?;
    let place = Place::Image {
        // SAFETY: forwarded.
        native: unsafe { Owned::of_native(context.api(), native, ours) },
        image: Image {
            shape,
            texel: texels.texel,
            format: *format,
        },
    };
    let storage = Storage::new(context, place, std::ptr::null_mut());
    Mem::whole(storage, shape.bytes(texels.texel), UR_MEM_FLAG_READ_WRITE.0)
}

impl Image {
    /// Width, height and depth in texels, the number of layers behind the last dimension, 1 for the
    /// others.
    pub fn extent(&self) -> [usize; 3] {
        self.shape.extent()
    }

    /// Bytes of a texel.
    pub fn texel(&self) -> usize {
        self.texel
    }

    /// Extents and kind.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// Whether the texels of both are the same.
    pub fn has_format_of(&self, other: &Image) -> bool {
        self.format.channelOrder == other.format.channelOrder
            && self.format.channelType == other.format.channelType
    }

    /// Answers a query.
    ///
    /// # Errors
    /// `UNSUPPORTED_ENUMERATION` for an unknown one.
    pub fn answer(&self, name: ur_image_info_t, info: &mut Info<'_>) -> Result {
        let shape = &self.shape;
        match name {
            UR_IMAGE_INFO_FORMAT => info.value(self.format),
            UR_IMAGE_INFO_ELEMENT_SIZE => info.value(self.texel),
            UR_IMAGE_INFO_ROW_PITCH => info.value(shape.row_pitch()),
            UR_IMAGE_INFO_SLICE_PITCH => info.value(shape.slice_pitch()),
            UR_IMAGE_INFO_WIDTH => info.value(shape.size_of(0)),
            UR_IMAGE_INFO_HEIGHT => info.value(shape.size_of(1)),
            UR_IMAGE_INFO_DEPTH => info.value(shape.size_of(2)),
            UR_IMAGE_INFO_ARRAY_SIZE => info.value(shape.layers()),
            UR_IMAGE_INFO_NUM_MIP_LEVELS | UR_IMAGE_INFO_NUM_SAMPLES => info.value(0u32),
            _ => Err(Error::unsupported_query()),
        }
    }
}
