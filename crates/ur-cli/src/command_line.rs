//! The whole command line of `ur`.

use crate::{failed, info, run};
use clap::{Parser, Subcommand};
use std::process::ExitCode;

/// Looks at Unified Runtime devices and runs kernels on them.
#[derive(Parser)]
#[command(
    name = "ur",
    version,
    disable_help_subcommand = true,
    // Whatever the name of the program that was started.
    bin_name = "ur",
    after_help = "Exit codes: 0 success, 1 a call failed or a file cannot be used, 2 wrong command line.\n\
                  The variables of the loader apply: ONEAPI_DEVICE_SELECTOR, UR_ADAPTERS_FORCE_LOAD,\n\
                  UR_ADAPTERS_SEARCH_PATH, UR_LOG_LOADER."
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Show adapters, platforms and devices, and which adapter libraries were tried
    Info(info::Args),
    /// Run one kernel of a SPIR-V file
    Run(Box<run::Args>),
    /// Measure our CPU device beside other drivers
    Bench(Box<ur_bench::Args>),
    /// Check a loader and adapters against the API's rules
    Cts(Box<ur_cts::Args>),
}

/// Does what the command line of this process says, and gives its exit code.
pub fn run() -> ExitCode {
    let result = match Cli::parse().command {
        Command::Info(args) => info::run(&args),
        Command::Run(args) => run::run(&args),
        Command::Bench(args) => ur_bench::run(&args),
        Command::Cts(args) => ur_cts::run(&args),
    };
    result.map_or_else(|error| failed(&error), |()| ExitCode::SUCCESS)
}
