//! Images.

mod format;

use crate::call::{call, fill, find, get, put};
use crate::copy::{Rect, Region};
use crate::heap::{self, Mapping, Part};
use crate::world::{Body, Kind, World};
use crate::ze::*;
use std::sync::Arc;
use ur_jit_abi::ImageDescriptor;
use ur_spirv::spirv::Dim;

/// Largest width and height of images of one and two dimensions.
pub const MAX_EXTENT: u32 = 16_384;
/// Largest width, height and depth of images of three dimensions.
pub const MAX_EXTENT_3D: u32 = 2048;
/// Most layers of an array.
pub const MAX_LAYERS: u32 = 2048;

/// The texels of an image; commands that use them keep them.
#[derive(Debug)]
pub struct Texels {
    /// Where they are and what they mean. Kernels get its address.
    pub descriptor: ImageDescriptor,
    memory: Arc<Memory>,
}

/// The memory of an image and its views.
#[derive(Debug)]
struct Memory {
    part: Part,
    _mapping: Mapping,
}

impl Drop for Memory {
    fn drop(&mut self) {
        heap::give_back(self.part);
    }
}

/// An image.
#[derive(Clone, Debug)]
pub struct Image {
    /// Its context.
    pub context: usize,
    /// Whether kernels may write it.
    pub writable: bool,
    /// Its texels.
    pub texels: Arc<Texels>,
}

impl Image {
    /// Whether a kernel may get it for a parameter of an image type.
    pub fn fits(&self, dim: Dim, arrayed: bool) -> bool {
        let own = &self.texels.descriptor;
        let dims = match dim {
            Dim::Dim1D | Dim::DimBuffer => 1,
            Dim::Dim2D => 2,
            Dim::Dim3D => 3,
            _ => 0,
        };
        own.dims == dims && (own.layer < 3) == arrayed
    }
}

impl Texels {
    /// A region as a box of bytes; all without. Layers are counted in the place behind the last
    /// dimension.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` for a region that leaves the image, which is a fault.
    pub fn rect(
        &self,
        world: &mut World,
        region: Option<&ze_image_region_t>,
    ) -> Answer<(Rect, Region)> {
        let own = &self.descriptor;
        let (origin, size) = match region {
            None => ([0; 3], own.extent),
            Some(region) => (
                [region.originX, region.originY, region.originZ],
                [region.width, region.height.max(1), region.depth.max(1)],
            ),
        };
        let mut start = own.data as u64;
        for axis in 0..3 {
            let end = origin[axis].checked_add(size[axis]);
            if size[axis] == 0 || end.is_none_or(|end| end > own.extent[axis]) {
                return world.wrong(
                    ZE_RESULT_ERROR_INVALID_ARGUMENT,
                    format!(
                        "a region {region:?} that leaves the image of {:?}",
                        own.extent
                    ),
                );
            }
            start += u64::from(origin[axis]) * own.pitch[axis];
        }
        let rect = Rect {
            start: start as usize,
            row_pitch: own.pitch[1] as usize,
            slice_pitch: own.pitch[2] as usize,
        };
        let region = Region {
            width: size[0] as usize * own.pitch[0] as usize,
            height: size[1] as usize,
            depth: size[2] as usize,
        };
        Ok((rect, region))
    }
}

/// What a description says: the texels without memory, and their bytes.
///
/// # Errors
/// What is wrong with it.
///
/// # Safety
/// The chain is one of structures.
unsafe fn describe(desc: &ze_image_desc_t) -> Answer<(ImageDescriptor, usize)> {
    // SAFETY: as the caller says.
    let srgb = unsafe { find::<ze_srgb_ext_desc_t>(desc.pNext).and_then(|desc| desc.as_ref()) };
    let srgb = srgb.is_some_and(|srgb| srgb.sRGB != 0);
    if desc.flags & !3 != 0 {
        return Err(ZE_RESULT_ERROR_INVALID_ENUMERATION);
    }
    let format = format::known(&desc.format, srgb);
    let format = format.ok_or(ZE_RESULT_ERROR_UNSUPPORTED_IMAGE_FORMAT)?;
    let texel = format.texel_bytes() as u64;
    let width = match desc.type_ {
        // That is in bytes.
        ZE_IMAGE_TYPE_BUFFER => desc.width / texel,
        _ => desc.width,
    };
    let width = u32::try_from(width).map_err(|_| ZE_RESULT_ERROR_UNSUPPORTED_SIZE)?;
    let (dims, layer, extent) = match desc.type_ {
        ZE_IMAGE_TYPE_1D | ZE_IMAGE_TYPE_BUFFER => (1, 3, [width, 1, 1]),
        ZE_IMAGE_TYPE_1DARRAY => (1, 1, [width, desc.arraylevels, 1]),
        ZE_IMAGE_TYPE_2D => (2, 3, [width, desc.height, 1]),
        ZE_IMAGE_TYPE_2DARRAY => (2, 2, [width, desc.height, desc.arraylevels]),
        ZE_IMAGE_TYPE_3D => (3, 3, [width, desc.height, desc.depth]),
        _ => return Err(ZE_RESULT_ERROR_INVALID_ENUMERATION),
    };
    if desc.miplevels != 0 {
        return Err(ZE_RESULT_ERROR_INVALID_ARGUMENT);
    }
    for (axis, size) in extent.into_iter().enumerate() {
        let most = match (dims, layer == axis as u32) {
            (_, true) => MAX_LAYERS,
            (3, _) => MAX_EXTENT_3D,
            _ => MAX_EXTENT,
        };
        if size == 0 || size > most {
            return Err(ZE_RESULT_ERROR_UNSUPPORTED_SIZE);
        }
    }
    // Rows begin at multiples of 64 bytes, so that nobody takes them to be without gaps.
    let row = (u64::from(extent[0]) * texel).next_multiple_of(64);
    let slice = row * u64::from(extent[1]);
    let descriptor = ImageDescriptor {
        data: 0,
        pitch: [texel, row, slice],
        extent,
        dims,
        layer,
        format,
    };
    Ok((descriptor, slice as usize * extent[2] as usize))
}

/// Tells how images of a description can be read.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeImageGetProperties(
    device: ze_device_handle_t,
    desc: *const ze_image_desc_t,
    place: *mut ze_image_properties_t,
) -> ze_result_t {
    call("zeImageGetProperties", |world| {
        world.needs_part(device.to_native(), Kind::Device, "images")?;
        // SAFETY: as the caller says.
        let (descriptor, _) = unsafe { describe(&get(desc)?) }?;
        let mut properties = ze_image_properties_t::new();
        properties.samplerFilterFlags = ZE_IMAGE_SAMPLER_FILTER_FLAG_POINT;
        if !descriptor.format.channel.is_integer() {
            properties.samplerFilterFlags |= ZE_IMAGE_SAMPLER_FILTER_FLAG_LINEAR;
        }
        // SAFETY: as the caller says.
        unsafe { fill(place, properties) }
    })
}

/// Makes an image.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeImageCreate(
    context: ze_context_handle_t,
    device: ze_device_handle_t,
    desc: *const ze_image_desc_t,
    place: *mut ze_image_handle_t,
) -> ze_result_t {
    call("zeImageCreate", |world| {
        let context = context.to_native();
        world.needs_part(context, Kind::Context, "images")?;
        world.device_in(context, device.to_native())?;
        // SAFETY: as the caller says.
        let desc = unsafe { get(desc) }?;
        // SAFETY: as the caller says.
        let (descriptor, size) = unsafe { describe(&desc) }?;
        let settings = world.settings_of(context, Kind::Context)?;
        if size as u64 > crate::device::max_allocation(&settings) {
            return Err(ZE_RESULT_ERROR_UNSUPPORTED_SIZE);
        }
        let none = ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY;
        let part = heap::take(size).ok_or(none)?;
        let file = heap::file().ok_or(none)?;
        let mapping = heap::map(part.size, 1, file, part.offset).ok_or(none)?;
        let texels = Texels {
            descriptor: ImageDescriptor {
                data: mapping.start,
                ..descriptor
            },
            memory: Arc::new(Memory {
                part,
                _mapping: mapping,
            }),
        };
        let image = Image {
            context,
            writable: desc.flags & ZE_IMAGE_FLAG_KERNEL_WRITE != 0,
            texels: Arc::new(texels),
        };
        let driver = world.object(context, Kind::Context)?.driver;
        let handle = world.add(driver, Body::Image(image), vec![context]);
        // SAFETY: as the caller says.
        unsafe { put(place, ze_image_handle_t::from_native(handle)) }
    })
}

/// Takes an image away.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeImageDestroy(image: ze_image_handle_t) -> ze_result_t {
    call("zeImageDestroy", |world| {
        world.destroy(image.to_native(), Kind::Image)?;
        Ok(())
    })
}

/// Tells how the bytes of an image lie.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeImageGetMemoryPropertiesExp(
    image: ze_image_handle_t,
    place: *mut ze_image_memory_properties_exp_t,
) -> ze_result_t {
    call("zeImageGetMemoryPropertiesExp", |world| {
        world.needs(image.to_native(), Kind::Image, 2)?;
        let own = world.image(image.to_native())?.texels.descriptor;
        let mut properties = ze_image_memory_properties_exp_t::new();
        properties.rowPitch = own.pitch[1];
        properties.slicePitch = own.pitch[2];
        properties.size = own.pitch[2] * u64::from(own.extent[2]);
        // SAFETY: as the caller says.
        unsafe { fill(place, properties) }
    })
}

/// A view of an image: the same texels with another meaning.
///
/// # Errors
/// What is wrong with the description.
///
/// # Safety
/// The pointers are null or as Level Zero says.
unsafe fn view(
    world: &mut World,
    context: ze_context_handle_t,
    desc: *const ze_image_desc_t,
    image: ze_image_handle_t,
    place: *mut ze_image_handle_t,
) -> Answer {
    let own = world.image(image.to_native())?.clone();
    // SAFETY: as the caller says.
    let desc = unsafe { get(desc) }?;
    // SAFETY: as the caller says.
    let (descriptor, _) = unsafe { describe(&desc) }?;
    let of = &own.texels.descriptor;
    if (descriptor.pitch, descriptor.extent) != (of.pitch, of.extent) {
        return Err(ZE_RESULT_ERROR_INVALID_ARGUMENT);
    }
    let texels = Texels {
        descriptor: ImageDescriptor {
            data: of.data,
            ..descriptor
        },
        memory: own.texels.memory.clone(),
    };
    let view = Image {
        context: context.to_native(),
        writable: own.writable,
        texels: Arc::new(texels),
    };
    let driver = world.object(context.to_native(), Kind::Context)?.driver;
    let parents = vec![context.to_native(), image.to_native()];
    let handle = world.add(driver, Body::Image(view), parents);
    // SAFETY: as the caller says.
    unsafe { put(place, ze_image_handle_t::from_native(handle)) }
}

/// Makes a view of an image.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeImageViewCreateExp(
    context: ze_context_handle_t,
    device: ze_device_handle_t,
    desc: *const ze_image_desc_t,
    image: ze_image_handle_t,
    place: *mut ze_image_handle_t,
) -> ze_result_t {
    call("zeImageViewCreateExp", |world| {
        world.needs(context.to_native(), Kind::Context, 2)?;
        world.device_in(context.to_native(), device.to_native())?;
        // SAFETY: as the caller says.
        unsafe { view(world, context, desc, image, place) }
    })
}

/// Makes a view of an image.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeImageViewCreateExt(
    context: ze_context_handle_t,
    device: ze_device_handle_t,
    desc: *const ze_image_desc_t,
    image: ze_image_handle_t,
    place: *mut ze_image_handle_t,
) -> ze_result_t {
    call("zeImageViewCreateExt", |world| {
        world.needs(context.to_native(), Kind::Context, 5)?;
        world.device_in(context.to_native(), device.to_native())?;
        // SAFETY: as the caller says.
        unsafe { view(world, context, desc, image, place) }
    })
}
