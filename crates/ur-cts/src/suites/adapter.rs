//! Adapters.

use crate::failure::Stop;
use crate::test::Suite;
use crate::world::{Cx, listed};
use crate::{Outcome, ensure, info, ok, refused, same, ur};
use std::ffi::{CStr, c_char, c_void};
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicU32, Ordering};
use ur_api::*;

/// The value of a query of the test's adapter that is one number.
fn number<T: info::Plain>(cx: &Cx, query: ur_adapter_info_t) -> Result<T, Stop> {
    info::value("urAdapterGetInfo", |size, value, out| {
        ur!(urAdapterGetInfo(cx.adapter(), query, size, value, out))
    })
}

fn count(cx: &Cx) -> Result<u32, Stop> {
    number(cx, UR_ADAPTER_INFO_REFERENCE_COUNT)
}

fn all() -> Result<Vec<ur_adapter_handle_t>, Stop> {
    listed("urAdapterGet", |n, out, count| {
        ur!(urAdapterGet(n, out, count))
    })
    .map_err(|error| Stop::fail(error))
}

fn release(adapters: &[ur_adapter_handle_t]) -> Outcome {
    for adapter in adapters {
        ok!(urAdapterRelease(*adapter))?;
    }
    Ok(())
}

extern "C" fn log(_: ur_logger_level_t, _: *const c_char, calls: *mut c_void) {
    // SAFETY: the test gives a static number.
    let calls = unsafe { &*calls.cast::<AtomicU32>() };
    calls.fetch_add(1, Ordering::Relaxed);
}

pub(crate) fn tests(suite: &mut Suite<'_>) {
    suite.global("get::as_many_as_were_counted", |cx| {
        let adapters = all()?;
        same!("adapters", adapters.len(), cx.world().adapters.len());
        ensure!(!adapters.iter().any(|a| a.is_null()), "a null handle");
        release(&adapters)
    });
    suite.global("get::the_same_each_time", |cx| {
        let adapters = all()?;
        let known: Vec<_> = cx.world().adapters.iter().map(|a| a.handle).collect();
        same!("adapters", adapters, known);
        release(&adapters)
    });
    suite.global("get::fewer_than_there_are", |cx| {
        let mut first = null_mut();
        let mut number = 0;
        ok!(urAdapterGet(1, &raw mut first, &raw mut number))?;
        same!("the number", number as usize, cx.world().adapters.len());
        same!("the first", first, cx.world().adapters[0].handle);
        release(&[first])
    });
    suite.global("get::room_for_more_than_there_are", |cx| {
        let known = cx.world().adapters.len();
        let mut adapters = vec![null_mut(); known + 2];
        ok!(urAdapterGet(
            known as u32 + 2,
            adapters.as_mut_ptr(),
            null_mut()
        ))?;
        ensure!(
            adapters[known..].iter().all(|a| a.is_null()),
            "one too many"
        );
        release(&adapters[..known])
    });
    suite.adapter("get::adds_an_owner", |cx| {
        let before = count(cx)?;
        let adapters = all()?;
        same!("the count", count(cx)?, before + 1);
        release(&adapters)?;
        same!("the count after", count(cx)?, before);
        Ok(())
    });
    for times in [1, 2, 100] {
        suite.adapter(format!("retain::{times}_times"), move |cx| {
            let before = count(cx)?;
            for more in 1..=times {
                ok!(urAdapterRetain(cx.adapter()))?;
                same!("the count", count(cx)?, before + more);
            }
            for less in (0..times).rev() {
                ok!(urAdapterRelease(cx.adapter()))?;
                same!("the count", count(cx)?, before + less);
            }
            Ok(())
        });
    }
    suite.adapter("get_info::backend_has_a_name", |cx| {
        let backend: ur_backend_t = number(cx, UR_ADAPTER_INFO_BACKEND)?;
        ensure!(backend.name().is_some(), "backend {backend}");
        ensure!(backend != UR_BACKEND_UNKNOWN, "the backend is unknown");
        Ok(())
    });
    suite.adapter("get_info::version_is_positive", |cx| {
        let version: u32 = number(cx, UR_ADAPTER_INFO_VERSION)?;
        ensure!(version > 0, "version {version}");
        Ok(())
    });
    suite.adapter("get_last_error::can_always_be_asked", |cx| {
        let (mut text, mut code) = (null(), 0);
        ok!(urAdapterGetLastError(
            cx.adapter(),
            &raw mut text,
            &raw mut code
        ))?;
        if !text.is_null() {
            // SAFETY: a text that the adapter gives has an end and stays until the next error.
            let text = unsafe { CStr::from_ptr(text) };
            ensure!(text.to_str().is_ok(), "{text:?} is no UTF-8");
        }
        Ok(())
    });
    suite.adapter("get_last_error::of_another_thread", |cx| {
        let adapter = cx.adapter().expose_provenance();
        let other = std::thread::spawn(move || {
            let adapter = std::ptr::with_exposed_provenance_mut(adapter);
            let (mut text, mut code) = (null(), 0);
            ok!(urAdapterGetLastError(adapter, &raw mut text, &raw mut code))
        });
        other.join().map_err(|_| Stop::fail("a panic"))??;
        Ok(())
    });
    let levels = [
        UR_LOGGER_LEVEL_DEBUG,
        UR_LOGGER_LEVEL_INFO,
        UR_LOGGER_LEVEL_WARN,
        UR_LOGGER_LEVEL_ERROR,
        UR_LOGGER_LEVEL_QUIET,
    ];
    for level in levels {
        let name = level.to_string().to_lowercase();
        let name = name.trim_start_matches("ur_logger_level_").to_owned();
        suite.adapter(format!("set_logger_callback::{name}"), move |cx| {
            static CALLS: AtomicU32 = AtomicU32::new(0);
            let calls = (&raw const CALLS).cast_mut().cast();
            ok!(urAdapterSetLoggerCallback(
                cx.adapter(),
                Some(log),
                calls,
                level
            ))?;
            // Whatever is logged from here on must not upset the function.
            let mut size = 0;
            let unknown = ur_adapter_info_t(0x7fff_ffff);
            ur!(urAdapterGetInfo(
                cx.adapter(),
                unknown,
                0,
                null_mut(),
                &raw mut size
            ));
            if level == UR_LOGGER_LEVEL_QUIET {
                let before = CALLS.load(Ordering::Relaxed);
                let context = crate::objects::Context::made("urContextCreate", |out| {
                    let device = cx
                        .world()
                        .adapters
                        .iter()
                        .find(|a| a.handle == cx.adapter());
                    let device = device.and_then(|a| a.platforms.first()?.devices.first());
                    match device {
                        Some(device) => ur!(urContextCreate(1, &raw const *device, null(), out)),
                        None => UR_RESULT_ERROR_DEVICE_NOT_FOUND,
                    }
                });
                if let Ok(context) = context {
                    drop(context);
                    same!("calls while quiet", CALLS.load(Ordering::Relaxed), before);
                }
            }
            Ok(())
        });
        suite.adapter(format!("set_logger_callback_level::{name}"), move |cx| {
            ok!(urAdapterSetLoggerCallbackLevel(cx.adapter(), level))?;
            Ok(())
        });
    }
    suite.validated().global("null_handles", |_| {
        let null_handle = UR_RESULT_ERROR_INVALID_NULL_HANDLE;
        refused!(null_handle, urAdapterRetain(null_mut()))?;
        refused!(null_handle, urAdapterRelease(null_mut()))?;
        Ok(())
    });
}
