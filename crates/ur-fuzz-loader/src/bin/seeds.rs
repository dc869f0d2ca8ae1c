//! `fuzz-loader-seeds TARGET FOLDER`: writes the inputs that a target starts from.

use std::path::PathBuf;

fn main() -> std::io::Result<()> {
    let mut args = std::env::args_os().skip(1);
    let (Some(name), Some(folder), None) = (args.next(), args.next(), args.next()) else {
        eprintln!("usage: fuzz-loader-seeds selector|log|paths FOLDER");
        std::process::exit(2);
    };
    let targets = ur_fuzz_loader::TARGETS;
    let Some((_, _, seeds)) = targets.iter().find(|(known, _, _)| name == *known) else {
        eprintln!("no target is called {}", name.display());
        std::process::exit(2);
    };
    let folder = PathBuf::from(folder);
    std::fs::create_dir_all(&folder)?;
    for (number, seed) in seeds.iter().enumerate() {
        std::fs::write(folder.join(format!("seed-{number}")), seed)?;
    }
    println!("{} seeds", seeds.len());
    Ok(())
}
