//! Virtual memory.

use crate::call::{call, put};
use crate::heap;
use crate::world::{Kind, World};
use crate::ze::*;
use std::collections::BTreeMap;
use std::ffi::c_void;

/// Reserved addresses.
#[derive(Debug)]
pub struct Reservation {
    context: usize,
    size: usize,
    /// What is mapped, by where it begins.
    maps: BTreeMap<usize, Map>,
}

/// Physical memory at reserved addresses.
#[derive(Clone, Copy, Debug)]
struct Map {
    size: usize,
    memory: usize,
    access: u32,
}

/// Bytes of the pages for memory of a size.
pub fn page(size: usize) -> usize {
    match size >= 2 << 20 {
        true => 2 << 20,
        false => 64 << 10,
    }
}

fn protection(access: u32) -> Answer<i32> {
    match access {
        ZE_MEMORY_ACCESS_ATTRIBUTE_NONE => Ok(libc::PROT_NONE),
        ZE_MEMORY_ACCESS_ATTRIBUTE_READWRITE => Ok(libc::PROT_READ | libc::PROT_WRITE),
        ZE_MEMORY_ACCESS_ATTRIBUTE_READONLY => Ok(libc::PROT_READ),
        _ => Err(ZE_RESULT_ERROR_INVALID_ENUMERATION),
    }
}

impl World {
    /// The reservation of a context that addresses are in, and where it begins.
    ///
    /// # Errors
    /// As [`World::object`]; `INVALID_ARGUMENT`, which is a fault.
    fn reservation(&mut self, context: usize, start: usize, size: usize) -> Answer<usize> {
        self.needs_part(context, Kind::Context, "virtual")?;
        let found = self.reservations.range(..=start).next_back();
        let found = found.filter(|(first, own)| {
            let end = start.checked_add(size);
            own.context == context && end.is_some_and(|end| end <= **first + own.size)
        });
        match found {
            Some((first, _)) => Ok(*first),
            None => self.wrong(
                ZE_RESULT_ERROR_INVALID_ARGUMENT,
                format!("{size} bytes at {start:#x} are not reserved"),
            ),
        }
    }

    /// Checks that memory is mapped at reserved addresses, if they are reserved.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT`, which is a fault.
    pub fn check_mapped(&mut self, start: usize, size: usize) -> Answer {
        let found = self.reservations.range(..=start).next_back();
        let Some((_, own)) = found.filter(|(first, own)| start < **first + own.size) else {
            return Ok(());
        };
        let (mut at, end) = (start, start + size);
        while at < end {
            let map = own.maps.range(..=at).next_back();
            let map = map.filter(|(first, map)| at < **first + map.size && map.access != 0);
            match map {
                Some((first, map)) => at = first + map.size,
                None => {
                    return self.wrong(
                        ZE_RESULT_ERROR_INVALID_ARGUMENT,
                        format!("no memory is mapped at {at:#x}, which is reserved"),
                    );
                }
            }
        }
        Ok(())
    }

    /// What is mapped at addresses, whole.
    ///
    /// # Errors
    /// As [`Self::reservation`].
    fn map_at(&mut self, context: usize, start: usize, size: usize) -> Answer<&mut Map> {
        let first = self.reservation(context, start, size)?;
        let maps = &self.reservations[&first].maps;
        if maps.get(&start).is_none_or(|map| map.size != size) {
            return self.wrong(
                ZE_RESULT_ERROR_INVALID_ARGUMENT,
                format!("{size} bytes at {start:#x} are not what was mapped"),
            );
        }
        let own = self.reservations.get_mut(&first);
        let map = own.and_then(|own| own.maps.get_mut(&start));
        map.ok_or(ZE_RESULT_ERROR_INVALID_ARGUMENT)
    }
}

/// Reserves addresses.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeVirtualMemReserve(
    context: ze_context_handle_t,
    wanted: *const c_void,
    size: usize,
    place: *mut *mut c_void,
) -> ze_result_t {
    call("zeVirtualMemReserve", |world| {
        let context = context.to_native();
        world.needs_part(context, Kind::Context, "virtual")?;
        let page = page(size);
        if size == 0 || !size.is_multiple_of(page) || !(wanted as usize).is_multiple_of(page) {
            return Err(ZE_RESULT_ERROR_UNSUPPORTED_SIZE);
        }
        let none = ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY;
        let more = size.checked_add(page).ok_or(none)?;
        let reserved = heap::reserve(wanted as usize, more).ok_or(none)?;
        let start = reserved.next_multiple_of(page);
        let behind = reserved + more - (start + size);
        // SAFETY: they were just reserved.
        unsafe {
            if start > reserved {
                heap::unmap(reserved, start - reserved);
            }
            if behind > 0 {
                heap::unmap(start + size, behind);
            }
        }
        let reservation = Reservation {
            context,
            size,
            maps: BTreeMap::new(),
        };
        world.reservations.insert(start, reservation);
        // SAFETY: as the caller says.
        unsafe { put(place, start as *mut c_void) }
    })
}

/// Gives addresses back. That something is mapped there is a fault.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeVirtualMemFree(
    context: ze_context_handle_t,
    start: *const c_void,
    size: usize,
) -> ze_result_t {
    call("zeVirtualMemFree", |world| {
        let start = start as usize;
        let first = world.reservation(context.to_native(), start, size)?;
        let own = &world.reservations[&first];
        if first != start || own.size != size || !own.maps.is_empty() {
            return world.wrong(
                ZE_RESULT_ERROR_INVALID_ARGUMENT,
                "addresses are given back in part, or with memory",
            );
        }
        world.reservations.remove(&start);
        // SAFETY: reserved here, and nobody's any more.
        unsafe { heap::unmap(start, size) };
        Ok(())
    })
}

/// Bytes of the pages for memory of a size.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeVirtualMemQueryPageSize(
    context: ze_context_handle_t,
    device: ze_device_handle_t,
    size: usize,
    place: *mut usize,
) -> ze_result_t {
    call("zeVirtualMemQueryPageSize", |world| {
        world.needs_part(context.to_native(), Kind::Context, "virtual")?;
        world.device_in(context.to_native(), device.to_native())?;
        if size == 0 {
            return Err(ZE_RESULT_ERROR_UNSUPPORTED_SIZE);
        }
        // SAFETY: as the caller says.
        unsafe { put(place, page(size)) }
    })
}

/// Maps physical memory.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeVirtualMemMap(
    context: ze_context_handle_t,
    start: *const c_void,
    size: usize,
    memory: ze_physical_mem_handle_t,
    offset: usize,
    access: u32,
) -> ze_result_t {
    call("zeVirtualMemMap", |world| {
        let (start, memory) = (start as usize, memory.to_native());
        let first = world.reservation(context.to_native(), start, size)?;
        let protection = protection(access)?;
        let part = world.physical_mem(memory)?.part;
        let fits = offset.checked_add(size).is_some_and(|end| end <= part.size);
        if size == 0 || !fits || !(start | size | offset).is_multiple_of(heap::PAGE) {
            return Err(ZE_RESULT_ERROR_UNSUPPORTED_ALIGNMENT);
        }
        let mut maps = world.reservations[&first].maps.iter();
        if maps.any(|(other, map)| *other < start + size && start < *other + map.size) {
            return world.wrong(
                ZE_RESULT_ERROR_INVALID_ARGUMENT,
                "memory is mapped over other",
            );
        }
        let file = heap::file().ok_or(ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY)?;
        // SAFETY: reserved addresses where nothing is mapped.
        let placed = unsafe { heap::place(start, size, file, part.offset + offset as u64) };
        if !placed {
            return Err(ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY);
        }
        // SAFETY: the addresses of the reservation.
        unsafe { libc::mprotect(start as *mut _, size, protection) };
        world.physical_mem(memory)?.mapped += 1;
        if let Some(own) = world.reservations.get_mut(&first) {
            let map = Map {
                size,
                memory,
                access,
            };
            own.maps.insert(start, map);
        }
        Ok(())
    })
}

/// Takes physical memory from addresses, which stay reserved.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeVirtualMemUnmap(
    context: ze_context_handle_t,
    start: *const c_void,
    size: usize,
) -> ze_result_t {
    call("zeVirtualMemUnmap", |world| {
        let start = start as usize;
        let memory = world.map_at(context.to_native(), start, size)?.memory;
        let first = world.reservation(context.to_native(), start, size)?;
        if let Some(own) = world.reservations.get_mut(&first) {
            own.maps.remove(&start);
        }
        world.physical_mem(memory)?.mapped -= 1;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE | libc::MAP_FIXED;
        // SAFETY: the addresses of the reservation, which nobody uses any more.
        unsafe { libc::mmap(start as *mut _, size, libc::PROT_NONE, flags, -1, 0) };
        Ok(())
    })
}

/// Says how mapped memory may be used.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeVirtualMemSetAccessAttribute(
    context: ze_context_handle_t,
    start: *const c_void,
    size: usize,
    access: u32,
) -> ze_result_t {
    call("zeVirtualMemSetAccessAttribute", |world| {
        let start = start as usize;
        let protection = protection(access)?;
        world.map_at(context.to_native(), start, size)?.access = access;
        // SAFETY: the addresses of the reservation.
        unsafe { libc::mprotect(start as *mut _, size, protection) };
        Ok(())
    })
}

/// Tells how memory may be used, and how many bytes from an address on.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeVirtualMemGetAccessAttribute(
    context: ze_context_handle_t,
    start: *const c_void,
    size: usize,
    access: *mut u32,
    told: *mut usize,
) -> ze_result_t {
    call("zeVirtualMemGetAccessAttribute", |world| {
        let start = start as usize;
        let first = world.reservation(context.to_native(), start, size)?;
        let maps = &world.reservations[&first].maps;
        let found = maps.range(..=start).next_back();
        let found = found.filter(|(first, map)| start < **first + map.size);
        let (own, bytes) = match found {
            Some((first, map)) => (map.access, first + map.size - start),
            None => {
                let next = maps.range(start..).next().map(|(next, _)| next - start);
                (ZE_MEMORY_ACCESS_ATTRIBUTE_NONE, next.unwrap_or(size))
            }
        };
        // SAFETY: as the caller says.
        unsafe {
            put(access, own)?;
            put(told, bytes.min(size))
        }
    })
}
