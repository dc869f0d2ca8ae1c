//! Measures our device beside other drivers, all in one process and side by side, so that what else
//! the machine does meets all of them. Every result is compared with a reference.
//!
//! Ours is measured through UR, Intel's driver and PoCL through OpenCL. A ratio above 1 means that
//! ours is faster.

pub mod adapters;
pub mod calls;
pub mod case;
mod compare;
pub mod device;
mod first;
pub mod functions;
pub mod latency;
pub mod limits;
pub mod measure;
pub mod modules;
pub mod ours;
pub mod peer;
mod place;
pub mod report;
mod run;
pub mod stats;
pub mod suite;
mod svg;
mod table;
mod turns;

pub use run::{Args, run};
