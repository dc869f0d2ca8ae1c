//! Events.

mod times;

pub use times::*;

use crate::call::{call, code, get, put, wait};
use crate::command::Wait;
use crate::engine::Engines;
use crate::world::{Body, Kind, Ref, World};
use crate::ze::*;

/// What a counter-based event stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Count {
    /// No command: such an event is signalled.
    None,
    /// A command that was recorded and has not been submitted.
    Recorded,
    /// A command.
    Command(u64),
}

/// An event.
#[derive(Debug)]
pub struct Event {
    /// Its pool, none for one that was made without.
    pub pool: Option<usize>,
    /// Its place in the pool.
    pub index: u32,
    /// Whether the host may look at it.
    pub host_visible: bool,
    /// Whether it tells times.
    pub timed: bool,
    /// Whether it is signalled, for one that does not count.
    pub signalled: bool,
    /// What it stands for, if it is counter-based.
    pub count: Option<Count>,
    /// Begin and end of the command that signalled it, in ticks.
    pub times: Option<(u64, u64)>,
}

impl Event {
    /// Whether it is signalled.
    pub fn is_signalled(&self, engines: &Engines) -> bool {
        match self.count {
            None => self.signalled,
            Some(Count::None) => true,
            Some(Count::Recorded) => false,
            Some(Count::Command(id)) => !engines.is_unfinished(id),
        }
    }
}

impl World {
    /// What waiting for an event is at this moment.
    ///
    /// # Errors
    /// As [`World::object`].
    pub fn wait_on(&mut self, event: ze_event_handle_t) -> Answer<Option<Wait>> {
        let event = self.refer(event.to_native(), Kind::Event)?;
        Ok(match self.event(event.handle)?.count {
            Some(Count::Command(id)) => Some(Wait::Command(id)),
            Some(Count::None) => None,
            _ => Some(Wait::Event(event)),
        })
    }

    /// An event which the host may look at.
    ///
    /// # Errors
    /// As [`World::object`]; `INVALID_SYNCHRONIZATION_OBJECT`, which is a fault.
    fn visible(&mut self, event: ze_event_handle_t) -> Answer<Ref> {
        let event = self.refer(event.to_native(), Kind::Event)?;
        match self.event(event.handle)?.host_visible {
            true => Ok(event),
            false => self.wrong(
                ZE_RESULT_ERROR_INVALID_SYNCHRONIZATION_OBJECT,
                "the host looks at an event that it cannot see",
            ),
        }
    }

    /// An event that the program signals and resets.
    ///
    /// # Errors
    /// As [`World::object`]; `INVALID_ARGUMENT` for one that counts, which is a fault.
    pub fn manual(&mut self, event: ze_event_handle_t) -> Answer<Ref> {
        let event = self.refer(event.to_native(), Kind::Event)?;
        match self.event(event.handle)?.count {
            None => Ok(event),
            Some(_) => self.wrong(
                ZE_RESULT_ERROR_INVALID_ARGUMENT,
                "a counter-based event is signalled or reset",
            ),
        }
    }
}

/// Makes an event.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeEventCreate(
    pool: ze_event_pool_handle_t,
    desc: *const ze_event_desc_t,
    place: *mut ze_event_handle_t,
) -> ze_result_t {
    call("zeEventCreate", |world| {
        // SAFETY: as the caller says.
        let desc = unsafe { get(desc) }?;
        let pool = pool.to_native();
        let driver = world.object(pool, Kind::EventPool)?.driver;
        let own = world.event_pool(pool)?;
        if (desc.signal | desc.wait) & !7 != 0 {
            return Err(ZE_RESULT_ERROR_INVALID_ENUMERATION);
        }
        if desc.index >= own.count {
            return Err(ZE_RESULT_ERROR_INVALID_ARGUMENT);
        }
        let is_first = own.taken.insert(desc.index);
        let timed =
            ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP | ZE_EVENT_POOL_FLAG_KERNEL_MAPPED_TIMESTAMP;
        let event = Event {
            pool: Some(pool),
            index: desc.index,
            host_visible: own.flags & ZE_EVENT_POOL_FLAG_HOST_VISIBLE != 0,
            timed: own.flags & timed != 0,
            signalled: false,
            count: own.counts.then_some(Count::None),
            times: None,
        };
        if !is_first {
            world.fault(format!("two events at place {} of a pool", desc.index));
        }
        let handle = world.add(driver, Body::Event(event), vec![pool]);
        // SAFETY: as the caller says.
        unsafe { put(place, ze_event_handle_t::from_native(handle)) }
    })
}

/// Makes a counter-based event without a pool.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeEventCounterBasedCreate(
    context: ze_context_handle_t,
    device: ze_device_handle_t,
    desc: *const ze_event_counter_based_desc_t,
    place: *mut ze_event_handle_t,
) -> ze_result_t {
    call("zeEventCounterBasedCreate", |world| {
        let context = context.to_native();
        world.needs(context, Kind::Context, 15)?;
        world.needs_part(context, Kind::Context, "counters")?;
        world.device_in(context, device.to_native())?;
        let driver = world.object(context, Kind::Context)?.driver;
        let flags = match desc.is_null() {
            true => {
                ZE_EVENT_COUNTER_BASED_FLAG_IMMEDIATE | ZE_EVENT_COUNTER_BASED_FLAG_HOST_VISIBLE
            }
            // SAFETY: as the caller says.
            false => unsafe { get(desc) }?.flags,
        };
        if flags & !0x3f != 0 {
            return Err(ZE_RESULT_ERROR_INVALID_ENUMERATION);
        }
        if flags & ZE_EVENT_COUNTER_BASED_FLAG_IPC != 0 {
            return Err(ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
        }
        let timed = ZE_EVENT_COUNTER_BASED_FLAG_DEVICE_TIMESTAMP
            | ZE_EVENT_COUNTER_BASED_FLAG_HOST_TIMESTAMP;
        let event = Event {
            pool: None,
            index: 0,
            host_visible: flags & ZE_EVENT_COUNTER_BASED_FLAG_HOST_VISIBLE != 0,
            timed: flags & timed != 0,
            signalled: false,
            count: Some(Count::None),
            times: None,
        };
        let handle = world.add(driver, Body::Event(event), vec![context]);
        // SAFETY: as the caller says.
        unsafe { put(place, ze_event_handle_t::from_native(handle)) }
    })
}

/// Takes an event away.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeEventDestroy(event: ze_event_handle_t) -> ze_result_t {
    call("zeEventDestroy", |world| {
        let Body::Event(event) = world.destroy(event.to_native(), Kind::Event)? else {
            return Ok(());
        };
        if let Some(pool) = event.pool {
            world.event_pool(pool)?.taken.remove(&event.index);
        }
        Ok(())
    })
}

/// Signals an event.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeEventHostSignal(event: ze_event_handle_t) -> ze_result_t {
    call("zeEventHostSignal", |world| {
        let event = world.manual(event)?;
        world.event(event.handle)?.signalled = true;
        Ok(())
    })
}

/// Resets an event. That an unfinished command waits for it or signals it is a fault.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeEventHostReset(event: ze_event_handle_t) -> ze_result_t {
    call("zeEventHostReset", |world| {
        let event = world.manual(event)?;
        let uses = world.object(event.handle, Kind::Event)?.uses;
        if uses > 0 {
            world.fault(format!(
                "an event is reset that {uses} commands need which have not ended"
            ));
        }
        let event = world.event(event.handle)?;
        event.signalled = false;
        event.times = None;
        Ok(())
    })
}

/// Whether an event is signalled.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeEventQueryStatus(event: ze_event_handle_t) -> ze_result_t {
    call("zeEventQueryStatus", |world| {
        let event = world.visible(event)?;
        world.check_lost()?;
        match world.peek(event) {
            Some(event) if event.is_signalled(&world.engines) => Ok(()),
            _ => Err(ZE_RESULT_NOT_READY),
        }
    })
}

/// Waits for an event.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeEventHostSynchronize(
    event: ze_event_handle_t,
    timeout: u64,
) -> ze_result_t {
    let mut found = None;
    let begun = call("zeEventHostSynchronize", |world| {
        found = Some(world.visible(event)?);
        Ok(())
    });
    let Some(event) = found else {
        return begun;
    };
    code(wait(
        "zeEventHostSynchronize",
        timeout,
        |world| match world.peek(event) {
            Some(event) => event.is_signalled(&world.engines).then_some(Ok(())),
            None => Some(world.wrong(
                ZE_RESULT_ERROR_INVALID_ARGUMENT,
                "an event is destroyed while the host waits for it",
            )),
        },
    ))
}

/// The pool of an event.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeEventGetEventPool(
    event: ze_event_handle_t,
    place: *mut ze_event_pool_handle_t,
) -> ze_result_t {
    call("zeEventGetEventPool", |world| {
        world.needs(event.to_native(), Kind::Event, 9)?;
        let pool = world.event(event.to_native())?.pool;
        let pool = pool.ok_or(ZE_RESULT_ERROR_INVALID_ARGUMENT)?;
        // SAFETY: as the caller says.
        unsafe { put(place, ze_event_pool_handle_t::from_native(pool)) }
    })
}
