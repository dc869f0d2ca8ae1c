//! The process that starts workers and gathers what comes of the tests.

use super::child::{Answer, Worker, ending};
use super::known::Known;
use super::protocol::{Event, Listed, Verdict};
use super::result::Outcome;
use super::{Args, html, junit, summary, table};
use crate::coverage::Coverage;
use crate::test::Environment;
use anyhow::{Context, Result, bail};
use regex_lite::Regex;
use std::collections::VecDeque;
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long a worker may take to open the loader and list the tests, and to give all back.
const OPENING: Duration = Duration::from_secs(120);

/// A folder that goes with the process.
#[derive(Debug)]
struct Scratch(PathBuf);

impl Scratch {
    fn new() -> Result<Scratch> {
        let path = std::env::temp_dir().join(format!("ur-cts-{}", std::process::id()));
        std::fs::create_dir_all(&path)?;
        Ok(Scratch(path))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // A folder left behind does no harm.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Whether a test is one of those asked for.
struct Selection {
    filter: Option<Regex>,
    devices: Vec<String>,
}

impl Selection {
    fn new(args: &Args) -> Result<Selection> {
        let filter = args.filter.as_deref().map(Regex::new).transpose()?;
        let devices = args.device.clone();
        Ok(Selection { filter, devices })
    }

    fn has(&self, name: &str) -> bool {
        let label = name.strip_suffix(']').and_then(|n| n.rsplit_once('['));
        let label = label.map(|(_, label)| label);
        let of = |device: &String| match label {
            None => true,
            Some(label) => {
                let adapter = device.split(':').next().unwrap_or_default();
                let platform = label.split('/').next() == Some(adapter) && label.contains('/');
                label == device || label == adapter || platform
            }
        };
        let device = self.devices.is_empty() || self.devices.iter().any(of);
        device && self.filter.as_ref().is_none_or(|f| f.is_match(name))
    }
}

/// Puts items in an order that the seed fixes.
fn shuffle<T>(items: &mut [T], seed: u64) {
    // A linear congruential generator with the constants that Knuth gives for 64 bits.
    let mut state = seed;
    for last in (1..items.len()).rev() {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let at = (state >> 33) as usize % (last + 1);
        items.swap(last, at);
    }
}

/// What the lanes share.
struct Run<'a> {
    args: &'a Args,
    folder: &'a Path,
    coverage: &'a Coverage,
    tests: &'a [Listed],
    known: &'a Known,
    left: Mutex<VecDeque<usize>>,
    outcomes: Mutex<Vec<Outcome>>,
    total: usize,
    terminal: bool,
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Run<'_> {
    fn note(&self, mut outcome: Outcome) {
        if let Some(reason) = self.known.reason(&outcome.name) {
            outcome.known = Some(reason.text.clone());
            outcome.sometimes = reason.sometimes;
        }
        let mut all = lock(&self.outcomes);
        let mut out = std::io::stderr().lock();
        if self.terminal {
            let _ = write!(out, "\r\x1b[K");
        }
        if !outcome.good() {
            let _ = writeln!(out, "{}", summary::line(&outcome));
            if self.args.fail_fast {
                lock(&self.left).clear();
            }
        }
        all.push(outcome);
        if self.terminal {
            let bad = all.iter().filter(|o| !o.good()).count();
            let name = all.last().map_or("", |o| o.name.as_str());
            let name: String = name.chars().take(60).collect();
            let _ = write!(out, "{}/{} {bad} bad, {name}", all.len(), self.total);
            let _ = out.flush();
        }
    }

    /// Runs tests until none is left. They are one at a time, so all workers share an account.
    fn lane(&self, number: usize) -> Result<()> {
        let path = self.folder.join(format!("coverage-{number}"));
        let account = Coverage::open(&path)?;
        let mut workers: Vec<(Environment, Worker)> = Vec::new();
        let limit = Duration::from_secs(self.args.timeout);
        let next = || lock(&self.left).pop_front();
        while let Some(index) = next() {
            let Listed { name, environment } = &self.tests[index];
            let at = workers.iter().position(|(e, _)| e == environment);
            let mut worker = match at {
                Some(at) => workers.swap_remove(at).1,
                None => {
                    let mut worker = Worker::start(self.args, *environment, self.folder, &path)?;
                    match worker.tests(OPENING) {
                        Ok(_) => worker,
                        Err(error) => {
                            worker.kill();
                            let message = format!("{error:#}");
                            self.note(Outcome::new(
                                name,
                                Verdict::Crashed,
                                message,
                                Duration::ZERO,
                            ));
                            continue;
                        }
                    }
                }
            };
            let begun = Instant::now();
            worker.ask(index);
            let mut from = 0;
            let (verdict, message, alive) = loop {
                match worker.answer(limit)? {
                    Answer::Event(Event::Started { printed, .. }) => from = printed,
                    Answer::Event(Event::Ended {
                        verdict, message, ..
                    }) => break (verdict, message, true),
                    Answer::Event(_) => {}
                    Answer::Gone(status) => break (Verdict::Crashed, ending(status), false),
                    Answer::Late => {
                        let message = format!("not ended after {} s", self.args.timeout);
                        break (Verdict::Hung, message, false);
                    }
                }
            };
            self.account(&account, verdict.good());
            let mut outcome = Outcome::new(name, verdict, message, begun.elapsed());
            if !verdict.good() {
                outcome.output = worker.output(from);
            }
            self.note(outcome);
            if !alive {
                worker.kill();
            } else if self.args.isolate {
                self.end(worker, name, &account)?;
            } else {
                workers.push((*environment, worker));
            }
        }
        for (environment, worker) in workers {
            self.end(worker, &format!("{environment:?}"), &account)?;
        }
        Ok(())
    }

    /// Counts what was called, if that was in order.
    fn account(&self, account: &Coverage, good: bool) {
        if good {
            self.coverage.take(account);
        } else {
            account.clear();
        }
    }

    /// Lets a worker end; if that goes wrong, it is a failure of its own.
    fn end(&self, worker: Worker, what: &str, account: &Coverage) -> Result<()> {
        let begun = Instant::now();
        let problem = worker.stop(OPENING)?;
        self.account(account, problem.is_none());
        if let Some(problem) = problem {
            let name = format!("teardown::{what}");
            let time = begun.elapsed();
            self.note(Outcome::new(&name, Verdict::Failed, problem, time));
        }
        Ok(())
    }
}

fn write(path: &Path, text: &str) -> Result<()> {
    std::fs::write(path, text).with_context(|| path.display().to_string())
}

pub(super) fn run(args: &Args) -> Result<()> {
    let begun = Instant::now();
    let scratch = Scratch::new()?;
    let account = scratch.0.join("coverage");
    let coverage = Coverage::open(&account)?;
    let known = match &args.known {
        Some(path) => Known::read(path)?,
        None => Known::default(),
    };
    let selection = Selection::new(args)?;
    let mut lister = Worker::start(args, Environment::Plain, &scratch.0, &account)?;
    let tests = match lister.tests(OPENING) {
        Ok(tests) => tests,
        Err(error) => {
            lister.kill();
            return Err(error);
        }
    };
    let problem = lister.stop(OPENING)?;
    if let (true, Some(problem)) = (args.list, &problem) {
        bail!("after listing: {problem}");
    }
    let unused = known.unused(tests.iter().map(|t| t.name.as_str()));
    let chosen = tests
        .iter()
        .enumerate()
        .filter(|(_, t)| selection.has(&t.name));
    let mut chosen: Vec<usize> = chosen.map(|(index, _)| index).collect();
    if let Some(seed) = args.shuffle {
        shuffle(&mut chosen, seed);
    }
    if args.list {
        let mut out = std::io::stdout().lock();
        for index in &chosen {
            writeln!(out, "{}", tests[*index].name)?;
        }
        return Ok(());
    }
    if chosen.is_empty() {
        bail!("no test is selected");
    }
    let run = Run {
        args,
        folder: &scratch.0,
        coverage: &coverage,
        tests: &tests,
        known: &known,
        total: chosen.len(),
        left: Mutex::new(chosen.into()),
        outcomes: Mutex::new(Vec::new()),
        terminal: std::io::stderr().is_terminal(),
    };
    std::thread::scope(|scope| {
        let run = &run;
        let lanes: Vec<_> = (0..args.jobs.max(1))
            .map(|number| scope.spawn(move || run.lane(number)))
            .collect();
        for lane in lanes {
            lane.join().expect("a lane does not panic")?;
        }
        anyhow::Ok(())
    })?;
    if run.terminal {
        eprint!("\r\x1b[K");
    }
    let mut outcomes = run
        .outcomes
        .into_inner()
        .unwrap_or_else(PoisonError::into_inner);
    if let Some(problem) = problem {
        let name = "teardown::listing";
        let outcome = Outcome::new(name, Verdict::Failed, problem, Duration::ZERO);
        eprintln!("{}", summary::line(&outcome));
        outcomes.push(outcome);
    }
    for pattern in unused {
        println!("known, but the name of no test: {pattern}");
    }
    println!("{}", summary::table(&outcomes, begun.elapsed()));
    if let Some(path) = &args.json {
        write(path, &serde_json::to_string_pretty(&outcomes)?)?;
    }
    if let Some(path) = &args.junit {
        write(path, &junit::render(&outcomes))?;
    }
    if let Some(path) = &args.html {
        write(path, &html::render(&outcomes, begun.elapsed()))?;
    }
    match args.coverage.as_deref() {
        Some(path) if path == Path::new("-") => println!("{}", table::render(&coverage)),
        Some(path) => write(path, &table::render(&coverage))?,
        None => {}
    }
    let bad = outcomes.iter().filter(|o| !o.good()).count();
    if bad > 0 {
        bail!("{bad} of {} tests are not in order", outcomes.len());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_brings_its_adapter_and_platform() {
        let selection = Selection {
            filter: None,
            devices: vec!["native_cpu:0".into()],
        };
        for (name, chosen) in [
            ("a::b[native_cpu:0]", true),
            ("a::b[native_cpu:1]", false),
            ("a::b[native_cpu]", true),
            ("a::b[native_cpu/0]", true),
            ("a::b[native_cpu#1/0]", false),
            ("a::b[mock]", false),
            ("a::b", true),
        ] {
            assert_eq!(selection.has(name), chosen, "{name}");
        }
    }

    #[test]
    fn a_seed_fixes_an_order_with_everything_in_it() {
        let order = |seed| {
            let mut items: Vec<u32> = (0..100).collect();
            shuffle(&mut items, seed);
            items
        };
        assert_eq!(order(1), order(1));
        assert_ne!(order(1), order(2));
        let mut sorted = order(3);
        sorted.sort_unstable();
        assert_eq!(sorted, (0..100).collect::<Vec<_>>());
    }
}
