//! `./x diff`: kernels on our device and on other drivers.

use crate::tally::Tally;
use crate::{build, process, repo, setup, venv};
use anyhow::{Context, Result};
use clap::Parser;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What to compare.
#[derive(Parser)]
pub struct Args {
    /// Number of random kernels
    #[arg(long, default_value_t = 200)]
    random: u64,
    /// Launches of each kernel in tests/spirv
    #[arg(long, default_value_t = 5)]
    rounds: u64,
    /// First seed
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// PoCL, where Debian's package puts it.
pub const POCL: &str = "/usr/lib/x86_64-linux-gnu/libpocl.so.2";

/// Compares; the last line is `N kernels compared, A agreements, D differences`. `Ok(false)` when
/// one of the differences may be ours.
pub fn run(args: &Args) -> Result<bool> {
    if !setup::ensure()? {
        return Ok(false);
    }
    build::tree()?;
    let intel = intel()?;
    compare(&intel, args)
}

/// A small comparison on a built tree; skipped when the driver cannot be had.
pub fn sample() -> Result<Tally> {
    let intel = match intel() {
        Ok(intel) => intel,
        Err(reason) => {
            println!("nothing to compare with: {reason:#}");
            return Ok(Tally::skip());
        }
    };
    let args = Args {
        random: 30,
        rounds: 2,
        seed: 1,
    };
    compare(&intel, &args).map(Tally::one)
}

fn compare(intel: &Path, args: &Args) -> Result<bool> {
    let mut cargo = process::cargo(["run", "--release", "--quiet", "-p", "ur-diff", "--"]);
    cargo
        .arg("--adapter")
        .arg(repo::dist_lib().join("libur_adapter_native_cpu.so.0"))
        .args(["--random", &args.random.to_string()])
        .args(["--rounds", &args.rounds.to_string()])
        .args(["--seed", &args.seed.to_string()])
        .arg("--keep")
        .arg(repo::cargo_target().join("diff"))
        .arg("--intel")
        .arg(intel);
    if Path::new(POCL).exists() {
        cargo.args(["--pocl", POCL]);
    } else {
        println!("without PoCL, which the package pocl-opencl-icd brings");
    }
    Ok(process::status(&mut cargo)?.success())
}

/// Intel's driver, if its environment is there and up to date.
pub fn intel_if_there() -> Result<Option<PathBuf>> {
    let dir = repo::root().join("target/venv/opencl");
    let pins = fs::read_to_string(repo::root().join(PINS))?;
    let is_there = fs::read_to_string(dir.join("pins.stamp")).is_ok_and(|old| old == pins);
    Ok(is_there.then(|| dir.join("lib/libintelocl.so")))
}

/// What its environment holds.
const PINS: &str = "tests/clients/pins-opencl.txt";

/// Intel's driver, in an environment of its own: beside the clients it would be a second device.
pub fn intel() -> Result<PathBuf> {
    let dir = repo::root().join("target/venv/opencl");
    if let Some(driver) = intel_if_there()? {
        return Ok(driver);
    }
    let driver = dir.join("lib/libintelocl.so");
    let pins_file = repo::root().join(PINS);
    eprintln!("installing Intel's OpenCL driver into {}", dir.display());
    if dir.exists() {
        fs::remove_dir_all(&dir)?;
    }
    process::run(
        Command::new(venv::base_python()?)
            .args(["-m", "venv"])
            .arg(&dir)
            .stdout(std::io::stderr()),
    )?;
    process::run(
        Command::new(dir.join("bin/python"))
            .args(["-m", "pip", "install", "--no-deps", "--no-input"])
            .args(["--disable-pip-version-check", "--progress-bar", "off"])
            .arg("-r")
            .arg(&pins_file)
            .stdout(std::io::stderr()),
    )?;
    anyhow::ensure!(driver.exists(), "the packages hold no {}", driver.display());
    let pins = fs::read_to_string(&pins_file)?;
    fs::write(dir.join("pins.stamp"), pins).context("cannot mark the environment as complete")?;
    Ok(driver)
}
