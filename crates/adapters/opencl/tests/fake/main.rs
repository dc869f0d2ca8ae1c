//! The adapter on a driver that does what it is told (`ur-fake-opencl`).

mod absent;
mod driver;
mod events;
mod launches;
mod recycling;
mod support;
mod versions;
