//! Loader configurations: what a program can ask for before `urLoaderInit`.

use crate::guard::{answer, guard};
use crate::layers;
use std::ffi::{CStr, c_char, c_void};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering, fence};
use std::sync::{Mutex, PoisonError};
use ur_api::{
    UR_LOADER_CONFIG_INFO_AVAILABLE_LAYERS, UR_LOADER_CONFIG_INFO_REFERENCE_COUNT,
    UR_RESULT_ERROR_INVALID_NULL_HANDLE, UR_RESULT_ERROR_INVALID_NULL_POINTER,
    UR_RESULT_ERROR_LAYER_NOT_PRESENT, UR_RESULT_ERROR_UNSUPPORTED_ENUMERATION, ur_bool_t,
    ur_code_location_callback_t, ur_loader_config_handle_t, ur_loader_config_info_t, ur_result_t,
};
use ur_layers::Active;

/// The object behind a `ur_loader_config_handle_t`. It belongs to the loader and has no table.
struct Config {
    count: AtomicU32,
    mocking: AtomicBool,
    /// The layers asked for.
    layers: AtomicU32,
    /// What tells where a call comes from, with its argument.
    location: Mutex<(ur_code_location_callback_t, usize)>,
}

/// What a configuration asks for.
#[derive(Clone, Copy, Debug, Default)]
pub struct Wishes {
    /// The mock adapter in place of all others.
    pub mocking: bool,
    /// Layers.
    pub layers: Active,
    /// What tells where a call comes from, with its argument.
    pub location: (ur_code_location_callback_t, usize),
}

/// # Safety
/// The handle is null or that of a live configuration.
unsafe fn config<'a>(handle: ur_loader_config_handle_t) -> Result<&'a Config, ur_result_t> {
    // SAFETY: a live handle came from `urLoaderConfigCreate`, which made it from a box.
    unsafe { handle.cast::<Config>().as_ref() }.ok_or(UR_RESULT_ERROR_INVALID_NULL_HANDLE)
}

/// What a configuration asks for; a null one for nothing.
///
/// # Safety
/// The handle is null or that of a live configuration.
pub unsafe fn wishes(handle: ur_loader_config_handle_t) -> Wishes {
    // SAFETY: the same is asked of the caller.
    let Ok(config) = (unsafe { config(handle) }) else {
        return Wishes::default();
    };
    let location = config.location.lock();
    Wishes {
        mocking: config.mocking.load(Ordering::Relaxed),
        layers: Active::from_bits(config.layers.load(Ordering::Relaxed)),
        location: *location.unwrap_or_else(PoisonError::into_inner),
    }
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
            layers: AtomicU32::new(0),
            location: Mutex::new((None, 0)),
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
        let layers = format!("{}\0", Active::available());
        let value = match propName {
            UR_LOADER_CONFIG_INFO_AVAILABLE_LAYERS => layers.as_bytes(),
            UR_LOADER_CONFIG_INFO_REFERENCE_COUNT => &count,
            _ => return Err(UR_RESULT_ERROR_UNSUPPORTED_ENUMERATION),
        };
        // SAFETY: the same is asked of the caller.
        unsafe { answer(value, propSize, pPropValue.cast(), pPropSizeRet) }
    })
}

/// Asks for a layer, or for several whose names are separated by `,` or `;`. The answer is
/// LAYER_NOT_PRESENT if one of them is none, and for those that this loader does not have; none is
/// asked for then.
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
        let config = unsafe { config(hLoaderConfig) }?;
        if pLayerName.is_null() {
            return Err(UR_RESULT_ERROR_INVALID_NULL_POINTER);
        }
        // SAFETY: not null, so it is a C string.
        let names = unsafe { CStr::from_ptr(pLayerName) }.to_string_lossy();
        let mut asked = Active::default();
        for name in names.split([',', ';']).filter(|name| !name.is_empty()) {
            let layers = layers::named(name).ok_or(UR_RESULT_ERROR_LAYER_NOT_PRESENT)?;
            asked = asked.with(layers);
        }
        config.layers.fetch_or(asked.bits(), Ordering::Relaxed);
        Ok(())
    })
}

/// Gives a function that says where in the program a call comes from. Tracing and leak checking
/// ask it, in the thread that makes the call.
///
/// # Safety
/// The handle is null or that of a live configuration. The function may be called with the
/// argument as long as the loader is initialised with the configuration.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn urLoaderConfigSetCodeLocationCallback(
    hLoaderConfig: ur_loader_config_handle_t,
    pfnCodeloc: ur_code_location_callback_t,
    pUserData: *mut c_void,
) -> ur_result_t {
    guard(|| {
        // SAFETY: the same is asked of the caller.
        let config = unsafe { config(hLoaderConfig) }?;
        if pfnCodeloc.is_none() {
            return Err(UR_RESULT_ERROR_INVALID_NULL_POINTER);
        }
        let mut location = config
            .location
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        *location = (pfnCodeloc, pUserData.expose_provenance());
        Ok(())
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
