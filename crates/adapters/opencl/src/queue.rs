//! Queues.

mod live;
mod wait;

use crate::OpenCl;
use crate::cl::{self, Extensions, Functions, Owned, Version, check, query};
use crate::context::Context;
use crate::context::pending::Unfinished;
use crate::device::Device;
use crate::event::native_status;
use live::Last;
pub use live::Live;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use ur_adapter::{Error, Handle, Info, Object, QueueFns, Result};
use ur_api::*;
pub use wait::Markers;

/// What a queue handle names.
#[derive(Debug)]
pub struct Queue {
    /// First, so that it goes before what it is of.
    native: Owned<cl::cl_command_queue>,
    context: Handle<Context>,
    device: Handle<Device>,
    flags: ur_queue_flags_t,
    /// Its number among the queues of its platform.
    number: u64,
    /// Whether something was enqueued since the last look at whether it is empty.
    used: AtomicBool,
    /// Whether something was enqueued since the last wait for all.
    unfinished: Unfinished,
    /// A command behind all that was enqueued at the last look; none if that had ended.
    tail: Mutex<Option<Owned<cl::cl_event>>>,
}

impl Queue {
    fn new(
        context: &Object<Context>,
        device: Handle<Device>,
        flags: ur_queue_flags_t,
        native: Owned<cl::cl_command_queue>,
        used: bool,
    ) -> Result<Handle<Self>> {
        let queues = context.platform().queues();
        Handle::new(Self {
            number: queues.enter(&native, context, &device)?,
            native,
            context: context.handle(),
            device,
            flags,
            used: AtomicBool::new(used),
            unfinished: Unfinished::new(context.pending()),
            tail: Mutex::default(),
        })
    }

    /// Its context.
    pub fn context(&self) -> &Handle<Context> {
        &self.context
    }

    /// Its device.
    pub fn device(&self) -> &Handle<Device> {
        &self.device
    }

    /// OpenCL's own handle.
    pub fn native(&self) -> cl::cl_command_queue {
        self.native.get()
    }

    /// The library's functions.
    pub fn api(&self) -> &'static Functions {
        self.native.api()
    }

    /// The functions of its platform's extensions.
    pub fn extensions(&self) -> &'static Extensions {
        self.context.extensions()
    }

    /// Whether each command waits for the one before.
    pub fn is_in_order(&self) -> bool {
        self.flags & UR_QUEUE_FLAG_OUT_OF_ORDER_EXEC_MODE_ENABLE.0 == 0
    }

    /// Whether its commands record times.
    pub fn is_profiled(&self) -> bool {
        self.flags & UR_QUEUE_FLAG_PROFILING_ENABLE.0 != 0
    }

    /// Notes that a command was enqueued.
    pub fn note_use(&self) {
        self.used.store(true, Ordering::Relaxed);
    }

    /// Notes that something may have been enqueued, even if that failed in the end.
    #[inline]
    pub fn note_attempt(&self) {
        self.unfinished.note();
    }

    /// Hands its commands to the device.
    ///
    /// # Errors
    /// What the driver says.
    pub fn flush(&self) -> Result {
        // SAFETY: a live queue.
        check(unsafe { (self.api().clFlush)(self.native()) })
    }

    /// A command behind all that was enqueued, which the device has got.
    fn mark(&self) -> Result<Owned<cl::cl_event>> {
        live::mark(self.api(), self.native())
    }

    /// Whether all that was enqueued has ended. OpenCL does not tell, but a marker waits for all
    /// commands before it.
    fn is_empty(&self) -> Result<bool> {
        let mut tail = self.tail.lock().unwrap_or_else(PoisonError::into_inner);
        if self.used.swap(false, Ordering::Relaxed) {
            match self.mark() {
                Ok(marker) => *tail = Some(marker),
                Err(error) => {
                    self.note_use();
                    return Err(error);
                }
            }
        }
        let Some(marker) = &*tail else {
            return Ok(true);
        };
        let ended = native_status(marker)? <= cl::CL_COMPLETE;
        if ended {
            *tail = None;
        }
        Ok(ended)
    }
}

impl Drop for Queue {
    fn drop(&mut self) {
        // Unless it is known that nothing is left to end, someone may have to wait for it.
        let tail = self.tail.get_mut();
        let tail = tail.unwrap_or_else(PoisonError::into_inner).take();
        let last = match *self.used.get_mut() {
            true => self.mark().map_or(Last::Unknown, Last::Marker),
            false => tail.map_or(Last::Nothing, Last::Marker),
        };
        let queues = self.context.platform().queues();
        queues.leave(self.number, last, self.unfinished.take());
    }
}

/// The flags that are OpenCL's, too, with the same numbers.
const COMMON: u32 = UR_QUEUE_FLAG_OUT_OF_ORDER_EXEC_MODE_ENABLE.0
    | UR_QUEUE_FLAG_PROFILING_ENABLE.0
    | UR_QUEUE_FLAG_ON_DEVICE.0
    | UR_QUEUE_FLAG_ON_DEVICE_DEFAULT.0;

/// Every flag there is; those that OpenCL does not have are hints.
const FLAGS: u32 = COMMON
    | UR_QUEUE_FLAG_DISCARD_EVENTS.0
    | UR_QUEUE_FLAG_PRIORITY_LOW.0
    | UR_QUEUE_FLAG_PRIORITY_HIGH.0
    | UR_QUEUE_FLAG_SUBMISSION_BATCHED.0
    | UR_QUEUE_FLAG_SUBMISSION_IMMEDIATE.0
    | UR_QUEUE_FLAG_USE_DEFAULT_STREAM.0
    | UR_QUEUE_FLAG_SYNC_WITH_DEFAULT_STREAM.0
    | UR_QUEUE_FLAG_LOW_POWER_EVENTS_SUPPORT_EXP.0;

/// The flags that this device can have on a queue, for queries.
pub fn supported(device: &Device) -> u32 {
    let native: cl::cl_bitfield = device.value(cl::CL_DEVICE_QUEUE_PROPERTIES).unwrap_or(0);
    let of_host = UR_QUEUE_FLAG_OUT_OF_ORDER_EXEC_MODE_ENABLE.0 | UR_QUEUE_FLAG_PROFILING_ENABLE.0;
    let mut flags = native as u32 & of_host;
    if has_priorities(device) {
        flags |= UR_QUEUE_FLAG_PRIORITY_LOW.0 | UR_QUEUE_FLAG_PRIORITY_HIGH.0;
    }
    flags
}

fn has_priorities(device: &Device) -> bool {
    device.version() >= Version(2, 0) && device.has("cl_khr_priority_hints")
}

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
            "no kernel that comes through this API can enqueue to a queue of the device",
        ));
    }
    Ok(())
}

impl QueueFns for OpenCl {
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
        let api = context.api();
        let (of, on) = (context.native(), device.native());
        let common = cl::cl_bitfield::from(flags & COMMON);
        let priority = match flags {
            _ if !has_priorities(device) => None,
            _ if flags & UR_QUEUE_FLAG_PRIORITY_LOW.0 != 0 => Some(cl::CL_QUEUE_PRIORITY_LOW_KHR),
            _ if flags & UR_QUEUE_FLAG_PRIORITY_HIGH.0 != 0 => Some(cl::CL_QUEUE_PRIORITY_HIGH_KHR),
            _ => None,
        };
        let mut code = 0;
        let native = match (priority, api.clCreateCommandQueueWithProperties) {
            (Some(priority), Some(create)) => {
                let list = [
                    cl::CL_QUEUE_PROPERTIES.into(),
                    common,
                    cl::CL_QUEUE_PRIORITY_KHR,
                    priority,
                    0,
                ];
                // SAFETY: live objects and a list that ends with 0; the code's place is ours.
                unsafe { create(of, on, list.as_ptr(), &raw mut code) }
            }
            // SAFETY: live objects; the code's place is ours.
            _ => unsafe { (api.clCreateCommandQueue)(of, on, common, &raw mut code) },
        };
        check(code)?;
        // SAFETY: made for this call.
        let native = unsafe { Owned::new(api, native) };
        Queue::new(context, device.handle(), flags, native, false)
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
            UR_QUEUE_INFO_EMPTY => info.bool(queue.is_empty()?),
            // Only queues on the device have a size or a default.
            _ => Err(Error::unsupported_query()),
        }
    }

    fn queue_get_native_handle(
        queue: &Object<Queue>,
        _: Option<&ur_queue_native_desc_t>,
    ) -> Result<ur_native_handle_t> {
        queue.context.pending().note_others();
        Ok(queue.native().to_native())
    }

    fn queue_create_with_native_handle(
        native_queue: ur_native_handle_t,
        context: &Object<Context>,
        device: Option<&Object<Device>>,
        properties: Option<&ur_queue_native_properties_t>,
    ) -> Result<Handle<Queue>> {
        let api = context.api();
        let native = cl::cl_command_queue::from_native(native_queue);
        if native.is_null() {
            return Err(Error::code(UR_RESULT_ERROR_INVALID_QUEUE));
        }
        let get = api.clGetCommandQueueInfo;
        let of: cl::cl_context = query::value(|size, value, told| {
            // SAFETY: the program passes a live queue; the places are as `query` says.
            unsafe { get(native, cl::CL_QUEUE_CONTEXT, size, value, told) }
        })?;
        if of != context.native() {
            return Err(Error::code(UR_RESULT_ERROR_INVALID_CONTEXT));
        }
        let on: cl::cl_device_id = query::value(|size, value, told| {
            // SAFETY: as above.
            unsafe { get(native, cl::CL_QUEUE_DEVICE, size, value, told) }
        })?;
        let device = match device {
            Some(device) if device.native() != on => {
                return Err(Error::code(UR_RESULT_ERROR_INVALID_DEVICE));
            }
            Some(device) => device.handle(),
            // SAFETY: the queue keeps its device.
            None => unsafe { context.device_of(on) }?,
        };
        let flags: cl::cl_bitfield = query::value(|size, value, told| {
            // SAFETY: as above.
            unsafe { get(native, cl::CL_QUEUE_PROPERTIES, size, value, told) }
        })?;
        let owned = properties.is_some_and(|properties| properties.isNativeHandleOwned);
        // SAFETY: a live queue; the program says whether its reference is ours.
        let native = unsafe { Owned::of_native(api, native, owned) }?;
        // Who made it may have enqueued already.
        Queue::new(context, device, flags as u32 & COMMON, native, true)
    }

    fn queue_finish(queue: &Object<Queue>) -> Result {
        // What is enqueued meanwhile is noted again.
        let used = queue.used.swap(false, Ordering::Relaxed);
        let finished = queue.unfinished.end(|| {
            // SAFETY: a live queue.
            check(unsafe { (queue.api().clFinish)(queue.native()) })
        });
        if used && finished.is_err() {
            queue.note_use();
        }
        finished
    }

    fn queue_flush(queue: &Object<Queue>) -> Result {
        queue.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_that_contradict_are_refused() {
        assert!(check_flags(0).is_ok());
        assert!(check_flags(COMMON & 3 | UR_QUEUE_FLAG_PRIORITY_LOW.0).is_ok());
        assert!(check_flags(FLAGS).is_err());
        assert!(check_flags(UR_QUEUE_FLAG_ON_DEVICE.0).is_err());
        assert!(check_flags(1 << 20).is_err());
    }
}
