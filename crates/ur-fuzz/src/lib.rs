//! Fuzz targets for what reads bytes of others.
//!
//! A target is a function that takes any bytes and panics when a promise is broken: [`spirv`] for
//! the reader of SPIR-V modules, [`binary`] for the reader of saved programs. Neither may crash,
//! hang or allocate more than its `LIMIT` allows for the input's size. `./x fuzz` runs them
//! under a coverage-guided engine with AddressSanitizer; the tests of this crate run them on a fixed
//! sequence of damaged inputs.

pub mod binary;
pub mod memory;
pub mod random;
pub mod seeds;
pub mod spirv;
