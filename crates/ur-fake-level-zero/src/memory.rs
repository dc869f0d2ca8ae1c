//! Allocations.

mod external;
mod import;
mod ipc;

pub use external::KINDS as EXTERNAL_KINDS;
pub use import::*;
pub use ipc::*;

use crate::call::{call, code, find, get, put, wait};
use crate::heap::{self, Mapping, Part};
use crate::world::{Kind, World};
use crate::ze::*;
use std::ffi::c_void;
use std::os::fd::{AsRawFd, OwnedFd};

/// An allocation.
#[derive(Debug)]
pub struct Allocation {
    /// Its context.
    pub context: usize,
    /// Its device, none for host memory and for shared memory without.
    pub device: Option<usize>,
    /// Host, device or shared, by Level Zero's numbers.
    pub kind: u32,
    /// Bytes that were asked for.
    pub size: usize,
    /// A number that no other allocation has.
    pub id: u64,
    /// Where its bytes are in the file; none if they are in another one.
    pub part: Option<Part>,
    /// A file of its own, if it is to be given to others.
    pub file: Option<OwnedFd>,
    /// Whether it is another process's.
    pub opened: bool,
    /// Its addresses.
    pub mapping: Mapping,
    /// How many commands use it that have not ended.
    pub uses: usize,
    /// Whether it is to be freed when they have.
    pub deferred: bool,
}

impl World {
    /// The address where the allocation begins that an address is of.
    pub fn find_memory(&self, address: usize) -> Option<usize> {
        let (start, memory) = self.allocations.range(..=address).next_back()?;
        // One past the end is of no allocation.
        (address - start < memory.size.max(1)).then_some(*start)
    }

    /// Checks that there is memory at addresses, all of it of one allocation if any is, and gives where
    /// they begin.
    ///
    /// # Errors
    /// `INVALID_NULL_POINTER`; `INVALID_ARGUMENT`, which is a fault.
    pub fn range(&mut self, start: usize, size: usize) -> Answer<usize> {
        if start == 0 {
            return Err(ZE_RESULT_ERROR_INVALID_NULL_POINTER);
        }
        if let Some(first) = self.find_memory(start) {
            let memory = &self.allocations[&first];
            if start - first + size > memory.size {
                let own = memory.size;
                return self.wrong(
                    ZE_RESULT_ERROR_INVALID_ARGUMENT,
                    format!(
                        "{size} bytes from {} of an allocation of {own}",
                        start - first
                    ),
                );
            }
            if memory.deferred {
                return self.wrong(ZE_RESULT_ERROR_INVALID_ARGUMENT, "memory that was freed");
            }
            return Ok(start);
        }
        self.check_mapped(start, size)?;
        match heap::is_mapped(start, size) {
            true => Ok(start),
            false => self.wrong(
                ZE_RESULT_ERROR_INVALID_ARGUMENT,
                format!("{size} bytes at {start:#x}, where no memory is"),
            ),
        }
    }

    /// Notes that an unfinished command uses memory at addresses, and of kinds in a context. Gives where
    /// the allocations begin.
    pub fn hold_memory(&mut self, addresses: &[usize], indirect: (u32, usize)) -> Vec<usize> {
        let found = addresses.iter();
        let mut held: Vec<_> = found.filter_map(|one| self.find_memory(*one)).collect();
        let (kinds, context) = indirect;
        if kinds != 0 {
            let all = self.allocations.iter();
            held.extend(all.filter_map(|(start, memory)| {
                let flag = match memory.kind {
                    ZE_MEMORY_TYPE_HOST => ZE_KERNEL_INDIRECT_ACCESS_FLAG_HOST,
                    ZE_MEMORY_TYPE_DEVICE => ZE_KERNEL_INDIRECT_ACCESS_FLAG_DEVICE,
                    _ => ZE_KERNEL_INDIRECT_ACCESS_FLAG_SHARED,
                };
                (memory.context == context && kinds & flag != 0).then_some(*start)
            }));
        }
        held.sort_unstable();
        held.dedup();
        for start in &held {
            if let Some(memory) = self.allocations.get_mut(start) {
                memory.uses += 1;
            }
        }
        held
    }

    /// Notes that a command which used memory has ended.
    pub fn unhold_memory(&mut self, held: &[usize]) {
        for start in held {
            if let Some(memory) = self.allocations.get_mut(start) {
                memory.uses -= 1;
            }
        }
    }

    fn allocate(
        &mut self,
        kind: u32,
        (context, device): (usize, Option<usize>),
        (size, align): (usize, usize),
        request: Request,
    ) -> Answer<*mut c_void> {
        let settings = self.settings_of(context, Kind::Context)?;
        if let Some(device) = device {
            self.device_in(context, device)?;
        }
        if kind == ZE_MEMORY_TYPE_SHARED && !settings.has("shared") {
            return Err(ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
        }
        if size == 0 {
            return Err(ZE_RESULT_ERROR_UNSUPPORTED_SIZE);
        }
        if align & align.wrapping_sub(1) != 0 || align > 2 << 20 {
            return Err(ZE_RESULT_ERROR_UNSUPPORTED_ALIGNMENT);
        }
        if size as u64 > crate::device::max_allocation(&settings) && !request.relaxed {
            return Err(ZE_RESULT_ERROR_UNSUPPORTED_SIZE);
        }
        if kind == ZE_MEMORY_TYPE_DEVICE {
            let same = |memory: &&Allocation| memory.kind == kind && memory.device == device;
            let taken = self.allocations.values().filter(same);
            let taken = taken.map(|memory| memory.size as u64).sum::<u64>();
            if taken.saturating_add(size as u64) > settings.memory {
                return Err(ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY);
            }
        }
        let none = ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
        let (part, file, mapping) = match external::file(&request, size)? {
            Some(file) => {
                let mapping = heap::map(size, align.max(1), file.as_raw_fd(), 0);
                (None, Some(file), mapping.ok_or(none)?)
            }
            None => {
                let part = heap::take(size).ok_or(none)?;
                let file = heap::file().ok_or(none)?;
                let mapping = heap::map(part.size, align.max(1), file, part.offset);
                (Some(part), None, mapping.ok_or(none)?)
            }
        };
        self.allocation_id += 1;
        let start = mapping.start;
        let memory = Allocation {
            context,
            device,
            kind,
            size,
            id: self.allocation_id,
            part,
            file,
            opened: false,
            mapping,
            uses: 0,
            deferred: false,
        };
        self.allocations.insert(start, memory);
        Ok(start as *mut c_void)
    }

    /// The allocation that begins at an address of a context, which is not used by commands.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` for what is none, which is a fault.
    fn allocation(&mut self, context: usize, start: usize) -> Answer<&mut Allocation> {
        self.context(context)?;
        let found = self.allocations.get(&start);
        if !found.is_some_and(|memory| memory.context == context && !memory.deferred) {
            return self.wrong(
                ZE_RESULT_ERROR_INVALID_ARGUMENT,
                format!("no allocation of the context begins at {start:#x}"),
            );
        }
        let found = self.allocations.get_mut(&start);
        found.ok_or(ZE_RESULT_ERROR_INVALID_ARGUMENT)
    }

    /// Frees an allocation. That a command uses it is a fault.
    fn free(&mut self, context: usize, start: usize) -> Answer {
        if self.allocation(context, start)?.uses > 0 {
            return self.wrong(
                ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE,
                "memory is freed that commands use which have not ended",
            );
        }
        self.drop_memory(start);
        Ok(())
    }

    fn drop_memory(&mut self, start: usize) {
        if let Some(memory) = self.allocations.remove(&start)
            && let Some(part) = memory.part
        {
            heap::give_back(part);
        }
    }
}

/// Frees what was to be freed when no command uses it any more.
pub fn free_deferred(world: &mut World) {
    let over = |(start, memory): (&usize, &Allocation)| {
        (memory.deferred && memory.uses == 0).then_some(*start)
    };
    let over: Vec<_> = world.allocations.iter().filter_map(over).collect();
    for start in over {
        world.drop_memory(start);
    }
}

/// What an allocation is to be besides.
#[derive(Clone, Copy, Default)]
struct Request {
    /// Whether it may be larger than the device's limit.
    relaxed: bool,
    /// As what it is to be given to others, by Level Zero's flags.
    export: u32,
    /// The file that its bytes are in, with how it was got.
    import: Option<(u32, i32)>,
}

impl Request {
    /// Reads what is behind a description.
    ///
    /// # Safety
    /// `next` leads to a chain of structures.
    unsafe fn read(next: *const c_void) -> Self {
        // SAFETY: as the caller says.
        let (relaxed, export, import) = unsafe {
            (
                find::<ze_relaxed_allocation_limits_exp_desc_t>(next)
                    .and_then(|desc| desc.as_ref()),
                find::<ze_external_memory_export_desc_t>(next).and_then(|desc| desc.as_ref()),
                find::<ze_external_memory_import_fd_t>(next).and_then(|desc| desc.as_ref()),
            )
        };
        let most = ZE_RELAXED_ALLOCATION_LIMITS_EXP_FLAG_MAX_SIZE;
        Self {
            relaxed: relaxed.is_some_and(|desc| desc.flags & most != 0),
            export: export.map_or(0, |desc| desc.flags),
            import: import.map(|desc| (desc.flags, desc.fd)),
        }
    }
}

/// Allocates memory that the host and devices share.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeMemAllocShared(
    context: ze_context_handle_t,
    device_desc: *const ze_device_mem_alloc_desc_t,
    host_desc: *const ze_host_mem_alloc_desc_t,
    size: usize,
    align: usize,
    device: ze_device_handle_t,
    place: *mut *mut c_void,
) -> ze_result_t {
    call("zeMemAllocShared", |world| {
        // SAFETY: as the caller says.
        let (desc, host) = unsafe { (get(device_desc)?, get(host_desc)?) };
        if desc.flags & !7 != 0 || host.flags & !15 != 0 {
            return Err(ZE_RESULT_ERROR_INVALID_ENUMERATION);
        }
        let device = (!device.is_null()).then_some(device.to_native());
        // SAFETY: as the caller says.
        let request = unsafe { Request::read(desc.pNext) };
        let of = (context.to_native(), device);
        let start = world.allocate(ZE_MEMORY_TYPE_SHARED, of, (size, align), request)?;
        // SAFETY: as the caller says.
        unsafe { put(place, start) }
    })
}

/// Allocates memory of a device.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeMemAllocDevice(
    context: ze_context_handle_t,
    desc: *const ze_device_mem_alloc_desc_t,
    size: usize,
    align: usize,
    device: ze_device_handle_t,
    place: *mut *mut c_void,
) -> ze_result_t {
    call("zeMemAllocDevice", |world| {
        // SAFETY: as the caller says.
        let desc = unsafe { get(desc) }?;
        if desc.flags & !7 != 0 {
            return Err(ZE_RESULT_ERROR_INVALID_ENUMERATION);
        }
        world.device(device.to_native())?;
        let of = (context.to_native(), Some(device.to_native()));
        // SAFETY: as the caller says.
        let request = unsafe { Request::read(desc.pNext) };
        let start = world.allocate(ZE_MEMORY_TYPE_DEVICE, of, (size, align), request)?;
        // SAFETY: as the caller says.
        unsafe { put(place, start) }
    })
}

/// Allocates memory of the host.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeMemAllocHost(
    context: ze_context_handle_t,
    desc: *const ze_host_mem_alloc_desc_t,
    size: usize,
    align: usize,
    place: *mut *mut c_void,
) -> ze_result_t {
    call("zeMemAllocHost", |world| {
        // SAFETY: as the caller says.
        let desc = unsafe { get(desc) }?;
        if desc.flags & !15 != 0 {
            return Err(ZE_RESULT_ERROR_INVALID_ENUMERATION);
        }
        let of = (context.to_native(), None);
        // SAFETY: as the caller says.
        let request = unsafe { Request::read(desc.pNext) };
        let start = world.allocate(ZE_MEMORY_TYPE_HOST, of, (size, align), request)?;
        // SAFETY: as the caller says.
        unsafe { put(place, start) }
    })
}

/// Frees memory.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeMemFree(
    context: ze_context_handle_t,
    start: *mut c_void,
) -> ze_result_t {
    call("zeMemFree", |world| {
        if start.is_null() {
            return Err(ZE_RESULT_ERROR_INVALID_NULL_POINTER);
        }
        world.free(context.to_native(), start as usize)
    })
}

/// Frees memory when commands that use it have ended: now and with a wait, or later.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeMemFreeExt(
    context: ze_context_handle_t,
    desc: *const ze_memory_free_ext_desc_t,
    start: *mut c_void,
) -> ze_result_t {
    let (name, address) = ("zeMemFreeExt", start as usize);
    let mut blocks = false;
    let result = call(name, |world| {
        world.needs(context.to_native(), Kind::Context, 3)?;
        // SAFETY: as the caller says.
        let policy = unsafe { get(desc) }?.freePolicy;
        let memory = world.allocation(context.to_native(), address)?;
        match policy {
            0 => return world.free(context.to_native(), address),
            ZE_DRIVER_MEMORY_FREE_POLICY_EXT_FLAG_BLOCKING_FREE => blocks = true,
            ZE_DRIVER_MEMORY_FREE_POLICY_EXT_FLAG_DEFER_FREE => memory.deferred = true,
            _ => return Err(ZE_RESULT_ERROR_INVALID_ENUMERATION),
        }
        free_deferred(world);
        Ok(())
    });
    if result != ZE_RESULT_SUCCESS || !blocks {
        return result;
    }
    code(wait(name, u64::MAX, |world| {
        let memory = world.allocations.get(&address);
        match memory.is_none_or(|memory| memory.uses == 0) {
            true => Some(world.free(context.to_native(), address)),
            false => None,
        }
    }))
}

/// What an address is of; nothing is an answer, too.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeMemGetAllocProperties(
    context: ze_context_handle_t,
    address: *const c_void,
    place: *mut ze_memory_allocation_properties_t,
    device: *mut ze_device_handle_t,
) -> ze_result_t {
    call("zeMemGetAllocProperties", |world| {
        let context = context.to_native();
        world.context(context)?;
        if address.is_null() {
            return Err(ZE_RESULT_ERROR_INVALID_NULL_POINTER);
        }
        let found = world.find_memory(address as usize);
        let found = found.map(|start| &world.allocations[&start]);
        let found = found.filter(|memory| memory.context == context && !memory.deferred);
        let mut properties = ze_memory_allocation_properties_t::new();
        let mut of = ze_device_handle_t::NULL;
        if let Some(memory) = found {
            properties.type_ = memory.kind;
            properties.id = memory.id;
            properties.pageSize = heap::PAGE as u64;
            of = ze_device_handle_t::from_native(memory.device.unwrap_or(0));
        }
        // SAFETY: as the caller says.
        unsafe {
            crate::call::fill(place, properties)?;
            external::tell(found, (*place).pNext)?;
            if !device.is_null() {
                device.write(of);
            }
        }
        Ok(())
    })
}

/// Where the allocation begins that an address is of, and its size.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeMemGetAddressRange(
    context: ze_context_handle_t,
    address: *const c_void,
    start: *mut *mut c_void,
    size: *mut usize,
) -> ze_result_t {
    call("zeMemGetAddressRange", |world| {
        world.context(context.to_native())?;
        let found = world.find_memory(address as usize);
        let found = found.ok_or(ZE_RESULT_ERROR_INVALID_ARGUMENT)?;
        // SAFETY: as the caller says; both may be null.
        unsafe {
            if !start.is_null() {
                start.write(found as *mut c_void);
            }
            if !size.is_null() {
                size.write(world.allocations[&found].size);
            }
        }
        Ok(())
    })
}
