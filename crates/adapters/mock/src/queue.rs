//! Queues. Every command is done when its enqueue returns.

use crate::Mock;
use crate::context::Context;
use crate::device::Device;
use ur_adapter::{Error, Handle, Info, Object, QueueFns, Result};
use ur_api::*;

/// A queue of a device.
#[derive(Debug)]
pub struct Queue {
    /// Its context.
    pub context: Handle<Context>,
    /// Its device.
    pub device: Handle<Device>,
    /// `ur_queue_flags_t`.
    pub flags: ur_queue_flags_t,
}

impl QueueFns for Mock {
    fn queue_create(
        context: &Object<Context>,
        device: &Object<Device>,
        properties: Option<&ur_queue_properties_t>,
    ) -> Result<Handle<Queue>> {
        if !context.devices().iter().any(|d| d.is(device)) {
            return Err(UR_RESULT_ERROR_INVALID_DEVICE.into());
        }
        Handle::new(Queue {
            context: context.handle(),
            device: device.handle(),
            flags: properties.map_or(0, |p| p.flags),
        })
    }

    fn queue_get_info(queue: &Object<Queue>, prop: ur_queue_info_t, info: &mut Info<'_>) -> Result {
        match prop {
            UR_QUEUE_INFO_CONTEXT => info.handle(&queue.context),
            UR_QUEUE_INFO_DEVICE => info.handle(&queue.device),
            UR_QUEUE_INFO_FLAGS => info.value(queue.flags),
            UR_QUEUE_INFO_EMPTY => info.bool(true),
            _ => Err(Error::unsupported_query()),
        }
    }

    fn queue_finish(_queue: &Object<Queue>) -> Result {
        Ok(())
    }

    fn queue_flush(_queue: &Object<Queue>) -> Result {
        Ok(())
    }
}
