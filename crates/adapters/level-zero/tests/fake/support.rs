//! Calls through the adapter's table, as a loader makes them, and owners of the objects that tests need.
//! Whatever can fail gives the API's error, so that a test can go on after one.

use std::ffi::c_void;
use std::ptr::{null, null_mut};
use ur_api::*;

/// What a call gives.
pub type Result<T = ()> = std::result::Result<T, ur_result_t>;

/// Flags of an out-of-order queue.
pub const FREE: u32 = UR_QUEUE_FLAG_OUT_OF_ORDER_EXEC_MODE_ENABLE.0;
/// Flags of a queue whose commands are kept back.
pub const BATCHED: u32 = UR_QUEUE_FLAG_SUBMISSION_BATCHED.0;

/// The result of a call.
pub fn check(code: ur_result_t) -> Result {
    match code {
        UR_RESULT_SUCCESS => Ok(()),
        code => Err(code),
    }
}

/// Calls an entry of the adapter's table: `ur!(Context.pfnCreate(…))` gives a result.
#[macro_export]
macro_rules! ur {
    ($table:ident.$entry:ident($($arg:expr),* $(,)?)) => {{
        #[allow(clippy::macro_metavars_in_unsafe, reason = "as short as a call in C")]
        // SAFETY: the tests pass what the API asks for.
        $crate::support::check(unsafe {
            (ur_adapter_level_zero::TABLE.$table.$entry.expect("an entry"))($($arg),*)
        })
    }};
}

/// The first device of the first platform.
pub fn device() -> ur_device_handle_t {
    let (mut adapter, mut platform, mut device) = (null_mut(), null_mut(), null_mut());
    ur!(Adapter.pfnGet(1, &mut adapter, null_mut())).expect("the adapter");
    ur!(Platform.pfnGet(adapter, 1, &mut platform, null_mut())).expect("a platform");
    ur!(Device.pfnGet(platform, UR_DEVICE_TYPE_ALL, 1, &mut device, null_mut())).expect("a device");
    device
}

macro_rules! owners {
    ($($(#[$doc:meta])* $name:ident: $raw:ty;)*) => {$(
        $(#[$doc])*
        #[derive(Debug)]
        pub struct $name(pub $raw);

        // SAFETY: handles may be used by every thread.
        unsafe impl Send for $name {}
        // SAFETY: as above.
        unsafe impl Sync for $name {}

        impl Drop for $name {
            fn drop(&mut self) {
                ur!($name.pfnRelease(self.0)).expect("a release");
            }
        }
    )*};
}

owners! {
    /// A context.
    Context: ur_context_handle_t;
    /// A queue.
    Queue: ur_queue_handle_t;
    /// An event.
    Event: ur_event_handle_t;
    /// A buffer.
    Mem: ur_mem_handle_t;
}

impl Context {
    /// A context of the first device.
    pub fn new() -> Result<Self> {
        let mut raw = null_mut();
        ur!(Context.pfnCreate(1, &device(), null(), &mut raw))?;
        Ok(Self(raw))
    }

    /// A queue with flags on the first device.
    pub fn queue(&self, flags: u32) -> Result<Queue> {
        let properties = ur_queue_properties_t {
            stype: UR_STRUCTURE_TYPE_QUEUE_PROPERTIES,
            flags,
            ..Default::default()
        };
        let mut raw = null_mut();
        ur!(Queue.pfnCreate(self.0, device(), &properties, &mut raw))?;
        Ok(Queue(raw))
    }
}

/// A list as the API takes it.
fn list(events: &[&Event]) -> Vec<ur_event_handle_t> {
    events.iter().map(|event| event.0).collect()
}

/// The list's address, null if it is empty.
fn start<T>(list: &[T]) -> *const T {
    match list {
        [] => null(),
        list => list.as_ptr(),
    }
}

impl Queue {
    /// Waits for all.
    pub fn finish(&self) -> Result {
        ur!(Queue.pfnFinish(self.0))
    }

    /// Hands all over.
    pub fn flush(&self) -> Result {
        ur!(Queue.pfnFlush(self.0))
    }

    /// Whether all has ended.
    pub fn is_empty(&self) -> Result<bool> {
        let mut empty: ur_bool_t = Default::default();
        let (place, size) = ((&raw mut empty).cast(), size_of::<ur_bool_t>());
        ur!(Queue.pfnGetInfo(self.0, UR_QUEUE_INFO_EMPTY, size, place, null_mut()))?;
        Ok(empty != ur_bool_t::default())
    }

    /// A marker's event.
    pub fn marker(&self, waits: &[&Event]) -> Result<Event> {
        let (waits, mut raw) = (list(waits), null_mut());
        let count = waits.len() as u32;
        ur!(Enqueue.pfnEventsWait(self.0, count, start(&waits), &mut raw))?;
        Ok(Event(raw))
    }

    /// A marker without an event.
    pub fn mark(&self) -> Result {
        ur!(Enqueue.pfnEventsWait(self.0, 0, null(), null_mut()))
    }

    /// A barrier's event.
    pub fn barrier(&self, waits: &[&Event]) -> Result<Event> {
        let (waits, mut raw) = (list(waits), null_mut());
        let count = waits.len() as u32;
        ur!(Enqueue.pfnEventsWaitWithBarrier(self.0, count, start(&waits), &mut raw))?;
        Ok(Event(raw))
    }

    /// A host task's event.
    pub fn task(
        &self,
        function: unsafe extern "C" fn(*mut c_void),
        data: *mut c_void,
        waits: &[&Event],
    ) -> Result<Event> {
        let (waits, mut raw) = (list(waits), null_mut());
        let count = waits.len() as u32;
        ur!(EnqueueExp.pfnHostTaskExp(
            self.0,
            Some(function),
            data,
            null(),
            count,
            start(&waits),
            &mut raw,
        ))?;
        Ok(Event(raw))
    }
}

impl Event {
    /// Its status.
    pub fn status(&self) -> Result<ur_event_status_t> {
        let mut status = UR_EVENT_STATUS_ERROR;
        let (place, size) = ((&raw mut status).cast(), size_of::<ur_event_status_t>());
        let name = UR_EVENT_INFO_COMMAND_EXECUTION_STATUS;
        ur!(Event.pfnGetInfo(self.0, name, size, place, null_mut()))?;
        Ok(status)
    }

    /// Whether it is complete.
    pub fn is_complete(&self) -> bool {
        self.status() == Ok(UR_EVENT_STATUS_COMPLETE)
    }

    /// Waits for it.
    pub fn wait(&self) -> Result {
        ur!(Event.pfnWait(1, &self.0))
    }

    /// A time of its command.
    pub fn time(&self, name: ur_profiling_info_t) -> Result<u64> {
        let mut time = 0u64;
        let (place, size) = ((&raw mut time).cast(), size_of::<u64>());
        ur!(Event.pfnGetProfilingInfo(self.0, name, size, place, null_mut()))?;
        Ok(time)
    }
}
