//! The platform: there is one, which holds the CPU.

use crate::NativeCpu;
use crate::adapter::{Adapter, backend, roots};
use std::ffi::{CStr, c_char};
use ur_adapter::{Error, Handle, Info, Object, PlatformFns, Result};
use ur_api::*;

/// What a platform handle names.
#[derive(Debug)]
pub struct Platform(pub(crate) ());

/// The OpenCL version whose device features the adapter has, when it passes for OpenCL; its own
/// version otherwise.
pub fn version() -> &'static str {
    if backend() == UR_BACKEND_OPENCL {
        concat!("OpenCL 3.0 Concord ", env!("CARGO_PKG_VERSION"))
    } else {
        concat!("Concord ", env!("CARGO_PKG_VERSION"))
    }
}

impl PlatformFns for NativeCpu {
    fn platform_get(_: &Object<Adapter>) -> Result<Vec<Handle<Platform>>> {
        Ok(vec![roots().platform.handle()])
    }

    fn platform_get_info(
        _: &Object<Platform>,
        prop_name: ur_platform_info_t,
        info: &mut Info<'_>,
    ) -> Result {
        match prop_name {
            UR_PLATFORM_INFO_NAME => info.text("Concord native CPU"),
            UR_PLATFORM_INFO_VENDOR_NAME => info.text("Concord"),
            UR_PLATFORM_INFO_VERSION => info.text(version()),
            UR_PLATFORM_INFO_EXTENSIONS => info.text(crate::device::info::EXTENSIONS),
            UR_PLATFORM_INFO_PROFILE => info.text("FULL_PROFILE"),
            UR_PLATFORM_INFO_BACKEND => info.value(backend().0),
            UR_PLATFORM_INFO_ADAPTER => info.handle(&roots().adapter),
            _ => Err(Error::unsupported_query()),
        }
    }

    fn platform_get_api_version(_: &Object<Platform>) -> Result<ur_api_version_t> {
        Ok(UR_API_VERSION_CURRENT)
    }

    fn platform_get_backend_option(
        _: &Object<Platform>,
        frontend_option: &CStr,
    ) -> Result<*const c_char> {
        let option = match frontend_option.to_bytes() {
            b"" | b"-O1" | b"-O2" | b"-O3" => c"",
            b"-O0" => c"-cl-opt-disable",
            // Registers are not a choice on this device.
            other if other.starts_with(b"-ftarget-register-alloc-mode=") => c"",
            _ => return Err(Error::value("no such frontend option")),
        };
        Ok(option.as_ptr())
    }
}
