//! `./x support`: the support table of the README. Which entry points an adapter implements is read
//! from its source, where what it leaves out answers `UNSUPPORTED_FEATURE`; which properties its
//! device answers is asked of the device.

use crate::{build, process, repo, setup};
use anyhow::{Context, Result, bail};
use clap::Parser;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::Command;

/// How to write.
#[derive(Parser)]
pub struct Args {
    /// Only say whether the README holds the current table
    #[arg(long)]
    check: bool,
}

/// The lines in README.md between which the table stands.
const BEGIN: &str = "<!-- support: written by ./x support -->";
const END: &str = "<!-- end of support -->";

/// Writes the table, or checks it. The last line says what was done.
pub fn run(args: &Args) -> Result<bool> {
    if !setup::ensure()? {
        return Ok(false);
    }
    build::tree()?;
    let path = repo::root().join("README.md");
    let readme = fs::read_to_string(&path)?;
    let (before, rest) = readme
        .split_once(BEGIN)
        .context("README.md lacks the first marker")?;
    let (_, after) = rest
        .split_once(END)
        .context("README.md lacks the second marker")?;
    let new = format!(
        "{before}{BEGIN}\n\n{}\n{}\n{END}{after}",
        entry_points(&repo::root())?,
        device_queries()?
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

/// The table of entry points.
fn entry_points(root: &Path) -> Result<String> {
    let kit = root.join("crates/ur-adapter/src/generated");
    let tables = tables(&fs::read_to_string(kit.join("table.rs"))?);
    let methods = methods(&fs::read_to_string(kit.join("traits.rs"))?);
    let mut implemented = BTreeSet::new();
    implementations(
        &root.join("crates/adapters/native-cpu/src"),
        &mut implemented,
    )?;
    if tables.is_empty() || methods.is_empty() || implemented.is_empty() {
        bail!("the kit or the adapter is not laid out as expected");
    }

    let mut text =
        String::from("| Entry points | native-cpu | Not supported |\n| --- | ---: | --- |\n");
    let (mut total, mut supported) = (0, 0);
    for (table, functions) in &tables {
        let (by_adapter, by_kit): (Vec<_>, Vec<_>) = functions
            .iter()
            .partition(|function| methods.contains_key(*function));
        let (have, lack): (Vec<_>, Vec<_>) = by_adapter
            .into_iter()
            .partition(|function| implemented.contains(&methods[*function]));
        // What the kit answers counts only where there are objects to ask it of.
        let count = if have.is_empty() && !lack.is_empty() {
            0
        } else {
            have.len() + by_kit.len()
        };
        let missing = match (count, lack.is_empty()) {
            (0, _) => "all".to_owned(),
            (_, true) => String::new(),
            _ => lack
                .iter()
                .map(|function| format!("`{function}`"))
                .collect::<Vec<_>>()
                .join(", "),
        };
        writeln!(
            text,
            "| {table} | {count} of {} | {missing} |",
            functions.len()
        )?;
        total += functions.len();
        supported += count;
    }
    writeln!(text, "| **all** | **{supported} of {total}** | |")?;
    Ok(text)
}

/// The functions of each dispatch table, in order.
fn tables(source: &str) -> Vec<(String, Vec<String>)> {
    let mut tables: Vec<(String, Vec<String>)> = Vec::new();
    for line in source.lines().map(str::trim) {
        if let Some((field, rest)) = line.split_once(": ")
            && rest.ends_with("_dditable_t {")
            && field.chars().all(char::is_alphanumeric)
        {
            tables.push((field.to_owned(), Vec::new()));
        }
        if let Some((_, rest)) = line.split_once("shims::")
            && let Some((name, _)) = rest.split_once("::<")
            && let Some((_, functions)) = tables.last_mut()
        {
            functions.push(name.to_owned());
        }
    }
    tables
}

/// The trait method behind each function that adapters answer.
fn methods(source: &str) -> BTreeMap<String, String> {
    let mut methods = BTreeMap::new();
    let mut documented = None;
    for line in source.lines().map(str::trim) {
        if let Some(rest) = line.strip_prefix("/// `ur")
            && let Some((name, _)) = rest.split_once('`')
        {
            documented = Some(format!("ur{name}"));
        }
        if let Some(method) = method_name(line)
            && let Some(function) = documented.take()
        {
            methods.insert(function, method);
        }
    }
    methods
}

/// The methods in the `impl …Fns for …` blocks of all files below a folder. The sources are
/// formatted, so a block ends at the first brace in the first column.
fn implementations(folder: &Path, found: &mut BTreeSet<String>) -> Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            implementations(&path, found)?;
            continue;
        }
        let mut inside = false;
        for line in fs::read_to_string(&path)?.lines() {
            if line.starts_with("impl ") && line.contains("Fns for ") {
                inside = line.ends_with('{');
            } else if line.starts_with('}') {
                inside = false;
            } else if inside && let Some(method) = method_name(line.trim()) {
                found.insert(method);
            }
        }
    }
    Ok(())
}

/// The name in a line that begins a function.
fn method_name(line: &str) -> Option<String> {
    let rest = line.strip_prefix("unsafe ").unwrap_or(line);
    let rest = rest.strip_prefix("fn ")?;
    let end = rest.find(['(', '<'])?;
    Some(rest[..end].to_owned())
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
        .map(|(name, _)| format!("`{}`", name.trim_start_matches("UR_DEVICE_INFO_")))
        .collect();
    Ok(format!(
        "The device answers {} of {} properties; the others (`UR_DEVICE_INFO_…`) are {}.\n",
        info.len() - unsupported.len(),
        info.len(),
        unsupported.join(", ")
    ))
}

#[cfg(test)]
mod tests {
    use super::{method_name, methods, tables};

    #[test]
    fn reads_the_kit() {
        let source = "pub const fn table<B: Api>() -> ur_dditable_t {\n    Context: ur_context_dditable_t {\n        pfnCreate: Some(shims::urContextCreate::<B>),\n";
        assert_eq!(
            tables(source),
            [("Context".into(), vec!["urContextCreate".into()])]
        );
        let source = "    /// `urContextCreate`: makes one.\n    fn context_create(\n";
        assert_eq!(methods(source)["urContextCreate"], "context_create");
    }

    #[test]
    fn reads_methods() {
        assert_eq!(method_name("fn a() {"), Some("a".into()));
        assert_eq!(method_name("unsafe fn b(").as_deref(), Some("b"));
        assert_eq!(method_name("let fn_ = 1;"), None);
    }
}
