//! The environment variables that the loader reads.

use crate::log::{Level, log};
use std::ffi::OsString;
use ur_log::environment;
pub use ur_log::environment::{harmless, privileged, split_paths};

/// The value of a variable that names code or files; `None` when it is unset or empty, and in a
/// process with raised privileges, where the log says that it counts for nothing.
pub fn variable(name: &str) -> Option<OsString> {
    if environment::refused(name) {
        log!(Level::Error, "{name} is ignored: {}", environment::REFUSED);
    }
    environment::variable(name)
}

/// The switch that a variable holds, or `default` when it is unset or cannot be read; the log says
/// so then.
pub fn switch(name: &str, default: bool) -> bool {
    let Some(value) = harmless(name) else {
        return default;
    };
    environment::switch(&value).unwrap_or_else(|| {
        log!(
            Level::Error,
            "{name}: '{}' is neither 1, on, yes, true nor 0, off, no, false",
            value.display()
        );
        default
    })
}
