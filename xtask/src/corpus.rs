//! `./x corpus`: SPIR-V modules of real programs, through the compiler.

use crate::venv::{Runtime, Venv};
use crate::{build, process, repo, setup};
use anyhow::Result;
use clap::{Parser, ValueEnum};

/// Which modules.
#[derive(Parser)]
pub struct Args {
    /// The program whose modules are built
    source: Source,
    /// Build this many, chosen at random; all when absent
    #[arg(long)]
    sample: Option<u64>,
    /// Seed of the choice
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// A program that carries SPIR-V.
#[derive(Clone, Copy, ValueEnum)]
enum Source {
    /// The shared objects of the dpnp wheel
    Dpnp,
}

/// Builds them; the last line is `N of M modules built`.
pub fn run(args: &Args) -> Result<bool> {
    if !setup::ensure()? {
        return Ok(false);
    }
    build::tree()?;
    build_modules(args.source, args.sample, args.seed)
}

/// A sample of dpnp's modules, on a built tree.
pub fn sample(count: u64, seed: u64) -> Result<bool> {
    build_modules(Source::Dpnp, Some(count), seed)
}

fn build_modules(source: Source, sample: Option<u64>, seed: u64) -> Result<bool> {
    let venv = Venv::ensure(Runtime::V2026_2)?;
    let folder = match source {
        Source::Dpnp => venv.package_dir("dpnp")?,
    };
    let mut cargo = process::cargo([
        "run",
        "--release",
        "--quiet",
        "-p",
        "ur-corpus",
        "--bin",
        "corpus-build",
        "--",
    ]);
    cargo
        .arg("--jit")
        .arg(repo::dist_lib().join("libur_jit.so"))
        .arg("--seed")
        .arg(seed.to_string());
    if let Some(count) = sample {
        cargo.arg("--sample").arg(count.to_string());
    }
    cargo.arg(folder);
    Ok(process::status(&mut cargo)?.success())
}
