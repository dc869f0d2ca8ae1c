//! What a call costs on its way through a loader: CPU time of calls of the adapter's own functions,
//! of the same calls through our loader and through a released one, with several adapters and with
//! layers.
//!
//! Adapters and layers are chosen when a loader is initialised, so each setting has a process of
//! its own. One of them measures at a time, all in turn, and each measures calls through its loader
//! and direct ones in turn, so that what else the machine does meets all of them.

mod child;
mod operations;
mod report;
mod setting;

pub use child::child;
pub use report::{Cell, Report, Row};
pub use setting::{Layers, Loader, Setting};

use crate::place;
use anyhow::{Context, Result, bail};
use child::{Child, Turn};
use std::path::{Path, PathBuf};

/// Names of adapters' libraries in the built tree.
const MOCK: &str = "libur_adapter_mock.so.0";
/// Our loader's.
const LOADER: &str = "libur_loader.so.0";

/// The libraries that take part.
#[derive(Debug)]
pub struct Libraries {
    /// Our loader.
    pub loader: PathBuf,
    /// A released loader.
    pub released: Option<PathBuf>,
    /// The adapter that is called.
    pub adapter: PathBuf,
    /// Two more, which are only there.
    pub others: [PathBuf; 2],
}

impl Libraries {
    /// Those named, and those of the built tree for the rest. Without a third adapter it is a copy
    /// of the second one in `folder`.
    ///
    /// # Errors
    /// One is missing.
    pub fn find(
        loader: Option<&Path>,
        released: Option<&Path>,
        adapter: Option<&Path>,
        third: Option<&Path>,
        folder: &Path,
    ) -> Result<Libraries> {
        let found = adapter
            .map(Path::to_owned)
            .or_else(|| place::adapter(place::NATIVE_CPU, loader));
        let adapter = found.context("our adapter is not found; name it with --adapter")?;
        let beside = |name: &str| {
            let folders = [adapter.parent(), loader.and_then(Path::parent)];
            let mut paths = folders.into_iter().flatten().map(|dir| dir.join(name));
            paths
                .find(|path| path.exists())
                .with_context(|| format!("{name} is not beside our adapter"))
        };
        let loader = loader.map_or_else(|| beside(LOADER), |path| Ok(path.to_owned()))?;
        let second = beside(MOCK)?;
        let third = match third {
            Some(third) => third.to_owned(),
            None => {
                std::fs::create_dir_all(folder)?;
                let copy = folder.join(MOCK);
                std::fs::copy(&second, &copy).with_context(|| copy.display().to_string())?;
                copy
            }
        };
        let whole = |path: PathBuf| {
            std::fs::canonicalize(&path).with_context(|| path.display().to_string())
        };
        Ok(Libraries {
            loader: whole(loader)?,
            released: released.map(Path::to_owned).map(whole).transpose()?,
            adapter: whole(adapter)?,
            others: [whole(second)?, whole(third)?],
        })
    }
}

/// Measures all settings: `rounds` turns of each, spread over `series` processes one after another,
/// since where a process puts its code and data matters for as long as it lives.
///
/// # Errors
/// A process could not be started, or a call failed.
pub fn measure(libraries: &Libraries, rounds: usize, series: usize) -> Result<Report> {
    let settings = setting::all(libraries.released.is_some());
    let mut turns: Vec<Vec<Turn>> = vec![Vec::new(); settings.len()];
    for number in 0..series {
        let mut children = Vec::new();
        for setting in &settings {
            let child = Child::start(libraries, *setting);
            children.push(child.with_context(|| setting.to_string())?);
        }
        for round in 0..rounds.div_ceil(series) {
            let mut order: Vec<usize> = (0..settings.len()).collect();
            if round % 2 == 1 {
                order.reverse();
            }
            for at in order {
                let turn = children[at].turn();
                turns[at].push(turn.with_context(|| settings[at].to_string())?);
            }
        }
        for (child, setting) in children.into_iter().zip(&settings) {
            child.end().with_context(|| setting.to_string())?;
        }
        eprintln!("{} of {series} series", number + 1);
    }
    let report = Report::of(&settings, &turns);
    if report.rows.is_empty() {
        bail!("nothing was measured");
    }
    Ok(report)
}
