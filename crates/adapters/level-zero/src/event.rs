//! Events.

use crate::LevelZero;
use crate::device::{Able, Device};
use ur_adapter::{EventExpFns, EventFns};
use ur_api::*;

/// What an event handle names.
#[derive(Debug)]
pub struct Event(());

impl EventExpFns for LevelZero {}
impl EventFns for LevelZero {}

/// What events of devices can do; none for other questions.
pub fn able(_: &Device, _: ur_device_info_t) -> Option<Able> {
    None
}
