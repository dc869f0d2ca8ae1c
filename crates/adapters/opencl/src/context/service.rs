//! Queues of a context's own.

use super::Context;
use crate::cl::{self, Owned, check};
use crate::device::Device;
use std::sync::{Mutex, PoisonError};
use ur_adapter::{Handle, Result};

/// A queue for each device that needed one.
#[derive(Debug, Default)]
pub(super) struct Service(Mutex<Vec<(Handle<Device>, Owned<cl::cl_command_queue>)>>);

impl Service {
    /// The queue of a device, made by the first call. It lives as long as the context.
    pub(super) fn queue(
        &self,
        context: &Context,
        device: &Handle<Device>,
    ) -> Result<cl::cl_command_queue> {
        let mut queues = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, queue)) = queues.iter().find(|(of, _)| of.is(device)) {
            return Ok(queue.get());
        }
        let api = context.api();
        let (of, on) = (context.native(), device.native());
        let mut code = 0;
        // SAFETY: live objects; the code's place is ours.
        let queue = unsafe { (api.clCreateCommandQueue)(of, on, 0, &raw mut code) };
        check(code)?;
        // SAFETY: made for this call.
        let owned = unsafe { Owned::new(api, queue) };
        queues.push((device.clone(), owned));
        Ok(queue)
    }
}
