//! Allocations of the driver's.

use crate::context::Context;
use crate::device::Device;
use crate::queue::live;
use crate::ze::{self, check};
use std::ffi::c_void;
use ur_adapter::{Error, Result, chain};
use ur_api::*;

/// What is asked of an allocation.
#[derive(Clone, Copy, Debug)]
pub struct Request {
    /// Its kind.
    pub kind: ur_usm_type_t,
    /// Bytes.
    pub size: usize,
    /// A power of two, or 0 for whatever the driver likes.
    pub align: u32,
    /// Flags of Level Zero for the side of the host.
    host: u32,
    /// Flags of Level Zero for the side of the device.
    device: u32,
}

impl Request {
    /// An allocation without wishes.
    pub fn plain(kind: ur_usm_type_t, size: usize, align: u32) -> Self {
        let (host, device) = (0, 0);
        Self {
            kind,
            size,
            align,
            host,
            device,
        }
    }

    /// What a program asks for.
    ///
    /// # Errors
    /// `INVALID_ENUMERATION` for unknown hints, `INVALID_VALUE` for an alignment that is no power of two,
    /// `INVALID_USM_SIZE` for no bytes.
    pub fn of(kind: ur_usm_type_t, desc: Option<&ur_usm_desc_t>, size: usize) -> Result<Self> {
        let Some(desc) = desc else {
            return Self::plain(kind, size, 0).checked();
        };
        if desc.hints & UR_USM_ADVICE_FLAGS_MASK != 0 {
            return Err(Error::code(UR_RESULT_ERROR_INVALID_ENUMERATION));
        }
        let mut request = Self::plain(kind, size, desc.align);
        let (host, device) = (
            UR_STRUCTURE_TYPE_USM_HOST_DESC,
            UR_STRUCTURE_TYPE_USM_DEVICE_DESC,
        );
        // SAFETY: the program passes a chain of structures of the API.
        let (host, device) = unsafe {
            (
                chain::find::<ur_usm_host_desc_t>(desc.pNext, host),
                chain::find::<ur_usm_device_desc_t>(desc.pNext, device),
            )
        };
        // Which memory is read only, or written without reading, Level Zero takes no hint of.
        if host.is_some_and(|host| host.flags & UR_USM_HOST_MEM_FLAG_INITIAL_PLACEMENT.0 != 0) {
            request.host |= ze::ZE_HOST_MEM_ALLOC_FLAG_BIAS_INITIAL_PLACEMENT;
        }
        let placed = UR_USM_DEVICE_MEM_FLAG_INITIAL_PLACEMENT.0;
        if device.is_some_and(|device| device.flags & placed != 0) {
            request.device |= ze::ZE_DEVICE_MEM_ALLOC_FLAG_BIAS_INITIAL_PLACEMENT;
        }
        let (cached, uncached) = (
            UR_USM_ADVICE_FLAG_BIAS_CACHED.0,
            UR_USM_ADVICE_FLAG_BIAS_UNCACHED.0,
        );
        match desc.hints & (cached | uncached) {
            hint if hint == cached => {
                request.host |= ze::ZE_HOST_MEM_ALLOC_FLAG_BIAS_CACHED;
                request.device |= ze::ZE_DEVICE_MEM_ALLOC_FLAG_BIAS_CACHED;
            }
            hint if hint == uncached => {
                request.host |= ze::ZE_HOST_MEM_ALLOC_FLAG_BIAS_UNCACHED;
                request.device |= ze::ZE_DEVICE_MEM_ALLOC_FLAG_BIAS_UNCACHED;
            }
            _ => {}
        }
        request.checked()
    }

    fn checked(self) -> Result<Self> {
        if self.align != 0 && !self.align.is_power_of_two() {
            return Err(Error::value("an alignment that is no power of two"));
        }
        if self.size == 0 {
            return Err(Error::code(UR_RESULT_ERROR_INVALID_USM_SIZE));
        }
        Ok(self)
    }
}

/// Whether all who use an allocation can have one of its kind.
fn is_there(context: &Context, kind: ur_usm_type_t, device: Option<&Device>) -> bool {
    match (kind, device) {
        (UR_USM_TYPE_DEVICE, Some(device)) => device.facts().access.deviceAllocCapabilities != 0,
        (UR_USM_TYPE_SHARED, Some(device)) => {
            device.facts().access.sharedSingleDeviceAllocCapabilities != 0
        }
        _ => {
            let mut devices = context.devices().iter();
            devices.all(|device| device.facts().access.hostAllocCapabilities != 0)
        }
    }
}

/// Bytes of the largest allocation.
fn largest(context: &Context, device: Option<&Device>) -> u64 {
    if let Some(device) = device {
        return device.facts().max_alloc_size();
    }
    let devices = context.devices().iter();
    let sizes = devices.map(|device| device.facts().max_alloc_size());
    sizes.min().unwrap_or(0)
}

/// Memory of a kind and, unless it is of the host, for a device.
///
/// # Errors
/// `UNSUPPORTED_FEATURE` for a kind that the device does not have, `INVALID_USM_SIZE` for too much,
/// `INVALID_VALUE` for an alignment that the driver does not have, and what it says.
pub fn allocate(
    context: &Context,
    device: Option<&Device>,
    request: &Request,
) -> Result<*mut c_void> {
    // SAFETY: nothing hangs behind the descriptions.
    unsafe { allocate_with(context, device, request, std::ptr::null()) }
}

/// As [`allocate`], with structures of Level Zero behind the description of the device's side.
///
/// # Errors
/// As [`allocate`].
///
/// # Safety
/// `next` is null or a chain of structures of Level Zero.
pub unsafe fn allocate_with(
    context: &Context,
    device: Option<&Device>,
    request: &Request,
    next: *const c_void,
) -> Result<*mut c_void> {
    if !is_there(context, request.kind, device) {
        return Err(Error::unsupported());
    }
    if request.size as u64 > largest(context, device) {
        return Err(Error::code(UR_RESULT_ERROR_INVALID_USM_SIZE));
    }
    let mut of_host = ze::ze_host_mem_alloc_desc_t::new();
    of_host.flags = request.host;
    let mut of_device = ze::ze_device_mem_alloc_desc_t::new();
    of_device.flags = request.device;
    of_device.pNext = next;
    let (host, on_device) = (&raw const of_host, &raw const of_device);
    let (api, native) = (context.api(), context.native());
    let (size, align) = (request.size, request.align as usize);
    let mut memory = std::ptr::null_mut();
    let place = &raw mut memory;
    let owner = device.map(Device::native);
    let ask = || {
        // SAFETY: live objects, descriptions and a place of ours.
        unsafe {
            match (request.kind, owner) {
                (UR_USM_TYPE_DEVICE, Some(owner)) => {
                    (api.zeMemAllocDevice)(native, on_device, size, align, owner, place)
                }
                (UR_USM_TYPE_SHARED, Some(owner)) => {
                    (api.zeMemAllocShared)(native, on_device, host, size, align, owner, place)
                }
                _ => (api.zeMemAllocHost)(native, host, size, align, place),
            }
        }
    };
    let code = match ask() {
        ze::ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY | ze::ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY => {
            // What was freed while commands used it may be had by now; nobody has looked yet.
            live::look(context);
            ask()
        }
        code => code,
    };
    let refused = match code {
        ze::ZE_RESULT_ERROR_UNSUPPORTED_SIZE => UR_RESULT_ERROR_INVALID_USM_SIZE,
        ze::ZE_RESULT_ERROR_UNSUPPORTED_ALIGNMENT => UR_RESULT_ERROR_INVALID_VALUE,
        code => return check(code).map(|()| memory),
    };
    Err(Error {
        code: refused,
        ..ze::error::failed(code)
    })
}

/// Frees an allocation that no command uses.
///
/// # Errors
/// `INVALID_MEM_OBJECT` for a pointer that begins none, and what the driver says.
///
/// # Safety
/// No command uses the allocation.
pub unsafe fn free(context: &Context, memory: *mut c_void) -> Result {
    if ze::exit::is_gone() {
        return Ok(());
    }
    // SAFETY: a live context; the driver looks whether it knows the pointer.
    match unsafe { (context.api().zeMemFree)(context.native(), memory) } {
        code @ ze::ZE_RESULT_ERROR_INVALID_ARGUMENT => Err(Error {
            code: UR_RESULT_ERROR_INVALID_MEM_OBJECT,
            ..ze::error::failed(code)
        }),
        code => check(code),
    }
}

/// What the driver knows of the memory at an address.
#[derive(Clone, Copy, Debug)]
pub struct Told {
    /// Its kind; `UR_USM_TYPE_UNKNOWN` for memory of the program's own.
    pub kind: ur_usm_type_t,
    /// Whose it is; null for the host's.
    pub device: ze::ze_device_handle_t,
}

/// Asks the driver about the memory at an address.
///
/// # Errors
/// What the driver says.
pub(crate) fn tell(context: &Context, memory: *const c_void) -> Result<Told> {
    let mut properties = ze::ze_memory_allocation_properties_t::new();
    let mut device = ze::ze_device_handle_t::NULL;
    let (api, native) = (context.api(), context.native());
    // SAFETY: a live context, any pointer, places of ours.
    check(unsafe {
        (api.zeMemGetAllocProperties)(native, memory, &raw mut properties, &raw mut device)
    })?;
    let kind = match properties.type_ {
        ze::ZE_MEMORY_TYPE_HOST => UR_USM_TYPE_HOST,
        ze::ZE_MEMORY_TYPE_DEVICE => UR_USM_TYPE_DEVICE,
        ze::ZE_MEMORY_TYPE_SHARED => UR_USM_TYPE_SHARED,
        _ => UR_USM_TYPE_UNKNOWN,
    };
    Ok(Told { kind, device })
}

/// Where the allocation that holds an address begins, and its bytes.
///
/// # Errors
/// `INVALID_MEM_OBJECT` for an address in no allocation.
pub(crate) fn range(context: &Context, memory: *const c_void) -> Result<(*mut c_void, usize)> {
    let (mut base, mut size) = (std::ptr::null_mut(), 0);
    let (api, native) = (context.api(), context.native());
    // SAFETY: a live context, any pointer, places of ours.
    let code = unsafe { (api.zeMemGetAddressRange)(native, memory, &raw mut base, &raw mut size) };
    match code {
        ze::ZE_RESULT_SUCCESS if !base.is_null() => Ok((base, size)),
        ze::ZE_RESULT_SUCCESS => Err(Error::code(UR_RESULT_ERROR_INVALID_MEM_OBJECT)),
        code => Err(Error {
            code: UR_RESULT_ERROR_INVALID_MEM_OBJECT,
            ..ze::error::failed(code)
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(desc: &ur_usm_desc_t) -> Result<Request> {
        Request::of(UR_USM_TYPE_SHARED, Some(desc), 64)
    }

    #[test]
    fn wishes_become_flags() {
        let host = ur_usm_host_desc_t {
            flags: UR_USM_HOST_MEM_FLAG_INITIAL_PLACEMENT.0,
            ..Default::default()
        };
        let mut device = ur_usm_device_desc_t {
            flags: UR_USM_DEVICE_MEM_FLAG_INITIAL_PLACEMENT.0,
            ..Default::default()
        };
        device.pNext = (&raw const host).cast();
        let mut desc = ur_usm_desc_t {
            hints: UR_USM_ADVICE_FLAG_BIAS_UNCACHED.0,
            align: 64,
            ..Default::default()
        };
        desc.pNext = (&raw const device).cast();
        let made = request(&desc).expect("a request");
        let placed = ze::ZE_HOST_MEM_ALLOC_FLAG_BIAS_INITIAL_PLACEMENT;
        assert_eq!(made.host, placed | ze::ZE_HOST_MEM_ALLOC_FLAG_BIAS_UNCACHED);
        let placed = ze::ZE_DEVICE_MEM_ALLOC_FLAG_BIAS_INITIAL_PLACEMENT;
        assert_eq!(
            made.device,
            placed | ze::ZE_DEVICE_MEM_ALLOC_FLAG_BIAS_UNCACHED
        );
        assert_eq!(made.align, 64);
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        let desc = |align, hints| ur_usm_desc_t {
            align,
            hints,
            ..Default::default()
        };
        let code = |result: Result<Request>| result.err().map(|error| error.code);
        let odd = code(request(&desc(48, 0)));
        assert_eq!(odd, Some(UR_RESULT_ERROR_INVALID_VALUE));
        let unknown = code(request(&desc(0, 1 << 31)));
        assert_eq!(unknown, Some(UR_RESULT_ERROR_INVALID_ENUMERATION));
        let none = code(Request::of(UR_USM_TYPE_HOST, None, 0));
        assert_eq!(none, Some(UR_RESULT_ERROR_INVALID_USM_SIZE));
        // Both at once are none.
        let both = UR_USM_ADVICE_FLAG_BIAS_CACHED.0 | UR_USM_ADVICE_FLAG_BIAS_UNCACHED.0;
        assert_eq!(request(&desc(0, both)).map(|made| made.host), Ok(0));
    }
}
