//! `./x build`: the built tree, target/dist.

use crate::{process, repo};
use anyhow::{Context, Result};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Packages whose release build goes into the tree.
const PACKAGES: &[&str] = &[
    "ur-loader",
    "ur-jit",
    "ur-adapter-native-cpu",
    "ur-adapter-opencl",
    "ur-adapter-level-zero",
    "ur-adapter-mock",
    "ur-cli",
];

/// Shared libraries: cargo's file name, the name in the tree.
const LIBRARIES: &[(&str, &str)] = &[
    ("libur_jit.so", "libur_jit.so"),
    (
        "libur_adapter_native_cpu.so",
        "libur_adapter_native_cpu.so.0",
    ),
    ("libur_adapter_opencl.so", "libur_adapter_opencl.so.0"),
    (
        "libur_adapter_level_zero.so",
        "libur_adapter_level_zero.so.0",
    ),
    ("libur_adapter_mock.so", "libur_adapter_mock.so.0"),
];

/// Programs, which keep their names: the cargo profile that they are from, the name.
const PROGRAMS: &[(&str, &str)] = &[("small", "ur"), ("release", "ur-tool")];

/// SONAME of the loader.
pub const LOADER: &str = "libur_loader.so.0";

/// Builds the tree and prints its files with their sizes.
pub fn run() -> Result<()> {
    if !crate::setup::ensure()? {
        anyhow::bail!("the system lacks packages");
    }
    tree()?;
    for path in files(&repo::dist())? {
        let size = fs::metadata(&path)?.len();
        let name = path.strip_prefix(repo::root()).unwrap_or(&path);
        println!("{:>12} {}", size, name.display());
    }
    println!("{}", repo::dist().display());
    Ok(())
}

/// Builds the tree; files that did not change stay untouched.
pub fn tree() -> Result<()> {
    let mut cargo = process::cargo(["build", "--release", "--quiet"]);
    for package in PACKAGES {
        cargo.args(["-p", package]);
    }
    process::run(&mut cargo)?;
    process::run(
        process::cargo(["build", "--profile", "small", "--quiet", "-p", "ur-cli"]).args([
            "--no-default-features",
            "--bin",
            "ur",
        ]),
    )?;

    let release = repo::cargo_target().join("release");
    let lib = repo::dist_lib();
    fs::create_dir_all(&lib)?;
    link_loader(
        &release.join("libur_loader.a"),
        &lib.join(LOADER),
        Symbols::All,
    )?;
    for (built, name) in LIBRARIES {
        install(&release.join(built), &lib.join(name))?;
    }
    for (profile, program) in PROGRAMS {
        let built = repo::cargo_target().join(profile).join(program);
        install(&built, &repo::dist_bin(program))?;
    }
    let include = repo::root().join("include");
    for header in files(&include)? {
        let relative = header.strip_prefix(&include)?;
        install(&header, &repo::dist().join("include").join(relative))?;
    }
    Ok(())
}

/// Builds the loader that keeps a table of handles, in target/dist/test. The test of the defect that
/// such a table has is run on it too, and must fail there.
pub fn broken_loader() -> Result<()> {
    let target = repo::cargo_target().join("broken");
    process::run(
        process::cargo(["build", "--quiet", "-p", "ur-loader"])
            .args(["--features", "broken-handle-table", "--target-dir"])
            .arg(&target),
    )?;
    let folder = repo::dist().join("test");
    fs::create_dir_all(&folder)?;
    link_loader(
        &target.join("debug/libur_loader.a"),
        &folder.join("libur_loader_broken.so.0"),
        Symbols::All,
    )
}

/// What the loader's symbols may be when it is linked.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Symbols {
    /// All must be defined by it or by the system's libraries.
    All,
    /// Those of a sanitizer come from the program.
    Open,
}

/// Links the loader from its static library. rustc writes a version script of its own for a cdylib,
/// so exact symbol versions need this step.
pub fn link_loader(archive: &Path, to: &Path, symbols: Symbols) -> Result<()> {
    let script = repo::root().join("crates/ur-loader/exports.generated.map");
    if up_to_date(to, &[archive, &script]) {
        return Ok(());
    }
    let partial = partial_name(to);
    process::run(
        Command::new("gcc")
            .args(["-shared", "-o"])
            .arg(&partial)
            .arg("-Wl,--whole-archive")
            .arg(archive)
            .arg("-Wl,--no-whole-archive")
            .arg(format!("-Wl,--version-script={}", script.display()))
            .arg(format!("-Wl,-soname,{LOADER}"))
            // Calls inside the loader stay inside it, whatever else the process has loaded.
            .arg("-Wl,-Bsymbolic")
            .args(["-Wl,--gc-sections", "-Wl,-z,relro,-z,now"])
            .args((symbols == Symbols::All).then_some("-Wl,-z,defs"))
            .args(["-lgcc_s", "-lc", "-lm"]),
    )?;
    fs::rename(&partial, to)?;
    Ok(())
}

/// Copies a file unless the copy is as new, under another name first, so that a program that has
/// the old one open keeps it.
pub fn install(from: &Path, to: &Path) -> Result<()> {
    if up_to_date(to, &[from]) {
        return Ok(());
    }
    if let Some(dir) = to.parent() {
        fs::create_dir_all(dir)?;
    }
    let partial = partial_name(to);
    fs::copy(from, &partial)
        .with_context(|| format!("cannot copy {} to {}", from.display(), to.display()))?;
    fs::rename(&partial, to)?;
    Ok(())
}

/// A name beside the file, different in each process.
fn partial_name(to: &Path) -> PathBuf {
    let mut name = to.as_os_str().to_owned();
    name.push(format!(".{}.partial", std::process::id()));
    name.into()
}

/// Whether the file exists and is not older than any of its sources.
fn up_to_date(file: &Path, sources: &[&Path]) -> bool {
    let time = |path: &Path| fs::metadata(path).and_then(|m| m.modified()).ok();
    let Some(built) = time(file) else {
        return false;
    };
    sources
        .iter()
        .all(|source| time(source).is_some_and(|changed| changed <= built))
}

/// All files below a folder, sorted; none when there is no such folder.
fn files(dir: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let Ok(entries) = fs::read_dir(dir) else {
        return Ok(found);
    };
    for entry in entries {
        let path = entry?.path();
        if path.is_dir() {
            found.extend(files(&path)?);
        } else {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}
