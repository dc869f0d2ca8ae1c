//! A program that needs no other file: the loader and the native CPU adapter are part of it.
//!
//! ```text
//! cargo run -p ur-static --features alone --example static_devices
//! ```
//! It lists the devices. A package of its own depends on `ur-static` alone and needs no feature.

use std::ffi::CStr;
use std::ptr::null_mut;
use ur_api::*;
use ur_static::ur_loader::*;

fn check(call: &str, result: ur_result_t) {
    assert_eq!(result, UR_RESULT_SUCCESS, "{call}");
}

fn main() {
    ur_static::native_cpu();
    // SAFETY: the calls are made as the API asks: arrays have room for what is said, handles are
    // live, and each reference is given back once.
    unsafe {
        check("urLoaderInit", urLoaderInit(0, null_mut()));
        let mut adapters = [null_mut(); 16];
        let mut count = 0;
        let result = urAdapterGet(16, adapters.as_mut_ptr(), &mut count);
        check("urAdapterGet", result);
        for adapter in adapters.into_iter().take(count as usize) {
            let mut platforms = [null_mut(); 16];
            let mut count = 0;
            let result = urPlatformGet(adapter, 16, platforms.as_mut_ptr(), &mut count);
            check("urPlatformGet", result);
            for platform in platforms.into_iter().take(count as usize) {
                list(platform);
            }
            check("urAdapterRelease", urAdapterRelease(adapter));
        }
        check("urLoaderTearDown", urLoaderTearDown());
    }
}

/// Prints the names of a platform's devices.
///
/// # Safety
/// The platform is live.
unsafe fn list(platform: ur_platform_handle_t) {
    let mut devices = [null_mut(); 16];
    let mut count = 0;
    // SAFETY: as in `main`.
    unsafe {
        let room = devices.as_mut_ptr();
        let result = urDeviceGetSelected(platform, UR_DEVICE_TYPE_ALL, 16, room, &mut count);
        check("urDeviceGetSelected", result);
        for device in devices.into_iter().take(count as usize) {
            let mut name = [0u8; 256];
            let room = name.as_mut_ptr().cast();
            let result = urDeviceGetInfo(device, UR_DEVICE_INFO_NAME, 256, room, null_mut());
            check("urDeviceGetInfo", result);
            let name = CStr::from_bytes_until_nul(&name).expect("a C string");
            println!("{}", name.to_string_lossy());
            check("urDeviceRelease", urDeviceRelease(device));
        }
    }
}
