//! Command buffers.

use super::counted::counted;
use super::queue::Context;
use crate::failure::Stop;
use crate::ur;
use ur_api::*;

counted! {
    /// A command buffer.
    CommandBuffer(ur_exp_command_buffer_handle_t):
    urCommandBufferRetainExp, urCommandBufferReleaseExp,
    urCommandBufferGetInfoExp(ur_exp_command_buffer_info_t),
    UR_EXP_COMMAND_BUFFER_INFO_REFERENCE_COUNT
}

impl CommandBuffer {
    /// An empty command buffer.
    ///
    /// # Errors
    /// When it cannot be made.
    #[track_caller]
    pub fn new(
        context: &Context,
        device: ur_device_handle_t,
        desc: &ur_exp_command_buffer_desc_t,
    ) -> Result<CommandBuffer, Stop> {
        CommandBuffer::made("urCommandBufferCreateExp", |out| {
            let desc = &raw const *desc;
            ur!(urCommandBufferCreateExp(context.get(), device, desc, out))
        })
    }
}
