//! The Unified Runtime loader: `libur_loader.so.0`.
//!
//! A program calls the loader; the loader finds adapters ([`discovery`]), opens them, and sends
//! each call to the adapter that made the handle in it ([`dispatch`]). [`selector`] holds
//! `ONEAPI_DEVICE_SELECTOR`, [`log`] the log. While a layer is on (`UR_ENABLE_LAYERS`), calls go
//! through the checks and the tracing of `ur_layers` first.
//!
//! # Two ways to use it
//! As a C library: the static library that cargo makes of this crate is linked into
//! `libur_loader.so.0` with the version script `exports.generated.map` beside `Cargo.toml`, which
//! gives every export the version that the released loader has and hides everything else:
//! ```text
//! gcc -shared -o libur_loader.so.0 -Wl,-soname,libur_loader.so.0
//!     -Wl,--version-script=exports.generated.map -Wl,-Bsymbolic
//!     -Wl,--whole-archive libur_loader.a -Wl,--no-whole-archive -Wl,--gc-sections
//!     -Wl,-z,relro,-z,now -Wl,--no-undefined -lgcc_s -lc -lm
//! ```
//! (rustc cannot do this last step: it writes a version script of its own. `-Bsymbolic` keeps the
//! tables that the loader hands out pointing to its own functions, whatever else is loaded.)
//!
//! As a Rust library: every entry point stands at the crate's root under its C name, and
//! [`discovery::report`] says which libraries were tried and why each one failed.
//!
//! # Leaving
//! The loader has no destructor, no `atexit` handler and no thread. Libraries it opened stay
//! mapped until the process ends.
#![allow(non_snake_case, reason = "entry points carry the names of the C API")]

pub mod adapter;
mod arguments;
#[cfg(feature = "broken-handle-table")]
mod broken;
mod by_hand;
mod config;
mod ddi;
pub mod discovery;
pub mod dispatch;
mod elf;
mod environment;
mod filter;
mod foreign;
#[allow(
    missing_docs,
    reason = "entry points carry the names that the API gives them"
)]
#[allow(
    unused_parens,
    clippy::collapsible_if,
    clippy::single_match,
    clippy::too_many_arguments,
    reason = "functions and conditions are rendered from data as they stand there"
)]
mod generated;
mod guard;
mod init;
mod kit;
mod layers;
mod legacy;
mod library;
mod lifetime;
pub mod log;
mod registry;
mod selected;
pub mod selector;
mod state;
use std::sync;
mod trust;

pub use config::{
    urLoaderConfigCreate, urLoaderConfigEnableLayer, urLoaderConfigGetInfo, urLoaderConfigRelease,
    urLoaderConfigRetain, urLoaderConfigSetCodeLocationCallback, urLoaderConfigSetMockingEnabled,
};
pub use generated::*;
pub use init::{urLoaderInit, urLoaderTearDown};
pub use selected::urDeviceGetSelected;
