//! The committed modules are what their sources give.

mod common;

use std::process::Command;

#[test]
fn modules_are_what_their_sources_give() {
    for tool in ["clang-15", "llvm-spirv-15", "spirv-as"] {
        if Command::new(tool).arg("--version").output().is_err() {
            println!("skipped: {tool} is not installed");
            return;
        }
    }
    let out = std::env::temp_dir().join(format!("ur-spirv-fresh-{}", std::process::id()));
    std::fs::create_dir_all(&out).expect("a folder for the modules");
    let status = Command::new(common::folder().join("build.sh"))
        .arg(&out)
        .status()
        .expect("build.sh runs");
    assert!(status.success(), "build.sh failed");
    let mut stale = Vec::new();
    for name in common::names() {
        let file = format!("{name}.spv");
        let committed = std::fs::read(common::folder().join(&file)).expect("committed");
        if std::fs::read(out.join(&file)).ok() != Some(committed) {
            stale.push(file);
        }
    }
    std::fs::remove_dir_all(&out).expect("the folder can go");
    assert!(
        stale.is_empty(),
        "run tests/spirv/build.sh: {stale:?} differ"
    );
}
