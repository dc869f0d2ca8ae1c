//! `ur info` on machines with no adapter, with bad ones and with good ones.

mod place;

use place::{Place, finish};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::Command;

/// A library without any symbol of an adapter.
fn empty_library(at: &Path) {
    let source = at.with_extension("c");
    fs::write(&source, "int nothing_of_an_adapter;\n").expect("a source file");
    let status = Command::new("cc")
        .args(["-shared", "-fPIC", "-o"])
        .arg(at)
        .arg(&source)
        .status()
        .expect("cc starts");
    assert!(status.success());
}

fn json(place: &Place, adapters: &str) -> Value {
    let (code, out, err) = finish(
        place
            .ur(&["info", "--json"])
            .env("UR_ADAPTERS_FORCE_LOAD", adapters),
    );
    assert_eq!(code, Some(0), "{err}");
    serde_json::from_str(&out).expect("JSON")
}

#[test]
fn no_adapter() {
    let place = Place::empty();
    let (code, out, err) = finish(&mut place.ur(&["info"]));
    assert_eq!(code, Some(0), "{err}");
    assert!(out.contains("no adapter is loaded"), "{out}");
    let (code, out, _) = finish(&mut place.ur(&["info", "-v"]));
    assert_eq!(code, Some(0));
    assert!(
        out.contains("libur_adapter_native_cpu.so.0") && out.contains("not found"),
        "{out}"
    );
}

#[test]
fn info_needs_no_other_program() {
    let place = Place::empty();
    let whole = finish(&mut place.ur(&["info", "--help"]));
    assert_eq!(whole.0, Some(0));
    assert!(whole.1.contains("Usage: ur info"), "{}", whole.1);
    fs::remove_file(place.dir.join("bin/ur-tool")).expect("it is there");
    let (code, out, err) = finish(&mut place.ur(&["info"]));
    assert_eq!(code, Some(0), "{err}");
    assert!(out.contains("no adapter is loaded"), "{out}");
    let (code, _, err) = finish(&mut place.ur(&["run"]));
    assert_eq!(code, Some(1), "{err}");
    assert!(
        err.contains("cannot start") && err.contains("ur-tool"),
        "{err}"
    );
}

#[test]
fn broken_library() {
    let place = Place::empty();
    let broken = place.lib().join("libur_adapter_native_cpu.so.0");
    fs::write(&broken, "not a library").expect("a file");
    let (code, out, err) = finish(&mut place.ur(&["info"]));
    assert_eq!(code, Some(0), "{err}");
    let line = out
        .lines()
        .find(|line| line.contains("libur_adapter_native_cpu.so.0"))
        .unwrap_or_else(|| panic!("the library is not named: {out}"));
    // The reason is the dynamic linker's: which one depends on how much of the file it reads.
    let reason = line.split("failed: ").nth(1).unwrap_or_default();
    assert!(
        reason.contains("too short") || reason.contains("invalid ELF header"),
        "{line}"
    );
}

#[test]
fn library_lacking_a_symbol() {
    let place = Place::empty();
    let empty = place.lib().join("libur_adapter_empty.so.0");
    empty_library(&empty);
    let report = json(&place, empty.to_str().expect("text"));
    let library = report["libraries"]
        .as_array()
        .and_then(|all| {
            all.iter()
                .find(|l| l["path"] == empty.to_str().expect("text"))
        })
        .unwrap_or_else(|| panic!("not listed: {report}"));
    assert_eq!(library["outcome"], "failed");
    let reason = library["reason"].as_str().expect("a reason");
    assert!(reason.contains("urGet"), "{reason}");
    assert_eq!(report["adapters"].as_array().map(Vec::len), Some(0));
}

#[test]
fn a_bad_library_hides_no_good_one() {
    let place = Place::empty();
    let empty = place.lib().join("libur_adapter_empty.so.0");
    empty_library(&empty);
    let mock = place.add("libur_adapter_mock.so", "libur_adapter_mock.so.0");
    let broken = place.lib().join("libur_adapter_broken.so.0");
    fs::write(&broken, "").expect("a file");
    let list = [&empty, &mock, &broken]
        .map(|p| p.display().to_string())
        .join(",");
    let report = json(&place, &list);
    let outcomes: Vec<_> = report["libraries"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|l| l["outcome"].as_str().expect("text"))
        .collect();
    assert_eq!(outcomes, ["failed", "loaded", "failed"], "{report}");
    assert_eq!(report["adapters"].as_array().map(Vec::len), Some(1));
    let devices = report["adapters"][0]["platforms"][0]["devices"]
        .as_array()
        .expect("devices");
    assert!(!devices.is_empty(), "{report}");
    assert!(devices[0]["name"].is_string(), "{report}");
}

#[test]
fn all_values_of_a_device() {
    let place = Place::empty();
    let mock = place.add("libur_adapter_mock.so", "libur_adapter_mock.so.0");
    let (code, out, err) = finish(
        place
            .ur(&["info", "-v", "--json"])
            .env("UR_ADAPTERS_FORCE_LOAD", &mock),
    );
    assert_eq!(code, Some(0), "{err}");
    let report: Value = serde_json::from_str(&out).expect("JSON");
    let info = &report["adapters"][0]["platforms"][0]["devices"][0]["info"];
    assert!(
        info.as_object().is_some_and(|all| all.len() > 150),
        "{info}"
    );
    assert!(
        info["UR_DEVICE_INFO_TYPE"]
            .as_str()
            .is_some_and(|t| t.starts_with("UR_DEVICE_TYPE_"))
    );
}

#[test]
fn no_colour_in_a_pipe() {
    let place = Place::empty();
    let (_, out, _) = finish(&mut place.ur(&["info"]));
    assert!(!out.contains('\x1b'), "{out}");
}

#[test]
fn places_made_while_programs_start() {
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..25 {
                    let place = Place::empty();
                    let (code, _, err) = finish(&mut place.ur(&["--version"]));
                    assert_eq!(code, Some(0), "{err}");
                }
            });
        }
    });
}
