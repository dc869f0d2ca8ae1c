//! Command buffers.

use crate::LevelZero;
use crate::device::{Able, Device};
use ur_adapter::CommandBufferExpFns;
use ur_api::*;

/// What a command buffer handle names.
#[derive(Debug)]
pub struct CommandBuffer(());

/// What a command of a command buffer handle names.
#[derive(Debug)]
pub struct BufferCommand(());

impl CommandBufferExpFns for LevelZero {}

/// What command buffers on devices can do; none for other questions.
pub fn able(_: &Device, _: ur_device_info_t) -> Option<Able> {
    None
}
