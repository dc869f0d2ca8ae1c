//! Physical memory.

use crate::call::{call, get, put};
use crate::heap::{self, Part};
use crate::world::{Body, Kind};
use crate::ze::*;

/// Memory to be mapped to reserved addresses.
#[derive(Debug)]
pub struct PhysicalMem {
    /// Its context.
    pub context: usize,
    /// Where its bytes are.
    pub part: Part,
    /// How often it is mapped.
    pub mapped: usize,
}

/// Makes physical memory.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zePhysicalMemCreate(
    context: ze_context_handle_t,
    device: ze_device_handle_t,
    desc: *const ze_physical_mem_desc_t,
    place: *mut ze_physical_mem_handle_t,
) -> ze_result_t {
    call("zePhysicalMemCreate", |world| {
        let context = context.to_native();
        world.needs_part(context, Kind::Context, "virtual")?;
        world.device_in(context, device.to_native())?;
        // SAFETY: as the caller says.
        let desc = unsafe { get(desc) }?;
        if desc.size == 0
            || !desc
                .size
                .is_multiple_of(crate::virtual_mem::page(desc.size))
        {
            return Err(ZE_RESULT_ERROR_UNSUPPORTED_SIZE);
        }
        let memory = PhysicalMem {
            context,
            part: heap::take(desc.size).ok_or(ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY)?,
            mapped: 0,
        };
        let driver = world.object(context, Kind::Context)?.driver;
        let handle = world.add(driver, Body::PhysicalMem(memory), vec![context]);
        // SAFETY: as the caller says.
        unsafe { put(place, ze_physical_mem_handle_t::from_native(handle)) }
    })
}

/// Takes physical memory away. That it is mapped is a fault.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zePhysicalMemDestroy(
    context: ze_context_handle_t,
    memory: ze_physical_mem_handle_t,
) -> ze_result_t {
    call("zePhysicalMemDestroy", |world| {
        let own = world.physical_mem(memory.to_native())?;
        let (of, part, mapped) = (own.context, own.part, own.mapped);
        if of != context.to_native() || mapped > 0 {
            return world.wrong(
                ZE_RESULT_ERROR_INVALID_ARGUMENT,
                "physical memory is destroyed that is mapped or of another context",
            );
        }
        world.destroy(memory.to_native(), Kind::PhysicalMem)?;
        heap::give_back(part);
        Ok(())
    })
}
