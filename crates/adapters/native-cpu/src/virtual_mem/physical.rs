//! Physical memory: memory files, to be mapped into reserved ranges.

use super::system;
use crate::NativeCpu;
use crate::context::Context;
use crate::device::Device;
use crate::memfd::{MemFile, PAGE};
use std::sync::Arc;
use ur_adapter::{Error, Handle, Info, Object, PhysicalMemFns, Result};
use ur_api::*;

/// What a physical memory handle names.
pub struct PhysicalMem {
    context: Handle<Context>,
    device: Handle<Device>,
    file: Arc<MemFile>,
    flags: ur_physical_mem_flags_t,
    /// Whether it was opened from another process.
    imported: bool,
}

impl PhysicalMem {
    /// Memory of another process.
    ///
    /// # Errors
    /// `OUT_OF_HOST_MEMORY`.
    pub fn import(
        context: &Object<Context>,
        device: &Object<Device>,
        file: MemFile,
    ) -> Result<Handle<PhysicalMem>> {
        Handle::new(PhysicalMem {
            context: context.handle(),
            device: device.handle(),
            file: Arc::new(file),
            flags: UR_PHYSICAL_MEM_FLAG_ENABLE_IPC.0,
            imported: true,
        })
    }

    /// Its context.
    pub fn context(&self) -> &Object<Context> {
        &self.context
    }

    /// The file that it is.
    pub fn file(&self) -> &MemFile {
        &self.file
    }

    /// Whether it was opened from another process.
    pub fn is_imported(&self) -> bool {
        self.imported
    }

    /// Whether other processes may be given it.
    pub fn is_shareable(&self) -> bool {
        self.flags & UR_PHYSICAL_MEM_FLAG_ENABLE_IPC.0 != 0
    }
}

impl PhysicalMemFns for NativeCpu {
    fn physical_mem_create(
        context: &Object<Context>,
        device: &Object<Device>,
        size: usize,
        properties: Option<&ur_physical_mem_properties_t>,
    ) -> Result<Handle<PhysicalMem>> {
        let flags = properties.map_or(0, |properties| properties.flags);
        if flags & !UR_PHYSICAL_MEM_FLAG_ENABLE_IPC.0 != 0 {
            return Err(Error::code(UR_RESULT_ERROR_INVALID_ENUMERATION));
        }
        if !context.has(device) {
            return Err(Error::code(UR_RESULT_ERROR_INVALID_DEVICE));
        }
        if size == 0 || !size.is_multiple_of(PAGE) {
            return Err(Error::new(
                UR_RESULT_ERROR_INVALID_SIZE,
                format!("{size} bytes are not whole pages"),
            ));
        }
        let file = MemFile::new(size).map_err(|error| system(&error))?;
        Handle::new(PhysicalMem {
            context: context.handle(),
            device: device.handle(),
            file: Arc::new(file),
            flags,
            imported: false,
        })
    }

    fn physical_mem_get_info(
        physical_mem: &Object<PhysicalMem>,
        prop_name: ur_physical_mem_info_t,
        info: &mut Info<'_>,
    ) -> Result {
        match prop_name {
            UR_PHYSICAL_MEM_INFO_CONTEXT => info.handle(&*physical_mem.context),
            UR_PHYSICAL_MEM_INFO_DEVICE => info.handle(&*physical_mem.device),
            UR_PHYSICAL_MEM_INFO_SIZE => info.value(physical_mem.file.size()),
            UR_PHYSICAL_MEM_INFO_PROPERTIES => {
                // The structure byte by byte: its padding is to be defined.
                let mut bytes = [0u8; size_of::<ur_physical_mem_properties_t>()];
                let at = std::mem::offset_of!(ur_physical_mem_properties_t, flags);
                let stype = UR_STRUCTURE_TYPE_PHYSICAL_MEM_PROPERTIES.0.to_ne_bytes();
                bytes[..4].copy_from_slice(&stype);
                bytes[at..at + 4].copy_from_slice(&physical_mem.flags.to_ne_bytes());
                info.bytes(&bytes)
            }
            _ => Err(Error::unsupported_query()),
        }
    }
}
