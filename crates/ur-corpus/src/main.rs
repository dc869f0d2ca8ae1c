//! `corpus-build`: builds the SPIR-V modules of programs with the JIT library.
//!
//! The last line is `N of M modules built`; the exit code is 0 only if all were.

use anyhow::Context;
use clap::Parser;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use ur_corpus::{CorpusModule, Exception, Exports, Record, Report, worker};

/// Builds the SPIR-V modules in shared objects with the JIT library.
#[derive(Parser)]
#[command(name = "corpus-build")]
struct Args {
    /// The JIT library
    #[arg(long, default_value = "target/dist/lib/libur_jit.so")]
    jit: PathBuf,
    /// Build so many, chosen at random; all when absent
    #[arg(long)]
    sample: Option<usize>,
    /// Seed of the choice
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Worker processes; one for each CPU when absent
    #[arg(long)]
    jobs: Option<usize>,
    /// Seconds after which a module counts as failed
    #[arg(long, default_value_t = 120)]
    timeout: u64,
    /// Write the modules that fail to this folder, with their reasons
    #[arg(long)]
    keep: Option<PathBuf>,
    /// Write counts and exceptions to this file, as JSON
    #[arg(long)]
    record: Option<PathBuf>,
    /// Write the modules to this folder instead of building them
    #[arg(long)]
    extract: Option<PathBuf>,
    /// Serve a parent process
    #[arg(long, hide = true)]
    worker: bool,
    /// Shared objects, or folders that hold some
    #[arg(required_unless_present = "worker")]
    paths: Vec<PathBuf>,
}

fn main() -> anyhow::Result<ExitCode> {
    let args = Args::parse();
    if args.worker {
        worker::serve(&args.jit)?;
        return Ok(ExitCode::SUCCESS);
    }
    let all = ur_corpus::modules(&args.paths)?;
    let found = all.len();
    // A module of the sample may need any other.
    let exports = Exports::of(&all);
    let modules = match args.sample {
        Some(count) => ur_corpus::sample(all.clone(), count, args.seed),
        None => all.clone(),
    };
    println!(
        "{found} different modules found, {} to build",
        modules.len()
    );
    if let Some(folder) = &args.extract {
        std::fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
        for module in &modules {
            write_module(folder, module)?;
        }
        return Ok(ExitCode::SUCCESS);
    }
    if let Some(folder) = &args.keep {
        std::fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    }
    let mut record = build_all(&args, &modules, &exports)?;
    record.found = found;
    if let Some(file) = &args.record {
        let text = serde_json::to_string_pretty(&record)?;
        std::fs::write(file, text).with_context(|| file.display().to_string())?;
    }
    println!(
        "{} kernels compiled, {} modules linked with others that they import from",
        record.kernels, record.linked
    );
    let mut faults = record.tried - record.built;
    for (cause, modules) in &record.exceptions {
        let expected = cause == Exception::VectorCompute.cause();
        if expected {
            faults -= modules.count;
        }
        let word = if expected { "excepted" } else { "failed" };
        println!("{} {word}: {cause}", modules.count);
    }
    println!("{} of {} modules built", record.built, record.tried);
    Ok(if faults == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// Builds the modules on several workers, prints what failed and gives what came out.
fn build_all(
    args: &Args,
    modules: &[CorpusModule],
    exports: &Exports<'_>,
) -> anyhow::Result<Record> {
    let jobs = match args.jobs {
        Some(jobs) => jobs.max(1),
        None => std::thread::available_parallelism()?.get(),
    };
    let next = AtomicUsize::new(0);
    let state = Mutex::new(State::default());
    let start = Instant::now();
    std::thread::scope(|scope| {
        let run = || -> anyhow::Result<()> {
            let mut worker =
                worker::Worker::new(args.jit.clone(), Duration::from_secs(args.timeout));
            loop {
                let at = next.fetch_add(1, Ordering::Relaxed);
                let Some(module) = modules.get(at) else {
                    return Ok(());
                };
                let begin = Instant::now();
                let parts = exports.closure(module);
                let outcome = worker.build(&parts)?;
                let took = begin.elapsed();
                let mut state = state
                    .lock()
                    .map_err(|_| anyhow::anyhow!("a worker panicked"))?;
                state.add(&parts, &outcome, took);
                if let (Some(folder), worker::Outcome::Failed(stage, reason)) =
                    (&args.keep, &outcome)
                {
                    keep(folder, module, &format!("{stage}: {reason}\n"))?;
                }
                state.progress(modules.len(), start.elapsed())?;
            }
        };
        let threads: Vec<_> = (0..jobs).map(|_| scope.spawn(run)).collect();
        for thread in threads {
            thread
                .join()
                .map_err(|_| anyhow::anyhow!("a worker panicked"))??;
        }
        anyhow::Ok(())
    })?;
    let state = state
        .into_inner()
        .map_err(|_| anyhow::anyhow!("a worker panicked"))?;
    state.summary(start.elapsed());
    Ok(state.record)
}

/// What has come out so far.
#[derive(Default)]
struct State {
    record: Record,
    report: Report,
    times: Vec<(Duration, String)>,
}

impl State {
    fn add(&mut self, parts: &[&CorpusModule], outcome: &worker::Outcome, took: Duration) {
        let [module, others @ ..] = parts else {
            return;
        };
        self.record.tried += 1;
        match outcome {
            worker::Outcome::Built(kernels) => {
                self.record.built += 1;
                self.record.kernels += kernels;
                self.record.linked += usize::from(!others.is_empty());
            }
            worker::Outcome::Failed(stage, reason) => {
                if let Some(exception) = Exception::of(module) {
                    self.record.except(exception.cause(), module);
                } else {
                    self.record.except(&Report::group(stage, reason), module);
                    self.report.add(&module.name(), stage, reason);
                }
            }
        }
        self.times.push((took, module.name()));
    }

    fn progress(&self, total: usize, elapsed: Duration) -> std::io::Result<()> {
        if self.record.tried.is_multiple_of(100) {
            let mut out = std::io::stdout().lock();
            writeln!(
                out,
                "{} of {total} done, {} built, {} s",
                self.record.tried,
                self.record.built,
                elapsed.as_secs()
            )?;
            out.flush()?;
        }
        Ok(())
    }

    fn summary(&self, elapsed: Duration) {
        let mut times: Vec<&(Duration, String)> = self.times.iter().collect();
        times.sort();
        if let (Some((median, _)), Some((worst, name))) = (times.get(times.len() / 2), times.last())
        {
            println!(
                "{} s in all; a module takes {} ms (median), {} ms at worst ({name})",
                elapsed.as_secs(),
                median.as_millis(),
                worst.as_millis()
            );
        }
        print!("{}", self.report.table());
    }
}

/// Writes a module that failed, and why.
fn keep(folder: &Path, module: &CorpusModule, reason: &str) -> std::io::Result<()> {
    let file = write_module(folder, module)?;
    std::fs::write(file.with_extension("txt"), reason)
}

/// Writes a module to a file named after its library and index.
fn write_module(folder: &Path, module: &CorpusModule) -> std::io::Result<PathBuf> {
    let words = module.words.iter().flat_map(|word| word.to_le_bytes());
    let bytes: Vec<u8> = words.collect();
    let file = folder.join(format!("{}_{:05}.spv", module.library, module.index));
    std::fs::write(&file, bytes)?;
    Ok(file)
}
