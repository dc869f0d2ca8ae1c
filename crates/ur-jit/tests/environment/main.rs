//! What the OpenCL environment of SPIR-V has, instruction by instruction.

mod asm;
#[path = "../common/mod.rs"]
mod common;
mod numbers;
mod pointers;
mod run;
mod traps;
