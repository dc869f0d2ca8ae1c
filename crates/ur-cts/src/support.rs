//! Which query of a device says whether a function is supported.

use crate::world::Cx;
use ur_api::*;

/// How a query says it.
enum Says {
    /// By a truth value.
    Truth(ur_device_info_t),
    /// By a set of bits or a number that is not 0.
    More(ur_device_info_t),
}
use Says::{More, Truth};

/// The query behind a function, if one is.
fn query(call: &str) -> Option<Says> {
    let begins = |prefix: &str| call.starts_with(prefix);
    Some(match call {
        "urUSMHostAlloc" => More(UR_DEVICE_INFO_USM_HOST_SUPPORT),
        "urUSMDeviceAlloc" => More(UR_DEVICE_INFO_USM_DEVICE_SUPPORT),
        "urUSMSharedAlloc" => More(UR_DEVICE_INFO_USM_SINGLE_SHARED_SUPPORT),
        "urMemImageCreate" | "urMemImageGetInfo" | "urSamplerCreate" | "urSamplerRetain"
        | "urSamplerRelease" | "urSamplerGetInfo" => Truth(UR_DEVICE_INFO_IMAGE_SUPPORT),
        "urEnqueueTimestampRecordingExp" => Truth(UR_DEVICE_INFO_TIMESTAMP_RECORDING_SUPPORT_EXP),
        "urEnqueueNativeCommandExp" => Truth(UR_DEVICE_INFO_ENQUEUE_NATIVE_COMMAND_SUPPORT_EXP),
        "urUSMPoolCreate" | "urUSMPoolRetain" | "urUSMPoolRelease" | "urUSMPoolGetInfo" => {
            Truth(UR_DEVICE_INFO_USM_POOL_SUPPORT)
        }
        _ if begins("urVirtualMem") || begins("urPhysicalMem") => {
            Truth(UR_DEVICE_INFO_VIRTUAL_MEMORY_SUPPORT)
        }
        _ if begins("urCommandBuffer") || call == "urEnqueueCommandBufferExp" => {
            Truth(UR_DEVICE_INFO_COMMAND_BUFFER_SUPPORT_EXP)
        }
        _ if begins("urGraph") || begins("urQueueBeginGraph") || begins("urQueueEndGraph") => {
            Truth(UR_DEVICE_INFO_GRAPH_RECORD_AND_REPLAY_SUPPORT_EXP)
        }
        "urEnqueueGraphExp" => Truth(UR_DEVICE_INFO_GRAPH_RECORD_AND_REPLAY_SUPPORT_EXP),
        "urEnqueueHostTaskExp" => Truth(UR_DEVICE_INFO_ENQUEUE_HOST_TASK_SUPPORT_EXP),
        "urDeviceWaitExp" => Truth(UR_DEVICE_INFO_DEVICE_WAIT_SUPPORT_EXP),
        "urProgramDynamicLinkExp" => Truth(UR_DEVICE_INFO_DYNAMIC_LINK_SUPPORT_EXP),
        "urUSMContextMemcpyExp" => Truth(UR_DEVICE_INFO_USM_CONTEXT_MEMCPY_SUPPORT_EXP),
        _ if begins("urUSMHostAllocRegister") || begins("urUSMHostAllocUnregister") => {
            Truth(UR_DEVICE_INFO_USM_HOST_ALLOC_REGISTER_SUPPORT_EXP)
        }
        _ if begins("urUsmP2P") => Truth(UR_DEVICE_INFO_USM_P2P_SUPPORT_EXP),
        _ if begins("urBindlessImages") => Truth(UR_DEVICE_INFO_BINDLESS_IMAGES_SUPPORT_EXP),
        _ if begins("urEnqueueUSM") && call.contains("Alloc") || call == "urEnqueueUSMFreeExp" => {
            Truth(UR_DEVICE_INFO_ASYNC_USM_ALLOCATIONS_SUPPORT_EXP)
        }
        _ => return None,
    })
}

/// The query of the test's device that says whether a function is supported, and what it says; none
/// where no query says so, or the test has no device.
pub(crate) fn claimed(call: &str, cx: &Cx) -> Option<(ur_device_info_t, bool)> {
    if !cx.has_device() {
        return None;
    }
    match query(call)? {
        Truth(query) => Some((query, cx.has(query).unwrap_or(false))),
        More(query) => {
            let bits = cx.device_info::<u32>(query).ok().flatten();
            Some((query, bits.unwrap_or(0) != 0))
        }
    }
}
