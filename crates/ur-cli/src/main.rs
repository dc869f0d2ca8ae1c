//! `ur`: what the Unified Runtime finds on this machine, running a kernel on it, and measuring it.

mod api;
mod argument;
mod info;
mod infos;
mod report;
mod run;
mod style;

use clap::{Parser, Subcommand};
use std::process::ExitCode;

/// Exit code of a command line that cannot be understood; clap uses it too.
const USAGE: u8 = 2;

/// Looks at Unified Runtime devices and runs kernels on them.
#[derive(Parser)]
#[command(
    name = "ur",
    version,
    disable_help_subcommand = true,
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
}

fn main() -> ExitCode {
    let result = match Cli::parse().command {
        Command::Info(args) => info::run(&args),
        Command::Run(args) => run::run(&args),
        Command::Bench(args) => ur_bench::run(&args),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let style = style::Style::stderr();
            eprintln!("{} {error:#}", style.bad("error:"));
            match error.downcast_ref::<argument::Invalid>() {
                Some(_) => ExitCode::from(USAGE),
                None => ExitCode::FAILURE,
            }
        }
    }
}
