//! Runs `cargo test` and counts what its test programs report.

use crate::process;
use crate::tally::Tally;
use anyhow::{Context, Result};
use std::io::{BufRead, BufReader, Read};
use std::process::{Command, Stdio};
use std::thread;

/// Runs a `cargo test` command, passing its output on, and adds up the results of all its test
/// programs. A program that ends without a result line (it crashed, or did not compile) counts as
/// one failure.
pub fn run(command: &mut Command) -> Result<Tally> {
    eprintln!("$ {}", process::shown(command));
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .with_context(|| format!("cannot run `{}`", process::shown(command)))?;

    // Cargo names each program on standard error; the programs report on standard output.
    let stderr = child.stderr.take().context("standard error is a pipe")?;
    let started = thread::spawn(move || {
        let mut started = 0u64;
        for_each_line(stderr, |line| {
            eprintln!("{line}");
            let words = line.trim_start();
            started += u64::from(words.starts_with("Running ") || words.starts_with("Doc-tests "));
        });
        started
    });

    let stdout = child.stdout.take().context("standard output is a pipe")?;
    let mut tally = Tally::default();
    let mut reported = 0u64;
    for_each_line(stdout, |line| {
        if let Some(result) = Tally::from_harness_line(line) {
            tally += result;
            reported += 1;
        }
        let quiet = line.is_empty() || line.ends_with(" ... ok") || line.starts_with("running ");
        if !quiet {
            println!("{line}");
        }
    });

    let status = child.wait()?;
    let started = started.join().unwrap_or(0);
    tally.failed += started.saturating_sub(reported);
    if !status.success() && tally.failed == 0 {
        tally.failed = 1;
    }
    Ok(tally)
}

/// Calls `f` with each line, without its end; bytes that are not UTF-8 are replaced.
fn for_each_line(stream: impl Read, mut f: impl FnMut(&str)) {
    let mut reader = BufReader::new(stream);
    let mut line = Vec::new();
    while matches!(reader.read_until(b'\n', &mut line), Ok(1..)) {
        f(String::from_utf8_lossy(&line).trim_end_matches(['\n', '\r']));
        line.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::run;
    use std::process::Command;

    fn count(script: &str) -> String {
        run(Command::new("sh").args(["-c", script]))
            .expect("sh runs")
            .to_string()
    }

    #[test]
    fn adds_up_all_programs() {
        let script = "echo '  Running a' >&2; echo 'test result: ok. 2 passed; 0 failed; 1 ignored; 0 measured'; \
                      echo ' Doc-tests b' >&2; echo 'test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured'";
        assert_eq!(count(script), "3 passed, 0 failed, 1 skipped");
    }

    #[test]
    fn a_program_without_a_result_is_a_failure() {
        let script = "echo '  Running a' >&2; echo 'test result: ok. 2 passed; 0 failed; 0 ignored; 0 measured'; \
                      echo '  Running b' >&2; exit 101";
        assert_eq!(count(script), "2 passed, 1 failed, 0 skipped");
    }

    #[test]
    fn what_does_not_compile_is_a_failure() {
        assert_eq!(count("exit 101"), "0 passed, 1 failed, 0 skipped");
    }
}
