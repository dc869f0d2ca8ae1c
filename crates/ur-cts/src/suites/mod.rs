//! The suites: a file for each, and an entry in [`SUITES`].

mod context;
mod errors;
mod info;
mod queue;
mod self_test;

use crate::test::{Registry, Suite};

/// Name of each suite, and the function that registers its tests.
type Entry = (&'static str, fn(&mut Suite<'_>));

const SUITES: &[Entry] = &[
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
