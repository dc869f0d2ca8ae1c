//! What the tests share: the modules in `tests/spirv` of the repository.
#![allow(dead_code)] // Each test uses some of it.

use std::path::{Path, PathBuf};

/// Folder of the test modules.
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/spirv")
}

/// The words of one module.
pub fn words(name: &str) -> Vec<u32> {
    let path = folder().join(name).with_extension("spv");
    let bytes = std::fs::read(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let (chunks, rest) = bytes.as_chunks::<4>();
    assert!(rest.is_empty(), "{name} is not made of words");
    chunks.iter().map(|c| u32::from_le_bytes(*c)).collect()
}

/// Names of all modules, sorted.
pub fn names() -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(folder())
        .expect("the folder of test modules is there")
        .map(|entry| entry.expect("its entries can be read").path())
        .filter(|path| path.extension().is_some_and(|e| e == "spv"))
        .filter_map(|path| Some(path.file_stem()?.to_str()?.to_owned()))
        .collect();
    names.sort();
    names
}
