//! Counting results, and the line that ends a run of tests.

use std::fmt;
use std::ops::AddAssign;

/// Numbers of tests by outcome. Its display is the figure of every command that runs tests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Ran and held.
    pub passed: u64,
    /// Ran and did not hold, or could not be built, or ended the process.
    pub failed: u64,
    /// Did not run.
    pub skipped: u64,
}

impl Tally {
    /// One check that held or did not.
    pub fn one(passed: bool) -> Self {
        Tally {
            passed: u64::from(passed),
            failed: u64::from(!passed),
            skipped: 0,
        }
    }

    /// One check that did not run.
    pub fn skip() -> Self {
        Tally {
            skipped: 1,
            ..Self::default()
        }
    }

    /// Whether something ran and nothing failed.
    pub fn good(&self) -> bool {
        self.failed == 0 && self.passed > 0
    }

    /// The counts in a line of Rust's test harness, `test result: ok. 3 passed; 0 failed; …`.
    pub fn from_harness_line(line: &str) -> Option<Self> {
        let rest = line.strip_prefix("test result: ")?;
        let (_, counts) = rest.split_once(". ")?;
        let mut tally = Self::default();
        for part in counts.split("; ") {
            let (number, what) = part.trim().split_once(' ')?;
            let slot = match what {
                "passed" => &mut tally.passed,
                "failed" => &mut tally.failed,
                "ignored" => &mut tally.skipped,
                _ => continue,
            };
            *slot = number.parse().ok()?;
        }
        Some(tally)
    }
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.skipped += other.skipped;
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} passed, {} failed, {} skipped",
            self.passed, self.failed, self.skipped
        )
    }
}

#[cfg(test)]
mod tests {
    use super::Tally;

    #[test]
    fn reads_the_harness_line() {
        let line = "test result: FAILED. 12 passed; 3 failed; 4 ignored; 0 measured; 9 filtered out; finished in 0.01s";
        let tally = Tally::from_harness_line(line).expect("a result line");
        assert_eq!(tally.to_string(), "12 passed, 3 failed, 4 skipped");
        assert!(!tally.good());
        assert_eq!(Tally::from_harness_line("test result: ok"), None);
        assert_eq!(Tally::from_harness_line("test a ... ok"), None);
    }

    #[test]
    fn nothing_run_is_not_good() {
        assert!(!Tally::default().good());
        assert!(!Tally::skip().good());
        assert!(Tally::one(true).good());
    }
}
