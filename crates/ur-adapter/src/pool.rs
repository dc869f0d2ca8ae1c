//! Pools that devices allocate from: what the API's functions for them do in every adapter that has
//! such pools, and the account of what they keep.

mod account;
mod blocks;

use crate::{Backend, Error, Handle, Info, Object, Result, Value};
use std::ffi::c_void;
use std::mem::MaybeUninit;
use ur_api::*;

pub use account::{Account, Taken};
pub use blocks::Block;

type Context<P> = Object<<<P as Value>::Backend as Backend>::Context>;
type Device<P> = Object<<<P as Value>::Backend as Backend>::Device>;

/// A pool of an adapter whose devices allocate from pools. With it,
/// [`device_pools!`](crate::device_pools) gives the adapter the functions for them.
pub trait DevicePool: Value {
    /// The pool that a description asks for.
    ///
    /// # Errors
    /// What is wrong with the description.
    fn create(context: &Context<Self>, desc: &ur_usm_pool_desc_t) -> Result<Handle<Self>>;

    /// Refuses a device that is none of the context.
    ///
    /// # Errors
    /// `INVALID_DEVICE`.
    fn check_device(context: &Context<Self>, device: &Device<Self>) -> Result;

    /// The pool that a device of the context begins with, which belongs to the context.
    ///
    /// # Errors
    /// `INVALID_DEVICE` for a device of another context; `UNSUPPORTED_FEATURE` without USM.
    fn default_of(context: &Context<Self>, device: &Device<Self>) -> Result<Handle<Self>>;

    /// The pool that a device allocates from.
    ///
    /// # Errors
    /// As [`Self::default_of`].
    fn current_of(context: &Context<Self>, device: &Device<Self>) -> Result<Handle<Self>>;

    /// Makes a pool of the context the one that a device allocates from.
    ///
    /// # Errors
    /// As [`Self::default_of`].
    fn choose(context: &Context<Self>, device: &Device<Self>, pool: &Object<Self>) -> Result;

    /// Whether it is a pool of `context`.
    fn is_of(&self, context: &Context<Self>) -> bool;

    /// Whether it is the one that a device begins with.
    fn is_default(&self) -> bool;

    /// Answers a query.
    ///
    /// # Errors
    /// `UNSUPPORTED_ENUMERATION`.
    fn info(&self, name: ur_usm_pool_info_t, info: &mut Info<'_>) -> Result;

    /// Changes a number.
    ///
    /// # Errors
    /// `UNSUPPORTED_ENUMERATION` for what cannot be changed, `INVALID_VALUE`.
    fn set_number(&self, name: ur_usm_pool_info_t, value: usize) -> Result;

    /// Gives unused memory back until no more than `least` bytes are held or none is unused.
    fn trim(&self, least: usize);
}

/// Refuses a device or a pool of another context.
///
/// # Errors
/// `INVALID_DEVICE`, `INVALID_VALUE`.
pub fn check<P: DevicePool>(context: &Context<P>, device: &Device<P>, pool: &Object<P>) -> Result {
    P::check_device(context, device)?;
    match pool.is_of(context) {
        true => Ok(()),
        false => Err(Error::value("the pool does not belong to the context")),
    }
}

/// A handle that the program gets without owning it: the API has no call to give back the pool that a
/// query told.
pub fn lend<P: DevicePool>(pool: Handle<P>) -> Handle<P> {
    // SAFETY: the context has a reference to a default pool, and the program to any other; the one
    // made here ends with `pool`, and that one is passed out without ever being dropped.
    unsafe { Handle::from_owned(&pool) }
}

/// Destroys a pool that the program made.
///
/// # Errors
/// As [`check`]; `INVALID_VALUE` for a default pool.
pub fn destroy<P: DevicePool>(
    context: &Context<P>,
    device: &Device<P>,
    pool: &Object<P>,
) -> Result {
    check(context, device, pool)?;
    if pool.is_default() {
        return Err(Error::value("a default pool goes with its context"));
    }
    // SAFETY: the program gives its reference up with this call.
    drop(unsafe { Handle::from_owned(pool) });
    Ok(())
}

/// Answers a query whose caller does not say how much room there is.
///
/// # Errors
/// As [`DevicePool::info`].
///
/// # Safety
/// There is room for the answer, or none.
pub unsafe fn info<P: DevicePool>(
    pool: &Object<P>,
    name: ur_usm_pool_info_t,
    value: *mut c_void,
    told: Option<&mut MaybeUninit<usize>>,
) -> Result {
    let is_count = name == UR_USM_POOL_INFO_REFERENCE_COUNT;
    let size = match is_count {
        true => size_of::<u32>(),
        false => size_of::<usize>(),
    };
    // SAFETY: forwarded; the query says the size.
    let info = &mut unsafe { Info::of_size(size, value, told) }?;
    match is_count {
        true => info.value(pool.count()),
        false => pool.info(name, info),
    }
}

/// Changes a number of a pool.
///
/// # Errors
/// As [`DevicePool::set_number`]; `INVALID_SIZE` for a value of another size.
///
/// # Safety
/// The value has its size.
pub unsafe fn set_info<P: DevicePool>(
    pool: &Object<P>,
    name: ur_usm_pool_info_t,
    value: *mut c_void,
    size: usize,
) -> Result {
    if size != size_of::<usize>() {
        return Err(Error::code(UR_RESULT_ERROR_INVALID_SIZE));
    }
    // SAFETY: as the caller says.
    let value = unsafe { value.cast::<usize>().read_unaligned() };
    pool.set_number(name, value)
}

/// The functions for pools of devices, inside of an adapter's `impl UsmExpFns`.
#[macro_export]
macro_rules! device_pools {
    () => {
        fn usm_pool_create_exp(
            context: &$crate::Object<Self::Context>,
            device: &$crate::Object<Self::Device>,
            pool_desc: &$crate::ur_api::ur_usm_pool_desc_t,
        ) -> $crate::Result<$crate::Handle<Self::UsmPool>> {
            <Self::UsmPool as $crate::pool::DevicePool>::check_device(context, device)?;
            <Self::UsmPool as $crate::pool::DevicePool>::create(context, pool_desc)
        }

        fn usm_pool_destroy_exp(
            context: &$crate::Object<Self::Context>,
            device: &$crate::Object<Self::Device>,
            pool: &$crate::Object<Self::UsmPool>,
        ) -> $crate::Result {
            $crate::pool::destroy(context, device, pool)
        }

        fn usm_pool_get_default_device_pool_exp(
            context: &$crate::Object<Self::Context>,
            device: &$crate::Object<Self::Device>,
        ) -> $crate::Result<$crate::Handle<Self::UsmPool>> {
            let pool = <Self::UsmPool as $crate::pool::DevicePool>::default_of(context, device);
            pool.map($crate::pool::lend)
        }

        unsafe fn usm_pool_get_info_exp(
            pool: &$crate::Object<Self::UsmPool>,
            prop_name: $crate::ur_api::ur_usm_pool_info_t,
            prop_value: *mut ::std::ffi::c_void,
            prop_size_ret: Option<&mut ::std::mem::MaybeUninit<usize>>,
        ) -> $crate::Result {
            // SAFETY: the program passes room for the answer.
            unsafe { $crate::pool::info(pool, prop_name, prop_value, prop_size_ret) }
        }

        unsafe fn usm_pool_set_info_exp(
            pool: &$crate::Object<Self::UsmPool>,
            prop_name: $crate::ur_api::ur_usm_pool_info_t,
            prop_value: *mut ::std::ffi::c_void,
            prop_size: usize,
        ) -> $crate::Result {
            // SAFETY: the program passes a value of that size.
            unsafe { $crate::pool::set_info(pool, prop_name, prop_value, prop_size) }
        }

        fn usm_pool_set_device_pool_exp(
            context: &$crate::Object<Self::Context>,
            device: &$crate::Object<Self::Device>,
            pool: &$crate::Object<Self::UsmPool>,
        ) -> $crate::Result {
            $crate::pool::check(context, device, pool)?;
            $crate::pool::DevicePool::choose(context, device, pool)
        }

        fn usm_pool_get_device_pool_exp(
            context: &$crate::Object<Self::Context>,
            device: &$crate::Object<Self::Device>,
        ) -> $crate::Result<$crate::Handle<Self::UsmPool>> {
            let pool = <Self::UsmPool as $crate::pool::DevicePool>::current_of(context, device);
            pool.map($crate::pool::lend)
        }

        fn usm_pool_trim_to_exp(
            context: &$crate::Object<Self::Context>,
            device: &$crate::Object<Self::Device>,
            pool: &$crate::Object<Self::UsmPool>,
            min_bytes_to_keep: usize,
        ) -> $crate::Result {
            $crate::pool::check(context, device, pool)?;
            $crate::pool::DevicePool::trim(&**pool, min_bytes_to_keep);
            Ok(())
        }
    };
}
