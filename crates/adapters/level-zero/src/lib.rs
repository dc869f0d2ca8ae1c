//! The Level Zero adapter: the devices of Level Zero drivers, through the Level Zero loader opened at
//! run time.
//!
//! [`ze`] is Level Zero itself: its types and numbers, the loader's functions, and what its errors are
//! here. The other modules are named after the objects of the API that they hold; each owns the Level
//! Zero object behind it ([`ze::Owned`]) and destroys it once.
//!
//! # Order of locks
//!
//! A thread that holds one of these takes only later ones: a queue's ([`queue::backlog`]), what a command
//! holds ([`event::signal`]), its context's pools of events, a kernel's. No thread holds those of two
//! queues: what another queue keeps back is handed over before the own lock is taken
//! ([`event::Waits::of`]), which `tests/order.rs` tries in all interleavings. The list of all queues
//! ([`queue::live`]) is looked at without any other lock. None is held while the driver waits for a
//! device, a function of the program runs or something is dropped that a command held; but the adapter's
//! own thread holds [`ze::exit::turn`] for its short waits, which the process's exit waits for.

pub mod adapter;
pub mod bindless;
pub mod command_buffer;
pub mod context;
pub mod device;
pub mod enqueue;
pub mod event;
pub mod graph;
pub mod image;
pub mod ipc;
pub mod kernel;
pub mod launch;
pub mod memory;
pub mod platform;
pub mod program;
pub mod queue;
pub mod sampler;
pub mod usm;
pub mod virtual_mem;
pub mod ze;

pub use adapter::LevelZero;

#[cfg(feature = "export")]
ur_adapter::adapter!(export LevelZero);
#[cfg(not(feature = "export"))]
ur_adapter::adapter!(LevelZero);
