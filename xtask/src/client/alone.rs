//! Tests in processes of their own, tried again when they hang.

use super::{End, NO_PROGRESS, Run, outcomes, watch};
use crate::expectations::Alone;
use anyhow::{Result, anyhow};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::thread;
use std::time::Duration;

/// How many attempts run at once. One that hangs does nothing, so it costs the others nothing.
const AT_ONCE: u32 = 6;

/// What each test came to.
type Outcomes = BTreeMap<String, String>;

/// Runs the tests until an attempt ends by itself, and gives the outcomes of the first one that
/// did; of those that ran at once, one with a failure goes before the others. If none ends, that is
/// one failure.
pub fn run(run: &Run, tests: &Alone, log: &File) -> Result<Outcomes> {
    println!("alone: -k '{}': {}", tests.expression, tests.reason);
    let mut next = 1;
    while next <= tests.attempts {
        let last = tests.attempts.min(next + AT_ONCE - 1);
        let ended = thread::scope(|scope| {
            let threads: Vec<_> = (next..=last)
                .map(|number| {
                    (
                        number,
                        scope.spawn(move || attempt(run, tests, number, log)),
                    )
                })
                .collect();
            let mut ended = Vec::new();
            for (number, thread) in threads {
                let result = thread.join().map_err(|_| anyhow!("an attempt panicked"))?;
                ended.extend(result?.map(|outcomes| (number, outcomes)));
            }
            anyhow::Ok(ended)
        })?;
        let failed = |outcomes: &Outcomes| outcomes.values().any(|o| o == "failed");
        let decides = ended.iter().find(|(_, outcomes)| failed(outcomes));
        if let Some((number, outcomes)) = decides.or(ended.first()) {
            for (test, outcome) in outcomes {
                println!("{test}: {outcome} at attempt {number}");
            }
            return Ok(outcomes.clone());
        }
        next = last + 1;
    }
    println!("{} attempts hung", tests.attempts);
    let hung = format!("{}::{}", tests.file, tests.expression);
    Ok(BTreeMap::from([(hung, "failed".to_owned())]))
}

/// One attempt; nothing if it hung.
fn attempt(run: &Run, tests: &Alone, number: u32, log: &File) -> Result<Option<Outcomes>> {
    let record = run.folder.join(format!("record-alone-{number}"));
    fs::write(&record, "")?;
    let mut pytest = run.pytest(&record, log)?;
    pytest
        .args(["-k", &tests.expression])
        .arg(run.tests.join(&tests.file));
    let end = watch(&mut pytest, &record, Duration::from_secs(tests.seconds))?;
    let mut outcomes = outcomes(&record)?;
    fs::remove_file(&record)?;
    Ok(match end {
        End::Regular => Some(outcomes),
        End::Early(how) if how.starts_with(NO_PROGRESS) => None,
        // It ended itself, so it did not hang.
        End::Early(how) => {
            outcomes.insert(format!("the process itself: {how}"), "failed".to_owned());
            Some(outcomes)
        }
    })
}
