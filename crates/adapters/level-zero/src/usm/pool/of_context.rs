//! The pools that the devices of a context allocate from.

use super::{Home, UsmPool};
use crate::context::Context;
use crate::device::Device;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicPtr, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use ur_adapter::{Error, Handle, Object, Result};

/// The pools of one device.
#[derive(Debug)]
struct DevicePools {
    device: Handle<Device>,
    default: Handle<UsmPool>,
    /// What a program set instead. Not counted, since the pool keeps the context: a pool that goes
    /// takes itself out.
    chosen: Option<NonNull<Object<UsmPool>>>,
}

// SAFETY: the pointer is to an object that any thread can use.
unsafe impl Send for DevicePools {}

/// The pools of a context's devices, each made when it is first asked for.
#[derive(Debug, Default)]
pub struct ContextPools(Mutex<Vec<DevicePools>>);

impl ContextPools {
    fn list(&self) -> MutexGuard<'_, Vec<DevicePools>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn of_device<R>(
        context: &Object<Context>,
        device: &Object<Device>,
        look: impl FnOnce(&mut DevicePools) -> R,
    ) -> Result<R> {
        crate::usm::check_device(context, device)?;
        if !crate::usm::is_there(device) {
            return Err(Error::unsupported());
        }
        let mut list = context.usm_pools().list();
        if let Some(pools) = list.iter_mut().find(|pools| pools.device.is(device)) {
            return Ok(look(pools));
        }
        let home = Home::Part(AtomicPtr::new(std::ptr::from_ref(context).cast_mut()));
        let mut pools = DevicePools {
            device: device.handle(),
            default: Handle::new(UsmPool::new(home, 0, usize::MAX))?,
            chosen: None,
        };
        let result = look(&mut pools);
        list.push(pools);
        Ok(result)
    }

    /// The pool that a device begins with.
    ///
    /// # Errors
    /// `INVALID_DEVICE` for a device of another context, `UNSUPPORTED_FEATURE` without USM.
    pub fn default_of(
        context: &Object<Context>,
        device: &Object<Device>,
    ) -> Result<Handle<UsmPool>> {
        Self::of_device(context, device, |pools| pools.default.clone())
    }

    /// The pool that a device allocates from.
    ///
    /// # Errors
    /// As [`ContextPools::default_of`].
    pub fn current_of(
        context: &Object<Context>,
        device: &Object<Device>,
    ) -> Result<Handle<UsmPool>> {
        Self::of_device(context, device, |pools| match pools.chosen {
            // SAFETY: a pool takes itself out before it goes, under the list's lock.
            Some(pool) => unsafe { pool.as_ref() }.handle(),
            None => pools.default.clone(),
        })
    }

    /// Makes a pool the one that a device allocates from.
    ///
    /// # Errors
    /// As [`ContextPools::default_of`].
    pub fn choose(
        context: &Object<Context>,
        device: &Object<Device>,
        pool: &Object<UsmPool>,
    ) -> Result {
        Self::of_device(context, device, |pools| {
            let is_default = pools.default.is(pool);
            pools.chosen = (!is_default).then(|| NonNull::from(pool));
        })
    }

    /// Allocates no longer from a pool that goes.
    pub(super) fn forget(&self, pool: &UsmPool) {
        for pools in self.list().iter_mut() {
            // SAFETY: as above; this one still is there, if only just.
            let own = pools.chosen.map(|own| unsafe { own.as_ref() });
            if own.is_some_and(|own| std::ptr::eq(&**own, pool)) {
                pools.chosen = None;
            }
        }
    }

    /// Gives all memory back that the default pools keep, before the context goes.
    pub fn close(&self) {
        for pools in self.list().iter() {
            pools.default.trim(0);
            // Whoever holds the pool longer finds no context.
            if let Home::Part(context) = &pools.default.home {
                context.store(std::ptr::null_mut(), Ordering::Release);
            }
        }
    }
}
