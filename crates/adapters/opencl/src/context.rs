//! Contexts: which devices work together.

pub mod pending;
mod service;

use crate::OpenCl;
use crate::adapter::{Adapter, api};
use crate::cl::{self, Extensions, Functions, Owned, Version, check, query};
use crate::device::{self, Device};
use crate::platform::Platform;
use crate::usm;
use crate::usm::Recent;
use crate::usm::pool::ContextPools;
pub use pending::Pending;
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
    /// First, so that it goes before its devices.
    native: Owned<cl::cl_context>,
    devices: Vec<Handle<Device>>,
    deleters: Mutex<Vec<Deleter>>,
    extensions: &'static Extensions,
    usm: usm::Driver,
    known: usm::Known,
    recent: Recent,
    pending: Pending,
    service: Service,
    pools: ContextPools,
}

impl Context {
    fn new(devices: Vec<Handle<Device>>, native: Owned<cl::cl_context>) -> Result<Handle<Self>> {
        let first = devices.first().ok_or(UR_RESULT_ERROR_INVALID_SIZE)?;
        // The driver has no place for functions that came later.
        if devices
            .iter()
            .any(|device| device.version() < Version(1, 2))
        {
            return Err(Error::new(
                UR_RESULT_ERROR_UNSUPPORTED_VERSION,
                "the driver's OpenCL is older than 1.2",
            ));
        }
        let extensions = first.platform().extensions();
        Handle::new(Self {
            usm: usm::Driver::of(native.api(), extensions, &devices),
            known: usm::Known::default(),
            recent: Recent::default(),
            pending: Pending::default(),
            service: Service::default(),
            pools: ContextPools::default(),
            extensions,
            devices,
            deleters: Mutex::default(),
            native,
        })
    }

    /// Its devices; there is at least one.
    pub fn devices(&self) -> &[Handle<Device>] {
        &self.devices
    }

    /// The platform of its devices.
    pub fn platform(&self) -> &'static Object<Platform> {
        self.devices[0].platform()
    }

    /// The library's functions.
    pub fn api(&self) -> &'static Functions {
        self.native.api()
    }

    /// The functions of its platform's extensions.
    pub fn extensions(&self) -> &'static Extensions {
        self.extensions
    }

    /// How it does USM.
    #[inline]
    pub fn usm(&self) -> &usm::Driver {
        &self.usm
    }

    /// How often USM was allocated or freed by the driver; none if the program may have done that by
    /// itself.
    #[inline]
    pub fn usm_changes(&self) -> Option<u64> {
        (!self.pending.has_others()).then(|| self.usm.changes())
    }

    /// Allocations of USM that the driver cannot tell of.
    pub fn known(&self) -> &usm::Known {
        &self.known
    }

    /// Its last allocations of USM.
    pub fn recent(&self) -> &Recent {
        &self.recent
    }

    /// Whether commands of it may be pending.
    pub fn pending(&self) -> &Pending {
        &self.pending
    }

    /// The pools that its devices allocate from.
    pub fn pools(&self) -> &ContextPools {
        &self.pools
    }

    /// A queue of the context's own, for copies that the program waits for.
    ///
    /// # Errors
    /// What the driver says.
    pub fn service_queue(&self, device: &Handle<Device>) -> Result<cl::cl_command_queue> {
        self.service.queue(self, device)
    }

    /// OpenCL's own handle.
    pub fn native(&self) -> cl::cl_context {
        self.native.get()
    }

    /// Whether `device` is one of its devices or a part of one.
    pub fn has(&self, device: &Device) -> bool {
        self.devices.iter().any(|own| device.is_part_of(own))
    }

    /// Its device with this handle of OpenCL's, or else a new object for it.
    ///
    /// # Errors
    /// `INVALID_DEVICE`.
    ///
    /// # Safety
    /// `native` names a live device.
    pub unsafe fn device_of(&self, native: cl::cl_device_id) -> Result<Handle<Device>> {
        let own = self.devices.iter().find(|own| own.native() == native);
        match own {
            Some(own) => Ok(own.clone()),
            // SAFETY: forwarded.
            None => unsafe { device::of_native(native, false) },
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
        self.pools.close();
        self.recent.clear(self);
        self.platform().queues().sweep(self);
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

impl ContextFns for OpenCl {
    fn context_create(
        devices: &[&Object<Device>],
        properties: Option<&ur_context_properties_t>,
    ) -> Result<Handle<Context>> {
        let first = devices.first().ok_or(UR_RESULT_ERROR_INVALID_SIZE)?;
        // The driver has no place for functions that came later.
        if devices
            .iter()
            .any(|device| device.version() < Version(1, 2))
        {
            return Err(Error::new(
                UR_RESULT_ERROR_UNSUPPORTED_VERSION,
                "the driver's OpenCL is older than 1.2",
            ));
        }
        if properties.is_some_and(|p| p.flags & !UR_CONTEXT_FLAG_TBD.0 != 0) {
            return Err(Error::code(UR_RESULT_ERROR_INVALID_ENUMERATION));
        }
        let platform = first.platform();
        if devices.iter().any(|device| !device.platform().is(platform)) {
            return Err(Error::new(
                UR_RESULT_ERROR_INVALID_DEVICE,
                "devices of several platforms",
            ));
        }
        let natives: Vec<_> = devices.iter().map(|device| device.native()).collect();
        let properties = [
            cl::CL_CONTEXT_PLATFORM,
            platform.native().to_pointer() as cl::cl_properties,
            0,
        ];
        let mut code = 0;
        // SAFETY: a list that ends with 0 and live devices, as many as named; no callback.
        let native = unsafe {
            (first.api().clCreateContext)(
                properties.as_ptr(),
                natives.len() as u32,
                natives.as_ptr(),
                None,
                std::ptr::null_mut(),
                &raw mut code,
            )
        };
        check(code)?;
        // SAFETY: made for this call.
        let native = unsafe { Owned::new(first.api(), native) };
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
            UR_CONTEXT_INFO_USM_MEMCPY2D_SUPPORT | UR_CONTEXT_INFO_USM_FILL2D_SUPPORT => {
                info.bool(usm::has_2d(context))
            }
            _ => Err(Error::unsupported_query()),
        }
    }

    fn context_get_native_handle(context: &Object<Context>) -> Result<ur_native_handle_t> {
        context.pending.note_others();
        Ok(context.native().to_native())
    }

    fn context_create_with_native_handle(
        native_context: ur_native_handle_t,
        _: &Object<Adapter>,
        devices: &[&Object<Device>],
        properties: Option<&ur_context_native_properties_t>,
    ) -> Result<Handle<Context>> {
        let api = api()?;
        let native = cl::cl_context::from_native(native_context);
        if native.is_null() {
            return Err(Error::code(UR_RESULT_ERROR_INVALID_CONTEXT));
        }
        let natives = query::list::<cl::cl_device_id>(|size, value, told| {
            // SAFETY: the program passes a live context; the places are as `query` says.
            unsafe { (api.clGetContextInfo)(native, cl::CL_CONTEXT_DEVICES, size, value, told) }
        })?;
        if devices
            .iter()
            .any(|device| !natives.contains(&device.native()))
        {
            return Err(Error::new(
                UR_RESULT_ERROR_INVALID_DEVICE,
                "a device that is not the context's",
            ));
        }
        let given = |native: &cl::cl_device_id| {
            let mut given = devices.iter();
            match given.find(|device| device.native() == *native) {
                Some(device) => Ok(device.handle()),
                // SAFETY: the context keeps its devices.
                None => unsafe { device::of_native(*native, false) },
            }
        };
        let devices = natives.iter().map(given).collect::<Result<_>>()?;
        let owned = properties.is_some_and(|properties| properties.isNativeHandleOwned);
        // SAFETY: a live context; the program says whether its reference is ours.
        let native = unsafe { Owned::of_native(api, native, owned) }?;
        let context = Context::new(devices, native)?;
        context.pending.note_others();
        Ok(context)
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
