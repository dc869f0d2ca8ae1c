//! Unified shared memory.

pub mod pool;

use crate::OpenCl;
use crate::context::Context;
use crate::device::Device;
use ur_adapter::{UsmExpFns, UsmFns};
use ur_api::*;

/// What a device can do with a kind of USM, as the API's flags.
pub fn capabilities(_: &Device, _: ur_device_info_t) -> u32 {
    0
}

/// Whether a context has copies and fills of rows.
pub fn has_2d(_: &Context) -> bool {
    false
}

impl UsmFns for OpenCl {}
impl UsmExpFns for OpenCl {}
