//! The driver by itself: what tests of the adapter rely on.

#![allow(
    clippy::undocumented_unsafe_blocks,
    reason = "the driver checks what it is given; what it cannot check is made right here"
)]

mod support;

mod commands;
mod events;
mod images;
mod kernels;
mod memory;
mod objects;
mod order;
