//! `./x corpus`: SPIR-V modules of real programs, through the compiler.
//!
//! A run over all modules is kept in `docs/corpus.toml`, which `./x support` reads.

use crate::venv::{Runtime, Venv};
use crate::{build, process, repo, setup};
use anyhow::{Context, Result};
use clap::{Parser, ValueEnum};
use serde_json::Value;
use std::path::{Path, PathBuf};

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
    /// The shared objects of the wheels of dpnp and of dpctl, which it builds on
    Dpnp,
    /// oneMKL's SYCL libraries; modules are linked with those that they import from
    Mkl,
}

impl Source {
    fn name(self) -> &'static str {
        match self {
            Source::Dpnp => "dpnp",
            Source::Mkl => "mkl",
        }
    }

    /// What holds the modules.
    fn paths(self, venv: &Venv) -> Result<Vec<PathBuf>> {
        match self {
            Source::Dpnp => Ok(vec![venv.package_dir("dpnp")?, venv.package_dir("dpctl")?]),
            Source::Mkl => {
                let mut libraries = Vec::new();
                for entry in std::fs::read_dir(venv.lib())? {
                    let path = entry?.path();
                    let name = path.file_name().unwrap_or_default().to_string_lossy();
                    if name.starts_with("libmkl_sycl_") && name.contains(".so.") {
                        libraries.push(path);
                    }
                }
                anyhow::ensure!(!libraries.is_empty(), "no oneMKL in the environment");
                libraries.sort();
                Ok(libraries)
            }
        }
    }
}

/// Builds them; the last line is `N of M modules built`.
pub fn run(args: &Args) -> Result<bool> {
    if !setup::ensure()? {
        return Ok(false);
    }
    build::tree()?;
    build_modules(args.source, args.sample, args.seed)
}

/// Samples of all sources, on a built tree.
pub fn sample(count: u64, seed: u64) -> Result<bool> {
    let dpnp = build_modules(Source::Dpnp, Some(count), seed)?;
    let mkl = build_modules(Source::Mkl, Some(count), seed)?;
    Ok(dpnp && mkl)
}

fn build_modules(source: Source, sample: Option<u64>, seed: u64) -> Result<bool> {
    let venv = Venv::ensure(Runtime::V2026_2)?;
    let record = repo::cargo_target().join(format!("corpus-{}.json", source.name()));
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
        .arg("--record")
        .arg(&record)
        .arg("--seed")
        .arg(seed.to_string())
        // What was compiled before says nothing about the compiler of today.
        .env("UR_JIT_CACHE", "off");
    if let Some(count) = sample {
        cargo.arg("--sample").arg(count.to_string());
    }
    cargo.args(source.paths(&venv)?);
    let good = process::status(&mut cargo)?.success();
    if sample.is_none() {
        keep(&record, source, &repo::root().join("docs/corpus.toml"))?;
    }
    Ok(good)
}

/// Puts the record of a whole run into the table of `file`.
fn keep(record: &Path, source: Source, file: &Path) -> Result<()> {
    let text = std::fs::read_to_string(record).context("corpus-build left no record")?;
    let record: Value = serde_json::from_str(&text)?;
    let mut table: toml::Table = match std::fs::read_to_string(file) {
        Ok(old) => old.parse().context("docs/corpus.toml")?,
        Err(_) => toml::Table::new(),
    };
    table.insert(source.name().to_owned(), toml::Value::try_from(&record)?);
    let head = "# Written by `./x corpus`: what became of all modules of a program.\n\n";
    std::fs::write(file, format!("{head}{}", toml::to_string_pretty(&table)?))?;
    Ok(())
}
