//! `ur-cts`: the conformance suite as a program of its own; `ur cts` is the same.

use clap::Parser;
use std::process::ExitCode;

/// Checks a loader and adapters against the API's rules.
#[derive(Debug, Parser)]
#[command(version)]
struct Cli {
    #[command(flatten)]
    args: ur_cts::Args,
}

fn main() -> ExitCode {
    match ur_cts::run(&Cli::parse().args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("ur-cts: {error:#}");
            ExitCode::FAILURE
        }
    }
}
