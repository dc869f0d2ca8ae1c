//! `./x sanitize`: the tests under a tool that watches memory or threads.

use crate::tally::Tally;
use crate::{build, harness, process, repo, setup};
use anyhow::Result;
use clap::{Parser, ValueEnum};

/// Which tool.
#[derive(Parser)]
pub struct Args {
    /// The tool
    tool: Tool,
}

/// A tool that watches the tests.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Tool {
    /// AddressSanitizer: bounds, use after free
    Asan,
    /// ThreadSanitizer: data races
    Tsan,
    /// LeakSanitizer
    Leak,
    /// Valgrind's memcheck, which also sees uninitialised values
    Valgrind,
}

/// The crates whose tests run under the tools: all that hold `unsafe` code on the way of a call.
const PACKAGES: &[&str] = &[
    "ur-adapter",
    "ur-adapter-mock",
    "ur-adapter-native-cpu",
    "ur-loader",
    "ur-spirv",
];

/// The target named explicitly, so that the flags reach no build script.
const TARGET: &str = "x86_64-unknown-linux-gnu";

/// Runs the tests under the tool; the last line is their tally.
pub fn run(args: &Args) -> Result<bool> {
    if !setup::ensure()? {
        return Ok(false);
    }
    build::tree()?;
    let tally = tally(args.tool)?;
    println!("{tally}");
    Ok(tally.good())
}

/// As [`run`] on a built tree, without the figure.
pub fn tally(tool: Tool) -> Result<Tally> {
    let mut cargo = process::cargo(["test", "--no-fail-fast", "--target", TARGET]);
    for package in PACKAGES {
        cargo.args(["-p", package]);
    }
    cargo.env("UR_DIST_DIR", repo::dist());
    let sanitizer = match tool {
        Tool::Asan => "address",
        Tool::Tsan => "thread",
        Tool::Leak => "leak",
        Tool::Valgrind => {
            cargo.args(["--lib", "--bins", "--tests"]).env(
                "CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUNNER",
                "valgrind --quiet --error-exitcode=99 --leak-check=full --errors-for-leak-kinds=definite",
            );
            return harness::run(&mut cargo);
        }
    };
    cargo
        .args(["--lib", "--bins", "--tests", "--target-dir"])
        .arg(repo::cargo_target().join(sanitizer))
        // The sanitizer options of rustc are not stable; this lets the stable compiler take them.
        .env("RUSTC_BOOTSTRAP", "1")
        .env("RUSTFLAGS", flags(tool, sanitizer));
    harness::run(&mut cargo)
}

/// Flags of the compiler for one sanitizer.
fn flags(tool: Tool, sanitizer: &str) -> String {
    let mut flags = format!("-Zsanitizer={sanitizer}");
    if tool == Tool::Tsan {
        // The shipped standard library is not instrumented.
        flags.push_str(" -Cunsafe-allow-abi-mismatch=sanitizer");
    }
    flags
}
