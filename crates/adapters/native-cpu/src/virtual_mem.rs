//! Virtual address ranges, and the physical memory that is mapped into them.
//!
//! A reserved range is a mapping that nothing can touch; physical memory is a memory file, mapped
//! over parts of the range.

mod physical;
mod ranges;

use crate::NativeCpu;
use crate::context::Context;
use crate::device::Device;
use crate::memfd::{self, PAGE};
pub use physical::PhysicalMem;
use ranges::{Mapped, Reserved, inside, key, ranges};
use std::collections::BTreeMap;
use std::ffi::c_void;
use std::ops::Range;
use ur_adapter::{Error, Info, Object, Result, VirtualMemFns};
use ur_api::*;

/// What pages are best asked for together: a large page.
const LARGE_PAGE: usize = 2 << 20;

fn system(error: &std::io::Error) -> Error {
    Error::new(UR_RESULT_ERROR_OUT_OF_RESOURCES, error.to_string())
        .with_native(error.raw_os_error().unwrap_or(0))
}

/// A range of whole pages.
fn pages(start: *const c_void, size: usize) -> Result<Range<usize>> {
    let start = start as usize;
    let end = start.checked_add(size);
    match end {
        _ if size == 0 || !size.is_multiple_of(PAGE) => Err(Error::new(
            UR_RESULT_ERROR_INVALID_SIZE,
            format!("{size} bytes are not whole pages"),
        )),
        Some(end) if start.is_multiple_of(PAGE) => Ok(start..end),
        _ => Err(Error::value(format!("{start:#x} is no address of a page"))),
    }
}

/// The protection that a kind of access needs.
fn protection(access: u32) -> Result<libc::c_int> {
    const NONE: u32 = UR_VIRTUAL_MEM_ACCESS_FLAG_NONE.0;
    const WRITE: u32 = UR_VIRTUAL_MEM_ACCESS_FLAG_READ_WRITE.0;
    const READ: u32 = UR_VIRTUAL_MEM_ACCESS_FLAG_READ_ONLY.0;
    match access {
        NONE | 0 => Ok(libc::PROT_NONE),
        WRITE => Ok(libc::PROT_READ | libc::PROT_WRITE),
        READ => Ok(libc::PROT_READ),
        _ if access & !(NONE | WRITE | READ) != 0 => {
            Err(Error::code(UR_RESULT_ERROR_INVALID_ENUMERATION))
        }
        _ => Err(Error::value("more than one kind of access")),
    }
}

impl VirtualMemFns for NativeCpu {
    fn virtual_mem_granularity_get_info(
        context: &Object<Context>,
        device: Option<&Object<Device>>,
        allocation_size: usize,
        prop_name: ur_virtual_mem_granularity_info_t,
        info: &mut Info<'_>,
    ) -> Result {
        if device.is_some_and(|device| !context.has(device)) {
            return Err(Error::code(UR_RESULT_ERROR_INVALID_DEVICE));
        }
        match prop_name {
            UR_VIRTUAL_MEM_GRANULARITY_INFO_MINIMUM => info.value(PAGE),
            UR_VIRTUAL_MEM_GRANULARITY_INFO_RECOMMENDED => {
                info.value(if allocation_size >= LARGE_PAGE {
                    LARGE_PAGE
                } else {
                    PAGE
                })
            }
            _ => Err(Error::unsupported_query()),
        }
    }

    unsafe fn virtual_mem_reserve(
        context: &Object<Context>,
        start: *const c_void,
        size: usize,
    ) -> Result<*mut c_void> {
        let wanted = pages(start, size)?;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        // SAFETY: without MAP_FIXED the address is a wish, and nothing is replaced.
        let mapped = unsafe { libc::mmap(start.cast_mut(), size, libc::PROT_NONE, flags, -1, 0) };
        if mapped == libc::MAP_FAILED {
            return Err(system(&std::io::Error::last_os_error()));
        }
        crate::fork::watch();
        let start = mapped as usize;
        let reserved = Reserved {
            end: start + wanted.len(),
            context: key(context),
            parts: BTreeMap::new(),
        };
        ranges(|ranges| ranges.insert(start, reserved));
        Ok(mapped)
    }

    unsafe fn virtual_mem_free(
        context: &Object<Context>,
        start: *const c_void,
        size: usize,
    ) -> Result {
        let range = pages(start, size)?;
        let gone = ranges(|ranges| {
            let whole = ranges
                .get(&range.start)
                .is_some_and(|found| found.end == range.end && found.context == key(context));
            let gone = if whole {
                ranges.remove(&range.start)
            } else {
                None
            };
            if gone.is_some() {
                // SAFETY: the range was reserved here and leaves the list with this; the program uses
                // it no more. Under the lock, so that its addresses are not reserved again before.
                unsafe { memfd::unmap(range.start, range.len()) };
            }
            gone
        });
        gone.map(drop)
            .ok_or_else(|| Error::value("not a whole range that the context reserved"))
    }

    unsafe fn virtual_mem_map(
        context: &Object<Context>,
        start: *const c_void,
        size: usize,
        physical_mem: &Object<PhysicalMem>,
        offset: usize,
        flags: ur_virtual_mem_access_flags_t,
    ) -> Result {
        let range = pages(start, size)?;
        let protection = protection(flags)?;
        let within = offset
            .checked_add(size)
            .is_some_and(|end| end <= physical_mem.file().size());
        if !within || !offset.is_multiple_of(PAGE) {
            return Err(Error::new(
                UR_RESULT_ERROR_INVALID_SIZE,
                "outside of the physical memory",
            ));
        }
        if !std::ptr::eq(physical_mem.context(), context) {
            return Err(Error::code(UR_RESULT_ERROR_INVALID_CONTEXT));
        }
        let memory = physical_mem.handle();
        inside(context, &range, |reserved| {
            let taken = reserved.parts.range(..range.end).next_back();
            if taken.is_some_and(|(_, part)| part.end > range.start) {
                return Err(Error::value("a part of the range is mapped already"));
            }
            // SAFETY: the pages are reserved for this and nothing is mapped there.
            unsafe {
                physical_mem
                    .file()
                    .map_at(range.start, offset, size, protection, libc::MAP_FIXED)
            }
            .map_err(|error| system(&error))?;
            let part = Mapped {
                end: range.end,
                access: flags,
                offset,
                memory,
            };
            reserved.parts.insert(range.start, part);
            Ok(())
        })
    }

    unsafe fn virtual_mem_unmap(
        context: &Object<Context>,
        start: *const c_void,
        size: usize,
    ) -> Result {
        let range = pages(start, size)?;
        let gone = inside(context, &range, |reserved| {
            if !reserved.covers(&range) {
                return Err(Error::value("a part of the range is not mapped"));
            }
            // SAFETY: the pages are part of a reserved range; the program uses them no more.
            unsafe { memfd::blank(range.start, range.len(), libc::PROT_NONE) }
                .map_err(|error| system(&error))?;
            Ok(reserved.remove(&range))
        })?;
        // Without the lock: the last share of physical memory may end here.
        drop(gone);
        Ok(())
    }

    unsafe fn virtual_mem_set_access(
        context: &Object<Context>,
        start: *const c_void,
        size: usize,
        flags: ur_virtual_mem_access_flags_t,
    ) -> Result {
        let range = pages(start, size)?;
        let protection = protection(flags)?;
        inside(context, &range, |reserved| {
            if !reserved.covers(&range) {
                return Err(Error::value("a part of the range is not mapped"));
            }
            // SAFETY: the pages are mapped parts of a reserved range.
            if unsafe { libc::mprotect(range.start as *mut _, range.len(), protection) } != 0 {
                return Err(system(&std::io::Error::last_os_error()));
            }
            reserved.cut(&range);
            for (_, part) in reserved.parts.range_mut(range.clone()) {
                part.access = flags;
            }
            Ok(())
        })
    }

    unsafe fn virtual_mem_get_info(
        context: &Object<Context>,
        start: *const c_void,
        size: usize,
        prop_name: ur_virtual_mem_info_t,
        info: &mut Info<'_>,
    ) -> Result {
        let range = pages(start, size)?;
        if prop_name != UR_VIRTUAL_MEM_INFO_ACCESS_MODE {
            return Err(Error::unsupported_query());
        }
        let access = inside(context, &range, |reserved| {
            if !reserved.covers(&range) {
                return Err(Error::value("a part of the range is not mapped"));
            }
            let mut parts = reserved
                .parts
                .range(..range.end)
                .filter(|(_, part)| part.end > range.start)
                .map(|(_, part)| part.access);
            let first = parts.next().unwrap_or(0);
            if parts.any(|other| other != first) {
                return Err(Error::value("access differs within the range"));
            }
            Ok(first)
        })?;
        info.value(access)
    }
}
