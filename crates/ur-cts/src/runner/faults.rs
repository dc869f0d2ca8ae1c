//! A check of the suite itself: does it see each deliberate fault of an adapter that was built with
//! them?

use super::Args;
use crate::library::Library;
use anyhow::{Context, Result, bail};
use std::ffi::{CStr, OsString, c_char};
use std::process::{Command, Output};
use std::time::Instant;

/// The variable that names the fault which the adapter has.
const VARIABLE: &str = "UR_NATIVE_CPU_FAULT";

/// The adapter's function that gives the name of a fault by its index, null after the last.
type Fault = Option<extern "C" fn(usize) -> *const c_char>;

/// The names of all faults that the adapters can have.
fn names(args: &Args) -> Result<Vec<String>> {
    let mut names = Vec::new();
    for adapter in args.adapters()? {
        let library = Library::open(&adapter)?;
        // SAFETY: the type is that of the adapter's function.
        let Some(fault) = (unsafe { library.symbol::<Fault>(c"ur_native_cpu_fault") }) else {
            continue;
        };
        let named = (0..)
            .map(|index| fault(index))
            .take_while(|name| !name.is_null());
        // SAFETY: names are terminated and stay as long as the library.
        names.extend(named.map(|name| unsafe { CStr::from_ptr(name) }.to_string_lossy().into()));
    }
    if names.is_empty() {
        bail!("no adapter is built with faults: name one by --adapter");
    }
    Ok(names)
}

/// Runs what the command line asks for, but with a fault; none for an empty name.
fn with(fault: &str) -> Result<Output> {
    let own: Vec<OsString> = std::env::args_os()
        .skip(1)
        .filter(|word| word != "--faults")
        .collect();
    Command::new(std::env::current_exe()?)
        .args(own)
        .arg("--fail-fast")
        .env(VARIABLE, fault)
        .output()
        .context("cannot start the suite")
}

/// Runs the suite without a fault, which must be in order, and with each.
///
/// # Errors
/// A fault that no test sees.
pub(super) fn run(args: &Args) -> Result<()> {
    let names = names(args)?;
    let sound = with("")?;
    if !sound.status.success() {
        eprint!("{}", String::from_utf8_lossy(&sound.stderr));
        bail!("the suite is not in order without a fault");
    }
    let wide = names.iter().map(String::len).max().unwrap_or(0);
    let mut missed = Vec::new();
    for name in &names {
        let begun = Instant::now();
        let output = with(name)?;
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        let seen = if output.status.success() {
            missed.push(name.as_str());
            "MISSED"
        } else {
            text.lines().next().unwrap_or("the suite did not run")
        };
        println!(
            "{name:wide$} {:>5.1} s  {seen}",
            begun.elapsed().as_secs_f64()
        );
    }
    println!(
        "{} of {} faults found",
        names.len() - missed.len(),
        names.len()
    );
    if missed.is_empty() {
        return Ok(());
    }
    bail!("no test sees {}", missed.join(", "))
}
