//! The generated files in the repository are those that spec/ gives.

mod common;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use common::{root, spec};

#[test]
fn nothing_generated_is_stale() {
    let files = ur_spec::render::files(&spec()).expect("rendering");
    let mut stale = Vec::new();
    for file in &files {
        let committed = fs::read_to_string(root().join(&file.path)).unwrap_or_default();
        if committed != file.text {
            stale.push(file.path.clone());
        }
    }
    assert!(
        stale.is_empty(),
        "run `cargo run -p ur-spec`; it would change {stale:?}"
    );

    // And nobody keeps a file among them that is rendered no more.
    let rendered: BTreeSet<&str> = files.iter().map(|f| f.path.as_str()).collect();
    let folders: BTreeSet<&Path> = files
        .iter()
        .filter_map(|f| Path::new(&f.path).parent())
        .filter(|folder| folder.iter().any(|part| part == "generated"))
        .collect();
    for folder in folders {
        for entry in fs::read_dir(root().join(folder)).expect("the folder is there") {
            let entry = entry.expect("an entry");
            let path = folder.join(entry.file_name());
            let path = path.to_str().expect("UTF-8");
            let is_file = entry.file_type().expect("a type").is_file();
            assert!(!is_file || rendered.contains(path), "{path} is left over");
        }
    }
}
