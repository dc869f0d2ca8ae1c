//! The loader under test with its adapters.

use crate::api::{Api, Library, check};
use crate::arena;
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};
use ur_api::*;

/// One adapter: a device of it, and how many of its objects are alive.
#[derive(Clone, Copy, Debug)]
pub struct Adapter {
    /// Its handle.
    pub handle: ur_adapter_handle_t,
    /// Its first device.
    pub device: ur_device_handle_t,
}

// SAFETY: handles may be used from any thread.
unsafe impl Send for Adapter {}
// SAFETY: as above.
unsafe impl Sync for Adapter {}

/// The loader and the adapters it found.
#[derive(Debug)]
pub struct World {
    /// The loader's entry points.
    pub api: Api,
    /// The adapters, at least two.
    pub adapters: Vec<Adapter>,
    mocks: Vec<Library>,
}

type LiveObjects = extern "C" fn() -> usize;
type SetAllocator =
    unsafe extern "C" fn(Option<arena::Allocate>, Option<arena::Deallocate>) -> ur_result_t;

impl World {
    /// Opens the loader at `loader` with exactly the adapter libraries `adapters`. Mocks
    /// that are among themselves get the shared arena.
    ///
    /// # Errors
    /// A library that does not open; fewer adapters with a device than libraries.
    pub fn new(loader: &Path, adapters: &[PathBuf]) -> Result<Self> {
        let mut mocks = Vec::new();
        let mut allocators = Vec::new();
        for path in adapters {
            let library = Library::open(path).with_context(|| path.display().to_string())?;
            // SAFETY: the type is that of the mock's function.
            if let Ok(set) = unsafe { library.symbol::<SetAllocator>("ur_mock_set_allocator") } {
                allocators.push(set);
                mocks.push(library);
            }
        }
        // The arena serves nobody but mocks; beside another adapter they share the process's
        // allocator, which reuses addresses as well.
        if mocks.len() == adapters.len() {
            for set in allocators {
                // SAFETY: the mock has no object yet, and the arena serves what it asks for.
                let set = unsafe { set(Some(arena::allocate), Some(arena::deallocate)) };
                check("ur_mock_set_allocator", set)?;
            }
        }
        let list: Vec<String> = adapters.iter().map(|p| p.display().to_string()).collect();
        // SAFETY: no other thread runs yet.
        unsafe { std::env::set_var("UR_ADAPTERS_FORCE_LOAD", list.join(",")) };
        let api = Api::of(&Library::open(loader)?)?;
        // SAFETY: called as the API asks, with room for what is counted.
        let found = unsafe {
            check("urLoaderInit", (api.urLoaderInit)(0, std::ptr::null_mut()))?;
            find(&api)?
        };
        if found.len() < adapters.len() {
            bail!(
                "{} of {} adapters have a device",
                found.len(),
                adapters.len()
            );
        }
        Ok(Self {
            api,
            adapters: found,
            mocks,
        })
    }

    /// Objects of the mocks that are alive.
    pub fn live_objects(&self) -> usize {
        self.mocks
            .iter()
            // SAFETY: the type is that of the mock's function.
            .filter_map(|mock| unsafe { mock.symbol::<LiveObjects>("ur_mock_live_objects") }.ok())
            .map(|live| live())
            .sum()
    }

    /// Releases devices, adapters and the loader.
    ///
    /// # Errors
    /// What the loader answers.
    pub fn close(self) -> Result<()> {
        for adapter in &self.adapters {
            // SAFETY: the handle is the one that `urDeviceGet` gave.
            let code = unsafe { (self.api.urDeviceRelease)(adapter.device) };
            check("urDeviceRelease", code)?;
            // SAFETY: the handle is the one that `urAdapterGet` gave.
            let code = unsafe { (self.api.urAdapterRelease)(adapter.handle) };
            check("urAdapterRelease", code)?;
        }
        // SAFETY: nothing of the loader is used any more.
        check("urLoaderTearDown", unsafe { (self.api.urLoaderTearDown)() })
    }
}

unsafe fn find(api: &Api) -> Result<Vec<Adapter>> {
    let mut count = 0;
    // SAFETY: asks for the count only, as the API allows.
    check("urAdapterGet", unsafe {
        (api.urAdapterGet)(0, std::ptr::null_mut(), &raw mut count)
    })?;
    let mut handles: Vec<ur_adapter_handle_t> = vec![std::ptr::null_mut(); count as usize];
    // SAFETY: there is room for `count` handles.
    check("urAdapterGet", unsafe {
        (api.urAdapterGet)(count, handles.as_mut_ptr(), std::ptr::null_mut())
    })?;
    let mut found = Vec::new();
    for handle in handles {
        let (mut platform, mut device) = (std::ptr::null_mut(), std::ptr::null_mut());
        // SAFETY: the adapter is alive, and there is room for one handle.
        let code =
            unsafe { (api.urPlatformGet)(handle, 1, &raw mut platform, std::ptr::null_mut()) };
        check("urPlatformGet", code)?;
        // SAFETY: the platform is alive, and there is room for one handle.
        let code = unsafe {
            (api.urDeviceGet)(
                platform,
                UR_DEVICE_TYPE_ALL,
                1,
                &raw mut device,
                std::ptr::null_mut(),
            )
        };
        check("urDeviceGet", code)?;
        found.push(Adapter { handle, device });
    }
    Ok(found)
}
