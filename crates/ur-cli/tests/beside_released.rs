//! `ur info` beside a listing by the released loader of the same adapters: start-up and memory.
//!
//! Needs the built tree and the environment of a client (`./x client dpctl`), whose libraries are
//! the released ones.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

/// Runs of each; they take turns.
const RUNS: usize = 15;

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

/// Wall time in seconds and peak memory in KiB.
#[allow(clippy::zombie_processes, reason = "wait4 waits for the child")]
fn run(command: &mut Command) -> (f64, f64) {
    let start = Instant::now();
    let child = command
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let mut status = 0;
    // SAFETY: all zero is a value of that plain C struct.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: the child is ours and was not waited for; both places may be written.
    let waited = unsafe { libc::wait4(child.id() as libc::pid_t, &mut status, 0, &mut usage) };
    let time = start.elapsed().as_secs_f64();
    assert_eq!(waited, child.id() as libc::pid_t);
    assert_eq!(status, 0, "{command:?}");
    (time, usage.ru_maxrss as f64)
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Ratios of time and memory, ours by theirs, with these adapters.
fn ratios(ours: &Path, theirs: &Path, released: &Path, adapters: &[PathBuf]) -> (f64, f64) {
    let list: Vec<String> = adapters
        .iter()
        .map(|path| path.display().to_string())
        .collect();
    let prepare = |program: &Path| {
        let mut command = Command::new(program);
        command
            .env_clear()
            .env("LD_LIBRARY_PATH", released)
            .env("UR_ADAPTERS_FORCE_LOAD", list.join(","));
        command
    };
    let (mut time, mut memory) = ((vec![], vec![]), (vec![], vec![]));
    for _ in 0..RUNS {
        let mine = run(prepare(ours).arg("info"));
        let other = run(&mut prepare(theirs));
        time.0.push(mine.0);
        time.1.push(other.0);
        memory.0.push(mine.1);
        memory.1.push(other.1);
    }
    let ratio = |(mine, other)| median(mine) / median(other);
    (ratio(time), ratio(memory))
}

#[test]
#[ignore = "needs the environment of a client; measures time"]
fn info_starts_faster_and_takes_no_more_memory_than_the_released_loader() {
    let released = place("UR_RELEASED_LIB", "venv/2026.2/lib");
    let loader = released.join("libur_loader.so.0");
    if !loader.exists() {
        println!("skipped: there is no {}", loader.display());
        return;
    }
    let dist = place("UR_DIST_DIR", "dist");
    let ours = dist.join("bin/ur");
    assert!(ours.exists(), "run `./x build` first");
    let theirs = Path::new(env!("CARGO_TARGET_TMPDIR")).join("list");
    let output = Command::new("cc")
        .args(["-std=c11", "-O1", "-Wall", "-Werror", "-I"])
        .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/../../include"))
        .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/c/list.c"))
        .arg(&loader)
        .arg(format!("-Wl,-rpath-link,{}", released.display()))
        .arg("-o")
        .arg(&theirs)
        .output()
        .expect("the compiler starts");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );

    let own = dist.join("lib/libur_adapter_native_cpu.so.0");
    let (time, memory) = ratios(&ours, &theirs, &released, std::slice::from_ref(&own));
    println!("native CPU alone: time {time:.2}, memory {memory:.2} of the released loader's");
    assert!(time < 0.8 && memory < 0.6, "{time} {memory}");

    // The adapters of the release bring libraries that outweigh any loader.
    let mut all = vec![own];
    all.extend(
        ["level_zero", "level_zero_v2"]
            .map(|name| released.join(format!("libur_adapter_{name}.so.0"))),
    );
    let (time, memory) = ratios(&ours, &theirs, &released, &all);
    println!("with Level Zero's: time {time:.2}, memory {memory:.3} of the released loader's");
    assert!(time < 1.0 && memory < 1.01, "{time} {memory}");
}
