//! Pools that USM allocations come from.

mod of_context;

use super::chunks::Chunks;
use crate::context::Context;
use crate::device::Device;
use crate::device::info::MEM_ALIGN;
use crate::fork::Mutex;
use crate::heap;
use crate::memfd::PAGE;
pub use of_context::ContextPools;
use std::sync::atomic::{AtomicPtr, Ordering};
use ur_adapter::{DevicePool, Error, Handle, Info, Object, Result, chain};
use ur_api::*;

/// Bytes that a pool keeps unused unless told otherwise; more go back to the system at once.
const KEPT: usize = 256 << 20;

/// The context of a pool.
enum Home {
    /// A pool that a program made.
    Owner(Handle<Context>),
    /// A pool that belongs to its context; null once that is gone.
    Part(AtomicPtr<Object<Context>>),
}

/// What a pool handle names.
pub struct UsmPool {
    home: Home,
    flags: ur_usm_pool_flags_t,
    /// Larger allocations are not kept when they are freed.
    max_poolable: usize,
    /// Least number of bytes that are asked of the system at once.
    min_chunk: usize,
    /// The kind of allocation that memory of the program is for; others are refused.
    only: Option<ur_usm_type_t>,
    state: Mutex<State>,
}

struct State {
    chunks: Chunks,
    threshold: usize,
    /// Most bytes that the pool may hold; 0 for no limit.
    maximum: usize,
    reserved_high: usize,
    used_high: usize,
    /// Whether more memory may be asked for; not when the program gave it.
    grows: bool,
}

const FLAGS: u32 = UR_USM_POOL_FLAG_ZERO_INITIALIZE_BLOCK.0
    | UR_USM_POOL_FLAG_USE_NATIVE_MEMORY_POOL_EXP.0
    | UR_USM_POOL_FLAG_READ_ONLY_EXP.0;

impl UsmPool {
    fn new(home: Home, flags: u32) -> UsmPool {
        UsmPool {
            home,
            flags,
            max_poolable: usize::MAX,
            min_chunk: 0,
            only: None,
            state: Mutex::new(State {
                chunks: Chunks::default(),
                threshold: KEPT,
                maximum: 0,
                reserved_high: 0,
                used_high: 0,
                grows: true,
            }),
        }
    }

    fn with<T>(&self, body: impl FnOnce(&mut State) -> T) -> T {
        body(&mut self.state.lock())
    }

    /// Memory for an allocation, and how many bytes of the pool it takes.
    ///
    /// # Errors
    /// `OUT_OF_RESOURCES` when there is none, or when the pool would grow beyond its limit.
    pub fn take(&self, kind: ur_usm_type_t, size: usize, align: usize) -> Result<(usize, usize)> {
        if self.only.is_some_and(|only| only != kind) {
            return Err(Error::value("the pool's memory is of another kind"));
        }
        // Device memory has pages of its own, so that it can be shared with other processes.
        let unit = heap::unit(kind, MEM_ALIGN);
        let out = || {
            Error::new(
                UR_RESULT_ERROR_OUT_OF_RESOURCES,
                format!("no memory in the pool for {size} bytes"),
            )
        };
        let align = align.max(unit);
        let bytes = size.checked_next_multiple_of(unit).ok_or_else(out)?;
        let poolable = bytes <= self.max_poolable;
        let start = self.with(|state| {
            let block = if poolable || !state.grows {
                state.chunks.take(bytes, align, None)
            } else {
                None
            };
            let block = match block {
                Some(block) => block,
                None => state.grow(bytes, align, self.min_chunk, poolable)?,
            };
            state.used_high = state.used_high.max(state.chunks.used());
            Some(block)
        });
        let start = start.ok_or_else(out)?;
        if self.flags & UR_USM_POOL_FLAG_ZERO_INITIALIZE_BLOCK.0 != 0 {
            // SAFETY: the block is new and has that many bytes.
            unsafe { std::ptr::write_bytes(start as *mut u8, 0, size) };
        }
        Ok((start, bytes))
    }

    /// Takes a block of [`UsmPool::take`] back.
    pub fn put(&self, start: usize, bytes: usize) {
        self.with(|state| {
            if let Some((chunk, size)) = state.chunks.put(start, bytes) {
                heap::free(chunk, size);
            }
            let least = state.chunks.used().saturating_add(state.threshold);
            state.shrink(least);
        });
    }

    /// A number that the pool can tell.
    ///
    /// # Errors
    /// `UNSUPPORTED_ENUMERATION`.
    pub fn number(&self, name: ur_usm_pool_info_t) -> Result<usize> {
        self.with(|state| {
            Ok(match name {
                UR_USM_POOL_INFO_RELEASE_THRESHOLD_EXP => state.threshold,
                UR_USM_POOL_INFO_MAXIMUM_SIZE_EXP => state.maximum,
                UR_USM_POOL_INFO_RESERVED_CURRENT_EXP => state.chunks.reserved(),
                UR_USM_POOL_INFO_RESERVED_HIGH_EXP => state.reserved_high,
                UR_USM_POOL_INFO_USED_CURRENT_EXP => state.chunks.used(),
                UR_USM_POOL_INFO_USED_HIGH_EXP => state.used_high,
                _ => return Err(Error::unsupported_query()),
            })
        })
    }

    /// Whether its memory is the program's.
    pub fn is_given(&self) -> bool {
        self.only.is_some()
    }
}

impl State {
    /// A block from new memory.
    fn grow(&mut self, bytes: usize, align: usize, least: usize, kept: bool) -> Option<usize> {
        if !self.grows {
            return None;
        }
        let size = if kept { bytes.max(least) } else { bytes }.checked_next_multiple_of(PAGE)?;
        let total = self.chunks.reserved().checked_add(size)?;
        if self.maximum != 0 && total > self.maximum {
            // What is unused but too small may make room.
            self.shrink(self.maximum.saturating_sub(size));
            if self.chunks.reserved() + size > self.maximum {
                return None;
            }
        }
        let chunk = heap::allocate(size, align.max(PAGE))?;
        self.chunks.add(chunk, size, kept);
        self.reserved_high = self.reserved_high.max(self.chunks.reserved());
        self.chunks.take(bytes, align, Some(chunk))
    }

    fn shrink(&mut self, least: usize) {
        // Memory of the program is not the system's.
        while self.grows
            && self.chunks.reserved() > least
            && let Some((chunk, size)) = self.chunks.take_unused()
        {
            heap::free(chunk, size);
        }
    }
}

impl DevicePool for UsmPool {
    fn create(context: &Object<Context>, desc: &ur_usm_pool_desc_t) -> Result<Handle<UsmPool>> {
        if desc.flags & !FLAGS != 0 {
            return Err(Error::code(UR_RESULT_ERROR_INVALID_ENUMERATION));
        }
        let mut pool = UsmPool::new(Home::Owner(context.handle()), desc.flags);
        // SAFETY: the program passes a chain of structures of the API.
        let (limits, buffer) = unsafe {
            (
                chain::find::<ur_usm_pool_limits_desc_t>(
                    desc.pNext,
                    UR_STRUCTURE_TYPE_USM_POOL_LIMITS_DESC,
                ),
                chain::find::<ur_usm_pool_buffer_desc_t>(
                    desc.pNext,
                    UR_STRUCTURE_TYPE_USM_POOL_BUFFER_DESC,
                ),
            )
        };
        if let Some(limits) = limits {
            pool.max_poolable = limits.maxPoolableSize;
            pool.min_chunk = limits.minDriverAllocSize;
        }
        if let Some(buffer) = buffer {
            if buffer.pMem.is_null() || buffer.size == 0 {
                return Err(Error::value("no memory for the pool"));
            }
            pool.only = Some(buffer.memType);
            pool.with(|state| {
                state.grows = false;
                state.chunks.add(buffer.pMem as usize, buffer.size, true);
                state.reserved_high = buffer.size;
            });
        }
        Handle::new(pool)
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
        self.with(|state| {
            match name {
                UR_USM_POOL_INFO_RELEASE_THRESHOLD_EXP => {
                    state.threshold = value;
                    let least = state.chunks.used().saturating_add(value);
                    state.shrink(least);
                }
                UR_USM_POOL_INFO_MAXIMUM_SIZE_EXP => state.maximum = value,
                UR_USM_POOL_INFO_RESERVED_HIGH_EXP if value == 0 => {
                    state.reserved_high = state.chunks.reserved();
                }
                UR_USM_POOL_INFO_USED_HIGH_EXP if value == 0 => {
                    state.used_high = state.chunks.used();
                }
                UR_USM_POOL_INFO_RESERVED_HIGH_EXP | UR_USM_POOL_INFO_USED_HIGH_EXP => {
                    return Err(Error::value("a highest value can only be set to 0"));
                }
                _ => return Err(Error::unsupported_query()),
            }
            Ok(())
        })
    }

    fn trim(&self, least: usize) {
        self.state.lock().shrink(least);
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
