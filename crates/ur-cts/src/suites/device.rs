//! Devices and their parts.

mod info;
mod partition;

use crate::failure::{Stop, check};
use crate::test::Suite;
use crate::world::{Cx, listed};
use crate::{Outcome, ensure, ok, refused, same, ur};
use std::ffi::CStr;
use std::ptr::null_mut;
use ur_api::*;

const TYPES: [ur_device_type_t; 8] = [
    UR_DEVICE_TYPE_DEFAULT,
    UR_DEVICE_TYPE_ALL,
    UR_DEVICE_TYPE_GPU,
    UR_DEVICE_TYPE_CPU,
    UR_DEVICE_TYPE_FPGA,
    UR_DEVICE_TYPE_MCA,
    UR_DEVICE_TYPE_VPU,
    UR_DEVICE_TYPE_CUSTOM,
];

fn short(name: impl ToString) -> String {
    let name = name.to_string().to_lowercase();
    name.trim_start_matches("ur_device_type_").to_owned()
}

fn release(devices: &[ur_device_handle_t]) -> Outcome {
    for device in devices {
        ok!(urDeviceRelease(*device))?;
    }
    Ok(())
}

/// Devices of a kind, by either function.
fn of_type(
    cx: &Cx,
    kind: ur_device_type_t,
    selected: bool,
) -> Result<Vec<ur_device_handle_t>, Stop> {
    listed("urDeviceGet", |n, out, count| {
        if selected {
            ur!(urDeviceGetSelected(cx.platform(), kind, n, out, count))
        } else {
            ur!(urDeviceGet(cx.platform(), kind, n, out, count))
        }
    })
    .map_err(|error| Stop::fail(error))
}

fn get_of_type(cx: &Cx, kind: ur_device_type_t, selected: bool) -> Outcome {
    let found = of_type(cx, kind, selected)?;
    for device in &found {
        ensure!(cx.devices().contains(device), "an unknown device");
        let own: Option<ur_device_type_t> = crate::info::of_device(*device, UR_DEVICE_INFO_TYPE)?;
        let any = [UR_DEVICE_TYPE_ALL, UR_DEVICE_TYPE_DEFAULT].contains(&kind);
        ensure!(any || own == Some(kind), "{own:?} among {kind}");
    }
    if kind == UR_DEVICE_TYPE_ALL && !selected {
        same!("all devices", &found[..], cx.devices());
    }
    if kind == UR_DEVICE_TYPE_DEFAULT && !selected {
        same!("any default", found.is_empty(), cx.devices().is_empty());
    }
    release(&found)
}

fn select(cx: &Cx, targets: &[&CStr]) -> Result<Result<u32, ur_result_t>, Stop> {
    let binaries: Vec<ur_device_binary_t> = targets
        .iter()
        .map(|target| ur_device_binary_t {
            pDeviceTargetSpec: target.as_ptr(),
            ..Default::default()
        })
        .collect();
    let mut selected = u32::MAX;
    let code = ur!(urDeviceSelectBinary(
        cx.device(),
        binaries.as_ptr(),
        binaries.len() as u32,
        &raw mut selected
    ));
    if code != UR_RESULT_SUCCESS {
        return Ok(Err(code));
    }
    ensure!(
        (selected as usize) < targets.len(),
        "number {selected} of {}",
        targets.len()
    );
    Ok(Ok(selected))
}

pub(crate) fn tests(suite: &mut Suite<'_>) {
    for kind in TYPES {
        suite.platform(format!("get::{}", short(kind)), move |cx| {
            get_of_type(cx, kind, false)
        });
        suite.platform(format!("get_selected::{}", short(kind)), move |cx| {
            get_of_type(cx, kind, true)
        });
    }
    suite.platform("get::room_for_more_than_there_are", |cx| {
        let known = cx.devices().len();
        if known == 0 {
            return Err(Stop::Unsupported("the platform has no device".into()));
        }
        let mut found = vec![null_mut(); known + 2];
        let mut number = 0;
        ok!(urDeviceGet(
            cx.platform(),
            UR_DEVICE_TYPE_ALL,
            found.len() as u32,
            found.as_mut_ptr(),
            &raw mut number
        ))?;
        same!("the number", number as usize, known);
        ensure!(found[known..].iter().all(|d| d.is_null()), "one too many");
        release(&found[..known])
    });
    suite.device("get::first_alone", |cx| {
        let mut first = null_mut();
        let mut number = 0;
        ok!(urDeviceGet(
            cx.platform(),
            UR_DEVICE_TYPE_ALL,
            1,
            &raw mut first,
            &raw mut number
        ))?;
        same!("the number", number as usize, cx.devices().len());
        same!("the first", first, cx.devices()[0]);
        release(&[first])
    });
    for times in [1, 2, 100] {
        suite.device(format!("retain::{times}_times"), move |cx| {
            let count = || cx.device_info::<u32>(UR_DEVICE_INFO_REFERENCE_COUNT);
            let before = count()?.unwrap_or(0);
            ensure!(before > 0, "nobody owns the device");
            for _ in 0..times {
                ok!(urDeviceRetain(cx.device()))?;
            }
            // Root devices need not be counted.
            let now = count()?.unwrap_or(0);
            ensure!(
                now == before || now == before + times,
                "{before}, then {now}"
            );
            for _ in 0..times {
                ok!(urDeviceRelease(cx.device()))?;
            }
            same!("the count after", count()?.unwrap_or(0), before);
            Ok(())
        });
    }
    suite.device("native_handle::there_and_back", |cx| {
        let mut native = 0;
        ok!(urDeviceGetNativeHandle(cx.device(), &raw mut native))?;
        let properties = ur_device_native_properties_t::default();
        let mut back = null_mut();
        ok!(urDeviceCreateWithNativeHandle(
            native,
            cx.adapter(),
            &raw const properties,
            &raw mut back
        ))?;
        same!("the device", back, cx.device());
        release(&[back])
    });
    suite.device("native_handle::the_same_each_time", |cx| {
        let (mut one, mut two) = (0, 0);
        ok!(urDeviceGetNativeHandle(cx.device(), &raw mut one))?;
        ok!(urDeviceGetNativeHandle(cx.device(), &raw mut two))?;
        same!("the native handle", two, one);
        Ok(())
    });
    for (name, device, host) in [
        ("both", true, true),
        ("device_alone", true, false),
        ("host_alone", false, true),
        ("neither", false, false),
    ] {
        suite.device(format!("get_global_timestamps::{name}"), move |cx| {
            let (mut times, mut last) = ([0u64; 2], [0u64; 2]);
            for _ in 0..10 {
                let place = |wanted, at: &mut u64| if wanted { &raw mut *at } else { null_mut() };
                let [on_device, on_host] = &mut times;
                ok!(urDeviceGetGlobalTimestamps(
                    cx.device(),
                    place(device, on_device),
                    place(host, on_host)
                ))?;
                ensure!(
                    times[0] >= last[0] && times[1] >= last[1],
                    "time runs backwards"
                );
                ensure!(!device || times[0] > 0, "no time on the device");
                ensure!(!host || times[1] > 0, "no time on the host");
                last = times;
            }
            Ok(())
        });
    }
    suite.device("select_binary::spirv64_where_it_is_taken", |cx| {
        let il = crate::info::text("urDeviceGetInfo", |size, value, out| {
            let query = UR_DEVICE_INFO_IL_VERSION;
            ur!(urDeviceGetInfo(cx.device(), query, size, value, out))
        });
        if !il.is_ok_and(|versions| versions.contains("SPIR-V")) {
            return Err(Stop::Unsupported("the device takes no SPIR-V".into()));
        }
        let targets = [
            UR_DEVICE_BINARY_TARGET_NVPTX64,
            UR_DEVICE_BINARY_TARGET_SPIRV64,
            UR_DEVICE_BINARY_TARGET_AMDGCN,
        ];
        same!("the choice", select(cx, &targets)?, Ok(1));
        same!("the choice of one", select(cx, &targets[1..2])?, Ok(0));
        Ok(())
    });
    suite.device("select_binary::none_fits", |cx| {
        let targets = [c"no-such-target", UR_DEVICE_BINARY_TARGET_UNKNOWN];
        let chosen = select(cx, &targets[..1])?;
        same!("the choice", chosen, Err(UR_RESULT_ERROR_INVALID_BINARY));
        Ok(())
    });
    suite.validated().global("null_handles", |_| {
        let null_handle = UR_RESULT_ERROR_INVALID_NULL_HANDLE;
        refused!(null_handle, urDeviceRetain(null_mut()))?;
        refused!(null_handle, urDeviceRelease(null_mut()))?;
        let mut count = 0;
        let code = ur!(urDeviceGet(
            null_mut(),
            UR_DEVICE_TYPE_ALL,
            0,
            null_mut(),
            &raw mut count
        ));
        check("urDeviceGet", null_handle, code)?;
        Ok(())
    });
    info::tests(&mut suite.part("get_info"));
    partition::tests(&mut suite.part("partition"));
}
