//! Modules that SYCL's compiler makes of the suite's kernels, where a client's environment has it.

use crate::venv::{Runtime, Venv};
use crate::{process, repo};
use anyhow::{Context, Result};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What is compiled, and the program that has it compiled.
const SOURCES: [&str; 2] = ["kernels.cpp", "make.cpp"];

/// A folder with the modules, if the environment of 2026.1 is there; made when a source or the
/// environment changed.
pub fn modules() -> Result<Option<PathBuf>> {
    let Some(venv) = Venv::present(Runtime::V2026_1) else {
        eprintln!("without kernels by SYCL's compiler, which come with the environment of 2026.1");
        return Ok(None);
    };
    let sources = repo::root().join("crates/ur-cts/kernels/sycl");
    let mut stamp = fs::read_to_string(venv.stamp())?;
    for name in SOURCES {
        let path = sources.join(name);
        stamp += &fs::read_to_string(&path).with_context(|| path.display().to_string())?;
    }
    let folder = super::folder()?.join("sycl");
    let marked = folder.join("stamp");
    if fs::read_to_string(&marked).is_ok_and(|old| old == stamp) {
        return Ok(Some(folder));
    }
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    fs::create_dir_all(&folder)?;
    make(&venv, &sources, &folder)?;
    fs::write(&marked, stamp)?;
    Ok(Some(folder))
}

/// Compiles the program and has it compile the kernels, on our native CPU device.
fn make(venv: &Venv, sources: &Path, folder: &Path) -> Result<()> {
    let [kernels, maker] = SOURCES.map(|name| sources.join(name));
    let program = folder.join("make");
    process::run(
        Command::new("g++")
            .args(["-std=c++17", "-w"])
            .arg("-I")
            .arg(venv.include())
            .arg(maker)
            .arg(venv.lib().join("libsycl.so.9"))
            // What that needs is found when the program runs.
            .arg("-Wl,--allow-shlib-undefined")
            .arg("-o")
            .arg(&program),
    )?;
    process::run(
        Command::new(&program)
            .arg(kernels)
            .current_dir(folder)
            .env(
                "LD_LIBRARY_PATH",
                std::env::join_paths([repo::dist_lib(), venv.lib()])?,
            )
            .env(
                "UR_ADAPTERS_FORCE_LOAD",
                super::library("libur_adapter_native_cpu.so.0"),
            )
            .env("SYCL_DUMP_IMAGES", "1"),
    )
}
