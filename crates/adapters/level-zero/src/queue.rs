//! Queues.

pub mod backlog;
pub mod core;
pub mod lists;
pub mod live;
pub mod native;

pub use self::core::{Core, How};

use crate::LevelZero;
use crate::context::Context;
use crate::device::{Able, Device};
use crate::ze;
use std::ops::Deref;
use std::sync::{self, Arc};
use ur_adapter::{DeviceExpFns, Error, Handle, Info, Object, QueueExpFns, QueueFns, Result, chain};
use ur_api::*;

/// What a queue handle names. Its commands and lists may outlive it.
#[derive(Debug)]
pub struct Queue(Arc<Core>);

impl Deref for Queue {
    type Target = Core;
    fn deref(&self) -> &Core {
        &self.0
    }
}

impl Queue {
    fn new(core: Core) -> Result<Handle<Self>> {
        let core = Arc::new(core);
        live::enter(&core);
        Handle::new(Self(core))
    }
}

impl Drop for Queue {
    fn drop(&mut self) {
        live::leave(&self.0);
    }
}

/// Every flag there is.
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

/// The flags that mean something to queues of the host.
const SUPPORTED: u32 = UR_QUEUE_FLAG_OUT_OF_ORDER_EXEC_MODE_ENABLE.0
    | UR_QUEUE_FLAG_PROFILING_ENABLE.0
    | UR_QUEUE_FLAG_PRIORITY_LOW.0
    | UR_QUEUE_FLAG_PRIORITY_HIGH.0
    | UR_QUEUE_FLAG_SUBMISSION_BATCHED.0
    | UR_QUEUE_FLAG_SUBMISSION_IMMEDIATE.0;

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
            "Level Zero has no queues on the device",
        ));
    }
    Ok(())
}

/// The compute engine that a program asks for.
fn asked_index(properties: Option<&ur_queue_properties_t>) -> Option<u32> {
    let next = properties?.pNext;
    // SAFETY: the program passes a chain of structures, each as its type says.
    let index = unsafe {
        chain::find::<ur_queue_index_properties_t>(next, UR_STRUCTURE_TYPE_QUEUE_INDEX_PROPERTIES)
    };
    index.map(|index| index.computeIndex)
}

impl QueueFns for LevelZero {
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
        let index = asked_index(properties);
        if index.is_some_and(|index| index >= device.facts().compute_engines()) {
            return Err(Error::new(
                UR_RESULT_ERROR_INVALID_QUEUE_PROPERTIES,
                "the device has fewer compute engines",
            ));
        }
        Queue::new(Core::new(context, device, flags, index)?)
    }

    fn queue_get_info(
        queue: &Object<Queue>,
        prop_name: ur_queue_info_t,
        info: &mut Info<'_>,
    ) -> Result {
        match prop_name {
            UR_QUEUE_INFO_CONTEXT => info.handle(&**queue.context()),
            UR_QUEUE_INFO_DEVICE => info.handle(&**queue.device()),
            UR_QUEUE_INFO_FLAGS => info.value(queue.flags()),
            UR_QUEUE_INFO_EMPTY => info.bool(queue.is_empty()?),
            // Only queues on the device have a size or a default.
            _ => Err(Error::unsupported_query()),
        }
    }

    fn queue_get_native_handle(
        queue: &Object<Queue>,
        desc: Option<&ur_queue_native_desc_t>,
    ) -> Result<ur_native_handle_t> {
        native::handle(queue, desc)
    }

    fn queue_create_with_native_handle(
        native_queue: ur_native_handle_t,
        context: &Object<Context>,
        device: Option<&Object<Device>>,
        properties: Option<&ur_queue_native_properties_t>,
    ) -> Result<Handle<Queue>> {
        Queue::new(native::of_handle(
            native_queue,
            context,
            device,
            properties,
        )?)
    }

    fn queue_finish(queue: &Object<Queue>) -> Result {
        queue.finish()
    }

    fn queue_flush(queue: &Object<Queue>) -> Result {
        queue.flush()
    }
}

impl DeviceExpFns for LevelZero {
    fn device_wait_exp(device: &Object<Device>) -> Result {
        live::finish(|core| core.device().is_part_of(device))
    }
}

impl QueueExpFns for LevelZero {}

/// What queues of devices can do; none for other questions.
pub fn able(_: &Device, name: ur_device_info_t) -> Option<Able> {
    match name {
        UR_DEVICE_INFO_QUEUE_PROPERTIES | UR_DEVICE_INFO_QUEUE_ON_HOST_PROPERTIES => {
            Some(Able::Flags(SUPPORTED))
        }
        UR_DEVICE_INFO_DEVICE_WAIT_SUPPORT_EXP => Some(Able::Bool(true)),
        _ => None,
    }
}

/// What Level Zero calls the priority that flags ask for.
fn priority(flags: u32) -> u32 {
    if flags & UR_QUEUE_FLAG_PRIORITY_LOW.0 != 0 {
        ze::ZE_COMMAND_QUEUE_PRIORITY_PRIORITY_LOW
    } else if flags & UR_QUEUE_FLAG_PRIORITY_HIGH.0 != 0 {
        ze::ZE_COMMAND_QUEUE_PRIORITY_PRIORITY_HIGH
    } else {
        ze::ZE_COMMAND_QUEUE_PRIORITY_NORMAL
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_that_contradict_are_refused() {
        assert!(check_flags(0).is_ok());
        assert!(check_flags(SUPPORTED & 3 | UR_QUEUE_FLAG_PRIORITY_LOW.0).is_ok());
        assert!(check_flags(FLAGS).is_err());
        assert!(check_flags(UR_QUEUE_FLAG_ON_DEVICE.0).is_err());
        assert!(check_flags(1 << 20).is_err());
    }
}
