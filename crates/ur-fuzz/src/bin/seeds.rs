//! `fuzz-seeds spirv|binary FOLDER`: writes the inputs that a target starts from.

use std::path::{Path, PathBuf};

fn main() -> std::io::Result<()> {
    let mut args = std::env::args_os().skip(1);
    let (Some(target), Some(folder), None) = (args.next(), args.next(), args.next()) else {
        eprintln!("usage: fuzz-seeds spirv|binary FOLDER");
        std::process::exit(2);
    };
    let folder = PathBuf::from(folder);
    std::fs::create_dir_all(&folder)?;
    let modules = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/spirv");
    let seeds = match target.to_str() {
        Some("spirv") => ur_fuzz::seeds::spirv(&modules)?,
        Some("binary") => ur_fuzz::seeds::binary(&modules)?,
        _ => {
            eprintln!("no target is called {}", target.display());
            std::process::exit(2);
        }
    };
    for (name, bytes) in &seeds {
        std::fs::write(folder.join(name), bytes)?;
    }
    println!("{} seeds", seeds.len());
    Ok(())
}
