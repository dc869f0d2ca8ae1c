//! Failures that are known: `[[known]]` with `reason`, which says what rule of the API is broken, and
//! `pattern`, a regular expression for whole names of tests, or `names`, a list of names without the
//! device in brackets. `adapter` says whose failures the file's names are. A known failure that passes
//! is not in order, unless its entry says that it comes and goes (`sometimes = true`).

use anyhow::{Context, Result, ensure};
use regex_lite::Regex;
use serde::Deserialize;
use std::collections::{HashMap, HashSet};
use std::path::Path;

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    adapter: Option<String>,
    #[serde(default)]
    known: Vec<Entry>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    pattern: Option<String>,
    #[serde(default)]
    names: Vec<String>,
    #[serde(default)]
    sometimes: bool,
    reason: String,
}

/// Why a test fails, and whether always.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Reason {
    pub(super) text: String,
    pub(super) sometimes: bool,
}

/// Failures that are known.
#[derive(Debug, Default)]
pub(super) struct Known {
    /// Part of the label in brackets: `native_cpu`.
    adapter: Option<String>,
    patterns: Vec<(Regex, Reason)>,
    /// The reason by the name without the label.
    names: HashMap<String, Reason>,
}

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
        let mut known = Known {
            adapter: file.adapter,
            ..Known::default()
        };
        for entry in file.known {
            let reason = Reason {
                text: entry.reason,
                sometimes: entry.sometimes,
            };
            let text = reason.text.trim();
            ensure!(!text.is_empty(), "a known failure has no reason");
            let none = entry.pattern.is_none() && entry.names.is_empty();
            ensure!(!none, "no pattern and no names for: {text}");
            if let Some(pattern) = entry.pattern {
                // The whole name: a pattern must not catch more than it says.
                let whole = Regex::new(&format!("^(?:{pattern})$"))?;
                known.patterns.push((whole, reason.clone()));
            }
            for name in entry.names {
                known.names.insert(name, reason.clone());
            }
        }
        Ok(known)
    }

    /// The name without its label, if the label is one that this is about.
    fn case<'a>(&self, name: &'a str) -> Option<&'a str> {
        let (case, label) = name.rsplit_once('[').unwrap_or((name, ""));
        let adapter = label.split([':', '/', '#', ']']).next().unwrap_or_default();
        let own = self.adapter.as_deref();
        (own.is_none_or(|own| own == adapter) || label.is_empty()).then_some(case)
    }

    /// Why a test is known to fail.
    pub(super) fn reason(&self, name: &str) -> Option<&Reason> {
        let case = self.case(name)?;
        if let Some(reason) = self.names.get(case) {
            return Some(reason);
        }
        let found = self.patterns.iter().find(|(p, _)| p.is_match(name));
        found.map(|(_, reason)| reason)
    }

    /// Patterns and names that are those of none of these tests.
    pub(super) fn unused<'a>(&self, names: impl Iterator<Item = &'a str> + Clone) -> Vec<String> {
        let there: HashSet<&str> = names.clone().filter_map(|name| self.case(name)).collect();
        let unused = |p: &Regex| !names.clone().any(|name| p.is_match(name));
        let patterns = self.patterns.iter().filter(|(p, _)| unused(p));
        let patterns = patterns.map(|(p, _)| p.as_str().to_owned());
        let gone = self.names.keys().filter(|n| !there.contains(n.as_str()));
        let mut all: Vec<String> = patterns.chain(gone.cloned()).collect();
        all.sort_unstable();
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text<'a>(known: &'a Known, name: &str) -> Option<&'a str> {
        known.reason(name).map(|reason| reason.text.as_str())
    }

    #[test]
    fn patterns_are_whole_names_and_have_reasons() {
        let known = "[[known]]\npattern = 'queue::.*\\[x:0\\]'\nreason = 'r'\n";
        let known = Known::parse(known).expect("it can be read");
        assert_eq!(text(&known, "queue::finish[x:0]"), Some("r"));
        assert_eq!(text(&known, "queue::finish[x:01]"), None);
        assert_eq!(text(&known, "a::queue::finish[x:0]"), None);
        assert_eq!(known.unused(["queue::a[x:0]"].into_iter()), [""; 0]);
        assert_eq!(known.unused(["queue::a[y:0]"].into_iter()).len(), 1);
        assert!(Known::parse("[[known]]\nreason = 'r'").is_err());
        assert!(Known::parse("[[known]]\npattern = 'a'\nreason = ' '").is_err());
        assert!(Known::parse("[[known]]\npattern = 'a'").is_err());
    }

    #[test]
    fn names_are_those_of_one_adapter() {
        let known = "adapter = 'x'\n[[known]]\nnames = ['a::b', 'a::c']\nreason = 'r'\n";
        let known = Known::parse(known).expect("it can be read");
        for name in ["a::b[x:0]", "a::b[x:7]", "a::c[x]", "a::b[x/0]", "a::c"] {
            assert_eq!(text(&known, name), Some("r"), "{name}");
        }
        for name in ["a::b[y:0]", "a::d[x:0]", "a::b::c[x:0]"] {
            assert_eq!(text(&known, name), None, "{name}");
        }
        assert_eq!(known.unused(["a::b[x:0]"].into_iter()), ["a::c"]);
    }
}
