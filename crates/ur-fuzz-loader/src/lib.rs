//! Fuzz targets for what the loader reads from environment variables.
//!
//! A target is a function that takes any bytes and panics when a promise is broken: [`selector`]
//! for `ONEAPI_DEVICE_SELECTOR`, [`log`] for `UR_LOG_…`, [`paths`] for the lists of adapters. `./x
//! fuzz` runs them under a coverage-guided engine with AddressSanitizer; the test of this crate
//! runs them on a fixed sequence of damaged inputs.
//!
//! They are a package of their own because the loader and the adapters of `ur-fuzz` export the same
//! names, so no program can have both.

pub mod log;
pub mod paths;
pub mod selector;

/// A target.
pub type Target = fn(&[u8]);

/// The targets with their names and the inputs that they start from.
pub const TARGETS: [(&str, Target, &[&str]); 3] = [
    ("selector", selector::run, &selector::SEEDS),
    ("log", log::run, &log::SEEDS),
    ("paths", paths::run, &paths::SEEDS),
];
