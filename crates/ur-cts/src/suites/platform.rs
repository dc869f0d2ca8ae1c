//! Platforms.

use crate::failure::Stop;
use crate::test::Suite;
use crate::world::{Cx, listed};
use crate::{Outcome, ensure, info, ok, refused, same, ur};
use std::ffi::{CStr, CString};
use std::ptr::{null, null_mut};
use ur_api::*;

fn text(cx: &Cx, query: ur_platform_info_t) -> Result<String, Stop> {
    info::text("urPlatformGetInfo", |size, value, out| {
        ur!(urPlatformGetInfo(cx.platform(), query, size, value, out))
    })
}

fn all(cx: &Cx) -> Result<Vec<ur_platform_handle_t>, Stop> {
    listed("urPlatformGet", |n, out, count| {
        ur!(urPlatformGet(cx.adapter(), n, out, count))
    })
    .map_err(|error| Stop::fail(error))
}

/// Options that a front end may give, as the API lists them.
const OPTIONS: [&str; 7] = [
    "-O0",
    "-O1",
    "-O2",
    "-O3",
    "-ftarget-compile-fast",
    "-foffload-fp32-prec-div",
    "-foffload-fp32-prec-sqrt",
];

fn option(cx: &Cx, option: &str) -> Outcome {
    let option = CString::new(option).expect("no zero inside");
    let mut backend = null();
    let code = ur!(urPlatformGetBackendOption(
        cx.platform(),
        option.as_ptr(),
        &raw mut backend
    ));
    let either = [UR_RESULT_SUCCESS, UR_RESULT_ERROR_INVALID_VALUE];
    crate::failure::check("urPlatformGetBackendOption", either, code)?;
    if code == UR_RESULT_SUCCESS {
        ensure!(!backend.is_null(), "success without an option");
        // SAFETY: the adapter gives a text with an end that lives as long as the platform.
        let backend = unsafe { CStr::from_ptr(backend) };
        ensure!(backend.to_str().is_ok(), "{backend:?} is no UTF-8");
    }
    Ok(())
}

pub(crate) fn tests(suite: &mut Suite<'_>) {
    suite.adapter("get::as_many_as_were_counted", |cx| {
        let found = all(cx)?;
        ensure!(!found.iter().any(|p| p.is_null()), "a null handle");
        let mut sorted = found.clone();
        sorted.sort_unstable();
        sorted.dedup();
        same!("different ones", sorted.len(), found.len());
        Ok(())
    });
    suite.adapter("get::the_same_each_time", |cx| {
        same!("platforms", all(cx)?, all(cx)?);
        Ok(())
    });
    suite.adapter("get::room_for_more_than_there_are", |cx| {
        let known = all(cx)?;
        let mut found = vec![null_mut(); known.len() + 3];
        let mut number = 0;
        ok!(urPlatformGet(
            cx.adapter(),
            found.len() as u32,
            found.as_mut_ptr(),
            &raw mut number
        ))?;
        same!("the number", number as usize, known.len());
        same!("those there are", &found[..known.len()], &known[..]);
        ensure!(
            found[known.len()..].iter().all(|p| p.is_null()),
            "one too many"
        );
        Ok(())
    });
    suite.platform("get::first_alone", |cx| {
        let mut first = null_mut();
        ok!(urPlatformGet(cx.adapter(), 1, &raw mut first, null_mut()))?;
        same!("the first", first, all(cx)?[0]);
        Ok(())
    });
    suite.platform("get_info::adapter_is_its_own", |cx| {
        let adapter: ur_adapter_handle_t = info::value("urPlatformGetInfo", |size, value, out| {
            let query = UR_PLATFORM_INFO_ADAPTER;
            ur!(urPlatformGetInfo(cx.platform(), query, size, value, out))
        })?;
        same!("the adapter", adapter, cx.adapter());
        Ok(())
    });
    suite.platform("get_info::backend_is_named", |cx| {
        let backend: ur_backend_t = info::value("urPlatformGetInfo", |size, value, out| {
            let query = UR_PLATFORM_INFO_BACKEND;
            ur!(urPlatformGetInfo(cx.platform(), query, size, value, out))
        })?;
        ensure!(backend.name().is_some(), "backend {backend}");
        ensure!(backend != UR_BACKEND_UNKNOWN, "the backend is unknown");
        Ok(())
    });
    let texts = [
        ("name", UR_PLATFORM_INFO_NAME),
        ("vendor_name", UR_PLATFORM_INFO_VENDOR_NAME),
        ("version", UR_PLATFORM_INFO_VERSION),
        ("profile", UR_PLATFORM_INFO_PROFILE),
    ];
    for (name, query) in texts {
        suite.platform(format!("get_info::{name}_says_something"), move |cx| {
            let value = text(cx, query)?;
            ensure!(!value.trim().is_empty(), "{query} is empty");
            same!("the second answer", text(cx, query)?, value);
            Ok(())
        });
    }
    suite.platform("get_info::extensions_are_words", |cx| {
        let extensions = text(cx, UR_PLATFORM_INFO_EXTENSIONS)?;
        let words = |c: char| c.is_ascii_graphic() || c == ' ';
        ensure!(extensions.chars().all(words), "{extensions:?}");
        Ok(())
    });
    suite.platform("get_api_version::is_known", |cx| {
        let mut version = ur_api_version_t(0);
        ok!(urPlatformGetApiVersion(cx.platform(), &raw mut version))?;
        let (major, minor) = (version.0 >> 16, version.0 & 0xffff);
        ensure!(major == 0 && minor >= 6, "version {version}");
        Ok(())
    });
    for name in OPTIONS {
        suite.platform(format!("get_backend_option::{name}"), move |cx| {
            option(cx, name)
        });
    }
    suite.platform("get_backend_option::empty", |cx| option(cx, ""));
    suite.platform("get_backend_option::unknown", |cx| {
        let mut backend = null();
        refused!(
            UR_RESULT_ERROR_INVALID_VALUE,
            urPlatformGetBackendOption(
                cx.platform(),
                c"-that-there-is-not".as_ptr(),
                &raw mut backend
            )
        )?;
        Ok(())
    });
    suite.platform("native_handle::there_and_back", |cx| {
        let mut native = 0;
        ok!(urPlatformGetNativeHandle(cx.platform(), &raw mut native))?;
        let mut back = null_mut();
        ok!(urPlatformCreateWithNativeHandle(
            native,
            cx.adapter(),
            null(),
            &raw mut back
        ))?;
        same!("the platform", back, cx.platform());
        Ok(())
    });
    suite.adapter("native_handle::wrong", |cx| {
        let mut back = null_mut();
        let code = ur!(urPlatformCreateWithNativeHandle(
            0,
            cx.adapter(),
            null(),
            &raw mut back
        ));
        ensure!(
            code != UR_RESULT_SUCCESS,
            "no native handle was taken for one"
        );
        Ok(())
    });
}
