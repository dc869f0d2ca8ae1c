//! `ur-spec`: writes every generated file from `spec/`.

use std::path::Path;
use std::process::ExitCode;

fn run() -> Result<usize, Box<dyn std::error::Error>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let spec = ur_spec::load::load(&root.join("spec"))?;
    let problems = ur_spec::check::check(&spec);
    if !problems.is_empty() {
        return Err(problems.join("\n").into());
    }
    let mut written = 0;
    for file in ur_spec::render::files(&spec)? {
        let path = root.join(&file.path);
        // An unchanged file keeps its time stamp, so that cargo rebuilds nothing.
        if std::fs::read_to_string(&path).is_ok_and(|old| old == file.text) {
            continue;
        }
        if let Some(dir) = path.parent() {
            std::fs::create_dir_all(dir)?;
        }
        std::fs::write(&path, &file.text)?;
        println!("wrote {}", file.path);
        written += 1;
    }
    Ok(written)
}

fn main() -> ExitCode {
    match run() {
        Ok(written) => {
            println!("{written} files changed");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("ur-spec: {error}");
            ExitCode::FAILURE
        }
    }
}
