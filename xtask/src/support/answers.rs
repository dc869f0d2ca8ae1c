//! What an adapter answers: which entry points decline, and what its device does not tell.

use super::probe;
use crate::{process, repo};
use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Answers of an adapter.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answers {
    /// The platform and the driver's version.
    pub driver: String,
    /// The entry points that are not supported, in the order of their tables.
    pub calls: Vec<String>,
    /// The properties that the device does not answer, without the beginning of their names.
    pub properties: Vec<String>,
}

/// The drivers that the OpenCL library is to find: one.
fn drivers(driver: &Path) -> Result<PathBuf> {
    let folder = repo::root().join("target/support");
    std::fs::create_dir_all(&folder)?;
    std::fs::write(folder.join("intel.icd"), format!("{}\n", driver.display()))?;
    // Not every OpenCL library puts the slash between the folder and its files.
    Ok(folder.join(""))
}

impl Answers {
    /// Asks the adapter of a name in the built tree, on an OpenCL driver if it is for such.
    pub fn of(adapter: &str, driver: Option<&Path>) -> Result<Self> {
        let library = repo::dist_lib().join(format!("libur_adapter_{adapter}.so.0"));
        let drivers = driver.map(drivers).transpose()?;
        let mut info = Command::new(repo::dist_bin("ur"));
        info.args(["info", "-v", "--json"])
            .env_remove("ONEAPI_DEVICE_SELECTOR")
            .env("UR_ADAPTERS_FORCE_LOAD", &library);
        if let Some(drivers) = &drivers {
            info.env_remove("OCL_ICD_FILENAMES")
                .env("OCL_ICD_VENDORS", drivers);
        }
        let report: Value = serde_json::from_str(&process::output(&mut info)?)?;
        let platform = &report["adapters"][0]["platforms"][0];
        let device = &platform["devices"][0];
        let properties = device["info"].as_object();
        let properties = properties.with_context(|| format!("{adapter} has no device"))?;
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let calls = probe::ask(&probe::Subject {
            library,
            drivers,
            module: repo::root().join("tests/spirv/vector_add.spv"),
        })?;
        Ok(Self {
            driver: format!(
                "{}, {}",
                text(&platform["name"]),
                text(&device["driver_version"])
            ),
            calls: calls
                .iter()
                .filter(|answer| !answer.supported)
                .map(|answer| answer.name.to_owned())
                .collect(),
            properties: properties
                .iter()
                .filter(|(_, value)| *value == "UR_RESULT_ERROR_UNSUPPORTED_ENUMERATION")
                .map(|(name, _)| name.trim_start_matches("UR_DEVICE_INFO_").to_owned())
                .collect(),
        })
    }

    /// Whether an entry point is supported.
    pub fn has(&self, name: &str) -> bool {
        !self.calls.iter().any(|lack| lack == name)
    }
}
