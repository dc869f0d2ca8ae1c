//! What a worker and its parent say to each other. The parent writes the number of a test in a line
//! to the worker's standard input; the worker writes events as lines of JSON to a pipe.

use crate::test::Environment;
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::os::fd::{FromRawFd, OwnedFd};

/// Variable with the number of the pipe that a worker writes to.
pub(super) const PIPE: &str = "UR_CTS_PIPE";
/// Variable with the path of the account of what was exercised.
pub(super) const COVERAGE: &str = "UR_CTS_COVERAGE";

/// A test as the parent knows it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Listed {
    pub(super) name: String,
    pub(super) environment: Environment,
}

/// What a worker says.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) enum Event {
    /// The loader cannot be used.
    Broken(String),
    /// All tests; said once, before any runs.
    Tests(Vec<Listed>),
    /// A test begins; so many bytes were printed before.
    Started { index: usize, printed: u64 },
    /// A test has ended.
    Ended {
        index: usize,
        verdict: Verdict,
        message: String,
    },
    /// Everything was given back.
    Stopped { problem: Option<String> },
}

/// How a test ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// As the API says.
    Passed,
    /// What it is about is not there, by the implementation's own words.
    Unsupported,
    /// Not as the API says.
    Failed,
    /// The process ended in it.
    Crashed,
    /// It took longer than it may.
    Hung,
}

impl Verdict {
    /// Whether the test is in order.
    pub fn good(self) -> bool {
        matches!(self, Verdict::Passed | Verdict::Unsupported)
    }

    /// As a word.
    pub fn word(self) -> &'static str {
        match self {
            Verdict::Passed => "passed",
            Verdict::Unsupported => "unsupported",
            Verdict::Failed => "failed",
            Verdict::Crashed => "crashed",
            Verdict::Hung => "hung",
        }
    }
}

/// The pipe to the parent, in a worker; none elsewhere. Programs that tests start do not get it.
pub(super) fn worker_pipe() -> Option<File> {
    let number: i32 = std::env::var(PIPE).ok()?.parse().ok()?;
    // SAFETY: the number of a descriptor; a wrong one gives an error.
    let set = unsafe { libc::fcntl(number, libc::F_SETFD, libc::FD_CLOEXEC) };
    // SAFETY: no other thread runs yet.
    unsafe { std::env::remove_var(PIPE) };
    // SAFETY: the descriptor is open, and the parent made it for this use alone.
    (set == 0).then(|| File::from(unsafe { OwnedFd::from_raw_fd(number) }))
}
