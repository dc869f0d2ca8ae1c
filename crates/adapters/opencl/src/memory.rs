//! Buffers, sub-buffers and images.

mod flags;

use crate::OpenCl;
use crate::cl::{self, Functions, Owned, check, query};
use crate::context::Context;
use crate::device::Device;
use crate::image::{self, Image};
use flags::{ACCESS, HOST, check_flags};
use std::ffi::c_void;
use ur_adapter::{Error, Handle, Info, MemFns, Object, Result};
use ur_api::*;

/// What a memory handle names.
#[derive(Debug)]
pub struct Mem {
    /// First, so that it goes before what it is of.
    native: Owned<cl::cl_mem>,
    context: Handle<Context>,
    size: usize,
    flags: ur_mem_flags_t,
    what: What,
}

/// What a memory object is.
#[derive(Debug)]
enum What {
    Buffer,
    /// A part of a buffer, which OpenCL keeps alive.
    SubBuffer,
    Image(Image),
}

impl Mem {
    /// The memory object of an image.
    ///
    /// # Errors
    /// `OUT_OF_HOST_MEMORY`, and what the driver says.
    pub fn of_image(
        context: &Object<Context>,
        native: Owned<cl::cl_mem>,
        image: Image,
        flags: ur_mem_flags_t,
    ) -> Result<Handle<Mem>> {
        Handle::new(Mem {
            size: value(native.api(), native.get(), cl::CL_MEM_SIZE)?,
            native,
            context: context.handle(),
            flags,
            what: What::Image(image),
        })
    }

    /// OpenCL's own handle.
    pub fn native(&self) -> cl::cl_mem {
        self.native.get()
    }

    /// Its context.
    pub fn context(&self) -> &Handle<Context> {
        &self.context
    }

    /// The library's functions.
    pub fn api(&self) -> &'static Functions {
        self.native.api()
    }

    /// Bytes in it.
    pub fn size(&self) -> usize {
        self.size
    }

    /// What it is as an image.
    ///
    /// # Errors
    /// `INVALID_MEM_OBJECT` for a buffer.
    pub fn image(&self) -> Result<&Image> {
        match &self.what {
            What::Image(image) => Ok(image),
            _ => Err(Error::new(UR_RESULT_ERROR_INVALID_MEM_OBJECT, "no image")),
        }
    }

    /// Fails for an image.
    ///
    /// # Errors
    /// `INVALID_MEM_OBJECT`.
    pub fn expect_buffer(&self) -> Result {
        match self.what {
            What::Image(_) => Err(Error::new(
                UR_RESULT_ERROR_INVALID_MEM_OBJECT,
                "an image in place of a buffer",
            )),
            _ => Ok(()),
        }
    }

    /// Fails unless `size` bytes follow at `offset` of a buffer.
    ///
    /// # Errors
    /// `INVALID_SIZE` for a range outside of the buffer, `INVALID_MEM_OBJECT` for an image.
    pub fn expect_range(&self, offset: usize, size: usize) -> Result {
        self.expect_buffer()?;
        match offset.checked_add(size) {
            Some(end) if end <= self.size => Ok(()),
            _ => Err(Error::new(
                UR_RESULT_ERROR_INVALID_SIZE,
                format!("bytes {offset}+{size} of a buffer of {}", self.size),
            )),
        }
    }
}

/// A value that the driver has about a memory object.
fn value<T: query::Answer>(api: &Functions, native: cl::cl_mem, name: cl::cl_uint) -> Result<T> {
    query::value(|size, value, told| {
        // SAFETY: a live object; the places are as `query` says.
        unsafe { (api.clGetMemObjectInfo)(native, name, size, value, told) }
    })
}

/// Fails for a buffer that is too large for every device of its context, which not every driver
/// notices.
fn expect_allowed(context: &Context, size: usize) -> Result {
    let mut most = context.devices().iter().map(|d| d.facts().max_alloc_size);
    match most.any(|most| size as u64 <= most) {
        true => Ok(()),
        false => Err(Error::new(
            UR_RESULT_ERROR_INVALID_BUFFER_SIZE,
            "larger than buffers of the devices can be",
        )),
    }
}

/// The object behind a native handle that a program hands in, after a look at whether it is one of the
/// context's.
///
/// # Errors
/// `INVALID_MEM_OBJECT`, `INVALID_CONTEXT`.
///
/// # Safety
/// `native` is null or names a live memory object; if it is `given`, the caller owns a reference.
unsafe fn adopt(
    native: ur_native_handle_t,
    context: &Context,
    properties: Option<&ur_mem_native_properties_t>,
) -> Result<Owned<cl::cl_mem>> {
    let api = context.api();
    let native = cl::cl_mem::from_native(native);
    if native.is_null() {
        return Err(Error::code(UR_RESULT_ERROR_INVALID_MEM_OBJECT));
    }
    let of: cl::cl_context = value(api, native, cl::CL_MEM_CONTEXT)?;
    if of != context.native() {
        return Err(Error::code(UR_RESULT_ERROR_INVALID_CONTEXT));
    }
    let given = properties.is_some_and(|properties| properties.isNativeHandleOwned);
    // SAFETY: forwarded.
    unsafe { Owned::of_native(api, native, given) }
}

impl MemFns for OpenCl {
    unsafe fn mem_image_create(
        context: &Object<Context>,
        flags: ur_mem_flags_t,
        image_format: &ur_image_format_t,
        image_desc: &ur_image_desc_t,
        host: *mut c_void,
    ) -> Result<Handle<Mem>> {
        let native = check_flags(flags, host)?;
        // SAFETY: the program passes memory of the image's size, or none.
        let (owned, image) =
            unsafe { image::create(context, native, image_format, image_desc, host) }?;
        Mem::of_image(context, owned, image, flags)
    }

    fn mem_buffer_create(
        context: &Object<Context>,
        flags: ur_mem_flags_t,
        size: usize,
        properties: Option<&ur_buffer_properties_t>,
    ) -> Result<Handle<Mem>> {
        let host = properties.map_or(std::ptr::null_mut(), |properties| properties.pHost);
        let native = check_flags(flags, host)?;
        if size == 0 {
            return Err(Error::code(UR_RESULT_ERROR_INVALID_BUFFER_SIZE));
        }
        expect_allowed(context, size)?;
        let api = context.api();
        let mut code = 0;
        // SAFETY: a live context; host memory has the size named, as the program says.
        let native =
            unsafe { (api.clCreateBuffer)(context.native(), native, size, host, &raw mut code) };
        check(code)?;
        Handle::new(Mem {
            // SAFETY: made for this call.
            native: unsafe { Owned::new(api, native) },
            context: context.handle(),
            size,
            flags,
            what: What::Buffer,
        })
    }

    fn mem_buffer_partition(
        buffer: &Object<Mem>,
        flags: ur_mem_flags_t,
        buffer_create_type: ur_buffer_create_type_t,
        region: &ur_buffer_region_t,
    ) -> Result<Handle<Mem>> {
        if buffer_create_type != UR_BUFFER_CREATE_TYPE_REGION {
            return Err(Error::code(UR_RESULT_ERROR_INVALID_ENUMERATION));
        }
        if flags & !(ACCESS | HOST) != 0 {
            return Err(Error::code(UR_RESULT_ERROR_INVALID_ENUMERATION));
        }
        buffer.expect_buffer()?;
        if matches!(buffer.what, What::SubBuffer) {
            return Err(Error::new(
                UR_RESULT_ERROR_INVALID_MEM_OBJECT,
                "a sub-buffer of a sub-buffer",
            ));
        }
        if flags & HOST != 0 || (flags & ACCESS).count_ones() > 1 {
            return Err(Error::value("flags that a sub-buffer cannot have"));
        }
        let (old, new) = (buffer.flags & ACCESS, flags & ACCESS);
        let whole = old == 0 || old == UR_MEM_FLAG_READ_WRITE.0;
        if !whole && new != 0 && new != old {
            return Err(Error::value("more access than the buffer has"));
        }
        if region.size == 0 {
            return Err(Error::code(UR_RESULT_ERROR_INVALID_BUFFER_SIZE));
        }
        if buffer.expect_range(region.origin, region.size).is_err() {
            return Err(Error::new(
                UR_RESULT_ERROR_INVALID_BUFFER_SIZE,
                "the region leaves the buffer",
            ));
        }
        let api = buffer.api();
        let part = cl::cl_buffer_region {
            origin: region.origin,
            size: region.size,
        };
        let mut code = 0;
        // SAFETY: a live buffer and a region of it.
        let native = unsafe {
            (api.clCreateSubBuffer)(
                buffer.native(),
                flags.into(),
                cl::CL_BUFFER_CREATE_TYPE_REGION,
                (&raw const part).cast(),
                &raw mut code,
            )
        };
        check(code)?;
        Handle::new(Mem {
            // SAFETY: made for this call.
            native: unsafe { Owned::new(api, native) },
            context: buffer.context.clone(),
            size: region.size,
            flags: if new == 0 { old } else { new } | buffer.flags & HOST,
            what: What::SubBuffer,
        })
    }

    fn mem_get_native_handle(
        mem: &Object<Mem>,
        _: Option<&Object<Device>>,
    ) -> Result<ur_native_handle_t> {
        mem.context().pending().note_others();
        Ok(mem.native().to_native())
    }

    fn mem_buffer_create_with_native_handle(
        native_mem: ur_native_handle_t,
        context: &Object<Context>,
        properties: Option<&ur_mem_native_properties_t>,
    ) -> Result<Handle<Mem>> {
        // SAFETY: the program passes a live object and says whether its reference is ours.
        let native = unsafe { adopt(native_mem, context, properties) }?;
        let (api, object) = (native.api(), native.get());
        let kind: cl::cl_uint = value(api, object, cl::CL_MEM_TYPE)?;
        if kind != cl::CL_MEM_OBJECT_BUFFER {
            return Err(Error::code(UR_RESULT_ERROR_INVALID_MEM_OBJECT));
        }
        let flags: cl::cl_bitfield = value(api, object, cl::CL_MEM_FLAGS)?;
        let whole: cl::cl_mem = value(api, object, cl::CL_MEM_ASSOCIATED_MEMOBJECT)?;
        Handle::new(Mem {
            size: value(api, object, cl::CL_MEM_SIZE)?,
            native,
            context: context.handle(),
            flags: flags as u32 & (ACCESS | HOST),
            what: match whole.is_null() {
                true => What::Buffer,
                false => What::SubBuffer,
            },
        })
    }

    fn mem_image_create_with_native_handle(
        native_mem: ur_native_handle_t,
        context: &Object<Context>,
        _: &ur_image_format_t,
        _: &ur_image_desc_t,
        properties: Option<&ur_mem_native_properties_t>,
    ) -> Result<Handle<Mem>> {
        // SAFETY: the program passes a live object and says whether its reference is ours.
        let native = unsafe { adopt(native_mem, context, properties) }?;
        let (api, object) = (native.api(), native.get());
        // What the image is, it says itself.
        let image = Image::of_native(api, object, value(api, object, cl::CL_MEM_TYPE)?)?;
        let flags: cl::cl_bitfield = value(api, object, cl::CL_MEM_FLAGS)?;
        Mem::of_image(context, native, image, flags as u32 & (ACCESS | HOST))
    }

    fn mem_get_info(memory: &Object<Mem>, prop_name: ur_mem_info_t, info: &mut Info<'_>) -> Result {
        match prop_name {
            UR_MEM_INFO_SIZE => info.value(memory.size),
            UR_MEM_INFO_CONTEXT => info.handle(&*memory.context),
            _ => Err(Error::unsupported_query()),
        }
    }

    fn mem_image_get_info(
        memory: &Object<Mem>,
        prop_name: ur_image_info_t,
        info: &mut Info<'_>,
    ) -> Result {
        let image = memory.image()?;
        image.answer(memory.api(), memory.native(), prop_name, info)
    }
}
