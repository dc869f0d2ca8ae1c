//! Results as text.

use super::protocol::Verdict;
use super::result::Outcome;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::Duration;

/// A test that is not in order.
pub(super) fn line(outcome: &Outcome) -> String {
    let mut line = format!("{}: {}", outcome.word(), outcome.name);
    if !outcome.message.is_empty() {
        line.push_str(&format!("\n    {}", outcome.message));
    }
    for printed in outcome.output.lines().filter(|line| !line.is_empty()) {
        line.push_str(&format!("\n    | {printed}"));
    }
    line
}

/// Numbers of a suite.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Count {
    pub(super) passed: usize,
    pub(super) unsupported: usize,
    pub(super) known: usize,
    pub(super) bad: usize,
    pub(super) seconds: f64,
}

impl Count {
    fn add(&mut self, outcome: &Outcome) {
        match (outcome.good(), outcome.known.is_some(), outcome.verdict) {
            (false, _, _) => self.bad += 1,
            (_, _, Verdict::Unsupported) => self.unsupported += 1,
            (_, true, verdict) if verdict != Verdict::Passed => self.known += 1,
            _ => self.passed += 1,
        }
        self.seconds += outcome.seconds;
    }

    /// Tests together.
    pub(super) fn tests(&self) -> usize {
        self.passed + self.unsupported + self.known + self.bad
    }
}

/// The numbers of each suite, and of all.
pub(super) fn counts(outcomes: &[Outcome]) -> (BTreeMap<&str, Count>, Count) {
    let mut suites: BTreeMap<&str, Count> = BTreeMap::new();
    let mut all = Count::default();
    for outcome in outcomes {
        suites.entry(outcome.suite()).or_default().add(outcome);
        all.add(outcome);
    }
    (suites, all)
}

/// A table by suite, and a last line with all.
pub(super) fn table(outcomes: &[Outcome], time: Duration) -> String {
    let (suites, all) = counts(outcomes);
    let wide = suites.keys().map(|s| s.len()).max().unwrap_or(0).max(5);
    let mut out = format!(
        "{:wide$} {:>6} {:>6} {:>11} {:>6} {:>6} {:>8}\n",
        "suite", "tests", "passed", "unsupported", "known", "bad", "seconds"
    );
    let rows = suites.iter().map(|(name, count)| (*name, count));
    for (name, count) in rows.chain([("all", &all)]) {
        let _ = writeln!(
            out,
            "{name:wide$} {:>6} {:>6} {:>11} {:>6} {:>6} {:>8.2}",
            count.tests(),
            count.passed,
            count.unsupported,
            count.known,
            count.bad,
            count.seconds
        );
    }
    let distinct: std::collections::BTreeSet<&str> = outcomes.iter().map(Outcome::case).collect();
    let _ = write!(
        out,
        "{} tests ({} distinct) in {:.1} s: {} passed, {} unsupported, {} known failures, {} not in order",
        all.tests(),
        distinct.len(),
        time.as_secs_f64(),
        all.passed,
        all.unsupported,
        all.known,
        all.bad
    );
    out
}
