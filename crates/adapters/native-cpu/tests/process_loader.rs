//! Endings of C and Python programs that use the built loader, with our adapter alone and with two
//! more, and of C programs that open the adapter by themselves.

mod process_parts;

use process_parts::watch;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

const CODE: i32 = 37;
const LOADER: &str = "lib/libur_loader.so.0";
const ADAPTER: &str = "lib/libur_adapter_native_cpu.so.0";
const MOCK: &str = "lib/libur_adapter_mock.so.0";
const PARTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/process_parts");

fn dist(part: &str) -> PathBuf {
    let root = std::env::var_os("UR_DIST_DIR").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../target/dist"),
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

/// The C program, built for one test.
fn client(test: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let program = folder.join(format!("process-{test}"));
    let headers = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../include");
    let output = Command::new("cc")
        .args(["-std=gnu11", "-Wall", "-Wextra", "-Werror", "-O1", "-o"])
        .arg(&program)
        .arg(Path::new(PARTS).join("client.c"))
        .args(["-I", headers, "-ldl", "-lpthread"])
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    program
}

/// The adapters that the loader has: ours, or with it the mock and a copy of the mock.
#[derive(Clone, Copy)]
enum Adapters {
    One,
    Three,
}

impl Adapters {
    fn list(self) -> String {
        let one = dist(ADAPTER).display().to_string();
        match self {
            Adapters::One => one,
            Adapters::Three => {
                let mock = dist(MOCK);
                // Another file is another adapter.
                static COPY: OnceLock<PathBuf> = OnceLock::new();
                let copy = COPY.get_or_init(|| {
                    let name = format!("another-mock-{}.so", std::process::id());
                    let copy = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
                    std::fs::copy(&mock, &copy).unwrap();
                    copy
                });
                format!("{one},{},{}", mock.display(), copy.display())
            }
        }
    }
}

/// Runs a program and checks its exit code and that it ended quickly.
fn ends(program: &mut Command, adapters: Adapters, code: i32) {
    program
        .env("UR_ADAPTERS_FORCE_LOAD", adapters.list())
        .env_remove("ONEAPI_DEVICE_SELECTOR");
    let text = format!("{program:?}");
    watch::ends(&text, code, || watch::watch(program));
}

const STATES: [&str; 5] = ["idle", "released", "pending", "blocked", "busy"];
const ENDINGS: [&str; 5] = ["return", "exit", "quick_exit", "_exit", "thread"];

fn c_programs(test: &str, library: &str, adapters: Adapters) {
    let client = client(test);
    let library = dist(library);
    for state in STATES {
        for ending in ENDINGS {
            ends(
                Command::new(&client).arg(&library).args([state, ending]),
                adapters,
                CODE,
            );
        }
        if state != "released" {
            ends(
                Command::new(&client).arg(&library).args([state, "atexit"]),
                adapters,
                CODE,
            );
        }
        if state != "busy" {
            // Who calls into a closed library has itself to blame.
            for ending in ["dlclose", "reopen"] {
                ends(
                    Command::new(&client).arg(&library).args([state, ending]),
                    adapters,
                    CODE,
                );
            }
        }
    }
}

#[test]
fn c_programs_with_the_loader() {
    c_programs("loader", LOADER, Adapters::One);
}

#[test]
fn c_programs_with_the_loader_and_three_adapters() {
    c_programs("three", LOADER, Adapters::Three);
}

#[test]
fn c_programs_with_the_adapter_alone() {
    c_programs("adapter", ADAPTER, Adapters::One);
}

#[test]
fn python_programs() {
    let script = Path::new(PARTS).join("client.py");
    for (ending, code) in [
        ("end", 0),
        ("exit", CODE),
        ("_exit", CODE),
        ("atexit", CODE),
        ("raise", 1),
        ("threads", CODE),
        ("fork", CODE),
    ] {
        for adapters in [Adapters::One, Adapters::Three] {
            let mut python = Command::new("python3");
            python.arg(&script).arg(dist(LOADER)).arg(ending);
            ends(&mut python, adapters, code);
        }
    }
}
