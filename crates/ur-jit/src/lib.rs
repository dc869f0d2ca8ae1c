//! SPIR-V to machine code through LLVM.

pub mod llvm;

pub mod atomic;
pub mod ir;
pub mod opencl_std;
pub mod runtime;
#[cfg(test)]
mod testing;
