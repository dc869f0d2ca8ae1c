//! The committed modules are what their sources give.

use std::path::Path;
use std::process::Command;

#[test]
fn modules_are_what_their_sources_give() {
    for tool in ["clang-15", "llvm-spirv-15", "spirv-as"] {
        if Command::new(tool).arg("--version").output().is_err() {
            println!("skipped: {tool} is not installed");
            return;
        }
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("kernels");
    let out = std::env::temp_dir().join(format!("ur-cts-fresh-{}", std::process::id()));
    std::fs::create_dir_all(&out).expect("a folder for the modules");
    let status = Command::new(folder.join("build.sh"))
        .arg(&out)
        .status()
        .expect("build.sh runs");
    assert!(status.success(), "build.sh failed");
    let mut modules = 0;
    let mut stale = Vec::new();
    for entry in std::fs::read_dir(&folder).expect("the folder of the kernels") {
        let source = entry.expect("an entry").path();
        let ours = |ending: &std::ffi::OsStr| ending == "cl" || ending == "spvasm";
        if source.extension().is_some_and(ours) {
            modules += 1;
            let committed = source.with_extension("spv");
            let built = out.join(committed.file_name().expect("a name"));
            if std::fs::read(built).ok() != std::fs::read(&committed).ok() {
                stale.push(committed);
            }
        }
    }
    std::fs::remove_dir_all(&out).expect("the folder can go");
    assert!(modules > 0);
    assert!(stale.is_empty(), "run kernels/build.sh: {stale:?} differ");
}
