//! Parts of the tests of processes.

pub mod fork;
pub mod watch;
