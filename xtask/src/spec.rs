//! `./x spec`: renders what is generated from spec/.

use crate::process;
use anyhow::Result;
use clap::Parser;

/// How to render.
#[derive(Parser)]
pub struct Args {}

/// Renders all generated files; the renderer's last line says how many.
pub fn run(_args: &Args) -> Result<bool> {
    let status = process::status(&mut process::cargo([
        "run", "--quiet", "-p", "ur-spec", "--", "render",
    ]))?;
    Ok(status.success())
}
