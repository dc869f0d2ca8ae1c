//! Contexts: which devices work together.

mod service;

use crate::LevelZero;
use crate::adapter::Adapter;
use crate::device::Device;
use crate::event::Pools;
use crate::platform::{self, Platform};
use crate::usm::Known;
use crate::usm::pool::ContextPools;
use crate::virtual_mem::Ranges;
use crate::ze::{self, Functions, Owned, check};
use service::Service;
use std::ffi::c_void;
use std::sync::{Mutex, PoisonError};
use ur_adapter::{ContextFns, Error, Handle, Info, Object, Result};
use ur_api::*;

/// A function of the program to be called when the context ends.
struct Deleter {
    function: unsafe extern "C" fn(*mut c_void),
    user_data: *mut c_void,
}

// SAFETY: the pointer is only handed back to the program.
unsafe impl Send for Deleter {}

/// What a context handle names.
pub struct Context {
    /// Of events.
    pools: Pools,
    service: Service,
    known: Known,
    usm_pools: ContextPools,
    ranges: Ranges,
    devices: Vec<Handle<Device>>,
    deleters: Mutex<Vec<Deleter>>,
    /// Last, so that it goes after what is of it.
    native: Owned<ze::ze_context_handle_t>,
}

impl Context {
    fn new(
        devices: Vec<Handle<Device>>,
        native: Owned<ze::ze_context_handle_t>,
    ) -> Result<Handle<Self>> {
        Handle::new(Self {
            pools: Pools::default(),
            service: Service::default(),
            known: Known::default(),
            usm_pools: ContextPools::default(),
            ranges: Ranges::default(),
            devices,
            deleters: Mutex::default(),
            native,
        })
    }

    /// Its devices; there is at least one.
    pub fn devices(&self) -> &[Handle<Device>] {
        &self.devices
    }

    /// Its pools of events.
    pub fn pools(&self) -> &Pools {
        &self.pools
    }

    /// The platform of its devices.
    pub fn platform(&self) -> &'static Object<Platform> {
        self.devices[0].platform()
    }

    /// The library's functions.
    pub fn api(&self) -> &'static Functions {
        self.native.api()
    }

    /// Level Zero's own handle.
    pub fn native(&self) -> ze::ze_context_handle_t {
        self.native.get()
    }

    /// Allocations that the driver cannot tell all of.
    pub fn known(&self) -> &Known {
        &self.known
    }

    /// The pools that its devices allocate from.
    pub fn usm_pools(&self) -> &ContextPools {
        &self.usm_pools
    }

    /// Its reserved addresses.
    pub fn ranges(&self) -> &Ranges {
        &self.ranges
    }

    /// Whether `device` is one of its devices or a part of one.
    pub fn has(&self, device: &Device) -> bool {
        self.devices.iter().any(|own| device.is_part_of(own))
    }

    /// Its device with this handle of Level Zero's, or else the one of its platform.
    ///
    /// # Errors
    /// `INVALID_DEVICE` for a handle that the platform does not know.
    pub fn device_of(&self, native: ze::ze_device_handle_t) -> Result<Handle<Device>> {
        let own = self.devices.iter().find(|own| own.native() == native);
        match own {
            Some(own) => Ok(own.clone()),
            None => Ok(crate::device::of_native(native)?.handle()),
        }
    }
}

impl std::fmt::Debug for Context {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Context")
            .field("native", &self.native())
            .finish_non_exhaustive()
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // What they keep is the context's memory.
        self.usm_pools.close();
        let deleters = self.deleters.get_mut();
        let deleters = deleters.unwrap_or_else(PoisonError::into_inner);
        while let Some(Deleter {
            function,
            user_data,
        }) = deleters.pop()
        {
            // SAFETY: the program gave the function for this call.
            unsafe { function(user_data) };
        }
    }
}

/// The one platform of several devices, of which there is at least one.
fn common(devices: &[&Object<Device>]) -> Result<&'static Object<Platform>> {
    let first = devices.first().ok_or(UR_RESULT_ERROR_INVALID_SIZE)?;
    let platform = first.platform();
    if devices.iter().any(|device| !device.platform().is(platform)) {
        return Err(Error::new(
            UR_RESULT_ERROR_INVALID_DEVICE,
            "devices of several platforms",
        ));
    }
    Ok(platform)
}

impl ContextFns for LevelZero {
    fn context_create(
        devices: &[&Object<Device>],
        properties: Option<&ur_context_properties_t>,
    ) -> Result<Handle<Context>> {
        let platform = common(devices)?;
        if properties.is_some_and(|p| p.flags & !UR_CONTEXT_FLAG_TBD.0 != 0) {
            return Err(Error::code(UR_RESULT_ERROR_INVALID_ENUMERATION));
        }
        let desc = ze::ze_context_desc_t::new();
        let mut native = ze::ze_context_handle_t::NULL;
        let (api, driver) = (platform.api(), platform.native());
        // SAFETY: a live driver, a description and a place of ours. The context is one of all devices
        // of the driver, since parts of a device may be added to what a program uses later.
        check(unsafe { (api.zeContextCreate)(driver, &raw const desc, &raw mut native) })?;
        // SAFETY: made for this call.
        let native = unsafe { Owned::new(api, native) };
        let devices = devices.iter().map(|device| device.handle()).collect();
        Context::new(devices, native)
    }

    fn context_get_info(
        context: &Object<Context>,
        prop_name: ur_context_info_t,
        info: &mut Info<'_>,
    ) -> Result {
        match prop_name {
            UR_CONTEXT_INFO_NUM_DEVICES => info.value(context.devices.len() as u32),
            UR_CONTEXT_INFO_DEVICES => info.handles(&context.devices),
            UR_CONTEXT_INFO_USM_MEMCPY2D_SUPPORT => info.bool(crate::usm::has_copy_2d(context)),
            UR_CONTEXT_INFO_USM_FILL2D_SUPPORT => info.bool(crate::usm::has_fill_2d(context)),
            _ => Err(Error::unsupported_query()),
        }
    }

    fn context_get_native_handle(context: &Object<Context>) -> Result<ur_native_handle_t> {
        Ok(context.native().to_native())
    }

    fn context_create_with_native_handle(
        native_context: ur_native_handle_t,
        _: &Object<Adapter>,
        devices: &[&Object<Device>],
        properties: Option<&ur_context_native_properties_t>,
    ) -> Result<Handle<Context>> {
        let native = ze::ze_context_handle_t::from_native(native_context);
        if native.is_null() {
            return Err(Error::code(UR_RESULT_ERROR_INVALID_CONTEXT));
        }
        // Level Zero does not tell what a context is of.
        let (platform, devices) = match (devices, platform::platforms()) {
            ([], [platform]) => {
                let all = platform::devices(platform).iter();
                (platform, all.map(Object::handle).collect())
            }
            ([], _) => {
                return Err(Error::new(
                    UR_RESULT_ERROR_INVALID_DEVICE,
                    "without devices, a context may be of any platform",
                ));
            }
            (devices, _) => {
                let all = devices.iter().map(|device| device.handle());
                (common(devices)?, all.collect())
            }
        };
        let owned = properties.is_some_and(|properties| properties.isNativeHandleOwned);
        // SAFETY: a live context; the program says whether it is ours.
        let native = unsafe { Owned::of_native(platform.api(), native, owned) };
        Context::new(devices, native)
    }

    unsafe fn context_set_extended_deleter(
        context: &Object<Context>,
        deleter: ur_context_extended_deleter_t,
        user_data: *mut c_void,
    ) -> Result {
        let function = deleter.ok_or(UR_RESULT_ERROR_INVALID_NULL_POINTER)?;
        let deleters = context.deleters.lock();
        deleters
            .unwrap_or_else(PoisonError::into_inner)
            .push(Deleter {
                function,
                user_data,
            });
        Ok(())
    }
}
