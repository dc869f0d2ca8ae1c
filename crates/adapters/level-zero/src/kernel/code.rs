//! What runs of a kernel on a device.

use crate::device::Device;
use crate::program::build;
use crate::program::module::Module;
use crate::ze::{self, Functions, Owned, check};
use std::ffi::{CStr, CString, c_char, c_void};
use std::ptr::null_mut;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use ur_adapter::{Error, Result, il};
use ur_api::*;

/// A kernel of Level Zero's. Commands that use it keep it.
#[derive(Debug)]
pub struct Code {
    /// First, so that it goes before its module.
    native: Owned<ze::ze_kernel_handle_t>,
    build: build::Code,
    facts: Facts,
    /// Held by whoever sets what the kernel runs with, until it is used.
    set: Mutex<Set>,
}

/// What is known of a kernel on a device.
#[derive(Debug)]
pub struct Facts {
    /// What Level Zero says.
    pub properties: ze::ze_kernel_properties_t,
    /// Most work-items of a work-group.
    pub max_group: u32,
    /// What sizes of work-groups had best be a multiple of.
    pub multiple: u32,
    /// Most work-items of a work-group in each dimension.
    pub limits: [u32; 3],
    /// Most work-groups in each dimension.
    pub max_count: [u32; 3],
    /// Bytes of local memory for work-groups that run at the same time on a core.
    pub local_memory: u32,
    /// Cores of the device.
    pub cores: u32,
    /// The sizes in bytes that arguments must have, as far as they are known.
    pub sizes: Box<[Option<u32>]>,
}

// SAFETY: the pointers in it are null.
unsafe impl Send for Facts {}
// SAFETY: as above.
unsafe impl Sync for Facts {}

/// What a kernel runs with, beside its arguments.
#[derive(Debug, Default)]
pub struct Set {
    /// Its group size; zeroes if it was never set.
    pub group: [u32; 3],
    /// Where ids begin.
    pub offset: [u32; 3],
}

/// A kernel that is this thread's.
#[derive(Debug)]
pub struct Held<'a> {
    pub(super) code: &'a Code,
    pub(super) set: MutexGuard<'a, Set>,
}

impl Code {
    /// Makes the kernel of a name.
    ///
    /// # Errors
    /// `INVALID_KERNEL_NAME`, `PROGRAM_UNLINKED` for a program that misses symbols, and what the driver
    /// says.
    pub fn create(build: build::Code, device: &Device, name: &CStr) -> Result<Self> {
        if build.unresolved {
            return Err(Error::new(
                UR_RESULT_ERROR_PROGRAM_UNLINKED,
                "the program misses symbols and has not been linked",
            ));
        }
        let (api, module) = (build.module.api(), build.module.native());
        let mut desc = ze::ze_kernel_desc_t::new();
        desc.pKernelName = name.as_ptr();
        let mut native = ze::ze_kernel_handle_t::NULL;
        // SAFETY: a live module, a terminated name, a place of ours.
        check(unsafe { (api.zeKernelCreate)(module, &raw const desc, &raw mut native) })?;
        // SAFETY: made for this call.
        Self::new(build, device, unsafe { Owned::new(api, native) })
    }

    /// A kernel that is there already.
    ///
    /// # Errors
    /// What the driver says.
    pub fn new(
        build: build::Code,
        device: &Device,
        native: Owned<ze::ze_kernel_handle_t>,
    ) -> Result<Self> {
        Ok(Self {
            facts: Facts::of(&native, device)?,
            native,
            build,
            set: Mutex::default(),
        })
    }

    /// Notes the sizes of its arguments.
    pub fn with_sizes(mut self, entry: Option<&il::Entry>) -> Self {
        if let Some(entry) = entry {
            self.facts.sizes = entry.arguments.clone().into();
        }
        self
    }

    /// Level Zero's own handle.
    pub fn native(&self) -> ze::ze_kernel_handle_t {
        self.native.get()
    }

    /// The library's functions.
    pub fn api(&self) -> &'static Functions {
        self.native.api()
    }

    /// The module that it is of.
    pub fn module(&self) -> &Arc<Module> {
        &self.build.module
    }

    /// What is known of it.
    pub fn facts(&self) -> &Facts {
        &self.facts
    }

    /// Makes it this thread's until the value goes.
    #[inline]
    pub fn lock(&self) -> Held<'_> {
        Held {
            code: self,
            set: self.set.lock().unwrap_or_else(PoisonError::into_inner),
        }
    }

    /// Its name.
    ///
    /// # Errors
    /// What the driver says.
    pub fn name(&self) -> Result<CString> {
        let get = self.api().zeKernelGetName;
        let mut size = 0;
        // SAFETY: a live kernel and a place of ours.
        check(unsafe { get(self.native(), &raw mut size, null_mut()) })?;
        let mut name: Vec<c_char> = vec![0; size + 1];
        // SAFETY: a live kernel, and room for that many.
        check(unsafe { get(self.native(), &raw mut size, name.as_mut_ptr()) })?;
        Ok(CString::new(ze::text(&name).as_bytes()).unwrap_or_default())
    }

    /// What its source says of it.
    ///
    /// # Errors
    /// What the driver says.
    pub fn attributes(&self) -> Result<String> {
        let get = self.api().zeKernelGetSourceAttributes;
        let mut size = 0;
        // SAFETY: a live kernel and a place of ours.
        match unsafe { get(self.native(), &raw mut size, null_mut()) } {
            // The loader's validation wants a place at once.
            ze::ZE_RESULT_ERROR_INVALID_NULL_POINTER => size = 4096,
            code => check(code)?,
        }
        let mut text: Vec<c_char> = vec![0; size as usize + 1];
        let mut place = text.as_mut_ptr();
        // SAFETY: a live kernel; the place leads to room for that many.
        check(unsafe { get(self.native(), &raw mut size, &raw mut place) })?;
        Ok(ze::text(&text).into_owned())
    }
}

impl Facts {
    fn of(native: &Owned<ze::ze_kernel_handle_t>, device: &Device) -> Result<Self> {
        let (platform, about) = (device.platform(), device.facts());
        let mut properties = ze::ze_kernel_properties_t::new();
        let mut preferred = ze::ze_kernel_preferred_group_size_properties_t::new();
        let mut largest = ze::ze_kernel_max_group_size_properties_ext_t::new();
        if platform.version() >= ze::version(1, 2) {
            preferred.pNext = properties.pNext;
            properties.pNext = (&raw mut preferred).cast();
        }
        if platform.has(ze::ZE_KERNEL_MAX_GROUP_SIZE_EXT_NAME) {
            largest.pNext = properties.pNext;
            properties.pNext = (&raw mut largest).cast();
        }
        let get = native.api().zeKernelGetProperties;
        // SAFETY: a live kernel; the places are ours.
        check(unsafe { get(native.get(), &raw mut properties) })?;
        // What hung behind it is gone with this function.
        properties.pNext = null_mut();
        let compute = &about.compute;
        let most = match largest.maxGroupSize {
            0 => compute.maxTotalGroupSize,
            size => size.min(compute.maxTotalGroupSize),
        };
        let multiple = match preferred.preferredMultiple {
            0 => properties.maxSubgroupSize,
            multiple => multiple,
        };
        Ok(Self {
            max_group: most.max(1),
            multiple: multiple.max(1),
            limits: [
                compute.maxGroupSizeX,
                compute.maxGroupSizeY,
                compute.maxGroupSizeZ,
            ],
            max_count: [
                compute.maxGroupCountX,
                compute.maxGroupCountY,
                compute.maxGroupCountZ,
            ],
            local_memory: compute.maxSharedLocalMemory,
            cores: about.cores(),
            sizes: Box::default(),
            properties,
        })
    }

    /// Work-group size that it must be launched with; none if it does not say.
    pub fn required(&self) -> Option<[u32; 3]> {
        let properties = &self.properties;
        let required = [
            properties.requiredGroupSizeX,
            properties.requiredGroupSizeY,
            properties.requiredGroupSizeZ,
        ];
        (required[0] != 0).then(|| required.map(|size| size.max(1)))
    }
}

impl Held<'_> {
    /// Lets the kernel reach all USM, not only what arguments point to.
    ///
    /// # Errors
    /// What the driver says.
    pub fn reach_all(&self) -> Result {
        let all = ze::ZE_KERNEL_INDIRECT_ACCESS_FLAG_HOST
            | ze::ZE_KERNEL_INDIRECT_ACCESS_FLAG_DEVICE
            | ze::ZE_KERNEL_INDIRECT_ACCESS_FLAG_SHARED;
        let set = self.code.api().zeKernelSetIndirectAccess;
        // SAFETY: a live kernel, which is this thread's.
        check(unsafe { set(self.code.native(), all) })
    }

    /// Says what the memory beside the cores is wanted for. A driver that does not let choose has
    /// chosen.
    ///
    /// # Errors
    /// `INVALID_ENUMERATION` for a choice that there is not, and what the driver says.
    pub fn prefer(&self, config: ur_kernel_cache_config_t) -> Result {
        let flags = match config {
            UR_KERNEL_CACHE_CONFIG_DEFAULT => 0,
            UR_KERNEL_CACHE_CONFIG_LARGE_SLM => ze::ZE_CACHE_CONFIG_FLAG_LARGE_SLM,
            UR_KERNEL_CACHE_CONFIG_LARGE_DATA => ze::ZE_CACHE_CONFIG_FLAG_LARGE_DATA,
            _ => return Err(Error::code(UR_RESULT_ERROR_INVALID_ENUMERATION)),
        };
        let set = self.code.api().zeKernelSetCacheConfig;
        // SAFETY: a live kernel, which is this thread's.
        match unsafe { set(self.code.native(), flags) } {
            ze::ZE_RESULT_ERROR_UNSUPPORTED_FEATURE => Ok(()),
            code => check(code),
        }
    }

    /// Sets an argument to bytes, or with null to local memory of that size.
    ///
    /// # Safety
    /// `value` is null or has that many bytes.
    ///
    /// # Errors
    /// What the driver says.
    #[inline]
    pub unsafe fn set_argument(&self, index: u32, size: usize, value: *const c_void) -> Result {
        let set = self.code.api().zeKernelSetArgumentValue;
        // SAFETY: a live kernel, which is this thread's; the rest as the caller says.
        check(unsafe { set(self.code.native(), index, size, value) })
    }

    /// Sets the work-group size, if it is another than before.
    ///
    /// # Errors
    /// `INVALID_WORK_GROUP_SIZE`.
    #[inline]
    pub fn set_group(&mut self, size: [u32; 3]) -> Result {
        if self.set.group == size {
            return Ok(());
        }
        let set = self.code.api().zeKernelSetGroupSize;
        let [x, y, z] = size;
        // SAFETY: a live kernel, which is this thread's.
        let code = unsafe { set(self.code.native(), x, y, z) };
        if let Err(error) = check(code) {
            self.set.group = [0; 3];
            return Err(match code {
                ze::ZE_RESULT_ERROR_INVALID_GROUP_SIZE_DIMENSION
                | ze::ZE_RESULT_ERROR_INVALID_ARGUMENT => Error {
                    code: UR_RESULT_ERROR_INVALID_WORK_GROUP_SIZE,
                    ..error
                },
                _ => error,
            });
        }
        self.set.group = size;
        Ok(())
    }

    /// Sets where ids begin, if it is elsewhere than before.
    ///
    /// # Errors
    /// `UNSUPPORTED_FEATURE` without `ZE_experimental_global_offset`.
    #[inline]
    pub fn set_offset(&mut self, offset: [u32; 3]) -> Result {
        if self.set.offset == offset {
            return Ok(());
        }
        let set = self.code.api().later.zeKernelSetGlobalOffsetExp;
        let set = set.ok_or_else(Error::unsupported)?;
        let [x, y, z] = offset;
        // SAFETY: a live kernel, which is this thread's.
        check(unsafe { set(self.code.native(), x, y, z) })?;
        self.set.offset = offset;
        Ok(())
    }
}
