//! `./x ulp`: the errors of the compiler's mathematical functions, against their limits.

use crate::{process, setup};
use anyhow::Result;
use clap::Parser;

/// What to measure.
#[derive(Parser)]
pub struct Args {
    /// Options of the measuring program, such as --function F, --width W, --all or --inputs N
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    options: Vec<String>,
}

/// Measures; the last line is the worst error against its limit. `Ok(false)` when one is exceeded.
pub fn run(args: &Args) -> Result<bool> {
    if !setup::ensure()? {
        return Ok(false);
    }
    let mut cargo = process::cargo([
        "run",
        "--release",
        "--quiet",
        "-p",
        "ur-jit",
        "--example",
        "ulp",
        "--",
    ]);
    cargo.args(&args.options);
    Ok(process::status(&mut cargo)?.success())
}
