//! What is kept of a run.

use crate::CorpusModule;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Counts of a run, and the modules that were not built.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    /// Different modules found.
    pub found: usize,
    /// How many of them were tried.
    pub tried: usize,
    /// How many were built with all of their kernels.
    pub built: usize,
    /// Modules that were linked with others first.
    pub linked: usize,
    /// Kernels compiled.
    pub kernels: usize,
    /// What was not built, by cause.
    pub exceptions: BTreeMap<String, Exceptions>,
}

/// Modules that were not built for one cause.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Exceptions {
    /// How many.
    pub count: usize,
    /// Their positions, by library.
    pub modules: BTreeMap<String, Vec<usize>>,
}

impl Record {
    /// Notes a module that was not built.
    pub fn except(&mut self, cause: &str, module: &CorpusModule) {
        let entry = self.exceptions.entry(cause.to_owned()).or_default();
        entry.count += 1;
        let places = entry.modules.entry(module.library.to_string()).or_default();
        places.push(module.index);
        places.sort_unstable();
    }
}
