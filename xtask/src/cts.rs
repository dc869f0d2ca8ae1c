//! `./x cts`: the conformance suite on the built tree, and on released libraries.

mod sycl;

use crate::diff::{self, POCL};
use crate::tally::Tally;
use crate::venv::{INTEL_OPENCL, Runtime, Venv};
use crate::{build, process, repo, setup};
use anyhow::{Context, Result, bail};
use clap::{Parser, Subcommand};
use serde::Deserialize;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What to run the suite on.
#[derive(Parser)]
pub struct Args {
    #[command(subcommand)]
    part: Option<Part>,
}

#[derive(Subcommand)]
enum Part {
    /// Our loader and native CPU adapter (also without a subcommand)
    NativeCpu,
    /// The loader and the OpenCL adapter of the runtime 2026.1 on Intel's CPU driver; failures that
    /// are known are listed in crates/ur-cts/known
    Released,
    /// Our loader and OpenCL adapter on Intel's CPU driver, then on PoCL where that is installed
    Opencl,
    /// Our loader and Level Zero adapter on the driver for tests, which runs kernels by the native CPU
    LevelZero,
    /// Our loader with native CPU, OpenCL on these drivers and the mock in one process, tests of all
    /// devices in random order: what fails must fail with its adapter alone
    Interleaved {
        /// Seeds, 1 and up
        #[arg(long, default_value_t = 20)]
        seeds: u64,
    },
    /// The native CPU adapter with each of its deliberate faults, which the suite must find
    Faults,
}

/// Runs it; the last line is the figure.
pub fn run(args: &Args) -> Result<bool> {
    if !setup::ensure()? {
        return Ok(false);
    }
    build::tree()?;
    match args.part.as_ref().unwrap_or(&Part::NativeCpu) {
        Part::NativeCpu => {
            let tally = native_cpu()?;
            println!("{tally}");
            Ok(tally.good())
        }
        Part::Released => released(),
        Part::Opencl => ours_on_opencl(),
        Part::LevelZero => level_zero(),
        Part::Interleaved { seeds } => interleaved(*seeds),
        Part::Faults => faults(),
    }
}

/// Where results of runs go.
fn folder() -> Result<PathBuf> {
    let folder = repo::root().join("target/cts");
    std::fs::create_dir_all(&folder)?;
    Ok(folder)
}

/// The suite of the built tree.
fn suite() -> Result<Command> {
    let mut suite = Command::new(repo::dist_bin("ur"));
    suite.arg("cts");
    if let Some(modules) = sycl::modules()? {
        suite.arg("--sycl").arg(modules);
    }
    Ok(suite)
}

/// A library of the built tree.
fn library(name: &str) -> PathBuf {
    repo::dist_lib().join(name)
}

/// What came of a test, as the suite writes it.
#[derive(Deserialize)]
struct Outcome {
    name: String,
    verdict: String,
}

fn outcomes(file: &Path) -> Result<Vec<Outcome>> {
    let text = std::fs::read_to_string(file).with_context(|| file.display().to_string())?;
    serde_json::from_str(&text).with_context(|| file.display().to_string())
}

/// The suite on our native CPU adapter, on a built tree. A test that the adapter honestly does not
/// support counts as skipped.
pub fn native_cpu() -> Result<Tally> {
    let json = folder()?.join("native_cpu.json");
    let status = process::status(
        suite()?
            .args(["--adapter", "native_cpu", "--jobs", "2", "--json"])
            .arg(&json),
    )?;
    let mut tally = Tally::default();
    for outcome in outcomes(&json)? {
        match outcome.verdict.as_str() {
            "passed" => tally.passed += 1,
            "unsupported" => tally.skipped += 1,
            _ => tally.failed += 1,
        }
    }
    if !status.success() && tally.failed == 0 {
        bail!("the suite ended with {status}");
    }
    Ok(tally)
}

/// The environment of the OpenCL adapter of the runtime 2026.1, and its file.
fn opencl(command: &mut Command) -> Result<(Venv, PathBuf)> {
    let venv = Venv::ensure(Runtime::V2026_1)?;
    let (python, libraries) = venv.command_on(&[INTEL_OPENCL.into()])?;
    for (name, value) in python.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    command.env("LD_LIBRARY_PATH", venv.lib());
    let adapter = libraries.last().context("no adapter")?.clone();
    Ok((venv, adapter))
}

fn released() -> Result<bool> {
    let mut suite = suite()?;
    let (venv, adapter) = opencl(&mut suite)?;
    suite
        .arg("--loader")
        .arg(venv.lib().join(build::LOADER))
        .arg("--adapter")
        .arg(adapter)
        .args(AT_ONCE)
        .args(["--device", "opencl:0", "--known"])
        .arg(repo::root().join("crates/ur-cts/known/opencl-2026.1.toml"));
    Ok(process::status(&mut suite)?.success())
}

/// Has a command find these OpenCL drivers and no others, by a folder of that name.
fn with_drivers(command: &mut Command, name: &str, drivers: &[PathBuf]) -> Result<()> {
    let listed = folder()?.join("drivers").join(name);
    std::fs::create_dir_all(&listed)?;
    for (number, driver) in drivers.iter().enumerate() {
        let file = listed.join(format!("{number}.icd"));
        std::fs::write(file, format!("{}\n", driver.display()))?;
    }
    command.env("OCL_ICD_VENDORS", listed);
    Ok(())
}

fn ours_on_opencl() -> Result<bool> {
    let on = |pocl: bool| -> Result<bool> {
        let mut suite = suite()?;
        opencl(&mut suite)?;
        suite
            .arg("--loader")
            .arg(library(build::LOADER))
            .arg("--adapter")
            .arg(library(OPENCL))
            .args(AT_ONCE);
        if pocl {
            with_drivers(&mut suite, "pocl", &[POCL.into()])?;
        }
        Ok(process::status(&mut suite)?.success())
    };
    let intel = on(false)?;
    if !Path::new(POCL).exists() {
        println!("without PoCL, which the package pocl-opencl-icd brings");
        return Ok(intel);
    }
    Ok(on(true)? && intel)
}

fn level_zero() -> Result<bool> {
    process::run(&mut process::cargo([
        "build",
        "--release",
        "--quiet",
        "-p",
        "ur-fake-level-zero",
    ]))?;
    // In the place of Level Zero's loader, beside the compiler of kernels.
    let folder = folder()?.join("level-zero");
    std::fs::create_dir_all(&folder)?;
    let driver = repo::cargo_target().join("release/libze_fake.so");
    build::install(&driver, &folder.join("libze_loader.so.1"))?;
    build::install(&library("libur_jit.so"), &folder.join("libur_jit.so"))?;
    let mut suite = suite()?;
    suite
        .env("LD_LIBRARY_PATH", &folder)
        .args(["--adapter", "level_zero"])
        .args(AT_ONCE)
        .arg("--known")
        .arg(repo::root().join("crates/ur-cts/known/level-zero.toml"));
    Ok(process::status(&mut suite)?.success())
}

/// Our adapter in the built tree.
const OPENCL: &str = "libur_adapter_opencl.so.0";

/// How tests of Intel's driver run: most of the time goes into its builds of programs, and into the
/// few calls that never return.
const AT_ONCE: [&str; 4] = ["--jobs", "2", "--timeout", "20"];

/// Names of the tests that fail with these adapters.
fn failing(adapters: &[PathBuf], seed: Option<u64>, file: &Path) -> Result<BTreeSet<String>> {
    let mut suite = suite()?;
    opencl(&mut suite)?;
    if Path::new(POCL).exists() {
        with_drivers(&mut suite, "both", &[diff::intel()?, POCL.into()])?;
    }
    for adapter in adapters {
        suite.arg("--adapter").arg(adapter);
    }
    if let Some(seed) = seed {
        suite.args(["--shuffle", &seed.to_string()]);
    }
    suite.args(AT_ONCE);
    suite.args(["--loader"]).arg(library(build::LOADER));
    suite.arg("--json").arg(file);
    suite.stdout(std::process::Stdio::null());
    suite.stderr(std::process::Stdio::null());
    // Its exit code says only whether anything failed.
    process::status(&mut suite)?;
    let failed = outcomes(file)?
        .into_iter()
        .filter(|outcome| !matches!(outcome.verdict.as_str(), "passed" | "unsupported"));
    Ok(failed.map(|outcome| outcome.name).collect())
}

fn interleaved(seeds: u64) -> Result<bool> {
    let adapters = [
        library("libur_adapter_native_cpu.so.0"),
        library("libur_adapter_mock.so.0"),
        library(OPENCL),
    ];
    let folder = folder()?;
    let mut alone = BTreeSet::new();
    for (index, adapter) in adapters.iter().enumerate() {
        let file = folder.join(format!("alone-{index}.json"));
        let failed = failing(std::slice::from_ref(adapter), None, &file)?;
        println!("{}: {} fail alone", adapter.display(), failed.len());
        alone.extend(failed);
    }
    let mut more = 0;
    for seed in 1..=seeds {
        let file = folder.join(format!("together-{seed}.json"));
        let failed = failing(&adapters, Some(seed), &file)?;
        let new: Vec<_> = failed.difference(&alone).collect();
        println!(
            "seed {seed}: {} fail, {} of them not alone",
            failed.len(),
            new.len()
        );
        for name in &new {
            println!("    {name}");
        }
        more += new.len();
    }
    println!("{seeds} seeds, {more} failures that no adapter shows alone");
    Ok(more == 0)
}

fn faults() -> Result<bool> {
    let target = repo::cargo_target().join("faults");
    process::run(
        process::cargo(["build", "--quiet", "-p", "ur-adapter-native-cpu"])
            .args(["--features", "faults", "--target-dir"])
            .arg(&target),
    )?;
    // Beside the compiler of kernels, where the adapter looks for it.
    let folder = folder()?;
    let adapter = folder.join("libur_adapter_native_cpu.so.0");
    build::install(&target.join("debug/libur_adapter_native_cpu.so"), &adapter)?;
    build::install(&library("libur_jit.so"), &folder.join("libur_jit.so"))?;
    let mut suite = suite()?;
    suite
        .arg("--loader")
        .arg(library(build::LOADER))
        .arg("--adapter")
        .arg(&adapter)
        .args(["--device", "native_cpu:0", "--timeout", "20", "--jobs", "2"])
        .arg("--faults");
    Ok(process::status(&mut suite)?.success())
}
