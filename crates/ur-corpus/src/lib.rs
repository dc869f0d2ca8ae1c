//! SPIR-V modules out of real programs, to try the compiler on.
//!
//! SYCL programs carry their kernels in an ELF section, `__CLANG_OFFLOAD_BUNDLE__sycl-spir64`: SPIR-V
//! modules back to back, or compressed with zstd. [`modules`] collects them from the shared objects
//! under given paths, each content once; [`sample`] picks some, the same ones for the same seed.

mod exception;
mod images;
mod jit;
mod linkage;
mod record;
mod report;
pub mod worker;

use anyhow::Context;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub use exception::Exception;
pub use images::split;
pub use jit::{Failure, Jit};
pub use linkage::{Exports, Symbols};
pub use record::Record;
pub use report::Report;

/// The section that holds SPIR-V images for 64-bit devices.
pub const SECTION: &str = "__CLANG_OFFLOAD_BUNDLE__sycl-spir64";

/// A SPIR-V module and where it comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CorpusModule {
    /// File name of the shared object.
    pub library: Arc<str>,
    /// Position among the modules of that object, from 0; repeated modules count.
    pub index: usize,
    /// The module's words.
    pub words: Arc<[u32]>,
}

impl CorpusModule {
    /// Names of the module's kernels, read from the words alone.
    pub fn kernels(&self) -> Vec<String> {
        images::entry_points(&self.words)
    }

    /// How the module is called: its library and index.
    pub fn name(&self) -> String {
        format!("{}#{}", self.library, self.index)
    }
}

/// The modules in the shared objects that `paths` name or, if folders, hold; each content once.
/// Objects are visited in the order of their paths, modules in the order they stand in.
///
/// # Errors
/// A path that cannot be read, or an object whose section is damaged.
pub fn modules(paths: &[PathBuf]) -> anyhow::Result<Vec<CorpusModule>> {
    let mut files = Vec::new();
    for path in paths {
        collect(path, &mut files)?;
    }
    files.sort();
    files.dedup();
    let mut seen: HashSet<Arc<[u32]>> = HashSet::new();
    let mut found = Vec::new();
    for file in files {
        let images = section(&file).with_context(|| file.display().to_string())?;
        let Some(images) = images else { continue };
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        let library: Arc<str> = name.into();
        let split = split(&images).with_context(|| file.display().to_string())?;
        for (index, words) in split.into_iter().enumerate() {
            let words: Arc<[u32]> = words.into();
            if seen.insert(words.clone()) {
                found.push(CorpusModule {
                    library: library.clone(),
                    index,
                    words,
                });
            }
        }
    }
    Ok(found)
}

/// `count` of the modules, chosen by `seed`, in their old order; all of them if there are no more.
pub fn sample(mut modules: Vec<CorpusModule>, count: usize, seed: u64) -> Vec<CorpusModule> {
    let total = modules.len();
    if count >= total {
        return modules;
    }
    // A shuffle of positions of which only the first `count` are needed.
    let mut order: Vec<usize> = (0..total).collect();
    let mut state = seed;
    for at in 0..count {
        let from = at + (next(&mut state) % (total - at) as u64) as usize;
        order.swap(at, from);
    }
    let mut chosen: HashSet<usize> = order.into_iter().take(count).collect();
    let mut position = 0;
    modules.retain(|_| {
        position += 1;
        chosen.remove(&(position - 1))
    });
    modules
}

/// A step of the splitmix64 generator: the same numbers on every machine, for all time.
fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Adds `path`, or the shared objects under it. Links inside of folders are left out, so that
/// nothing is met twice.
fn collect(path: &Path, files: &mut Vec<PathBuf>) -> anyhow::Result<()> {
    let here = |error| anyhow::Error::new(error).context(path.display().to_string());
    if !std::fs::metadata(path).map_err(here)?.is_dir() {
        files.push(path.to_owned());
        return Ok(());
    }
    let mut folders = vec![path.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).map_err(here)? {
            let entry = entry.map_err(here)?;
            let kind = entry.file_type().map_err(here)?;
            let name = entry.file_name();
            let name = name.to_string_lossy();
            if kind.is_dir() {
                folders.push(entry.path());
            } else if kind.is_file() && (name.ends_with(".so") || name.contains(".so.")) {
                files.push(entry.path());
            }
        }
    }
    Ok(())
}

/// Content of the section with SPIR-V images; none if the file is no ELF object or has no such
/// section.
fn section(file: &Path) -> anyhow::Result<Option<Vec<u8>>> {
    use object::{Object, ObjectSection};
    let data = std::fs::read(file)?;
    if !data.starts_with(b"\x7fELF") {
        return Ok(None);
    }
    let object = object::File::parse(&*data)?;
    match object.section_by_name(SECTION) {
        Some(section) => Ok(Some(section.data()?.to_vec())),
        None => Ok(None),
    }
}
