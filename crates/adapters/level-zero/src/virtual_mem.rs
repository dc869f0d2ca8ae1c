//! Virtual memory and what is mapped to it.

mod physical;
mod ranges;

use crate::LevelZero;
use crate::context::Context;
use crate::device::{Able, Device};
use crate::ze::{self, Owned, check};
pub use physical::PhysicalMem;
pub use ranges::Ranges;
use ranges::{Part, span};
use std::ffi::c_void;
use ur_adapter::{Error, Info, Object, Result, VirtualMemFns};
use ur_api::*;

/// What virtual memory on devices can do; none for other questions.
pub fn able(device: &Device, name: ur_device_info_t) -> Option<Able> {
    match name {
        UR_DEVICE_INFO_VIRTUAL_MEMORY_SUPPORT => Some(Able::Bool(is_there(device))),
        _ => None,
    }
}

/// Whether a device has virtual memory. Level Zero tells no such property, so a page is asked for.
fn is_there(device: &Device) -> bool {
    let (api, driver) = (device.api(), device.platform().native());
    let desc = ze::ze_context_desc_t::new();
    let mut native = ze::ze_context_handle_t::NULL;
    // SAFETY: a live driver, a description and a place of ours.
    if unsafe { (api.zeContextCreate)(driver, &raw const desc, &raw mut native) } != 0 {
        return false;
    }
    // SAFETY: made for this call.
    let owned = unsafe { Owned::new(api, native) };
    let (context, device) = (owned.get(), device.native());
    let (mut page, mut start) = (0, std::ptr::null_mut());
    let mut desc = ze::ze_physical_mem_desc_t::new();
    let mut memory = ze::ze_physical_mem_handle_t::NULL;
    // SAFETY: live objects, a description and places of ours; what is made goes at once.
    unsafe {
        if (api.zeVirtualMemQueryPageSize)(context, device, 1, &raw mut page) != 0
            || (api.zeVirtualMemReserve)(context, std::ptr::null(), page, &raw mut start) != 0
        {
            return false;
        }
        (api.zeVirtualMemFree)(context, start, page);
        desc.size = page;
        if (api.zePhysicalMemCreate)(context, device, &raw const desc, &raw mut memory) != 0 {
            return false;
        }
        (api.zePhysicalMemDestroy)(context, memory);
    }
    true
}

/// The size of the pages that an allocation of so many bytes has on a device.
fn page(context: &Context, device: &Device, size: usize) -> Result<usize> {
    let ask = context.api().zeVirtualMemQueryPageSize;
    let mut page = 0;
    // SAFETY: live objects, a place of ours.
    check(unsafe { ask(context.native(), device.native(), size, &raw mut page) })?;
    match page {
        0 => Err(Error::unsupported()),
        page => Ok(page),
    }
}

/// Level Zero's number for a kind of access.
fn attribute(access: ur_virtual_mem_access_flags_t) -> Result<u32> {
    const NONE: u32 = UR_VIRTUAL_MEM_ACCESS_FLAG_NONE.0;
    const WRITE: u32 = UR_VIRTUAL_MEM_ACCESS_FLAG_READ_WRITE.0;
    const READ: u32 = UR_VIRTUAL_MEM_ACCESS_FLAG_READ_ONLY.0;
    match access {
        NONE | 0 => Ok(ze::ZE_MEMORY_ACCESS_ATTRIBUTE_NONE),
        WRITE => Ok(ze::ZE_MEMORY_ACCESS_ATTRIBUTE_READWRITE),
        READ => Ok(ze::ZE_MEMORY_ACCESS_ATTRIBUTE_READONLY),
        _ if access & !(NONE | WRITE | READ) != 0 => {
            Err(Error::code(UR_RESULT_ERROR_INVALID_ENUMERATION))
        }
        _ => Err(Error::value("more than one kind of access")),
    }
}

/// Takes what is mapped to a part of a range away.
fn unmap(context: &Context, start: usize, end: usize) -> Result {
    let unmap = context.api().zeVirtualMemUnmap;
    // SAFETY: a live context, and addresses of it that the program uses no more.
    check(unsafe { unmap(context.native(), start as *const c_void, end - start) })
}

impl VirtualMemFns for LevelZero {
    fn virtual_mem_granularity_get_info(
        context: &Object<Context>,
        device: Option<&Object<Device>>,
        allocation_size: usize,
        prop_name: ur_virtual_mem_granularity_info_t,
        info: &mut Info<'_>,
    ) -> Result {
        let device = device.unwrap_or(&context.devices()[0]);
        crate::usm::check_device(context, device)?;
        let size = match prop_name {
            UR_VIRTUAL_MEM_GRANULARITY_INFO_MINIMUM => 1,
            UR_VIRTUAL_MEM_GRANULARITY_INFO_RECOMMENDED => allocation_size,
            _ => return Err(Error::unsupported_query()),
        };
        info.value(page(context, device, size)?)
    }

    unsafe fn virtual_mem_reserve(
        context: &Object<Context>,
        start: *const c_void,
        size: usize,
    ) -> Result<*mut c_void> {
        span(start, size)?;
        let reserve = context.api().zeVirtualMemReserve;
        let mut reserved = std::ptr::null_mut();
        // SAFETY: a live context, a place of ours; the address is a wish.
        check(unsafe { reserve(context.native(), start, size, &raw mut reserved) })?;
        let end = reserved as usize + size;
        context.ranges().enter(reserved as usize, end);
        Ok(reserved)
    }

    unsafe fn virtual_mem_free(
        context: &Object<Context>,
        start: *const c_void,
        size: usize,
    ) -> Result {
        let range = span(start, size)?;
        let parts = context.ranges().leave(&range, |parts| {
            for (start, part) in parts {
                unmap(context, *start, part.end)?;
            }
            let free = context.api().zeVirtualMemFree;
            // SAFETY: a live context, and a range of it that the program uses no more.
            check(unsafe { free(context.native(), start, size) })
        })?;
        // Without the lock: the last share of physical memory may end here.
        drop(parts);
        Ok(())
    }

    unsafe fn virtual_mem_map(
        context: &Object<Context>,
        start: *const c_void,
        size: usize,
        physical_mem: &Object<PhysicalMem>,
        offset: usize,
        flags: ur_virtual_mem_access_flags_t,
    ) -> Result {
        let range = span(start, size)?;
        let access = attribute(flags)?;
        let end = offset.checked_add(size);
        if end.is_none_or(|end| end > physical_mem.size()) {
            return Err(Error::new(
                UR_RESULT_ERROR_INVALID_SIZE,
                "outside of the physical memory",
            ));
        }
        if !physical_mem.context().is(context) {
            return Err(Error::code(UR_RESULT_ERROR_INVALID_CONTEXT));
        }
        let part = Part {
            end: range.end,
            access: flags,
            memory: physical_mem.handle(),
        };
        context.ranges().map(&range, part, || {
            let (map, memory) = (context.api().zeVirtualMemMap, physical_mem.native());
            // SAFETY: live objects, and addresses that are reserved for this.
            check(unsafe { map(context.native(), start, size, memory, offset, access) })
        })
    }

    unsafe fn virtual_mem_unmap(
        context: &Object<Context>,
        start: *const c_void,
        size: usize,
    ) -> Result {
        let gone = context
            .ranges()
            .unmap(&span(start, size)?, |start, end| unmap(context, start, end))?;
        // Without the lock, as above.
        drop(gone);
        Ok(())
    }

    unsafe fn virtual_mem_set_access(
        context: &Object<Context>,
        start: *const c_void,
        size: usize,
        flags: ur_virtual_mem_access_flags_t,
    ) -> Result {
        let access = attribute(flags)?;
        let set = context.api().zeVirtualMemSetAccessAttribute;
        context
            .ranges()
            .set_access(&span(start, size)?, flags, |start, end| {
                let at = start as *const c_void;
                // SAFETY: a live context, and addresses of it that are mapped.
                check(unsafe { set(context.native(), at, end - start, access) })
            })
    }

    unsafe fn virtual_mem_get_info(
        context: &Object<Context>,
        start: *const c_void,
        size: usize,
        prop_name: ur_virtual_mem_info_t,
        info: &mut Info<'_>,
    ) -> Result {
        let range = span(start, size)?;
        if prop_name != UR_VIRTUAL_MEM_INFO_ACCESS_MODE {
            return Err(Error::unsupported_query());
        }
        info.value(context.ranges().access(&range)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn access_is_of_one_kind() {
        let write = UR_VIRTUAL_MEM_ACCESS_FLAG_READ_WRITE.0;
        let read = UR_VIRTUAL_MEM_ACCESS_FLAG_READ_ONLY.0;
        assert_eq!(
            attribute(write),
            Ok(ze::ZE_MEMORY_ACCESS_ATTRIBUTE_READWRITE)
        );
        assert_eq!(attribute(0), Ok(ze::ZE_MEMORY_ACCESS_ATTRIBUTE_NONE));
        let code = |access| attribute(access).err().map(|error| error.code);
        assert_eq!(code(write | read), Some(UR_RESULT_ERROR_INVALID_VALUE));
        assert_eq!(code(1 << 9), Some(UR_RESULT_ERROR_INVALID_ENUMERATION));
    }
}
