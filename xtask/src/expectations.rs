//! What of a client's suite is left out and what may fail, from tests/clients/*.toml.

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
    known_failure: Vec<KnownFailure>,
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
            .filter(|entry| entry.adapter == adapter)
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

    /// Why a test may fail, or nothing when it must not.
    pub fn may_fail(&self, adapter: &str, runtime: &str, test: &str) -> Option<&str> {
        let name = test.split_once('[').map_or(test, |(name, _)| name);
        self.known_failure
            .iter()
            .find(|known| {
                known.adapter == adapter
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
