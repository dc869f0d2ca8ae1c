//! USM allocations and pools.

use super::counted::{counted, problem};
use super::queue::Context;
use crate::failure::{Stop, check};
use crate::ur;
use crate::world::Cx;
use std::ffi::c_void;
use std::ptr::{null, null_mut};
use ur_api::*;

counted! {
    /// A pool that USM allocations come from.
    Pool(ur_usm_pool_handle_t): urUSMPoolRetain, urUSMPoolRelease,
    urUSMPoolGetInfo(ur_usm_pool_info_t), UR_USM_POOL_INFO_REFERENCE_COUNT
}

impl Pool {
    /// A pool without properties.
    ///
    /// # Errors
    /// When it cannot be made.
    #[track_caller]
    pub fn new(context: &Context) -> Result<Pool, Stop> {
        let mut desc = ur_usm_pool_desc_t::default();
        Pool::made("urUSMPoolCreate", |out| {
            ur!(urUSMPoolCreate(context.get(), &raw mut desc, out))
        })
    }
}

/// The kinds of USM.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UsmKind {
    /// Memory of the host that devices reach.
    Host,
    /// Memory of a device.
    Device,
    /// Memory that moves.
    Shared,
}

impl UsmKind {
    /// Every kind.
    pub const ALL: [UsmKind; 3] = [UsmKind::Host, UsmKind::Device, UsmKind::Shared];

    /// Its name in names of tests.
    pub fn name(self) -> &'static str {
        match self {
            UsmKind::Host => "host",
            UsmKind::Device => "device",
            UsmKind::Shared => "shared",
        }
    }

    /// The function that allocates it.
    pub fn call(self) -> &'static str {
        match self {
            UsmKind::Host => "urUSMHostAlloc",
            UsmKind::Device => "urUSMDeviceAlloc",
            UsmKind::Shared => "urUSMSharedAlloc",
        }
    }

    /// What a query answers for an allocation of the kind.
    pub fn answer(self) -> ur_usm_type_t {
        match self {
            UsmKind::Host => UR_USM_TYPE_HOST,
            UsmKind::Device => UR_USM_TYPE_DEVICE,
            UsmKind::Shared => UR_USM_TYPE_SHARED,
        }
    }

    /// Ends the test as unsupported unless the device says that it has the kind.
    ///
    /// # Errors
    /// When it does not.
    #[track_caller]
    pub fn needed(self, cx: &Cx) -> Result<(), Stop> {
        let query = match self {
            UsmKind::Host => UR_DEVICE_INFO_USM_HOST_SUPPORT,
            UsmKind::Device => UR_DEVICE_INFO_USM_DEVICE_SUPPORT,
            UsmKind::Shared => UR_DEVICE_INFO_USM_SINGLE_SHARED_SUPPORT,
        };
        cx.needs_bits(query, UR_DEVICE_USM_ACCESS_CAPABILITY_FLAG_ACCESS)
    }

    /// Calls the function that allocates it.
    pub fn allocate(
        self,
        context: ur_context_handle_t,
        device: ur_device_handle_t,
        desc: Option<&ur_usm_desc_t>,
        pool: ur_usm_pool_handle_t,
        size: usize,
        out: *mut *mut c_void,
    ) -> ur_result_t {
        let desc = desc.map_or(null(), |desc| &raw const *desc);
        match self {
            UsmKind::Host => ur!(urUSMHostAlloc(context, desc, pool, size, out)),
            UsmKind::Device => ur!(urUSMDeviceAlloc(context, device, desc, pool, size, out)),
            UsmKind::Shared => ur!(urUSMSharedAlloc(context, device, desc, pool, size, out)),
        }
    }
}

/// A USM allocation, freed when this goes away, which must be before its context does.
#[derive(Debug)]
pub struct Usm {
    context: ur_context_handle_t,
    /// Where it begins.
    pub at: *mut c_void,
    /// Its bytes.
    pub size: usize,
}

// SAFETY: memory may be used on any thread.
unsafe impl Send for Usm {}
// SAFETY: as above.
unsafe impl Sync for Usm {}

impl Usm {
    /// An allocation.
    ///
    /// # Errors
    /// When the device does not say that it has the kind, or the call does not succeed.
    #[track_caller]
    pub fn new(cx: &Cx, context: &Context, kind: UsmKind, size: usize) -> Result<Usm, Stop> {
        kind.needed(cx)?;
        Usm::with(cx, context, kind, None, null_mut(), size)
    }

    /// Takes over an allocation.
    pub fn adopt(context: &Context, at: *mut c_void, size: usize) -> Usm {
        let context = context.get();
        Usm { context, at, size }
    }

    /// An allocation with a descriptor or from a pool.
    ///
    /// # Errors
    /// When the call does not succeed.
    #[track_caller]
    pub fn with(
        cx: &Cx,
        context: &Context,
        kind: UsmKind,
        desc: Option<&ur_usm_desc_t>,
        pool: ur_usm_pool_handle_t,
        size: usize,
    ) -> Result<Usm, Stop> {
        let context = context.get();
        let mut at = null_mut();
        let code = kind.allocate(context, cx.device(), desc, pool, size, &raw mut at);
        check(kind.call(), UR_RESULT_SUCCESS, code)?;
        if at.is_null() {
            return Err(Stop::fail(format_args!("{} gave null", kind.call())));
        }
        Ok(Usm { context, at, size })
    }

    /// The bytes of host or shared memory that no command uses.
    pub fn bytes(&mut self) -> &mut [u8] {
        // SAFETY: the allocation is as large, lives as long as this, and any bits are a byte.
        unsafe { std::slice::from_raw_parts_mut(self.at.cast(), self.size) }
    }

    /// Answers a query about the allocation that holds an address.
    ///
    /// # Errors
    /// When it is not answered, or not with one value.
    #[track_caller]
    pub fn info<T: crate::info::Plain>(&self, query: ur_usm_alloc_info_t) -> Result<T, Stop> {
        crate::info::value("urUSMGetMemAllocInfo", |size, value, out| {
            ur!(urUSMGetMemAllocInfo(
                self.context,
                self.at,
                query,
                size,
                value,
                out
            ))
        })
    }

    /// Frees it, and says how that went.
    ///
    /// # Errors
    /// When the call does not succeed.
    #[track_caller]
    pub fn free(self) -> Result<(), Stop> {
        let (context, at) = (self.context, self.at);
        std::mem::forget(self);
        check("urUSMFree", UR_RESULT_SUCCESS, ur!(urUSMFree(context, at)))?;
        Ok(())
    }
}

impl Drop for Usm {
    fn drop(&mut self) {
        let code = ur!(urUSMFree(self.context, self.at));
        if code != UR_RESULT_SUCCESS {
            problem(format!("urUSMFree returned {code}"));
        }
    }
}
