//! What is measured: devices that build kernels and launch them.

use crate::case::{Case, Code, Job};

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
    /// Writes [`LARGE`] bytes of the host's memory to the device, and waits.
    fn write(&mut self) -> Result<(), String>;
    /// Reads as many bytes of the device into the host's memory, and waits.
    fn read(&mut self) -> Result<(), String>;
    /// Makes memory of [`PIECE`] bytes on the device, and gives it back.
    fn allocate(&mut self) -> Result<(), String>;
    /// Asks the device for its name and [`QUERIES`]` - 1` numbers.
    fn query(&mut self) -> Result<(), String>;
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
    /// Builds a program in the form that it takes; the options are for OpenCL C.
    fn make(&self, code: &Code, options: &str) -> Result<(), String>;
    /// Builds a SPIR-V module with the kernels named, each made ready to launch.
    fn build(&self, il: &[u8], kernels: &[String]) -> Result<(), String>;
    /// Prepares the steps.
    fn steps<'d>(&'d self) -> Result<Box<dyn Steps + 'd>, String>;
}

/// Bytes of a small copy.
pub const SMALL: usize = 64;
/// Bytes of a large copy.
pub const LARGE: usize = 64 << 20;
/// Bytes of memory that is made and given back.
pub const PIECE: usize = 1 << 20;
/// Questions of a query.
pub const QUERIES: u32 = 4;
