//! The suites: a file for each, and an entry in [`SUITES`].

mod adapter;
mod async_alloc;
mod bindless_images;
mod command_buffer;
mod context;
mod device;
mod device_wait;
mod enqueue;
mod errors;
mod event;
mod graph;
mod info;
mod integration;
mod ipc;
mod kernel;
mod launch_with_args;
mod lifetime;
mod loader;
mod memory;
mod memory_export;
mod p2p;
mod platform;
mod process;
mod program;
mod queue;
mod reusable_events;
mod sampler;
mod self_test;
mod threads;
mod usm;
mod usm_import;
mod usm_pools;
mod virtual_memory;

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
    ("async_alloc", async_alloc::tests),
    ("bindless_images", bindless_images::tests),
    ("device_wait", device_wait::tests),
    ("graph", graph::tests),
    ("ipc", ipc::tests),
    ("lifetime", lifetime::tests),
    ("memory_export", memory_export::tests),
    ("p2p", p2p::tests),
    ("process", process::tests),
    ("reusable_events", reusable_events::tests),
    ("threads", threads::tests),
    ("usm_import", usm_import::tests),
    ("usm_pools", usm_pools::tests),
    ("virtual_memory", virtual_memory::tests),
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

/// Every part that another process can play.
pub(crate) fn acts() -> impl Iterator<Item = &'static (&'static str, crate::acts::Act)> {
    ipc::ACTS.iter().chain(process::ACTS)
}
