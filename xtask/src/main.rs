//! The commands behind `./x`. The last line that each prints on standard output is its figure;
//! progress goes before it, and the exit code says whether the figure is a good one.

mod bench;
mod build;
mod client;
mod corpus;
mod cts;
mod demo;
mod diff;
mod expectations;
mod fuzz;
mod harness;
mod process;
mod repo;
mod sanitize;
mod setup;
mod spec;
mod stress;
mod support;
mod tally;
mod test;
mod traces;
mod ulp;
mod venv;

use clap::{Parser, Subcommand};
use std::process::ExitCode;

/// Development commands of this repository; the last line of each is its figure.
#[derive(Parser)]
#[command(name = "./x", bin_name = "./x", disable_help_subcommand = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Install the Debian packages and Rust components that are missing
    Setup,
    /// Build libraries, headers and programs into target/dist
    Build,
    /// Run real SYCL programs on our adapter and through our loader
    Demo(demo::Args),
    /// Run the tests
    Test(test::Args),
    /// Run the test suite of a real client on our adapter, or compare its calls on two loaders
    Client(client::Args),
    /// Run the conformance suite
    Cts(cts::Args),
    /// Build the SPIR-V modules found in real programs
    Corpus(corpus::Args),
    /// Long random runs: handles
    Stress(stress::Args),
    /// Compare results with other drivers: kernels of tests/spirv and random ones
    Diff(diff::Args),
    /// Measure kernels beside other drivers; without options, write the README's tables
    Bench(bench::Args),
    /// Coverage-guided runs of what reads bytes of others
    Fuzz(fuzz::Args),
    /// Measure the errors of mathematical functions
    Ulp(ulp::Args),
    /// Run the tests under a sanitizer or under valgrind
    Sanitize(sanitize::Args),
    /// Render everything that is generated from spec/
    Spec,
    /// Measure what the adapters support and write the table in README.md
    Support(support::Args),
}

fn main() -> ExitCode {
    let result = match Cli::parse().command {
        Command::Setup => setup::run(),
        Command::Build => build::run().map(|_| true),
        Command::Demo(args) => demo::run(&args),
        Command::Test(args) => test::run(&args),
        Command::Client(args) => client::run(&args),
        Command::Cts(args) => cts::run(&args),
        Command::Corpus(args) => corpus::run(&args),
        Command::Stress(args) => stress::run(&args),
        Command::Diff(args) => diff::run(&args),
        Command::Bench(args) => bench::run(&args),
        Command::Fuzz(args) => fuzz::run(&args),
        Command::Ulp(args) => ulp::run(&args),
        Command::Sanitize(args) => sanitize::run(&args),
        Command::Spec => spec::run(),
        Command::Support(args) => support::run(&args),
    };
    match result {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
