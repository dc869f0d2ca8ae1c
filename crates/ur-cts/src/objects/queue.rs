//! Devices, contexts and queues.

use super::counted::counted;
use crate::failure::Stop;
use crate::ok;
use crate::ur;
use crate::world::Flags;
use std::ptr::null;
use ur_api::*;

counted! {
    /// A device to which a reference is held, such as a part of another.
    Device(ur_device_handle_t): urDeviceRetain, urDeviceRelease,
    urDeviceGetInfo(ur_device_info_t), UR_DEVICE_INFO_REFERENCE_COUNT
}

counted! {
    /// A context.
    Context(ur_context_handle_t): urContextRetain, urContextRelease,
    urContextGetInfo(ur_context_info_t), UR_CONTEXT_INFO_REFERENCE_COUNT
}

counted! {
    /// A queue.
    Queue(ur_queue_handle_t): urQueueRetain, urQueueRelease,
    urQueueGetInfo(ur_queue_info_t), UR_QUEUE_INFO_REFERENCE_COUNT
}

impl Context {
    /// A context with these devices and no properties.
    ///
    /// # Errors
    /// When it cannot be made.
    #[track_caller]
    pub fn new(devices: &[ur_device_handle_t]) -> Result<Context, Stop> {
        Context::made("urContextCreate", |out| {
            let count = devices.len() as u32;
            ur!(urContextCreate(count, devices.as_ptr(), null(), out))
        })
    }
}

impl Queue {
    /// A queue with these flags.
    ///
    /// # Errors
    /// When it cannot be made.
    #[track_caller]
    pub fn new(
        context: &Context,
        device: ur_device_handle_t,
        flags: impl Into<Flags>,
    ) -> Result<Queue, Stop> {
        let properties = ur_queue_properties_t {
            flags: flags.into().0,
            ..Default::default()
        };
        Queue::made("urQueueCreate", |out| {
            ur!(urQueueCreate(
                context.get(),
                device,
                &raw const properties,
                out
            ))
        })
    }

    /// Waits until every command has ended.
    ///
    /// # Errors
    /// When the call does not succeed.
    #[track_caller]
    pub fn finish(&self) -> Result<(), Stop> {
        ok!(urQueueFinish(self.get()))?;
        Ok(())
    }
}
