//! Pools of USM: blocks that are kept when they are freed, for the next allocation of the same kind
//! and size. OpenCL has none, and blocks are allocations of the driver's by themselves.

mod allocate;
mod blocks;
mod of_context;

use super::driver::{self, Memory};
use crate::context::Context;
use crate::device::Device;
pub use allocate::allocate;
pub use blocks::Block;
use blocks::Blocks;
pub use of_context::ContextPools;
use std::sync::atomic::{AtomicPtr, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use ur_adapter::{DevicePool, Error, Handle, Info, Object, Result, chain};
use ur_api::*;

/// Bytes that a pool keeps unused unless told otherwise.
const KEPT: usize = 256 << 20;

const FLAGS: u32 = UR_USM_POOL_FLAG_ZERO_INITIALIZE_BLOCK.0
    | UR_USM_POOL_FLAG_USE_NATIVE_MEMORY_POOL_EXP.0
    | UR_USM_POOL_FLAG_READ_ONLY_EXP.0;

/// The context of a pool.
#[derive(Debug)]
enum Home {
    /// A pool that a program made.
    Owner(Handle<Context>),
    /// A pool that belongs to its context, which is gone when this is null.
    Part(AtomicPtr<Object<Context>>),
}

/// What a pool handle names.
#[derive(Debug)]
pub struct UsmPool {
    home: Home,
    flags: u32,
    /// Larger allocations are not kept when they are freed.
    max_poolable: usize,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    blocks: Blocks,
    threshold: usize,
    /// Most bytes that the pool may hold; 0 for no limit.
    maximum: usize,
    reserved_high: usize,
    used_high: usize,
}

impl UsmPool {
    fn new(home: Home, flags: u32, max_poolable: usize) -> Self {
        Self {
            home,
            flags,
            max_poolable,
            state: Mutex::new(State {
                blocks: Blocks::default(),
                threshold: KEPT,
                maximum: 0,
                reserved_high: 0,
                used_high: 0,
            }),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A block for an allocation.
    fn take(
        &self,
        context: &Context,
        kind: ur_usm_type_t,
        device: Option<&Device>,
        wanted: &Block,
    ) -> Result<Memory> {
        let too_many = {
            let mut state = self.state();
            if let Some(memory) = state.blocks.reuse(wanted) {
                state.note_highest();
                return Ok(memory);
            }
            let too_many = state.excess(wanted.size)?;
            state.blocks.add(wanted);
            too_many
        };
        self.free(context, too_many);
        let memory = driver::allocate(context, kind, device, wanted.size, wanted.align);
        let mut state = self.state();
        match memory {
            Ok(_) => state.note_highest(),
            Err(_) => state.blocks.cancel(wanted),
        }
        memory
    }

    /// Takes a block back that no command uses.
    pub fn put(&self, memory: Memory, block: &Block) {
        let too_many = {
            let mut state = self.state();
            state.blocks.put(memory, block);
            let least = state.blocks.used().saturating_add(state.threshold);
            match block.size > self.max_poolable {
                true => state.blocks.take_out(memory, block),
                false => state.blocks.shrink(least),
            }
        };
        self.with_context(|context| self.free(context, too_many));
    }

    /// Gives blocks to the driver. The pool is not locked: a driver may take its time.
    fn free(&self, context: &Context, blocks: Vec<Memory>) {
        for memory in blocks {
            // SAFETY: an allocation of the driver's that is the pool's alone; no command uses it. If
            // the driver refuses, nothing is left to be done.
            let _ = unsafe { driver::free_unused(context, memory) };
        }
    }

    /// A number that the pool can tell.
    ///
    /// # Errors
    /// `UNSUPPORTED_ENUMERATION`.
    pub fn number(&self, name: ur_usm_pool_info_t) -> Result<usize> {
        let state = self.state();
        Ok(match name {
            UR_USM_POOL_INFO_RELEASE_THRESHOLD_EXP => state.threshold,
            UR_USM_POOL_INFO_MAXIMUM_SIZE_EXP => state.maximum,
            UR_USM_POOL_INFO_RESERVED_CURRENT_EXP => state.blocks.reserved(),
            UR_USM_POOL_INFO_RESERVED_HIGH_EXP => state.reserved_high,
            UR_USM_POOL_INFO_USED_CURRENT_EXP => state.blocks.used(),
            UR_USM_POOL_INFO_USED_HIGH_EXP => state.used_high,
            _ => return Err(Error::unsupported_query()),
        })
    }

    /// Does something with its context, if that is still there.
    fn with_context(&self, body: impl FnOnce(&Context)) {
        match &self.home {
            Home::Owner(context) => body(context),
            Home::Part(context) => {
                // SAFETY: the context sets this to null before it goes.
                if let Some(context) = unsafe { context.load(Ordering::Acquire).as_ref() } {
                    body(context);
                }
            }
        }
    }
}

impl DevicePool for UsmPool {
    fn create(context: &Object<Context>, desc: &ur_usm_pool_desc_t) -> Result<Handle<Self>> {
        if desc.flags & !FLAGS != 0 {
            return Err(Error::code(UR_RESULT_ERROR_INVALID_ENUMERATION));
        }
        if context.usm().source() == driver::Source::None {
            return Err(Error::unsupported());
        }
        let (limits, buffer) = (
            UR_STRUCTURE_TYPE_USM_POOL_LIMITS_DESC,
            UR_STRUCTURE_TYPE_USM_POOL_BUFFER_DESC,
        );
        // SAFETY: the program passes a chain of structures of the API.
        let (limits, buffer) = unsafe {
            (
                chain::find::<ur_usm_pool_limits_desc_t>(desc.pNext, limits),
                chain::find::<ur_usm_pool_buffer_desc_t>(desc.pNext, buffer),
            )
        };
        if buffer.is_some() {
            return Err(Error::unsupported());
        }
        let most = limits.map_or(usize::MAX, |limits| limits.maxPoolableSize);
        Handle::new(Self::new(Home::Owner(context.handle()), desc.flags, most))
    }

    fn check_device(context: &Object<Context>, device: &Object<Device>) -> Result {
        super::check_device(context, device)
    }

    fn default_of(context: &Object<Context>, device: &Object<Device>) -> Result<Handle<Self>> {
        ContextPools::default_of(context, device)
    }

    fn current_of(context: &Object<Context>, device: &Object<Device>) -> Result<Handle<Self>> {
        ContextPools::current_of(context, device)
    }

    fn choose(context: &Object<Context>, device: &Object<Device>, pool: &Object<Self>) -> Result {
        ContextPools::choose(context, device, pool)
    }

    fn is_of(&self, context: &Object<Context>) -> bool {
        match &self.home {
            Home::Owner(own) => own.is(context),
            Home::Part(own) => std::ptr::eq(own.load(Ordering::Acquire), context),
        }
    }

    fn is_default(&self) -> bool {
        matches!(self.home, Home::Part(_))
    }

    fn info(&self, name: ur_usm_pool_info_t, info: &mut Info<'_>) -> Result {
        if name != UR_USM_POOL_INFO_CONTEXT {
            return info.value(self.number(name)?);
        }
        match &self.home {
            Home::Owner(context) => info.handle(&**context),
            Home::Part(context) => info.value(context.load(Ordering::Acquire)),
        }
    }

    fn set_number(&self, name: ur_usm_pool_info_t, value: usize) -> Result {
        let mut state = self.state();
        match name {
            UR_USM_POOL_INFO_RELEASE_THRESHOLD_EXP => {
                state.threshold = value;
                let least = state.blocks.used().saturating_add(value);
                drop(state);
                self.trim(least);
            }
            UR_USM_POOL_INFO_MAXIMUM_SIZE_EXP => state.maximum = value,
            UR_USM_POOL_INFO_RESERVED_HIGH_EXP if value == 0 => {
                state.reserved_high = state.blocks.reserved();
            }
            UR_USM_POOL_INFO_USED_HIGH_EXP if value == 0 => state.used_high = state.blocks.used(),
            UR_USM_POOL_INFO_RESERVED_HIGH_EXP | UR_USM_POOL_INFO_USED_HIGH_EXP => {
                return Err(Error::value("a highest value can only be set to 0"));
            }
            _ => return Err(Error::unsupported_query()),
        }
        Ok(())
    }

    fn trim(&self, least: usize) {
        let too_many = self.state().blocks.shrink(least);
        self.with_context(|context| self.free(context, too_many));
    }
}

impl Drop for UsmPool {
    fn drop(&mut self) {
        if let Home::Owner(context) = &self.home {
            context.pools().forget(self);
        }
        // Allocations hold the pool, so nothing in it is used.
        self.trim(0);
    }
}

impl State {
    fn note_highest(&mut self) {
        self.used_high = self.used_high.max(self.blocks.used());
        self.reserved_high = self.reserved_high.max(self.blocks.reserved());
    }

    /// What must go so that `more` bytes are within the limit.
    fn excess(&mut self, more: usize) -> Result<Vec<Memory>> {
        let out = || {
            Error::new(
                UR_RESULT_ERROR_OUT_OF_RESOURCES,
                format!("no room in the pool for {more} bytes"),
            )
        };
        match self.maximum {
            0 => Ok(Vec::new()),
            maximum => {
                let least = maximum.checked_sub(more).ok_or_else(out)?;
                match self.blocks.used() <= least {
                    true => Ok(self.blocks.shrink(least)),
                    false => Err(out()),
                }
            }
        }
    }
}
