//! `kernelgen`: random kernels on the JIT, compared with the interpreter.
//!
//! The last line is `N of N kernels agree`; the exit code is 0 only if all do. Kernels run in
//! processes of their own; one that fails is made small and printed, and its module is written.

use anyhow::Context;
use clap::Parser;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};
use ur_kernelgen::check::{Outcome, check};
use ur_kernelgen::r#gen::{Case, Size, case};
use ur_kernelgen::isolate::{self, End};
use ur_kernelgen::jit::Jit;
use ur_kernelgen::{emit, shrink};

/// Compares random kernels on the JIT with an interpreter.
#[derive(Parser, Clone)]
#[command(name = "kernelgen")]
struct Args {
    /// The JIT library
    #[arg(long, default_value = "target/dist/lib/libur_jit.so")]
    jit: PathBuf,
    /// Number of kernels
    #[arg(long, default_value_t = 1000)]
    count: u64,
    /// Seed of the first kernel; the others have the next numbers
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Worker processes
    #[arg(long, default_value_t = 1)]
    jobs: usize,
    /// Statements of a kernel, before nesting
    #[arg(long)]
    statements: Option<usize>,
    /// Depth of expressions
    #[arg(long)]
    depth: Option<usize>,
    /// Statements of a function, nested ones counted
    #[arg(long)]
    total: Option<usize>,
    /// Of a hundred kernels, those that are compiled without optimisation
    #[arg(long)]
    unoptimised: Option<usize>,
    /// Seconds after which a kernel counts as failed
    #[arg(long, default_value_t = 120)]
    timeout: u64,
    /// Failing kernels that are made small
    #[arg(long, default_value_t = 10)]
    shrink: usize,
    /// Seconds for making one small
    #[arg(long, default_value_t = 120)]
    shrink_time: u64,
    /// Folder for the modules of failing kernels
    #[arg(long, default_value = "kernelgen-failures")]
    keep: PathBuf,
    /// Only write the kernels' modules and texts to this folder
    #[arg(long)]
    emit: Option<PathBuf>,
    /// Serve a parent process
    #[arg(long, hide = true)]
    worker: bool,
    /// Make the kernel of the seed small and print it
    #[arg(long, hide = true)]
    reduce: bool,
}

impl Args {
    fn size(&self) -> Size {
        let normal = Size::default();
        Size {
            statements: self.statements.unwrap_or(normal.statements).max(2),
            depth: self.depth.unwrap_or(normal.depth).max(1),
            total: self.total.unwrap_or(normal.total),
            unoptimised: self.unoptimised.unwrap_or(normal.unoptimised),
            ..normal
        }
    }

    fn seeds(&self) -> std::ops::Range<u64> {
        self.seed..self.seed.saturating_add(self.count)
    }
}

fn main() -> anyhow::Result<ExitCode> {
    let args = Args::parse();
    if args.worker {
        serve(&args)?;
        return Ok(ExitCode::SUCCESS);
    }
    if args.reduce {
        reduce(&args)?;
        return Ok(ExitCode::SUCCESS);
    }
    if let Some(folder) = &args.emit {
        std::fs::create_dir_all(folder)?;
        for seed in args.seeds() {
            write(folder, &seed.to_string(), &case(seed, args.size()))?;
        }
        return Ok(ExitCode::SUCCESS);
    }
    let tally = run(&args)?;
    let mut failed = tally.failed;
    failed.sort();
    for (seed, reason) in &failed {
        println!("seed {seed}: {reason}");
    }
    for (seed, _) in failed.iter().take(args.shrink) {
        let status = command(&args)?
            .args(["--reduce", "--seed", &seed.to_string()])
            .status()?;
        if !status.success() {
            println!("seed {seed} was not made smaller: {status}");
        }
    }
    if tally.senseless > 0 {
        println!("{} kernels have no definite result", tally.senseless);
    }
    println!("{} of {} kernels agree", tally.agree, args.count);
    Ok(if tally.agree == args.count {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// What the workers found.
#[derive(Default)]
struct Tally {
    agree: u64,
    senseless: u64,
    failed: Vec<(u64, String)>,
}

impl Tally {
    /// Says now and then how far the run is.
    fn progress(&self, count: u64) {
        let done = self.agree + self.senseless + self.failed.len() as u64;
        if done.is_multiple_of(1000) {
            eprintln!("{done} of {count} kernels, {} failed", self.failed.len());
        }
    }
}

/// This program with the same arguments, but for those that say what it does.
fn command(args: &Args) -> anyhow::Result<Command> {
    let mut command = Command::new(std::env::current_exe()?);
    let size = args.size();
    command
        .arg("--jit")
        .arg(&args.jit)
        .arg("--keep")
        .arg(&args.keep)
        .args(["--statements", &size.statements.to_string()])
        .args(["--depth", &size.depth.to_string()])
        .args(["--total", &size.total.to_string()])
        .args(["--unoptimised", &size.unoptimised.to_string()])
        .args(["--timeout", &args.timeout.to_string()])
        .args(["--shrink-time", &args.shrink_time.to_string()]);
    Ok(command)
}

/// Runs all seeds in worker processes.
fn run(args: &Args) -> anyhow::Result<Tally> {
    let tally = Mutex::new(Tally::default());
    let next = AtomicU64::new(args.seeds().start);
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..args.jobs.max(1))
            .map(|_| scope.spawn(|| drive(args, &next, &tally)))
            .collect();
        for worker in workers {
            match worker.join() {
                Ok(result) => result?,
                Err(_) => anyhow::bail!("a thread failed"),
            }
        }
        Ok(())
    })?;
    tally
        .into_inner()
        .map_err(|_| anyhow::anyhow!("a thread failed"))
}

/// Seeds that a worker process is handed at a time.
const CHUNK: u64 = 64;

/// A worker process and its lines.
struct Worker {
    child: Child,
    lines: Receiver<String>,
}

impl Worker {
    fn start(args: &Args, seeds: std::ops::Range<u64>) -> anyhow::Result<Worker> {
        let count = seeds.end - seeds.start;
        let mut child = command(args)?
            .args(["--worker", "--seed", &seeds.start.to_string()])
            .args(["--count", &count.to_string()])
            .stdout(Stdio::piped())
            .spawn()?;
        let output = child.stdout.take().context("a worker without a pipe")?;
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        Ok(Worker { child, lines })
    }
}

/// Takes chunks of seeds and has them run until there are none.
fn drive(args: &Args, next: &AtomicU64, tally: &Mutex<Tally>) -> anyhow::Result<()> {
    let end = args.seeds().end;
    loop {
        let first = next.fetch_add(CHUNK, Ordering::Relaxed);
        if first >= end {
            return Ok(());
        }
        let mut seeds = first..end.min(first + CHUNK);
        while !seeds.is_empty() {
            let mut worker = Worker::start(args, seeds.clone())?;
            let reason = loop {
                if seeds.is_empty() {
                    break None;
                }
                match worker.lines.recv_timeout(Duration::from_secs(args.timeout)) {
                    Ok(line) => {
                        let mut tally = tally
                            .lock()
                            .map_err(|_| anyhow::anyhow!("a thread failed"))?;
                        match line.split_once(' ') {
                            None if line == "agrees" => tally.agree += 1,
                            Some(("senseless", reason)) => {
                                tally.senseless += 1;
                                println!("seed {} is senseless: {reason}", seeds.start);
                            }
                            Some(("failed", reason)) => {
                                tally.failed.push((seeds.start, reason.to_owned()));
                            }
                            // Text that code under test prints is not an answer.
                            _ => continue,
                        }
                        seeds.start += 1;
                        tally.progress(args.count);
                    }
                    Err(RecvTimeoutError::Timeout) => break Some("no end".to_owned()),
                    Err(RecvTimeoutError::Disconnected) => break Some(String::new()),
                }
            };
            if reason.as_deref() == Some("no end") {
                worker.child.kill()?;
            }
            let status = worker.child.wait()?;
            if let Some(mut reason) = reason {
                if reason.is_empty() {
                    reason = match status.signal() {
                        Some(signal) => format!("signal {signal}"),
                        None => format!("the worker ended: {status}"),
                    };
                }
                let mut tally = tally
                    .lock()
                    .map_err(|_| anyhow::anyhow!("a thread failed"))?;
                tally.failed.push((seeds.start, reason));
                seeds.start += 1;
            }
        }
    }
}

/// The worker's side: a line for each seed.
fn serve(args: &Args) -> anyhow::Result<()> {
    let jit = Jit::open(&args.jit)?;
    for seed in args.seeds() {
        let line = match check(&jit, &case(seed, args.size())) {
            Outcome::Agrees => "agrees".to_owned(),
            Outcome::Senseless(text) => format!("senseless {}", one_line(&text)),
            Outcome::Refused(text) => format!("failed refused: {}", one_line(&text)),
            Outcome::Differs(text) => format!("failed {}", one_line(&text)),
        };
        let mut output = std::io::stdout().lock();
        writeln!(output, "{line}")?;
        output.flush()?;
    }
    Ok(())
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Makes the kernel of the seed small, prints it and writes its module.
fn reduce(args: &Args) -> anyhow::Result<()> {
    let jit = Jit::open(&args.jit)?;
    let whole = case(args.seed, args.size());
    let limit = Duration::from_secs(args.timeout.min(20));
    let class = |case: &Case| -> String {
        let end = isolate::run(limit, || match check(&jit, case) {
            Outcome::Agrees => "agrees".to_owned(),
            Outcome::Senseless(_) => "senseless".to_owned(),
            // Messages name ids; what is in front of them does not.
            Outcome::Refused(text) => {
                format!("refused {}", text.chars().take(30).collect::<String>())
            }
            Outcome::Differs(_) => "differs".to_owned(),
        });
        match end {
            Ok(End::Said(text)) => text,
            Ok(End::Died(signal)) => format!("signal {signal}"),
            Ok(End::Late) => "late".to_owned(),
            Err(error) => error.to_string(),
        }
    };
    let wanted = class(&whole);
    if wanted == "agrees" || wanted == "senseless" {
        println!("seed {}: {wanted} when run alone", args.seed);
        return Ok(());
    }
    let deadline = Instant::now() + Duration::from_secs(args.shrink_time);
    let small = shrink::shrink(&whole, deadline, |case| class(case) == wanted);
    std::fs::create_dir_all(&args.keep)?;
    write(&args.keep, &format!("{}-whole", args.seed), &whole)?;
    write(&args.keep, &args.seed.to_string(), &small)?;
    println!("---- seed {}: {wanted}", args.seed);
    let end = isolate::run(limit, || format!("{:?}", check(&jit, &small)));
    println!("{end:?}");
    println!("{}", text(&small));
    Ok(())
}

fn text(case: &Case) -> String {
    let mut text = format!("{:?}\n", case.variant);
    for launch in &case.launches {
        text.push_str(&format!("{launch:x?}\n"));
    }
    text.push_str(&case.kernel.to_string());
    text
}

/// Writes a case's module and text.
fn write(folder: &Path, name: &str, case: &Case) -> anyhow::Result<()> {
    let words = emit::module(&case.kernel);
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let path = folder.join(format!("{name}.spv"));
    std::fs::write(&path, bytes).with_context(|| path.display().to_string())?;
    let path = folder.join(format!("{name}.txt"));
    std::fs::write(&path, text(case)).with_context(|| path.display().to_string())
}
