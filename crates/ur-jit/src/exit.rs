//! Keeps LLVM whole while the process exits.
//!
//! The library stays open until the process ends, and a thread may be compiling when another one exits: at
//! that moment the destructors of LLVM's global objects would take away what the compilation uses. They
//! would only give memory back, so none is ever registered: in the shared library the linker puts the
//! function below in the place of `__cxa_atexit` (see the build script). In programs that link this crate
//! statically everything is as usual.

core::arch::global_asm!(
    ".section .text.__wrap___cxa_atexit, \"ax\", @progbits",
    ".globl __wrap___cxa_atexit",
    ".hidden __wrap___cxa_atexit",
    ".type __wrap___cxa_atexit, @function",
    "__wrap___cxa_atexit:",
    // Says that the destructor will be run.
    "xor eax, eax",
    "ret",
    ".size __wrap___cxa_atexit, . - __wrap___cxa_atexit",
    ".text",
);
