//! `./x support`: the support table of the README, from runs: every entry point of the adapters is
//! called, and their devices are asked for each of their properties.
//!
//! Not every machine has Intel's OpenCL driver. What it answered last is kept in a file, which the
//! check takes where the driver is not.

mod answers;
mod corpus;
mod generated;
mod probe;
mod reasons;

use crate::{build, diff, repo, setup};
use answers::Answers;
use anyhow::{Context, Result};
use clap::Parser;
use generated::PROBES;
use reasons::{NATIVE_CPU_CALLS, NATIVE_CPU_PROPERTIES, OPENCL_CALLS, OPENCL_PROPERTIES, reasons};
use std::fmt::Write;
use std::fs;
use ur_api::{Enumeration, ur_device_info_t};

/// How to write.
#[derive(Parser)]
pub struct Args {
    /// Only say whether the README holds the current table
    #[arg(long)]
    check: bool,

    /// Ask what is built already
    #[arg(long)]
    no_build: bool,
}

/// The lines in README.md between which the table stands.
const BEGIN: &str = "<!-- support: written by ./x support -->";
const END: &str = "<!-- end of support -->";

/// What the OpenCL adapter answered on Intel's driver.
const KEPT: &str = "docs/support-opencl.toml";
const KEPT_HEAD: &str =
    "# Written by `./x support`: what the OpenCL adapter does not support on this driver.\n\n";

/// Writes the table, or checks it. The last line says what was done.
pub fn run(args: &Args) -> Result<bool> {
    if !setup::ensure()? {
        return Ok(false);
    }
    // A check installs nothing.
    let driver = match args.check {
        true => diff::intel_if_there()?,
        false => Some(diff::intel()?),
    };
    if !args.no_build {
        build::tree()?;
    }
    let kept = repo::root().join(KEPT);
    let old = fs::read_to_string(&kept).unwrap_or_default();
    let opencl = match &driver {
        Some(driver) => Answers::of("opencl", Some(driver))?,
        None => toml::from_str(&old).with_context(|| KEPT.to_owned())?,
    };
    let new = match &driver {
        Some(_) => format!("{KEPT_HEAD}{}", toml::to_string_pretty(&opencl)?),
        None => old.clone(),
    };
    let native_cpu = Answers::of("native_cpu", None)?;
    let path = repo::root().join("README.md");
    let readme = fs::read_to_string(&path)?;
    let (before, rest) = readme
        .split_once(BEGIN)
        .context("README.md lacks the first marker")?;
    let (_, after) = rest
        .split_once(END)
        .context("README.md lacks the second marker")?;
    let text = format!(
        "{before}{BEGIN}\n\n{}\n{}\n{}{END}{after}",
        entry_points(&native_cpu, &opencl)?,
        properties(&native_cpu, &opencl)?,
        corpora()?
    );
    let whence = match driver {
        Some(_) => "",
        None => "; its OpenCL column is from docs/support-opencl.toml: Intel's driver is not here",
    };
    if text == readme && new == old {
        println!("README.md holds the current table{whence}");
        return Ok(true);
    }
    if args.check {
        println!("README.md holds an old table{whence}; run ./x support");
        return Ok(false);
    }
    fs::write(&kept, new)?;
    fs::write(&path, text)?;
    println!("README.md: table written");
    Ok(true)
}

/// The table of the modules that were built, where whole runs left one.
fn corpora() -> Result<String> {
    match fs::read_to_string(repo::root().join("docs/corpus.toml")) {
        Ok(text) => Ok(format!("{}\n", corpus::table(&text)?)),
        Err(_) => Ok(String::new()),
    }
}

/// The table of entry points, and why some are not supported.
fn entry_points(native_cpu: &Answers, opencl: &Answers) -> Result<String> {
    let mut tables: Vec<&str> = PROBES.iter().map(|probe| probe.table).collect();
    tables.dedup();
    let mut text = String::from(
        "| Entry points | native-cpu | opencl | Not in native-cpu | Not in opencl |\n\
         | --- | ---: | ---: | --- | --- |\n",
    );
    for table in tables {
        let own = PROBES.iter().filter(|probe| probe.table == table);
        let own: Vec<_> = own.map(|probe| probe.name).collect();
        let lack = |answers: &Answers| {
            let lack = own.iter().filter(|name| !answers.has(name));
            lack.map(|name| format!("`{name}`")).collect::<Vec<_>>()
        };
        let count = |lack: &[String]| format!("{} of {}", own.len() - lack.len(), own.len());
        let names = |lack: &[String]| match lack.len() == own.len() {
            true => "all".to_owned(),
            false => lack.join(", "),
        };
        let (native, other) = (lack(native_cpu), lack(opencl));
        writeln!(
            text,
            "| {table} | {} | {} | {} | {} |",
            count(&native),
            count(&other),
            names(&native),
            names(&other)
        )?;
    }
    let count = |answers: &Answers| PROBES.len() - answers.calls.len();
    writeln!(
        text,
        "| **all** | **{} of {}** | **{} of {}** | | |\n",
        count(native_cpu),
        PROBES.len(),
        count(opencl),
        PROBES.len()
    )?;
    writeln!(
        text,
        "The OpenCL adapter was asked on {}. Another driver may have more or less.\n",
        opencl.driver
    )?;
    text.push_str("Why not in native-cpu:\n\n");
    text.push_str(&reasons(&native_cpu.calls, NATIVE_CPU_CALLS)?);
    text.push_str("\nWhy not in opencl:\n\n");
    text.push_str(&reasons(&opencl.calls, OPENCL_CALLS)?);
    Ok(text)
}

/// What the devices do not answer, and why.
fn properties(native_cpu: &Answers, opencl: &Answers) -> Result<String> {
    let all = (0..0x1_0000).map(ur_device_info_t);
    let all = all.filter(|name| name.name().is_some()).count();
    let mut text = String::new();
    for (name, answers, why) in [
        ("native-cpu", native_cpu, NATIVE_CPU_PROPERTIES),
        ("opencl", opencl, OPENCL_PROPERTIES),
    ] {
        writeln!(
            text,
            "The device of {name} answers {} of {all} properties. The others (`UR_DEVICE_INFO_…`):\n\n{}",
            all - answers.properties.len(),
            reasons(&answers.properties, why)?
        )?;
    }
    text.pop();
    Ok(text)
}
