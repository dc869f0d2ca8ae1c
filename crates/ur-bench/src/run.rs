//! `ur bench`.

mod open;

use crate::case::Scale;
use crate::limits::Reference;
use crate::report::{PEERS, Report, Row, Summary};
use crate::{
    adapters, calls, compare, first, functions, latency, limits, measure, modules, place, suite,
    svg, table,
};
use anyhow::{Context, Result, bail};
use clap::Parser;
use open::{Vendors, find, open};
use regex_lite::Regex;
use std::ffi::OsString;
use std::io::IsTerminal;
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
  ur bench --bare libnvidia-opencl.so.1      our OpenCL adapter beside the driver that it stands on
  ur bench --calls --released FILE           what a loader and its layers add to a call
  ur bench --adapters OURS THEIRS            what calls cost in two adapters of Intel's driver

Exit codes: 0 success, 1 a call failed, a result of ours is wrong or, with --adapters, ours takes more
CPU time, 2 wrong command line.")]
pub struct Args {
    /// Only what has a name that this regular expression finds
    #[arg(long, value_name = "RE", value_parser = Regex::new)]
    filter: Option<Regex>,
    /// Samples of each measurement
    #[arg(long, default_value_t = 15, value_parser = clap::value_parser!(u32).range(1..))]
    samples: u32,
    /// A look: five samples, no latencies
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
    /// An OpenCL driver: measure our OpenCL adapter on its first device beside the driver itself
    #[arg(long, value_name = "FILE", conflicts_with_all = ["intel", "pocl", "no_peers"])]
    bare: Option<PathBuf>,
    /// The OpenCL library that finds the drivers
    #[arg(long, value_name = "FILE", default_value = "libOpenCL.so.1")]
    opencl: PathBuf,
    /// Also build SPIR-V modules of this folder
    #[arg(long, value_name = "DIR")]
    modules: Option<PathBuf>,
    /// How many of them, spread evenly
    #[arg(long, value_name = "N", default_value_t = 200)]
    module_count: usize,
    /// Also show these rows, which benches/dpnp_functions.py measured
    #[arg(long, value_name = "FILE")]
    dpnp: Option<PathBuf>,
    /// Write everything to a file
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Draw the kernels
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Write the tables for a README to a file
    #[arg(long, value_name = "FILE")]
    markdown: Option<PathBuf>,
    /// Measure nothing; show what changed from one file of --json to another
    #[arg(long, num_args = 2, value_names = ["OLD", "NEW"])]
    compare: Option<Vec<PathBuf>>,
    /// List what can be measured
    #[arg(long)]
    list: bool,
    /// Measure only what calls cost on their way through our loader
    #[arg(long)]
    calls: bool,
    /// With --calls: a released loader, to be measured as well
    #[arg(long, value_name = "FILE", requires = "calls")]
    released: Option<PathBuf>,
    /// With --calls: a third adapter to be loaded; a copy of the mock by default
    #[arg(long, value_name = "FILE", requires = "calls")]
    third: Option<PathBuf>,
    /// Measure only what calls cost in one adapter and in another one, both on the driver of --intel
    #[arg(long, num_args = 2, value_names = ["OURS", "THEIRS"], conflicts_with = "calls")]
    adapters: Option<Vec<PathBuf>>,
    /// With --adapters: turns of each operation
    #[arg(long, value_name = "N", default_value_t = 300, requires = "adapters")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..))]
    rounds: u32,
    /// Be a process that measures the calls of a loader
    #[arg(long, hide = true)]
    calls_child: Option<PathBuf>,
    /// Be a process that knows a device
    #[arg(long, hide = true)]
    first_device: Option<String>,
    /// Be a process that has a first result
    #[arg(long, hide = true)]
    first_result: Option<String>,
}

/// Measures and shows.
///
/// # Errors
/// A library is missing, a call failed, or ours gave wrong results.
pub fn run(args: &Args) -> Result<()> {
    if let Some([old, new]) = args.compare.as_deref() {
        print!("{}", compare::table(&read(old)?, &read(new)?));
        return Ok(());
    }
    if let Some(loader) = &args.calls_child {
        let adapter = args.adapter.as_ref().context("no adapter")?;
        return calls::child(loader, adapter);
    }
    if args.calls {
        return calls(args);
    }
    if let Some([ours, theirs]) = args.adapters.as_deref() {
        return adapters(args, [ours, theirs]);
    }
    if args.list {
        let kernels = suite::all().into_iter().map(|case| case.name);
        for name in kernels.chain(latency::names()).chain(first::names()) {
            println!("{name}");
        }
        return Ok(());
    }
    if let Some(name) = &args.first_device {
        find(args, name)?;
        first::done();
        return Ok(());
    }
    if let Some(name) = &args.first_result {
        let devices = open(args, Some(name))?;
        let device = devices.iter().find(|device| device.name() == name);
        let device = device.context("no such device")?;
        return first::child(&**device).map_err(anyhow::Error::msg);
    }
    let report = measure_all(args, wanted(args))?;
    print!("{}", table::terminal(&report));
    if let Some(file) = &args.json {
        write(file, serde_json::to_string_pretty(&report)? + "\n")?;
    }
    if let Some(file) = &args.svg {
        write(file, svg::picture(&report))?;
    }
    if let Some(file) = &args.markdown {
        write(file, table::markdown(&report))?;
    }
    if !report.summary.failed.is_empty() {
        bail!("not right on ours: {}", report.summary.failed.join(", "));
    }
    Ok(())
}

/// Whether something of a name is to be measured.
fn wanted(args: &Args) -> impl Fn(&str) -> bool {
    let filter = args.filter.as_ref();
    move |name| filter.is_none_or(|filter| filter.is_match(name))
}

/// Measures what calls cost, and shows it.
fn calls(args: &Args) -> Result<()> {
    let folder = std::env::temp_dir().join(format!("ur-bench-calls-{}", std::process::id()));
    let libraries = calls::Libraries::find(
        args.loader.as_deref(),
        args.released.as_deref(),
        args.adapter.as_deref(),
        args.third.as_deref(),
        &folder,
    );
    let (rounds, series) = if args.quick { (10, 2) } else { (100, 5) };
    let report = libraries.and_then(|libraries| calls::measure(&libraries, rounds, series));
    let _ = std::fs::remove_dir_all(folder);
    let report = report?;
    print!("{}", report.terminal());
    if let Some(file) = &args.json {
        write(file, serde_json::to_string_pretty(&report)? + "\n")?;
    }
    Ok(())
}

/// Measures what calls cost in two adapters, and shows it.
fn adapters(args: &Args, adapters: [&Path; 2]) -> Result<()> {
    let intel = args.intel.clone().or_else(place::intel);
    let intel = intel.context("Intel's driver is not found; name it with --intel")?;
    let _vendors = Vendors::of(&[intel])?;
    // Both find it under this name then.
    functions::open(&args.opencl).map_err(anyhow::Error::msg)?;
    let rounds = if args.quick { 30 } else { args.rounds as usize };
    let report = adapters::measure(args.loader.as_deref(), adapters, rounds, wanted(args))?;
    print!("{}", report.terminal());
    if let Some(file) = &args.json {
        write(file, serde_json::to_string_pretty(&report)? + "\n")?;
    }
    match report.within() {
        (within, all) if within < all => bail!("ours takes longer in {} of {all}", all - within),
        _ => Ok(()),
    }
}

fn read<T: serde::de::DeserializeOwned>(file: &Path) -> Result<T> {
    let text = std::fs::read_to_string(file).with_context(|| file.display().to_string())?;
    serde_json::from_str(&text).with_context(|| file.display().to_string())
}

fn write(file: &Path, text: String) -> Result<()> {
    std::fs::write(file, text).with_context(|| file.display().to_string())
}

/// Measures what is wanted.
fn measure_all(args: &Args, wanted: impl Fn(&str) -> bool) -> Result<Report> {
    let devices = open(args, None)?;
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
    // The processor's limits say nothing about another device.
    let limited = args.bare.is_none();
    if limited {
        report.limits = limits::measure(samples);
    }
    let cases: Vec<_> = suite::all()
        .into_iter()
        .filter(|case| wanted(case.name))
        .collect();
    for (number, case) in cases.iter().enumerate() {
        eprint!("{:>2} of {} ", number + 1, cases.len());
        let job = (case.job)(Scale::Full);
        let reference = suite::limit(case).filter(|_| limited);
        let reference = reference.map(|(kind, amount)| Reference::new(kind, amount));
        let row = measure::kernel(case, &job, &devices, reference.as_ref(), samples);
        progress(&row);
        report.kernels.push(row);
    }
    if !args.quick {
        report.latency = latency::measure(&devices, samples, &wanted, progress);
        let names: Vec<&'static str> = devices.iter().map(|device| device.name()).collect();
        let options = options(args);
        let first = first::measure(&names, &options, samples, &wanted, progress)?;
        report.latency.extend(first);
    }
    if args.bare.is_some() && wanted("program") {
        let row = modules::one(&devices, samples);
        progress(&row);
        report.build.push(row);
    }
    if let Some(folder) = &args.modules {
        let terminal = std::io::stderr().is_terminal();
        let rows = modules::measure(&devices, folder, args.module_count, |done, all| {
            if terminal {
                eprint!("\r{done} of {all} modules");
            }
            if done == all {
                eprintln!();
            }
        })?;
        rows.iter().for_each(progress);
        report.build.extend(rows);
    }
    if let Some(file) = &args.dpnp {
        report.dpnp = read(file)?;
    }
    report.summary = Summary::of(&report.kernels, &report.dpnp);
    Ok(report)
}

/// The options that find the libraries, for another process.
fn options(args: &Args) -> Vec<OsString> {
    let files = [
        ("--loader", args.loader.as_ref()),
        ("--adapter", args.adapter.as_ref()),
        ("--intel", args.intel.as_ref()),
        ("--pocl", args.pocl.as_ref()),
        ("--bare", args.bare.as_ref()),
        ("--opencl", Some(&args.opencl)),
    ];
    files
        .into_iter()
        .filter_map(|(option, file)| Some([option.into(), file?.into()]))
        .flatten()
        .collect()
}

/// A line on standard error when a row is done.
fn progress(row: &Row) {
    let show = |value: Option<f64>| value.map_or("–".to_owned(), |value| format!("{value:.3}"));
    let ratios: String = PEERS
        .iter()
        .filter(|peer| peer.is_in(row))
        .map(|peer| format!(", {} × {}", peer.name, show((peer.ratio)(row))))
        .collect();
    eprintln!(
        "{:<40} ours {:>8} {}{ratios}",
        row.name,
        show(row.ours),
        row.unit
    );
}
