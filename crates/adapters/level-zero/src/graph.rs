//! Recorded graphs.

use crate::LevelZero;
use crate::device::{Able, Device};
use ur_adapter::GraphExpFns;
use ur_api::*;

impl GraphExpFns for LevelZero {}

/// What graphs on devices can do; none for other questions.
pub fn able(_: &Device, _: ur_device_info_t) -> Option<Able> {
    None
}
