//! The real mock adapter behind the linked loader, with callbacks set from C.

#[allow(dead_code, reason = "parts for other tests")]
mod build;

use build::folder;
use std::path::PathBuf;
use std::process::Command;

/// The adapter's library, which cargo built beside this test, under the name loaders look for.
fn mock() -> PathBuf {
    let test = std::env::current_exe().expect("a path");
    let built = test.with_file_name("libur_adapter_mock.so");
    let place = folder("mock").join("libur_adapter_mock.so.0");
    std::fs::copy(&built, &place).unwrap_or_else(|error| panic!("{}: {error}", built.display()));
    place
}

#[test]
fn callbacks_in_c() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let program = folder("bin").join("mock_callbacks");
    let mock = mock();
    let output = Command::new("gcc")
        .args(["-std=c11", "-Wall", "-Wextra", "-Werror", "-I"])
        .arg(format!("{root}/include"))
        .arg(format!("{root}/examples/mock_callbacks.c"))
        .args([build::loader(), &mock])
        .arg("-o")
        .arg(&program)
        .output()
        .expect("the compiler starts");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");

    let loader = build::loader().parent().expect("a folder");
    let adapters = mock.parent().expect("a folder");
    let output = Command::new(&program)
        .env_clear()
        .env(
            "LD_LIBRARY_PATH",
            format!("{}:{}", loader.display(), adapters.display()),
        )
        .output()
        .expect("the program starts");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    let lines = String::from_utf8_lossy(&output.stdout).into_owned();
    let mut lines: Vec<&str> = lines.lines().collect();
    // Whatever the mock itself says, it is not what the callback said.
    let own = lines.remove(6);
    assert!(
        own.starts_with("without a callback: ") && !own.ends_with(": 7"),
        "{own}"
    );
    assert_eq!(
        lines,
        [
            "context 1: 0",
            "context 2: 0",
            // UR_RESULT_ERROR_OUT_OF_RESOURCES
            "context 3: 40",
            "context 4: 0",
            "queues: 3",
            "compute units: 7",
            // UR_RESULT_ERROR_INVALID_ENUMERATION
            "no such moment: 53",
            "objects left: 0",
        ]
    );
}
