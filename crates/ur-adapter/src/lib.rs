//! The kit that adapters are built from.
//!
//! An adapter is a crate with one type that implements [`Backend`] and, for every dispatch table of
//! the API, a trait of this crate ([`ContextFns`], [`QueueFns`], …) whose methods have ordinary Rust
//! types: references to objects instead of handles, slices instead of pointer and count, results
//! instead of codes. Methods that the adapter leaves out answer
//! `UR_RESULT_ERROR_UNSUPPORTED_FEATURE`. The macro [`adapter!`] turns that type into the library's
//! exports.
//!
//! What the kit does for every adapter, so that none can forget it:
//!
//! * an object's first word is its adapter's dispatch table, and its one atomic count is the only
//!   count there is ([`Object`], [`Handle`]);
//! * each incoming handle is checked for null and for kind, each required pointer for null;
//! * out-parameters are written only when the call succeeded;
//! * info queries follow the API's size and pointer rules ([`Info`]);
//! * errors become `ur_result_t` and the message of `urAdapterGetLastError` ([`Error`]);
//! * a panic ends at the C boundary as `UR_RESULT_ERROR_UNKNOWN`.

pub mod args;
pub mod backend;
pub mod chain;
pub mod error;
pub mod generated;
pub mod hosted;
pub mod il;
pub mod info;
pub mod kind;
pub mod logger;
pub mod object;
pub mod pool;
pub mod rect;
pub mod shim;

pub use backend::{Absent, Backend, Value};
pub use error::{Error, Result};
pub use generated::traits::*;
pub use info::Info;
pub use object::{Handle, Object};
pub use pool::DevicePool;
pub use shim::Slot;
pub use ur_api;
