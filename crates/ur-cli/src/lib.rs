//! What is in `ur`: what the Unified Runtime finds on this machine, running a kernel on it, and
//! measuring it.
//!
//! There are two programs. `ur-tool` has the whole command line. `ur` answers `ur info` itself and
//! starts `ur-tool` for everything else, so that a look at the devices maps neither the other
//! commands nor what reads their options.

// The program that answers `ur info` alone leaves parts unused.
#![cfg_attr(not(feature = "tool"), allow(dead_code, unused_macros, unused_imports))]

mod api;
mod argument;
#[cfg(feature = "tool")]
pub mod command_line;
pub mod info;
mod infos;
mod report;
#[cfg(feature = "tool")]
mod run;
mod style;

use std::process::ExitCode;

/// Exit code of a command line that cannot be understood; clap uses it too.
const USAGE: u8 = 2;

/// Writes down why a command failed, and gives the exit code for it.
pub fn failed(error: &anyhow::Error) -> ExitCode {
    let style = style::Style::stderr();
    eprintln!("{} {error:#}", style.bad("error:"));
    match error.downcast_ref::<argument::Invalid>() {
        Some(_) => ExitCode::from(USAGE),
        None => ExitCode::FAILURE,
    }
}
