//! SPIR-V to machine code through LLVM
