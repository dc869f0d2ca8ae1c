//! `./x test`: the tests.

use crate::tally::Tally;
use crate::{build, client, corpus, cts, diff, harness, process, repo, sanitize, setup, stress};
use anyhow::Result;
use clap::Parser;
use std::time::Instant;

/// What to test.
#[derive(Parser)]
pub struct Args {
    /// Also run what takes long: ignored tests, real clients, the corpus, sanitizers
    #[arg(long)]
    all: bool,
}

/// Steps of each pair of adapters in a random run, which take seconds.
const STRESS: u64 = 10_000_000;

/// Cycles in which memory must stay flat.
const CYCLES: u64 = 1_000_000;

/// Runs everything and prints the sum. `Ok(false)` when something failed.
pub fn run(args: &Args) -> Result<bool> {
    if !setup::ensure()? {
        return Ok(false);
    }
    let mut steps = Steps::default();
    steps.run("format", format);
    steps.run("lint", lint);
    steps.run("build", || {
        build::tree()?;
        build::broken_loader()?;
        Ok(Tally::one(true))
    });
    steps.run("tests", || tests(args.all));
    steps.run("conformance of native CPU", cts::native_cpu);
    for threads in [1, 8] {
        steps.run(&format!("stress handles on {threads} threads"), || {
            stress::handles(STRESS, threads, &[1, 2, 3]).map(|(_, held)| Tally::one(held))
        });
    }
    steps.run("stress cycles", || stress::cycles(CYCLES).map(Tally::one));
    if args.all {
        steps.run("valgrind", || {
            sanitize::tally(sanitize::Tool::Valgrind, &[])
        });
        steps.run("asan", || sanitize::tally(sanitize::Tool::Asan, &[]));
        steps.run("corpus", || corpus::sample(1000, 1).map(Tally::one));
        steps.run("diff", diff::sample);
        for runtime in crate::venv::Runtime::ALL {
            steps.run(&format!("dpctl on {runtime}"), || {
                client::suite(client::Suite::Dpctl, runtime, "native-cpu")
            });
        }
        steps.run("dpctl on 2026.1 and Intel's OpenCL adapter", || {
            let runtime = crate::venv::Runtime::V2026_1;
            client::suite(client::Suite::Dpctl, runtime, crate::venv::INTEL_OPENCL)
        });
        steps.run("calls through both loaders", client::comparisons);
        steps.run("stress contexts", || stress::contexts().map(Tally::one));
        steps.run("dpnp on 2026.2", || {
            let runtime = crate::venv::Runtime::V2026_2;
            client::suite(client::Suite::Dpnp, runtime, "native-cpu")
        });
    }
    println!("{}", steps.total);
    Ok(steps.total.good())
}

/// The running sum.
#[derive(Default)]
struct Steps {
    total: Tally,
}

impl Steps {
    /// Runs one step and adds its tally; an error is one failure.
    fn run(&mut self, name: &str, step: impl FnOnce() -> Result<Tally>) {
        eprintln!("== {name}");
        let start = Instant::now();
        let tally = step().unwrap_or_else(|error| {
            println!("{name}: {error:#}");
            Tally::one(false)
        });
        println!("{name}: {tally} in {:.0} s", start.elapsed().as_secs_f64());
        self.total += tally;
    }
}

/// Whether all sources are formatted.
fn format() -> Result<Tally> {
    if !setup::has_component("rustfmt") {
        return Ok(Tally::skip());
    }
    let status = process::status(&mut process::cargo(["fmt", "--all", "--check"]))?;
    Ok(Tally::one(status.success()))
}

/// Whether clippy has nothing to say.
fn lint() -> Result<Tally> {
    if !setup::has_component("clippy") {
        return Ok(Tally::skip());
    }
    let status = process::status(&mut process::cargo([
        "clippy",
        "--workspace",
        "--all-targets",
        "--quiet",
        "--",
        "-D",
        "warnings",
    ]))?;
    Ok(Tally::one(status.success()))
}

/// The workspace's own tests; `ignored` adds those marked as slow.
fn tests(ignored: bool) -> Result<Tally> {
    let mut cargo = process::cargo(["test", "--workspace", "--no-fail-fast"]);
    cargo.env("UR_DIST_DIR", repo::dist());
    if ignored {
        cargo.args(["--", "--include-ignored"]);
    }
    harness::run(&mut cargo)
}
