//! Handles of several adapters at once, through the built loader; and proof that the stress finds a
//! loader that keeps a table of handles.

use std::path::PathBuf;
use std::process::{Command, Output};

fn dist(part: &str) -> PathBuf {
    let root = std::env::var_os("UR_DIST_DIR").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../target/dist"),
        PathBuf::from,
    );
    let path = root.join(part);
    assert!(
        path.exists(),
        "{} is missing: run `./x build` first",
        path.display()
    );
    path
}

fn stress(loader: &str, adapters: [&str; 2], args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ur-stress"));
    command.arg("--loader").arg(dist(loader));
    for adapter in adapters {
        command.arg("--adapter").arg(dist(adapter));
    }
    command.args(args).output().expect("ur-stress starts")
}

const LOADER: &str = "lib/libur_loader.so.0";
const MOCK: &str = "lib/libur_adapter_mock.so.0";
const NATIVE_CPU: &str = "lib/libur_adapter_native_cpu.so.0";

/// Each run fails by itself if no address went from one adapter to another.
fn reaches_its_adapter(adapters: [&str; 2], steps: &str, threads: &str) {
    let seeds = ["--seed", "1", "--seed", "2", "--seed", "3"];
    let args = [
        &["handles", "--steps", steps, "--threads", threads][..],
        &seeds,
    ]
    .concat();
    let output = stress(LOADER, adapters, &args);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        output.status.success(),
        "{text}{}",
        String::from_utf8_lossy(&output.stderr)
    );
    assert!(text.trim_end().ends_with("steps, 0 misdirected"), "{text}");
}

#[test]
fn two_mocks_one_thread() {
    reaches_its_adapter([MOCK, MOCK], "200000", "1");
}

#[test]
fn contexts_of_two_adapters() {
    let adapters = [MOCK, NATIVE_CPU];
    let output = stress(LOADER, adapters, &["contexts", "--cycles", "20000"]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{text}");
    assert!(text.trim_end().ends_with(" 0 misdirected"), "{text}");
}

#[test]
fn two_mocks_eight_threads() {
    reaches_its_adapter([MOCK, MOCK], "200000", "8");
}

#[test]
fn native_cpu_and_mock_one_thread() {
    reaches_its_adapter([NATIVE_CPU, MOCK], "100000", "1");
}

#[test]
fn native_cpu_and_mock_eight_threads() {
    reaches_its_adapter([NATIVE_CPU, MOCK], "100000", "8");
}

#[test]
fn memory_stays_flat() {
    let output = stress(
        LOADER,
        [NATIVE_CPU, MOCK],
        &["cycles", "--cycles", "100000"],
    );
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}");
}

/// The stress must be able to fail: on a loader with a table of handles it does, whatever the seed.
#[test]
fn a_table_of_handles_is_found_out() {
    for seed in ["1", "2", "3"] {
        let output = stress(
            "test/libur_loader_broken.so.0",
            [MOCK, MOCK],
            &["handles", "--steps", "200000", "--seed", seed],
        );
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(!output.status.success(), "seed {seed}: {text}");
        // A call may go astray more than once before the run ends.
        let last = text.lines().last().unwrap_or_default();
        let count = last.split(' ').nth(2).and_then(|n| n.parse::<u64>().ok());
        assert!(count.is_some_and(|n| n > 0), "{text}");
    }
}
