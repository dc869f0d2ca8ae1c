//! The suites: a file for each, and an entry in [`SUITES`].

mod adapter;
mod context;
mod device;
mod errors;
mod info;
mod platform;
mod queue;
mod self_test;

use crate::test::{Registry, Suite};

/// Name of each suite, and the function that registers its tests.
type Entry = (&'static str, fn(&mut Suite<'_>));

const SUITES: &[Entry] = &[
    ("adapter", adapter::tests),
    ("platform", platform::tests),
    ("device", device::tests),
    ("context", context::tests),
    ("errors", errors::tests),
    ("info", info::tests),
    ("queue", queue::tests),
    ("self_test", self_test::tests),
];

/// Every test.
pub fn all() -> Registry {
    let mut registry = Registry::default();
    for (name, tests) in SUITES {
        tests(&mut registry.suite(name));
    }
    registry
}
