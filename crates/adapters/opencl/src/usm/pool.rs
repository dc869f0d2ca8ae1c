//! Pools of USM: blocks that are kept when they are freed, for the next allocation of the same kind
//! and size. OpenCL has none, and blocks are allocations of the driver's by themselves.

mod allocate;
mod of_context;

use super::driver::{self, Memory};
use crate::context::Context;
use crate::device::Device;
pub use allocate::allocate;
pub use of_context::ContextPools;
use std::sync::atomic::{AtomicPtr, Ordering};
pub use ur_adapter::pool::Block;
use ur_adapter::pool::{Account, Taken};
use ur_adapter::{DevicePool, Error, Handle, Info, Object, Result, chain};
use ur_api::*;

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
    account: Account<Memory>,
}

impl UsmPool {
    fn new(home: Home, flags: u32, max_poolable: usize) -> Self {
        Self {
            home,
            flags,
            account: Account::new(max_poolable),
        }
    }

    /// A block for an allocation.
    fn take(
        &self,
        context: &Context,
        kind: ur_usm_type_t,
        device: Option<&Device>,
        wanted: &Block,
    ) -> Result<Memory> {
        match self.account.take(wanted)? {
            Taken::Kept(memory) => return Ok(memory),
            Taken::New(too_many) => self.free(context, too_many),
        }
        let memory = driver::allocate(context, kind, device, wanted.size, wanted.align);
        self.account.made(wanted, memory.is_ok());
        memory
    }

    /// Takes a block back that no command uses.
    pub fn put(&self, memory: Memory, block: &Block) {
        let too_many = self.account.put(memory, block);
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
            return info.value(self.account.number(name)?);
        }
        match &self.home {
            Home::Owner(context) => info.handle(&**context),
            Home::Part(context) => info.value(context.load(Ordering::Acquire)),
        }
    }

    fn set_number(&self, name: ur_usm_pool_info_t, value: usize) -> Result {
        let too_many = self.account.set_number(name, value)?;
        self.with_context(|context| self.free(context, too_many));
        Ok(())
    }

    fn trim(&self, least: usize) {
        let too_many = self.account.trim(least);
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
