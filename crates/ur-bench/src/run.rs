//! `ur bench`.

use crate::case::Scale;
use crate::device::Device;
use crate::functions::Functions;
use crate::limits::Reference;
use crate::ours::Ours;
use crate::peer::Peer;
use crate::report::{Report, Row, Summary};
use crate::{limits, measure, place, suite, table};
use anyhow::{Context, Result, bail};
use clap::Parser;
use regex_lite::Regex;
use std::path::{Path, PathBuf};

/// What to measure.
#[derive(Parser)]
#[command(after_help = "\
All devices are measured in one process, sample by sample in turn. A ratio above 1 means that ours
is faster; the range behind it holds the middle half of the samples. The last line is the geometric
mean over the kernels.

Examples:
  ur bench --filter '^(triad|sin)$'          some kernels only
  ur bench --no-peers --filter matmul        ours alone
  ur bench --adapter DIR/libur_adapter_native_cpu.so --json new.json
  ur bench --compare old.json new.json       what changed

Exit codes: 0 success, 1 a call failed or a result of ours is wrong, 2 wrong command line.")]
pub struct Args {
    /// Only what has a name that this regular expression finds
    #[arg(long, value_name = "RE")]
    filter: Option<String>,
    /// Samples of each measurement
    #[arg(long, default_value_t = 15, value_parser = clap::value_parser!(u32).range(1..))]
    samples: u32,
    /// A look: five samples, kernels only
    #[arg(long)]
    quick: bool,
    /// Ours alone
    #[arg(long)]
    no_peers: bool,
    /// The loader's library; the loader that is part of this program by default
    #[arg(long, value_name = "FILE")]
    loader: Option<PathBuf>,
    /// Our adapter; by default the one beside the loader, or in the tree of this program
    #[arg(long, value_name = "FILE")]
    adapter: Option<PathBuf>,
    /// Intel's OpenCL CPU driver, libintelocl.so
    #[arg(long, value_name = "FILE")]
    intel: Option<PathBuf>,
    /// PoCL, libpocl.so.2
    #[arg(long, value_name = "FILE")]
    pocl: Option<PathBuf>,
    /// The OpenCL library that finds the drivers
    #[arg(long, value_name = "FILE", default_value = "libOpenCL.so.1")]
    opencl: PathBuf,
    /// Write everything to a file
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// List what can be measured
    #[arg(long)]
    list: bool,
}

/// Measures and shows.
///
/// # Errors
/// A library is missing, a call failed, or ours gave wrong results.
pub fn run(args: &Args) -> Result<()> {
    let filter = args
        .filter
        .as_deref()
        .map(Regex::new)
        .transpose()
        .context("--filter is no regular expression")?;
    let wanted = |name: &str| filter.as_ref().is_none_or(|filter| filter.is_match(name));
    if args.list {
        for case in suite::all() {
            println!("{}", case.name);
        }
        return Ok(());
    }
    let devices = open(args)?;
    let samples = if args.quick { 5 } else { args.samples as usize };
    let mut report = Report {
        samples,
        ..Report::default()
    };
    for device in &devices {
        let line = format!("{}: {}", device.name(), device.describe());
        eprintln!("{line}");
        report.devices.push(line);
    }
    report.limits = limits::measure(samples);
    for case in suite::all() {
        if wanted(case.name) {
            eprint!("{:<18}", case.name);
            let job = (case.job)(Scale::Full);
            let reference = suite::limit(&case);
            let reference = reference.map(|(kind, amount)| Reference::new(kind, amount));
            let row = measure::kernel(&case, &job, &devices, reference.as_ref(), samples);
            progress(&row);
            report.kernels.push(row);
        }
    }
    report.summary = Summary::of(&report.kernels);
    print!("{}", table::terminal(&report));
    if let Some(file) = &args.json {
        let text = serde_json::to_string_pretty(&report)?;
        std::fs::write(file, text + "\n").with_context(|| file.display().to_string())?;
    }
    if !report.summary.failed.is_empty() {
        bail!("not right on ours: {}", report.summary.failed.join(", "));
    }
    Ok(())
}

/// A line on standard error when a row is done.
fn progress(row: &Row) {
    let show = |value: Option<f64>| value.map_or("–".to_owned(), |value| format!("{value:.3}"));
    eprintln!(
        "ours {} {}, Intel × {}, PoCL × {}",
        show(row.ours),
        row.unit,
        show(row.ratio_intel),
        show(row.ratio_pocl)
    );
}

/// Opens the devices, ours first.
fn open(args: &Args) -> Result<Vec<Box<dyn Device>>> {
    let adapter = match &args.adapter {
        Some(file) => std::path::absolute(file)?,
        None => place::adapter(args.loader.as_deref())
            .context("our adapter is not found; name it with --adapter")?,
    };
    if !adapter.exists() {
        bail!("{} is missing", adapter.display());
    }
    let drivers = drivers(args);
    let folder = format!("ur-bench-{}", std::process::id());
    let paths: Vec<&Path> = drivers.iter().map(|driver| driver.as_path()).collect();
    let folder = ur_opencl::vendors(&folder, &paths)?;
    // SAFETY: no other thread has been started yet that could read the environment.
    unsafe {
        std::env::set_var("UR_ADAPTERS_FORCE_LOAD", &adapter);
        std::env::set_var("ONEAPI_DEVICE_SELECTOR", "*:*");
        std::env::set_var("UR_JIT_CACHE", "off");
        std::env::set_var("OCL_ICD_VENDORS", &folder);
        std::env::remove_var("OCL_ICD_FILENAMES");
    }
    let functions = match &args.loader {
        Some(file) => Functions::open(file).map_err(anyhow::Error::msg)?,
        None => Functions::linked(),
    };
    let ours = Ours::open(functions).map_err(anyhow::Error::msg)?;
    let mut devices: Vec<Box<dyn Device>> = vec![Box::new(ours)];
    if !drivers.is_empty() {
        match peers(&args.opencl) {
            Ok(peers) => devices.extend(peers),
            Err(reason) => eprintln!("no other drivers: {reason}"),
        }
    }
    let _ = std::fs::remove_dir_all(folder);
    Ok(devices)
}

/// Files of the other drivers.
fn drivers(args: &Args) -> Vec<PathBuf> {
    if args.no_peers {
        return Vec::new();
    }
    let mut drivers = Vec::new();
    let intel = args.intel.clone().or_else(place::intel);
    let pocl = args.pocl.clone().or_else(place::pocl);
    for (name, driver) in [("Intel's driver", intel), ("PoCL", pocl)] {
        match driver {
            Some(file) if file.exists() => drivers.push(file),
            Some(file) => eprintln!("{name}: {} is missing", file.display()),
            None => eprintln!("{name} is not found"),
        }
    }
    drivers
}

/// The devices of the other drivers, Intel's first.
fn peers(library: &Path) -> Result<Vec<Box<dyn Device>>, String> {
    let mut peers: Vec<Box<dyn Device>> = Vec::new();
    let found = ur_opencl::Library::open(library)?.devices()?;
    for (name, takes_il, platform) in [("intel", true, "Intel"), ("pocl", false, "Portable")] {
        let device = found.iter().find(|(found, _)| found.starts_with(platform));
        if let Some((_, device)) = device {
            peers.push(Box::new(Peer::new(name, takes_il, device.clone())));
        }
    }
    Ok(peers)
}
