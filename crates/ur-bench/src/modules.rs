//! Builds of programs: one of the suite's, and many SPIR-V modules.

use crate::device::Device;
use crate::measure::{enter, note};
use crate::report::Row;
use crate::suite::EMPTY;
use crate::turns::alternate;
use anyhow::{Context, Result, ensure};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Code of the instruction that names a kernel.
const ENTRY_POINT: u32 = 15;
/// Words before the first instruction.
const HEADER: usize = 5;

/// Names of a module's kernels.
pub fn kernels(il: &[u8]) -> Vec<String> {
    let (words, _) = il.as_chunks::<4>();
    let words: Vec<u32> = words.iter().map(|word| u32::from_le_bytes(*word)).collect();
    let mut rest = words.get(HEADER..).unwrap_or_default();
    let mut names = Vec::new();
    while let [first, ..] = rest {
        let (length, code) = ((first >> 16) as usize, first & 0xffff);
        if length == 0 || length > rest.len() {
            break;
        }
        let (instruction, next) = rest.split_at(length);
        // Model, function, then the name, ended by a zero.
        if code == ENTRY_POINT && length > 3 {
            let bytes = instruction[3..].iter().flat_map(|word| word.to_le_bytes());
            let name: Vec<u8> = bytes.take_while(|byte| *byte != 0).collect();
            names.push(String::from_utf8_lossy(&name).into_owned());
        }
        rest = next;
    }
    names
}

/// `count` of a folder's modules, evenly spread over their sorted names.
fn choose(folder: &Path, count: usize) -> Result<Vec<PathBuf>> {
    let entries = std::fs::read_dir(folder).with_context(|| folder.display().to_string())?;
    let mut files = Vec::new();
    for entry in entries {
        let path = entry?.path();
        if path.extension().is_some_and(|ending| ending == "spv") {
            files.push(path);
        }
    }
    ensure!(!files.is_empty(), "{} holds no .spv", folder.display());
    files.sort();
    let count = count.min(files.len());
    Ok((0..count)
        .map(|number| files[number * files.len() / count].clone())
        .collect())
}

/// Builds the modules on all devices that take SPIR-V, each with all its kernels, in turn. A module
/// that a device does not build counts for none.
///
/// # Errors
/// The folder or a file cannot be read.
pub fn measure(
    devices: &[Box<dyn Device>],
    folder: &Path,
    count: usize,
    mut progress: impl FnMut(usize, usize),
) -> Result<Vec<Row>> {
    let files = choose(folder, count)?;
    let mut each = Row::new("module", "ms");
    let mut times: Vec<(&str, Vec<f64>)> = Vec::new();
    let mut able: Vec<&dyn Device> = Vec::new();
    // What a compiler does once belongs to no module; and a device may take no SPIR-V at all.
    let first = std::fs::read(&files[0])?;
    for device in devices {
        match device.build(&first, &kernels(&first)) {
            Err(reason) if !device.takes_il() => note(&mut each, device.name(), &reason),
            _ => {
                able.push(&**device);
                times.push((device.name(), Vec::new()));
            }
        }
    }
    for (number, file) in files.iter().enumerate() {
        let il = std::fs::read(file)?;
        let names = kernels(&il);
        let mut order: Vec<usize> = (0..able.len()).collect();
        if number % 2 == 1 {
            order.reverse();
        }
        let mut built = vec![0.0; able.len()];
        let mut whole = true;
        for at in order {
            let start = Instant::now();
            if let Err(reason) = able[at].build(&il, &names) {
                let name = file.file_stem().unwrap_or_default().display();
                note(&mut each, able[at].name(), &format!("{name}: {reason}"));
                whole = false;
            }
            built[at] = start.elapsed().as_secs_f64();
        }
        if whole {
            for ((_, times), time) in times.iter_mut().zip(built) {
                times.push(time);
            }
        }
        progress(number + 1, files.len());
    }
    let compared = times.first().map_or(0, |(_, times)| times.len());
    each.name = format!("median of {compared} modules");
    enter(&mut each, &times, 1e3);
    let mut all = Row::new(&format!("all {compared} modules"), "s");
    let sums: Vec<(&str, Vec<f64>)> = times
        .into_iter()
        .map(|(name, times)| (name, vec![times.iter().sum()]))
        .collect();
    if compared > 0 {
        enter(&mut all, &sums, 1.0);
    }
    Ok(vec![each, all])
}

/// The most samples of a build, which may take seconds.
const SAMPLES: usize = 5;

/// Builds a program of the suite on all devices in turn, in the form that they take. No two builds
/// from OpenCL C have the same options, so that none is answered from what a driver keeps.
pub fn one(devices: &[Box<dyn Device>], samples: usize) -> Row {
    let il = devices.iter().all(|device| device.takes_il());
    let form = if il { "SPIR-V" } else { "OpenCL C" };
    let mut row = Row::new(&format!("program in {form}"), "ms");
    let start = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let start = start.unwrap_or_default().as_nanos();
    let mut number = 0;
    // What a compiler does once belongs to no program: the first round does not count.
    let times = alternate(devices.len(), 1 + samples.min(SAMPLES), |at| {
        number += 1;
        let options = format!("-DBUILD={start}_{number}");
        let begin = Instant::now();
        let device = &devices[at];
        let made = device.make(&EMPTY, &options);
        made.map_err(|reason| format!("{}: {reason}", device.name()))?;
        Ok(begin.elapsed().as_secs_f64())
    });
    match times {
        Ok(times) => {
            let names = devices.iter().map(|device| device.name());
            let times = times.into_iter().map(|times| times[1..].to_vec());
            enter(&mut row, &names.zip(times).collect::<Vec<_>>(), 1e3);
        }
        Err(reason) => row.notes.push(reason),
    }
    row
}

#[cfg(test)]
mod tests {
    use super::{choose, kernels};
    use crate::suite::EMPTY;

    #[test]
    fn kernels_are_found() {
        let names = kernels(EMPTY.il);
        assert!(names.contains(&"empty".to_owned()), "{names:?}");
        assert!(names.contains(&"triad".to_owned()), "{names:?}");
        assert!(kernels(&[]).is_empty());
        assert!(kernels(&EMPTY.il[..30]).is_empty());
    }

    #[test]
    fn modules_are_spread_over_the_folder() {
        let folder = std::env::temp_dir().join(format!("ur-bench-choose-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        assert!(choose(&folder, 3).is_err());
        for number in 0..10 {
            std::fs::write(folder.join(format!("{number}.spv")), "").expect("a file");
        }
        std::fs::write(folder.join("0.txt"), "").expect("a file");
        let names = |count| -> Vec<String> {
            let files = choose(&folder, count).expect("files");
            let name =
                |file: &std::path::PathBuf| file.file_stem().map(|n| n.display().to_string());
            files.iter().filter_map(name).collect()
        };
        assert_eq!(names(3), ["0", "3", "6"]);
        assert_eq!(names(100).len(), 10);
        std::fs::remove_dir_all(&folder).expect("the folder can go");
    }
}
