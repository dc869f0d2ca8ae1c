//! `./x bench start`: what our loader and `ur info` take to start, beside the released loader on the
//! same adapters. Both take turns within one run, each time in a new process. Times of calls are those
//! of the processor: whole milliseconds, which other processes may take in between, would outweigh
//! what is measured.

use crate::venv::{Runtime, Venv};
use crate::{build, process, repo, setup};
use anyhow::{Context, Result, bail};
use clap::Parser;
use serde::Serialize;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// How to measure.
#[derive(Parser)]
#[command(name = "./x bench start")]
pub struct Args {
    /// Processes of each kind
    #[arg(long, default_value_t = 40)]
    samples: usize,

    /// Folder with a released libur_loader.so.0 and its adapters [default: the client's environment]
    #[arg(long)]
    released: Option<PathBuf>,

    /// Where the figures go as JSON [default: target/bench-start.json]
    #[arg(long)]
    json: Option<PathBuf>,

    /// Measure what is built already
    #[arg(long)]
    no_build: bool,
}

/// One quantity in one setting.
#[derive(Serialize)]
struct Row {
    /// The adapters, and what else is there.
    setting: String,
    /// What is measured, and its unit.
    what: &'static str,
    ours: Spread,
    released: Spread,
    /// Ours by the released one's, pair by pair.
    ratio: Spread,
}

/// The middle of a set of samples and where its middle half lies.
#[derive(Serialize)]
struct Spread {
    median: f64,
    low: f64,
    high: f64,
}

impl Spread {
    fn of(samples: impl Iterator<Item = f64>) -> Option<Spread> {
        let mut sorted: Vec<f64> = samples.collect();
        sorted.sort_by(f64::total_cmp);
        let last = sorted.len().checked_sub(1)?;
        Some(Spread {
            median: sorted[last.div_ceil(2)],
            low: sorted[last / 4],
            high: sorted[last * 3 / 4],
        })
    }
}

/// Adapters that both loaders open, and libraries that the process has before.
struct Setting {
    name: String,
    adapters: Vec<PathBuf>,
    before: Vec<PathBuf>,
}

/// What is measured with.
struct Bench {
    samples: usize,
    /// The folder of the released loader.
    released: PathBuf,
    /// Where the C programs are built.
    tools: PathBuf,
}

/// Libraries that the released loader needs and brings along when it is opened, and so do the
/// released adapters.
const BROUGHT: [&str; 9] = [
    "libpthread.so.0",
    "libdl.so.2",
    "libm.so.6",
    "libgcc_s.so.1",
    "libstdc++.so.6",
    "libsvml.so",
    "libirng.so",
    "libimf.so",
    "libintlc.so.5",
];

/// Measures; the last line says what `urLoaderInit` takes with four adapters that have no driver.
pub fn run(args: &Args) -> Result<bool> {
    if !args.no_build {
        if !setup::ensure()? {
            return Ok(false);
        }
        build::tree()?;
    }
    let released = match &args.released {
        Some(folder) => fs::canonicalize(folder).context("no folder of a release")?,
        None => Venv::ensure(Runtime::V2026_2)?.lib(),
    };
    let bench = Bench {
        samples: args.samples.max(1),
        released,
        tools: repo::cargo_target().join("bench-start"),
    };
    fs::create_dir_all(&bench.tools)?;
    let rows = bench.rows()?;

    println!(
        "{:46} {:26} {:>12} {:>12}   ours / released",
        "", "", "ours", "released"
    );
    let mut before = "";
    for row in &rows {
        let setting = if row.setting == before {
            ""
        } else {
            &row.setting
        };
        before = &row.setting;
        println!(
            "{setting:46} {:26} {:>12.0} {:>12.0}   {:.3} ({:.3} to {:.3})",
            row.what,
            row.ours.median,
            row.released.median,
            row.ratio.median,
            row.ratio.low,
            row.ratio.high,
        );
    }
    let json = args.json.clone();
    let json = json.unwrap_or_else(|| repo::cargo_target().join("bench-start.json"));
    fs::write(&json, serde_json::to_string_pretty(&rows)? + "\n")?;
    println!("{}: written", json.display());
    let first = rows.first().context("nothing was measured")?;
    println!(
        "urLoaderInit with {}: {:.3} of the released loader's time",
        first.setting, first.ratio.median
    );
    Ok(true)
}

impl Bench {
    fn rows(&self) -> Result<Vec<Row>> {
        let calls = self.program("calls", "start/calls.c", &[])?;
        let run = self.program("run", "start/run.c", &[])?;
        let list = self.program(
            "list",
            "start/list.c",
            &[
                self.loader().display().to_string(),
                format!("-Wl,-rpath-link,{}", self.released.display()),
            ],
        )?;
        let nothing: Vec<PathBuf> = (1..=4)
            .map(|number| {
                let name = format!("libur_adapter_nothing{number}.so.0");
                self.program(
                    &name,
                    "start/nothing.c",
                    &["-shared".into(), "-fPIC".into()],
                )
            })
            .collect::<Result<_>>()?;
        let level_zero = ["level_zero", "level_zero_v2"]
            .map(|name| self.released.join(format!("libur_adapter_{name}.so.0")));
        let native_cpu = repo::dist_lib().join("libur_adapter_native_cpu.so.0");
        let both = [level_zero.to_vec(), nothing[..2].to_vec()].concat();

        let mut rows = Vec::new();
        for setting in [
            Setting {
                name: "four adapters without a driver".into(),
                adapters: nothing,
                before: Vec::new(),
            },
            Setting {
                name: "two such, two of Level Zero".into(),
                adapters: both.clone(),
                before: Vec::new(),
            },
            Setting {
                name: "the same, their shared libraries there".into(),
                adapters: both,
                before: self.brought(),
            },
        ] {
            eprintln!("{} ...", setting.name);
            self.calls(&calls, &setting, &mut rows)?;
        }
        let all = [vec![native_cpu.clone()], level_zero.to_vec()].concat();
        for (name, adapters) in [
            ("ur info, native CPU", vec![native_cpu]),
            ("ur info, native CPU and Level Zero's", all),
        ] {
            eprintln!("{name} ...");
            self.info(&run, &list, name, &adapters, &mut rows)?;
        }
        Ok(rows)
    }

    fn loader(&self) -> PathBuf {
        self.released.join("libur_loader.so.0")
    }

    /// Those of [`BROUGHT`], where the release has them.
    fn brought(&self) -> Vec<PathBuf> {
        let own = |name: &str| {
            let path = self.released.join(name);
            if path.exists() { path } else { name.into() }
        };
        BROUGHT.iter().map(|name| own(name)).collect()
    }

    /// Builds one of the C programs under benches.
    fn program(&self, name: &str, source: &str, more: &[String]) -> Result<PathBuf> {
        let program = self.tools.join(name);
        process::run(
            Command::new("cc")
                .args(["-std=gnu11", "-O1", "-Wall", "-Werror", "-I"])
                .arg(repo::root().join("include"))
                .arg("-o")
                .arg(&program)
                .arg(repo::root().join("benches").join(source))
                .args(more),
        )?;
        Ok(program)
    }

    /// A program in an environment of its own, with these adapters and no other driver.
    fn command(&self, program: &Path, adapters: &[PathBuf]) -> Command {
        let list: Vec<_> = adapters
            .iter()
            .map(|path| path.display().to_string())
            .collect();
        let mut command = Command::new(program);
        command
            .env_clear()
            .env("LD_LIBRARY_PATH", &self.released)
            .env("OCL_ICD_VENDORS", self.tools.join("no-drivers"))
            .env("UR_ADAPTERS_FORCE_LOAD", list.join(","));
        command
    }

    /// Runs both commands in turn, each as often as asked, and gives the numbers that they print.
    fn turns<const N: usize>(
        &self,
        ours: impl Fn() -> Command,
        theirs: impl Fn() -> Command,
    ) -> Result<Vec<[[f64; N]; 2]>> {
        (0..self.samples)
            .map(|_| Ok([numbers(&mut ours())?, numbers(&mut theirs())?]))
            .collect()
    }

    fn calls(&self, program: &Path, setting: &Setting, rows: &mut Vec<Row>) -> Result<()> {
        let with = |loader: PathBuf| {
            move || {
                let mut command = self.command(program, &setting.adapters);
                command.arg(&loader).args(&setting.before);
                command
            }
        };
        let samples: Vec<[[f64; 4]; 2]> = self.turns(
            with(repo::dist_lib().join("libur_loader.so.0")),
            with(self.loader()),
        )?;
        type Sum = fn(&[f64; 4]) -> f64;
        let sums: [(&str, Sum); 4] = [
            ("urLoaderInit, ns", |s| s[1]),
            ("and urAdapterGet, ns", |s| s[1] + s[2]),
            ("and opening the loader, ns", |s| s[0] + s[1] + s[2]),
            ("urLoaderTearDown, ns", |s| s[3]),
        ];
        for (what, sum) in sums {
            rows.push(row(&setting.name, what, &samples, sum)?);
        }
        Ok(())
    }

    fn info(
        &self,
        run: &Path,
        list: &Path,
        name: &str,
        adapters: &[PathBuf],
        rows: &mut Vec<Row>,
    ) -> Result<()> {
        let samples: Vec<[[f64; 3]; 2]> = self.turns(
            || {
                let mut command = self.command(run, adapters);
                command.arg(repo::dist_bin("ur")).arg("info");
                command
            },
            || {
                let mut command = self.command(run, adapters);
                command.arg(list);
                command
            },
        )?;
        rows.push(row(name, "wall time, ns", &samples, |s| s[0])?);
        rows.push(row(name, "processor time, ns", &samples, |s| s[1])?);
        rows.push(row(name, "peak memory, KiB", &samples, |s| s[2])?);
        Ok(())
    }
}

/// One quantity of the samples.
fn row<const N: usize>(
    setting: &str,
    what: &'static str,
    samples: &[[[f64; N]; 2]],
    of: impl Fn(&[f64; N]) -> f64,
) -> Result<Row> {
    let spread = |value: &dyn Fn(&[[f64; N]; 2]) -> f64| Spread::of(samples.iter().map(value));
    let row = || {
        Some(Row {
            setting: setting.to_owned(),
            what,
            ours: spread(&|[ours, _]| of(ours))?,
            released: spread(&|[_, released]| of(released))?,
            ratio: spread(&|[ours, released]| of(ours) / of(released))?,
        })
    };
    row().context("no samples")
}

/// Runs a command that prints this many numbers.
fn numbers<const N: usize>(command: &mut Command) -> Result<[f64; N]> {
    let output = process::output(command)?;
    let numbers: Vec<f64> = output
        .split_whitespace()
        .map(str::parse)
        .collect::<Result<_, _>>()
        .with_context(|| format!("`{}` printed {output}", process::shown(command)))?;
    let Ok(numbers) = numbers.try_into() else {
        bail!("`{}` printed {output}", process::shown(command));
    };
    Ok(numbers)
}

#[cfg(test)]
mod tests {
    use super::{Spread, row};

    #[test]
    fn ratios_are_of_pairs() {
        let samples = [[[2.0], [4.0]], [[1.0], [1.0]], [[9.0], [3.0]]];
        let row = row("x", "y", &samples, |s| s[0]).expect("samples");
        let middle = |spread: &Spread| (spread.low, spread.median, spread.high);
        assert_eq!(middle(&row.ours), (1.0, 2.0, 2.0));
        assert_eq!(middle(&row.released), (1.0, 3.0, 3.0));
        assert_eq!(middle(&row.ratio), (0.5, 1.0, 1.0));
        assert!(Spread::of(std::iter::empty()).is_none());
    }
}
