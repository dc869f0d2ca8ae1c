//! The time from the start of a process to its device, and to its first result.

use crate::case::Scale;
use crate::device::Device;
use crate::measure::{enter, note, verify};
use crate::report::Row;
use crate::suite;
use crate::turns::alternate;
use anyhow::{Context, Result};
use std::ffi::OsString;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

/// What the child prints when it has what was wanted of it.
const DONE: &str = "done";
/// What is measured: its name, the option that makes a child of this program, and whether compiled
/// code is kept on disk where a driver keeps any.
const ITEMS: [(&str, &str, bool); 3] = [
    ("device known to a process", "--first-device", true),
    ("first result of a process", "--first-result", false),
    ("first result, compiled before", "--first-result", true),
];

/// Names of the measurements.
pub fn names() -> impl Iterator<Item = &'static str> {
    ITEMS.into_iter().map(|(name, ..)| name)
}

/// The most samples: a driver may take seconds for one.
const SAMPLES: usize = 5;

/// The child's side: one small kernel.
///
/// # Errors
/// Its result is wrong, or a call failed.
pub fn child(device: &dyn Device) -> Result<(), String> {
    let case = suite::all().into_iter().next().ok_or("no kernel")?;
    let job = (case.job)(Scale::Small);
    let mut ready = device.prepare(&case, &job)?;
    verify(&mut *ready, &job)?;
    done();
    Ok(())
}

/// Tells the parent that the child has what was wanted.
pub fn done() {
    println!("{DONE}");
}

/// Starts this program again as `device`, by an option, and gives the seconds until it is done.
fn start(option: &str, device: &str, args: &[OsString], cache: &Path) -> Result<f64, String> {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let kept = cache.join("ours");
    let mut command = Command::new(program);
    command
        .arg("bench")
        .args([option, device])
        .args(args)
        .env("UR_JIT_CACHE", kept)
        .env("POCL_CACHE_DIR", cache.join("pocl"))
        .env("CUDA_CACHE_PATH", cache.join("nvidia"))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    let start = Instant::now();
    let mut child = command.spawn().map_err(|error| error.to_string())?;
    let output = child.stdout.take().ok_or("no output")?;
    let line = BufReader::new(output)
        .lines()
        .map_while(Result::ok)
        .find(|line| line == DONE);
    let time = start.elapsed().as_secs_f64();
    let status = child.wait().map_err(|error| error.to_string())?;
    match line {
        Some(_) if status.success() => Ok(time),
        _ => Err(format!("it ended with {status}")),
    }
}

/// Measures those wanted on the devices named; `args` are the options that find the drivers.
///
/// # Errors
/// A folder for compiled code cannot be made.
pub fn measure(
    devices: &[&'static str],
    args: &[OsString],
    samples: usize,
    wanted: impl Fn(&str) -> bool,
    mut report: impl FnMut(&Row),
) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    let cache = std::env::temp_dir().join(format!("ur-bench-cache-{}", std::process::id()));
    for (name, option, warm) in ITEMS {
        if !wanted(name) {
            continue;
        }
        let mut row = Row::new(name, "ms");
        empty(&cache)?;
        let mut able = Vec::new();
        for device in devices {
            match start(option, device, args, &cache) {
                Ok(_) => able.push(*device),
                Err(reason) => note(&mut row, device, &reason),
            }
        }
        let times = alternate(able.len(), samples.min(SAMPLES), |at| {
            if !warm {
                empty(&cache).map_err(|error| error.to_string())?;
            }
            start(option, able[at], args, &cache)
                .map_err(|reason| format!("{}: {reason}", able[at]))
        });
        match times {
            Ok(times) => {
                let times: Vec<_> = able.iter().copied().zip(times).collect();
                enter(&mut row, &times, 1e3);
            }
            Err(reason) => row.notes.push(reason),
        }
        report(&row);
        rows.push(row);
    }
    let _ = std::fs::remove_dir_all(cache);
    Ok(rows)
}

/// Makes a folder without compiled code; only its owner may look in, as our adapter wants it.
fn empty(cache: &Path) -> Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    let _ = std::fs::remove_dir_all(cache);
    let own = ["ours", "pocl", "nvidia"].map(|name| cache.join(name));
    for folder in [cache.to_owned()].into_iter().chain(own) {
        std::fs::DirBuilder::new()
            .mode(0o700)
            .create(&folder)
            .with_context(|| folder.display().to_string())?;
    }
    Ok(())
}
