//! `urDeviceGetSelected`: `urDeviceGet` seen through `ONEAPI_DEVICE_SELECTOR`.
//!
//! Devices are numbered among all root devices of the platform that is asked, whatever type the
//! caller wants. Sub-devices are those of a partition by affinity domain (next partitionable)
//! or, where a device has none, by compute slice.

use crate::environment::harmless;
use crate::guard::guard;
use crate::log::{Level, log};
use crate::selector::{self, Backend, DeviceType, Path, Selector};
use crate::{
    urDeviceGet, urDeviceGetInfo, urDevicePartition, urDeviceRelease, urDeviceRetain,
    urPlatformGetInfo,
};
use std::collections::HashMap;
use std::ptr::null_mut;
use ur_api::*;

/// Gets the devices that the selector lets through, each with one reference for the caller, in the
/// order in which its filters name them. Without a selector this is `urDeviceGet`. A selector that
/// cannot be read gives INVALID_VALUE and a line in the log that names the bad term.
///
/// # Safety
/// The platform is null or live; `phDevices` is null or has room for `NumEntries` handles;
/// `pNumDevices` is null or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn urDeviceGetSelected(
    hPlatform: ur_platform_handle_t,
    DeviceType: ur_device_type_t,
    NumEntries: u32,
    phDevices: *mut ur_device_handle_t,
    pNumDevices: *mut u32,
) -> ur_result_t {
    let Some(text) = harmless(selector::VARIABLE) else {
        // SAFETY: the same is asked of the caller.
        return unsafe { urDeviceGet(hPlatform, DeviceType, NumEntries, phDevices, pNumDevices) };
    };
    guard(|| {
        if hPlatform.is_null() {
            return Err(UR_RESULT_ERROR_INVALID_NULL_HANDLE);
        }
        match (NumEntries, phDevices.is_null()) {
            (0, false) => return Err(UR_RESULT_ERROR_INVALID_SIZE),
            (1.., true) => return Err(UR_RESULT_ERROR_INVALID_NULL_POINTER),
            _ => {}
        }
        let text = text.to_string_lossy();
        let selector: Selector = text.parse().map_err(|error| {
            log!(Level::Error, "{}: {error}", selector::VARIABLE);
            UR_RESULT_ERROR_INVALID_VALUE
        })?;
        let mut chosen = choose(hPlatform, DeviceType, &selector)?;
        if !pNumDevices.is_null() {
            // SAFETY: not null, so it may be written.
            unsafe { *pNumDevices = u32::try_from(chosen.0.len()).unwrap_or(u32::MAX) };
        }
        if !phDevices.is_null() {
            let given = chosen.0.len().min(NumEntries as usize);
            for (index, device) in chosen.0.drain(..given).enumerate() {
                // SAFETY: there is room for `NumEntries` handles.
                unsafe { *phDevices.add(index) = device };
            }
        }
        Ok(())
    })
}

/// Devices with one reference each, given back unless they are taken out.
struct Owned(Vec<ur_device_handle_t>);

impl Drop for Owned {
    fn drop(&mut self) {
        for &device in &self.0 {
            // SAFETY: each is live and comes with a reference of ours.
            unsafe { urDeviceRelease(device) };
        }
    }
}

fn choose(
    platform: ur_platform_handle_t,
    wanted: ur_device_type_t,
    selector: &Selector,
) -> Result<Owned, ur_result_t> {
    let roots = root_devices(platform, UR_DEVICE_TYPE_ALL)?;
    // Which of them are of the wanted type is left to the adapter, who alone knows its default.
    let of_type = root_devices(platform, wanted)?;
    let types = roots
        .0
        .iter()
        .map(|&device| device_type(device))
        .collect::<Result<Vec<_>, _>>()?;

    let mut parts: HashMap<Path, Owned> = HashMap::new();
    let paths = selector.select(backend(platform)?, &types, &mut |path| {
        let device = match find(&roots, &parts, path) {
            Some(device) => device,
            None => return 0,
        };
        let part = parts
            .entry(path.clone())
            .or_insert_with(|| sub_devices(device));
        u32::try_from(part.0.len()).unwrap_or(u32::MAX)
    });

    let mut chosen = Owned(Vec::new());
    for path in paths {
        let root = roots.0[path.numbers()[0] as usize];
        if !of_type.0.contains(&root) {
            continue;
        }
        let device = find(&roots, &parts, &path).ok_or(UR_RESULT_ERROR_INVALID_DEVICE)?;
        // SAFETY: the device is live: its collection holds it.
        match unsafe { urDeviceRetain(device) } {
            UR_RESULT_SUCCESS => chosen.0.push(device),
            error => return Err(error),
        }
    }
    Ok(chosen)
}

/// The device at a place, among the roots and the parts made so far.
fn find(roots: &Owned, parts: &HashMap<Path, Owned>, path: &Path) -> Option<ur_device_handle_t> {
    let number = *path.numbers().last()? as usize;
    match path.parent() {
        None => roots.0.get(number).copied(),
        Some(parent) => parts.get(&parent)?.0.get(number).copied(),
    }
}

fn root_devices(
    platform: ur_platform_handle_t,
    kind: ur_device_type_t,
) -> Result<Owned, ur_result_t> {
    // SAFETY: the platform is live; without room only the number is stored.
    two_calls(|room, devices, count| unsafe { urDeviceGet(platform, kind, room, devices, count) })
}

/// What a device can be split into; nothing when it cannot.
fn sub_devices(device: ur_device_handle_t) -> Owned {
    let next = ur_device_partition_value_t {
        affinity_domain: UR_DEVICE_AFFINITY_DOMAIN_FLAG_NEXT_PARTITIONABLE.0,
    };
    let none = ur_device_partition_value_t { count: 0 };
    let ways = [
        (UR_DEVICE_PARTITION_BY_AFFINITY_DOMAIN, next),
        (UR_DEVICE_PARTITION_BY_CSLICE, none),
    ];
    for (kind, value) in ways {
        let property = ur_device_partition_property_t {
            r#type: kind,
            value,
        };
        let properties = ur_device_partition_properties_t {
            pProperties: &raw const property,
            PropCount: 1,
            ..Default::default()
        };
        // SAFETY: the device is live and the properties outlast the call.
        let parts = two_calls(|room, devices, count| unsafe {
            urDevicePartition(device, &raw const properties, room, devices, count)
        });
        match parts {
            Ok(parts) if !parts.0.is_empty() => return parts,
            Ok(_) => {}
            Err(error) => log!(Level::Debug, "a device cannot be split by {kind}: {error}"),
        }
    }
    Owned(Vec::new())
}

/// Asks for the number, then for the handles.
fn two_calls(
    call: impl Fn(u32, *mut ur_device_handle_t, *mut u32) -> ur_result_t,
) -> Result<Owned, ur_result_t> {
    let check = |result| match result {
        UR_RESULT_SUCCESS => Ok(()),
        // A platform without a device of that type.
        UR_RESULT_ERROR_DEVICE_NOT_FOUND => Ok(()),
        error => Err(error),
    };
    let mut count = 0;
    check(call(0, null_mut(), &raw mut count))?;
    let mut devices = vec![null_mut(); count as usize];
    if count > 0 {
        check(call(count, devices.as_mut_ptr(), null_mut()))?;
    }
    devices.retain(|device| !device.is_null());
    Ok(Owned(devices))
}

fn device_type(device: ur_device_handle_t) -> Result<DeviceType, ur_result_t> {
    let mut kind = ur_device_type_t(0);
    // SAFETY: the device is live, and there is room for the answer.
    let result = unsafe {
        urDeviceGetInfo(
            device,
            UR_DEVICE_INFO_TYPE,
            size_of_val(&kind),
            (&raw mut kind).cast(),
            null_mut(),
        )
    };
    if result != UR_RESULT_SUCCESS {
        return Err(result);
    }
    Ok(match kind {
        UR_DEVICE_TYPE_CPU => DeviceType::Cpu,
        UR_DEVICE_TYPE_GPU => DeviceType::Gpu,
        UR_DEVICE_TYPE_FPGA => DeviceType::Fpga,
        UR_DEVICE_TYPE_MCA => DeviceType::Mca,
        UR_DEVICE_TYPE_VPU => DeviceType::Vpu,
        _ => DeviceType::Other,
    })
}

fn backend(platform: ur_platform_handle_t) -> Result<Option<Backend>, ur_result_t> {
    let mut backend = UR_BACKEND_UNKNOWN;
    // SAFETY: the platform is live, and there is room for the answer.
    let result = unsafe {
        urPlatformGetInfo(
            platform,
            UR_PLATFORM_INFO_BACKEND,
            size_of_val(&backend),
            (&raw mut backend).cast(),
            null_mut(),
        )
    };
    if result != UR_RESULT_SUCCESS {
        return Err(result);
    }
    Ok(match backend {
        UR_BACKEND_LEVEL_ZERO => Some(Backend::LevelZero),
        UR_BACKEND_OPENCL => Some(Backend::OpenCl),
        UR_BACKEND_CUDA => Some(Backend::Cuda),
        UR_BACKEND_HIP => Some(Backend::Hip),
        UR_BACKEND_NATIVE_CPU => Some(Backend::NativeCpu),
        UR_BACKEND_OFFLOAD => Some(Backend::Offload),
        _ => None,
    })
}
