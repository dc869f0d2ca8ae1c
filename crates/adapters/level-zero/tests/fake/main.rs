//! The adapter on a driver that does what it is told (`ur-fake-level-zero`).

mod driver;
mod events;
mod exit;
mod host_tasks;
mod memory;
mod queues;
mod stress;
mod support;
