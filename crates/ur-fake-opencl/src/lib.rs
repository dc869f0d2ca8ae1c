//! An OpenCL driver for tests. It computes nothing and moves no data: it keeps account of objects,
//! commands and arguments, and fails when told to.
//!
//! The system's OpenCL library loads it through a file `*.icd` in the folder that `OCL_ICD_VENDORS`
//! names. The variable `UR_FAKE_OPENCL` says which platforms there are ([`settings`]); a test then
//! opens the same library and controls it through the functions of [`control`].
//!
//! All of its state is one [`world::World`] behind one lock. Handles are addresses of cells whose first
//! word is the platform's dispatch table, as `cl_khr_icd` has it; what they stand for is looked up, so
//! that a handle which is no more is noticed and noted ([`world::World::fault`]). A misuse is an error
//! for the caller, too.

#![allow(
    non_snake_case,
    clippy::missing_safety_doc,
    clippy::too_many_arguments,
    reason = "functions have the names, parameters and conditions of OpenCL"
)]

pub mod call;
pub mod cl;
pub mod command_buffer;
pub mod context;
pub mod control;
pub mod device;
pub mod dispatch;
pub mod enqueue;
pub mod event;
pub mod kernel;
pub mod memory;
pub mod platform;
pub mod program;
pub mod queue;
pub mod sampler;
pub mod settings;
pub mod usm;
pub mod world;
