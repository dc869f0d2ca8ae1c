//! Device code of the suite, from `kernels/`; `kernels/build.sh` builds it.

/// `basic.cl`: what most suites need.
pub const BASIC: &[u8] = include_bytes!("../kernels/basic.spv");
