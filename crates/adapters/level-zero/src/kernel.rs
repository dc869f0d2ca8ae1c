//! Kernels.

use crate::LevelZero;
use crate::device::{Able, Device};
use ur_adapter::KernelFns;
use ur_api::*;

/// What a kernel handle names.
#[derive(Debug)]
pub struct Kernel(());

impl KernelFns for LevelZero {}

/// What kernels on devices can do; none for other questions.
pub fn able(_: &Device, _: ur_device_info_t) -> Option<Able> {
    None
}
