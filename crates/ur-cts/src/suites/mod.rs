//! The suites: a file for each, and an entry in [`SUITES`].

mod adapter;
mod command_buffer;
mod context;
mod device;
mod enqueue;
mod errors;
mod event;
mod info;
mod integration;
mod kernel;
mod launch_with_args;
mod loader;
mod memory;
mod platform;
mod program;
mod queue;
mod sampler;
mod self_test;
mod usm;

use crate::test::{Registry, Suite};

/// Name of each suite, and the function that registers its tests.
type Entry = (&'static str, fn(&mut Suite<'_>));

const SUITES: &[Entry] = &[
    ("loader", loader::tests),
    ("adapter", adapter::tests),
    ("platform", platform::tests),
    ("device", device::tests),
    ("context", context::tests),
    ("errors", errors::tests),
    ("info", info::tests),
    ("queue", queue::tests),
    ("event", event::tests),
    ("memory", memory::tests),
    ("usm", usm::tests),
    ("enqueue", enqueue::tests),
    ("program", program::tests),
    ("kernel", kernel::tests),
    ("launch_with_args", launch_with_args::tests),
    ("sampler", sampler::tests),
    ("integration", integration::tests),
    ("command_buffer", command_buffer::tests),
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
