//! Deliberate faults, for the test of a test suite: does it see each of them?
//!
//! With the feature `faults`, the adapter's table has the functions below in the place of some of
//! its own. They do what the adapter does but for one mistake, the one that the environment
//! variable `UR_NATIVE_CPU_FAULT` names; [`ur_native_cpu_fault`] lists them. Never part of a
//! library for users.

use crate::NativeCpu;
use std::ffi::{c_char, c_void};
use std::sync::OnceLock;
use ur_adapter::generated::table::table as sound_table;
use ur_api::*;

/// What the adapter does without a fault.
static SOUND: ur_dditable_t = sound_table::<NativeCpu>();

/// The name of the fault that this process has; empty without.
fn chosen() -> &'static str {
    static CHOSEN: OnceLock<String> = OnceLock::new();
    CHOSEN.get_or_init(|| std::env::var("UR_NATIVE_CPU_FAULT").unwrap_or_default())
}

/// The names of the faults as C strings, by index from 0; null after the last one.
#[unsafe(no_mangle)]
pub extern "C" fn ur_native_cpu_fault(index: usize) -> *const c_char {
    NAMES
        .get(index)
        .map_or(std::ptr::null(), |name| name.as_ptr().cast())
}

/// Functions with faults: what a fault does `before` the adapter's own function (mostly to its
/// arguments), `instead` of it, or `after` it (to what it returned).
macro_rules! faulty {
    ($(
        fn $name:ident = $table:ident.$slot:ident($($arg:ident: $type:ty),* $(,)?)
        $(before $before:literal $do_before:block)*
        $(instead $instead:literal $do_instead:block)*
        $(after $after:literal |$result:ident| $do_after:block)*
    )*) => {
        /// The table that has the faults.
        pub const fn table() -> ur_dditable_t {
            let mut table = sound_table::<NativeCpu>();
            $(table.$table.$slot = Some($name);)*
            table
        }

        /// All faults, with a NUL at the end of each name.
        const NAMES: &[&str] = &[$(
            $(concat!($before, "\0"),)*
            $(concat!($instead, "\0"),)*
            $(concat!($after, "\0"),)*
        )*];

        $(
            #[allow(non_snake_case, unused_mut, reason = "the API's names; few faults change one")]
            unsafe extern "C" fn $name($(mut $arg: $type),*) -> ur_result_t {
                $(if chosen() == $before { $do_before })*
                $(if chosen() == $instead { return $do_instead; })*
                let Some(sound) = SOUND.$table.$slot else {
                    return UR_RESULT_ERROR_UNSUPPORTED_FEATURE;
                };
                // SAFETY: the caller's arguments, or what a fault made of them, which stays within
                // what they describe.
                let result = unsafe { sound($($arg),*) };
                $(if chosen() == $after { let $result = result; return $do_after; })*
                result
            }
        )*
    };
}

/// Changes a value that a function wrote, if it wrote one.
///
/// # Safety
/// `value` is null or the caller gave it for a `T`, and the function that was to write it succeeded.
unsafe fn change<T: Copy>(value: *mut c_void, change: impl FnOnce(T) -> T) {
    let value = value.cast::<T>();
    if !value.is_null() {
        // SAFETY: as the caller says.
        unsafe { value.write_unaligned(change(value.read_unaligned())) };
    }
}

/// The sizes of a wait list and of what else a fault takes away.
const NONE: u32 = 0;

faulty! {
    // Counts.
    fn context_retain = Context.pfnRetain(hContext: ur_context_handle_t)
        instead "context-retain-forgotten" { UR_RESULT_SUCCESS }
    fn context_release = Context.pfnRelease(hContext: ur_context_handle_t)
        instead "context-release-forgotten" { UR_RESULT_SUCCESS }
    fn queue_retain = Queue.pfnRetain(hQueue: ur_queue_handle_t)
        instead "queue-retain-forgotten" { UR_RESULT_SUCCESS }
    fn event_retain = Event.pfnRetain(hEvent: ur_event_handle_t)
        instead "event-retain-forgotten" { UR_RESULT_SUCCESS }
    fn mem_retain = Mem.pfnRetain(hMem: ur_mem_handle_t)
        before "mem-retain-twice" {
            if let Some(sound) = SOUND.Mem.pfnRetain {
                // SAFETY: the caller's handle.
                unsafe { sound(hMem) };
            }
        }
    fn program_release = Program.pfnRelease(hProgram: ur_program_handle_t)
        instead "program-release-forgotten" { UR_RESULT_SUCCESS }
    fn sampler_retain = Sampler.pfnRetain(hSampler: ur_sampler_handle_t)
        instead "sampler-retain-forgotten" { UR_RESULT_SUCCESS }
    fn pool_retain = USM.pfnPoolRetain(pPool: ur_usm_pool_handle_t)
        instead "pool-retain-forgotten" { UR_RESULT_SUCCESS }

    // Queries.
    fn device_get = Device.pfnGet(
        hPlatform: ur_platform_handle_t, DeviceType: ur_device_type_t, NumEntries: u32,
        phDevices: *mut ur_device_handle_t, pNumDevices: *mut u32,
    )
        before "device-type-ignored" { DeviceType = UR_DEVICE_TYPE_ALL; }
        after "device-count-one-more" |result| {
            // SAFETY: the place for a number, which was written.
            unsafe { change::<u32>(pNumDevices.cast(), |number| number + 1) };
            result
        }
    fn device_info = Device.pfnGetInfo(
        hDevice: ur_device_handle_t, propName: ur_device_info_t, propSize: usize,
        pPropValue: *mut c_void, pPropSizeRet: *mut usize,
    )
        after "device-name-without-its-end" |result| {
            if propName == UR_DEVICE_INFO_NAME && result == UR_RESULT_SUCCESS {
                // SAFETY: the place for a size, which was written.
                unsafe { change::<usize>(pPropSizeRet.cast(), |size| size - 1) };
            }
            result
        }
        after "device-info-short-buffer-taken" |result| {
            if result == UR_RESULT_ERROR_INVALID_SIZE { UR_RESULT_SUCCESS } else { result }
        }
        after "device-info-unknown-taken" |result| {
            if result == UR_RESULT_ERROR_UNSUPPORTED_ENUMERATION { UR_RESULT_SUCCESS } else { result }
        }
    fn context_info = Context.pfnGetInfo(
        hContext: ur_context_handle_t, propName: ur_context_info_t, propSize: usize,
        pPropValue: *mut c_void, pPropSizeRet: *mut usize,
    )
        after "context-device-count-one-more" |result| {
            if propName == UR_CONTEXT_INFO_NUM_DEVICES && result == UR_RESULT_SUCCESS {
                // SAFETY: the value of the query that succeeded.
                unsafe { change::<u32>(pPropValue, |number| number + 1) };
            }
            result
        }
    fn queue_info = Queue.pfnGetInfo(
        hQueue: ur_queue_handle_t, propName: ur_queue_info_t, propSize: usize,
        pPropValue: *mut c_void, pPropSizeRet: *mut usize,
    )
        after "queue-flags-lost" |result| {
            if propName == UR_QUEUE_INFO_FLAGS && result == UR_RESULT_SUCCESS {
                // SAFETY: the value of the query that succeeded.
                unsafe { change::<ur_queue_flags_t>(pPropValue, |_| 0) };
            }
            result
        }
    fn mem_info = Mem.pfnGetInfo(
        hMemory: ur_mem_handle_t, propName: ur_mem_info_t, propSize: usize,
        pPropValue: *mut c_void, pPropSizeRet: *mut usize,
    )
        after "mem-size-one-more" |result| {
            if propName == UR_MEM_INFO_SIZE && result == UR_RESULT_SUCCESS {
                // SAFETY: the value of the query that succeeded.
                unsafe { change::<usize>(pPropValue, |size| size + 1) };
            }
            result
        }
    fn kernel_info = Kernel.pfnGetInfo(
        hKernel: ur_kernel_handle_t, propName: ur_kernel_info_t, propSize: usize,
        pPropValue: *mut c_void, pPropSizeRet: *mut usize,
    )
        after "kernel-argument-count-one-more" |result| {
            if propName == UR_KERNEL_INFO_NUM_ARGS && result == UR_RESULT_SUCCESS {
                // SAFETY: the value of the query that succeeded.
                unsafe { change::<u32>(pPropValue, |number| number + 1) };
            }
            result
        }
    fn usm_info = USM.pfnGetMemAllocInfo(
        hContext: ur_context_handle_t, pMem: *const c_void, propName: ur_usm_alloc_info_t,
        propSize: usize, pPropValue: *mut c_void, pPropSizeRet: *mut usize,
    )
        after "usm-kind-always-shared" |result| {
            if propName == UR_USM_ALLOC_INFO_TYPE && result == UR_RESULT_SUCCESS {
                // SAFETY: the value of the query that succeeded.
                unsafe { change::<ur_usm_type_t>(pPropValue, |_| UR_USM_TYPE_SHARED) };
            }
            result
        }
        after "usm-size-rounded" |result| {
            if propName == UR_USM_ALLOC_INFO_SIZE && result == UR_RESULT_SUCCESS {
                // SAFETY: the value of the query that succeeded.
                unsafe { change::<usize>(pPropValue, |size| size.next_multiple_of(64)) };
            }
            result
        }
    fn event_info = Event.pfnGetInfo(
        hEvent: ur_event_handle_t, propName: ur_event_info_t, propSize: usize,
        pPropValue: *mut c_void, pPropSizeRet: *mut usize,
    )
        after "event-never-complete" |result| {
            if propName == UR_EVENT_INFO_COMMAND_EXECUTION_STATUS && result == UR_RESULT_SUCCESS {
                // SAFETY: the value of the query that succeeded.
                unsafe { change::<ur_event_status_t>(pPropValue, |_| UR_EVENT_STATUS_RUNNING) };
            }
            result
        }
        after "event-command-always-kernel" |result| {
            if propName == UR_EVENT_INFO_COMMAND_TYPE && result == UR_RESULT_SUCCESS {
                // SAFETY: the value of the query that succeeded.
                unsafe { change::<ur_command_t>(pPropValue, |_| UR_COMMAND_KERNEL_LAUNCH) };
            }
            result
        }
    fn profiling_info = Event.pfnGetProfilingInfo(
        hEvent: ur_event_handle_t, propName: ur_profiling_info_t, propSize: usize,
        pPropValue: *mut c_void, pPropSizeRet: *mut usize,
    )
        before "profiling-start-and-end-swapped" {
            propName = match propName {
                UR_PROFILING_INFO_COMMAND_START => UR_PROFILING_INFO_COMMAND_END,
                UR_PROFILING_INFO_COMMAND_QUEUED => UR_PROFILING_INFO_COMMAND_START,
                UR_PROFILING_INFO_COMMAND_END => UR_PROFILING_INFO_COMMAND_QUEUED,
                other => other,
            };
        }
    fn sampler_info = Sampler.pfnGetInfo(
        hSampler: ur_sampler_handle_t, propName: ur_sampler_info_t, propSize: usize,
        pPropValue: *mut c_void, pPropSizeRet: *mut usize,
    )
        after "sampler-filter-always-nearest" |result| {
            if propName == UR_SAMPLER_INFO_FILTER_MODE && result == UR_RESULT_SUCCESS {
                // SAFETY: the value of the query that succeeded.
                unsafe {
 change::<ur_sampler_filter_mode_t>(pPropValue, |_| UR_SAMPLER_FILTER_MODE_NEAREST);
 };
            }
            result
        }

    // Waiting.
    fn event_wait = Event.pfnWait(numEvents: u32, phEventWaitList: *const ur_event_handle_t)
        before "wait-for-the-first-event-only" { numEvents = numEvents.min(1); }
        instead "wait-returns-at-once" { UR_RESULT_SUCCESS }
    fn event_callback = Event.pfnSetCallback(
        hEvent: ur_event_handle_t, execStatus: ur_execution_info_t,
        pfnNotify: ur_event_callback_t, pUserData: *mut c_void,
    )
        before "callback-without-its-data" { pUserData = std::ptr::null_mut(); }
        instead "callback-never-called" { UR_RESULT_SUCCESS }
    fn queue_finish = Queue.pfnFinish(hQueue: ur_queue_handle_t)
        instead "finish-returns-at-once" { UR_RESULT_SUCCESS }
    fn events_wait = Enqueue.pfnEventsWaitWithBarrier(
        hQueue: ur_queue_handle_t, numEventsInWaitList: u32,
        phEventWaitList: *const ur_event_handle_t, phEvent: *mut ur_event_handle_t,
    )
        after "barrier-fails-after-its-work" |result| {
            if result == UR_RESULT_SUCCESS { UR_RESULT_ERROR_UNKNOWN } else { result }
        }

    // Buffers.
    fn buffer_partition = Mem.pfnBufferPartition(
        hBuffer: ur_mem_handle_t, flags: ur_mem_flags_t,
        bufferCreateType: ur_buffer_create_type_t, pRegion: *const ur_buffer_region_t,
        phMem: *mut ur_mem_handle_t,
    )
        instead "sub-buffer-from-the-start" {
            // SAFETY: the caller's region, if any.
            let region = unsafe { pRegion.as_ref() }.map(|region| ur_buffer_region_t { origin: 0, ..*region });
            let region = region.as_ref().map_or(std::ptr::null(), std::ptr::from_ref);
            match SOUND.Mem.pfnBufferPartition {
                // SAFETY: the caller's arguments with a region that is in the buffer, too.
                Some(sound) => unsafe { sound(hBuffer, flags, bufferCreateType, region, phMem) },
                None => UR_RESULT_ERROR_UNSUPPORTED_FEATURE,
            }
        }
    fn buffer_read = Enqueue.pfnMemBufferRead(
        hQueue: ur_queue_handle_t, hBuffer: ur_mem_handle_t, blockingRead: bool, offset: usize,
        size: usize, pDst: *mut c_void, numEventsInWaitList: u32,
        phEventWaitList: *const ur_event_handle_t, phEvent: *mut ur_event_handle_t,
    )
        before "buffer-read-offset-ignored" { offset = 0; }
        after "buffer-read-beyond-the-end-taken" |result| {
            if result == UR_RESULT_ERROR_INVALID_SIZE { UR_RESULT_SUCCESS } else { result }
        }
    fn buffer_write = Enqueue.pfnMemBufferWrite(
        hQueue: ur_queue_handle_t, hBuffer: ur_mem_handle_t, blockingWrite: bool, offset: usize,
        size: usize, pSrc: *const c_void, numEventsInWaitList: u32,
        phEventWaitList: *const ur_event_handle_t, phEvent: *mut ur_event_handle_t,
    )
        before "buffer-write-one-byte-short" { size = size.saturating_sub(1).max(1); }
        before "buffer-write-without-event" { phEvent = std::ptr::null_mut(); }
    fn buffer_copy = Enqueue.pfnMemBufferCopy(
        hQueue: ur_queue_handle_t, hBufferSrc: ur_mem_handle_t, hBufferDst: ur_mem_handle_t,
        srcOffset: usize, dstOffset: usize, size: usize, numEventsInWaitList: u32,
        phEventWaitList: *const ur_event_handle_t, phEvent: *mut ur_event_handle_t,
    )
        before "buffer-copy-source-offset-ignored" { srcOffset = 0; }
    fn buffer_fill = Enqueue.pfnMemBufferFill(
        hQueue: ur_queue_handle_t, hBuffer: ur_mem_handle_t, pPattern: *const c_void,
        patternSize: usize, offset: usize, size: usize, numEventsInWaitList: u32,
        phEventWaitList: *const ur_event_handle_t, phEvent: *mut ur_event_handle_t,
    )
        before "buffer-fill-with-the-first-byte" { patternSize = patternSize.min(1); }
    fn buffer_read_rect = Enqueue.pfnMemBufferReadRect(
        hQueue: ur_queue_handle_t, hBuffer: ur_mem_handle_t, blockingRead: bool,
        bufferOrigin: ur_rect_offset_t, hostOrigin: ur_rect_offset_t, region: ur_rect_region_t,
        bufferRowPitch: usize, bufferSlicePitch: usize, hostRowPitch: usize,
        hostSlicePitch: usize, pDst: *mut c_void, numEventsInWaitList: u32,
        phEventWaitList: *const ur_event_handle_t, phEvent: *mut ur_event_handle_t,
    )
        before "rect-read-one-row-short" { region.height = region.height.saturating_sub(1).max(1); }
        before "rect-read-buffer-origin-ignored" {
            bufferOrigin = ur_rect_offset_t { x: 0, y: 0, z: 0 };
        }
    fn buffer_copy_rect = Enqueue.pfnMemBufferCopyRect(
        hQueue: ur_queue_handle_t, hBufferSrc: ur_mem_handle_t, hBufferDst: ur_mem_handle_t,
        srcOrigin: ur_rect_offset_t, dstOrigin: ur_rect_offset_t, region: ur_rect_region_t,
        srcRowPitch: usize, srcSlicePitch: usize, dstRowPitch: usize, dstSlicePitch: usize,
        numEventsInWaitList: u32, phEventWaitList: *const ur_event_handle_t,
        phEvent: *mut ur_event_handle_t,
    )
        before "rect-copy-one-byte-narrow" { region.width = region.width.saturating_sub(1).max(1); }
        before "rect-copy-one-slice-short" { region.depth = region.depth.saturating_sub(1).max(1); }
    fn buffer_map = Enqueue.pfnMemBufferMap(
        hQueue: ur_queue_handle_t, hBuffer: ur_mem_handle_t, blockingMap: bool,
        mapFlags: ur_map_flags_t, offset: usize, size: usize, numEventsInWaitList: u32,
        phEventWaitList: *const ur_event_handle_t, phEvent: *mut ur_event_handle_t,
        ppRetMap: *mut *mut c_void,
    )
        before "map-offset-ignored" { offset = 0; }
    fn image_read = Enqueue.pfnMemImageRead(
        hQueue: ur_queue_handle_t, hImage: ur_mem_handle_t, blockingRead: bool,
        origin: ur_rect_offset_t, region: ur_rect_region_t, rowPitch: usize, slicePitch: usize,
        pDst: *mut c_void, numEventsInWaitList: u32, phEventWaitList: *const ur_event_handle_t,
        phEvent: *mut ur_event_handle_t,
    )
        before "image-read-origin-ignored" { origin = ur_rect_offset_t { x: 0, y: 0, z: 0 }; }

    // USM.
    fn usm_copy = Enqueue.pfnUSMMemcpy(
        hQueue: ur_queue_handle_t, blocking: bool, pDst: *mut c_void, pSrc: *const c_void,
        size: usize, numEventsInWaitList: u32, phEventWaitList: *const ur_event_handle_t,
        phEvent: *mut ur_event_handle_t,
    )
        before "usm-copy-one-byte-short" { size = size.saturating_sub(1).max(1); }
        before "usm-copy-waits-for-nothing" {
            numEventsInWaitList = NONE;
            phEventWaitList = std::ptr::null();
        }
        before "usm-copy-does-not-block" { blocking = false; }
    fn usm_fill = Enqueue.pfnUSMFill(
        hQueue: ur_queue_handle_t, pMem: *mut c_void, patternSize: usize,
        pPattern: *const c_void, size: usize, numEventsInWaitList: u32,
        phEventWaitList: *const ur_event_handle_t, phEvent: *mut ur_event_handle_t,
    )
        before "usm-fill-one-pattern-short" {
            if size > patternSize { size -= patternSize; }
        }
    fn usm_copy_2d = Enqueue.pfnUSMMemcpy2D(
        hQueue: ur_queue_handle_t, blocking: bool, pDst: *mut c_void, dstPitch: usize,
        pSrc: *const c_void, srcPitch: usize, width: usize, height: usize,
        numEventsInWaitList: u32, phEventWaitList: *const ur_event_handle_t,
        phEvent: *mut ur_event_handle_t,
    )
        before "usm-copy-2d-one-row-short" { height = height.saturating_sub(1).max(1); }
    fn usm_fill_2d = Enqueue.pfnUSMFill2D(
        hQueue: ur_queue_handle_t, pMem: *mut c_void, pitch: usize, patternSize: usize,
        pPattern: *const c_void, width: usize, height: usize, numEventsInWaitList: u32,
        phEventWaitList: *const ur_event_handle_t, phEvent: *mut ur_event_handle_t,
    )
        before "usm-fill-2d-one-row-short" { height = height.saturating_sub(1).max(1); }

    // Programs and kernels.
    fn specialise = Program.pfnSetSpecializationConstants(
        hProgram: ur_program_handle_t, count: u32,
        pSpecConstants: *const ur_specialization_constant_info_t,
    )
        instead "specialisation-ignored" { UR_RESULT_SUCCESS }
    fn launch = EnqueueExp.pfnKernelLaunchWithArgsExp(
        hQueue: ur_queue_handle_t, hKernel: ur_kernel_handle_t, workDim: u32,
        pGlobalWorkOffset: *const usize, pGlobalWorkSize: *const usize,
        pLocalWorkSize: *const usize, numArgs: u32,
        pArgs: *const ur_exp_kernel_arg_properties_t,
        launchPropList: *const ur_kernel_launch_ext_properties_t, numEventsInWaitList: u32,
        phEventWaitList: *const ur_event_handle_t, phEvent: *mut ur_event_handle_t,
    )
        before "launch-offset-ignored" { pGlobalWorkOffset = std::ptr::null(); }
        before "launch-local-size-ignored" { pLocalWorkSize = std::ptr::null(); }
        before "launch-waits-for-nothing" {
            numEventsInWaitList = NONE;
            phEventWaitList = std::ptr::null();
        }
        before "launch-one-dimension-less" { workDim = workDim.saturating_sub(1).max(1); }

    // Command buffers.
    fn append_copy = CommandBufferExp.pfnAppendUSMMemcpyExp(
        hCommandBuffer: ur_exp_command_buffer_handle_t, pDst: *mut c_void, pSrc: *const c_void,
        size: usize, numSyncPointsInWaitList: u32,
        pSyncPointWaitList: *const ur_exp_command_buffer_sync_point_t, numEventsInWaitList: u32,
        phEventWaitList: *const ur_event_handle_t,
        pSyncPoint: *mut ur_exp_command_buffer_sync_point_t, phEvent: *mut ur_event_handle_t,
        phCommand: *mut ur_exp_command_buffer_command_handle_t,
    )
        before "command-buffer-copy-one-byte-short" { size = size.saturating_sub(1).max(1); }
    fn enqueue_command_buffer = EnqueueExp.pfnCommandBufferExp(
        hQueue: ur_queue_handle_t, hCommandBuffer: ur_exp_command_buffer_handle_t,
        numEventsInWaitList: u32, phEventWaitList: *const ur_event_handle_t,
        phEvent: *mut ur_event_handle_t,
    )
        before "command-buffer-without-event" { phEvent = std::ptr::null_mut(); }
}
