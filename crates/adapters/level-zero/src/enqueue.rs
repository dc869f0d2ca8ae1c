//! Commands.

pub mod host_task;
pub mod native;
pub mod timestamp;
pub mod wait;

use crate::LevelZero;
use crate::device::{Able, Device};
use crate::event::Event;
use crate::memory::Mem;
use crate::queue::Queue;
use std::ffi::c_void;
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

impl EnqueueExpFns for LevelZero {
    fn enqueue_timestamp_recording_exp(
        queue: &Object<Queue>,
        blocking: bool,
        waits: &[&Object<Event>],
        event: &mut Slot<Event>,
    ) -> Result {
        timestamp::enqueue(queue, blocking, waits, event)
    }

    unsafe fn enqueue_host_task_exp(
        queue: &Object<Queue>,
        host_task: ur_exp_host_task_function_t,
        data: *mut c_void,
        properties: Option<&ur_exp_host_task_properties_t>,
        waits: &[&Object<Event>],
        event: &mut Slot<Event>,
    ) -> Result {
        if properties.is_some_and(|p| p.flags & UR_EXP_HOST_TASK_FLAGS_MASK != 0) {
            return Err(Error::code(UR_RESULT_ERROR_INVALID_ENUMERATION));
        }
        let function = host_task.ok_or(UR_RESULT_ERROR_INVALID_NULL_POINTER)?;
        // SAFETY: the program gives the function for this.
        unsafe { host_task::enqueue(queue, function, data, waits, event) }
    }

    unsafe fn enqueue_native_command_exp(
        queue: &Object<Queue>,
        native_enqueue: ur_exp_enqueue_native_command_function_t,
        data: *mut c_void,
        _: &[&Object<Mem>],
        properties: Option<&ur_exp_enqueue_native_command_properties_t>,
        waits: &[&Object<Event>],
        event: &mut Slot<Event>,
    ) -> Result {
        if properties.is_some_and(|p| p.flags & UR_EXP_ENQUEUE_NATIVE_COMMAND_FLAGS_MASK != 0) {
            return Err(Error::code(UR_RESULT_ERROR_INVALID_ENUMERATION));
        }
        let function = native_enqueue.ok_or(UR_RESULT_ERROR_INVALID_NULL_POINTER)?;
        // SAFETY: the program gives the function for this.
        unsafe { native::enqueue(queue, function, data, waits, event) }
    }
}

/// What commands on devices can do; none for other questions.
pub fn able(_: &Device, name: ur_device_info_t) -> Option<Able> {
    match name {
        UR_DEVICE_INFO_TIMESTAMP_RECORDING_SUPPORT_EXP
        | UR_DEVICE_INFO_ENQUEUE_HOST_TASK_SUPPORT_EXP
        | UR_DEVICE_INFO_ENQUEUE_NATIVE_COMMAND_SUPPORT_EXP => Some(Able::Bool(true)),
        _ => None,
    }
}
