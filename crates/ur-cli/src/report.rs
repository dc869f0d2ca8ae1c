//! What `ur info` found, in the shape of its JSON output. Fields are only ever added to it.

use crate::api::{self, Adapter, Device};
use crate::infos;
use serde::Serialize;
use serde_json::{Map, Value};
use ur_api::*;
use ur_loader::discovery::{self, Outcome};

/// Everything.
#[derive(Debug, Serialize)]
pub struct Report {
    /// Version of this shape.
    pub format: u32,
    /// Adapter libraries in the order in which they were tried.
    pub libraries: Vec<Library>,
    /// Adapters that are loaded.
    pub adapters: Vec<AdapterReport>,
    /// Calls that failed while looking around.
    pub errors: Vec<String>,
}

/// One adapter library that the loader tried.
#[derive(Debug, Serialize)]
pub struct Library {
    /// The adapter's name.
    pub adapter: String,
    /// The file.
    pub path: String,
    /// Why it was tried there.
    pub origin: String,
    /// `loaded`, `already loaded`, `not found`, `left out` or `failed`.
    pub outcome: &'static str,
    /// Why it failed.
    pub reason: Option<String>,
}

/// An adapter that is loaded.
#[derive(Debug, Serialize)]
pub struct AdapterReport {
    /// Its backend, `UR_BACKEND_…`.
    pub backend: Value,
    /// Its own version number.
    pub version: Value,
    /// Its platforms.
    pub platforms: Vec<PlatformReport>,
}

/// A platform.
#[derive(Debug, Serialize)]
pub struct PlatformReport {
    /// Its name.
    pub name: Value,
    /// Its vendor.
    pub vendor: Value,
    /// Its version.
    pub version: Value,
    /// Its backend, `UR_BACKEND_…`.
    pub backend: Value,
    /// Its devices that the selector leaves.
    pub devices: Vec<DeviceReport>,
}

/// A device.
#[derive(Debug, Serialize)]
pub struct DeviceReport {
    /// Its name.
    pub name: Value,
    /// Its type, `UR_DEVICE_TYPE_…`.
    pub r#type: Value,
    /// Its vendor.
    pub vendor: Value,
    /// Version of its driver.
    pub driver_version: Value,
    /// Number of compute units.
    pub compute_units: Value,
    /// Bytes of global memory.
    pub global_memory: Value,
    /// Bytes of work-group local memory.
    pub local_memory: Value,
    /// Largest work-group, in work-items.
    pub max_work_group_size: Value,
    /// Sub-group sizes.
    pub sub_group_sizes: Value,
    /// All info values by name (with `-v`): a value, or the result code when there is none.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub info: Map<String, Value>,
}

/// Version of the JSON's shape.
const FORMAT: u32 = 1;

/// Looks around; `verbose` adds all info values of each device.
pub fn collect(verbose: bool) -> Report {
    let mut errors = Vec::new();
    let started = api::Loader::start();
    let mut adapters = Vec::new();
    match &started {
        Ok(_) => match api::adapters() {
            Ok(found) => {
                adapters = found
                    .iter()
                    .map(|a| adapter_report(a, verbose, &mut errors))
                    .collect();
            }
            Err(failure) => errors.push(failure.to_string()),
        },
        Err(failure) => errors.push(failure.to_string()),
    }
    Report {
        format: FORMAT,
        // Last: an adapter may fail as late as at its first call.
        libraries: discovery::report().into_iter().map(library).collect(),
        adapters,
        errors,
    }
}

fn library(tried: discovery::Tried) -> Library {
    let (outcome, reason) = match tried.outcome {
        Outcome::Loaded => ("loaded", None),
        Outcome::AlreadyLoaded => ("already loaded", None),
        Outcome::NotFound => ("not found", None),
        Outcome::LeftOut => ("left out", None),
        Outcome::Failed(reason) => ("failed", Some(reason)),
    };
    Library {
        adapter: tried.adapter,
        path: tried.path.display().to_string(),
        origin: tried.origin.to_string(),
        outcome,
        reason,
    }
}

fn adapter_report(adapter: &Adapter, verbose: bool, errors: &mut Vec<String>) -> AdapterReport {
    let value = |query| {
        known(api::adapter_info(adapter, query), |bytes| {
            infos::of_adapter(query, bytes)
        })
    };
    let platforms = api::platforms(adapter).unwrap_or_else(|failure| {
        errors.push(api::explain(adapter, failure).to_string());
        Vec::new()
    });
    AdapterReport {
        backend: value(UR_ADAPTER_INFO_BACKEND),
        version: value(UR_ADAPTER_INFO_VERSION),
        platforms: platforms
            .into_iter()
            .map(|platform| platform_report(adapter, platform, verbose, errors))
            .collect(),
    }
}

fn platform_report(
    adapter: &Adapter,
    platform: ur_platform_handle_t,
    verbose: bool,
    errors: &mut Vec<String>,
) -> PlatformReport {
    let value = |query| {
        known(api::platform_info(platform, query), |bytes| {
            infos::of_platform(query, bytes)
        })
    };
    let devices = api::devices(platform, true).unwrap_or_else(|failure| {
        errors.push(api::explain(adapter, failure).to_string());
        Vec::new()
    });
    PlatformReport {
        name: value(UR_PLATFORM_INFO_NAME),
        vendor: value(UR_PLATFORM_INFO_VENDOR_NAME),
        version: value(UR_PLATFORM_INFO_VERSION),
        backend: value(UR_PLATFORM_INFO_BACKEND),
        devices: devices
            .iter()
            .map(|device| device_report(device, verbose))
            .collect(),
    }
}

fn device_report(device: &Device, verbose: bool) -> DeviceReport {
    let value = |query| {
        known(api::device_info(device.get(), query), |bytes| {
            infos::of_device(query, bytes)
        })
    };
    let mut info = Map::new();
    if verbose {
        for (query, name) in infos::device_queries() {
            let shown = match api::device_info(device.get(), query) {
                Ok(bytes) => infos::of_device(query, &bytes),
                Err(failure) => Value::from(failure.code.to_string()),
            };
            info.insert(name.to_owned(), shown);
        }
    }
    DeviceReport {
        name: value(UR_DEVICE_INFO_NAME),
        r#type: value(UR_DEVICE_INFO_TYPE),
        vendor: value(UR_DEVICE_INFO_VENDOR),
        driver_version: value(UR_DEVICE_INFO_DRIVER_VERSION),
        compute_units: value(UR_DEVICE_INFO_MAX_COMPUTE_UNITS),
        global_memory: value(UR_DEVICE_INFO_GLOBAL_MEM_SIZE),
        local_memory: value(UR_DEVICE_INFO_LOCAL_MEM_SIZE),
        max_work_group_size: value(UR_DEVICE_INFO_MAX_WORK_GROUP_SIZE),
        sub_group_sizes: value(UR_DEVICE_INFO_SUB_GROUP_SIZES_INTEL),
        info,
    }
}

/// A value, or null when the query failed.
fn known(answer: api::Result<Vec<u8>>, shown: impl Fn(&[u8]) -> Value) -> Value {
    answer.map_or(Value::Null, |bytes| shown(&bytes))
}
