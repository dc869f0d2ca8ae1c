//! What is measured: devices that build kernels and launch them.

use crate::case::{Case, Job};

/// A kernel that is built, with its arguments.
pub trait Ready {
    /// Gives all buffers their first content.
    fn reset(&mut self) -> Result<(), String>;
    /// Launches once and waits.
    fn launch(&mut self) -> Result<(), String>;
    /// Contents of the buffers.
    fn contents(&mut self) -> Result<Vec<Vec<u8>>, String>;
}

/// An operation whose time is short, for the measurements of latency.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Enqueue an empty kernel of one work-item on the in-order queue.
    Empty,
    /// The same on the out-of-order queue.
    Fan,
    /// Enqueue a copy of 64 bytes between two places on the device.
    CopySmall,
    /// The same of 64 MiB.
    CopyLarge,
}

/// Objects for [`Step`]s.
pub trait Steps {
    /// Enqueues one.
    fn enqueue(&mut self, step: Step) -> Result<(), String>;
    /// Waits for all steps of a kind that were enqueued.
    fn finish(&mut self, step: Step) -> Result<(), String>;
}

/// A device with its driver.
pub trait Device {
    /// How it is called in reports.
    fn name(&self) -> &'static str;
    /// Its full name and version.
    fn describe(&self) -> String;
    /// Whether it takes SPIR-V.
    fn takes_il(&self) -> bool;
    /// Builds a kernel and sets its arguments.
    fn prepare<'d>(&'d self, case: &Case, job: &Job) -> Result<Box<dyn Ready + 'd>, String>;
    /// Builds a SPIR-V module with the kernels named, each made ready to launch.
    fn build(&self, il: &[u8], kernels: &[String]) -> Result<(), String>;
    /// Prepares the steps.
    fn steps<'d>(&'d self) -> Result<Box<dyn Steps + 'd>, String>;
}

/// Bytes of a small copy.
pub const SMALL: usize = 64;
/// Bytes of a large copy.
pub const LARGE: usize = 64 << 20;
