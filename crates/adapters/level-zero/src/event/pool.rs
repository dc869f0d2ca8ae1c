//! Pools of Level Zero's events, which a context keeps and uses again.

use crate::context::Context;
use crate::ze::{self, Functions, Owned, check};
use std::sync::{Mutex, MutexGuard, PoisonError};
use ur_adapter::Result;

/// Events of one pool of Level Zero's.
const ROOM: u32 = 128;

/// The events of a context that no command uses, by whether they record times.
#[derive(Debug, Default)]
pub struct Pools {
    plain: Mutex<Shelf>,
    timed: Mutex<Shelf>,
}

#[derive(Debug, Default)]
struct Shelf {
    /// Reset and unused.
    free: Vec<Owned<ze::ze_event_handle_t>>,
    /// Of commands that never were seen to end, so that nobody may use them again.
    lost: Vec<Owned<ze::ze_event_handle_t>>,
    /// After the events, so that they go after them.
    pools: Vec<Owned<ze::ze_event_pool_handle_t>>,
    /// How many events of the last pool have been made.
    made: u32,
}

impl Shelf {
    fn make(&mut self, context: &Context, timed: bool) -> Result<Owned<ze::ze_event_handle_t>> {
        let api = context.api();
        let last = match self.pools.last() {
            Some(pool) if self.made < ROOM => pool.get(),
            _ => {
                let pool = new_pool(api, context, timed)?;
                let native = pool.get();
                self.pools.push(pool);
                self.made = 0;
                native
            }
        };
        let mut desc = ze::ze_event_desc_t::new();
        desc.index = self.made;
        desc.signal = ze::ZE_EVENT_SCOPE_FLAG_HOST;
        desc.wait = ze::ZE_EVENT_SCOPE_FLAG_HOST;
        let mut event = ze::ze_event_handle_t::NULL;
        // SAFETY: a live pool, an index of it that has no event, and places of ours.
        check(unsafe { (api.zeEventCreate)(last, &raw const desc, &raw mut event) })?;
        self.made += 1;
        // SAFETY: made for this call.
        Ok(unsafe { Owned::new(api, event) })
    }
}

fn new_pool(
    api: &'static Functions,
    context: &Context,
    timed: bool,
) -> Result<Owned<ze::ze_event_pool_handle_t>> {
    let mut desc = ze::ze_event_pool_desc_t::new();
    desc.count = ROOM;
    desc.flags = ze::ZE_EVENT_POOL_FLAG_HOST_VISIBLE;
    if timed {
        desc.flags |= ze::ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP;
    }
    let mut pool = ze::ze_event_pool_handle_t::NULL;
    let create = api.zeEventPoolCreate;
    // SAFETY: a live context and places of ours; without a list, all devices can use the events.
    check(unsafe {
        create(
            context.native(),
            &raw const desc,
            0,
            std::ptr::null(),
            &raw mut pool,
        )
    })?;
    // SAFETY: made for this call.
    Ok(unsafe { Owned::new(api, pool) })
}

impl Pools {
    fn shelf(&self, timed: bool) -> MutexGuard<'_, Shelf> {
        let shelf = if timed { &self.timed } else { &self.plain };
        shelf.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// An event that is not signalled; with `timed`, it records times.
    ///
    /// # Errors
    /// What the driver says of one more event.
    pub fn take(&self, context: &Context, timed: bool) -> Result<Owned<ze::ze_event_handle_t>> {
        let mut shelf = self.shelf(timed);
        match shelf.free.pop() {
            Some(event) => Ok(event),
            None => shelf.make(context, timed),
        }
    }

    /// Takes an event back that no command signals or waits for any more.
    pub fn give(&self, event: Owned<ze::ze_event_handle_t>, timed: bool) {
        // SAFETY: a live event that nothing uses.
        let reset = unsafe { (event.api().zeEventHostReset)(event.get()) };
        let mut shelf = self.shelf(timed);
        match reset {
            ze::ZE_RESULT_SUCCESS => shelf.free.push(event),
            _ => shelf.lost.push(event),
        }
    }

    /// Keeps an event for good that a command may still signal or wait for.
    pub fn lose(&self, event: Owned<ze::ze_event_handle_t>, timed: bool) {
        self.shelf(timed).lost.push(event);
    }
}
