//! Images and samplers: kernels that read and write them against a plain model of OpenCL's formulas,
//! copies of regions, queries and errors. Needs the JIT library, which is built with the tests.

#[path = "../common/mod.rs"]
mod common;
mod copies;
mod kernels;
mod model;
mod objects;
mod sampling;
mod support;
mod writing;
