//! `./x sanitize`: the tests under a tool that watches memory or threads.

use crate::tally::Tally;
use crate::{build, harness, process, repo, setup};
use anyhow::Result;
use clap::{Parser, ValueEnum};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Which tool.
#[derive(Parser)]
pub struct Args {
    /// The tool
    tool: Tool,
    /// Only the tests of this package; given once for each. `ur-stress` stands for random life
    /// cycles
    #[arg(long = "package", short)]
    packages: Vec<String>,
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

/// What runs under the tools: the crates that hold `unsafe` code on the way of a call, and which of
/// their tests.
const RUNS: &[(&[&str], &[&str])] = &[
    (
        &[
            "ur-adapter",
            "ur-adapter-mock",
            "ur-adapter-native-cpu",
            "ur-spirv",
        ],
        &["--lib", "--bins", "--tests"],
    ),
    (&["ur-layers", "ur-log"], &["--lib", "--bins", "--tests"]),
    // The others of its tests link the loader into C programs, where the tools are not.
    (&["ur-loader"], &["--lib"]),
];

/// What random life cycles go through: the loader's own library with two adapters.
const LIFE_CYCLES: &[&str] = &[
    "ur-stress",
    "ur-loader",
    "ur-adapter-native-cpu",
    "ur-adapter-mock",
];

/// Random life cycles of objects, each for the bare loader and for one with all layers.
const STRESS: &[&[&str]] = &[
    &["handles", "--threads", "4", "--steps", "200000"],
    &["contexts", "--threads", "4", "--cycles", "5000"],
];

/// Tests that mean nothing under a tool.
fn left_out(tool: Tool) -> &'static [&'static str] {
    // Resident memory is mostly the tool's own.
    const MEMORY: &str = "a_million_objects_leave_memory_flat";
    // Valgrind's processor has no flush-to-zero and no denormals-are-zero.
    const FLOAT_STATE: &str = "kernels_run_with_the_standard_float_state";
    // Valgrind's processor is another one than that of the processes its programs start, which
    // refuse what was saved on it.
    const SAVED: &str = "a_saved_program_runs_in_another_process_without_the_jit";
    match tool {
        Tool::Valgrind => &[MEMORY, FLOAT_STATE, SAVED],
        _ => &[MEMORY],
    }
}

/// The target named explicitly, so that the flags reach no build script.
const TARGET: &str = "x86_64-unknown-linux-gnu";

/// Runs the tests under the tool; the last line is their tally.
pub fn run(args: &Args) -> Result<bool> {
    if !setup::ensure()? {
        return Ok(false);
    }
    build::tree()?;
    let tally = tally(args.tool, &args.packages)?;
    println!("{tally}");
    Ok(tally.good())
}

/// Installs the source of the standard library, which is built for ThreadSanitizer.
fn ensure_source() -> Result<()> {
    let sysroot = process::output(Command::new("rustc").args(["--print", "sysroot"]))?;
    let source = Path::new(sysroot.trim()).join("lib/rustlib/src/rust/library");
    if !source.exists() {
        process::run(Command::new("rustup").args(["component", "add", "rust-src"]))?;
    }
    Ok(())
}

/// As [`run`] on a built tree, without the figure. No packages stand for all.
pub fn tally(tool: Tool, only: &[String]) -> Result<Tally> {
    let wanted = |package: &&str| only.is_empty() || only.iter().any(|one| one == package);
    if tool == Tool::Tsan {
        ensure_source()?;
    }
    let mut total = Tally::default();
    for (packages, kinds) in RUNS {
        let packages: Vec<_> = packages.iter().copied().filter(wanted).collect();
        if packages.is_empty() {
            continue;
        }
        let mut cargo = process::cargo(["test", "--no-fail-fast", "--target", TARGET]);
        for package in packages {
            cargo.args(["-p", package]);
        }
        cargo.args(*kinds).env("UR_DIST_DIR", repo::dist());
        watched(&mut cargo, tool);
        cargo.arg("--");
        for test in left_out(tool) {
            cargo.args(["--skip", test]);
        }
        total += harness::run(&mut cargo)?;
    }
    total.skipped += left_out(tool).len() as u64;
    if let Some(sanitizer) = tool.sanitizer().filter(|_| wanted(&"ur-stress")) {
        total += life_cycles(tool, sanitizer)?;
    }
    Ok(total)
}

/// Builds the loader's library, adapters and the program of random life cycles with the sanitizer
/// and runs them, without layers and with all.
fn life_cycles(tool: Tool, sanitizer: &str) -> Result<Tally> {
    let mut cargo = process::cargo(["build", "--target", TARGET]);
    for package in LIFE_CYCLES {
        cargo.args(["-p", package]);
    }
    watched(&mut cargo, tool);
    process::run(&mut cargo)?;
    let built = folder(sanitizer).join(TARGET).join("debug");
    let loader = built.join(build::LOADER);
    build::link_loader(&built.join("libur_loader.a"), &loader, build::Symbols::Open)?;
    let mut total = Tally::default();
    for arguments in STRESS {
        for layers in ["", "UR_LAYER_FULL_VALIDATION"] {
            let mut stress = Command::new(built.join("ur-stress"));
            stress.arg("--loader").arg(&loader);
            for adapter in ["native_cpu", "mock"] {
                stress
                    .arg("--adapter")
                    .arg(built.join(format!("libur_adapter_{adapter}.so")));
            }
            stress
                .args(*arguments)
                // The tool keeps freed memory back, so that it sees who uses it.
                .arg("--without-reuse")
                .env("UR_ENABLE_LAYERS", layers)
                .env("LSAN_OPTIONS", leak_options());
            total += Tally::one(process::status(&mut stress)?.success());
        }
    }
    Ok(total)
}

impl Tool {
    /// The name of the compiler's sanitizer; none when the tool runs programs as they are.
    fn sanitizer(self) -> Option<&'static str> {
        match self {
            Tool::Asan => Some("address"),
            Tool::Tsan => Some("thread"),
            Tool::Leak => Some("leak"),
            Tool::Valgrind => None,
        }
    }
}

/// Where cargo puts what it builds with a sanitizer.
fn folder(sanitizer: &str) -> PathBuf {
    repo::cargo_target().join(sanitizer)
}

/// The leak check's options: what is known to stay.
fn leak_options() -> String {
    let known = repo::root().join("tests/leaks.suppressions");
    format!("suppressions={}:print_suppressions=0", known.display())
}

/// Makes the command run its tests under the tool.
fn watched(cargo: &mut Command, tool: Tool) {
    let Some(sanitizer) = tool.sanitizer() else {
        let compiler = repo::root().join("crates/adapters/native-cpu/tests/valgrind.supp");
        let kit = repo::root().join("tests/valgrind.suppressions");
        cargo.env(
            "CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUNNER",
            format!(
                "valgrind --quiet --error-exitcode=99 --leak-check=full \
                 --show-leak-kinds=definite --errors-for-leak-kinds=definite \
                 --suppressions={} --suppressions={}",
                compiler.display(),
                kit.display()
            ),
        );
        return;
    };
    // The tests open instrumented libraries, which find the sanitizer in the program.
    let flags = format!("-Zsanitizer={sanitizer} -Clink-arg=-rdynamic");
    if tool == Tool::Tsan {
        // The shipped standard library is not instrumented: locks and counts that are compiled in it
        // would not be seen to order anything, and its `Arc` uses fences, which the tool ignores.
        cargo.arg("-Zbuild-std");
    }
    cargo
        .arg("--target-dir")
        .arg(folder(sanitizer))
        // The sanitizer options of rustc are not stable; this lets the stable compiler take them.
        .env("RUSTC_BOOTSTRAP", "1")
        .env("RUSTFLAGS", flags)
        .env("LSAN_OPTIONS", leak_options());
}
