//! What the loader under test finds, and the part of it that a test is about.

use crate::api::{Api, api};
use crate::failure::Stop;
use crate::objects::{Context, Queue};
use anyhow::{Result, bail};
use std::collections::HashMap;
use std::ffi::{CStr, c_void};
use std::path::{Path, PathBuf};
use std::ptr::{null, null_mut};
use ur_api::*;

/// An adapter with its platforms and their devices.
#[derive(Debug)]
pub struct Adapter {
    /// Its handle; a reference is held.
    pub handle: ur_adapter_handle_t,
    /// The name in names of tests: that of its library, or of its backend where the library cannot
    /// be told; with `#1`, `#2`, … behind it for further ones of that name.
    pub name: String,
    /// Its platforms.
    pub platforms: Vec<Platform>,
}

/// A platform with its devices.
#[derive(Debug)]
pub struct Platform {
    /// Its handle.
    pub handle: ur_platform_handle_t,
    /// Root devices; a reference to each is held.
    pub devices: Vec<ur_device_handle_t>,
}

/// Everything that the loader finds.
#[derive(Debug)]
pub struct World {
    /// The adapters in the loader's order.
    pub adapters: Vec<Adapter>,
}

// SAFETY: handles may be used on any thread.
unsafe impl Send for World {}
// SAFETY: as above.
unsafe impl Sync for World {}

/// Asks a listing call for the number, then for that many.
pub(crate) fn listed<H>(
    call: &str,
    get: impl Fn(u32, *mut *mut H, *mut u32) -> ur_result_t,
) -> Result<Vec<*mut H>> {
    let mut count = 0;
    let code = get(0, null_mut(), &raw mut count);
    if code == UR_RESULT_ERROR_DEVICE_NOT_FOUND {
        return Ok(Vec::new());
    }
    if code != UR_RESULT_SUCCESS {
        bail!("{call} returned {code}");
    }
    let mut all = vec![null_mut(); count as usize];
    if count != 0 {
        let code = get(count, all.as_mut_ptr(), null_mut());
        if code != UR_RESULT_SUCCESS {
            bail!("{call} returned {code}");
        }
    }
    Ok(all)
}

impl World {
    /// Starts the loader and lists what it finds. `libraries` are the adapters that it was told to
    /// load, for their names.
    ///
    /// # Errors
    /// A call that fails.
    pub fn start(api: &'static Api, libraries: &[PathBuf]) -> Result<World> {
        // SAFETY: no configuration is given.
        let code = unsafe { api.urLoaderInit(0, null_mut()) };
        if code != UR_RESULT_SUCCESS {
            bail!("urLoaderInit returned {code}");
        }
        let handles = listed("urAdapterGet", |n, out, count| {
            // SAFETY: there is room for `n` handles.
            unsafe { api.urAdapterGet(n, out, count) }
        })?;
        let mut adapters = Vec::new();
        let mut named: HashMap<String, usize> = HashMap::new();
        for (index, &handle) in handles.iter().enumerate() {
            let given = libraries
                .get(index)
                .filter(|_| libraries.len() == handles.len());
            let name = library_of(handle)
                .as_deref()
                .or(given.map(PathBuf::as_path))
                .and_then(name_of)
                .unwrap_or_else(|| backend(api, handle));
            let before = named.entry(name.clone()).or_default();
            let name = match *before {
                0 => name,
                more => format!("{name}#{more}"),
            };
            *before += 1;
            adapters.push(Adapter {
                handle,
                name,
                platforms: platforms(api, handle)?,
            });
        }
        Ok(World { adapters })
    }

    /// Gives back what was got and ends the loader.
    ///
    /// # Errors
    /// A call that fails.
    pub fn stop(&self, api: &'static Api) -> Result<()> {
        let check = |call: &str, code: ur_result_t| match code {
            UR_RESULT_SUCCESS => Ok(()),
            other => bail!("{call} returned {other}"),
        };
        for adapter in &self.adapters {
            for device in adapter.platforms.iter().flat_map(|p| &p.devices) {
                // SAFETY: the reference is ours.
                check("urDeviceRelease", unsafe { api.urDeviceRelease(*device) })?;
            }
            // SAFETY: the reference is ours.
            let code = unsafe { api.urAdapterRelease(adapter.handle) };
            check("urAdapterRelease", code)?;
        }
        // SAFETY: the loader was started once, and nothing of it is in use.
        check("urLoaderTearDown", unsafe { api.urLoaderTearDown() })
    }
}

fn platforms(api: &Api, adapter: ur_adapter_handle_t) -> Result<Vec<Platform>> {
    let handles = listed("urPlatformGet", |n, out, count| {
        // SAFETY: the adapter lives; there is room for `n` handles.
        unsafe { api.urPlatformGet(adapter, n, out, count) }
    })?;
    let mut platforms = Vec::new();
    for handle in handles {
        let devices = listed("urDeviceGet", |n, out, count| {
            // SAFETY: the platform lives; there is room for `n` handles.
            unsafe { api.urDeviceGet(handle, UR_DEVICE_TYPE_ALL, n, out, count) }
        })?;
        platforms.push(Platform { handle, devices });
    }
    Ok(platforms)
}

/// The library that holds the dispatch table of an adapter's handle, where the table is part of one.
fn library_of(handle: ur_adapter_handle_t) -> Option<PathBuf> {
    // SAFETY: plain data.
    let mut found: libc::Dl_info = unsafe { std::mem::zeroed() };
    // SAFETY: a handle points to an object whose first word is an address.
    let table = unsafe { *handle.cast::<*const c_void>() };
    // SAFETY: dladdr only compares the address with those of libraries.
    let known = unsafe { libc::dladdr(table, &raw mut found) };
    if known == 0 || found.dli_fname.is_null() {
        return None;
    }
    // SAFETY: a terminated path that lasts as long as the library.
    let path = unsafe { CStr::from_ptr(found.dli_fname) };
    Some(PathBuf::from(path.to_str().ok()?))
}

/// `native_cpu` of `libur_adapter_native_cpu.so.0`.
fn name_of(library: &Path) -> Option<String> {
    let file = library.file_name()?.to_str()?;
    let name = file.strip_prefix("libur_adapter_")?;
    Some(name.split('.').next()?.to_owned())
}

fn backend(api: &Api, adapter: ur_adapter_handle_t) -> String {
    let mut backend = UR_BACKEND_UNKNOWN;
    // SAFETY: the adapter lives; the value is as large as the query's.
    unsafe {
        api.urAdapterGetInfo(
            adapter,
            UR_ADAPTER_INFO_BACKEND,
            size_of_val(&backend),
            (&raw mut backend).cast(),
            null_mut(),
        )
    };
    let name = backend.name().unwrap_or("UR_BACKEND_UNKNOWN");
    name.trim_start_matches("UR_BACKEND_").to_lowercase()
}

/// What a test is about: everything, an adapter, a platform or a device.
#[derive(Clone, Copy, Debug)]
pub struct Cx {
    world: &'static World,
    adapter: Option<usize>,
    platform: Option<usize>,
    device: Option<(usize, usize)>,
}

impl Cx {
    /// Everything.
    pub(crate) fn all(world: &'static World) -> Cx {
        Cx {
            world,
            adapter: None,
            platform: None,
            device: None,
        }
    }

    /// One adapter.
    pub(crate) fn of_adapter(self, adapter: usize) -> Cx {
        Cx {
            adapter: Some(adapter),
            ..self
        }
    }

    /// One platform of the adapter.
    pub(crate) fn of_platform(self, platform: usize) -> Cx {
        Cx {
            platform: Some(platform),
            ..self
        }
    }

    /// One device of the platform; `number` counts the adapter's devices.
    pub(crate) fn of_device(self, index: usize, number: usize) -> Cx {
        Cx {
            device: Some((index, number)),
            ..self
        }
    }

    /// What stands in brackets behind the test's name; nothing for a test of everything.
    pub(crate) fn label(&self) -> String {
        let Some(adapter) = self.adapter.map(|at| &self.world.adapters[at].name) else {
            return String::new();
        };
        match (self.platform, self.device) {
            (_, Some((_, number))) => format!("[{adapter}:{number}]"),
            (Some(platform), None) => format!("[{adapter}/{platform}]"),
            (None, None) => format!("[{adapter}]"),
        }
    }

    /// Each device that the test is about, as a test of the device alone would see it: all devices
    /// in a test of everything, those of the adapter or platform in a test of one.
    pub fn each_device(&self) -> Vec<Cx> {
        let mut all = Vec::new();
        for (at, adapter) in self.world.adapters.iter().enumerate() {
            let mut number = 0;
            for (index, platform) in adapter.platforms.iter().enumerate() {
                for device in 0..platform.devices.len() {
                    let own = Cx::all(self.world).of_adapter(at).of_platform(index);
                    all.push(own.of_device(device, number));
                    number += 1;
                }
            }
        }
        let within = |mine: Option<usize>, its: Option<usize>| mine.is_none() || mine == its;
        all.retain(|cx| {
            within(self.adapter, cx.adapter)
                && within(self.platform, cx.platform)
                && (self.device.is_none() || self.device == cx.device)
        });
        all
    }

    /// Whether the test is of a device.
    pub(crate) fn has_device(&self) -> bool {
        self.device.is_some()
    }

    /// Everything that the loader finds.
    pub fn world(&self) -> &'static World {
        self.world
    }

    fn entry(&self) -> &'static Adapter {
        &self.world.adapters[self.adapter.expect("a test of an adapter")]
    }

    fn platform_entry(&self) -> &'static Platform {
        &self.entry().platforms[self.platform.expect("a test of a platform")]
    }

    /// The adapter.
    ///
    /// # Panics
    /// In a test of everything.
    pub fn adapter(&self) -> ur_adapter_handle_t {
        self.entry().handle
    }

    /// The platform.
    ///
    /// # Panics
    /// In a test of an adapter or of everything.
    pub fn platform(&self) -> ur_platform_handle_t {
        self.platform_entry().handle
    }

    /// The root devices of the platform, the test's own among them.
    ///
    /// # Panics
    /// As [`Cx::platform`].
    pub fn devices(&self) -> &'static [ur_device_handle_t] {
        &self.platform_entry().devices
    }

    /// The device.
    ///
    /// # Panics
    /// In a test that is not of a device.
    pub fn device(&self) -> ur_device_handle_t {
        self.devices()[self.device.expect("a test of a device").0]
    }

    /// A new context with the device.
    ///
    /// # Errors
    /// When it cannot be made.
    #[track_caller]
    pub fn context(&self) -> Result<Context, Stop> {
        Context::new(&[self.device()])
    }

    /// A new context with the device, and a queue in it with these flags.
    ///
    /// # Errors
    /// When one cannot be made.
    #[track_caller]
    pub fn queue(&self, flags: impl Into<Flags>) -> Result<(Context, Queue), Stop> {
        let context = self.context()?;
        let queue = Queue::new(&context, self.device(), flags)?;
        Ok((context, queue))
    }

    /// Value of a query of the device; none where the query is not supported.
    ///
    /// # Errors
    /// When it is answered in any other way.
    #[track_caller]
    pub fn device_info<T: crate::info::Plain>(
        &self,
        query: ur_device_info_t,
    ) -> Result<Option<T>, Stop> {
        crate::info::of_device(self.device(), query)
    }

    /// Bytes of a query's answer of the device; none where the query is not supported.
    ///
    /// # Errors
    /// When it is answered in any other way.
    #[track_caller]
    pub fn device_size(&self, query: ur_device_info_t) -> Result<Option<usize>, Stop> {
        let mut size = 0;
        let device = self.device();
        let code = crate::ur!(urDeviceGetInfo(device, query, 0, null_mut(), &raw mut size));
        if code == UR_RESULT_ERROR_UNSUPPORTED_ENUMERATION {
            return Ok(None);
        }
        crate::failure::check("urDeviceGetInfo", UR_RESULT_SUCCESS, code)?;
        Ok(Some(size))
    }

    /// Whether the device says that something is supported; a query that it does not know is no.
    ///
    /// # Errors
    /// When the query is answered in any other way.
    #[track_caller]
    pub fn has(&self, query: ur_device_info_t) -> Result<bool, Stop> {
        Ok(self.device_info::<ur_bool_t>(query)?.unwrap_or(0) != 0)
    }

    /// Ends the test as unsupported unless the device says that something is supported.
    ///
    /// # Errors
    /// When it says no, or nothing.
    #[track_caller]
    pub fn needs(&self, query: ur_device_info_t) -> Result<(), Stop> {
        if self.has(query)? {
            return Ok(());
        }
        Err(Stop::Unsupported(format!("{query} says no")))
    }

    /// Ends the test as unsupported unless the device's set of bits for a query has all these.
    ///
    /// # Errors
    /// When one is missing.
    #[track_caller]
    pub fn needs_bits(&self, query: ur_device_info_t, bits: impl Into<Flags>) -> Result<(), Stop> {
        let bits = bits.into().0;
        let has = self.device_info::<u32>(query)?.unwrap_or(0);
        if has & bits == bits {
            return Ok(());
        }
        Err(Stop::Unsupported(format!(
            "{query} is {has:#x}, without {bits:#x}"
        )))
    }

    /// The backend of the adapter.
    ///
    /// # Panics
    /// In a test of everything.
    pub fn backend(&self) -> ur_backend_t {
        let mut backend = UR_BACKEND_UNKNOWN;
        // SAFETY: the adapter lives; the value is as large as the query's.
        unsafe {
            api().urAdapterGetInfo(
                self.adapter(),
                UR_ADAPTER_INFO_BACKEND,
                size_of_val(&backend),
                (&raw mut backend).cast(),
                null_mut(),
            )
        };
        backend
    }

    /// The adapter's own message behind `UR_RESULT_ERROR_ADAPTER_SPECIFIC`.
    pub(crate) fn last_error(&self, code: ur_result_t) -> Option<String> {
        if code != UR_RESULT_ERROR_ADAPTER_SPECIFIC {
            return None;
        }
        let (mut text, mut error) = (null(), 0);
        let adapter = self.world.adapters.get(self.adapter?)?.handle;
        // SAFETY: the adapter lives; the places are ours.
        let code = unsafe { api().urAdapterGetLastError(adapter, &raw mut text, &raw mut error) };
        if code != UR_RESULT_SUCCESS || text.is_null() {
            return None;
        }
        // SAFETY: the adapter gave a terminated text, which stays until the thread's next error.
        let text = unsafe { CStr::from_ptr(text) }.to_string_lossy();
        Some(format!("{error}: {text}"))
    }
}

/// Bits of a set, from its number or from one named bit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flags(pub u32);

impl From<u32> for Flags {
    fn from(bits: u32) -> Flags {
        Flags(bits)
    }
}

/// A named bit of the API.
macro_rules! named_bits {
    ($($name:ident,)*) => {
        $(impl From<$name> for Flags {
            fn from(bits: $name) -> Flags {
                Flags(bits.0)
            }
        })*
    };
}

named_bits! {
    ur_context_flag_t,
    ur_device_affinity_domain_flag_t,
    ur_device_command_buffer_update_capability_flag_t,
    ur_device_exec_capability_flag_t,
    ur_device_fp_capability_flag_t,
    ur_device_init_flag_t,
    ur_device_throttle_reasons_flag_t,
    ur_device_usm_access_capability_flag_t,
    ur_exp_async_usm_alloc_flag_t,
    ur_exp_device_2d_block_array_capability_flag_t,
    ur_exp_enqueue_ext_flag_t,
    ur_exp_enqueue_native_command_flag_t,
    ur_exp_event_flag_t,
    ur_exp_host_task_flag_t,
    ur_exp_image_copy_flag_t,
    ur_exp_program_flag_t,
    ur_exp_usm_host_alloc_register_flag_t,
    ur_kernel_launch_flag_t,
    ur_kernel_launch_properties_flag_t,
    ur_map_flag_t,
    ur_mem_flag_t,
    ur_memory_order_capability_flag_t,
    ur_memory_scope_capability_flag_t,
    ur_physical_mem_flag_t,
    ur_queue_flag_t,
    ur_usm_advice_flag_t,
    ur_usm_device_mem_flag_t,
    ur_usm_host_mem_flag_t,
    ur_usm_migration_flag_t,
    ur_usm_pool_flag_t,
    ur_virtual_mem_access_flag_t,
}
