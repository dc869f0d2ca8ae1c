//! Tests in processes of their own, tried again when they hang.

use super::{End, NO_PROGRESS, Run, outcomes, watch};
use crate::expectations::Alone;
use anyhow::Result;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::time::Duration;

/// Runs the tests until an attempt ends by itself, and gives the outcomes of that one. If none
/// does, that is one failure.
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
        match end {
            End::Regular => {
                for (test, outcome) in &outcomes {
                    println!("{test}: {outcome} at attempt {attempt}");
                }
                return Ok(outcomes);
            }
            // It ended itself, so it did not hang.
            End::Early(how) if !how.starts_with(NO_PROGRESS) => {
                println!("attempt {attempt}: {how}");
                let mut outcomes = outcomes;
                outcomes.insert(format!("the process itself: {how}"), "failed".to_owned());
                return Ok(outcomes);
            }
            End::Early(_) => {}
        }
    }
    println!("{} attempts hung", tests.attempts);
    let hung = format!("{}::{}", tests.file, tests.expression);
    Ok(BTreeMap::from([(hung, "failed".to_owned())]))
}
