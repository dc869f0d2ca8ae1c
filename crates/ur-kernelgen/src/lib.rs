//! Random structured kernels, what they compute, and whether the JIT agrees.
//!
//! [`gen::case`](r#gen::case) makes a kernel, a way to compile it and some launches out of a seed;
//! [`emit::module`] writes it as SPIR-V; [`interp::run`] says what a launch does to memory, knowing
//! nothing of the JIT; [`check::check`] compares both, bit for bit; [`shrink::shrink`] makes a
//! failing case small.

pub mod ast;
pub mod check;
mod display;
pub mod emit;
pub mod r#gen;
pub mod interp;
pub mod isolate;
pub mod jit;
pub mod launch;
pub mod ops;
pub mod rng;
pub mod shrink;
