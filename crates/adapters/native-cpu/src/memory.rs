//! Buffers, sub-buffers and images.

use crate::NativeCpu;
use crate::arena::Block;
use crate::context::Context;
use crate::device::info::{MEM_ALIGN, max_alloc_size};
use crate::image::{self, Image};
use std::sync::Arc;
use ur_adapter::{Error, Handle, Info, MemFns, Object, Result};
use ur_api::*;

/// The bytes of a buffer or image, shared by sub-buffers and by pending commands.
#[derive(Debug)]
pub struct Storage {
    start: usize,
    /// None for memory of the program.
    _owned: Option<Block>,
    /// What an image's bytes are; none for a buffer.
    image: Option<Image>,
}

impl Storage {
    /// The bytes of an image.
    pub fn of_image(image: Image, owned: Option<Block>) -> Storage {
        Storage {
            start: image.descriptor().data,
            _owned: owned,
            image: Some(image),
        }
    }
}

/// What a memory handle names: a part of some storage, for a buffer the whole.
#[derive(Debug)]
pub struct Mem {
    context: Handle<Context>,
    storage: Arc<Storage>,
    offset: usize,
    size: usize,
    flags: ur_mem_flags_t,
    is_sub_buffer: bool,
}

impl std::fmt::Debug for Context {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Context").finish_non_exhaustive()
    }
}

impl Mem {
    /// Address of its first byte.
    pub fn start(&self) -> usize {
        self.storage.start + self.offset
    }

    /// Bytes in it.
    pub fn size(&self) -> usize {
        self.size
    }

    /// The memory object of an image.
    pub fn of_image(
        context: &Object<Context>,
        storage: Storage,
        size: usize,
        flags: ur_mem_flags_t,
    ) -> Result<Handle<Mem>> {
        Handle::new(Mem {
            context: context.handle(),
            storage: Arc::new(storage),
            offset: 0,
            size,
            flags,
            is_sub_buffer: false,
        })
    }

    /// What it is as an image.
    ///
    /// # Errors
    /// `INVALID_MEM_OBJECT` for a buffer.
    pub fn image(&self) -> Result<&Image> {
        self.storage
            .image
            .as_ref()
            .ok_or_else(|| Error::new(UR_RESULT_ERROR_INVALID_MEM_OBJECT, "no image"))
    }

    /// Fails for an image.
    ///
    /// # Errors
    /// `INVALID_MEM_OBJECT`.
    pub fn expect_buffer(&self) -> Result {
        match self.storage.image {
            None => Ok(()),
            Some(_) => Err(Error::new(
                UR_RESULT_ERROR_INVALID_MEM_OBJECT,
                "an image in place of a buffer",
            )),
        }
    }

    /// A share of the bytes, for a command that outlives the handle.
    pub fn storage(&self) -> Arc<Storage> {
        self.storage.clone()
    }

    /// The address at `offset`, if `size` bytes follow there.
    ///
    /// # Errors
    /// `INVALID_SIZE` for a range outside of the buffer, `INVALID_MEM_OBJECT` for an image.
    pub fn range(&self, offset: usize, size: usize) -> Result<usize> {
        self.expect_buffer()?;
        match offset.checked_add(size) {
            Some(end) if end <= self.size => Ok(self.start() + offset),
            _ => Err(Error::new(
                UR_RESULT_ERROR_INVALID_SIZE,
                format!("bytes {offset}+{size} of a buffer of {}", self.size),
            )),
        }
    }
}

const ACCESS: u32 = UR_MEM_FLAG_READ_WRITE.0 | UR_MEM_FLAG_WRITE_ONLY.0 | UR_MEM_FLAG_READ_ONLY.0;
const HOST: u32 = UR_MEM_FLAG_USE_HOST_POINTER.0
    | UR_MEM_FLAG_ALLOC_HOST_POINTER.0
    | UR_MEM_FLAG_ALLOC_COPY_HOST_POINTER.0;

/// Checks flags of a new memory object.
///
/// # Errors
/// `INVALID_ENUMERATION` for unknown ones, `INVALID_VALUE` for those that contradict.
pub fn check_flags(flags: u32) -> Result {
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
    Ok(())
}

impl MemFns for NativeCpu {
    unsafe fn mem_image_create(
        context: &Object<Context>,
        flags: ur_mem_flags_t,
        image_format: &ur_image_format_t,
        image_desc: &ur_image_desc_t,
        host: *mut std::ffi::c_void,
    ) -> Result<Handle<Mem>> {
        // SAFETY: the program passes memory of the image's size, or none.
        unsafe { image::create(context, flags, image_format, image_desc, host) }
    }

    fn mem_image_get_info(
        memory: &Object<Mem>,
        prop_name: ur_image_info_t,
        info: &mut Info<'_>,
    ) -> Result {
        memory.image()?.answer(prop_name, info)
    }

    fn mem_buffer_create(
        context: &Object<Context>,
        flags: ur_mem_flags_t,
        size: usize,
        properties: Option<&ur_buffer_properties_t>,
    ) -> Result<Handle<Mem>> {
        check_flags(flags)?;
        if size == 0 || size as u64 > max_alloc_size() {
            return Err(Error::code(UR_RESULT_ERROR_INVALID_BUFFER_SIZE));
        }
        let host = properties.map_or(std::ptr::null_mut(), |properties| properties.pHost);
        let wants_host =
            flags & (UR_MEM_FLAG_USE_HOST_POINTER.0 | UR_MEM_FLAG_ALLOC_COPY_HOST_POINTER.0) != 0;
        if wants_host == host.is_null() {
            return Err(Error::code(UR_RESULT_ERROR_INVALID_HOST_PTR));
        }
        let storage = if flags & UR_MEM_FLAG_USE_HOST_POINTER.0 != 0 {
            Storage {
                start: host as usize,
                _owned: None,
                image: None,
            }
        } else {
            let block = Block::new(size, MEM_ALIGN)
                .ok_or_else(|| Error::code(UR_RESULT_ERROR_OUT_OF_RESOURCES))?;
            if wants_host {
                // SAFETY: the program's memory holds `size` bytes and so does the new block.
                unsafe { std::ptr::copy_nonoverlapping(host.cast(), block.start(), size) };
            }
            Storage {
                start: block.start() as usize,
                _owned: Some(block),
                image: None,
            }
        };
        Handle::new(Mem {
            context: context.handle(),
            storage: Arc::new(storage),
            offset: 0,
            size,
            flags,
            is_sub_buffer: false,
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
        check_flags(flags)?;
        buffer.expect_buffer()?;
        if buffer.is_sub_buffer {
            return Err(Error::new(
                UR_RESULT_ERROR_INVALID_MEM_OBJECT,
                "a sub-buffer of a sub-buffer",
            ));
        }
        if flags & HOST != 0 {
            return Err(Error::value("a sub-buffer has the memory of its buffer"));
        }
        let (old, new) = (buffer.flags & ACCESS, flags & ACCESS);
        let widens = match old {
            0 => false,
            old if old == UR_MEM_FLAG_READ_WRITE.0 => false,
            old => new != 0 && new != old,
        };
        if widens {
            return Err(Error::value("more access than the buffer has"));
        }
        if region.size == 0 {
            return Err(Error::code(UR_RESULT_ERROR_INVALID_BUFFER_SIZE));
        }
        if buffer.range(region.origin, region.size).is_err() {
            return Err(Error::new(
                UR_RESULT_ERROR_INVALID_BUFFER_SIZE,
                "the region leaves the buffer",
            ));
        }
        Handle::new(Mem {
            context: buffer.context.clone(),
            storage: buffer.storage.clone(),
            offset: region.origin,
            size: region.size,
            flags: if new == 0 { old } else { new } | buffer.flags & HOST,
            is_sub_buffer: true,
        })
    }

    fn mem_get_info(memory: &Object<Mem>, prop_name: ur_mem_info_t, info: &mut Info<'_>) -> Result {
        match prop_name {
            UR_MEM_INFO_SIZE => info.value(memory.size),
            UR_MEM_INFO_CONTEXT => info.handle(&*memory.context),
            _ => Err(Error::unsupported_query()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_that_contradict_are_refused() {
        assert!(check_flags(0).is_ok());
        assert!(check_flags(UR_MEM_FLAG_READ_ONLY.0 | UR_MEM_FLAG_USE_HOST_POINTER.0).is_ok());
        assert!(check_flags(UR_MEM_FLAG_READ_ONLY.0 | UR_MEM_FLAG_READ_WRITE.0).is_err());
        assert!(check_flags(HOST).is_err());
        assert!(check_flags(1 << 20).is_err());
    }
}
