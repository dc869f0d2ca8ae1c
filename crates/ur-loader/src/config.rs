//! Loader configurations: what a program can ask for before `urLoaderInit`.

use crate::guard::{answer, guard};
use crate::log::{Level, log};
use std::ffi::{CStr, c_char, c_void};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering, fence};
use ur_api::{
    UR_LOADER_CONFIG_INFO_AVAILABLE_LAYERS, UR_LOADER_CONFIG_INFO_REFERENCE_COUNT,
    UR_RESULT_ERROR_INVALID_NULL_HANDLE, UR_RESULT_ERROR_INVALID_NULL_POINTER,
    UR_RESULT_ERROR_LAYER_NOT_PRESENT, UR_RESULT_ERROR_UNSUPPORTED_ENUMERATION, ur_bool_t,
    ur_code_location_callback_t, ur_loader_config_handle_t, ur_loader_config_info_t, ur_result_t,
};

/// The layers this loader has: none. A NUL ends the list, whose names would be joined by `;`.
const AVAILABLE_LAYERS: &[u8] = b"\0";

/// The object behind a `ur_loader_config_handle_t`. It belongs to the loader and has no table.
struct Config {
    count: AtomicU32,
    mocking: AtomicBool,
}

/// # Safety
/// The handle is null or that of a live configuration.
unsafe fn config<'a>(handle: ur_loader_config_handle_t) -> Result<&'a Config, ur_result_t> {
    // SAFETY: a live handle came from `urLoaderConfigCreate`, which made it from a box.
    unsafe { handle.cast::<Config>().as_ref() }.ok_or(UR_RESULT_ERROR_INVALID_NULL_HANDLE)
}

/// Whether a configuration asks for the mock adapter; a null one does not.
///
/// # Safety
/// The handle is null or that of a live configuration.
pub unsafe fn wants_mocking(handle: ur_loader_config_handle_t) -> bool {
    // SAFETY: the same is asked of the caller.
    unsafe { config(handle) }.is_ok_and(|config| config.mocking.load(Ordering::Relaxed))
}

/// Makes a configuration with one reference.
///
/// # Safety
/// `phLoaderConfig` is null or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn urLoaderConfigCreate(
    phLoaderConfig: *mut ur_loader_config_handle_t,
) -> ur_result_t {
    guard(|| {
        if phLoaderConfig.is_null() {
            return Err(UR_RESULT_ERROR_INVALID_NULL_POINTER);
        }
        let config = Box::new(Config {
            count: AtomicU32::new(1),
            mocking: AtomicBool::new(false),
        });
        // SAFETY: it is not null, so it may be written.
        unsafe { *phLoaderConfig = Box::into_raw(config).cast() };
        Ok(())
    })
}

/// Adds a reference.
///
/// # Safety
/// The handle is null or that of a live configuration.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn urLoaderConfigRetain(
    hLoaderConfig: ur_loader_config_handle_t,
) -> ur_result_t {
    guard(|| {
        // SAFETY: the same is asked of the caller.
        let config = unsafe { config(hLoaderConfig) }?;
        config.count.fetch_add(1, Ordering::Relaxed);
        Ok(())
    })
}

/// Takes a reference back; the last one ends the configuration.
///
/// # Safety
/// The handle is null or that of a live configuration, and the caller owns a reference.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn urLoaderConfigRelease(
    hLoaderConfig: ur_loader_config_handle_t,
) -> ur_result_t {
    guard(|| {
        // SAFETY: the same is asked of the caller.
        let config = unsafe { config(hLoaderConfig) }?;
        if config.count.fetch_sub(1, Ordering::Release) == 1 {
            // What other threads did before their releases happens before the end.
            fence(Ordering::Acquire);
            // SAFETY: it was made from a box, and that was the last reference.
            drop(unsafe { Box::from_raw(hLoaderConfig.cast::<Config>()) });
        }
        Ok(())
    })
}

/// Answers a query: the available layers (a C string), or the number of references.
///
/// # Safety
/// The handle is null or that of a live configuration; `pPropValue` is null or has room for
/// `propSize` bytes; `pPropSizeRet` is null or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn urLoaderConfigGetInfo(
    hLoaderConfig: ur_loader_config_handle_t,
    propName: ur_loader_config_info_t,
    propSize: usize,
    pPropValue: *mut c_void,
    pPropSizeRet: *mut usize,
) -> ur_result_t {
    guard(|| {
        // SAFETY: the same is asked of the caller.
        let config = unsafe { config(hLoaderConfig) }?;
        let count = config.count.load(Ordering::Relaxed).to_ne_bytes();
        let value = match propName {
            UR_LOADER_CONFIG_INFO_AVAILABLE_LAYERS => AVAILABLE_LAYERS,
            UR_LOADER_CONFIG_INFO_REFERENCE_COUNT => &count,
            _ => return Err(UR_RESULT_ERROR_UNSUPPORTED_ENUMERATION),
        };
        // SAFETY: the same is asked of the caller.
        unsafe { answer(value, propSize, pPropValue.cast(), pPropSizeRet) }
    })
}

/// Asks for a layer. There is none, so the answer is LAYER_NOT_PRESENT for every name.
///
/// # Safety
/// The handle is null or that of a live configuration; the name is null or a C string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn urLoaderConfigEnableLayer(
    hLoaderConfig: ur_loader_config_handle_t,
    pLayerName: *const c_char,
) -> ur_result_t {
    guard(|| {
        // SAFETY: the same is asked of the caller.
        unsafe { config(hLoaderConfig) }?;
        if pLayerName.is_null() {
            return Err(UR_RESULT_ERROR_INVALID_NULL_POINTER);
        }
        // SAFETY: not null, so it is a C string.
        let name = unsafe { CStr::from_ptr(pLayerName) };
        log!(
            Level::Warning,
            "layer {} is not present",
            name.to_string_lossy()
        );
        Err(UR_RESULT_ERROR_LAYER_NOT_PRESENT)
    })
}

/// Gives a callback that says where in the program a call comes from. Only a tracing layer asks
/// it, and this loader has none, so it is checked and not kept.
///
/// # Safety
/// The handle is null or that of a live configuration.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn urLoaderConfigSetCodeLocationCallback(
    hLoaderConfig: ur_loader_config_handle_t,
    pfnCodeloc: ur_code_location_callback_t,
    pUserData: *mut c_void,
) -> ur_result_t {
    let _ = pUserData;
    guard(|| {
        // SAFETY: the same is asked of the caller.
        unsafe { config(hLoaderConfig) }?;
        pfnCodeloc
            .map(|_| ())
            .ok_or(UR_RESULT_ERROR_INVALID_NULL_POINTER)
    })
}

/// Asks for the mock adapter, in place of all others, or takes that back.
///
/// # Safety
/// The handle is null or that of a live configuration.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn urLoaderConfigSetMockingEnabled(
    hLoaderConfig: ur_loader_config_handle_t,
    enable: ur_bool_t,
) -> ur_result_t {
    guard(|| {
        // SAFETY: the same is asked of the caller.
        let config = unsafe { config(hLoaderConfig) }?;
        config.mocking.store(enable != 0, Ordering::Relaxed);
        Ok(())
    })
}
