//! SPIR-V to machine code through LLVM

#[allow(
    dead_code,
    reason = "vocabulary shared by modules that are not all here yet"
)]
mod ir;
