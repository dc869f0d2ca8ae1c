//! Commands.

use crate::LevelZero;
use crate::device::{Able, Device};
use ur_adapter::{EnqueueExpFns, EnqueueFns};
use ur_api::*;

impl EnqueueExpFns for LevelZero {}
impl EnqueueFns for LevelZero {}

/// What commands on devices can do; none for other questions.
pub fn able(_: &Device, _: ur_device_info_t) -> Option<Able> {
    None
}
