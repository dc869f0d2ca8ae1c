//! Physical memory.

use super::counted::counted;
use super::queue::Context;
use crate::failure::Stop;
use crate::ur;
use std::ptr::null;
use ur_api::*;

counted! {
    /// A block of physical memory.
    PhysicalMem(ur_physical_mem_handle_t): urPhysicalMemRetain, urPhysicalMemRelease,
    urPhysicalMemGetInfo(ur_physical_mem_info_t), UR_PHYSICAL_MEM_INFO_REFERENCE_COUNT
}

impl PhysicalMem {
    /// A block of that many bytes.
    ///
    /// # Errors
    /// When it cannot be made.
    #[track_caller]
    pub fn new(
        context: &Context,
        device: ur_device_handle_t,
        size: usize,
        properties: Option<&ur_physical_mem_properties_t>,
    ) -> Result<PhysicalMem, Stop> {
        PhysicalMem::made("urPhysicalMemCreate", |out| {
            let properties = properties.map_or(null(), |properties| &raw const *properties);
            ur!(urPhysicalMemCreate(
                context.get(),
                device,
                size,
                properties,
                out
            ))
        })
    }
}
