//! Modules that need functions or variables of others, and what they are linked with.
//!
//! A SYCL library may keep a function in a module of its own. The runtime then links a module that
//! imports it with the one that exports it, by the name of the symbol, before it builds the two.

use crate::CorpusModule;
use crate::images::{instructions, text};
use std::collections::{HashMap, HashSet};

/// Opcode of `OpDecorate`.
const DECORATE: u32 = 71;

/// Opcode of `OpFunction`, before which all decorations stand.
const FUNCTION: u32 = 54;

/// Number of the decoration `LinkageAttributes`.
const LINKAGE: u32 = 41;

/// Linkage type `Export`.
const EXPORT: u32 = 0;

/// Linkage type `Import`.
const IMPORT: u32 = 1;

/// Names that a module gives to and wants from others.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Symbols {
    /// What others may use.
    pub exports: Vec<String>,
    /// What it uses of others or of the device; built-in variables are among these.
    pub imports: Vec<String>,
}

impl Symbols {
    /// Reads the linkage decorations of a module, as far as it can be followed.
    pub fn of(words: &[u32]) -> Self {
        let mut symbols = Self::default();
        for instruction in instructions(words) {
            match *instruction {
                [first, ..] if first & 0xffff == FUNCTION => break,
                [first, _, LINKAGE, ref name @ .., kind] if first & 0xffff == DECORATE => {
                    match kind {
                        EXPORT => symbols.exports.push(text(name)),
                        IMPORT => symbols.imports.push(text(name)),
                        _ => {}
                    }
                }
                _ => {}
            }
        }
        symbols
    }
}

/// Where exported names are defined.
pub struct Exports<'a> {
    by_name: HashMap<String, Vec<&'a CorpusModule>>,
}

impl<'a> Exports<'a> {
    /// Collects what the modules export.
    pub fn of(modules: &'a [CorpusModule]) -> Self {
        let mut by_name: HashMap<String, Vec<&CorpusModule>> = HashMap::new();
        for module in modules {
            for name in Symbols::of(&module.words).exports {
                by_name.entry(name).or_default().push(module);
            }
        }
        Self { by_name }
    }

    /// The module itself and, behind it, all that it must be linked with: for each name that one of
    /// them imports the first module of the importer's library that exports it, else the first of
    /// any. Names that nobody exports are the device's business.
    pub fn closure(&self, module: &'a CorpusModule) -> Vec<&'a CorpusModule> {
        let mut parts = vec![module];
        let own = Symbols::of(&module.words);
        let mut defined: HashSet<String> = own.exports.into_iter().collect();
        let mut wanted: Vec<(String, &str)> = Vec::new();
        let names = |imports: Vec<String>, of: &'a CorpusModule| {
            imports.into_iter().map(|name| (name, &*of.library))
        };
        wanted.extend(names(own.imports, module));
        while let Some((name, library)) = wanted.pop() {
            if !defined.insert(name.clone()) {
                continue;
            }
            let Some(candidates) = self.by_name.get(&name) else {
                continue;
            };
            let same = candidates.iter().find(|other| *other.library == *library);
            let Some(part) = same.or(candidates.first()) else {
                continue;
            };
            let symbols = Symbols::of(&part.words);
            defined.extend(symbols.exports);
            wanted.extend(names(symbols.imports, part));
            parts.push(part);
        }
        parts
    }
}
