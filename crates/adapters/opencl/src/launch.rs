//! Launches of kernels.
