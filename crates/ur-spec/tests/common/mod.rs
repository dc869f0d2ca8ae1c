//! What the tests share.
#![allow(dead_code, reason = "each test file uses a part")]

use std::path::{Path, PathBuf};

use ur_spec::model::Spec;

/// The root of the repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The API's data.
pub fn spec() -> Spec {
    ur_spec::load::load(&root().join("spec")).expect("spec/ can be read")
}

/// The rows of `tests/facts/<name>.tsv`.
pub fn facts(name: &str) -> Vec<Vec<String>> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/facts/{name}.tsv"));
    let text = std::fs::read_to_string(&file).expect("a fixture");
    text.lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| line.split('\t').map(str::to_owned).collect())
        .collect()
}
