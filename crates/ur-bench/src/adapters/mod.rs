//! What calls cost in one adapter and in another one of the same driver: launches, small copies,
//! allocations.
//!
//! Both are loaded in one process, by our loader, and found by the same OpenCL library, so that all
//! that differs is the adapters. They take turns, batch by batch.

mod clocks;
mod operations;
mod report;
mod side;

pub use clocks::Clock;
pub use report::{Figure, Report, Row};

use crate::turns::alternate;
use anyhow::{Context, Result, bail, ensure};
use operations::OPERATIONS;
use side::{Calls, Side};
use std::path::{Path, PathBuf};
use std::ptr::null_mut;
use ur_api::UR_RESULT_SUCCESS;

/// Turns before the first that counts.
const WARM_UP: usize = 5;

/// Measures the operations that are wanted of two adapters, `rounds` turns of each; ours is the first.
/// Sets the environment of the process.
///
/// # Errors
/// The loader does not use one of them, they have different devices, or a call failed or did not do
/// what it should.
pub fn measure(
    loader: Option<&Path>,
    adapters: [&Path; 2],
    rounds: usize,
    wanted: impl Fn(&str) -> bool,
) -> Result<Report> {
    let whole = |path: &Path| -> Result<PathBuf> {
        std::fs::canonicalize(path).with_context(|| path.display().to_string())
    };
    let libraries = [whole(adapters[0])?, whole(adapters[1])?];
    ensure!(libraries[0] != libraries[1], "both adapters are the same");
    let names = libraries.each_ref().map(|path| path.display().to_string());
    // SAFETY: no other thread has been started yet that could read the environment.
    unsafe {
        std::env::set_var("UR_ADAPTERS_FORCE_LOAD", names.join(","));
        std::env::set_var("ONEAPI_DEVICE_SELECTOR", "*:*");
        std::env::remove_var("UR_ENABLE_LAYERS");
    }
    let calls = match loader {
        Some(file) => Calls::open(file).map_err(anyhow::Error::msg)?,
        None => Calls::linked(),
    };
    let init = calls.urLoaderInit.context("no urLoaderInit")?;
    // SAFETY: no configuration.
    let result = unsafe { init(0, null_mut()) };
    ensure!(
        result == UR_RESULT_SUCCESS,
        "urLoaderInit returned {result}"
    );

    let side = |at: usize| {
        let side = Side::new(&calls, &libraries[at]).map_err(anyhow::Error::msg);
        side.with_context(|| names[at].clone())
    };
    let sides = [side(0)?, side(1)?];
    let check = || {
        for (side, name) in sides.iter().zip(&names) {
            let checked = side.check().map_err(anyhow::Error::msg);
            checked.with_context(|| name.clone())?;
        }
        Ok::<(), anyhow::Error>(())
    };
    check()?;
    let native = |side: &Side<'_>| side.native().map_err(anyhow::Error::msg);
    if native(&sides[0])? != native(&sides[1])? {
        bail!("the adapters have different devices; name one driver with --intel");
    }
    let mut report = Report {
        device: sides[0].name().map_err(anyhow::Error::msg)?,
        adapters: names.clone(),
        turns: rounds,
        rows: Vec::new(),
    };
    for operation in OPERATIONS.iter().filter(|operation| wanted(operation.name)) {
        let sample = |at: usize| {
            let times = operation.time(at, &sides[at]);
            times.map_err(|reason| format!("{}: {reason}", names[at]))
        };
        alternate(2, WARM_UP, sample).map_err(anyhow::Error::msg)?;
        let turns = alternate(2, rounds, sample).map_err(anyhow::Error::msg)?;
        report.enter(operation.name, [&turns[0], &turns[1]]);
    }
    // What was measured was the work.
    check()?;
    Ok(report)
}
