//! Buffers, sub-buffers and images.

use crate::call::{Raw, call, code, made, tell};
use crate::cl::*;
use crate::world::{Body, Kind};
use std::ffi::c_void;

/// A memory object.
#[derive(Debug)]
pub struct Mem {
    /// Its context.
    pub context: usize,
    flags: cl_bitfield,
    size: usize,
    host: usize,
    /// For a sub-buffer the buffer, and where it begins in it.
    part: Option<(usize, usize)>,
    image: Option<(cl_image_format, cl_image_desc)>,
    /// What a map gives, made by the first one.
    mapped: Vec<u8>,
}

// SAFETY: the handles in a descriptor are not followed.
unsafe impl Send for Mem {}

impl Mem {
    /// Where a map of the object leads.
    pub fn map(&mut self, offset: usize) -> *mut c_void {
        let start = match self.host {
            0 => {
                self.mapped.resize(self.size, 0);
                self.mapped.as_mut_ptr().cast()
            }
            host => host as *mut c_void,
        };
        start.wrapping_byte_add(offset)
    }

    /// Fails unless the range is in the object.
    ///
    /// # Errors
    /// `CL_INVALID_VALUE`.
    pub fn expect_range(&self, offset: usize, size: usize) -> Result<(), cl_int> {
        match offset.checked_add(size) {
            Some(end) if end <= self.size => Ok(()),
            _ => Err(CL_INVALID_VALUE),
        }
    }

    fn answer(&self, name: cl_uint) -> Result<Vec<u8>, cl_int> {
        Ok(match name {
            CL_MEM_TYPE => match &self.image {
                Some((_, desc)) => desc.image_type,
                None => CL_MEM_OBJECT_BUFFER,
            }
            .raw(),
            CL_MEM_FLAGS => self.flags.raw(),
            CL_MEM_SIZE => self.size.raw(),
            CL_MEM_CONTEXT => self.context.raw(),
            CL_MEM_ASSOCIATED_MEMOBJECT => self.part.map_or(0, |(whole, _)| whole).raw(),
            CL_MEM_OFFSET => self.part.map_or(0, |(_, offset)| offset).raw(),
            _ => return Err(CL_INVALID_VALUE),
        })
    }

    fn answer_image(&self, name: cl_uint) -> Result<Vec<u8>, cl_int> {
        let (format, desc) = self.image.as_ref().ok_or(CL_INVALID_MEM_OBJECT)?;
        Ok(match name {
            CL_IMAGE_FORMAT => {
                [format.image_channel_order, format.image_channel_data_type][..].raw()
            }
            CL_IMAGE_ELEMENT_SIZE => TEXEL.raw(),
            CL_IMAGE_ROW_PITCH => (desc.image_width * TEXEL).raw(),
            CL_IMAGE_SLICE_PITCH => 0usize.raw(),
            CL_IMAGE_WIDTH => desc.image_width.raw(),
            CL_IMAGE_HEIGHT => desc.image_height.raw(),
            CL_IMAGE_DEPTH => desc.image_depth.raw(),
            CL_IMAGE_ARRAY_SIZE => desc.image_array_size.raw(),
            CL_IMAGE_NUM_MIP_LEVELS | CL_IMAGE_NUM_SAMPLES => 0u32.raw(),
            _ => return Err(CL_INVALID_VALUE),
        })
    }
}

/// Raw of a texel, whatever its format is.
const TEXEL: usize = 4;

/// Makes a buffer.
pub unsafe extern "C" fn clCreateBuffer(
    context: cl_context,
    flags: cl_bitfield,
    size: usize,
    host: *mut c_void,
    place: *mut cl_int,
) -> cl_mem {
    let result = call("clCreateBuffer", |world| {
        let context = context.to_native();
        let platform = world.platform_of(context, Kind::Context)?;
        let of_host = CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR;
        if host.is_null() != (flags & of_host == 0) {
            return Err(CL_INVALID_HOST_PTR);
        }
        if size == 0 {
            return Err(CL_INVALID_BUFFER_SIZE);
        }
        let used = flags & CL_MEM_USE_HOST_PTR != 0;
        let mem = Mem {
            context,
            flags,
            size,
            host: if used { host as usize } else { 0 },
            part: None,
            image: None,
            mapped: Vec::new(),
        };
        Ok(world.add(platform, Body::Mem(mem), vec![context]))
    });
    // SAFETY: as the caller says.
    unsafe { made(place, result, cl_mem::from_native) }
}

/// Makes a part of a buffer.
pub unsafe extern "C" fn clCreateSubBuffer(
    buffer: cl_mem,
    flags: cl_bitfield,
    kind: cl_uint,
    region: *const c_void,
    place: *mut cl_int,
) -> cl_mem {
    let result = call("clCreateSubBuffer", |world| {
        let whole = buffer.to_native();
        let platform = world.platform_of(whole, Kind::Mem)?;
        let mem = world.mem(whole)?;
        if kind != CL_BUFFER_CREATE_TYPE_REGION || mem.part.is_some() {
            return Err(CL_INVALID_VALUE);
        }
        // SAFETY: as the caller says.
        let region = unsafe { *region.cast::<cl_buffer_region>() };
        mem.expect_range(region.origin, region.size)?;
        let part = Mem {
            context: mem.context,
            flags: if flags == 0 { mem.flags } else { flags },
            size: region.size,
            host: mem.map(region.origin) as usize,
            part: Some((whole, region.origin)),
            image: None,
            mapped: Vec::new(),
        };
        Ok(world.add(platform, Body::Mem(part), vec![whole]))
    });
    // SAFETY: as the caller says.
    unsafe { made(place, result, cl_mem::from_native) }
}

/// Makes an image.
pub unsafe extern "C" fn clCreateImage(
    context: cl_context,
    flags: cl_bitfield,
    format: *const cl_image_format,
    desc: *const cl_image_desc,
    _: *mut c_void,
    place: *mut cl_int,
) -> cl_mem {
    let result = call("clCreateImage", |world| {
        let context = context.to_native();
        let platform = world.platform_of(context, Kind::Context)?;
        // SAFETY: as the caller says.
        let (format, desc) = unsafe { (*format, *desc) };
        let sizes = [desc.image_height, desc.image_depth, desc.image_array_size];
        let texels = sizes
            .iter()
            .fold(desc.image_width, |all, size| all * (*size).max(1));
        let mem = Mem {
            context,
            flags,
            size: texels * TEXEL,
            host: 0,
            part: None,
            image: Some((format, desc)),
            mapped: Vec::new(),
        };
        Ok(world.add(platform, Body::Mem(mem), vec![context]))
    });
    // SAFETY: as the caller says.
    unsafe { made(place, result, cl_mem::from_native) }
}

/// Answers a question about a memory object.
pub unsafe extern "C" fn clGetMemObjectInfo(
    mem: cl_mem,
    name: cl_uint,
    size: usize,
    value: *mut c_void,
    told: *mut usize,
) -> cl_int {
    code(call("clGetMemObjectInfo", |world| {
        let answer = world.mem(mem.to_native())?.answer(name)?;
        // SAFETY: as the caller says.
        unsafe { tell(&answer, size, value, told) }
    }))
}

/// Answers a question about an image.
pub unsafe extern "C" fn clGetImageInfo(
    image: cl_mem,
    name: cl_uint,
    size: usize,
    value: *mut c_void,
    told: *mut usize,
) -> cl_int {
    code(call("clGetImageInfo", |world| {
        let answer = world.mem(image.to_native())?.answer_image(name)?;
        // SAFETY: as the caller says.
        unsafe { tell(&answer, size, value, told) }
    }))
}

/// Adds a reference.
pub unsafe extern "C" fn clRetainMemObject(mem: cl_mem) -> cl_int {
    code(call("clRetainMemObject", |world| {
        world.retain(mem.to_native(), Kind::Mem)
    }))
}

/// Gives a reference up.
pub unsafe extern "C" fn clReleaseMemObject(mem: cl_mem) -> cl_int {
    code(call("clReleaseMemObject", |world| {
        world.release(mem.to_native(), Kind::Mem)
    }))
}
