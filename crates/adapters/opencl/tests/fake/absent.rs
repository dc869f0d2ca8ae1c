//! Machines without OpenCL.

use crate::driver::{Driver, expect_pass, folder, is_for, library, process};
use crate::support::*;
use crate::{case, test_name};
use std::path::Path;
use std::process::Command;

/// Runs a test in a process where nothing is to be found, and expects words in the adapter's log.
fn expect_nothing(test: &str, words: &str, prepare: impl FnOnce(&Path, &mut Command)) {
    if is_for(test) {
        assert!(platforms().is_empty());
        // And again, now that it is known.
        assert!(platforms().is_empty());
        return;
    }
    let place = folder(test);
    let mut command = process(test, &place);
    command.env("UR_LOG_OPENCL", "level:warning;output:stderr");
    prepare(&place, &mut command);
    let output = expect_pass(command);
    let log = String::from_utf8_lossy(&output.stderr);
    let lines: Vec<_> = log.lines().filter(|line| line.contains("OPENCL")).collect();
    assert_eq!(lines.len(), 1, "{log}");
    assert!(
        lines[0].contains("no OpenCL platform") && lines[0].contains(words),
        "{log}"
    );
}

#[test]
fn a_library_that_cannot_be_opened_is_told() {
    expect_nothing(
        &test_name!(a_library_that_cannot_be_opened_is_told),
        "libOpenCL.so.1",
        |place, command| {
            std::fs::write(place.join("libOpenCL.so.1"), "no library").expect("a file");
            command.env("LD_LIBRARY_PATH", place);
        },
    );
}

#[test]
fn a_library_that_is_another_is_told() {
    expect_nothing(
        &test_name!(a_library_that_is_another_is_told),
        "it lacks clGetPlatformIDs",
        |place, command| {
            // A driver is no OpenCL library.
            std::fs::copy(library(), place.join("libOpenCL.so.1")).expect("a copy");
            command.env("LD_LIBRARY_PATH", place);
        },
    );
}

#[test]
fn a_machine_without_drivers_is_told() {
    let test = test_name!(a_machine_without_drivers_is_told);
    expect_nothing(&test, "CL_PLATFORM_NOT_FOUND_KHR", |_, _| {});
}

case! { a_driver_without_platforms_lists_none, "", |_: &Driver| assert!(platforms().is_empty()) }

case! {
    /// A driver that has lost its devices.
    a_platform_without_devices_lists_none, "3.0 devices=0", |_: &Driver| {
        assert_eq!(platforms().len(), 1);
        assert!(devices(platforms()[0]).is_empty());
    }
}
