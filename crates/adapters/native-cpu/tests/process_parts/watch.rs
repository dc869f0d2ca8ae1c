//! Starts the test program again and watches it end.

use std::io::Read;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

/// Longest that a process may take from its decision to end until it is gone.
pub const LIMIT: Duration = Duration::from_secs(1);

/// Longest that a scenario may take in all.
const PATIENCE: Duration = Duration::from_secs(120);

/// Before the time at which a process begins to end.
const MARK: &str = "leaving at ";

/// Nanoseconds of a clock that all processes share.
fn now() -> u64 {
    // SAFETY: any bits are a time.
    let mut time: libc::timespec = unsafe { std::mem::zeroed() };
    // SAFETY: the clock exists and the place is valid.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// Says that the process is about to end.
pub fn leaving() {
    let line = format!("\n{MARK}{}\n", now());
    // SAFETY: the bytes are there. Not through a stream, whose lock may be taken.
    unsafe { libc::write(1, line.as_ptr().cast(), line.len()) };
}

/// How a process ended.
pub struct End {
    /// Its exit code; none when a signal ended it.
    pub code: Option<i32>,
    /// From [`leaving`] until it was gone.
    pub leaving: Duration,
}

/// Runs a command to its end.
pub fn watch(command: &mut Command) -> End {
    let text = format!("{command:?}");
    let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
    let id = child.id();
    let mut output = child.stdout.take().unwrap();
    let (done, ended) = mpsc::channel();
    let waiter = std::thread::spawn(move || {
        let status = child.wait().unwrap();
        let _ = done.send((status, now()));
    });
    let Ok((status, gone)) = ended.recv_timeout(PATIENCE) else {
        // SAFETY: the process is a child of this one that was not waited for.
        unsafe { libc::kill(id as libc::pid_t, libc::SIGKILL) };
        panic!("{text} hangs");
    };
    waiter.join().unwrap();
    let mut said = String::new();
    output.read_to_string(&mut said).unwrap();
    let left = said
        .lines()
        .filter_map(|line| line.strip_prefix(MARK)?.parse::<u64>().ok())
        .next_back();
    End {
        code: status.code(),
        leaving: Duration::from_nanos(left.map_or(0, |left| gone - left)),
    }
}

/// Checks that a process ends with `code`, and within [`LIMIT`]. Another process may have the CPU, so
/// one of three tries must be quick.
pub fn ends(what: &str, code: i32, mut run: impl FnMut() -> End) {
    let mut quickest = Duration::MAX;
    for _ in 0..3 {
        let end = run();
        assert_eq!(end.code, Some(code), "{what}");
        quickest = quickest.min(end.leaving);
        if quickest < LIMIT {
            return;
        }
    }
    panic!("{what} took {quickest:?} at best");
}

/// Plays a scenario of this test program; its only test that does something is called `scenario`.
pub fn play(variable: &str, scenario: &str) -> End {
    play_with(variable, scenario, &[])
}

/// As [`play`], with further variables.
pub fn play_with(variable: &str, scenario: &str, variables: &[(&str, &str)]) -> End {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(["--exact", "scenario", "--nocapture", "--test-threads=1"])
        .env(variable, scenario)
        .envs(variables.iter().copied());
    // Scenarios end in the middle of things, with memory and handles leaked on purpose; under a
    // sanitizer all but that is looked for.
    for options in ["ASAN_OPTIONS", "LSAN_OPTIONS"] {
        let given = std::env::var(options).unwrap_or_default();
        command.env(options, format!("{given}:detect_leaks=0"));
    }
    watch(&mut command)
}
