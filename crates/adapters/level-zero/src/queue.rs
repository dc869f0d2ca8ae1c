//! Queues.

use crate::LevelZero;
use crate::device::{Able, Device};
use ur_adapter::{DeviceExpFns, QueueExpFns, QueueFns};
use ur_api::*;

/// What a queue handle names.
#[derive(Debug)]
pub struct Queue(());

impl DeviceExpFns for LevelZero {}
impl QueueExpFns for LevelZero {}
impl QueueFns for LevelZero {}

/// What queues of devices can do; none for other questions.
pub fn able(_: &Device, _: ur_device_info_t) -> Option<Able> {
    None
}
