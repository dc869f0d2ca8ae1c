//! Buffers and images.

use super::counted::counted;
use super::queue::{Context, Queue};
use crate::failure::Stop;
use crate::ok;
use crate::ur;
use crate::world::Flags;
use std::ptr::{null, null_mut};
use ur_api::*;

counted! {
    /// A buffer, a part of one, or an image.
    Memory(ur_mem_handle_t): urMemRetain, urMemRelease,
    urMemGetInfo(ur_mem_info_t), UR_MEM_INFO_REFERENCE_COUNT
}

/// A buffer.
pub type Buffer = Memory;

impl Memory {
    /// A buffer of that many bytes.
    ///
    /// # Errors
    /// When it cannot be made.
    #[track_caller]
    pub fn buffer(context: &Context, flags: impl Into<Flags>, size: usize) -> Result<Buffer, Stop> {
        Memory::made("urMemBufferCreate", |out| {
            let flags = flags.into().0;
            ur!(urMemBufferCreate(context.get(), flags, size, null(), out))
        })
    }

    /// A buffer that can be read and written and holds these bytes.
    ///
    /// # Errors
    /// When it cannot be made.
    #[track_caller]
    pub fn with(context: &Context, bytes: &[u8]) -> Result<Buffer, Stop> {
        let properties = ur_buffer_properties_t {
            pHost: bytes.as_ptr().cast_mut().cast(),
            ..Default::default()
        };
        let flags = Flags::from(UR_MEM_FLAG_READ_WRITE).0
            | Flags::from(UR_MEM_FLAG_ALLOC_COPY_HOST_POINTER).0;
        Memory::made("urMemBufferCreate", |out| {
            let properties = &raw const properties;
            ur!(urMemBufferCreate(
                context.get(),
                flags,
                bytes.len(),
                properties,
                out
            ))
        })
    }

    /// An image without contents.
    ///
    /// # Errors
    /// When it cannot be made.
    #[track_caller]
    pub fn image(
        context: &Context,
        flags: impl Into<Flags>,
        format: &ur_image_format_t,
        desc: &ur_image_desc_t,
    ) -> Result<Memory, Stop> {
        Memory::made("urMemImageCreate", |out| {
            let (format, desc) = (&raw const *format, &raw const *desc);
            let flags = flags.into().0;
            ur!(urMemImageCreate(
                context.get(),
                flags,
                format,
                desc,
                null_mut(),
                out
            ))
        })
    }

    /// What it holds, read through a queue that is waited for.
    ///
    /// # Errors
    /// When the call does not succeed.
    #[track_caller]
    pub fn read(&self, queue: &Queue, size: usize) -> Result<Vec<u8>, Stop> {
        let mut bytes = vec![0u8; size];
        ok!(urEnqueueMemBufferRead(
            queue.get(),
            self.get(),
            true,
            0,
            size,
            bytes.as_mut_ptr().cast(),
            0,
            null(),
            null_mut()
        ))?;
        Ok(bytes)
    }
}

/// Four bytes for each texel, the format that every device with images has.
pub static RGBA8: ur_image_format_t = ur_image_format_t {
    channelOrder: UR_IMAGE_CHANNEL_ORDER_RGBA,
    channelType: UR_IMAGE_CHANNEL_TYPE_UNORM_INT8,
};

/// A flat image of that many texels.
pub fn flat(width: usize, height: usize) -> ur_image_desc_t {
    ur_image_desc_t {
        r#type: UR_MEM_TYPE_IMAGE2D,
        width,
        height,
        depth: 1,
        arraySize: 1,
        ..Default::default()
    }
}
