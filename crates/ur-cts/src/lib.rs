//! A conformance suite for implementations of the Unified Runtime: it opens a loader by path, lets
//! it load adapters, and asserts what the API says, for every device.
//!
//! # Adding a test
//!
//! A suite is a file in `src/suites` with a function `tests`, which `suites::all` calls:
//!
//! ```ignore
//! pub(crate) fn tests(suite: &mut Suite<'_>) {
//!     suite.device("finish::empty", |cx| {
//!         let (_context, queue) = cx.queue(0)?;
//!         ok!(urQueueFinish(queue.get()))?;
//!         Ok(())
//!     });
//!     for size in [1, 64, 4096] {
//!         suite.device(format!("fill::{size}_bytes"), move |cx| fill(cx, size));
//!     }
//! }
//! ```
//!
//! The name is `suite::function::case`; the runner puts the device behind it. A test returns
//! `Ok(())`, or ends early through `?`: [`ok!`] calls a function that must succeed, [`refused!`] one
//! that must give a certain error, [`ensure!`] and [`same!`] compare. Whatever the loader lacks, or an
//! adapter may decline and does not claim to have, makes the test unsupported by itself; a test asks
//! for more with `cx.needs(QUERY)?`. A test asserts what the API says (`spec/`), not what one adapter
//! does. `cx` says which device it is about; objects that release themselves are in [`objects`].
//! A test may crash or hang: it runs in a child process, which is replaced then.

#![allow(
    clippy::not_unsafe_ptr_arg_deref,
    clippy::macro_metavars_in_unsafe,
    reason = "handles and pointers go to the loader as they are; wrong ones are what tests are about"
)]

pub mod api;
pub mod coverage;
pub mod failure;
pub mod info;
pub mod kernels;
pub mod library;
pub mod objects;
pub mod suites;
pub mod test;
pub mod world;

mod acts;
mod generated;
mod runner;
mod support;
mod words;

pub use api::api;
pub use failure::{Outcome, Stop};
pub use runner::{Args, run};
pub use test::{Registry, Suite};
pub use world::{Cx, Flags};
