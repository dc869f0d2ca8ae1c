//! Events, their pools and what they measure.

use super::*;

structures! {
    desc ze_event_pool_desc_t: ZE_STRUCTURE_TYPE_EVENT_POOL_DESC {
        flags: u32,
        count: u32,
    }
    /// Behind `ze_event_pool_desc_t` (`ZE_experimental_event_pool_counter_based`, 1.8).
    desc ze_event_pool_counter_based_exp_desc_t: ZE_STRUCTURE_TYPE_COUNTER_BASED_EVENT_POOL_EXP_DESC {
        flags: u32,
    }
    desc ze_event_desc_t: ZE_STRUCTURE_TYPE_EVENT_DESC {
        index: u32,
        signal: u32,
        wait: u32,
    }
    /// Of an event without a pool that counts the commands of in-order lists (1.15).
    desc ze_event_counter_based_desc_t: ZE_STRUCTURE_TYPE_EVENT_COUNTER_BASED_DESC {
        flags: u32,
        signal: u32,
        wait: u32,
    }
    /// For `zeEventQueryKernelTimestampsExt` (1.6).
    properties ze_event_query_kernel_timestamps_results_ext_properties_t:
    ZE_STRUCTURE_TYPE_EVENT_QUERY_KERNEL_TIMESTAMPS_RESULTS_EXT_PROPERTIES {
        pKernelTimestampsBuffer: *mut ze_kernel_timestamp_result_t,
        pSynchronizedTimestampsBuffer: *mut ze_kernel_timestamp_result_t,
    }
    /// Behind `ze_device_properties_t` (1.6).
    properties ze_event_query_kernel_timestamps_ext_properties_t:
    ZE_STRUCTURE_TYPE_EVENT_QUERY_KERNEL_TIMESTAMPS_EXT_PROPERTIES {
        flags: u32,
    }
}

/// Begin and end of a command, in ticks of the device.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ze_kernel_timestamp_data_t {
    pub kernelStart: u64,
    pub kernelEnd: u64,
}

/// Begin and end of a command by the device's clock and by that of its context.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ze_kernel_timestamp_result_t {
    pub global: ze_kernel_timestamp_data_t,
    pub context: ze_kernel_timestamp_data_t,
}
