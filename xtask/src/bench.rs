//! `./x bench`: `ur bench` on the built tree, and the README's section.

mod start;

use crate::venv::{Runtime, Venv};
use crate::{build, diff, process, repo, setup};
use anyhow::{Context, Result};
use clap::Parser;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

/// What to measure.
#[derive(Parser)]
#[command(after_help = "\
Without options everything is measured, and README.md and docs/bench.svg are written. With options,
which are those of `ur bench`, it is only shown: ./x bench --filter '^sin$' --samples 30
`./x bench adapters` measures calls of our OpenCL adapter beside the released one's, both on Intel's
driver; options behind it are those of `ur bench --adapters`.
`./x bench start` measures the start of the loader and of `ur info` beside the released loader's;
`./x bench start --help` shows its options.")]
pub struct Args {
    /// Options of `ur bench`
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    options: Vec<String>,
}

/// The lines in README.md between which the tables stand.
const BEGIN: &str = "<!-- bench: written by ./x bench -->";
const END: &str = "<!-- end of bench -->";

/// The OpenCL adapter, ours and the released one.
const OPENCL: &str = "libur_adapter_opencl.so.0";

/// Modules of dpnp that are built.
const MODULES: usize = 200;

/// Measures; the last line is the geometric mean over the kernels, or says what was written.
pub fn run(args: &Args) -> Result<bool> {
    if args.options.first().is_some_and(|option| option == "start") {
        return start::run(&start::Args::parse_from(&args.options));
    }
    if !setup::ensure()? {
        return Ok(false);
    }
    build::tree()?;
    let mut ur = Command::new(repo::dist_bin("ur"));
    ur.arg("bench").arg("--intel").arg(diff::intel()?);
    if let Some((_, options)) = args
        .options
        .split_first()
        .filter(|(first, _)| *first == "adapters")
    {
        let released = Venv::ensure(Runtime::V2026_1)?.lib();
        ur.arg("--adapters")
            .args([repo::dist_lib(), released].map(|lib| lib.join(OPENCL)))
            .args(options);
        return Ok(process::status(&mut ur)?.success());
    }
    if !args.options.is_empty() {
        return Ok(process::status(ur.args(&args.options))?.success());
    }
    let Some(functions) = functions()? else {
        return Ok(false);
    };
    let tables = repo::cargo_target().join("bench.md");
    ur.arg("--dpnp")
        .arg(functions)
        .arg("--json")
        .arg(repo::cargo_target().join("bench.json"))
        .arg("--svg")
        .arg(repo::root().join("docs/bench.svg"))
        .arg("--markdown")
        .arg(&tables)
        .arg("--modules")
        .arg(modules()?);
    if !process::status(&mut ur)?.success() {
        return Ok(false);
    }
    let path = repo::root().join("README.md");
    let readme = fs::read_to_string(&path)?;
    fs::write(&path, filled(&readme, &fs::read_to_string(&tables)?)?)?;
    println!("README.md and docs/bench.svg: written");
    Ok(true)
}

/// A file with the times of dpnp's functions on our device and on Intel's; nothing when one of them
/// gave wrong results.
fn functions() -> Result<Option<PathBuf>> {
    let venv = Venv::ensure(Runtime::V2026_2)?;
    venv.install_adapter("native-cpu")?;
    let drivers = repo::cargo_target().join("bench-drivers");
    fs::create_dir_all(&drivers)?;
    fs::write(
        drivers.join("intel.icd"),
        format!("{}\n", diff::intel()?.display()),
    )?;
    let rows = repo::cargo_target().join("bench-dpnp.json");
    let mut script = venv.command()?;
    script
        .arg(repo::root().join("benches/dpnp_functions.py"))
        .arg(&rows)
        .env("OCL_ICD_VENDORS", drivers);
    // The only variable of ours that changes what is measured.
    if let Some(lanes) = std::env::var_os("UR_JIT_LANES") {
        script.env("UR_JIT_LANES", lanes);
    }
    Ok(process::status(&mut script)?.success().then_some(rows))
}

/// The README with new tables.
fn filled(readme: &str, tables: &str) -> Result<String> {
    let (before, rest) = readme
        .split_once(BEGIN)
        .context("README.md lacks the first marker")?;
    let (_, after) = rest
        .split_once(END)
        .context("README.md lacks the second marker")?;
    let picture = "![Speed of our device divided by its peers'](docs/bench.svg)";
    Ok(format!(
        "{before}{BEGIN}\n\n{picture}\n\n{}\n\n{END}{after}",
        tables.trim()
    ))
}

/// A folder with a sample of dpnp's modules.
fn modules() -> Result<PathBuf> {
    let folder = repo::cargo_target().join("bench-modules");
    let there = fs::read_dir(&folder).map_or(0, Iterator::count);
    if there < MODULES {
        let venv = Venv::ensure(Runtime::V2026_2)?;
        let mut cargo = process::cargo(["run", "--release", "--quiet", "-p", "ur-corpus"]);
        cargo
            .args(["--bin", "corpus-build", "--", "--sample"])
            .arg(MODULES.to_string())
            .arg("--extract")
            .arg(&folder)
            .arg(venv.package_dir("dpnp")?);
        process::run(&mut cargo)?;
    }
    Ok(folder)
}

#[cfg(test)]
mod tests {
    use super::{Args, BEGIN, END, filled};
    use clap::Parser;

    #[test]
    fn options_are_passed_on() {
        let options = ["--filter", "^sin$", "--no-peers"];
        let line = ["bench"].into_iter().chain(options);
        let args = Args::try_parse_from(line).map(|args| args.options);
        assert_eq!(args.ok(), Some(options.map(str::to_owned).to_vec()));
    }

    #[test]
    fn tables_go_between_the_markers() {
        let readme = format!("a\n{BEGIN}\nold\n{END}\nb\n");
        let new = filled(&readme, "| new |\n").expect("both markers");
        assert!(new.starts_with(&format!("a\n{BEGIN}\n\n![")), "{new}");
        assert!(new.ends_with(&format!("| new |\n\n{END}\nb\n")), "{new}");
        assert_eq!(filled(&new, "| new |").ok(), Some(new.clone()));
        assert!(filled("a", "b").is_err());
    }
}
