//! `./x client omp`: the OpenMP runtime of 2026.2, which finds its devices through the loader, on
//! the released loader and on ours.
//!
//! It takes only GPUs of Level Zero. The Level Zero adapters of the release find none where there
//! is no driver, our native CPU is none, and the mock adapter passes for one, so that all that a
//! program does without a kernel is done: the device is set up, memory allocated and copied.

use crate::traces;
use crate::venv::{Runtime, Venv};
use crate::{process, repo};
use anyhow::{Context, Result};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Builds the client and runs it on both loaders with each adapter. `Ok(false)` when something
/// differs that is not explained, or a copy was wrong.
pub fn run() -> Result<bool> {
    let venv = Venv::ensure(Runtime::V2026_2)?;
    let runtime = venv.lib();
    let program = build(&runtime)?;
    let mock = repo::dist_lib().join("libur_adapter_mock.so.0");
    let native_cpu = repo::dist_lib().join("libur_adapter_native_cpu.so.0");
    let level_zero = |name: &str| runtime.join(format!("libur_adapter_{name}.so.0"));
    let mut good = true;
    for (run, adapters, is_gpu) in [
        ("omp-level-zero", vec![level_zero("level_zero")], false),
        (
            "omp-level-zero-v2",
            vec![level_zero("level_zero_v2")],
            false,
        ),
        ("omp-native-cpu", vec![native_cpu.clone()], false),
        ("omp-mock-gpu", vec![mock.clone()], true),
        (
            "omp-native-cpu-and-mock-gpu",
            vec![native_cpu, mock.clone()],
            true,
        ),
        (
            "omp-level-zero-and-mock-gpu",
            vec![level_zero("level_zero"), mock.clone()],
            true,
        ),
    ] {
        good &= traces::compare(run, &runtime, |loader| {
            let mut paths = vec![loader.folder(&runtime)];
            paths.push(runtime.clone());
            let adapters: Vec<_> = adapters.iter().map(|a| a.display().to_string()).collect();
            let mut command = Command::new(&program);
            command
                .env_clear()
                .env("LD_LIBRARY_PATH", std::env::join_paths(paths)?)
                .env("UR_ADAPTERS_FORCE_LOAD", adapters.join(","))
                .env("UR_ENABLE_LAYERS", "UR_LAYER_TRACING")
                .env("UR_LOG_TRACING", "level:info;output:stderr")
                // Else the runtime goes to Level Zero itself.
                .env("LIBOMPTARGET_PLUGIN", "unified_runtime");
            if is_gpu {
                command.env("MOCK_ADAPTER", &mock);
            }
            Ok(command)
        })?;
        let told =
            fs::read_to_string(repo::root().join(format!("target/client/traces/{run}-ours.txt")))?;
        for line in told.lines().filter(|line| line.starts_with("client: ")) {
            println!("  {line}");
        }
        let devices = told.contains("client: 1 devices");
        if devices != is_gpu {
            println!("  a device was expected: {is_gpu}");
            good = false;
        }
    }
    Ok(good)
}

/// Compiles the client against the runtime.
fn build(runtime: &Path) -> Result<PathBuf> {
    let folder = repo::root().join("target/client/omp");
    fs::create_dir_all(&folder).context("cannot make the client's folder")?;
    let program = folder.join("omp");
    process::run(
        Command::new("gcc")
            .args(["-std=c11", "-Wall", "-Wextra", "-Werror", "-O1", "-o"])
            .arg(&program)
            .arg("-I")
            .arg(repo::root().join("include"))
            .arg(repo::root().join("tests/clients/omp.c"))
            .arg("-L")
            .arg(runtime)
            .args(["-lomptarget", "-liomp5", "-ldl"])
            .arg(format!("-Wl,-rpath-link,{}", runtime.display())),
    )?;
    Ok(program)
}
