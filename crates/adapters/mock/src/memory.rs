//! Buffers with real memory.

use crate::Mock;
use crate::context::Context;
use std::ffi::c_void;
use std::ptr::NonNull;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use ur_adapter::{Error, Handle, Info, MemFns, Object, Result};
use ur_api::*;

/// A buffer, or a part of one.
#[derive(Debug)]
pub struct Mem {
    context: Handle<Context>,
    parent: Option<Handle<Mem>>,
    offset: usize,
    size: usize,
    bytes: Arc<Mutex<Box<[u8]>>>,
}

impl Mem {
    /// Runs `body` on `size` bytes from `offset`.
    ///
    /// # Errors
    /// `INVALID_SIZE` when they do not lie inside.
    pub fn with<R>(
        &self,
        offset: usize,
        size: usize,
        body: impl FnOnce(&mut [u8]) -> R,
    ) -> Result<R> {
        let end = offset.checked_add(size).filter(|end| *end <= self.size);
        if end.is_none() {
            return Err(UR_RESULT_ERROR_INVALID_SIZE.into());
        }
        let start = self.offset + offset;
        match self.lock().get_mut(start..start + size) {
            Some(part) => Ok(body(part)),
            None => Err(UR_RESULT_ERROR_INVALID_SIZE.into()),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Box<[u8]>> {
        self.bytes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Address of the byte at `offset`, for a map.
    ///
    /// # Errors
    /// `INVALID_SIZE` when the part does not lie inside.
    pub fn address(&self, offset: usize, size: usize) -> Result<NonNull<c_void>> {
        self.with(offset, size, |part| NonNull::from(part).cast())
    }
}

impl MemFns for Mock {
    fn mem_buffer_create(
        context: &Object<Context>,
        _flags: ur_mem_flags_t,
        size: usize,
        properties: Option<&ur_buffer_properties_t>,
    ) -> Result<Handle<Mem>> {
        if size == 0 {
            return Err(UR_RESULT_ERROR_INVALID_BUFFER_SIZE.into());
        }
        let mut bytes = Vec::new();
        if bytes.try_reserve_exact(size).is_err() {
            return Err(UR_RESULT_ERROR_OUT_OF_HOST_MEMORY.into());
        }
        bytes.resize(size, 0);
        if let Some(host) = properties.and_then(|p| NonNull::new(p.pHost)) {
            // SAFETY: the program says that its memory holds `size` bytes.
            bytes
                .copy_from_slice(unsafe { std::slice::from_raw_parts(host.cast().as_ptr(), size) });
        }
        Handle::new(Mem {
            context: context.handle(),
            parent: None,
            offset: 0,
            size,
            bytes: Arc::new(Mutex::new(bytes.into_boxed_slice())),
        })
    }

    fn mem_buffer_partition(
        buffer: &Object<Mem>,
        _flags: ur_mem_flags_t,
        _buffer_create_type: ur_buffer_create_type_t,
        region: &ur_buffer_region_t,
    ) -> Result<Handle<Mem>> {
        if buffer.parent.is_some() {
            return Err(UR_RESULT_ERROR_INVALID_MEM_OBJECT.into());
        }
        if region.size == 0 {
            return Err(UR_RESULT_ERROR_INVALID_BUFFER_SIZE.into());
        }
        buffer.with(region.origin, region.size, |_| ())?;
        Handle::new(Mem {
            context: buffer.context.clone(),
            parent: Some(buffer.handle()),
            offset: region.origin,
            size: region.size,
            bytes: Arc::clone(&buffer.bytes),
        })
    }

    fn mem_get_info(memory: &Object<Mem>, prop: ur_mem_info_t, info: &mut Info<'_>) -> Result {
        match prop {
            UR_MEM_INFO_SIZE => info.value(memory.size),
            UR_MEM_INFO_CONTEXT => info.handle(&memory.context),
            _ => Err(Error::unsupported_query()),
        }
    }
}
