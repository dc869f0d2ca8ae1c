//! The pools that a context has for its devices.

use super::{Home, UsmPool};
use crate::context::Context;
use crate::device::Device;
use crate::fork::{Guard, Mutex};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicPtr, Ordering};
use ur_adapter::{Error, Handle, Object, Result};
use ur_api::*;

/// The pools of one device in a context.
struct DevicePools {
    device: Handle<Device>,
    default: Handle<UsmPool>,
    /// A pool that a program set instead. It is not counted, or pool and context would keep each
    /// other; a pool that goes takes itself out.
    current: Option<NonNull<Object<UsmPool>>>,
}

// SAFETY: the pointer is to an object that can be used from any thread.
unsafe impl Send for DevicePools {}

/// The pools that a context keeps for its devices.
#[derive(Default)]
pub struct ContextPools(Mutex<Vec<DevicePools>>);

impl ContextPools {
    fn list(&self) -> Guard<'_, Vec<DevicePools>> {
        self.0.lock()
    }

    fn with<T>(
        context: &Object<Context>,
        device: &Object<Device>,
        body: impl FnOnce(&mut DevicePools) -> T,
    ) -> Result<T> {
        if !context.has(device) {
            return Err(Error::code(UR_RESULT_ERROR_INVALID_DEVICE));
        }
        let mut list = context.pools().list();
        if !list.iter().any(|pools| pools.device.is(device)) {
            let home = Home::Part(AtomicPtr::new(std::ptr::from_ref(context).cast_mut()));
            list.push(DevicePools {
                device: device.handle(),
                default: Handle::new(UsmPool::new(home, 0))?,
                current: None,
            });
        }
        match list.iter_mut().find(|pools| pools.device.is(device)) {
            Some(pools) => Ok(body(pools)),
            None => Err(Error::code(UR_RESULT_ERROR_UNKNOWN)),
        }
    }

    /// The pool that a device begins with.
    ///
    /// # Errors
    /// `INVALID_DEVICE` for a device of another context.
    pub fn default_of(
        context: &Object<Context>,
        device: &Object<Device>,
    ) -> Result<Handle<UsmPool>> {
        ContextPools::with(context, device, |pools| pools.default.clone())
    }

    /// The pool that a device allocates from.
    ///
    /// # Errors
    /// `INVALID_DEVICE` for a device of another context.
    pub fn current_of(
        context: &Object<Context>,
        device: &Object<Device>,
    ) -> Result<Handle<UsmPool>> {
        ContextPools::with(context, device, |pools| match pools.current {
            // SAFETY: a pool that goes takes itself out first, under the same lock.
            Some(pool) => unsafe { pool.as_ref() }.handle(),
            None => pools.default.clone(),
        })
    }

    /// Makes a pool the one that a device allocates from.
    ///
    /// # Errors
    /// `INVALID_DEVICE` for a device of another context.
    pub fn choose(
        context: &Object<Context>,
        device: &Object<Device>,
        pool: &Object<UsmPool>,
    ) -> Result {
        ContextPools::with(context, device, |pools| {
            pools.current = (!pools.default.is(pool)).then(|| NonNull::from(pool));
        })
    }

    /// Stops allocating from a pool that goes.
    pub(super) fn forget(&self, pool: &UsmPool) {
        for pools in self.list().iter_mut() {
            let is = |own: NonNull<Object<UsmPool>>| {
                // SAFETY: as above: a pool in the list is alive, if only just.
                std::ptr::eq(&**unsafe { own.as_ref() }, pool)
            };
            if pools.current.is_some_and(is) {
                pools.current = None;
            }
        }
    }
}

impl Drop for ContextPools {
    fn drop(&mut self) {
        for pools in self.0.get_mut() {
            // Whoever holds the pool longer finds no context.
            if let Home::Part(context) = &pools.default.home {
                context.store(std::ptr::null_mut(), Ordering::Release);
            }
        }
    }
}
