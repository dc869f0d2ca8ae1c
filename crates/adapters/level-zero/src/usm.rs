//! Memory with the same address everywhere.

use crate::LevelZero;
use crate::context::Context;
use crate::device::{Able, Device};
use ur_adapter::{MemoryExportExpFns, UsmExpFns, UsmFns, UsmP2PExpFns};
use ur_api::*;

/// What a pool handle names.
#[derive(Debug)]
pub struct UsmPool(());

impl MemoryExportExpFns for LevelZero {}
impl UsmExpFns for LevelZero {}
impl UsmFns for LevelZero {}
impl UsmP2PExpFns for LevelZero {}

/// What memory of devices can do; none for other questions.
pub fn able(_: &Device, _: ur_device_info_t) -> Option<Able> {
    None
}

/// Whether commands can copy and fill rows of memory.
pub fn has_2d(_: &Context) -> bool {
    false
}
