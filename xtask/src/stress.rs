//! `./x stress`: long random runs.

use crate::process;
use anyhow::Result;
use clap::{Parser, Subcommand};

/// What to stress.
#[derive(Parser)]
pub struct Args {
    #[command(subcommand)]
    subject: Subject,
}

#[derive(Subcommand)]
enum Subject {
    /// Create, retain, release, query and use objects of two adapters that reuse addresses
    Handles {
        /// Random steps in all
        #[arg(long, default_value_t = 10_000_000)]
        steps: u64,
        /// Threads that share the steps
        #[arg(long, default_value_t = 1)]
        threads: u32,
        /// First seed; the runs differ in it
        #[arg(long, default_value_t = 1)]
        seed: u64,
    },
}

/// Runs it; the last line is `N steps, M misdirected`.
pub fn run(args: &Args) -> Result<bool> {
    match args.subject {
        Subject::Handles {
            steps,
            threads,
            seed,
        } => run_handles(steps, threads, seed),
    }
}

/// The handle run with the default seed, for the tests.
pub fn handles(steps: u64, threads: u32) -> Result<bool> {
    run_handles(steps, threads, 1)
}

fn run_handles(steps: u64, threads: u32, seed: u64) -> Result<bool> {
    let mut cargo = process::cargo(["run", "--release", "--quiet", "-p", "ur-stress", "--"]);
    cargo
        .arg("handles")
        .arg("--steps")
        .arg(steps.to_string())
        .arg("--threads")
        .arg(threads.to_string())
        .arg("--seed")
        .arg(seed.to_string());
    Ok(process::status(&mut cargo)?.success())
}
