//! `./x stress`: long random runs.

use crate::venv::{INTEL_OPENCL, Runtime, Venv};
use crate::{build, process, repo, setup};
use anyhow::{Context, Result, bail};
use clap::{Parser, Subcommand};
use std::fmt;
use std::ops::AddAssign;
use std::process::Command;

/// What to stress.
#[derive(Parser)]
pub struct Args {
    #[command(subcommand)]
    subject: Subject,
}

#[derive(Subcommand)]
enum Subject {
    /// Create, retain, release, query and use objects of two adapters that reuse addresses
    Handles {
        /// Random steps of each pair of adapters on each number of threads
        #[arg(long, default_value_t = 10_000_000)]
        steps: u64,
        /// Numbers of threads that share the steps
        #[arg(long, default_values_t = [1, 8])]
        threads: Vec<u32>,
        /// Seeds, which share the steps
        #[arg(long = "seed", default_values_t = [1, 2, 3])]
        seeds: Vec<u64>,
    },
    /// Create and release the same objects over and over; memory must stay flat
    Cycles {
        /// Cycles of each adapter
        #[arg(long, default_value_t = 1_000_000)]
        cycles: u64,
    },
    /// Contexts and queues of our native CPU, the mock and the OpenCL adapter of the runtime 2026.1
    /// by four threads, 100,000 cycles each
    Contexts,
}

/// Adapters that run together. The same one twice is two libraries with tables of their own.
const PAIRS: [[&str; 2]; 2] = [["mock", "mock"], ["native_cpu", "mock"]];

/// Runs it; the last line of `handles` is `N steps, M misdirected`.
pub fn run(args: &Args) -> Result<bool> {
    if !setup::ensure()? {
        return Ok(false);
    }
    build::tree()?;
    match &args.subject {
        Subject::Handles {
            steps,
            threads,
            seeds,
        } => {
            let mut total = Steps::default();
            let mut good = true;
            for threads in threads {
                let (counted, held) = handles(*steps, *threads, seeds)?;
                total += counted;
                good &= held;
            }
            println!("{total}");
            Ok(good && total.misdirected == 0)
        }
        Subject::Cycles { cycles: count } => cycles(*count),
        Subject::Contexts => contexts(),
    }
}

/// Creates and releases the same objects over and over, on a built tree: whether memory stays flat.
pub fn cycles(count: u64) -> Result<bool> {
    let mut good = true;
    for pair in PAIRS {
        let mut stress = program(pair)?;
        stress.args(["cycles", "--cycles", &count.to_string()]);
        good &= process::status(&mut stress)?.success();
    }
    Ok(good)
}

/// Contexts and queues of three adapters, one of them Intel's with an earlier release's tables, on
/// a built tree: whether every call reached its adapter.
pub fn contexts() -> Result<bool> {
    let venv = Venv::ensure(Runtime::V2026_1)?;
    let (python, libraries) = venv.command_on(&[INTEL_OPENCL.into()])?;
    let adapter = libraries.last().context("no adapter")?;
    let mut stress = program(PAIRS[1])?;
    // The driver's variables are those that the interpreter would have.
    for (name, value) in python.get_envs() {
        match value {
            Some(value) => stress.env(name, value),
            None => stress.env_remove(name),
        };
    }
    let mut path = repo::dist_lib().into_os_string();
    path.push(":");
    path.push(venv.lib());
    stress
        .env("LD_LIBRARY_PATH", path)
        .arg("--adapter")
        .arg(adapter)
        .arg("contexts");
    Ok(process::status(&mut stress)?.success())
}

/// What a run of `handles` counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Steps {
    done: u64,
    misdirected: u64,
}

impl AddAssign for Steps {
    fn add_assign(&mut self, other: Self) {
        self.done += other.done;
        self.misdirected += other.misdirected;
    }
}

impl fmt::Display for Steps {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} steps, {} misdirected", self.done, self.misdirected)
    }
}

impl Steps {
    /// The counts in the last line of the program.
    fn from_line(line: &str) -> Option<Self> {
        let (done, rest) = line.split_once(" steps, ")?;
        Some(Self {
            done: done.parse().ok()?,
            misdirected: rest.strip_suffix(" misdirected")?.parse().ok()?,
        })
    }
}

/// The handle run of all pairs, on a built tree: its counts, and whether all held.
pub fn handles(steps: u64, threads: u32, seeds: &[u64]) -> Result<(Steps, bool)> {
    if seeds.is_empty() {
        bail!("no seed");
    }
    let each = steps.div_ceil(seeds.len() as u64);
    let mut total = Steps::default();
    let mut good = true;
    for pair in PAIRS {
        println!("{} with {} on {threads} threads:", pair[0], pair[1]);
        let mut stress = program(pair)?;
        stress
            .args(["handles", "--steps", &each.to_string()])
            .args(["--threads", &threads.to_string()]);
        for seed in seeds {
            stress.args(["--seed", &seed.to_string()]);
        }
        let output = stress
            .stderr(std::process::Stdio::inherit())
            .output()
            .with_context(|| format!("cannot run `{}`", process::shown(&stress)))?;
        let text = String::from_utf8_lossy(&output.stdout);
        print!("{text}");
        match text.lines().last().and_then(Steps::from_line) {
            Some(counted) => total += counted,
            None => bail!(
                "`{}` ended early: {}",
                process::shown(&stress),
                output.status
            ),
        }
        good &= output.status.success();
    }
    Ok((total, good))
}

/// The stress program on a pair of adapters.
fn program(pair: [&str; 2]) -> Result<Command> {
    process::run(&mut process::cargo([
        "build",
        "--release",
        "--quiet",
        "-p",
        "ur-stress",
    ]))?;
    let lib = repo::dist_lib();
    let mut command = Command::new(repo::cargo_target().join("release/ur-stress"));
    command.arg("--loader").arg(lib.join("libur_loader.so.0"));
    for adapter in pair {
        command
            .arg("--adapter")
            .arg(lib.join(format!("libur_adapter_{adapter}.so.0")));
    }
    Ok(command)
}

#[cfg(test)]
mod tests {
    use super::Steps;

    #[test]
    fn reads_the_last_line() {
        let steps = Steps {
            done: 100,
            misdirected: 3,
        };
        assert_eq!(Steps::from_line("100 steps, 3 misdirected"), Some(steps));
        assert_eq!(steps.to_string(), "100 steps, 3 misdirected");
        assert_eq!(Steps::from_line("100 steps"), None);
    }
}
