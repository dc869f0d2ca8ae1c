//! `./x support`: the support table of the README, from a run.

use crate::{build, process, repo, setup};
use anyhow::{Context, Result, bail};
use clap::Parser;
use std::fs;
use std::process::Command;

/// How to write.
#[derive(Parser)]
pub struct Args {
    /// Only say whether the README holds the current table
    #[arg(long)]
    check: bool,
}

/// The lines in README.md between which the table stands.
const BEGIN: &str = "<!-- support table: written by ./x support -->";
const END: &str = "<!-- end of the support table -->";

/// Writes the table, or checks it. The last line says what was done.
pub fn run(args: &Args) -> Result<bool> {
    if !setup::ensure()? {
        return Ok(false);
    }
    build::tree()?;
    let table = process::output(Command::new(repo::dist_bin("ur")).args([
        "info",
        "--support",
        "--adapter",
        "native_cpu",
    ]))?;
    let path = repo::root().join("README.md");
    let readme = fs::read_to_string(&path)?;
    let (before, rest) = readme
        .split_once(BEGIN)
        .context("README.md lacks the first marker")?;
    let (_, after) = rest
        .split_once(END)
        .context("README.md lacks the second marker")?;
    let new = format!("{before}{BEGIN}\n\n{}\n\n{END}{after}", table.trim());
    if table.trim().is_empty() {
        bail!("the table is empty");
    }
    if new == readme {
        println!("README.md holds the current table");
        return Ok(true);
    }
    if args.check {
        println!("README.md holds an old table; run ./x support");
        return Ok(false);
    }
    fs::write(&path, new)?;
    println!("README.md: table written");
    Ok(true)
}
