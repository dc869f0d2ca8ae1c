//! Tests in processes of their own, tried again when they hang.

use super::{End, Run, outcomes, watch};
use crate::expectations::Alone;
use anyhow::Result;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::time::Duration;

/// Runs the tests until an attempt ends by itself, and gives the outcomes of that one. If none
/// does, the test that hung in the last one counts as one that ended the process.
pub fn run(run: &Run, tests: &Alone, log: &File) -> Result<BTreeMap<String, String>> {
    println!("alone: -k '{}': {}", tests.expression, tests.reason);
    let record = run.folder.join("record-alone");
    for attempt in 1..=tests.attempts {
        fs::write(&record, "")?;
        let mut pytest = run.pytest(&record, log)?;
        pytest.args(["-k", &tests.expression]);
        pytest.arg(run.tests.join(&tests.file));
        let end = watch(&mut pytest, &record, Duration::from_secs(tests.seconds))?;
        let outcomes = outcomes(&record)?;
        let hung = outcomes.values().any(|outcome| outcome == "started");
        match end {
            End::Regular => {
                for (test, outcome) in &outcomes {
                    println!("{test}: {outcome} at attempt {attempt}");
                }
                return Ok(outcomes);
            }
            // A process that ended without a signal of ours, or before a test began, is no hang.
            End::Early(how) if !hung || !how.starts_with("no progress") => {
                println!("attempt {attempt}: {how}");
                let mut outcomes = outcomes;
                outcomes.insert(format!("the process itself: {how}"), "failed".to_owned());
                return Ok(outcomes);
            }
            End::Early(_) if attempt == tests.attempts => {
                println!("{attempt} attempts hung");
                return Ok(outcomes);
            }
            End::Early(_) => {}
        }
    }
    Ok(BTreeMap::new())
}
