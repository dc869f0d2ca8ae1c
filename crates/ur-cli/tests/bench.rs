//! `ur bench`: exit codes, and a kernel on the native CPU.

mod place;

use place::{Place, finish};
use std::fs;

#[test]
fn wrong_command_lines() {
    let place = Place::empty();
    for args in [
        &["--filter", "("][..],
        &["--samples", "0"],
        &["--compare", "one.json"],
        &["--bare", "driver.so", "--no-peers"],
    ] {
        let all: Vec<&str> = ["bench"].iter().chain(args).copied().collect();
        let (code, _, err) = finish(&mut place.ur(&all));
        assert_eq!(code, Some(2), "{args:?}: {err}");
    }
    let (code, _, err) = finish(&mut place.ur(&["bench", "--no-peers"]));
    assert_eq!(code, Some(1));
    assert!(err.contains("--adapter"), "{err}");
    let (code, _, err) = finish(&mut place.ur(&["bench", "--compare", "a.json", "b.json"]));
    assert_eq!(code, Some(1));
    assert!(err.contains("a.json"), "{err}");
}

#[test]
fn kernels_are_listed() {
    let place = Place::empty();
    let (code, out, _) = finish(&mut place.ur(&["bench", "--list"]));
    assert_eq!(code, Some(0));
    for name in ["triad", "matmul_tiled", "copy of 64 B"] {
        assert!(out.lines().any(|line| line == name), "{name}: {out}");
    }
}

#[test]
fn a_kernel_is_measured_and_compared() {
    let place = Place::empty();
    place.add(
        "libur_adapter_native_cpu.so",
        "libur_adapter_native_cpu.so.0",
    );
    place.add("libur_jit.so", "libur_jit.so");
    let (code, out, err) = finish(&mut place.ur(&[
        "bench",
        "--no-peers",
        "--samples",
        "1",
        "--filter",
        "^copy$|^copy of 64 B$|^first result of",
        "--json",
        "new.json",
        "--svg",
        "new.svg",
        "--markdown",
        "new.md",
    ]));
    assert_eq!(code, Some(0), "{err}");
    assert!(out.lines().any(|line| line.starts_with("copy ")), "{out}");
    assert!(out.contains("% of the limit"), "{out}");
    let read = |name: &str| fs::read_to_string(place.dir.join(name)).expect("a file");
    let json: serde_json::Value = serde_json::from_str(&read("new.json")).expect("JSON");
    let kernels = json["kernels"].as_array().expect("kernels");
    assert_eq!(kernels.len(), 1, "{json}");
    assert_eq!(kernels[0]["name"], "copy");
    assert!(kernels[0]["ours"].as_f64() > Some(0.0), "{json}");
    assert!(kernels[0]["ratio_intel"].is_null(), "{json}");
    let latency = json["latency"].as_array().expect("latencies");
    assert_eq!(latency.len(), 2, "{json}");
    assert!(latency.iter().all(|row| row["ours"].as_f64() > Some(0.0)));
    assert!(json["limits"]["triad"].as_f64() > Some(0.0), "{json}");
    assert!(read("new.svg").starts_with("<svg"));
    assert!(read("new.md").contains("| copy |"));

    let compare = ["bench", "--compare", "new.json", "new.json"];
    let (code, out, err) = finish(&mut place.ur(&compare));
    assert_eq!(code, Some(0), "{err}");
    let line = out.lines().find(|line| line.starts_with("copy "));
    assert!(line.is_some_and(|line| line.contains(" 1.000")), "{out}");
}
