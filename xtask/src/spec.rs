//! `./x spec`: renders what is generated from spec/.

use crate::process;
use anyhow::Result;

/// Renders all generated files; the renderer's last line says how many.
pub fn run() -> Result<bool> {
    let status = process::status(&mut process::cargo(["run", "--quiet", "-p", "ur-spec"]))?;
    Ok(status.success())
}
