//! What came of each test.

use super::protocol::Verdict;
use serde::Serialize;
use std::time::Duration;

/// What came of a test.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Outcome {
    /// The test.
    pub(super) name: String,
    /// How it ended.
    pub(super) verdict: Verdict,
    /// Why, unless it passed.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(super) message: String,
    /// What it printed, if it is not in order.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(super) output: String,
    /// Why a failure is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) known: Option<String>,
    /// Whether a known failure comes and goes.
    #[serde(skip)]
    pub(super) sometimes: bool,
    /// How long it took, in seconds.
    pub(super) seconds: f64,
}

impl Outcome {
    pub(super) fn new(name: &str, verdict: Verdict, message: String, time: Duration) -> Outcome {
        Outcome {
            name: name.to_owned(),
            verdict,
            message,
            output: String::new(),
            known: None,
            sometimes: false,
            seconds: time.as_secs_f64(),
        }
    }

    /// The part of the name before the first `::`.
    pub(super) fn suite(&self) -> &str {
        self.name.split("::").next().unwrap_or_default()
    }

    /// The name without the device.
    pub(super) fn case(&self) -> &str {
        self.name
            .rsplit_once('[')
            .map_or(&self.name, |(case, _)| case)
    }

    /// Whether nothing has to be done about it: in order, or a failure that is known.
    pub(super) fn good(&self) -> bool {
        match self.known {
            Some(_) => self.sometimes || self.verdict != Verdict::Passed,
            None => self.verdict.good(),
        }
    }

    /// How it ended, as a word.
    pub(super) fn word(&self) -> &'static str {
        match (&self.known, self.verdict) {
            (Some(_), Verdict::Passed) if !self.sometimes => "passed though known to fail",
            (Some(_), Verdict::Failed | Verdict::Crashed | Verdict::Hung) => "known",
            (_, verdict) => verdict.word(),
        }
    }
}
