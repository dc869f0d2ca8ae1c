//! `./x fuzz`: coverage-guided runs of the readers, under AddressSanitizer.

use crate::{process, repo, setup};
use anyhow::{Context, Result};
use clap::{Parser, ValueEnum};
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::Stdio;

/// What to run, and how long.
#[derive(Parser)]
pub struct Args {
    /// The reader
    target: Target,
    /// Minutes; a crash or a hang ends the run at once
    #[arg(long, default_value_t = 10.0)]
    minutes: f64,
    /// Largest input in bytes
    #[arg(long, default_value_t = 1 << 16)]
    max_len: usize,
}

/// A reader of other people's bytes or settings.
#[derive(Clone, Copy, ValueEnum)]
enum Target {
    /// SPIR-V modules
    Spirv,
    /// Saved programs
    Binary,
    /// ONEAPI_DEVICE_SELECTOR
    Selector,
    /// The settings of logs
    Log,
    /// Lists of adapters' paths
    Paths,
}

/// The target named explicitly, so that the flags reach no build script.
const PLATFORM: &str = "x86_64-unknown-linux-gnu";

/// Counters on every edge for the engine, compared values for it to aim at, and AddressSanitizer.
const FLAGS: &str = "-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters \
    -Cllvm-args=-sanitizer-coverage-pc-table -Cllvm-args=-sanitizer-coverage-trace-compares \
    -Zsanitizer=address -Ccodegen-units=1 -Cdebug-assertions --cfg fuzzing";

/// Seconds that one input may take.
const TIMEOUT: u32 = 10;

impl Target {
    fn name(self) -> &'static str {
        match self {
            Target::Spirv => "spirv",
            Target::Binary => "binary",
            Target::Selector => "selector",
            Target::Log => "log",
            Target::Paths => "paths",
        }
    }

    /// The package that holds it, and its program that writes the first inputs.
    fn package(self) -> (&'static str, &'static str) {
        match self {
            Target::Spirv | Target::Binary => ("ur-fuzz", "fuzz-seeds"),
            Target::Selector | Target::Log | Target::Paths => {
                ("ur-fuzz-loader", "fuzz-loader-seeds")
            }
        }
    }
}

/// Runs the target; the last line is `N executions, M crashes`. A crash, a hang or an allocation
/// beyond the bound counts as a crash, and its input is kept. What raised coverage is kept, too, so
/// that the next run goes on from there.
pub fn run(args: &Args) -> Result<bool> {
    if !setup::ensure()? {
        return Ok(false);
    }
    let name = args.target.name();
    let folder = repo::cargo_target().join("fuzz");
    let (package, seeder) = args.target.package();
    let program = build(package, name)?;
    let seeds = folder.join("seeds").join(name);
    process::run(
        process::cargo(["run", "--quiet", "-p", package, "--bin", seeder, "--"])
            .arg(name)
            .arg(&seeds),
    )?;
    let corpus = folder.join("corpus").join(name);
    let crashes = folder.join("crashes").join(name);
    std::fs::create_dir_all(&corpus)?;
    std::fs::create_dir_all(&crashes)?;

    let seconds = (args.minutes * 60.0).ceil().max(1.0) as u64;
    let mut child = std::process::Command::new(&program)
        .arg(format!("-max_total_time={seconds}"))
        .arg(format!("-timeout={TIMEOUT}"))
        .arg(format!("-max_len={}", args.max_len))
        .arg(format!("-artifact_prefix={}/", crashes.display()))
        .args(["-print_final_stats=1", "-rss_limit_mb=4096"])
        .arg(&corpus)
        .arg(&seeds)
        .stderr(Stdio::piped())
        .spawn()
        .with_context(|| program.display().to_string())?;
    let stderr = child.stderr.take().context("a program without a stream")?;
    let mut executions = 0u64;
    for line in BufReader::new(stderr).split(b'\n') {
        let line = String::from_utf8_lossy(&line?).into_owned();
        if let Some(count) = line.strip_prefix("stat::number_of_executed_units:") {
            executions = count.trim().parse()?;
        }
        eprintln!("{line}");
    }
    let status = child.wait()?;
    if !status.success() {
        println!("the input is in {}", crashes.display());
    }
    let failed = u32::from(!status.success());
    println!("{executions} executions, {failed} crashes");
    Ok(status.success() && executions > 0)
}

/// Builds the target with coverage and AddressSanitizer.
fn build(package: &str, name: &str) -> Result<PathBuf> {
    let dir = repo::cargo_target().join("fuzz/build");
    let program = format!("fuzz-{name}");
    process::run(
        process::cargo(["build", "--release", "--target", PLATFORM])
            .args(["-p", package, "--features", "engine", "--bin", &program])
            .arg("--target-dir")
            .arg(&dir)
            // The sanitizer options of rustc are not stable; this lets the stable compiler take
            // them.
            .env("RUSTC_BOOTSTRAP", "1")
            .env("RUSTFLAGS", FLAGS),
    )?;
    Ok(dir.join(PLATFORM).join("release").join(program))
}
