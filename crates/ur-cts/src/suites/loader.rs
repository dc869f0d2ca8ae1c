//! The loader's own functions.

use crate::failure::Stop;
use crate::test::Suite;
use crate::{Outcome, ok, refused, same, ur};
use std::ffi::c_void;
use std::ptr::{null, null_mut};
use ur_api::*;

/// A configuration that is released at the end of the test.
fn with_config(test: impl FnOnce(ur_loader_config_handle_t) -> Outcome) -> Outcome {
    let mut config = null_mut();
    ok!(urLoaderConfigCreate(&raw mut config))?;
    let outcome = test(config);
    ok!(urLoaderConfigRelease(config))?;
    outcome
}

extern "C" fn nowhere(_: *mut c_void) -> ur_code_location_t {
    ur_code_location_t::default()
}

/// The loader runs already: a further start and its end change nothing.
fn started_again(flags: u32) -> Outcome {
    let count = || -> Result<u32, Stop> {
        let mut number = 0;
        ok!(urAdapterGet(0, null_mut(), &raw mut number))?;
        Ok(number)
    };
    let before = count()?;
    ok!(urLoaderInit(flags, null_mut()))?;
    same!("adapters after a further start", count()?, before);
    ok!(urLoaderTearDown())?;
    same!("adapters after its end", count()?, before);
    Ok(())
}

pub(crate) fn tests(suite: &mut Suite<'_>) {
    suite.global("config::reference_count", |_| {
        let mut config = null_mut();
        ok!(urLoaderConfigCreate(&raw mut config))?;
        let count = || {
            crate::info::value::<u32>("urLoaderConfigGetInfo", |size, value, out| {
                let query = UR_LOADER_CONFIG_INFO_REFERENCE_COUNT;
                ur!(urLoaderConfigGetInfo(config, query, size, value, out))
            })
        };
        same!("the count", count()?, 1);
        ok!(urLoaderConfigRetain(config))?;
        same!("the count after a retain", count()?, 2);
        ok!(urLoaderConfigRelease(config))?;
        same!("the count after a release", count()?, 1);
        ok!(urLoaderConfigRelease(config))?;
        Ok(())
    });
    suite.global("config::available_layers", |_| {
        let mut config = null_mut();
        ok!(urLoaderConfigCreate(&raw mut config))?;
        let layers = crate::info::text("urLoaderConfigGetInfo", |size, value, out| {
            let query = UR_LOADER_CONFIG_INFO_AVAILABLE_LAYERS;
            ur!(urLoaderConfigGetInfo(config, query, size, value, out))
        })?;
        for layer in layers.split(';').filter(|l| !l.is_empty()) {
            let name = std::ffi::CString::new(layer).expect("no zero inside");
            ok!(urLoaderConfigEnableLayer(config, name.as_ptr()))?;
        }
        refused!(
            UR_RESULT_ERROR_LAYER_NOT_PRESENT,
            urLoaderConfigEnableLayer(config, c"UR_LAYER_THAT_THERE_IS_NOT".as_ptr())
        )?;
        ok!(urLoaderConfigRelease(config))?;
        Ok(())
    });
    suite.global("config::null_handles_and_pointers", |_| {
        let null_handle = UR_RESULT_ERROR_INVALID_NULL_HANDLE;
        let null_pointer = UR_RESULT_ERROR_INVALID_NULL_POINTER;
        refused!(null_pointer, urLoaderConfigCreate(null_mut()))?;
        refused!(null_handle, urLoaderConfigRetain(null_mut()))?;
        refused!(null_handle, urLoaderConfigRelease(null_mut()))?;
        let mut config = null_mut();
        ok!(urLoaderConfigCreate(&raw mut config))?;
        refused!(null_pointer, urLoaderConfigEnableLayer(config, null()))?;
        ok!(urLoaderConfigRelease(config))?;
        Ok(())
    });
    suite.global("config::queries", |_| {
        with_config(|config| {
            let mut number = 0u64;
            let at = (&raw mut number).cast();
            let query = UR_LOADER_CONFIG_INFO_REFERENCE_COUNT;
            refused!(
                UR_RESULT_ERROR_INVALID_NULL_HANDLE,
                urLoaderConfigGetInfo(null_mut(), query, 8, at, null_mut())
            )?;
            refused!(
                UR_RESULT_ERROR_INVALID_NULL_POINTER,
                urLoaderConfigGetInfo(config, query, 8, null_mut(), null_mut())
            )?;
            refused!(
                UR_RESULT_ERROR_INVALID_SIZE,
                urLoaderConfigGetInfo(config, query, 1, at, null_mut())
            )?;
            let unknown = ur_loader_config_info_t(0x7fff_ffff);
            refused!(
                [
                    UR_RESULT_ERROR_INVALID_ENUMERATION,
                    UR_RESULT_ERROR_UNSUPPORTED_ENUMERATION,
                ],
                urLoaderConfigGetInfo(config, unknown, 8, at, null_mut())
            )?;
            same!("what was written", number, 0);
            Ok(())
        })
    });
    suite.global("config::null_handles_of_settings", |_| {
        let null_handle = UR_RESULT_ERROR_INVALID_NULL_HANDLE;
        let layer = c"UR_LAYER_PARAMETER_VALIDATION";
        refused!(
            null_handle,
            urLoaderConfigEnableLayer(null_mut(), layer.as_ptr())
        )?;
        refused!(null_handle, urLoaderConfigSetMockingEnabled(null_mut(), 1))?;
        refused!(
            null_handle,
            urLoaderConfigSetCodeLocationCallback(null_mut(), Some(nowhere), null_mut())
        )?;
        with_config(|config| {
            refused!(
                UR_RESULT_ERROR_INVALID_NULL_POINTER,
                urLoaderConfigSetCodeLocationCallback(config, None, null_mut())
            )?;
            Ok(())
        })
    });
    suite.global("config::code_location", |_| {
        with_config(|config| {
            ok!(urLoaderConfigSetCodeLocationCallback(
                config,
                Some(nowhere),
                null_mut()
            ))?;
            Ok(())
        })
    });
    for enable in [0, 1] {
        suite.global(format!("config::mocking_{enable}"), move |_| {
            with_config(|config| {
                ok!(urLoaderConfigSetMockingEnabled(config, enable))?;
                Ok(())
            })
        });
    }
    suite.global("config::code_location_with_data", |_| {
        with_config(|config| {
            let mut data = 7u32;
            ok!(urLoaderConfigSetCodeLocationCallback(
                config,
                Some(nowhere),
                (&raw mut data).cast()
            ))?;
            Ok(())
        })
    });
    suite.global("init::again", |_| started_again(0));
    suite.global("init::again_with_a_configuration", |_| {
        with_config(|config| {
            ok!(urLoaderInit(0, config))?;
            let mut number = 0;
            ok!(urAdapterGet(0, null_mut(), &raw mut number))?;
            ok!(urLoaderTearDown())?;
            Ok(())
        })
    });
    for flag in [
        UR_DEVICE_INIT_FLAG_GPU,
        UR_DEVICE_INIT_FLAG_CPU,
        UR_DEVICE_INIT_FLAG_FPGA,
        UR_DEVICE_INIT_FLAG_MCA,
        UR_DEVICE_INIT_FLAG_VPU,
    ] {
        let name = flag.to_string().to_lowercase();
        let name = name.trim_start_matches("ur_device_init_flag_").to_owned();
        suite.global(format!("init::again_for_{name}"), move |_| {
            started_again(flag.0)
        });
    }
}
