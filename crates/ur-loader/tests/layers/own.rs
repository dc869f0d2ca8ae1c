//! The loader's own functions: they check their arguments whatever layers are on.

use crate::adapter::with_layers;
use std::ffi::c_void;
use std::ptr::{null, null_mut};
use ur_api::*;
use ur_loader::*;

unsafe extern "C" fn nowhere(_: *mut c_void) -> ur_code_location_t {
    ur_code_location_t {
        functionName: null(),
        sourceFile: null(),
        lineNumber: 0,
        columnNumber: 0,
    }
}

#[test]
fn the_loaders_own_functions_refuse_what_is_wrong_and_take_what_is_right() {
    let none = null_mut();
    let nothing = null_mut();
    let mut config: ur_loader_config_handle_t = null_mut();
    let (mut count, mut needed) = (0u32, 0usize);
    let place = (&raw mut count).cast();
    let (question, beyond) = (
        UR_LOADER_CONFIG_INFO_REFERENCE_COUNT,
        ur_loader_config_info_t(0x7fff_ffff),
    );
    let layer = c"UR_LAYER_TRACING".as_ptr();
    let (ok, handle, pointer) = (
        UR_RESULT_SUCCESS,
        UR_RESULT_ERROR_INVALID_NULL_HANDLE,
        UR_RESULT_ERROR_INVALID_NULL_POINTER,
    );
    let (size, number) = (
        UR_RESULT_ERROR_INVALID_SIZE,
        UR_RESULT_ERROR_INVALID_ENUMERATION,
    );
    let no_question = UR_RESULT_ERROR_UNSUPPORTED_ENUMERATION;
    // SAFETY: handles are live or null, and places have room or are null.
    let results = unsafe {
        [
            (urLoaderConfigCreate(null_mut()), pointer),
            (urLoaderConfigCreate(&raw mut config), ok),
            (urLoaderConfigRetain(none), handle),
            (urLoaderConfigRetain(config), ok),
            (urLoaderConfigRelease(none), handle),
            (urLoaderConfigRelease(config), ok),
            (
                urLoaderConfigGetInfo(none, question, 4, place, nothing),
                handle,
            ),
            (
                urLoaderConfigGetInfo(config, beyond, 4, place, nothing),
                no_question,
            ),
            (
                urLoaderConfigGetInfo(config, question, 0, place, nothing),
                size,
            ),
            (
                urLoaderConfigGetInfo(config, question, 4, null_mut(), &raw mut needed),
                pointer,
            ),
            (
                urLoaderConfigGetInfo(config, question, 0, null_mut(), nothing),
                pointer,
            ),
            (
                urLoaderConfigGetInfo(config, question, 0, null_mut(), &raw mut needed),
                ok,
            ),
            (
                urLoaderConfigGetInfo(config, question, 4, place, nothing),
                ok,
            ),
            (urLoaderConfigEnableLayer(none, layer), handle),
            (urLoaderConfigEnableLayer(config, null()), pointer),
            (urLoaderConfigEnableLayer(config, layer), ok),
            (
                urLoaderConfigSetCodeLocationCallback(none, Some(nowhere), null_mut()),
                handle,
            ),
            (
                urLoaderConfigSetCodeLocationCallback(config, None, null_mut()),
                pointer,
            ),
            (
                urLoaderConfigSetCodeLocationCallback(config, Some(nowhere), null_mut()),
                ok,
            ),
            (urLoaderConfigSetMockingEnabled(none, 1), handle),
            (urLoaderConfigSetMockingEnabled(config, 0), ok),
        ]
    };
    for (at, (result, expected)) in results.into_iter().enumerate() {
        assert_eq!(result, expected, "call {at}");
    }
    assert_eq!((count, needed), (1, 4));
    // SAFETY: the last reference.
    assert_eq!(unsafe { urLoaderConfigRelease(config) }, ok);

    with_layers("UR_LAYER_FULL_VALIDATION", || {
        let all = UR_DEVICE_TYPE_ALL;
        let mut device = null_mut();
        // SAFETY: there is no platform, no flag has this bit, and nothing was initialised twice.
        unsafe {
            assert_eq!(
                urDeviceGetSelected(null_mut(), all, 1, &raw mut device, null_mut()),
                handle
            );
            assert_eq!(urLoaderInit(UR_DEVICE_INIT_FLAGS_MASK, null_mut()), number);
            assert_eq!(urLoaderInit(0, null_mut()), ok);
            assert_eq!(urLoaderTearDown(), ok);
        }
    });
}
