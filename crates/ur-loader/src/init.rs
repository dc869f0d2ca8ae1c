//! `urLoaderInit`, `urLoaderTearDown` and `urAdapterGet`.

use crate::guard::guard;
use crate::{config, dispatch, layers, state};
use ur_api::{
    UR_DEVICE_INIT_FLAGS_MASK, UR_RESULT_ERROR_INVALID_ENUMERATION, UR_RESULT_ERROR_INVALID_SIZE,
    ur_adapter_handle_t, ur_device_init_flags_t, ur_loader_config_handle_t, ur_result_t,
};

/// Reads what the program and its environment want, once: each further call only counts, and needs
/// its own teardown. Flags other than 0 leave out the adapters that cannot have a device of these
/// kinds. Libraries are opened by the first `urAdapterGet`.
///
/// # Safety
/// The configuration is null or live.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn urLoaderInit(
    device_flags: ur_device_init_flags_t,
    hLoaderConfig: ur_loader_config_handle_t,
) -> ur_result_t {
    guard(|| {
        if device_flags & UR_DEVICE_INIT_FLAGS_MASK != 0 {
            return Err(UR_RESULT_ERROR_INVALID_ENUMERATION);
        }
        // SAFETY: the same is asked of the caller.
        let wishes = unsafe { config::wishes(hLoaderConfig) };
        state::initialise(device_flags, wishes.mocking, || {
            layers::turn_on(wishes.layers, wishes.location);
        })
    })
}

/// Takes one `urLoaderInit` back; UNINITIALIZED when there is none.
///
/// # Safety
/// After the last one, no handle is used any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn urLoaderTearDown() -> ur_result_t {
    guard(state::tear_down)
}

/// `urAdapterGet`: gets the handles of all adapters, each with one reference for the caller. The
/// first call after an initialisation opens their libraries.
///
/// # Safety
/// `phAdapters` is null or has room for `NumEntries` handles; `pNumAdapters` is null or may be
/// written.
pub unsafe extern "C" fn adapter_get(
    NumEntries: u32,
    phAdapters: *mut ur_adapter_handle_t,
    pNumAdapters: *mut u32,
) -> ur_result_t {
    let result = guard(|| {
        if NumEntries == 0 && !phAdapters.is_null() {
            return Err(UR_RESULT_ERROR_INVALID_SIZE);
        }
        let room = if phAdapters.is_null() {
            &mut []
        } else {
            // SAFETY: not null, so there is room for that many; the caller's memory may be
            // uninitialised, which pointers do not mind as long as nobody reads them.
            unsafe {
                phAdapters.write_bytes(0, NumEntries as usize);
                std::slice::from_raw_parts_mut(phAdapters, NumEntries as usize)
            }
        };
        let total = state::adapter_handles(room)?;
        if !pNumAdapters.is_null() {
            // SAFETY: not null, so it may be written.
            unsafe { *pNumAdapters = total };
        }
        Ok(())
    });
    dispatch::created_many(result, phAdapters, NumEntries);
    result
}
