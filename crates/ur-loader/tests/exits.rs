//! However a program ends that has the loader open, with no adapter or several, its exit code is
//! kept, and it ends quickly.

#[allow(dead_code, reason = "parts for other tests")]
mod build;

use build::adapter;
use std::io::Read;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const WAYS: [&str; 14] = [
    "return",
    "close",
    "exit",
    "quick_exit",
    "_exit",
    "thread",
    "atexit",
    "destructor",
    "fork",
    "threads",
    "unused",
    "unused_close",
    "first_fork",
    "first_threads",
];

/// Longest that a process may take from its decision to end until it is gone.
const LIMIT: Duration = Duration::from_secs(1);

/// Longest that a program may take in all.
const PATIENCE: Duration = Duration::from_secs(60);

/// A clock that all processes share.
fn now() -> Duration {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: the clock exists and the place is valid.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut time) };
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// Runs the program and gives its exit code and how long it took to leave.
fn run(adapters: usize, handles: &str, way: &str) -> (Option<i32>, Duration) {
    let names = ["one", "two", "three"].map(|name| adapter(name).display().to_string());
    let mut command = Command::new(build::opener());
    command
        .arg(build::loader())
        .args([&adapters.to_string(), handles, way])
        .env_clear()
        .stdout(Stdio::piped());
    if adapters > 0 {
        command.env("UR_ADAPTERS_FORCE_LOAD", names[..adapters].join(","));
    }
    let mut child = command.spawn().expect("the program starts");
    let start = Instant::now();
    // A hang is the failure to look for: without a limit the test would hang with it.
    let status = loop {
        if let Some(status) = child.try_wait().expect("a status") {
            break status;
        }
        if start.elapsed() > PATIENCE {
            child.kill().expect("the program can be ended");
            panic!("{adapters} adapters, {handles}, {way}: hangs");
        }
        std::thread::sleep(Duration::from_millis(1));
    };
    let gone = now();
    let mut said = String::new();
    let mut output = child.stdout.take().expect("a stream");
    output.read_to_string(&mut said).expect("text");
    let left = said
        .lines()
        .filter_map(|line| line.strip_prefix("leaving at ")?.parse().ok())
        .next_back();
    let leaving = left.map_or(Duration::ZERO, |left| gone - Duration::from_nanos(left));
    (status.code(), leaving)
}

#[test]
fn every_way_to_end_keeps_the_exit_code_and_is_quick() {
    for adapters in [0, 1, 3] {
        for handles in ["released", "leaked"] {
            for way in WAYS {
                let case = format!("{adapters} adapters, {handles}, {way}");
                // Another process may have the CPU, so one of three tries must be quick.
                let quick = (0..3).any(|_| {
                    let (code, leaving) = run(adapters, handles, way);
                    assert_eq!(code, Some(7), "{case}");
                    leaving < LIMIT
                });
                assert!(quick, "{case}: takes longer than {LIMIT:?} to leave");
            }
        }
    }
}
