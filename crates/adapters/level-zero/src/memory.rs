//! Buffers and sub-buffers; what images are is in [`crate::image`].

pub mod storage;

use crate::LevelZero;
use crate::context::Context;
use crate::device::Device;
use crate::image::{self, Image};
use crate::usm::driver;
use crate::ze;
use std::ffi::c_void;
use std::sync::Arc;
use storage::{Place, Storage};
use ur_adapter::{Error, Handle, Info, MemFns, Object, Result};
use ur_api::*;

/// What a memory handle names.
#[derive(Debug)]
pub struct Mem {
    storage: Arc<Storage>,
    /// Where a sub-buffer begins in the storage.
    offset: usize,
    size: usize,
    flags: ur_mem_flags_t,
    is_part: bool,
}

impl Mem {
    /// The memory object that is all of a storage.
    ///
    /// # Errors
    /// `OUT_OF_HOST_MEMORY`.
    pub fn whole(storage: Storage, size: usize, flags: ur_mem_flags_t) -> Result<Handle<Self>> {
        Handle::new(Self {
            storage: Arc::new(storage),
            offset: 0,
            size,
            flags,
            is_part: false,
        })
    }

    /// What is behind it; commands that use it hold this.
    pub fn storage(&self) -> &Arc<Storage> {
        &self.storage
    }

    /// Its context.
    pub fn context(&self) -> &Handle<Context> {
        self.storage.context()
    }

    /// Bytes in it.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Where it begins in its storage.
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// What a kernel gets for it: a buffer's address, or the handle of an image.
    ///
    /// # Errors
    /// `INVALID_CONTEXT` for a device of another context.
    pub fn argument(&self, device: &Device) -> Result<usize> {
        if !self.context().has(device) {
            return Err(Error::code(UR_RESULT_ERROR_INVALID_CONTEXT));
        }
        Ok(match self.storage.place() {
            Place::Memory { start, .. } => start + self.offset,
            Place::Image { native, .. } => native.get().to_native(),
        })
    }

    /// The address of a byte of a buffer.
    ///
    /// # Errors
    /// `INVALID_MEM_OBJECT` for an image, `INVALID_SIZE` unless `size` bytes follow.
    pub fn at(&self, offset: usize, size: usize) -> Result<*mut c_void> {
        let Place::Memory { start, .. } = self.storage.place() else {
            return Err(Error::new(
                UR_RESULT_ERROR_INVALID_MEM_OBJECT,
                "an image in place of a buffer",
            ));
        };
        match offset.checked_add(size) {
            Some(end) if end <= self.size => Ok((start + self.offset + offset) as *mut c_void),
            _ => Err(Error::new(
                UR_RESULT_ERROR_INVALID_SIZE,
                format!("bytes {offset}+{size} of a buffer of {}", self.size),
            )),
        }
    }

    /// What it is as an image.
    ///
    /// # Errors
    /// `INVALID_MEM_OBJECT` for a buffer.
    pub fn image(&self) -> Result<(ze::ze_image_handle_t, &Image)> {
        match self.storage.place() {
            Place::Image { native, image } => Ok((native.get(), image)),
            Place::Memory { .. } => Err(Error::new(UR_RESULT_ERROR_INVALID_MEM_OBJECT, "no image")),
        }
    }
}

const ACCESS: u32 = UR_MEM_FLAG_READ_WRITE.0 | UR_MEM_FLAG_WRITE_ONLY.0 | UR_MEM_FLAG_READ_ONLY.0;
const HOST: u32 = UR_MEM_FLAG_USE_HOST_POINTER.0
    | UR_MEM_FLAG_ALLOC_HOST_POINTER.0
    | UR_MEM_FLAG_ALLOC_COPY_HOST_POINTER.0;

/// Checks flags of a new memory object, and that there is host memory if and only if they speak of it.
///
/// # Errors
/// `INVALID_ENUMERATION` for unknown ones, `INVALID_VALUE` for those that contradict,
/// `INVALID_HOST_PTR`.
fn check_flags(flags: ur_mem_flags_t, host: *const c_void) -> Result {
    if flags & !(ACCESS | HOST) != 0 {
        return Err(Error::code(UR_RESULT_ERROR_INVALID_ENUMERATION));
    }
    if (flags & ACCESS).count_ones() > 1 {
        return Err(Error::value("more than one kind of access"));
    }
    let copied = UR_MEM_FLAG_ALLOC_HOST_POINTER.0 | UR_MEM_FLAG_ALLOC_COPY_HOST_POINTER.0;
    if flags & UR_MEM_FLAG_USE_HOST_POINTER.0 != 0 && flags & copied != 0 {
        return Err(Error::value("host memory both used and allocated"));
    }
    let wants_host =
        flags & (UR_MEM_FLAG_USE_HOST_POINTER.0 | UR_MEM_FLAG_ALLOC_COPY_HOST_POINTER.0) != 0;
    if wants_host == host.is_null() {
        return Err(Error::code(UR_RESULT_ERROR_INVALID_HOST_PTR));
    }
    Ok(())
}

impl MemFns for LevelZero {
    unsafe fn mem_image_create(
        context: &Object<Context>,
        flags: ur_mem_flags_t,
        image_format: &ur_image_format_t,
        image_desc: &ur_image_desc_t,
        host: *mut c_void,
    ) -> Result<Handle<Mem>> {
        check_flags(flags, host)?;
        // SAFETY: the program passes memory of the image's size, or none.
        unsafe { image::create(context, flags, image_format, image_desc, host) }
    }

    fn mem_buffer_create(
        context: &Object<Context>,
        flags: ur_mem_flags_t,
        size: usize,
        properties: Option<&ur_buffer_properties_t>,
    ) -> Result<Handle<Mem>> {
        let host = properties.map_or(std::ptr::null_mut(), |properties| properties.pHost);
        check_flags(flags, host)?;
        if size == 0 {
            return Err(Error::code(UR_RESULT_ERROR_INVALID_BUFFER_SIZE));
        }
        let shown = match flags & UR_MEM_FLAG_USE_HOST_POINTER.0 {
            0 => std::ptr::null_mut(),
            _ => host,
        };
        let storage = Storage::allocate(context, size, flags, shown)?;
        if !host.is_null() {
            // SAFETY: new memory; the program passes memory of the buffer's size.
            unsafe { storage.fill_from(host, size) }?;
        }
        Mem::whole(storage, size, flags)
    }

    fn mem_buffer_partition(
        buffer: &Object<Mem>,
        flags: ur_mem_flags_t,
        buffer_create_type: ur_buffer_create_type_t,
        region: &ur_buffer_region_t,
    ) -> Result<Handle<Mem>> {
        let unknown = flags & !(ACCESS | HOST) != 0;
        if unknown || buffer_create_type != UR_BUFFER_CREATE_TYPE_REGION {
            return Err(Error::code(UR_RESULT_ERROR_INVALID_ENUMERATION));
        }
        buffer.at(0, 0)?;
        if buffer.is_part {
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
        if region.size == 0 || buffer.at(region.origin, region.size).is_err() {
            return Err(Error::new(
                UR_RESULT_ERROR_INVALID_BUFFER_SIZE,
                "the region is empty or leaves the buffer",
            ));
        }
        Handle::new(Mem {
            storage: buffer.storage.clone(),
            offset: region.origin,
            size: region.size,
            flags: if new == 0 { old } else { new } | buffer.flags & HOST,
            is_part: true,
        })
    }

    fn mem_get_native_handle(
        mem: &Object<Mem>,
        device: Option<&Object<Device>>,
    ) -> Result<ur_native_handle_t> {
        let device = device.unwrap_or(&mem.context().devices()[0]);
        crate::usm::check_device(mem.context(), device)?;
        mem.argument(device)
    }

    fn mem_buffer_create_with_native_handle(
        native_mem: ur_native_handle_t,
        context: &Object<Context>,
        properties: Option<&ur_mem_native_properties_t>,
    ) -> Result<Handle<Mem>> {
        let start = native_mem as *const c_void;
        let told = driver::tell(context, start)?;
        if told.kind == UR_USM_TYPE_UNKNOWN {
            return Err(Error::new(
                UR_RESULT_ERROR_INVALID_MEM_OBJECT,
                "the address is in no allocation of the context",
            ));
        }
        let (base, size) = driver::range(context, start)?;
        let ours = properties.is_some_and(|properties| properties.isNativeHandleOwned);
        if ours && base as usize != native_mem {
            return Err(Error::value("an allocation is owned as a whole"));
        }
        let place = Place::Memory {
            start: native_mem,
            visible: told.kind != UR_USM_TYPE_DEVICE,
            ours,
        };
        let storage = Storage::new(context, place, std::ptr::null_mut());
        let size = size - (native_mem - base as usize);
        Mem::whole(storage, size, UR_MEM_FLAG_READ_WRITE.0)
    }

    fn mem_image_create_with_native_handle(
        native_mem: ur_native_handle_t,
        context: &Object<Context>,
        image_format: &ur_image_format_t,
        image_desc: &ur_image_desc_t,
        properties: Option<&ur_mem_native_properties_t>,
    ) -> Result<Handle<Mem>> {
        let native = ze::ze_image_handle_t::from_native(native_mem);
        if native.is_null() {
            return Err(Error::code(UR_RESULT_ERROR_INVALID_MEM_OBJECT));
        }
        let ours = properties.is_some_and(|properties| properties.isNativeHandleOwned);
        // SAFETY: the program passes a live image and says whether it is ours.
        unsafe { image::adopt(context, native, image_format, image_desc, ours) }
    }

    fn mem_get_info(memory: &Object<Mem>, prop_name: ur_mem_info_t, info: &mut Info<'_>) -> Result {
        match prop_name {
            UR_MEM_INFO_SIZE => info.value(memory.size),
            UR_MEM_INFO_CONTEXT => info.handle(&**memory.context()),
            _ => Err(Error::unsupported_query()),
        }
    }

    fn mem_image_get_info(
        memory: &Object<Mem>,
        prop_name: ur_image_info_t,
        info: &mut Info<'_>,
    ) -> Result {
        memory.image()?.1.answer(prop_name, info)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_that_contradict_are_refused() {
        let (none, some) = (std::ptr::null(), std::ptr::dangling());
        assert!(check_flags(0, none).is_ok());
        assert!(check_flags(UR_MEM_FLAG_USE_HOST_POINTER.0, some).is_ok());
        assert!(check_flags(UR_MEM_FLAG_USE_HOST_POINTER.0, none).is_err());
        assert!(check_flags(0, some).is_err());
        assert!(check_flags(UR_MEM_FLAG_READ_ONLY.0 | UR_MEM_FLAG_READ_WRITE.0, none).is_err());
        assert!(check_flags(HOST, some).is_err());
        assert!(check_flags(1 << 20, none).is_err());
    }
}
