//! How Level Zero's loader reaches the driver: the tables that it asks for. The order of their slots is
//! Level Zero's, as of version 1.4; a loader of a later version has slots behind them, which stay empty.

use crate::call::code;
use crate::ze::*;
use crate::{command_list::*, command_queue::*, context::*, device::*, driver::*, event::*};
use crate::{event_pool::*, fence::*, image::*, kernel::*, memory::*, module::*};
use crate::{physical_mem::*, sampler::*, virtual_mem::*};
use std::ffi::c_void;

/// A slot of a table: the version that it came with, and the function, if the driver has it.
macro_rules! slot {
    (-) => {
        None::<*const c_void>
    };
    ($function:ident) => {
        Some($function as *const c_void)
    };
}

/// Fills a table for a loader of a version: slots that came later are not there.
///
/// # Safety
/// `table` is null or such a table.
unsafe fn fill(
    version: ze_api_version_t,
    table: *mut *const c_void,
    slots: &[(u32, Option<*const c_void>)],
) -> ze_result_t {
    if table.is_null() {
        return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    }
    if version >> 16 != 1 {
        return ZE_RESULT_ERROR_UNSUPPORTED_VERSION;
    }
    let slots = slots.iter().enumerate();
    for (place, (since, function)) in slots {
        if version & 0xffff < *since {
            break;
        }
        // SAFETY: as the caller says.
        unsafe { table.add(place).write(function.unwrap_or(std::ptr::null())) };
    }
    code(Ok(()))
}

macro_rules! tables {
    (
        $($get:ident { $($since:literal: [$($slot:tt)*])* })*
        @other { $($other:ident)* }
    ) => {
        $(
            /// Fills a table of the loader's.
            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn $get(
                version: ze_api_version_t,
                table: *mut *const c_void,
            ) -> ze_result_t {
                let slots = [$($(($since, slot!($slot)),)*)*];
                // SAFETY: as the caller says.
                unsafe { fill(version, table, &slots) }
            }
        )*

        /// The function of a name, if there is one.
        pub fn function(name: &str) -> Option<*const c_void> {
            $($($(if name == stringify!($slot) {
                return slot!($slot);
            })*)*)*
            $(if name == stringify!($other) {
                return slot!($other);
            })*
            None
        }
    };
}

tables! {
    zeGetGlobalProcAddrTable {
        0: [zeInit]
    }
    zeGetDriverProcAddrTable {
        0: [zeDriverGet zeDriverGetApiVersion zeDriverGetProperties zeDriverGetIpcProperties
            zeDriverGetExtensionProperties zeDriverGetExtensionFunctionAddress]
    }
    zeGetDeviceProcAddrTable {
        0: [zeDeviceGet zeDeviceGetSubDevices zeDeviceGetProperties
            zeDeviceGetComputeProperties zeDeviceGetModuleProperties
            zeDeviceGetCommandQueueGroupProperties zeDeviceGetMemoryProperties
            zeDeviceGetMemoryAccessProperties zeDeviceGetCacheProperties
            zeDeviceGetImageProperties zeDeviceGetExternalMemoryProperties
            zeDeviceGetP2PProperties zeDeviceCanAccessPeer zeDeviceGetStatus
            zeDeviceGetGlobalTimestamps]
        2: [zeDeviceReserveCacheExt -]
        3: [zeDevicePciGetPropertiesExt]
    }
    zeGetDeviceExpProcAddrTable {
        0: [-]
    }
    zeGetContextProcAddrTable {
        0: [zeContextCreate zeContextDestroy zeContextGetStatus zeContextSystemBarrier
            zeContextMakeMemoryResident zeContextEvictMemory zeContextMakeImageResident
            zeContextEvictImage]
        1: [zeContextCreateEx]
    }
    zeGetCommandQueueProcAddrTable {
        0: [zeCommandQueueCreate zeCommandQueueDestroy zeCommandQueueExecuteCommandLists
            zeCommandQueueSynchronize]
    }
    zeGetCommandListProcAddrTable {
        0: [zeCommandListCreate zeCommandListCreateImmediate zeCommandListDestroy
            zeCommandListClose zeCommandListReset zeCommandListAppendWriteGlobalTimestamp
            zeCommandListAppendBarrier zeCommandListAppendMemoryRangesBarrier
            zeCommandListAppendMemoryCopy zeCommandListAppendMemoryFill
            zeCommandListAppendMemoryCopyRegion zeCommandListAppendMemoryCopyFromContext
            zeCommandListAppendImageCopy zeCommandListAppendImageCopyRegion
            zeCommandListAppendImageCopyToMemory zeCommandListAppendImageCopyFromMemory
            zeCommandListAppendMemoryPrefetch zeCommandListAppendMemAdvise
            zeCommandListAppendSignalEvent zeCommandListAppendWaitOnEvents
            zeCommandListAppendEventReset zeCommandListAppendQueryKernelTimestamps
            zeCommandListAppendLaunchKernel zeCommandListAppendLaunchCooperativeKernel
            zeCommandListAppendLaunchKernelIndirect
            zeCommandListAppendLaunchMultipleKernelsIndirect]
        3: [zeCommandListAppendImageCopyToMemoryExt
            zeCommandListAppendImageCopyFromMemoryExt]
    }
    zeGetImageProcAddrTable {
        0: [zeImageGetProperties zeImageCreate zeImageDestroy -]
    }
    zeGetImageExpProcAddrTable {
        0: [zeImageGetMemoryPropertiesExp zeImageViewCreateExp]
    }
    zeGetFenceProcAddrTable {
        0: [zeFenceCreate zeFenceDestroy zeFenceHostSynchronize zeFenceQueryStatus
            zeFenceReset]
    }
    zeGetEventPoolProcAddrTable {
        0: [zeEventPoolCreate zeEventPoolDestroy zeEventPoolGetIpcHandle
            zeEventPoolOpenIpcHandle zeEventPoolCloseIpcHandle]
    }
    zeGetEventProcAddrTable {
        0: [zeEventCreate zeEventDestroy zeEventHostSignal zeEventHostSynchronize
            zeEventQueryStatus zeEventHostReset zeEventQueryKernelTimestamp]
    }
    zeGetEventExpProcAddrTable {
        2: [zeEventQueryTimestampsExp]
    }
    zeGetModuleProcAddrTable {
        0: [zeModuleCreate zeModuleDestroy zeModuleDynamicLink zeModuleGetNativeBinary
            zeModuleGetGlobalPointer zeModuleGetKernelNames zeModuleGetProperties
            zeModuleGetFunctionPointer]
        3: [zeModuleInspectLinkageExt]
    }
    zeGetModuleBuildLogProcAddrTable {
        0: [zeModuleBuildLogDestroy zeModuleBuildLogGetString]
    }
    zeGetKernelProcAddrTable {
        0: [zeKernelCreate zeKernelDestroy zeKernelSetCacheConfig zeKernelSetGroupSize
            zeKernelSuggestGroupSize zeKernelSuggestMaxCooperativeGroupCount
            zeKernelSetArgumentValue zeKernelSetIndirectAccess zeKernelGetIndirectAccess
            zeKernelGetSourceAttributes zeKernelGetProperties zeKernelGetName]
    }
    zeGetKernelExpProcAddrTable {
        0: [zeKernelSetGlobalOffsetExp zeKernelSchedulingHintExp]
    }
    zeGetSamplerProcAddrTable {
        0: [zeSamplerCreate zeSamplerDestroy]
    }
    zeGetPhysicalMemProcAddrTable {
        0: [zePhysicalMemCreate zePhysicalMemDestroy]
    }
    zeGetMemProcAddrTable {
        0: [zeMemAllocShared zeMemAllocDevice zeMemAllocHost zeMemFree
            zeMemGetAllocProperties zeMemGetAddressRange zeMemGetIpcHandle
            zeMemOpenIpcHandle zeMemCloseIpcHandle]
        3: [zeMemFreeExt]
    }
    zeGetVirtualMemProcAddrTable {
        0: [zeVirtualMemReserve zeVirtualMemFree zeVirtualMemQueryPageSize zeVirtualMemMap
            zeVirtualMemUnmap zeVirtualMemSetAccessAttribute zeVirtualMemGetAccessAttribute]
    }
    zeGetFabricVertexExpProcAddrTable {
        0: [- - - -]
    }
    zeGetFabricEdgeExpProcAddrTable {
        0: [- - -]
    }
    @other {
        zeCommandListAppendLaunchKernelWithArguments zeCommandListGetContextHandle
        zeCommandListGetDeviceHandle zeCommandListGetNextCommandIdExp
        zeCommandListGetNextCommandIdWithKernelsExp zeCommandListGetOrdinal
        zeCommandListHostSynchronize zeCommandListImmediateAppendCommandListsExp
        zeCommandListImmediateGetIndex zeCommandListIsImmediate
        zeCommandListUpdateMutableCommandKernelsExp
        zeCommandListUpdateMutableCommandSignalEventExp
        zeCommandListUpdateMutableCommandWaitEventsExp zeCommandListUpdateMutableCommandsExp
        zeCommandQueueGetIndex zeCommandQueueGetOrdinal zeDeviceGetRootDevice
        zeDeviceGetVectorWidthPropertiesExt zeDeviceSynchronize zeDriverGetLastErrorDescription
        zeEventCounterBasedCreate zeEventGetEventPool zeEventPoolGetFlags
        zeEventPoolPutIpcHandle zeEventQueryKernelTimestampsExt zeImageViewCreateExt
        zeInitDrivers zeIntelGetDriverVersionString zeMemGetFileDescriptorFromIpcHandleExp
        zeMemGetIpcHandleFromFileDescriptorExp zeMemPutIpcHandle
        zeMemSetAtomicAccessAttributeExp zelLoaderTranslateHandle
        zexDriverGetHostPointerBaseAddress zexDriverImportExternalPointer
        zexDriverReleaseImportedPointer
    }
}

/// Tables of tools and of system management: a loader wants to be given them, and the driver has none of
/// their functions.
macro_rules! empty {
    ($($get:ident)*) => {$(
        /// Leaves a table of the loader's empty.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $get(
            version: ze_api_version_t,
            table: *mut *const c_void,
        ) -> ze_result_t {
            // SAFETY: nothing is written.
            unsafe { fill(version, table, &[]) }
        }
    )*};
}

empty! {
    zesGetDeviceProcAddrTable zesGetDiagnosticsProcAddrTable zesGetDriverProcAddrTable
    zesGetEngineProcAddrTable zesGetFabricPortProcAddrTable zesGetFanProcAddrTable
    zesGetFirmwareProcAddrTable zesGetFrequencyProcAddrTable zesGetLedProcAddrTable
    zesGetMemoryProcAddrTable zesGetPerformanceFactorProcAddrTable zesGetPowerProcAddrTable
    zesGetPsuProcAddrTable zesGetRasProcAddrTable zesGetSchedulerProcAddrTable
    zesGetStandbyProcAddrTable zesGetTemperatureProcAddrTable zetGetCommandListProcAddrTable
    zetGetContextProcAddrTable zetGetDebugProcAddrTable zetGetDeviceProcAddrTable
    zetGetKernelProcAddrTable zetGetMetricGroupExpProcAddrTable zetGetMetricGroupProcAddrTable
    zetGetMetricProcAddrTable zetGetMetricQueryPoolProcAddrTable zetGetMetricQueryProcAddrTable
    zetGetMetricStreamerProcAddrTable zetGetModuleProcAddrTable zetGetTracerExpProcAddrTable
}
