//! Starting other programs.

use anyhow::{Context, Result, bail};
use std::ffi::OsStr;
use std::process::{Command, ExitStatus, Stdio};

/// A cargo command that runs in the root of the checkout.
pub fn cargo<I, S>(args: I) -> Command
where
    I: IntoIterator<Item = S>,
    S: AsRef<OsStr>,
{
    let program = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(program);
    command.args(args).current_dir(crate::repo::root());
    // Set by `cargo run` for xtask itself; inherited, they would make every build script that
    // watches them run again.
    for (name, _) in std::env::vars_os() {
        if name.to_str().is_some_and(|n| {
            n.starts_with("CARGO_PKG_") || n.starts_with("CARGO_MANIFEST_") || n == "CARGO_BIN_NAME"
        }) {
            command.env_remove(name);
        }
    }
    command
}

/// The command line as a person would type it.
pub fn shown(command: &Command) -> String {
    let mut line = command.get_program().to_string_lossy().into_owned();
    for arg in command.get_args() {
        line.push(' ');
        line.push_str(&arg.to_string_lossy());
    }
    line
}

/// Runs a command with our standard streams.
pub fn status(command: &mut Command) -> Result<ExitStatus> {
    command
        .status()
        .with_context(|| format!("cannot run `{}`", shown(command)))
}

/// Runs a command with our standard streams; an exit code other than 0 is an error.
pub fn run(command: &mut Command) -> Result<()> {
    let status = status(command)?;
    if !status.success() {
        bail!("`{}` failed: {status}", shown(command));
    }
    Ok(())
}

/// Runs a command and returns what it wrote on standard output; an exit code other than 0 is an
/// error.
pub fn output(command: &mut Command) -> Result<String> {
    let output = command
        .stderr(Stdio::inherit())
        .output()
        .with_context(|| format!("cannot run `{}`", shown(command)))?;
    if !output.status.success() {
        bail!("`{}` failed: {}", shown(command), output.status);
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Whether a command can be started and exits with 0; it prints nothing.
pub fn succeeds(command: &mut Command) -> bool {
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}
