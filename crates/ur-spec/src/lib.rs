//! The Unified Runtime API as data, and everything rendered from it.
//!
//! `spec/*.toml` is the only place where an entry point is written down. [`load::load`] reads
//! it, [`check::check`] says what contradicts itself, and [`render::files`] makes every
//! generated file of the repository from it. `cargo run -p ur-spec` writes those files.

pub mod check;
pub mod conditions;
pub mod ctype;
pub mod expression;
pub mod load;
pub mod model;
pub mod names;
pub mod render;
