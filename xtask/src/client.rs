//! `./x client`: the test suites of real clients, from their wheels, on one of our adapters; and
//! what programs call through the released loader and through ours.

mod alone;
mod omp;
mod trace;

use crate::expectations::Expectations;
use crate::tally::Tally;
use crate::venv::{INTEL_OPENCL, Runtime, Venv};
use crate::{build, process, repo, setup};
use anyhow::{Context, Result, bail};
use clap::{Parser, ValueEnum};
use std::collections::BTreeMap;
use std::fmt;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::thread;
use std::time::{Duration, Instant};

/// Which suite, and on what.
#[derive(Parser)]
pub struct Args {
    /// The client whose suite runs, or what is compared
    client: Client,
    /// Release of the SYCL runtime
    #[arg(long, default_value = "2026.2")]
    runtime: Runtime,
    /// Our adapter that runs it; opencl runs on Intel's driver, and so does intel-opencl, the one that
    /// comes with the runtime 2026.1, on our loader. With commas, several in one process
    #[arg(long, default_value = "native-cpu")]
    adapter: String,
    /// Run on the runtime's own loader instead of ours, for comparison; only with intel-opencl
    #[arg(long)]
    released_loader: bool,
    /// End a test after this many seconds without any progress, and count it as failed
    #[arg(long, default_value_t = 600)]
    stall: u64,
    /// Files of the suite, relative to its folder; the set in tests/clients when absent
    files: Vec<String>,
}

impl Args {
    fn adapters(&self) -> Vec<String> {
        self.adapter.split(',').map(str::to_owned).collect()
    }
}

/// What the command runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Client {
    /// dpctl's test suite
    Dpctl,
    /// dpnp's test suite
    Dpnp,
    /// SYCL programs' calls through both loaders, on the runtime 2026.1 and Intel's OpenCL adapter
    Trace,
    /// The OpenMP runtime of 2026.2 on both loaders
    Omp,
}

/// A client with a test suite in its wheel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Suite {
    /// dpctl: devices, contexts, queues, events, memory
    Dpctl,
    /// dpnp: numpy's functions as SYCL kernels
    Dpnp,
}

impl fmt::Display for Suite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Suite::Dpctl => "dpctl",
            Suite::Dpnp => "dpnp",
        })
    }
}

/// Times a suite is taken up again after a test that ended the process.
const MAX_RESTARTS: usize = 50;

/// Runs the suite; the last line is its tally. `Ok(false)` when a test failed that must not.
pub fn run(args: &Args) -> Result<bool> {
    if !setup::ensure()? {
        return Ok(false);
    }
    build::tree()?;
    let suite = match args.client {
        Client::Dpctl => Suite::Dpctl,
        Client::Dpnp => Suite::Dpnp,
        Client::Trace => return compared(trace::run()?),
        Client::Omp => return compared(omp::run()?),
    };
    let outcome = run_suite(suite, args)?;
    println!("{}", outcome.tally);
    Ok(outcome.unexpected == 0 && outcome.tally.passed > 0)
}

/// Prints the figure of a comparison.
fn compared(good: bool) -> Result<bool> {
    println!("{}", trace::figure(good));
    Ok(good)
}

/// What programs call through both loaders, on a built tree.
pub fn comparisons() -> Result<Tally> {
    let mut tally = Tally::one(trace::run()?);
    tally += Tally::one(omp::run()?);
    Ok(tally)
}

/// The suite with its default files on an adapter, on a built tree; known failures count as skipped.
pub fn suite(suite: Suite, runtime: Runtime, adapter: &str) -> Result<Tally> {
    let outcome = run_suite(
        suite,
        &Args {
            client: Client::Dpctl,
            runtime,
            adapter: adapter.into(),
            released_loader: false,
            stall: 600,
            files: Vec::new(),
        },
    )?;
    let mut tally = outcome.tally;
    tally.skipped += tally.failed - outcome.unexpected;
    tally.failed = outcome.unexpected;
    Ok(tally)
}

struct Outcome {
    tally: Tally,
    /// Failures that no expectation names.
    unexpected: u64,
}

/// A suite on an adapter, and where it leaves what it writes.
struct Run<'a> {
    args: &'a Args,
    venv: Venv,
    folder: PathBuf,
    /// The suite's own folder.
    tests: PathBuf,
}

impl Run<'_> {
    /// pytest, whose outcomes go to `record` and whose output goes to `log`.
    fn pytest(&self, record: &Path, log: &File) -> Result<Command> {
        let (mut pytest, _) = self.venv.command_on(&self.args.adapters())?;
        if self.args.released_loader {
            pytest.env("LD_LIBRARY_PATH", self.venv.lib());
        }
        pytest
            .args(["-m", "pytest", "-q", "-p", "no:cacheprovider"])
            .args(["-p", "record"])
            .arg("--rootdir")
            .arg(&self.tests)
            .env("PYTHONPATH", repo::root().join("tests/clients"))
            .env("PYTHONFAULTHANDLER", "1")
            .env("CLIENT_RECORD", record)
            .current_dir(&self.folder)
            .stdout(log.try_clone()?)
            .stderr(log.try_clone()?);
        Ok(pytest)
    }
}

fn run_suite(suite: Suite, args: &Args) -> Result<Outcome> {
    if args.released_loader && args.adapter != INTEL_OPENCL {
        bail!("the released loader runs no adapter of ours; use --adapter {INTEL_OPENCL}");
    }
    let expectations = Expectations::read(&suite.to_string())?;
    let venv = Venv::ensure(args.runtime)?;
    venv.command_on(&args.adapters())?;
    let mut name = format!("{suite}-{}", args.runtime);
    if args.adapter != "native-cpu" {
        name = format!("{name}-{}", args.adapter);
    }
    if args.released_loader {
        name.push_str("-released");
    }
    let run = Run {
        args,
        folder: repo::root().join("target/client").join(name),
        tests: venv.package_dir(&format!("{suite}.tests"))?,
        venv,
    };
    fs::create_dir_all(&run.folder)?;
    let record = run.folder.join("record");
    fs::write(&record, "")?;
    let log_file = run.folder.join("log");
    let log = File::create(&log_file)?;
    eprintln!("pytest writes {}", log_file.display());

    let files = if args.files.is_empty() {
        &expectations.files
    } else {
        &args.files
    };
    let left_out = expectations.left_out(&args.adapter);
    if let Some((expression, reason)) = &left_out {
        println!("left out: -k '{expression}': {reason}");
    }
    let alone = expectations.alone(&args.adapter);
    let expression = expectations.of_the_main_run(&args.adapter);
    let mut restarts = 0;
    loop {
        let mut pytest = run.pytest(&record, &log)?;
        if let Some(expression) = &expression {
            pytest.args(["-k", expression]);
        }
        if files.is_empty() {
            pytest.arg(&run.tests);
        }
        pytest.args(files.iter().map(|file| run.tests.join(file)));
        let End::Early(how) = watch(&mut pytest, &record, Duration::from_secs(args.stall))? else {
            break;
        };
        restarts += 1;
        let crashed = outcomes(&record)?
            .into_iter()
            .filter(|(_, outcome)| outcome == "started")
            .count();
        if crashed < restarts {
            // No test was running: the process failed at its start or at its end.
            let mut lines = fs::OpenOptions::new().append(true).open(&record)?;
            writeln!(lines, "failed\tthe process itself: {how}")?;
            break;
        }
        if restarts > MAX_RESTARTS {
            bail!(
                "{restarts} tests ended the process; see {}",
                log_file.display()
            );
        }
    }
    let mut all = outcomes(&record)?;
    for entry in alone.filter(|entry| files.is_empty() || files.contains(&entry.file)) {
        all.extend(alone::run(&run, entry, &log)?);
    }
    Ok(judge(args, &expectations, all))
}

/// What is said of a run that was ended because it stood still.
const NO_PROGRESS: &str = "no progress";

/// How a run of pytest ended.
enum End {
    /// By itself, with a result.
    Regular,
    /// Before that; how is said.
    Early(String),
}

/// Waits for pytest and shows how far it is. One that stands still is ended.
fn watch(pytest: &mut Command, record: &Path, stall: Duration) -> Result<End> {
    let mut child: Child = pytest
        .spawn()
        .with_context(|| format!("cannot run `{}`", process::shown(pytest)))?;
    let size = || fs::metadata(record).map_or(0, |m| m.len());
    let (mut last_size, mut last_change, mut last_shown) = (size(), Instant::now(), Instant::now());
    loop {
        if let Some(status) = child.try_wait()? {
            // pytest's own codes: 0 all passed, 1 some failed, 5 nothing left to run, 2 files that
            // cannot be imported (recorded as failures).
            return Ok(match status.code() {
                Some(0 | 1 | 2 | 5) => End::Regular,
                _ => End::Early(status.to_string()),
            });
        }
        if size() != last_size {
            (last_size, last_change) = (size(), Instant::now());
        }
        if last_change.elapsed() > stall {
            let how = format!("{NO_PROGRESS} in {} s", stall.as_secs());
            eprintln!("{how}; ending the process");
            child.kill()?;
            child.wait()?;
            return Ok(End::Early(how));
        }
        if last_shown.elapsed() > Duration::from_secs(15) {
            last_shown = Instant::now();
            eprintln!("{} tests", outcomes(record)?.len());
        }
        thread::sleep(Duration::from_millis(100));
    }
}

/// The outcome of each test in the record: the worst one written.
fn outcomes(record: &Path) -> Result<BTreeMap<String, String>> {
    let text = fs::read_to_string(record)?;
    let rank = |outcome: &str| match outcome {
        "failed" => 3,
        "skipped" => 2,
        "passed" => 1,
        _ => 0,
    };
    let mut tests: BTreeMap<String, String> = BTreeMap::new();
    for line in text.lines() {
        let Some((outcome, name)) = line.split_once('\t') else {
            continue;
        };
        let entry = tests.entry(name.into()).or_insert_with(|| outcome.into());
        if rank(outcome) > rank(entry) {
            *entry = outcome.into();
        }
    }
    Ok(tests)
}

/// Counts, and names each failure.
fn judge(args: &Args, expectations: &Expectations, outcomes: BTreeMap<String, String>) -> Outcome {
    let runtime = args.runtime.to_string();
    let mut result = Outcome {
        tally: Tally::default(),
        unexpected: 0,
    };
    for (test, outcome) in outcomes {
        match outcome.as_str() {
            "passed" => result.tally.passed += 1,
            "skipped" => result.tally.skipped += 1,
            other => {
                result.tally.failed += 1;
                let how = if other == "started" {
                    "ended the process"
                } else {
                    "failed"
                };
                match expectations.may_fail(&args.adapter, &runtime, &test) {
                    Some(reason) => println!("{test}: {how}, as known: {reason}"),
                    None => {
                        result.unexpected += 1;
                        println!("{test}: {how}");
                    }
                }
            }
        }
    }
    result
}
