//! The adapter on a driver that does what it is told (`ur-fake-opencl`).

mod absent;
mod command_buffers;
mod driver;
mod errors;
mod events;
mod frees;
mod kept;
mod launches;
mod leaks;
mod limits;
mod recycling;
mod support;
mod unchanged;
mod versions;
mod waits;
