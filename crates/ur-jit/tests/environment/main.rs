//! What the OpenCL environment of SPIR-V has, instruction by instruction.

mod asm;
#[path = "../common/mod.rs"]
mod common;
mod damage;
mod groups;
mod memory;
mod modes;
mod numbers;
mod opcodes;
mod pointers;
mod rest;
mod run;
mod traps;
