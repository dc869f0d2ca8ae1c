//! Reads and checks SPIR-V modules of the OpenCL environment
