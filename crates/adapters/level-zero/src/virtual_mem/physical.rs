//! Physical memory, to be mapped to reserved addresses.

use crate::LevelZero;
use crate::context::Context;
use crate::device::Device;
use crate::ze::owned::Physical;
use crate::ze::{self, Owned, check};
use ur_adapter::{Error, Handle, Info, Object, PhysicalMemFns, Result};
use ur_api::*;

/// What a physical memory handle names.
#[derive(Debug)]
pub struct PhysicalMem {
    /// First, so that it goes before its context.
    native: Owned<Physical>,
    context: Handle<Context>,
    device: Handle<Device>,
    size: usize,
    flags: ur_physical_mem_flags_t,
}

impl PhysicalMem {
    /// Level Zero's own handle.
    pub fn native(&self) -> ze::ze_physical_mem_handle_t {
        self.native.get().memory
    }

    /// Its context.
    pub fn context(&self) -> &Object<Context> {
        &self.context
    }

    /// Bytes.
    pub fn size(&self) -> usize {
        self.size
    }
}

impl PhysicalMemFns for LevelZero {
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
        if flags != 0 {
            // Level Zero gives no such memory to other processes.
            return Err(Error::unsupported());
        }
        crate::usm::check_device(context, device)?;
        if size == 0 || !size.is_multiple_of(super::page(context, device, size)?) {
            return Err(Error::new(
                UR_RESULT_ERROR_INVALID_SIZE,
                format!("{size} bytes are not whole pages"),
            ));
        }
        let mut desc = ze::ze_physical_mem_desc_t::new();
        desc.size = size;
        let (api, of, on) = (context.api(), context.native(), device.native());
        let mut memory = ze::ze_physical_mem_handle_t::NULL;
        // SAFETY: live objects, a description and a place of ours.
        check(unsafe { (api.zePhysicalMemCreate)(of, on, &raw const desc, &raw mut memory) })?;
        let physical = Physical {
            context: of,
            memory,
        };
        Handle::new(PhysicalMem {
            // SAFETY: made for this call.
            native: unsafe { Owned::new(api, physical) },
            context: context.handle(),
            device: device.handle(),
            size,
            flags,
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
            UR_PHYSICAL_MEM_INFO_SIZE => info.value(physical_mem.size),
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
