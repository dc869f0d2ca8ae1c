//! The native CPU adapter: host memory, a worker pool, kernels compiled by ur-jit
