//! Failures that are known: `[[known]]` with `pattern`, a regular expression for names of tests, and
//! `reason`, which says what rule of the API is broken and by whom.

use anyhow::{Context, Result, ensure};
use regex_lite::Regex;
use serde::Deserialize;
use std::path::Path;

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    known: Vec<Entry>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    pattern: String,
    reason: String,
}

/// Failures that are known.
#[derive(Debug, Default)]
pub(super) struct Known(Vec<(Regex, String)>);

impl Known {
    /// Reads a file.
    ///
    /// # Errors
    /// The file cannot be read or understood, or a reason is missing.
    pub(super) fn read(path: &Path) -> Result<Known> {
        let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
        Known::parse(&text).with_context(|| path.display().to_string())
    }

    fn parse(text: &str) -> Result<Known> {
        let file: File = toml::from_str(text)?;
        let mut all = Vec::new();
        for entry in file.known {
            ensure!(
                !entry.reason.trim().is_empty(),
                "{}: no reason",
                entry.pattern
            );
            // The whole name: a pattern must not catch more than it says.
            let whole = Regex::new(&format!("^(?:{})$", entry.pattern))?;
            all.push((whole, entry.reason));
        }
        Ok(Known(all))
    }

    /// Why a test is known to fail.
    pub(super) fn reason(&self, name: &str) -> Option<&str> {
        let found = self.0.iter().find(|(pattern, _)| pattern.is_match(name));
        found.map(|(_, reason)| reason.as_str())
    }

    /// Patterns that are the name of none of these tests.
    pub(super) fn unused<'a>(&self, names: impl Iterator<Item = &'a str> + Clone) -> Vec<String> {
        let unused = |p: &Regex| !names.clone().any(|name| p.is_match(name));
        let patterns = self.0.iter().filter(|(p, _)| unused(p));
        patterns.map(|(p, _)| p.as_str().to_owned()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_whole_names_and_have_reasons() {
        let known = "[[known]]\npattern = 'queue::.*\\[x:0\\]'\nreason = 'r'\n";
        let known = Known::parse(known).expect("it can be read");
        assert_eq!(known.reason("queue::finish[x:0]"), Some("r"));
        assert_eq!(known.reason("queue::finish[x:01]"), None);
        assert_eq!(known.reason("a::queue::finish[x:0]"), None);
        assert_eq!(known.unused(["queue::a[x:0]"].into_iter()), [""; 0]);
        assert_eq!(known.unused(["queue::a[y:0]"].into_iter()).len(), 1);
        assert!(Known::parse("[[known]]\npattern = 'a'\nreason = ' '").is_err());
        assert!(Known::parse("[[known]]\npattern = 'a'").is_err());
    }
}
