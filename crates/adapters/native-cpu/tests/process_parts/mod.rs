//! Parts of the tests of processes.

#![allow(dead_code, reason = "every test program uses some of them")]

pub mod watch;
