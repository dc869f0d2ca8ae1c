//! The devices that take part.

use super::Args;
use crate::device::Device;
use crate::functions::Functions;
use crate::ours::{Found, Ours};
use crate::peer::Peer;
use crate::place;
use anyhow::{Context, Result, bail, ensure};
use std::path::{Path, PathBuf};
use ur_opencl::{Kind, Library};

/// The peers by name: whether each takes SPIR-V, and how its platform's name starts.
const PEERS: [(&str, bool, &str); 2] = [("intel", true, "Intel"), ("pocl", false, "Portable")];

/// The folder that leads the OpenCL library to the drivers wanted, and to no others.
pub(super) struct Vendors {
    folder: PathBuf,
    drivers: usize,
}

impl Drop for Vendors {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

impl Vendors {
    /// Those of the devices that take part.
    fn set(args: &Args, only: Option<&str>) -> Result<Self> {
        Self::of(&drivers(args, only)?)
    }

    /// Makes the folder, and has OpenCL find these drivers.
    ///
    /// # Errors
    /// The folder cannot be written.
    pub(super) fn of(drivers: &[PathBuf]) -> Result<Self> {
        let folder = format!("ur-bench-{}", std::process::id());
        let paths: Vec<&Path> = drivers.iter().map(PathBuf::as_path).collect();
        let folder = ur_opencl::vendors(&folder, &paths)?;
        // Not every OpenCL library puts the slash between the folder and its files.
        let named = folder.join("");
        // SAFETY: no other thread has been started yet that could read the environment.
        unsafe {
            std::env::set_var("OCL_ICD_VENDORS", named);
            std::env::remove_var("OCL_ICD_FILENAMES");
        }
        Ok(Self {
            folder,
            drivers: drivers.len(),
        })
    }
}

/// The drivers of the peers, or of the one wanted; with `--bare` the one below our device.
fn drivers(args: &Args, only: Option<&str>) -> Result<Vec<PathBuf>> {
    if let Some(driver) = &args.bare {
        return Ok(vec![driver.clone()]);
    }
    let mut drivers = Vec::new();
    if args.no_peers {
        return Ok(drivers);
    }
    let intel = || args.intel.clone().or_else(place::intel);
    let pocl = || args.pocl.clone().or_else(place::pocl);
    let all: [(&str, &dyn Fn() -> Option<PathBuf>); 2] = [("intel", &intel), ("pocl", &pocl)];
    for (name, file) in all {
        if only.is_some_and(|only| only != name) {
            continue;
        }
        match file() {
            Some(file) if file.exists() => drivers.push(file),
            Some(file) => bail!("{} is missing", file.display()),
            None => eprintln!("{name}: the driver is not found"),
        }
    }
    Ok(drivers)
}

/// Finds one device, and makes nothing on it.
///
/// # Errors
/// There is none of that name, or a call failed.
pub(super) fn find(args: &Args, name: &str) -> Result<()> {
    let _vendors = Vendors::set(args, Some(name))?;
    if name == "ours" {
        Found::first(functions(args, true)?).map_err(anyhow::Error::msg)?;
        return Ok(());
    }
    let kind = args.bare.as_ref().map_or(Kind::Cpu, |_| Kind::Any);
    let found = Library::open(&args.opencl).and_then(|library| library.find(kind));
    let found = found.map_err(anyhow::Error::msg)?;
    ensure!(!found.is_empty(), "no such device");
    Ok(())
}

/// Opens the devices, ours first, or only one.
///
/// # Errors
/// A library is missing, or a call failed.
pub(super) fn open(args: &Args, only: Option<&str>) -> Result<Vec<Box<dyn Device>>> {
    let vendors = Vendors::set(args, only)?;
    if let Some(driver) = &args.bare {
        let opened = bare(args, only);
        return opened.with_context(|| driver.display().to_string());
    }
    let mut devices: Vec<Box<dyn Device>> = Vec::new();
    if only.is_none_or(|only| only == "ours") {
        devices.push(Box::new(ours(args, only.is_some())?));
    }
    if vendors.drivers > 0 {
        match peers(&args.opencl) {
            Ok(peers) => devices.extend(peers),
            Err(reason) => eprintln!("no other drivers: {reason}"),
        }
    }
    Ok(devices)
}

/// Opens the first device of a driver through our adapter and through OpenCL itself.
fn bare(args: &Args, only: Option<&str>) -> Result<Vec<Box<dyn Device>>> {
    let library = Library::open(&args.opencl).map_err(anyhow::Error::msg)?;
    let ours = match only {
        Some("bare") => None,
        _ => Some(ours(args, only.is_some())?.on_opencl(library)),
    };
    let bare = match only {
        Some("ours") => None,
        _ => {
            let found = library.find(Kind::Any).map_err(anyhow::Error::msg)?;
            let found = found.into_iter().next().context("no device")?;
            Some(Peer::bare(found.open().map_err(anyhow::Error::msg)?))
        }
    };
    if let (Some(ours), Some(bare)) = (&ours, &bare) {
        let native = ours.native_device().map_err(anyhow::Error::msg)?;
        ensure!(native == bare.native_device(), "not the same device");
    }
    let ours = ours.map(|ours| Box::new(ours) as Box<dyn Device>);
    let bare = bare.map(|bare| Box::new(bare) as Box<dyn Device>);
    Ok(ours.into_iter().chain(bare).collect())
}

/// Opens our device. `cached` leaves compiled code where the environment says.
fn ours(args: &Args, cached: bool) -> Result<Ours> {
    Ours::open(functions(args, cached)?).map_err(anyhow::Error::msg)
}

/// The functions of our loader, in an environment that leads to our adapter alone.
fn functions(args: &Args, cached: bool) -> Result<Functions> {
    let file = args
        .bare
        .as_ref()
        .map_or(place::NATIVE_CPU, |_| place::OPENCL);
    let adapter = match &args.adapter {
        Some(file) => std::path::absolute(file)?,
        None => place::adapter(file, args.loader.as_deref())
            .context("our adapter is not found; name it with --adapter")?,
    };
    if !adapter.exists() {
        bail!("{} is missing", adapter.display());
    }
    // SAFETY: no other thread has been started yet that could read the environment.
    unsafe {
        std::env::set_var("UR_ADAPTERS_FORCE_LOAD", &adapter);
        std::env::set_var("ONEAPI_DEVICE_SELECTOR", "*:*");
        if !cached {
            // What was compiled before says nothing about the compiler of today.
            std::env::set_var("UR_JIT_CACHE", "off");
        }
    }
    match &args.loader {
        Some(file) => Functions::open(file).map_err(anyhow::Error::msg),
        None => Ok(Functions::linked()),
    }
}

/// The devices of the other drivers, Intel's first.
fn peers(library: &Path) -> Result<Vec<Box<dyn Device>>, String> {
    let mut peers: Vec<Box<dyn Device>> = Vec::new();
    let found = Library::open(library)?.devices()?;
    for (name, takes_il, platform) in PEERS {
        let device = found.iter().find(|(found, _)| found.starts_with(platform));
        if let Some((_, device)) = device {
            peers.push(Box::new(Peer::new(name, takes_il, device.clone())));
        }
    }
    Ok(peers)
}
