//! Testing a program's use of the API against the mock adapter, with callbacks in Rust.
//!
//! ```text
//! cargo run -p ur-static --features alone,mock --example static_mock
//! ```

use std::ptr::{null, null_mut};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use ur_api::*;
use ur_static::ur_adapter_mock::callback::{When, on};
use ur_static::ur_loader::*;

fn check(call: &str, result: ur_result_t) {
    assert_eq!(result, UR_RESULT_SUCCESS, "{call}");
}

fn seven_units(params: &mut ur_device_get_info_params_t) -> ur_result_t {
    // SAFETY: the members point to the arguments, and this program gives room for the answer.
    unsafe {
        if *params.ppropName != UR_DEVICE_INFO_MAX_COMPUTE_UNITS {
            return UR_RESULT_ERROR_UNSUPPORTED_ENUMERATION;
        }
        *(*params.ppPropValue).cast::<u32>() = 7;
    }
    UR_RESULT_SUCCESS
}

fn main() {
    ur_static::mock();
    // SAFETY: the calls are made as the API asks: arrays have room for what is said, handles are
    // live, and each reference is given back once.
    unsafe {
        let mut config = null_mut();
        check("urLoaderConfigCreate", urLoaderConfigCreate(&mut config));
        let result = urLoaderConfigSetMockingEnabled(config, 1);
        check("urLoaderConfigSetMockingEnabled", result);
        check("urLoaderInit", urLoaderInit(0, config));
        check("urLoaderConfigRelease", urLoaderConfigRelease(config));

        let (mut adapter, mut platform, mut device) = (null_mut(), null_mut(), null_mut());
        let none = null_mut();
        check("urAdapterGet", urAdapterGet(1, &mut adapter, none));
        check(
            "urPlatformGet",
            urPlatformGet(adapter, 1, &mut platform, none),
        );
        let all = UR_DEVICE_TYPE_ALL;
        check(
            "urDeviceGet",
            urDeviceGet(platform, all, 1, &mut device, none),
        );

        // The third context that the program makes fails.
        let made = Arc::new(AtomicU32::new(0));
        let count = made.clone();
        let before = on(
            When::Before,
            move |_: &mut ur_context_create_params_t| match count.fetch_add(1, Ordering::Relaxed) {
                2 => UR_RESULT_ERROR_OUT_OF_RESOURCES,
                _ => UR_RESULT_SUCCESS,
            },
        );
        for number in 1..=4 {
            let mut context = null_mut();
            let result = urContextCreate(1, &device, null(), &mut context);
            println!("context {number}: {result}");
            if result == UR_RESULT_SUCCESS {
                check("urContextRelease", urContextRelease(context));
            }
        }
        drop(before);
        assert_eq!(made.load(Ordering::Relaxed), 4);

        // The device says it has 7 compute units.
        let answer = on(When::Replace, seven_units);
        let mut units = 0u32;
        let info = UR_DEVICE_INFO_MAX_COMPUTE_UNITS;
        let value = (&raw mut units).cast();
        check(
            "urDeviceGetInfo",
            urDeviceGetInfo(device, info, 4, value, null_mut()),
        );
        println!("compute units: {units}");
        drop(answer);

        check("urDeviceRelease", urDeviceRelease(device));
        check("urAdapterRelease", urAdapterRelease(adapter));
        check("urLoaderTearDown", urLoaderTearDown());
    }
}
