//! `./x support`: the support table of the README, from runs: every entry point of the adapter is
//! called, and its device is asked for each of its properties.

mod corpus;
mod generated;
mod probe;

use crate::{build, process, repo, setup};
use anyhow::{Context, Result, bail};
use clap::Parser;
use serde_json::Value;
use std::fmt::Write;
use std::fs;
use std::process::Command;

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

/// Writes the table, or checks it. The last line says what was done.
pub fn run(args: &Args) -> Result<bool> {
    if !setup::ensure()? {
        return Ok(false);
    }
    if !args.no_build {
        build::tree()?;
    }
    let path = repo::root().join("README.md");
    let readme = fs::read_to_string(&path)?;
    let (before, rest) = readme
        .split_once(BEGIN)
        .context("README.md lacks the first marker")?;
    let (_, after) = rest
        .split_once(END)
        .context("README.md lacks the second marker")?;
    let new = format!(
        "{before}{BEGIN}\n\n{}\n{}\n{}{END}{after}",
        entry_points()?,
        device_queries()?,
        corpora()?
    );
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

/// The table of the modules that were built, where whole runs left one.
fn corpora() -> Result<String> {
    match fs::read_to_string(repo::root().join("docs/corpus.toml")) {
        Ok(text) => Ok(format!("{}\n", corpus::table(&text)?)),
        Err(_) => Ok(String::new()),
    }
}

/// Why entry points are not supported, by parts of their names. Every reason must be needed, and
/// every entry point that is not supported must have one.
const NO_ENTRY_POINT: &[(&[&str], &str)] = &[
    (
        &["NativeHandle"],
        "there is no driver beneath whose objects they could be",
    ),
    (
        &["NativeCommand"],
        "there is no native queue that a program could add to by itself",
    ),
    (
        &["HostPipe"],
        "pipes between host and kernels belong to FPGAs; the device has none",
    ),
    (
        &["IPCGetEvent", "IPCPutEvent", "IPCOpenEvent"],
        "events live in the memory of their process",
    ),
    (
        &["BindlessImages"],
        "kernels reach images through arguments only",
    ),
    (
        &["KernelSetSpecializationConstants"],
        "specialisation constants are set on programs, before they are built",
    ),
];

/// Why properties of the device are not answered, likewise.
const NO_PROPERTY: &[(&[&str], &str)] = &[
    (
        &[
            "GPU_",
            "EUS_",
            "XE_",
            "IP_VERSION",
            "MAX_LANES",
            "REGISTERS",
        ],
        "parts of GPUs",
    ),
    (
        &["COMPONENT_DEVICES", "COMPOSITE_DEVICE"],
        "cards of several GPUs",
    ),
    (&["PCI_ADDRESS", "LUID", "NODE_MASK"], "the place of a card"),
    (
        &[
            "THROTTLE",
            "FAN_SPEED",
            "POWER_LIMIT",
            "BANDWIDTH",
            "BUS_WIDTH",
            "MEMORY_CLOCK_RATE",
        ],
        "the system does not tell them to programs",
    ),
    (
        &["IMAGE_PITCH", "IMAGE_LINEAR", "MIPMAP"],
        "limits of bindless images and of mipmaps, which there are not",
    ),
];

/// The table of entry points, and why some are not supported.
fn entry_points() -> Result<String> {
    let answers = probe::ask(
        &repo::dist_lib().join("libur_adapter_native_cpu.so.0"),
        &repo::root().join("tests/spirv/vector_add.spv"),
    )?;
    let mut tables: Vec<&str> = answers.iter().map(|answer| answer.table).collect();
    tables.dedup();
    let mut text =
        String::from("| Entry points | native-cpu | Not supported |\n| --- | ---: | --- |\n");
    for table in tables {
        let own: Vec<_> = answers.iter().filter(|a| a.table == table).collect();
        let lack: Vec<_> = own
            .iter()
            .filter(|answer| !answer.supported)
            .map(|answer| format!("`{}`", answer.name))
            .collect();
        let missing = if lack.len() == own.len() {
            "all".to_owned()
        } else {
            lack.join(", ")
        };
        let count = own.len() - lack.len();
        writeln!(text, "| {table} | {count} of {} | {missing} |", own.len())?;
    }
    let lack: Vec<_> = answers.iter().filter(|answer| !answer.supported).collect();
    let count = answers.len() - lack.len();
    writeln!(text, "| **all** | **{count} of {}** | |\n", answers.len())?;
    let names: Vec<_> = lack.iter().map(|answer| answer.name).collect();
    text.push_str("Why not:\n\n");
    text.push_str(&reasons(&names, NO_ENTRY_POINT)?);
    Ok(text)
}

/// A list of the reasons that `names` have, each with its names.
fn reasons(names: &[&str], known: &[(&[&str], &str)]) -> Result<String> {
    let mut text = String::new();
    let mut left = names.to_vec();
    for (parts, reason) in known {
        let meant = |name: &&mut &str| parts.iter().any(|part| name.contains(part));
        let with: Vec<_> = left
            .extract_if(.., |name| meant(&name))
            .map(|name| format!("`{name}`"))
            .collect();
        if with.is_empty() {
            bail!("a reason for nothing: {reason}");
        }
        writeln!(text, "- {}: {reason}.", with.join(", "))?;
    }
    if !left.is_empty() {
        bail!("not supported, without a reason: {}", left.join(", "));
    }
    Ok(text)
}

/// What the device answers when it is asked for each of its properties.
fn device_queries() -> Result<String> {
    let output = process::output(
        Command::new(repo::dist_bin("ur"))
            .args(["info", "-v", "--json"])
            .env_remove("ONEAPI_DEVICE_SELECTOR")
            .env(
                "UR_ADAPTERS_FORCE_LOAD",
                repo::dist_lib().join("libur_adapter_native_cpu.so.0"),
            ),
    )?;
    let report: Value = serde_json::from_str(&output)?;
    let info = report["adapters"][0]["platforms"][0]["devices"][0]["info"]
        .as_object()
        .context("the native CPU adapter has no device")?;
    let unsupported: Vec<_> = info
        .iter()
        .filter(|(_, value)| *value == "UR_RESULT_ERROR_UNSUPPORTED_ENUMERATION")
        .map(|(name, _)| name.trim_start_matches("UR_DEVICE_INFO_"))
        .collect();
    Ok(format!(
        "The device answers {} of {} properties. The others (`UR_DEVICE_INFO_…`):\n\n{}",
        info.len() - unsupported.len(),
        info.len(),
        reasons(&unsupported, NO_PROPERTY)?
    ))
}

#[cfg(test)]
mod tests {
    use super::reasons;

    #[test]
    fn every_name_has_a_reason_and_every_reason_a_name() {
        let known: &[(&[&str], &str)] = &[(&["A", "B"], "one"), (&["C"], "two")];
        let text = reasons(&["urA", "urC", "urB"], known).unwrap();
        assert_eq!(text, "- `urA`, `urB`: one.\n- `urC`: two.\n");
        assert!(reasons(&["urA"], known).is_err());
        assert!(reasons(&["urA", "urC", "urD"], known).is_err());
    }
}
