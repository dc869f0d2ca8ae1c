//! `./x demo`: the main job. Real SYCL programs run real kernels on our native CPU adapter, once
//! through the loader inside libsycl and once through ours.

use crate::venv::{Runtime, Venv};
use crate::{build, process, repo, setup};
use anyhow::{Context, Result, bail};
use clap::Parser;
use std::fs;
use std::process::Command;
use std::time::Instant;

/// What to run.
#[derive(Parser)]
pub struct Args {
    /// Only this runtime; all when absent
    #[arg(long)]
    runtime: Option<Runtime>,
    /// Adapters to run on, all in one process; intel-opencl is the one that comes with the runtime
    /// 2026.1, on our loader
    #[arg(long, value_delimiter = ',', default_value = "native-cpu")]
    adapters: Vec<String>,
}

/// Work-items of the vector addition.
const ITEMS: usize = 1 << 20;

/// Runs it; the last line is `all results equal numpy's` when they do.
pub fn run(args: &Args) -> Result<bool> {
    let start = Instant::now();
    if !setup::ensure()? {
        return Ok(false);
    }
    stage("build");
    build::tree()?;
    println!("  built in {:.1} s", start.elapsed().as_secs_f64());

    stage("ur info");
    process::run(Command::new(repo::dist_bin("ur")).arg("info"))?;

    stage("ur run: vector addition");
    vector_add()?;

    let runtimes = args
        .runtime
        .map_or_else(|| Runtime::ALL.to_vec(), |runtime| vec![runtime]);
    for runtime in &runtimes {
        stage(&format!("dpnp on SYCL runtime {runtime}"));
        let venv = Venv::ensure(*runtime)?;
        let clock = Instant::now();
        let (mut script, libraries) = venv.command_on(&args.adapters)?;
        script
            .arg("-u")
            .arg(repo::root().join("examples/demo.py"))
            .args(["--devices", &args.adapters.len().to_string()])
            .args(libraries);
        if !process::status(&mut script)?.success() {
            println!("results on {runtime} are not numpy's");
            return Ok(false);
        }
        println!(
            "  {runtime} finished in {:.1} s",
            clock.elapsed().as_secs_f64()
        );
    }
    println!("all results equal numpy's");
    Ok(true)
}

fn stage(name: &str) {
    println!("== {name}");
}

/// Adds two vectors with `ur run` and compares each element.
fn vector_add() -> Result<()> {
    let folder = repo::root().join("target/demo");
    fs::create_dir_all(&folder)?;
    let a: Vec<f32> = (0..ITEMS).map(|i| i as f32 * 0.5).collect();
    let b: Vec<f32> = (0..ITEMS).map(|i| 1000.0 - i as f32 * 0.25).collect();
    let bytes =
        |values: &[f32]| -> Vec<u8> { values.iter().flat_map(|v| v.to_le_bytes()).collect() };
    fs::write(folder.join("a.f32"), bytes(&a))?;
    fs::write(folder.join("b.f32"), bytes(&b))?;
    let sum_file = folder.join("sum.f32");

    let clock = Instant::now();
    process::run(
        Command::new(repo::dist_bin("ur"))
            .env(
                "UR_ADAPTERS_FORCE_LOAD",
                repo::dist_lib().join("libur_adapter_native_cpu.so.0"),
            )
            .arg("run")
            .arg(repo::root().join("tests/spirv/vector_add.spv"))
            .args(["--kernel", "vector_add", "--global", &ITEMS.to_string()])
            .arg(format!("--arg=buffer:{}", folder.join("a.f32").display()))
            .arg(format!("--arg=buffer:{}", folder.join("b.f32").display()))
            .arg(format!("--arg=zeros:{}", ITEMS * 4))
            .arg("--print=2:f32:4")
            .arg(format!("--out=2:{}", sum_file.display())),
    )?;
    let elapsed = clock.elapsed();

    let sum = fs::read(&sum_file).context("ur run wrote no result")?;
    let want: Vec<f32> = a.iter().zip(&b).map(|(a, b)| a + b).collect();
    if sum != bytes(&want) {
        bail!("the vector sum is wrong");
    }
    println!(
        "  {ITEMS} sums right, in {:.1} ms with start-up and compilation",
        elapsed.as_secs_f64() * 1e3
    );
    Ok(())
}
