//! The Level Zero adapter: the devices of Level Zero drivers, through the Level Zero loader opened at
//! run time.
//!
//! [`ze`] is Level Zero itself: its types and numbers, the loader's functions, and what its errors are
//! here.

pub mod ze;
