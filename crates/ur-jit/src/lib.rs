//! SPIR-V to machine code through LLVM.
//!
//! [`ur_spirv`] reads a module, [`translate`] turns one of its kernels into LLVM IR for a single
//! work-item, [`lower`] builds the function that runs work-groups, and [`compile`] has LLVM make code
//! of it. [`table`] is the C interface that adapters see.

mod atomic;
pub mod compile;
pub mod error;
mod exit;
mod functions;
mod group;
pub mod ir;
mod item;
pub mod link;
pub mod llvm;
pub mod lower;
pub mod module;
mod opencl_std;
mod runtime;
mod storage;
pub mod table;
#[cfg(test)]
mod testing;
pub mod translate;
pub mod vector;

pub use table::ur_jit_table;

// The reference arithmetic of the tests is shared with a program outside this crate.
#[cfg(test)]
extern crate self as ur_jit;
