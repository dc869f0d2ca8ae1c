//! The errors that the API documents for events, queues, commands, USM, virtual memory, command
//! buffers and graphs: a table of wrong calls and what each answers.

mod common;

use common::*;
use std::ffi::c_void;
use std::ptr::{null, null_mut};
use ur_api::*;

/// What the wrong calls are made with.
struct World {
    context: Context,
    queue: Queue,
    event: Event,
    memory: Vec<u8>,
    buffer: Mem,
    kernel: Kernel,
    _program: Program,
    /// Updatable; one that records and one that is finalized.
    open: ur_exp_command_buffer_handle_t,
    closed: ur_exp_command_buffer_handle_t,
    /// Commands of those: a copy recorded without events.
    command: ur_exp_command_buffer_command_handle_t,
    closed_command: ur_exp_command_buffer_command_handle_t,
    /// A launch of `closed`.
    launch: ur_exp_command_buffer_command_handle_t,
    graph: ur_exp_graph_handle_t,
    pool: ur_usm_pool_handle_t,
    physical: ur_physical_mem_handle_t,
    /// A reserved range of two pages.
    range: *mut c_void,
}

const PAGE: usize = 4096;

/// A command buffer with a copy and a launch in it.
fn record(
    world: (&Context, &Kernel, &mut [u8]),
) -> (
    ur_exp_command_buffer_handle_t,
    ur_exp_command_buffer_command_handle_t,
    ur_exp_command_buffer_command_handle_t,
) {
    let (context, kernel, memory) = world;
    let desc = ur_exp_command_buffer_desc_t {
        stype: UR_STRUCTURE_TYPE_EXP_COMMAND_BUFFER_DESC,
        isUpdatable: 1,
        ..Default::default()
    };
    let (mut buffer, mut command, mut launch) = (null_mut(), null_mut(), null_mut());
    ok!(CommandBufferExp.pfnCreateExp(context.0, device(), &desc, &mut buffer));
    let at = memory.as_mut_ptr().cast::<c_void>();
    ok!(CommandBufferExp.pfnAppendUSMMemcpyExp(
        buffer,
        at,
        at,
        8,
        0,
        null(),
        0,
        null(),
        null_mut(),
        null_mut(),
        &mut command
    ));
    let args = [0; 3].map(|_| Arg::Pointer(at));
    let recorded = kernel.record(buffer, &[], &[8], None, &args, &mut launch);
    assert_eq!(recorded, UR_RESULT_SUCCESS, "{}", common::last_error());
    (buffer, command, launch)
}

impl World {
    fn new() -> World {
        let context = Context::new();
        let queue = context.queue();
        let event = queue.wait_event(&[]);
        let mut memory = vec![0u8; 256];
        let program = context.program("vector_add.spv");
        let kernel = program.kernel("vector_add");
        let (open, command, _) = record((&context, &kernel, &mut memory));
        let (closed, closed_command, launch) = record((&context, &kernel, &mut memory));
        ok!(CommandBufferExp.pfnFinalizeExp(closed));
        let (mut graph, mut pool, mut physical, mut range) =
            (null_mut(), null_mut(), null_mut(), null_mut());
        ok!(GraphExp.pfnCreateExp(context.0, &mut graph));
        let mut desc = ur_usm_pool_desc_t {
            stype: UR_STRUCTURE_TYPE_USM_POOL_DESC,
            ..Default::default()
        };
        ok!(USM.pfnPoolCreate(context.0, &mut desc, &mut pool));
        ok!(PhysicalMem.pfnCreate(context.0, device(), PAGE, null(), &mut physical));
        ok!(VirtualMem.pfnReserve(context.0, null(), 2 * PAGE, &mut range));
        World {
            buffer: context.buffer(&[0; 64]),
            context,
            queue,
            event,
            memory,
            kernel,
            _program: program,
            open,
            closed,
            command,
            closed_command,
            launch,
            graph,
            pool,
            physical,
            range,
        }
    }

    fn at(&self) -> *mut c_void {
        self.memory.as_ptr().cast_mut().cast()
    }

    /// An event handle that names a queue.
    fn no_event(&self) -> ur_event_handle_t {
        self.queue.0.cast()
    }
}

impl Drop for World {
    fn drop(&mut self) {
        ok!(VirtualMem.pfnFree(self.context.0, self.range, 2 * PAGE));
        ok!(PhysicalMem.pfnRelease(self.physical));
        ok!(USM.pfnPoolRelease(self.pool));
        ok!(GraphExp.pfnDestroyExp(self.graph));
        ok!(CommandBufferExp.pfnReleaseExp(self.open));
        ok!(CommandBufferExp.pfnReleaseExp(self.closed));
    }
}

/// Makes the wrong calls; every row must answer as it says, and one wrong row does not hide others.
macro_rules! table {
    ($($code:ident: $table:ident.$entry:ident($($arg:expr),* $(,)?);)*) => {{
        let mut wrong = Vec::new();
        $(
            let answer = ur!($table.$entry($($arg),*));
            if answer != $code {
                let call = concat!(stringify!($table), ".", stringify!($entry), "(",
                    $(stringify!($arg), ", ",)* ")");
                wrong.push(format!("{call}: {answer}, not {}", stringify!($code)));
            }
        )*
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }};
}

use UR_RESULT_ERROR_INVALID_COMMAND_BUFFER_COMMAND_HANDLE_EXP as NO_COMMAND;
use UR_RESULT_ERROR_INVALID_COMMAND_BUFFER_SYNC_POINT_EXP as NO_SYNC_POINT;
use UR_RESULT_ERROR_INVALID_COMMAND_BUFFER_SYNC_POINT_WAIT_LIST_EXP as SYNC_POINT_LIST;
use UR_RESULT_ERROR_INVALID_ENUMERATION as ENUMERATION;
use UR_RESULT_ERROR_INVALID_EVENT as EVENT;
use UR_RESULT_ERROR_INVALID_EVENT_WAIT_LIST as WAIT_LIST;
use UR_RESULT_ERROR_INVALID_MEM_OBJECT as MEM_OBJECT;
use UR_RESULT_ERROR_INVALID_NULL_HANDLE as NULL_HANDLE;
use UR_RESULT_ERROR_INVALID_NULL_POINTER as NULL_POINTER;
use UR_RESULT_ERROR_INVALID_OPERATION as OPERATION;
use UR_RESULT_ERROR_INVALID_QUEUE as QUEUE;
use UR_RESULT_ERROR_INVALID_QUEUE_PROPERTIES as QUEUE_PROPERTIES;
use UR_RESULT_ERROR_INVALID_SIZE as SIZE;
use UR_RESULT_ERROR_INVALID_USM_SIZE as USM_SIZE;
use UR_RESULT_ERROR_INVALID_VALUE as VALUE;
use UR_RESULT_ERROR_INVALID_WORK_DIMENSION as WORK_DIMENSION;
use UR_RESULT_ERROR_PROFILING_INFO_NOT_AVAILABLE as NO_TIMES;
use UR_RESULT_ERROR_UNSUPPORTED_ENUMERATION as NO_QUERY;
use UR_RESULT_ERROR_UNSUPPORTED_FEATURE as UNSUPPORTED;

#[test]
fn events() {
    let w = World::new();
    let (e, none) = (w.event.0, null_mut::<c_void>());
    let mut value = 0u64;
    let v = (&raw mut value).cast::<c_void>();
    let (mut handle, mut native, mut size) = (null_mut(), 0, 0usize);
    let (status, end) = (
        UR_EVENT_INFO_COMMAND_EXECUTION_STATUS,
        UR_PROFILING_INFO_COMMAND_END,
    );
    unsafe extern "C" fn ignore(_: ur_event_handle_t, _: ur_execution_info_t, _: *mut c_void) {}
    let complete = UR_EXECUTION_INFO_COMPLETE;
    table! {
        NULL_HANDLE: Event.pfnGetInfo(null_mut(), status, 4, v, null_mut());
        EVENT: Event.pfnGetInfo(w.no_event(), status, 4, v, null_mut());
        NO_QUERY: Event.pfnGetInfo(e, ur_event_info_t(99), 4, v, null_mut());
        SIZE: Event.pfnGetInfo(e, status, 0, v, null_mut());
        SIZE: Event.pfnGetInfo(e, status, 3, v, null_mut());
        NULL_POINTER: Event.pfnGetInfo(e, status, 4, none, null_mut());
        NULL_POINTER: Event.pfnGetInfo(e, status, 0, none, null_mut());
        NULL_HANDLE: Event.pfnGetProfilingInfo(null_mut(), end, 8, v, null_mut());
        EVENT: Event.pfnGetProfilingInfo(w.no_event(), end, 8, v, null_mut());
        NO_TIMES: Event.pfnGetProfilingInfo(e, end, 8, v, &mut size);
        VALUE: Event.pfnGetProfilingInfo(e, end, 0, v, null_mut());
        VALUE: Event.pfnWait(0, null());
        NULL_POINTER: Event.pfnWait(1, null());
        NULL_HANDLE: Event.pfnWait(1, &null_mut());
        EVENT: Event.pfnWait(1, &w.no_event());
        NULL_HANDLE: Event.pfnRetain(null_mut());
        EVENT: Event.pfnRetain(w.no_event());
        NULL_HANDLE: Event.pfnRelease(null_mut());
        EVENT: Event.pfnRelease(w.no_event());
        UNSUPPORTED: Event.pfnGetNativeHandle(e, &mut native);
        UNSUPPORTED: Event.pfnCreateWithNativeHandle(0, w.context.0, null(), &mut handle);
        NO_QUERY: Event.pfnSetCallback(e, UR_EXECUTION_INFO_QUEUED, Some(ignore), none);
        ENUMERATION: Event.pfnSetCallback(e, ur_execution_info_t(9), Some(ignore), none);
        NULL_POINTER: Event.pfnSetCallback(e, complete, None, none);
        NULL_HANDLE: Event.pfnSetCallback(null_mut(), complete, Some(ignore), none);
    }
    // Of an event with times: a query that there is not.
    let profiled = w.context.queue_with(UR_QUEUE_FLAG_PROFILING_ENABLE.0);
    let timed = profiled.wait_event(&[]);
    timed.wait();
    table! {
        NO_QUERY: Event.pfnGetProfilingInfo(timed.0, ur_profiling_info_t(99), 8, v, null_mut());
        SIZE: Event.pfnGetProfilingInfo(timed.0, end, 7, v, null_mut());
    }
}

#[test]
fn queues() {
    let w = World::new();
    let (q, c, d) = (w.queue.0, w.context.0, device());
    let with = |flags: &[ur_queue_flag_t]| ur_queue_properties_t {
        stype: UR_STRUCTURE_TYPE_QUEUE_PROPERTIES,
        flags: flags.iter().fold(0, |all, flag| all | flag.0),
        ..Default::default()
    };
    let priorities = with(&[UR_QUEUE_FLAG_PRIORITY_LOW, UR_QUEUE_FLAG_PRIORITY_HIGH]);
    let submissions = with(&[
        UR_QUEUE_FLAG_SUBMISSION_BATCHED,
        UR_QUEUE_FLAG_SUBMISSION_IMMEDIATE,
    ]);
    let unknown = with(&[ur_queue_flag_t(1 << 30)]);
    let on_device = with(&[UR_QUEUE_FLAG_ON_DEVICE]);
    let mut made = null_mut();
    let (mut native, mut value) = (0, 0u64);
    let v = (&raw mut value).cast::<c_void>();
    let flags = UR_QUEUE_INFO_FLAGS;
    let stranger = Context::new();
    table! {
        NULL_HANDLE: Queue.pfnCreate(null_mut(), d, null(), &mut made);
        NULL_HANDLE: Queue.pfnCreate(c, null_mut(), null(), &mut made);
        NULL_POINTER: Queue.pfnCreate(c, d, null(), null_mut());
        QUEUE_PROPERTIES: Queue.pfnCreate(c, d, &priorities, &mut made);
        QUEUE_PROPERTIES: Queue.pfnCreate(c, d, &submissions, &mut made);
        QUEUE_PROPERTIES: Queue.pfnCreate(c, d, &on_device, &mut made);
        ENUMERATION: Queue.pfnCreate(c, d, &unknown, &mut made);
        NO_QUERY: Queue.pfnGetInfo(q, ur_queue_info_t(99), 8, v, null_mut());
        NO_QUERY: Queue.pfnGetInfo(q, UR_QUEUE_INFO_SIZE, 8, v, null_mut());
        SIZE: Queue.pfnGetInfo(q, flags, 0, v, null_mut());
        SIZE: Queue.pfnGetInfo(q, flags, 1, v, null_mut());
        NULL_POINTER: Queue.pfnGetInfo(q, flags, 4, null_mut(), null_mut());
        NULL_HANDLE: Queue.pfnRetain(null_mut());
        QUEUE: Queue.pfnRetain(w.event.0.cast());
        NULL_HANDLE: Queue.pfnRelease(null_mut());
        NULL_HANDLE: Queue.pfnFinish(null_mut());
        QUEUE: Queue.pfnFinish(w.event.0.cast());
        NULL_HANDLE: Queue.pfnFlush(null_mut());
        UNSUPPORTED: Queue.pfnGetNativeHandle(q, null_mut(), &mut native);
        UNSUPPORTED: Queue.pfnCreateWithNativeHandle(0, c, d, null(), &mut made);
        NULL_HANDLE: DeviceExp.pfnWaitExp(null_mut());
    }
    assert!(made.is_null());
    drop(stranger);
}

#[test]
fn commands() {
    let w = World::new();
    let (q, at) = (w.queue.0, w.at());
    let one = 1u8;
    let pattern = (&raw const one).cast::<c_void>();
    let (e, n) = (null::<ur_event_handle_t>(), null_mut());
    let list = &w.event.0 as *const _;
    let wrong = [w.no_event()];
    unsafe extern "C" fn task(_: *mut c_void) {}
    let flags = ur_exp_host_task_properties_t {
        stype: UR_STRUCTURE_TYPE_EXP_HOST_TASK_PROPERTIES,
        flags: UR_EXP_HOST_TASK_FLAGS_MASK,
        ..Default::default()
    };
    let region = ur_rect_region_t {
        width: 0,
        height: 1,
        depth: 1,
    };
    let origin = ur_rect_offset_t { x: 0, y: 0, z: 0 };
    let mut mapped = null_mut::<c_void>();
    let mut stamp = null_mut();
    let (read, read_and_drop) = (
        UR_MAP_FLAG_READ.0,
        UR_MAP_FLAG_READ.0 | UR_MAP_FLAG_WRITE_INVALIDATE_REGION.0,
    );
    let (mut block, async_flags) = (
        null_mut(),
        ur_exp_async_usm_alloc_properties_t {
            stype: UR_STRUCTURE_TYPE_EXP_ASYNC_USM_ALLOC_PROPERTIES,
            flags: !UR_EXP_ASYNC_USM_ALLOC_FLAG_TBD.0,
            ..Default::default()
        },
    );
    table! {
        WAIT_LIST: Enqueue.pfnEventsWait(q, 1, e, n);
        WAIT_LIST: Enqueue.pfnEventsWait(q, 1, &null_mut(), n);
        EVENT: Enqueue.pfnEventsWait(q, 1, wrong.as_ptr(), n);
        NULL_HANDLE: Enqueue.pfnEventsWait(null_mut(), 0, e, n);
        QUEUE: Enqueue.pfnEventsWait(w.event.0.cast(), 0, e, n);
        WAIT_LIST: Enqueue.pfnEventsWaitWithBarrier(q, 1, e, n);
        WAIT_LIST: Enqueue.pfnEventsWaitWithBarrierExt(q, null(), 1, e, n);
        WAIT_LIST: EnqueueExp.pfnTimestampRecordingExp(q, false, 1, e, &mut stamp);
        NULL_POINTER: EnqueueExp.pfnTimestampRecordingExp(q, false, 0, e, n);
        NULL_POINTER: EnqueueExp.pfnHostTaskExp(q, None, n.cast(), null(), 0, e, n);
        ENUMERATION: EnqueueExp.pfnHostTaskExp(q, Some(task), n.cast(), &flags, 0, e, n);
        SIZE: Enqueue.pfnUSMFill(q, at, 0, pattern, 8, 0, e, n);
        SIZE: Enqueue.pfnUSMFill(q, at, 1, pattern, 0, 0, e, n);
        SIZE: Enqueue.pfnUSMFill(q, at, 4, pattern, 2, 0, e, n);
        SIZE: Enqueue.pfnUSMFill(q, at, 3, pattern, 8, 0, e, n);
        NULL_POINTER: Enqueue.pfnUSMFill(q, null_mut(), 1, pattern, 8, 0, e, n);
        NULL_POINTER: Enqueue.pfnUSMFill(q, at, 1, null(), 8, 0, e, n);
        WAIT_LIST: Enqueue.pfnUSMFill(q, at, 1, pattern, 8, 1, e, n);
        SIZE: Enqueue.pfnUSMMemcpy(q, false, at, at, 0, 0, e, n);
        NULL_POINTER: Enqueue.pfnUSMMemcpy(q, false, null_mut(), at, 8, 0, e, n);
        NULL_POINTER: Enqueue.pfnUSMMemcpy(q, false, at, null(), 8, 0, e, n);
        SIZE: Enqueue.pfnUSMPrefetch(q, at, 0, 0, 0, e, n);
        ENUMERATION: Enqueue.pfnUSMPrefetch(q, at, 8, 1 << 20, 0, e, n);
        SIZE: Enqueue.pfnUSMAdvise(q, at, 0, 0, n);
        ENUMERATION: Enqueue.pfnUSMAdvise(q, at, 8, 1 << 30, n);
        SIZE: Enqueue.pfnUSMFill2D(q, at, 0, 1, pattern, 8, 2, 0, e, n);
        SIZE: Enqueue.pfnUSMFill2D(q, at, 7, 1, pattern, 8, 2, 0, e, n);
        SIZE: Enqueue.pfnUSMFill2D(q, at, 8, 0, pattern, 8, 2, 0, e, n);
        SIZE: Enqueue.pfnUSMFill2D(q, at, 8, 32, pattern, 8, 2, 0, e, n);
        SIZE: Enqueue.pfnUSMFill2D(q, at, 8, 3, pattern, 3, 2, 0, e, n);
        SIZE: Enqueue.pfnUSMFill2D(q, at, 8, 1, pattern, 0, 2, 0, e, n);
        SIZE: Enqueue.pfnUSMFill2D(q, at, 8, 1, pattern, 8, 0, 0, e, n);
        SIZE: Enqueue.pfnUSMFill2D(q, at, 8, 4, pattern, 3, 3, 0, e, n);
        SIZE: Enqueue.pfnUSMMemcpy2D(q, false, at, 0, at, 8, 8, 1, 0, e, n);
        SIZE: Enqueue.pfnUSMMemcpy2D(q, false, at, 8, at, 0, 8, 1, 0, e, n);
        SIZE: Enqueue.pfnUSMMemcpy2D(q, false, at, 7, at, 8, 8, 2, 0, e, n);
        SIZE: Enqueue.pfnUSMMemcpy2D(q, false, at, 8, at, 7, 8, 2, 0, e, n);
        SIZE: Enqueue.pfnUSMMemcpy2D(q, false, at, 8, at, 8, 8, 0, 0, e, n);
        SIZE: Enqueue.pfnMemBufferFill(q, w.buffer.0, pattern, 0, 0, 8, 0, e, n);
        SIZE: Enqueue.pfnMemBufferFill(q, w.buffer.0, pattern, 1, 0, 0, 0, e, n);
        SIZE: Enqueue.pfnMemBufferFill(q, w.buffer.0, pattern, 3, 0, 9, 0, e, n);
        SIZE: Enqueue.pfnMemBufferFill(q, w.buffer.0, pattern, 4, 2, 8, 0, e, n);
        SIZE: Enqueue.pfnMemBufferFill(q, w.buffer.0, pattern, 1, 60, 8, 0, e, n);
        SIZE: Enqueue.pfnMemBufferRead(q, w.buffer.0, true, 60, 8, at, 0, e, n);
        NULL_POINTER: Enqueue.pfnMemBufferRead(q, w.buffer.0, true, 0, 8, null_mut(), 0, e, n);
        NULL_HANDLE: Enqueue.pfnMemBufferRead(q, null_mut(), true, 0, 8, at, 0, e, n);
        SIZE: Enqueue.pfnMemBufferReadRect(
            q, w.buffer.0, true, origin, origin, region, 0, 0, 0, 0, at, 0, e, n
        );
        SIZE: Enqueue.pfnMemBufferCopy(q, w.buffer.0, w.buffer.0, 0, 60, 8, 0, e, n);
        SIZE: Enqueue.pfnMemBufferMap(q, w.buffer.0, true, read, 0, 0, 0, e, n, &mut mapped);
        SIZE: Enqueue.pfnMemBufferMap(q, w.buffer.0, true, read, 60, 8, 0, e, n, &mut mapped);
        VALUE: Enqueue.pfnMemBufferMap(
            q, w.buffer.0, true, read_and_drop, 0, 8, 0, e, n, &mut mapped
        );
        ENUMERATION: Enqueue.pfnMemBufferMap(
            q, w.buffer.0, true, 1 << 20, 0, 8, 0, e, n, &mut mapped
        );
        USM_SIZE: EnqueueExp.pfnUSMDeviceAllocExp(
            q, null_mut(), 0, null(), 0, e, &mut block, n
        );
        ENUMERATION: EnqueueExp.pfnUSMSharedAllocExp(
            q, null_mut(), 8, &async_flags, 0, e, &mut block, n
        );
        NULL_POINTER: EnqueueExp.pfnUSMHostAllocExp(
            q, null_mut(), 8, null(), 0, e, null_mut(), n
        );
        WAIT_LIST: EnqueueExp.pfnUSMHostAllocExp(
            q, null_mut(), 8, null(), 1, e, &mut block, n
        );
        MEM_OBJECT: EnqueueExp.pfnUSMFreeExp(q, null_mut(), at, 0, e, n);
        NULL_POINTER: EnqueueExp.pfnUSMFreeExp(q, null_mut(), null_mut(), 0, e, n);
        OPERATION: EnqueueExp.pfnCommandBufferExp(q, w.open, 0, e, n);
        NULL_HANDLE: EnqueueExp.pfnCommandBufferExp(q, null_mut(), 0, e, n);
        WAIT_LIST: EnqueueExp.pfnCommandBufferExp(q, w.closed, 1, e, n);
        NULL_HANDLE: EnqueueExp.pfnGraphExp(q, null_mut(), 0, e, n);
    }
    // The address of an empty vector is an empty list: clients pass it.
    ok!(Enqueue.pfnEventsWait(q, 0, list, n));
    assert!(block.is_null() && mapped.is_null());
    // A queue of another context.
    let (other, own) = (Context::new(), w.closed);
    let stranger = other.queue();
    table! {
        QUEUE: EnqueueExp.pfnCommandBufferExp(stranger.0, own, 0, e, n);
    }
}

#[test]
fn usm() {
    let w = World::new();
    let (c, d, at) = (w.context.0, device(), w.at());
    let desc = |hints, align| ur_usm_desc_t {
        stype: UR_STRUCTURE_TYPE_USM_DESC,
        pNext: null(),
        hints,
        align,
    };
    let (odd, hint) = (desc(0, 3), desc(1 << 30, 0));
    let (mut mem, none, pool) = (null_mut(), null_mut(), null_mut());
    let mut value = 0u64;
    let v = (&raw mut value).cast::<c_void>();
    let (mut made, mut pitch) = (null_mut(), 0usize);
    let mut flags = ur_usm_pool_desc_t {
        stype: UR_STRUCTURE_TYPE_USM_POOL_DESC,
        flags: 1 << 30,
        ..Default::default()
    };
    let register = ur_exp_usm_host_alloc_register_properties_t {
        stype: UR_STRUCTURE_TYPE_EXP_USM_HOST_ALLOC_REGISTER_PROPERTIES,
        flags: 1 << 30,
        ..Default::default()
    };
    let (base, kind) = (UR_USM_ALLOC_INFO_BASE_PTR, UR_USM_POOL_INFO_CONTEXT);
    let threshold = UR_USM_POOL_INFO_RELEASE_THRESHOLD_EXP;
    let used = UR_USM_POOL_INFO_USED_HIGH_EXP;
    let peer = UR_EXP_PEER_INFO_UR_PEER_ACCESS_SUPPORT;
    let stranger = Context::new();
    table! {
        VALUE: USM.pfnHostAlloc(c, &odd, pool, 8, &mut mem);
        VALUE: USM.pfnDeviceAlloc(c, d, &odd, pool, 8, &mut mem);
        VALUE: USM.pfnSharedAlloc(c, d, &odd, pool, 8, &mut mem);
        ENUMERATION: USM.pfnHostAlloc(c, &hint, pool, 8, &mut mem);
        ENUMERATION: USM.pfnDeviceAlloc(c, d, &hint, pool, 8, &mut mem);
        USM_SIZE: USM.pfnHostAlloc(c, null(), pool, 0, &mut mem);
        USM_SIZE: USM.pfnHostAlloc(c, null(), pool, usize::MAX / 2, &mut mem);
        USM_SIZE: USM.pfnDeviceAlloc(c, d, null(), pool, 0, &mut mem);
        USM_SIZE: USM.pfnSharedAlloc(c, d, null(), pool, 0, &mut mem);
        NULL_HANDLE: USM.pfnHostAlloc(null_mut(), null(), pool, 8, &mut mem);
        NULL_HANDLE: USM.pfnDeviceAlloc(c, null_mut(), null(), pool, 8, &mut mem);
        NULL_POINTER: USM.pfnHostAlloc(c, null(), pool, 8, null_mut());
        VALUE: USM.pfnHostAlloc(stranger.0, null(), w.pool, 8, &mut mem);
        MEM_OBJECT: USM.pfnFree(c, at);
        NULL_POINTER: USM.pfnFree(c, null_mut());
        MEM_OBJECT: USM.pfnGetMemAllocInfo(c, at, base, 8, v, none);
        NULL_POINTER: USM.pfnGetMemAllocInfo(c, null(), base, 8, v, none);
        NULL_POINTER: USM.pfnPoolCreate(c, null_mut(), &mut made);
        ENUMERATION: USM.pfnPoolCreate(c, &mut flags, &mut made);
        NULL_HANDLE: USM.pfnPoolRetain(null_mut());
        NULL_HANDLE: USM.pfnPoolRelease(null_mut());
        SIZE: USM.pfnPoolGetInfo(w.pool, kind, 0, v, none);
        SIZE: USM.pfnPoolGetInfo(w.pool, kind, 1, v, none);
        NULL_POINTER: USM.pfnPoolGetInfo(w.pool, kind, 8, null_mut(), none);
        NO_QUERY: USM.pfnPoolGetInfo(w.pool, ur_usm_pool_info_t(99), 8, v, none);
        ENUMERATION: USMExp.pfnPoolCreateExp(c, d, &mut flags, &mut made);
        VALUE: USMExp.pfnPoolDestroyExp(stranger.0, d, w.pool);
        NULL_POINTER: USMExp.pfnPoolGetInfoExp(w.pool, threshold, null_mut(), none);
        NO_QUERY: USMExp.pfnPoolGetInfoExp(w.pool, ur_usm_pool_info_t(99), v, none);
        NO_QUERY: USMExp.pfnPoolSetInfoExp(w.pool, kind, v, 8);
        SIZE: USMExp.pfnPoolSetInfoExp(w.pool, threshold, v, 4);
        NULL_POINTER: USMExp.pfnPoolSetInfoExp(w.pool, threshold, null_mut(), 8);
        VALUE: USMExp.pfnPoolSetInfoExp(w.pool, used, (&raw const w.memory).cast_mut().cast(), 8);
        VALUE: USMExp.pfnPoolSetDevicePoolExp(stranger.0, d, w.pool);
        VALUE: USMExp.pfnPoolTrimToExp(stranger.0, d, w.pool, 0);
        USM_SIZE: USMExp.pfnPitchedAllocExp(c, d, null(), pool, 0, 2, 4, &mut mem, &mut pitch);
        USM_SIZE: USMExp.pfnPitchedAllocExp(c, d, null(), pool, 8, 0, 4, &mut mem, &mut pitch);
        VALUE: USMExp.pfnPitchedAllocExp(c, d, &odd, pool, 8, 2, 4, &mut mem, &mut pitch);
        SIZE: USMExp.pfnContextMemcpyExp(c, at, at, 0);
        NULL_POINTER: USMExp.pfnContextMemcpyExp(c, null_mut(), at, 8);
        VALUE: USMExp.pfnHostAllocRegisterExp(c, at, 0, null());
        ENUMERATION: USMExp.pfnHostAllocRegisterExp(c, at, 8, &register);
        VALUE: USMExp.pfnHostAllocUnregisterExp(c, at);
        SIZE: USMExp.pfnImportExp(c, at, 0);
        NULL_POINTER: USMExp.pfnReleaseExp(c, null_mut());
        NULL_HANDLE: UsmP2PExp.pfnEnablePeerAccessExp(d, null_mut());
        SIZE: UsmP2PExp.pfnPeerAccessGetInfoExp(d, d, peer, 0, v, none);
        NO_QUERY: UsmP2PExp.pfnPeerAccessGetInfoExp(d, d, ur_exp_peer_info_t(9), 8, v, none);
    }
    assert!(mem.is_null() && made.is_null());
}

#[test]
fn pitched_rows_begin_at_cache_lines() {
    let context = Context::new();
    let (mut mem, mut pitch) = (null_mut(), 0usize);
    let pool = null_mut();
    ok!(USMExp.pfnPitchedAllocExp(
        context.0,
        device(),
        null(),
        pool,
        100,
        7,
        4,
        &mut mem,
        &mut pitch
    ));
    assert!(pitch >= 100 && pitch.is_multiple_of(64) && (mem as usize).is_multiple_of(64));
    let mut size = 0usize;
    let (name, place) = (UR_USM_ALLOC_INFO_SIZE, (&raw mut size).cast());
    ok!(USM.pfnGetMemAllocInfo(context.0, mem, name, 8, place, null_mut()));
    assert!(size >= 7 * pitch);
    ok!(USM.pfnFree(context.0, mem));
}

#[test]
fn virtual_memory() {
    let w = World::new();
    let (c, d, at) = (w.context.0, device(), w.range);
    let mut value = 0u64;
    let v = (&raw mut value).cast::<c_void>();
    let (mut start, mut made, none) = (null_mut(), null_mut(), null_mut());
    let least = UR_VIRTUAL_MEM_GRANULARITY_INFO_MINIMUM;
    let mode = UR_VIRTUAL_MEM_INFO_ACCESS_MODE;
    let write = UR_VIRTUAL_MEM_ACCESS_FLAG_READ_WRITE.0;
    let flags = ur_physical_mem_properties_t {
        stype: UR_STRUCTURE_TYPE_PHYSICAL_MEM_PROPERTIES,
        flags: 1 << 30,
        ..Default::default()
    };
    let size = UR_PHYSICAL_MEM_INFO_SIZE;
    table! {
        NULL_HANDLE: VirtualMem.pfnGranularityGetInfo(null_mut(), d, 0, least, 8, v, none);
        SIZE: VirtualMem.pfnGranularityGetInfo(c, d, 0, least, 0, v, none);
        SIZE: VirtualMem.pfnGranularityGetInfo(c, d, 0, least, 7, v, none);
        NULL_POINTER: VirtualMem.pfnGranularityGetInfo(c, d, 0, least, 8, null_mut(), none);
        NO_QUERY: VirtualMem.pfnGranularityGetInfo(
            c, d, 0, ur_virtual_mem_granularity_info_t(9), 8, v, none
        );
        NULL_POINTER: VirtualMem.pfnReserve(c, null(), PAGE, null_mut());
        SIZE: VirtualMem.pfnReserve(c, null(), 100, &mut start);
        NULL_POINTER: VirtualMem.pfnFree(c, null(), PAGE);
        VALUE: VirtualMem.pfnFree(c, at, PAGE);
        NULL_HANDLE: VirtualMem.pfnMap(c, at, PAGE, null_mut(), 0, write);
        NULL_POINTER: VirtualMem.pfnMap(c, null(), PAGE, w.physical, 0, write);
        ENUMERATION: VirtualMem.pfnMap(c, at, PAGE, w.physical, 0, 1 << 20);
        SIZE: VirtualMem.pfnMap(c, at, 2 * PAGE, w.physical, 0, write);
        SIZE: VirtualMem.pfnMap(c, at, PAGE, w.physical, PAGE, write);
        VALUE: VirtualMem.pfnUnmap(c, at, PAGE);
        VALUE: VirtualMem.pfnSetAccess(c, at, PAGE, write);
        ENUMERATION: VirtualMem.pfnSetAccess(c, at, PAGE, 1 << 20);
        VALUE: VirtualMem.pfnGetInfo(c, at, PAGE, mode, 4, v, none);
        NO_QUERY: VirtualMem.pfnGetInfo(c, at, PAGE, ur_virtual_mem_info_t(9), 4, v, none);
        SIZE: PhysicalMem.pfnCreate(c, d, 100, null(), &mut made);
        SIZE: PhysicalMem.pfnCreate(c, d, 0, null(), &mut made);
        ENUMERATION: PhysicalMem.pfnCreate(c, d, PAGE, &flags, &mut made);
        NULL_POINTER: PhysicalMem.pfnCreate(c, d, PAGE, null(), null_mut());
        NULL_HANDLE: PhysicalMem.pfnRetain(null_mut());
        NULL_HANDLE: PhysicalMem.pfnRelease(null_mut());
        SIZE: PhysicalMem.pfnGetInfo(w.physical, size, 0, v, none);
        NO_QUERY: PhysicalMem.pfnGetInfo(w.physical, ur_physical_mem_info_t(99), 8, v, none);
    }
    assert!(start.is_null() && made.is_null());
}

#[test]
fn command_buffers() {
    let w = World::new();
    let (b, at, k) = (w.open, w.at(), w.kernel.0);
    let one = 1u8;
    let pattern = (&raw const one).cast::<c_void>();
    let (point, event, command) = (null_mut(), null_mut(), null_mut());
    let (s, e, no_kernels) = (null::<u32>(), null::<ur_event_handle_t>(), null_mut());
    let (first, far) = (0u32, 99u32);
    let (first, far) = (&first as *const u32, &far as *const u32);
    let mut alternatives = [k];
    let own = alternatives.as_mut_ptr();
    let args = [0; 3].map(|_| Arg::Pointer(at));
    let args = common::raw(&args);
    let a = args.as_ptr();
    let global = &8usize as *const usize;
    let region = ur_rect_region_t {
        width: 0,
        height: 1,
        depth: 1,
    };
    let origin = ur_rect_offset_t { x: 0, y: 0, z: 0 };
    let mem = w.buffer.0;
    let mut value = [0u8; 64];
    let v = value.as_mut_ptr().cast::<c_void>();
    let info = UR_EXP_COMMAND_BUFFER_INFO_DESCRIPTOR;
    let (mut made, mut native, mut signal) = (null_mut(), 0, null_mut());
    let desc = ur_exp_command_buffer_desc_t {
        stype: UR_STRUCTURE_TYPE_EXP_COMMAND_BUFFER_DESC,
        ..Default::default()
    };
    let change = |command, dims| ur_exp_command_buffer_update_kernel_launch_desc_t {
        stype: UR_STRUCTURE_TYPE_EXP_COMMAND_BUFFER_UPDATE_KERNEL_LAUNCH_DESC,
        hCommand: command,
        newWorkDim: dims,
        ..Default::default()
    };
    let (no_launch, no_dims, many_dims, other_dims) = (
        change(w.closed_command, 1),
        change(w.launch, 0),
        change(w.launch, 4),
        change(w.launch, 2),
    );
    table! {
        NULL_HANDLE: CommandBufferExp.pfnCreateExp(null_mut(), device(), &desc, &mut made);
        NULL_HANDLE: CommandBufferExp.pfnCreateExp(w.context.0, null_mut(), &desc, &mut made);
        NULL_POINTER: CommandBufferExp.pfnCreateExp(w.context.0, device(), null(), &mut made);
        NULL_POINTER: CommandBufferExp.pfnCreateExp(w.context.0, device(), &desc, null_mut());
        NULL_HANDLE: CommandBufferExp.pfnRetainExp(null_mut());
        NULL_HANDLE: CommandBufferExp.pfnReleaseExp(null_mut());
        NULL_HANDLE: CommandBufferExp.pfnFinalizeExp(null_mut());
        OPERATION: CommandBufferExp.pfnFinalizeExp(w.closed);
        NULL_HANDLE: CommandBufferExp.pfnAppendUSMMemcpyExp(
            null_mut(), at, at, 8, 0, s, 0, e, point, event, command
        );
        NULL_POINTER: CommandBufferExp.pfnAppendUSMMemcpyExp(
            b, null_mut(), at, 8, 0, s, 0, e, point, event, command
        );
        SIZE: CommandBufferExp.pfnAppendUSMMemcpyExp(
            b, at, at, 0, 0, s, 0, e, point, event, command
        );
        SYNC_POINT_LIST: CommandBufferExp.pfnAppendUSMMemcpyExp(
            b, at, at, 8, 1, s, 0, e, point, event, command
        );
        SYNC_POINT_LIST: CommandBufferExp.pfnAppendUSMMemcpyExp(
            b, at, at, 8, 0, first, 0, e, point, event, command
        );
        NO_SYNC_POINT: CommandBufferExp.pfnAppendUSMMemcpyExp(
            b, at, at, 8, 1, far, 0, e, point, event, command
        );
        WAIT_LIST: CommandBufferExp.pfnAppendUSMMemcpyExp(
            b, at, at, 8, 0, s, 1, e, point, event, command
        );
        OPERATION: CommandBufferExp.pfnAppendUSMMemcpyExp(
            w.closed, at, at, 8, 0, s, 0, e, point, event, command
        );
        SIZE: CommandBufferExp.pfnAppendUSMFillExp(
            b, at, pattern, 0, 8, 0, s, 0, e, point, event, command
        );
        SIZE: CommandBufferExp.pfnAppendUSMFillExp(
            b, at, pattern, 3, 8, 0, s, 0, e, point, event, command
        );
        SIZE: CommandBufferExp.pfnAppendUSMFillExp(
            b, at, pattern, 16, 8, 0, s, 0, e, point, event, command
        );
        SYNC_POINT_LIST: CommandBufferExp.pfnAppendUSMFillExp(
            b, at, pattern, 1, 8, 1, s, 0, e, point, event, command
        );
        SIZE: CommandBufferExp.pfnAppendMemBufferCopyExp(
            b, mem, mem, 60, 0, 8, 0, s, 0, e, point, event, command
        );
        SYNC_POINT_LIST: CommandBufferExp.pfnAppendMemBufferCopyExp(
            b, mem, mem, 0, 8, 8, 1, s, 0, e, point, event, command
        );
        SIZE: CommandBufferExp.pfnAppendMemBufferWriteExp(
            b, mem, 60, 8, at, 0, s, 0, e, point, event, command
        );
        SYNC_POINT_LIST: CommandBufferExp.pfnAppendMemBufferWriteExp(
            b, mem, 0, 8, at, 1, s, 0, e, point, event, command
        );
        NULL_POINTER: CommandBufferExp.pfnAppendMemBufferReadExp(
            b, mem, 0, 8, null_mut(), 0, s, 0, e, point, event, command
        );
        SYNC_POINT_LIST: CommandBufferExp.pfnAppendMemBufferReadExp(
            b, mem, 0, 8, at, 1, s, 0, e, point, event, command
        );
        SIZE: CommandBufferExp.pfnAppendMemBufferCopyRectExp(
            b, mem, mem, origin, origin, region, 0, 0, 0, 0, 0, s, 0, e, point, event, command
        );
        SYNC_POINT_LIST: CommandBufferExp.pfnAppendMemBufferCopyRectExp(
            b, mem, mem, origin, origin, region, 0, 0, 0, 0, 1, s, 0, e, point, event, command
        );
        SYNC_POINT_LIST: CommandBufferExp.pfnAppendMemBufferWriteRectExp(
            b, mem, origin, origin, region, 0, 0, 0, 0, at, 1, s, 0, e, point, event, command
        );
        SYNC_POINT_LIST: CommandBufferExp.pfnAppendMemBufferReadRectExp(
            b, mem, origin, origin, region, 0, 0, 0, 0, at, 1, s, 0, e, point, event, command
        );
        SIZE: CommandBufferExp.pfnAppendMemBufferFillExp(
            b, mem, pattern, 1, 60, 8, 0, s, 0, e, point, event, command
        );
        SYNC_POINT_LIST: CommandBufferExp.pfnAppendMemBufferFillExp(
            b, mem, pattern, 1, 0, 8, 1, s, 0, e, point, event, command
        );
        SIZE: CommandBufferExp.pfnAppendUSMPrefetchExp(
            b, at, 0, 0, 0, s, 0, e, point, event, command
        );
        ENUMERATION: CommandBufferExp.pfnAppendUSMPrefetchExp(
            b, at, 8, 1 << 20, 0, s, 0, e, point, event, command
        );
        SYNC_POINT_LIST: CommandBufferExp.pfnAppendUSMPrefetchExp(
            b, at, 8, 0, 1, s, 0, e, point, event, command
        );
        SIZE: CommandBufferExp.pfnAppendUSMAdviseExp(
            b, at, 0, 0, 0, s, 0, e, point, event, command
        );
        ENUMERATION: CommandBufferExp.pfnAppendUSMAdviseExp(
            b, at, 8, 1 << 30, 0, s, 0, e, point, event, command
        );
        SYNC_POINT_LIST: CommandBufferExp.pfnAppendUSMAdviseExp(
            b, at, 8, 0, 0, first, 0, e, point, event, command
        );
        WORK_DIMENSION: CommandBufferExp.pfnAppendKernelLaunchWithArgsExp(
            b, k, 0, null(), global, null(), 3, a, 0, no_kernels, 0, s, 0, e, point, event, command
        );
        VALUE: CommandBufferExp.pfnAppendKernelLaunchWithArgsExp(
            b, k, 1, null(), global, null(), 3, a, 1, no_kernels, 0, s, 0, e, point, event, command
        );
        VALUE: CommandBufferExp.pfnAppendKernelLaunchWithArgsExp(
            b, k, 1, null(), global, null(), 3, a, 0, own, 0, s, 0, e, point, event, command
        );
        VALUE: CommandBufferExp.pfnAppendKernelLaunchWithArgsExp(
            b, k, 1, null(), global, null(), 3, a, 1, own, 0, s, 0, e, point, event, command
        );
        NULL_POINTER: CommandBufferExp.pfnAppendKernelLaunchWithArgsExp(
            b, k, 1, null(), global, null(), 3, null(), 0, no_kernels, 0, s, 0, e, point, event,
            command
        );
        SYNC_POINT_LIST: CommandBufferExp.pfnAppendKernelLaunchWithArgsExp(
            b, k, 1, null(), global, null(), 3, a, 0, no_kernels, 1, s, 0, e, point, event, command
        );
        SYNC_POINT_LIST: CommandBufferExp.pfnAppendKernelLaunchExp(
            b, k, 1, null(), global, null(), 0, no_kernels, 1, s, 0, e, point, event, command
        );
        SIZE: CommandBufferExp.pfnUpdateKernelLaunchExp(w.closed, 0, null());
        NO_COMMAND: CommandBufferExp.pfnUpdateKernelLaunchExp(w.closed, 1, &no_launch);
        OPERATION: CommandBufferExp.pfnUpdateKernelLaunchExp(w.open, 1, &no_launch);
        WORK_DIMENSION: CommandBufferExp.pfnUpdateKernelLaunchExp(w.closed, 1, &no_dims);
        WORK_DIMENSION: CommandBufferExp.pfnUpdateKernelLaunchExp(w.closed, 1, &many_dims);
        VALUE: CommandBufferExp.pfnUpdateKernelLaunchExp(w.closed, 1, &other_dims);
        OPERATION: CommandBufferExp.pfnUpdateSignalEventExp(w.command, &mut signal);
        OPERATION: CommandBufferExp.pfnUpdateSignalEventExp(w.closed_command, &mut signal);
        NULL_HANDLE: CommandBufferExp.pfnUpdateSignalEventExp(null_mut(), &mut signal);
        NULL_POINTER: CommandBufferExp.pfnUpdateSignalEventExp(w.closed_command, null_mut());
        OPERATION: CommandBufferExp.pfnUpdateWaitEventsExp(w.command, 0, e);
        WAIT_LIST: CommandBufferExp.pfnUpdateWaitEventsExp(w.closed_command, 1, &w.event.0);
        NO_QUERY: CommandBufferExp.pfnGetInfoExp(
            b, ur_exp_command_buffer_info_t(99), 64, v, null_mut()
        );
        SIZE: CommandBufferExp.pfnGetInfoExp(b, info, 0, v, null_mut());
        SIZE: CommandBufferExp.pfnGetInfoExp(b, info, 8, v, null_mut());
        NULL_POINTER: CommandBufferExp.pfnGetInfoExp(b, info, 64, null_mut(), null_mut());
        UNSUPPORTED: CommandBufferExp.pfnGetNativeHandleExp(b, &mut native);
    }
    assert!(made.is_null() && signal.is_null());
}

#[test]
fn graphs() {
    let w = World::new();
    let (q, g) = (w.queue.0, w.graph);
    let (mut made, mut runnable) = (null_mut(), null_mut());
    let (mut truth, mut number, mut native) = (false, 0u64, 0);
    let missing = c"/no such folder/graph";
    let recording = w.context.queue();
    ok!(QueueExp.pfnBeginGraphCaptureExp(recording.0));
    let r = recording.0;
    let (e, n) = (null::<ur_event_handle_t>(), null_mut());
    table! {
        NULL_HANDLE: GraphExp.pfnCreateExp(null_mut(), &mut made);
        NULL_POINTER: GraphExp.pfnCreateExp(w.context.0, null_mut());
        NULL_HANDLE: QueueExp.pfnBeginGraphCaptureExp(null_mut());
        OPERATION: QueueExp.pfnBeginGraphCaptureExp(r);
        OPERATION: QueueExp.pfnBeginCaptureIntoGraphExp(r, g);
        NULL_HANDLE: QueueExp.pfnBeginCaptureIntoGraphExp(q, null_mut());
        OPERATION: QueueExp.pfnEndGraphCaptureExp(q, &mut made);
        NULL_POINTER: QueueExp.pfnEndGraphCaptureExp(r, null_mut());
        OPERATION: QueueExp.pfnGetGraphExp(q, &mut made);
        NULL_POINTER: QueueExp.pfnIsGraphCaptureEnabledExp(q, null_mut());
        NULL_HANDLE: GraphExp.pfnInstantiateGraphExp(null_mut(), &mut runnable);
        NULL_POINTER: GraphExp.pfnInstantiateGraphExp(g, null_mut());
        NULL_HANDLE: GraphExp.pfnDestroyExp(null_mut());
        NULL_HANDLE: GraphExp.pfnExecutableGraphDestroyExp(null_mut());
        NULL_HANDLE: GraphExp.pfnIsEmptyExp(null_mut(), &mut truth);
        NULL_POINTER: GraphExp.pfnIsEmptyExp(g, null_mut());
        NULL_HANDLE: GraphExp.pfnGetIdExp(null_mut(), &mut number);
        NULL_POINTER: GraphExp.pfnSetDestructionCallbackExp(g, None, null_mut());
        NULL_POINTER: GraphExp.pfnDumpContentsExp(g, null());
        VALUE: GraphExp.pfnDumpContentsExp(g, missing.as_ptr());
        UNSUPPORTED: GraphExp.pfnGetNativeHandleExp(g, &mut native);
        OPERATION: Queue.pfnFinish(r);
        OPERATION: EnqueueExp.pfnCommandBufferExp(r, w.closed, 0, e, n);
        OPERATION: Enqueue.pfnUSMMemcpy(r, true, w.at(), w.at(), 8, 0, e, n);
    }
    ok!(QueueExp.pfnEndGraphCaptureExp(r, &mut made));
    ok!(GraphExp.pfnDestroyExp(made));
}
