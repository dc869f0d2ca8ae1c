//! Runs the suite. The tests run in child processes, the workers, which open the loader; a crash or
//! a hang of one is the failure of its test, and another takes over. The parent opens nothing.

mod child;
mod faults;
mod html;
mod junit;
mod known;
mod parent;
mod protocol;
mod result;
mod summary;
mod table;
mod worker;

use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};

/// Checks a loader and adapters against the API's rules.
///
/// Exit codes: 0 if every test passed or is honestly unsupported, 1 if one did not.
#[derive(Clone, Debug, clap::Args)]
pub struct Args {
    /// The loader library; by default the one beside this program, else that of the dynamic linker
    #[arg(long, value_name = "PATH")]
    loader: Option<PathBuf>,
    /// An adapter, by the path of its library or the name of one beside the loader; may be repeated.
    /// Without, the loader finds adapters by itself
    #[arg(long, value_name = "NAME|PATH")]
    adapter: Vec<String>,
    /// Only tests of this device, its platform and adapter, and those without a device; may be
    /// repeated
    #[arg(long, value_name = "ADAPTER:N")]
    device: Vec<String>,
    /// Only tests whose names this regular expression finds something in
    #[arg(long, value_name = "RE")]
    filter: Option<String>,
    /// In a random order that this number fixes
    #[arg(long, value_name = "SEED")]
    shuffle: Option<u64>,
    /// List the tests and end
    #[arg(long)]
    list: bool,
    /// A process for each test
    #[arg(long)]
    isolate: bool,
    /// End with the first failure
    #[arg(long)]
    fail_fast: bool,
    /// Check the suite instead: run it with each deliberate fault of an adapter that is built with
    /// the feature `faults`; every one must make a test fail
    #[arg(long)]
    faults: bool,
    /// Seconds after which a test has failed
    #[arg(long, value_name = "S", default_value_t = 60)]
    timeout: u64,
    /// Processes at once
    #[arg(long, value_name = "N", default_value_t = 1)]
    jobs: usize,
    /// Failures that are known, with reasons (TOML)
    #[arg(long, value_name = "FILE")]
    known: Option<PathBuf>,
    /// A folder with the modules that SYCL's compiler made of kernels/sycl; without, its tests are
    /// not there
    #[arg(long, value_name = "DIR")]
    sycl: Option<PathBuf>,
    /// Write results as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Write results as JUnit XML
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
    /// Write results as an HTML page
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Write what was exercised of each function (Markdown), `-` for standard output
    #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = "-")]
    coverage: Option<PathBuf>,
}

/// The loader's file name.
const LOADER: &str = "libur_loader.so.0";

impl Args {
    /// The loader to open.
    fn loader(&self) -> PathBuf {
        if let Some(given) = &self.loader {
            return given.clone();
        }
        let own = std::env::current_exe().ok();
        let beside = own
            .as_deref()
            .and_then(Path::parent)
            .map(|bin| bin.join("../lib").join(LOADER));
        beside
            .filter(|path| path.exists())
            .unwrap_or_else(|| PathBuf::from(LOADER))
    }

    /// Absolute paths of the adapters that are named.
    ///
    /// # Errors
    /// One that does not exist.
    fn adapters(&self) -> Result<Vec<PathBuf>> {
        let loader = self.loader();
        let mut all = Vec::new();
        for adapter in &self.adapter {
            let path = if adapter.contains('/') {
                PathBuf::from(adapter)
            } else {
                loader.with_file_name(format!("libur_adapter_{adapter}.so.0"))
            };
            // The path stays as given, symbolic links included: drivers look beside themselves.
            let path = std::path::absolute(&path)?;
            if !path.exists() {
                bail!("{} does not exist", path.display());
            }
            all.push(path);
        }
        Ok(all)
    }
}

/// Runs the suite, or as a worker the tests that its parent asks for.
///
/// # Errors
/// When tests fail, or nothing can be run.
pub fn run(args: &Args) -> Result<()> {
    if let Some(act) = crate::acts::asked() {
        crate::acts::play(&act, args.loader(), args.adapters()?);
        return Ok(());
    }
    if let Some(folder) = &args.sycl {
        crate::kernels::take_sycl(folder)?;
    }
    match protocol::worker_pipe() {
        Some(pipe) => worker::run(args, pipe),
        None if args.faults => faults::run(args),
        None => parent::run(args).context("the suite"),
    }
}
