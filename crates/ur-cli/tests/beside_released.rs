//! The memory of `ur info` beside that of a listing by the released loader of the same adapters.
//! What both take to start, `./x bench start` measures.
//!
//! Needs the built tree and the environment of a client (`./x client dpctl`), whose libraries are
//! the released ones.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Runs of each; they take turns.
const RUNS: usize = 7;

fn place(variable: &str, usual: &str) -> PathBuf {
    std::env::var_os(variable).map_or_else(
        || {
            Path::new(env!("CARGO_MANIFEST_DIR"))
                .join("../../target")
                .join(usual)
        },
        PathBuf::from,
    )
}

fn finish(command: &mut Command) -> Output {
    let output = command.output().expect("the program starts");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {errors}");
    output
}

/// A C program of the benchmark's.
fn program(name: &str, more: &[String]) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    finish(
        Command::new("cc")
            .args(["-std=gnu11", "-O1", "-Wall", "-Werror", "-I"])
            .arg(root.join("include"))
            .arg(root.join("benches/start").join(format!("{name}.c")))
            .args(more)
            .arg("-o")
            .arg(&out),
    );
    out
}

/// Ours by theirs of the peak memory of two programs with these adapters.
fn ratio(run: &Path, [ours, theirs]: [&[&Path]; 2], released: &Path, adapters: &[PathBuf]) -> f64 {
    let list: Vec<String> = adapters
        .iter()
        .map(|path| path.display().to_string())
        .collect();
    let peak = |words: &[&Path]| {
        let output = finish(
            Command::new(run)
                .args(words)
                .env_clear()
                .env("LD_LIBRARY_PATH", released)
                .env("UR_ADAPTERS_FORCE_LOAD", list.join(",")),
        );
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        let kib = said
            .split_whitespace()
            .next_back()
            .and_then(|n| n.parse().ok());
        kib.unwrap_or_else(|| panic!("{words:?}: {said}"))
    };
    let mut peaks: Vec<[f64; 2]> = (0..RUNS).map(|_| [peak(ours), peak(theirs)]).collect();
    let mut median = |of: usize| {
        peaks.sort_by(|a, b| a[of].total_cmp(&b[of]));
        peaks[RUNS / 2][of]
    };
    median(0) / median(1)
}

#[test]
#[ignore = "needs the environment of a client"]
fn info_takes_less_memory_than_the_released_loader() {
    let released = place("UR_RELEASED_LIB", "venv/2026.2/lib");
    let loader = released.join("libur_loader.so.0");
    if !loader.exists() {
        println!("skipped: there is no {}", loader.display());
        return;
    }
    let dist = place("UR_DIST_DIR", "dist");
    let ours = dist.join("bin/ur");
    assert!(ours.exists(), "run `./x build` first");
    let run = program("run", &[]);
    let link = format!("-Wl,-rpath-link,{}", released.display());
    let theirs = program("list", &[loader.display().to_string(), link]);
    let both: [&[&Path]; 2] = [&[&ours, Path::new("info")], &[&theirs]];

    let own = dist.join("lib/libur_adapter_native_cpu.so.0");
    let memory = ratio(&run, both, &released, std::slice::from_ref(&own));
    println!("native CPU alone: {memory:.3} of the released loader's");
    assert!(memory < 0.6, "{memory}");

    // The adapters of the release bring libraries that outweigh any loader.
    let mut all = vec![own];
    all.extend(
        ["level_zero", "level_zero_v2"]
            .map(|name| released.join(format!("libur_adapter_{name}.so.0"))),
    );
    let memory = ratio(&run, both, &released, &all);
    println!("with Level Zero's: {memory:.3} of the released loader's");
    assert!(memory < 0.99, "{memory}");
}
