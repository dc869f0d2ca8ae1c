//! A Level Zero driver for tests. Its devices are threads of the host: they copy and fill memory, run
//! kernels by the native CPU adapter's functions, and do so when events, barriers and the test let them.
//!
//! The library exports Level Zero's functions, so that a link to it called `libze_loader.so.1` stands for
//! Level Zero's loader, and the tables that the loader asks a driver for, so that the loader and its
//! layers can sit on it (`ZE_ENABLE_ALT_DRIVERS`). The variable `UR_FAKE_LEVEL_ZERO` says which drivers
//! there are ([`settings`]); a test then opens the same library and controls it through the functions of
//! [`control`].
//!
//! All of its state is one [`world::World`] behind one lock. Handles are addresses at which nothing of use
//! stands; what they stand for is looked up, so that a handle which is no more is noticed and noted
//! ([`world::World::fault`]), as is everything else that Level Zero leaves undefined: what is destroyed
//! while a command needs it, memory that is not there, events at a place that is taken. A misuse is an
//! error for the caller, too.

#![allow(
    non_snake_case,
    clippy::missing_safety_doc,
    clippy::too_many_arguments,
    reason = "functions have the names, parameters and conditions of Level Zero"
)]

pub mod call;
pub mod clock;
pub mod command;
pub mod command_list;
pub mod command_queue;
pub mod context;
pub mod control;
pub mod copy;
pub mod ddi;
pub mod device;
pub mod driver;
pub mod engine;
pub mod event;
pub mod event_pool;
pub mod fence;
pub mod heap;
pub mod image;
pub mod jit;
pub mod kernel;
pub mod launch;
pub mod loader;
pub mod memory;
pub mod module;
pub mod physical_mem;
pub mod sampler;
pub mod settings;
pub mod virtual_mem;
pub mod world;
pub mod ze;
