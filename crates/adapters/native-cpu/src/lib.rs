//! The native CPU adapter: host memory, a worker pool, kernels compiled by the JIT.
//!
//! The modules are named after what they hold. Those of the API's objects ([`adapter`], [`platform`],
//! [`device`], [`context`], [`queue`], [`event`], [`memory`], [`image`], [`sampler`], [`usm`], [`program`], [`kernel`],
//! [`enqueue`], [`command_buffer`]) stand on those that do the work: [`command`] and [`order`] say what runs when,
//! [`door`] lets short work past their queue's lock, [`recording`] keeps it for later, [`pool`] runs it and
//! [`share`] deals it out, to the CPUs of all nodes of [`numa`], [`launch`] and [`copy`] are what runs, [`code`] gets machine code from
//! the [`cache`], from a program that [`binary`] saved, or from the compiler, which [`jit`] opens, [`tier`] gets
//! better code for what has proved to be worth it; `heap` has the memory, [`facts`]
//! and [`cpu`] read the machine.

use std::sync::atomic;

pub mod adapter;
pub mod arena;
pub mod binary;
pub mod cache;
pub mod clock;
pub mod code;
pub mod command;
pub mod command_buffer;
pub mod context;
pub mod copy;
pub mod cpu;
pub mod device;
pub mod door;
pub mod enqueue;
pub mod event;
pub mod facts;
#[cfg(feature = "faults")]
pub mod faults;
pub mod fork;
pub mod graph;
mod heap;
pub mod image;
pub mod ipc;
pub mod jit;
pub mod kernel;
pub mod launch;
pub mod memfd;
pub mod memory;
pub mod numa;
pub mod order;
pub mod platform;
pub mod pool;
pub mod program;
pub mod queue;
pub mod recording;
pub mod sampler;
pub mod share;
pub mod standstill;
pub mod tier;
pub mod unsupported;
pub mod usm;
pub mod virtual_mem;

pub use adapter::NativeCpu;

#[cfg(all(feature = "export", not(feature = "faults")))]
ur_adapter::adapter!(export NativeCpu);
#[cfg(all(feature = "export", feature = "faults"))]
ur_adapter::adapter!(export NativeCpu, faults::table());
#[cfg(not(feature = "export"))]
ur_adapter::adapter!(NativeCpu);
