//! Commands.

pub mod wait;

use crate::LevelZero;
use crate::device::{Able, Device};
use crate::event::Event;
use crate::queue::Queue;
use ur_adapter::{EnqueueExpFns, EnqueueFns, Error, Object, Result, Slot};
use ur_api::*;

impl EnqueueFns for LevelZero {
    fn enqueue_events_wait(
        queue: &Object<Queue>,
        waits: &[&Object<Event>],
        event: &mut Slot<Event>,
    ) -> Result {
        wait::enqueue(queue, UR_COMMAND_EVENTS_WAIT, waits, event)
    }

    fn enqueue_events_wait_with_barrier(
        queue: &Object<Queue>,
        waits: &[&Object<Event>],
        event: &mut Slot<Event>,
    ) -> Result {
        wait::enqueue(queue, UR_COMMAND_EVENTS_WAIT_WITH_BARRIER, waits, event)
    }

    fn enqueue_events_wait_with_barrier_ext(
        queue: &Object<Queue>,
        properties: Option<&ur_exp_enqueue_ext_properties_t>,
        waits: &[&Object<Event>],
        event: &mut Slot<Event>,
    ) -> Result {
        // The only property is a hint about how events are waited for.
        let known = UR_EXP_ENQUEUE_EXT_FLAG_LOW_POWER_EVENTS_SUPPORT.0;
        if properties.is_some_and(|properties| properties.flags & !known != 0) {
            return Err(Error::code(UR_RESULT_ERROR_INVALID_ENUMERATION));
        }
        wait::enqueue(queue, UR_COMMAND_EVENTS_WAIT_WITH_BARRIER, waits, event)
    }
}

impl EnqueueExpFns for LevelZero {}

/// What commands on devices can do; none for other questions.
pub fn able(_: &Device, _: ur_device_info_t) -> Option<Able> {
    None
}
