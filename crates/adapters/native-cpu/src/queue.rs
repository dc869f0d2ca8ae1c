//! Queues.

pub mod live;

use crate::context::Context;
use crate::device::Device;
use crate::graph::{self, Capturing};
use crate::order::Order;
use crate::{NativeCpu, pool};
use std::sync::Arc;
use ur_adapter::{Error, Handle, Info, Object, QueueFns, Result};
use ur_api::*;

/// What a queue handle names. Commands outlive it: a released queue's commands still run.
pub struct Queue {
    context: Handle<Context>,
    device: Handle<Device>,
    flags: ur_queue_flags_t,
    order: Arc<Order>,
    capturing: Capturing,
}

impl Queue {
    /// Its context.
    pub fn context(&self) -> &Handle<Context> {
        &self.context
    }

    /// Its device.
    pub fn device(&self) -> &Handle<Device> {
        &self.device
    }

    /// The order of its commands.
    pub fn order(&self) -> &Order {
        &self.order
    }

    /// Whether it captures, and how.
    pub fn capturing(&self) -> &Capturing {
        &self.capturing
    }

    /// Whether each command waits for the one before.
    pub fn is_in_order(&self) -> bool {
        self.flags & UR_QUEUE_FLAG_OUT_OF_ORDER_EXEC_MODE_ENABLE.0 == 0
    }

    /// Whether its commands record times.
    pub fn is_profiled(&self) -> bool {
        self.flags & UR_QUEUE_FLAG_PROFILING_ENABLE.0 != 0
    }
}

impl Drop for Queue {
    fn drop(&mut self) {
        live::remove(&self.device, &self.order);
    }
}

/// Every flag there is; most are hints that mean nothing here.
const FLAGS: u32 = UR_QUEUE_FLAG_OUT_OF_ORDER_EXEC_MODE_ENABLE.0
    | UR_QUEUE_FLAG_PROFILING_ENABLE.0
    | UR_QUEUE_FLAG_ON_DEVICE.0
    | UR_QUEUE_FLAG_ON_DEVICE_DEFAULT.0
    | UR_QUEUE_FLAG_DISCARD_EVENTS.0
    | UR_QUEUE_FLAG_PRIORITY_LOW.0
    | UR_QUEUE_FLAG_PRIORITY_HIGH.0
    | UR_QUEUE_FLAG_SUBMISSION_BATCHED.0
    | UR_QUEUE_FLAG_SUBMISSION_IMMEDIATE.0
    | UR_QUEUE_FLAG_USE_DEFAULT_STREAM.0
    | UR_QUEUE_FLAG_SYNC_WITH_DEFAULT_STREAM.0
    | UR_QUEUE_FLAG_LOW_POWER_EVENTS_SUPPORT_EXP.0;

fn check_flags(flags: u32) -> Result {
    let all = |wanted: u32| flags & wanted == wanted;
    if flags & !FLAGS != 0 {
        return Err(Error::code(UR_RESULT_ERROR_INVALID_ENUMERATION));
    }
    if all(UR_QUEUE_FLAG_PRIORITY_LOW.0 | UR_QUEUE_FLAG_PRIORITY_HIGH.0)
        || all(UR_QUEUE_FLAG_SUBMISSION_BATCHED.0 | UR_QUEUE_FLAG_SUBMISSION_IMMEDIATE.0)
    {
        return Err(Error::code(UR_RESULT_ERROR_INVALID_QUEUE_PROPERTIES));
    }
    if flags & (UR_QUEUE_FLAG_ON_DEVICE.0 | UR_QUEUE_FLAG_ON_DEVICE_DEFAULT.0) != 0 {
        return Err(Error::new(
            UR_RESULT_ERROR_INVALID_QUEUE_PROPERTIES,
            "kernels cannot enqueue kernels on this device",
        ));
    }
    Ok(())
}

impl QueueFns for NativeCpu {
    fn queue_create(
        context: &Object<Context>,
        device: &Object<Device>,
        properties: Option<&ur_queue_properties_t>,
    ) -> Result<Handle<Queue>> {
        let flags = properties.map_or(0, |properties| properties.flags);
        check_flags(flags)?;
        if !context.has(device) {
            return Err(Error::new(
                UR_RESULT_ERROR_INVALID_DEVICE,
                "the device does not belong to the context",
            ));
        }
        let in_order = flags & UR_QUEUE_FLAG_OUT_OF_ORDER_EXEC_MODE_ENABLE.0 == 0;
        let order = Arc::new(Order::new(in_order));
        live::add(device, &order);
        Handle::new(Queue {
            context: context.handle(),
            device: device.handle(),
            flags,
            order,
            capturing: Capturing::default(),
        })
    }

    fn queue_get_info(
        queue: &Object<Queue>,
        prop_name: ur_queue_info_t,
        info: &mut Info<'_>,
    ) -> Result {
        match prop_name {
            UR_QUEUE_INFO_CONTEXT => info.handle(&*queue.context),
            UR_QUEUE_INFO_DEVICE => info.handle(&*queue.device),
            UR_QUEUE_INFO_FLAGS => info.value(queue.flags),
            UR_QUEUE_INFO_EMPTY => info.bool(queue.order.is_empty()),
            // Only queues on the device have a size or a default.
            _ => Err(Error::unsupported_query()),
        }
    }

    fn queue_finish(queue: &Object<Queue>) -> Result {
        graph::refuse(queue, &[])?;
        let Some(tail) = queue.order.tail() else {
            return Ok(());
        };
        pool::get().wait(&tail);
        tail.outcome().map_err(Error::code)
    }

    fn queue_flush(_: &Object<Queue>) -> Result {
        // Every command is handed to the workers as soon as it may run.
        Ok(())
    }
}
