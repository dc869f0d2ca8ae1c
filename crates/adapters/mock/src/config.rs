//! How many platforms and devices the mock has.

use std::sync::atomic::{AtomicU32, Ordering};
use ur_api::{UR_RESULT_ERROR_INVALID_VALUE, UR_RESULT_SUCCESS, ur_result_t};

/// Most platforms, and most devices of each.
pub const LIMIT: u32 = 64;

static PLATFORMS: AtomicU32 = AtomicU32::new(1);
static DEVICES: AtomicU32 = AtomicU32::new(1);

/// Sets the number of platforms and of devices on each. It counts for the first `urPlatformGet`;
/// later calls change nothing.
#[unsafe(no_mangle)]
pub extern "C" fn ur_mock_configure(platforms: u32, devices: u32) -> ur_result_t {
    if platforms > LIMIT || devices > LIMIT {
        return UR_RESULT_ERROR_INVALID_VALUE;
    }
    PLATFORMS.store(platforms, Ordering::Relaxed);
    DEVICES.store(devices, Ordering::Relaxed);
    UR_RESULT_SUCCESS
}

pub(crate) fn platforms() -> u32 {
    PLATFORMS.load(Ordering::Relaxed)
}

pub(crate) fn devices() -> u32 {
    DEVICES.load(Ordering::Relaxed)
}
