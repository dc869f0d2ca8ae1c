//! Commands without a queue, which the call waits for.

use super::Context;
use crate::device::Device;
use crate::event::Engine;
use crate::ze::{self, Owned, check};
use std::sync::{Mutex, PoisonError};
use ur_adapter::{Error, Result};
use ur_api::*;

/// A list whose commands have ended when appending them returns.
#[derive(Debug)]
struct Line {
    device: ze::ze_device_handle_t,
    engine: Engine,
    list: Owned<ze::ze_command_list_handle_t>,
}

/// The lists of a context that nobody uses at the moment. Whoever needs one takes it out, so that nothing
/// is locked while the driver waits.
#[derive(Debug, Default)]
pub struct Service(Mutex<Vec<Line>>);

impl Service {
    fn idle(&self) -> std::sync::MutexGuard<'_, Vec<Line>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Context {
    /// Runs what `append` appends to a list for an engine of a device, and waits for its end.
    ///
    /// # Errors
    /// What `append` returns, and what the driver says of a new list.
    pub fn serve(
        &self,
        device: &Device,
        engine: Engine,
        append: impl FnOnce(ze::ze_command_list_handle_t) -> ze::ze_result_t,
    ) -> Result {
        let line = {
            let mut idle = self.service.idle();
            let fits = |line: &Line| line.device == device.native() && line.engine == engine;
            let found = idle.iter().position(fits);
            found.map(|position| idle.swap_remove(position))
        };
        let line = match line {
            Some(line) => line,
            None => self.new_line(device, engine)?,
        };
        check(append(line.list.get()))?;
        // One that failed is not used again.
        self.service.idle().push(line);
        Ok(())
    }

    fn new_line(&self, device: &Device, engine: Engine) -> Result<Line> {
        let facts = device.facts();
        let copy = facts.copy_group().filter(|_| engine == Engine::Copy);
        let ordinal = copy.or_else(|| facts.compute_group()).ok_or_else(|| {
            Error::new(UR_RESULT_ERROR_INVALID_DEVICE, "a device without engines")
        })?;
        let mut desc = ze::ze_command_queue_desc_t::new();
        desc.ordinal = ordinal;
        // The last engine, since queues begin with the first: who waits here does not wait for a kernel
        // that has nothing to do with it, as far as there is another engine.
        let engines = facts.groups.get(ordinal as usize);
        desc.index = engines.map_or(0, |group| group.numQueues.saturating_sub(1));
        desc.mode = ze::ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS;
        let (api, device) = (self.api(), device.native());
        let mut list = ze::ze_command_list_handle_t::NULL;
        // SAFETY: live objects, a description and a place of ours.
        check(unsafe {
            let create = api.zeCommandListCreateImmediate;
            create(self.native(), device, &raw const desc, &raw mut list)
        })?;
        // SAFETY: made for this call.
        let list = unsafe { Owned::new(api, list) };
        Ok(Line {
            device,
            engine,
            list,
        })
    }
}
