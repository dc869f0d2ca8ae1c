//! Reads SPIR-V files and prints what is refused: `check_modules FILE…` or `check_modules DIR`.

use std::collections::BTreeMap;
use std::path::PathBuf;

fn main() {
    let mut files: Vec<PathBuf> = Vec::new();
    for arg in std::env::args_os().skip(1) {
        let path = PathBuf::from(arg);
        match std::fs::read_dir(&path) {
            Ok(entries) => files.extend(entries.filter_map(|e| Some(e.ok()?.path()))),
            Err(_) => files.push(path),
        }
    }
    files.sort();
    let mut reasons: BTreeMap<String, (usize, PathBuf)> = BTreeMap::new();
    let (mut read, mut time) = (0, std::time::Duration::ZERO);
    for file in &files {
        let bytes = match std::fs::read(file) {
            Ok(bytes) => bytes,
            Err(error) => {
                eprintln!("{}: {error}", file.display());
                continue;
            }
        };
        let start = std::time::Instant::now();
        let result = ur_spirv::Module::parse_bytes(&bytes, &[]);
        time += start.elapsed();
        match result {
            Ok(_) => read += 1,
            Err(error) => {
                let reason: String = error
                    .rule()
                    .chars()
                    .map(|c| if c.is_ascii_digit() { '#' } else { c })
                    .collect();
                reasons.entry(reason).or_insert_with(|| (0, file.clone())).0 += 1;
            }
        }
    }
    for (reason, (count, example)) in &reasons {
        println!("{count:6}  {reason}  ({})", example.display());
    }
    println!("{read} of {} modules accepted in {time:.2?}", files.len());
}
