//! Pools of USM: blocks that are kept when they are freed, for the next allocation of the same kind
//! and size. Level Zero has none, and blocks are allocations of the driver's by themselves.

mod allocate;
mod of_context;

use super::driver::{self, Request};
use crate::context::Context;
use crate::device::Device;
pub use allocate::allocate;
pub use of_context::ContextPools;
use std::ffi::c_void;
use std::sync::atomic::{AtomicPtr, Ordering};
use ur_adapter::pool::Block;
use ur_adapter::pool::{Account, Taken};
use ur_adapter::{Error, Handle, Info, Object, Result, chain};
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
    /// Of addresses.
    account: Account<usize>,
}

impl UsmPool {
    fn new(home: Home, flags: u32, max_poolable: usize) -> Self {
        Self {
            home,
            flags,
            account: Account::new(max_poolable),
        }
    }

    /// The pool that a description asks for. How much is asked of the driver at once is the size of
    /// a block, whatever a program would like.
    ///
    /// # Errors
    /// `INVALID_ENUMERATION` for unknown flags, `UNSUPPORTED_FEATURE` for memory of the program's.
    pub fn create(context: &Object<Context>, desc: &ur_usm_pool_desc_t) -> Result<Handle<Self>> {
        if desc.flags & !FLAGS != 0 {
            return Err(Error::code(UR_RESULT_ERROR_INVALID_ENUMERATION));
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

    /// A block for an allocation.
    fn take(
        &self,
        context: &Context,
        device: Option<&Device>,
        wanted: &Block,
        request: &Request,
    ) -> Result<*mut c_void> {
        match self.account.take(wanted)? {
            Taken::Kept(start) => return Ok(start as *mut c_void),
            Taken::New(too_many) => self.free(context, too_many),
        }
        let mut request = *request;
        request.size = wanted.size;
        let memory = driver::allocate(context, device, &request);
        self.account.made(wanted, memory.is_ok());
        memory
    }

    /// Takes a block back that no command uses.
    pub fn put(&self, memory: *mut c_void, block: &Block) {
        let too_many = self.account.put(memory as usize, block);
        self.with_context(|context| self.free(context, too_many));
    }

    /// Gives unused memory back until no more than `least` bytes are held or none is unused.
    pub fn trim(&self, least: usize) {
        let too_many = self.account.trim(least);
        self.with_context(|context| self.free(context, too_many));
    }

    /// Gives blocks to the driver. The pool is not locked: a driver may take its time.
    fn free(&self, context: &Context, blocks: Vec<usize>) {
        for start in blocks {
            // SAFETY: an allocation of the driver's that is the pool's alone; no command uses it. If
            // the driver refuses, nothing is left to be done.
            let _ = unsafe { driver::free(context, start as *mut c_void) };
        }
    }

    /// Changes a number: the threshold, the limit, or a highest value to the present one.
    ///
    /// # Errors
    /// `UNSUPPORTED_ENUMERATION` for what cannot be changed, `INVALID_VALUE` for a highest value other
    /// than 0.
    pub fn set_number(&self, name: ur_usm_pool_info_t, value: usize) -> Result {
        let too_many = self.account.set_number(name, value)?;
        self.with_context(|context| self.free(context, too_many));
        Ok(())
    }

    /// Answers `urUSMPoolGetInfo`.
    ///
    /// # Errors
    /// `UNSUPPORTED_ENUMERATION`.
    pub fn info(&self, name: ur_usm_pool_info_t, info: &mut Info<'_>) -> Result {
        if name != UR_USM_POOL_INFO_CONTEXT {
            return info.value(self.account.number(name)?);
        }
        match &self.home {
            Home::Owner(context) => info.handle(&**context),
            Home::Part(context) => info.value(context.load(Ordering::Acquire)),
        }
    }

    /// Whether it is the pool that a context made for a device.
    pub fn is_default(&self) -> bool {
        matches!(self.home, Home::Part(_))
    }

    /// Whether it is a pool of `context`.
    pub fn is_of(&self, context: &Object<Context>) -> bool {
        match &self.home {
            Home::Owner(own) => own.is(context),
            Home::Part(own) => std::ptr::eq(own.load(Ordering::Acquire), context),
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

impl Drop for UsmPool {
    fn drop(&mut self) {
        if let Home::Owner(context) = &self.home {
            context.usm_pools().forget(self);
        }
        // Allocations hold the pool, so nothing in it is used.
        self.trim(0);
    }
}
