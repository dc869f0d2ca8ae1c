//! `ur-stress`: puts a loader and several adapters to the test.

mod api;
mod arena;
mod contexts;
mod cycles;
mod handles;
mod reuse;
mod rng;
mod world;

use anyhow::{Result, bail};
use clap::{Args, Parser, Subcommand};
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Drives a loader and several adapters at random and checks every answer.
#[derive(Debug, Parser)]
#[command(version)]
struct Cli {
    /// The loader library.
    #[arg(long, global = true, default_value = "libur_loader.so.0")]
    loader: PathBuf,
    /// An adapter library; given once for each. The same file twice means two copies of it.
    #[arg(long, global = true)]
    adapter: Vec<PathBuf>,
    /// Addresses need not go from one adapter to another: for allocators that keep freed memory
    /// back, as those of sanitizers do. Such a run says nothing of the loader's choice of adapter.
    #[arg(long, global = true)]
    without_reuse: bool,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Random life cycles over contexts, queues, events and buffers of all adapters.
    Handles(HandlesArgs),
    /// Creates and releases the same objects over and over; memory must stay flat.
    Cycles(CyclesArgs),
    /// Contexts and queues of all adapters by several threads, which also suits adapters whose
    /// other objects cost a lot.
    Contexts(ContextsArgs),
}

#[derive(Debug, Args)]
struct HandlesArgs {
    /// Steps of all threads together, for each seed.
    #[arg(long, default_value_t = 1_000_000)]
    steps: u64,
    /// Threads.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=256))]
    threads: u64,
    /// Where the random sequence begins; given once for each run.
    #[arg(long = "seed", default_values_t = [1])]
    seeds: Vec<u64>,
    /// Misdirected calls after which a run ends.
    #[arg(long, default_value_t = 1)]
    give_up_after: u64,
}

#[derive(Debug, Args)]
struct CyclesArgs {
    /// Cycles for each adapter.
    #[arg(long, default_value_t = 1_000_000)]
    cycles: u64,
    /// Growth of the resident memory that is still flat, in KiB.
    #[arg(long, default_value_t = 1024)]
    allow_kib: u64,
}

#[derive(Debug, Args)]
struct ContextsArgs {
    /// Cycles for each thread.
    #[arg(long, default_value_t = 100_000)]
    cycles: u64,
    /// Threads.
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u64).range(1..=256))]
    threads: u64,
    /// Where the random sequence begins.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// The adapter libraries to load: a path given again becomes a copy in `folder`, so that the dynamic
/// linker sees another library with tables of its own.
fn libraries(paths: &[PathBuf], folder: &Path) -> Result<Vec<PathBuf>> {
    let mut libraries: Vec<PathBuf> = Vec::new();
    for (index, path) in paths.iter().enumerate() {
        // Loaders take adapters by absolute path only.
        let path = std::path::absolute(path)?;
        if libraries.contains(&path) {
            let copy = folder.join(format!("libur_adapter_copy{index}.so.0"));
            std::fs::copy(path, &copy)?;
            libraries.push(copy);
        } else {
            libraries.push(path);
        }
    }
    Ok(libraries)
}

/// A folder that goes with the process.
struct Scratch(PathBuf);

impl Scratch {
    fn new() -> Result<Self> {
        let path = std::env::temp_dir().join(format!("ur-stress-{}", std::process::id()));
        std::fs::create_dir_all(&path)?;
        Ok(Self(path))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // A folder left behind does no harm.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn handles(world: &world::World, args: &HandlesArgs, reuse: bool) -> Result<bool> {
    let (mut steps, mut misdirected, mut across) = (0, 0, 0);
    let terminal = std::io::stderr().is_terminal();
    for &seed in &args.seeds {
        let plan = handles::Plan {
            steps: args.steps,
            threads: args.threads,
            seed,
            give_up_after: args.give_up_after,
        };
        let outcome = handles::run(world, plan, |done| {
            if terminal {
                eprint!("\rseed {seed}: {done} of {} steps", args.steps);
            }
        });
        if terminal {
            eprintln!();
        }
        println!(
            "seed {seed}, {} threads: {} steps in {:.1} s, {} addresses went from one adapter to another, {} misdirected",
            args.threads,
            outcome.steps,
            outcome.time.as_secs_f64(),
            outcome.across,
            outcome.misdirected
        );
        if let Some(first) = &outcome.first {
            println!("  first: {first}");
        }
        steps += outcome.steps;
        misdirected += outcome.misdirected;
        across += outcome.across;
        if misdirected > 0 {
            break;
        }
    }
    let live = world.live_objects();
    if misdirected == 0 && live > 0 {
        println!("{live} objects of the mock adapters were not destroyed");
    }
    if reuse && across == 0 {
        println!("no address went from one adapter to another: this run shows nothing");
    }
    println!("{steps} steps, {misdirected} misdirected");
    Ok(misdirected == 0 && (across > 0 || !reuse) && live == 0)
}

fn contexts(world: &world::World, args: &ContextsArgs, reuse: bool) -> Result<bool> {
    let outcome = match contexts::run(world, args.cycles, args.threads, args.seed) {
        Ok(outcome) => outcome,
        Err(error) => {
            println!("{error:#}");
            return Ok(false);
        }
    };
    let live = world.live_objects();
    if live > 0 {
        println!("{live} objects of the mock adapters were not destroyed");
    }
    println!(
        "{} cycles on {} threads and {} adapters, {} addresses went from one adapter to another, 0 misdirected",
        outcome.cycles,
        args.threads,
        world.adapters.len(),
        outcome.across
    );
    Ok(live == 0 && (outcome.across > 0 || !reuse))
}

fn run(cli: &Cli) -> Result<bool> {
    if cli.adapter.len() < 2 {
        bail!("two adapters at least: give --adapter twice");
    }
    let scratch = Scratch::new()?;
    let world = world::World::new(&cli.loader, &libraries(&cli.adapter, &scratch.0)?)?;
    match &cli.command {
        Command::Handles(args) => {
            let good = handles(&world, args, !cli.without_reuse)?;
            if good {
                world.close()?;
            }
            Ok(good)
        }
        Command::Contexts(args) => {
            let good = contexts(&world, args, !cli.without_reuse)?;
            if good {
                world.close()?;
            }
            Ok(good)
        }
        Command::Cycles(args) => {
            let good = cycles::run(&world, args.cycles, args.allow_kib)?;
            world.close()?;
            Ok(good)
        }
    }
}

fn main() -> ExitCode {
    match run(&Cli::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("ur-stress: {error:#}");
            ExitCode::from(2)
        }
    }
}
