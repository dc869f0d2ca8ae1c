//! Virtual memory and what is mapped to it.

use crate::LevelZero;
use crate::device::{Able, Device};
use ur_adapter::{PhysicalMemFns, VirtualMemFns};
use ur_api::*;

/// What a physical memory handle names.
#[derive(Debug)]
pub struct PhysicalMem(());

impl PhysicalMemFns for LevelZero {}
impl VirtualMemFns for LevelZero {}

/// What virtual memory on devices can do; none for other questions.
pub fn able(_: &Device, _: ur_device_info_t) -> Option<Able> {
    None
}
