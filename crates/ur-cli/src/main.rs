//! `ur`: answers `ur info` and has `ur-tool`, which lies beside it, do everything else.

use anyhow::{Context, Error, bail};
use std::convert::Infallible;
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode};
use ur_cli::info;

fn main() -> ExitCode {
    let result = match info::Args::plain(std::env::args_os().skip(1)) {
        Some(args) => info::run(&args),
        None => tool().map(|never| match never {}),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => ur_cli::failed(&error),
    }
}

/// Becomes `ur-tool`, with the same arguments.
fn tool() -> Result<Infallible, Error> {
    if ur_log::environment::privileged() {
        // Who gave this program a second name elsewhere would choose what lies beside it.
        bail!("no other program is started with raised privileges");
    }
    let own = std::env::current_exe().context("cannot find this program's file")?;
    let program = own.with_file_name("ur-tool");
    let error = Command::new(&program)
        .args(std::env::args_os().skip(1))
        .exec();
    Err(error).with_context(|| format!("cannot start {}", program.display()))
}
