//! Images that kernels reach by numbers.

use crate::LevelZero;
use crate::device::{Able, Device};
use ur_adapter::BindlessImagesExpFns;
use ur_api::*;

impl BindlessImagesExpFns for LevelZero {}

/// What bindless images on devices can do; none for other questions.
pub fn able(_: &Device, _: ur_device_info_t) -> Option<Able> {
    None
}
