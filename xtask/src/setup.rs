//! `./x setup`: what the build and the tests need from the system.

use crate::process;
use anyhow::{Result, bail};
use std::collections::HashSet;
use std::process::Command;

/// Debian packages, each with what needs it.
const PACKAGES: &[(&str, &str)] = &[
    ("gcc", "links the loader with its version script"),
    ("g++", "checks that the headers are C++; libstdc++ for LLVM"),
    ("llvm-19-dev", "the JIT's compiler"),
    ("libpolly-19-dev", "linked with LLVM's passes"),
    ("zlib1g-dev", "linked with LLVM"),
    ("libzstd-dev", "linked with LLVM"),
    (
        "clang-15",
        "OpenCL C to LLVM for test kernels; checks the headers",
    ),
    ("llvm-spirv-15", "LLVM to SPIR-V for test kernels"),
    ("spirv-tools", "assembles test modules"),
    ("ocl-icd-libopencl1", "OpenCL loader of the clients"),
    ("valgrind", "memory checks"),
    ("python3-venv", "environments of the clients"),
    ("python3-dev", "the extension that dpctl's tests build"),
];

/// Rust components beside the compiler.
const COMPONENTS: &[&str] = &["rustfmt", "clippy"];

/// Installs what is missing, or prints the one line that does. `Ok(true)` when all is there.
pub fn run() -> Result<bool> {
    if !ensure()? {
        return Ok(false);
    }
    println!("{} packages present", PACKAGES.len());
    Ok(true)
}

/// As [`run`], without the figure; other commands call it first. Instant when nothing is missing.
pub fn ensure() -> Result<bool> {
    components()?;
    let missing = missing_packages()?;
    if missing.is_empty() {
        return Ok(true);
    }
    let install = format!(
        "apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends {}",
        missing.join(" ")
    );
    eprintln!("missing packages: {}", missing.join(" "));
    let mut command = if is_root() {
        Command::new("sh")
    } else if process::succeeds(Command::new("sudo").args(["-n", "true"])) {
        let mut sudo = Command::new("sudo");
        sudo.args(["-n", "sh"]);
        sudo
    } else {
        eprintln!("not root, and sudo asks for a password; run:");
        println!("sudo sh -c '{install}'");
        return Ok(false);
    };
    process::run(command.args(["-c", &install]))?;
    let missing = missing_packages()?;
    if !missing.is_empty() {
        bail!("still missing after installation: {}", missing.join(" "));
    }
    Ok(true)
}

/// The packages of [`PACKAGES`] that are not installed.
fn missing_packages() -> Result<Vec<&'static str>> {
    let Ok(output) = Command::new("dpkg-query")
        .args(["-W", "-f", "${Package} ${db:Status-Status}\n"])
        .args(PACKAGES.iter().map(|(name, _)| name))
        .output()
    else {
        bail!(
            "this is not a Debian system; install the equivalents of: {}",
            PACKAGES
                .iter()
                .map(|(name, why)| format!("{name} ({why})"))
                .collect::<Vec<_>>()
                .join(", ")
        );
    };
    let text = String::from_utf8_lossy(&output.stdout);
    let installed: HashSet<&str> = text
        .lines()
        .filter_map(|line| line.strip_suffix(" installed"))
        .collect();
    Ok(PACKAGES
        .iter()
        .map(|(name, _)| *name)
        .filter(|name| !installed.contains(name))
        .collect())
}

/// Adds the Rust components that the minimal profile of rustup leaves out. What cannot be added is
/// reported by the tests as skipped.
fn components() -> Result<()> {
    let missing: Vec<_> = COMPONENTS
        .iter()
        .filter(|name| !has_component(name))
        .collect();
    if !missing.is_empty() {
        let added = process::succeeds(
            Command::new("rustup")
                .args(["component", "add"])
                .args(&missing),
        );
        if !added {
            eprintln!("rustup could not add {missing:?}; checks that need them are skipped");
        }
    }
    Ok(())
}

/// Whether `cargo fmt` or `cargo clippy` can run.
pub fn has_component(name: &str) -> bool {
    let sub = if name == "rustfmt" { "fmt" } else { name };
    process::succeeds(&mut process::cargo([sub, "--version"]))
}

fn is_root() -> bool {
    process::output(Command::new("id").arg("-u")).is_ok_and(|id| id.trim() == "0")
}
