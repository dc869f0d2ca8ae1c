//! What of a client's suite is left out and what may fail, from tests/clients/*.toml.
//!
//! An adapter here may also be a list of them with commas, for which counts what counts for any.

use crate::repo;
use anyhow::{Context, Result};
use serde::Deserialize;
use std::fs;

/// One file of expectations.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Expectations {
    /// Files that run when the caller names none; the whole suite when empty.
    #[serde(default)]
    pub files: Vec<String>,
    #[serde(default)]
    left_out: Vec<LeftOut>,
    #[serde(default)]
    alone: Vec<Alone>,
    #[serde(default)]
    known_failure: Vec<KnownFailure>,
}

/// Tests that may hang for a reason which is not ours, so that they run in a process of their own,
/// again when they hang. A failure is a failure, whichever attempt it is.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Alone {
    adapter: String,
    /// The file they are in.
    pub file: String,
    /// Which tests, in the language of pytest's -k.
    pub expression: String,
    /// How often they are tried.
    pub attempts: u32,
    /// After how many seconds without any progress an attempt has hung.
    pub seconds: u64,
    /// Why they may hang.
    pub reason: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct LeftOut {
    adapter: String,
    expression: String,
    reason: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct KnownFailure {
    adapter: String,
    runtime: Option<String>,
    test: String,
    reason: String,
}

/// Whether the adapter is one of the list.
fn among(list: &str, adapter: &str) -> bool {
    list.split(',').any(|one| one == adapter)
}

impl Expectations {
    /// Reads the file of a suite.
    pub fn read(suite: &str) -> Result<Self> {
        let path = repo::root().join(format!("tests/clients/{suite}.toml"));
        let text =
            fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        toml::from_str(&text).with_context(|| format!("in {}", path.display()))
    }

    /// The expression that leaves out what cannot run on the adapter, with the reasons.
    pub fn left_out(&self, adapter: &str) -> Option<(String, String)> {
        let of_adapter: Vec<_> = self
            .left_out
            .iter()
            .filter(|entry| among(adapter, &entry.adapter))
            .collect();
        if of_adapter.is_empty() {
            return None;
        }
        let expressions: Vec<_> = of_adapter
            .iter()
            .map(|entry| format!("not ({})", entry.expression))
            .collect();
        let reasons: Vec<_> = of_adapter.iter().map(|e| e.reason.as_str()).collect();
        Some((expressions.join(" and "), reasons.join(" ")))
    }

    /// The tests that run in processes of their own on the adapter.
    pub fn alone<'a>(&'a self, adapter: &'a str) -> impl Iterator<Item = &'a Alone> {
        self.alone
            .iter()
            .filter(move |entry| among(adapter, &entry.adapter))
    }

    /// The expression for all that is neither left out nor run alone.
    pub fn of_the_main_run(&self, adapter: &str) -> Option<String> {
        let left_out = self.left_out(adapter).map(|(expression, _)| expression);
        let alone = self
            .alone(adapter)
            .map(|entry| format!("not ({})", entry.expression));
        let all: Vec<_> = left_out.into_iter().chain(alone).collect();
        (!all.is_empty()).then(|| all.join(" and "))
    }

    /// Why a test may fail, or nothing when it must not.
    pub fn may_fail(&self, adapter: &str, runtime: &str, test: &str) -> Option<&str> {
        let name = test.split_once('[').map_or(test, |(name, _)| name);
        self.known_failure
            .iter()
            .find(|known| {
                among(adapter, &known.adapter)
                    && known.runtime.as_deref().is_none_or(|r| r == runtime)
                    && name.ends_with(&known.test)
            })
            .map(|known| known.reason.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::Expectations;

    #[test]
    fn the_files_of_the_repository_are_readable() {
        for suite in ["dpctl", "dpnp"] {
            Expectations::read(suite).expect("a readable file");
        }
    }

    #[test]
    fn what_runs_alone_is_not_in_the_main_run() {
        let expectations: Expectations = toml::from_str(
            "[[left-out]]\nadapter = 'a'\nexpression = 'x or y'\nreason = 'why'\n\
             [[alone]]\nadapter = 'a'\nfile = 'f'\nexpression = 'z'\nattempts = 2\nseconds = 9\nreason = 'why'\n",
        )
        .expect("valid");
        assert_eq!(
            expectations.of_the_main_run("a").as_deref(),
            Some("not (x or y) and not (z)")
        );
        assert_eq!(
            expectations.of_the_main_run("b,a"),
            expectations.of_the_main_run("a")
        );
        assert_eq!(expectations.of_the_main_run("b"), None);
        assert_eq!(expectations.alone("a").count(), 1);
    }

    #[test]
    fn only_the_named_test_may_fail_and_only_there() {
        let expectations: Expectations = toml::from_str(
            "[[known-failure]]\nadapter = 'a'\nruntime = '2026.1'\ntest = 't.py::one'\nreason = 'why'\n",
        )
        .expect("valid");
        assert_eq!(
            expectations.may_fail("a", "2026.1", "x/t.py::one[p-1]"),
            Some("why")
        );
        assert_eq!(expectations.may_fail("a", "2026.2", "x/t.py::one"), None);
        assert_eq!(expectations.may_fail("b", "2026.1", "x/t.py::one"), None);
        assert_eq!(
            expectations.may_fail("a", "2026.1", "x/t.py::one_more"),
            None
        );
    }
}
