//! What calls can go through on their way to an adapter: tracing and checks.
//!
//! A layer is on from one initialisation of the loader to its last teardown. While none is, an
//! entry point costs one load and one branch more than without layers ([`active`]). What differs
//! from function to function is rendered from the API's data; this crate holds the rest.
//!
//! A call passes, in this order: tracing ([`trace`]), the check of its arguments
//! ([`parameters`]), that of the objects in it ([`objects`]) and that of the memory it touches
//! ([`bounds`]). What a check refuses never reaches the adapter.
//!
//! The crate names no loader: who uses it says where messages go ([`switch::Outputs`]).
#![allow(non_snake_case, reason = "names are those of the C API")]

mod account;
mod arguments;
mod atomic {
    //! The atomics of what has no locks; model tests bring others.
    pub(crate) use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering, fence};
}
pub mod bounds;
mod devices;
pub mod flags;
#[allow(
    unused_parens,
    clippy::nonminimal_bool,
    clippy::too_many_arguments,
    reason = "functions and conditions are rendered from data as they stand there"
)]
mod generated;
mod leaks;
mod memory;
pub mod objects;
mod site;
pub mod switch;
mod table;
#[cfg(test)]
mod table_tests;
pub mod trace;
mod xpti;
mod zeroed;

pub use generated::{kinds, parameters};
pub use switch::{Active, active};
