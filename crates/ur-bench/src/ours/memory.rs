//! Memory on the device: USM, or buffers for a comparison with a driver that has nothing else.

use super::{Ours, Owned, ur};
use crate::case::Arg;
use std::ffi::c_void;
use std::ptr::{null, null_mut};
use ur_api::*;

/// What a device's memory is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Memory {
    /// Device allocations.
    Usm,
    /// Memory objects.
    Buffers,
}

/// Device memory.
pub(super) struct Block<'d> {
    device: &'d Ours,
    place: Place,
    size: usize,
}

/// Where a block is.
enum Place {
    Usm(Allocation),
    Buffer(Owned<ur_mem_handle_t>),
}

/// A device allocation, which is given back.
struct Allocation {
    context: ur_context_handle_t,
    pointer: *mut c_void,
    free: PfnUrUSMFree,
}

impl Drop for Allocation {
    fn drop(&mut self) {
        if let Some(free) = self.free {
            // SAFETY: allocated in this context; what used it was waited for.
            unsafe { free(self.context, self.pointer) };
        }
    }
}

impl Ours {
    /// A block of so many bytes, at least one, whose content is not known.
    pub(super) fn block(&self, size: usize) -> Result<Block<'_>, String> {
        let place = match self.memory {
            Memory::Usm => Place::Usm(self.allocation(size.max(1))?),
            Memory::Buffers => Place::Buffer(self.buffer(size.max(1), null_mut())?),
        };
        Ok(Block {
            device: self,
            place,
            size,
        })
    }

    /// A block with its first content.
    pub(super) fn filled(&self, content: &[u8]) -> Result<Block<'_>, String> {
        if self.memory == Memory::Buffers && !content.is_empty() {
            let from = content.as_ptr().cast_mut().cast();
            return Ok(Block {
                device: self,
                place: Place::Buffer(self.buffer(content.len(), from)?),
                size: content.len(),
            });
        }
        let block = self.block(content.len())?;
        block.write(content)?;
        Ok(block)
    }

    fn allocation(&self, size: usize) -> Result<Allocation, String> {
        let mut pointer = null_mut();
        // SAFETY: live handles, no pool; the out-parameter is ours.
        unsafe {
            ur!(
                self.functions,
                urUSMDeviceAlloc(
                    self.context,
                    self.device,
                    null(),
                    null_mut(),
                    size,
                    &raw mut pointer
                )
            )
        }?;
        Ok(Allocation {
            context: self.context,
            pointer,
            free: self.functions.urUSMFree,
        })
    }

    /// A buffer; what `from` points to is its first content, if it is not null, and has its size.
    fn buffer(&self, size: usize, from: *mut c_void) -> Result<Owned<ur_mem_handle_t>, String> {
        let mut flags = UR_MEM_FLAG_READ_WRITE.0;
        let properties = ur_buffer_properties_t {
            pHost: from,
            ..Default::default()
        };
        let mut given = null();
        if !from.is_null() {
            flags |= UR_MEM_FLAG_ALLOC_COPY_HOST_POINTER.0;
            given = &raw const properties;
        }
        let mut buffer = null_mut();
        // SAFETY: a live context; the content is only read, during the call; the out-parameter is ours.
        unsafe {
            ur!(
                self.functions,
                urMemBufferCreate(self.context, flags, size, given, &raw mut buffer)
            )
        }?;
        Ok(Owned(buffer, self.functions.urMemRelease))
    }

    /// Enqueues a copy in unified shared memory.
    ///
    /// # Safety
    /// Both sides hold `size` bytes until the copy is done.
    unsafe fn copy(
        &self,
        blocking: bool,
        to: *mut c_void,
        from: *const c_void,
        size: usize,
    ) -> Result<(), String> {
        // SAFETY: as the caller says; a live queue and no events.
        unsafe {
            ur!(
                self.functions,
                urEnqueueUSMMemcpy(self.queue, blocking, to, from, size, 0, null(), null_mut())
            )
        }
    }
}

impl Block<'_> {
    /// Gives the start of the block new content, and waits.
    pub(super) fn write(&self, content: &[u8]) -> Result<(), String> {
        let (device, from, size) = (self.device, content.as_ptr().cast(), content.len());
        if size == 0 {
            return Ok(());
        }
        if size > self.size {
            return Err("more than the block holds".to_owned());
        }
        match &self.place {
            // SAFETY: both sides hold so many bytes; the call waits for the copy.
            Place::Usm(to) => unsafe { device.copy(true, to.pointer, from, size) },
            // SAFETY: live handles; the content is readable, and the call waits for the copy.
            Place::Buffer(to) => unsafe {
                ur!(
                    device.functions,
                    urEnqueueMemBufferWrite(
                        device.queue,
                        to.0,
                        true,
                        0,
                        size,
                        from,
                        0,
                        null(),
                        null_mut()
                    )
                )
            },
        }
    }

    /// Reads the start of the block, after all that was enqueued before.
    pub(super) fn read(&self, content: &mut [u8]) -> Result<(), String> {
        let (device, size) = (self.device, content.len());
        let to = content.as_mut_ptr().cast();
        if size == 0 {
            return Ok(());
        }
        if size > self.size {
            return Err("more than the block holds".to_owned());
        }
        match &self.place {
            // SAFETY: both sides hold so many bytes; the call waits for the copy.
            Place::Usm(from) => unsafe { device.copy(true, to, from.pointer, size) },
            // SAFETY: live handles; the content is writable, and the call waits for the copy.
            Place::Buffer(from) => unsafe {
                ur!(
                    device.functions,
                    urEnqueueMemBufferRead(
                        device.queue,
                        from.0,
                        true,
                        0,
                        size,
                        to,
                        0,
                        null(),
                        null_mut()
                    )
                )
            },
        }
    }

    /// All that is in the block.
    pub(super) fn content(&self) -> Result<Vec<u8>, String> {
        let mut content = vec![0; self.size];
        self.read(&mut content)?;
        Ok(content)
    }

    /// Enqueues a copy of another block of the same size.
    pub(super) fn copy(&self, from: &Block<'_>) -> Result<(), String> {
        let (device, size) = (self.device, self.size);
        if size != from.size {
            return Err("blocks of different sizes".to_owned());
        }
        match (&self.place, &from.place) {
            // SAFETY: both blocks hold so many bytes, and are waited for before they go.
            (Place::Usm(to), Place::Usm(from)) => unsafe {
                device.copy(false, to.pointer, from.pointer, size)
            },
            // SAFETY: live handles and no events.
            (Place::Buffer(to), Place::Buffer(from)) => unsafe {
                ur!(
                    device.functions,
                    urEnqueueMemBufferCopy(
                        device.queue,
                        from.0,
                        to.0,
                        0,
                        0,
                        size,
                        0,
                        null(),
                        null_mut()
                    )
                )
            },
            _ => Err("blocks of different kinds".to_owned()),
        }
    }
}

/// The structure that passes an argument to a launch. It points to the value that is in `arg`; a
/// buffer of the case is `block`.
pub(super) fn properties(
    index: u32,
    arg: &Arg,
    block: Option<&Block<'_>>,
) -> ur_exp_kernel_arg_properties_t {
    let (r#type, size, value) = match (arg, block.map(|block| &block.place)) {
        (Arg::Value(bytes), _) => {
            let value = bytes.as_ptr().cast();
            let value = ur_exp_kernel_arg_value_t { value };
            (UR_EXP_KERNEL_ARG_TYPE_VALUE, bytes.len(), value)
        }
        (Arg::Local(size), _) => {
            let value = ur_exp_kernel_arg_value_t { value: null() };
            (UR_EXP_KERNEL_ARG_TYPE_LOCAL, *size, value)
        }
        (Arg::Buffer(_), Some(Place::Buffer(buffer))) => {
            let tuple = ur_exp_kernel_arg_mem_obj_tuple_t {
                hMem: buffer.0,
                flags: UR_MEM_FLAG_READ_WRITE.0,
            };
            let value = ur_exp_kernel_arg_value_t { memObjTuple: tuple };
            (
                UR_EXP_KERNEL_ARG_TYPE_MEM_OBJ,
                size_of::<ur_mem_handle_t>(),
                value,
            )
        }
        (Arg::Buffer(_), place) => {
            let pointer = match place {
                Some(Place::Usm(allocation)) => allocation.pointer,
                _ => null_mut(),
            };
            let value = ur_exp_kernel_arg_value_t { pointer };
            (UR_EXP_KERNEL_ARG_TYPE_POINTER, size_of::<usize>(), value)
        }
    };
    ur_exp_kernel_arg_properties_t {
        r#type,
        index,
        size,
        value,
        ..Default::default()
    }
}
