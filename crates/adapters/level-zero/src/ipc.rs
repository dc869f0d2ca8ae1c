//! Objects of other processes.

use crate::LevelZero;
use crate::device::{Able, Device};
use ur_adapter::IpcExpFns;
use ur_api::*;

impl IpcExpFns for LevelZero {}

/// What other processes on devices can do; none for other questions.
pub fn able(_: &Device, _: ur_device_info_t) -> Option<Able> {
    None
}
