//! Images.

use crate::device::{Able, Device};
use ur_api::*;

/// What images on devices can do; none for other questions.
pub fn able(_: &Device, _: ur_device_info_t) -> Option<Able> {
    None
}
