//! Command buffers.

use crate::OpenCl;
use crate::context::Context;
use ur_adapter::{CommandBufferExpFns, Handle};

/// What a command buffer handle names.
#[derive(Debug)]
pub struct CommandBuffer {
    context: Handle<Context>,
}

impl CommandBuffer {
    /// Its context.
    pub fn context(&self) -> &Handle<Context> {
        &self.context
    }
}

/// What the handle of a command in a command buffer names.
#[derive(Debug)]
pub struct BufferCommand {
    buffer: Handle<CommandBuffer>,
}

impl BufferCommand {
    /// The command buffer that it is in.
    pub fn buffer(&self) -> &Handle<CommandBuffer> {
        &self.buffer
    }
}

impl CommandBufferExpFns for OpenCl {}
