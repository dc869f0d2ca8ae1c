//! Command buffers through the C tables.

mod common;

use common::*;
use std::ffi::c_void;
use std::ptr::{null, null_mut};
use ur_api::*;

/// A command buffer, released at the end.
struct Buffer(ur_exp_command_buffer_handle_t);

impl Drop for Buffer {
    fn drop(&mut self) {
        ok!(CommandBufferExp.pfnReleaseExp(self.0));
    }
}

#[derive(Clone, Copy, Default)]
struct How {
    updatable: bool,
    in_order: bool,
    profiled: bool,
}

type SyncPoint = ur_exp_command_buffer_sync_point_t;
type Command = ur_exp_command_buffer_command_handle_t;

impl Buffer {
    fn new(context: &Context, how: How) -> Buffer {
        let desc = ur_exp_command_buffer_desc_t {
            stype: UR_STRUCTURE_TYPE_EXP_COMMAND_BUFFER_DESC,
            isUpdatable: how.updatable.into(),
            isInOrder: how.in_order.into(),
            enableProfiling: how.profiled.into(),
            ..Default::default()
        };
        let mut buffer = null_mut();
        ok!(CommandBufferExp.pfnCreateExp(context.0, device(), &desc, &mut buffer));
        Buffer(buffer)
    }

    fn finalize(&self) {
        ok!(CommandBufferExp.pfnFinalizeExp(self.0));
    }

    /// Records a copy of `size` bytes and gives its sync point.
    fn copy(&self, dst: *mut c_void, src: *const c_void, size: usize, after: &[SyncPoint]) -> u32 {
        let mut point = u32::MAX;
        ok!(CommandBufferExp.pfnAppendUSMMemcpyExp(
            self.0,
            dst,
            src,
            size,
            after.len() as u32,
            some(after),
            0,
            null(),
            &mut point,
            null_mut(),
            null_mut(),
        ));
        point
    }

    /// Records a launch, with a command handle if the buffer is updatable.
    fn launch(
        &self,
        kernel: &Kernel,
        others: &[&Kernel],
        size: usize,
        args: &[Arg],
        command: *mut Command,
    ) -> ur_result_t {
        kernel.record(self.0, others, &[size], None, args, command)
    }

    fn enqueue(&self, queue: &Queue, after: &[ur_event_handle_t]) -> Event {
        let mut event = null_mut();
        ok!(EnqueueExp.pfnCommandBufferExp(
            queue.0,
            self.0,
            after.len() as u32,
            some(after),
            &mut event
        ));
        Event(event)
    }

    fn count(&self) -> u32 {
        let mut count = 0u32;
        let name = UR_EXP_COMMAND_BUFFER_INFO_REFERENCE_COUNT;
        let place = (&raw mut count).cast();
        ok!(CommandBufferExp.pfnGetInfoExp(self.0, name, 4, place, null_mut()));
        count
    }
}

fn some<T>(list: &[T]) -> *const T {
    if list.is_empty() {
        null()
    } else {
        list.as_ptr()
    }
}

fn out<T>(values: &mut [T]) -> *mut c_void {
    values.as_mut_ptr().cast()
}

fn of<T>(values: &[T]) -> *const c_void {
    values.as_ptr().cast()
}

const UPDATABLE: How = How {
    updatable: true,
    in_order: true,
    profiled: false,
};

#[test]
fn sync_points_order_and_replays_follow_each_other() {
    let context = Context::new();
    let (mut a, mut b, mut c) = (vec![0u32; 70_000], vec![0u32; 70_000], vec![0u32; 70_000]);
    let size = a.len() * 4;
    let buffer = Buffer::new(&context, How::default());
    let first = buffer.copy(out(&mut b), of(&a), size, &[]);
    let second = buffer.copy(out(&mut c), of(&b), size, &[first]);
    assert_eq!((first, second), (0, 1));
    // Before it is finalized it cannot be enqueued, and afterwards nothing can be added.
    let queue = context.queue_with(UR_QUEUE_FLAG_OUT_OF_ORDER_EXEC_MODE_ENABLE.0);
    assert_eq!(
        ur!(EnqueueExp.pfnCommandBufferExp(queue.0, buffer.0, 0, null(), null_mut())),
        UR_RESULT_ERROR_INVALID_OPERATION
    );
    buffer.finalize();
    assert_eq!(
        ur!(CommandBufferExp.pfnFinalizeExp(buffer.0)),
        UR_RESULT_ERROR_INVALID_OPERATION
    );
    let mut late = 0u32;
    assert_eq!(
        ur!(CommandBufferExp.pfnAppendUSMMemcpyExp(
            buffer.0,
            out(&mut b),
            of(&a),
            4,
            0,
            null(),
            0,
            null(),
            &mut late,
            null_mut(),
            null_mut(),
        )),
        UR_RESULT_ERROR_INVALID_OPERATION
    );
    for round in 1..=50u32 {
        a.fill(round);
        // Two replays in flight: they do not run at the same time.
        buffer.enqueue(&queue, &[]);
        let event = buffer.enqueue(&queue, &[]);
        event.wait();
        assert!(c.iter().all(|value| *value == round), "round {round}");
        assert_eq!(
            event_info(event.0, UR_EVENT_INFO_COMMAND_TYPE),
            UR_COMMAND_ENQUEUE_COMMAND_BUFFER_EXP.0
        );
    }
    queue.finish();
}

#[test]
fn replays_in_flight_run_one_after_the_other() {
    let context = Context::new();
    let queue = context.queue_with(UR_QUEUE_FLAG_OUT_OF_ORDER_EXEC_MODE_ENABLE.0);
    let (a, mut b) = ([7u8; 16], [0u8; 16]);
    let buffer = Buffer::new(&context, How::default());
    buffer.copy(out(&mut b), of(&a), 16, &[]);
    buffer.finalize();
    let (go, held) = queue.block();
    let first = buffer.enqueue(&queue, &[held.0]);
    let second = buffer.enqueue(&queue, &[]);
    std::thread::sleep(std::time::Duration::from_millis(20));
    // The second depends on nothing but the first.
    assert_ne!(first.status(), UR_EVENT_STATUS_COMPLETE);
    assert_ne!(second.status(), UR_EVENT_STATUS_COMPLETE);
    assert_eq!(b[0], 0);
    drop(go);
    second.wait();
    assert_eq!(first.status(), UR_EVENT_STATUS_COMPLETE);
    assert_eq!(b, a);
}

#[test]
fn an_in_order_queue_keeps_its_order_around_a_buffer() {
    let context = Context::new();
    let queue = context.queue();
    let (mut a, mut b, mut c) = (
        vec![0u64; 400_000],
        vec![0u64; 400_000],
        vec![0u64; 400_000],
    );
    let size = a.len() * 8;
    let buffer = Buffer::new(&context, How::default());
    buffer.copy(out(&mut b), of(&a), size, &[]);
    buffer.finalize();
    for round in 1..=10u64 {
        ok!(Enqueue.pfnUSMFill(
            queue.0,
            out(&mut a),
            8,
            (&raw const round).cast(),
            size,
            0,
            null(),
            null_mut()
        ));
        buffer.enqueue(&queue, &[]);
        let (to, from) = (out(&mut c), of(&b));
        ok!(Enqueue.pfnUSMMemcpy(queue.0, true, to, from, size, 0, null(), null_mut()));
        assert!(c.iter().all(|value| *value == round), "round {round}");
    }
}

#[test]
fn in_order_buffers_and_every_kind_of_copy() {
    let context = Context::new();
    let queue = context.queue();
    let buffer = Buffer::new(
        &context,
        How {
            in_order: true,
            ..How::default()
        },
    );
    let (x, y) = (context.buffer(&[0; 64]), context.buffer(&[0; 64]));
    let source: Vec<u8> = (0..64).collect();
    let mut result = [0u8; 64];
    let mut usm = [0u8; 32];
    let at = |x, y, z| ur_rect_offset_t { x, y, z };
    let region = ur_rect_region_t {
        width: 4,
        height: 3,
        depth: 1,
    };
    macro_rules! append {
        ($entry:ident($($arg:expr),* $(,)?)) => {
            ok!(CommandBufferExp.$entry(
                buffer.0, $($arg,)* 0, null(), 0, null(), null_mut(), null_mut(), null_mut()
            ))
        };
    }
    let pattern = [0xAAu8, 0xBB];
    append!(pfnAppendMemBufferWriteExp(x.0, 0, 64, of(&source)));
    append!(pfnAppendMemBufferFillExp(y.0, of(&pattern), 2, 0, 64));
    append!(pfnAppendMemBufferCopyExp(x.0, y.0, 8, 16, 8));
    append!(pfnAppendMemBufferCopyRectExp(
        x.0,
        y.0,
        at(0, 0, 0),
        at(0, 4, 0),
        region,
        8,
        0,
        8,
        0
    ));
    let rows = source.as_ptr().cast_mut().cast();
    append!(pfnAppendMemBufferWriteRectExp(
        x.0,
        at(4, 0, 0),
        at(0, 0, 0),
        region,
        8,
        0,
        4,
        0,
        rows
    ));
    append!(pfnAppendMemBufferReadExp(y.0, 0, 64, out(&mut result)));
    append!(pfnAppendUSMFillExp(out(&mut usm), of(&pattern), 2, 32));
    append!(pfnAppendUSMPrefetchExp(of(&usm), 32, 0));
    append!(pfnAppendUSMAdviseExp(of(&usm), 32, 0));
    let to = usm[8..].as_mut_ptr().cast();
    append!(pfnAppendMemBufferReadRectExp(
        x.0,
        at(4, 0, 0),
        at(0, 0, 0),
        region,
        8,
        0,
        4,
        0,
        to
    ));
    buffer.finalize();
    buffer.enqueue(&queue, &[]).wait();

    let mut expected = [0u8; 64];
    for (i, byte) in expected.iter_mut().enumerate() {
        *byte = pattern[i % 2];
    }
    expected[16..24].copy_from_slice(&source[8..16]);
    for row in 0..3 {
        expected[32 + row * 8..][..4].copy_from_slice(&source[row * 8..][..4]);
    }
    assert_eq!(result, expected);
    assert_eq!(usm[8..20], source[..12]);
    assert_eq!(usm[20..22], pattern);
}

#[test]
fn wrong_sync_points_and_sizes_are_refused() {
    let context = Context::new();
    let buffer = Buffer::new(&context, How::default());
    let mut bytes = [0u8; 8];
    let place = out(&mut bytes);
    let copy = |size, after: &[u32], command: *mut Command| {
        ur!(CommandBufferExp.pfnAppendUSMMemcpyExp(
            buffer.0,
            place,
            place,
            size,
            after.len() as u32,
            some(after),
            0,
            null(),
            null_mut(),
            null_mut(),
            command,
        ))
    };
    assert_eq!(
        copy(8, &[0], null_mut()),
        UR_RESULT_ERROR_INVALID_COMMAND_BUFFER_SYNC_POINT_EXP
    );
    assert_eq!(copy(0, &[], null_mut()), UR_RESULT_ERROR_INVALID_SIZE);
    let mut command = null_mut();
    assert_eq!(
        copy(8, &[], &mut command),
        UR_RESULT_ERROR_INVALID_OPERATION,
        "a command handle of a buffer that is not updatable"
    );
    assert_eq!(copy(8, &[], null_mut()), UR_RESULT_SUCCESS);
    assert_eq!(copy(8, &[0], null_mut()), UR_RESULT_SUCCESS);
}

#[test]
fn info_and_counts() {
    let context = Context::new();
    let how = How {
        updatable: true,
        in_order: false,
        profiled: true,
    };
    let buffer = Buffer::new(&context, how);
    assert_eq!(buffer.count(), 1);
    ok!(CommandBufferExp.pfnRetainExp(buffer.0));
    assert_eq!(buffer.count(), 2);
    ok!(CommandBufferExp.pfnReleaseExp(buffer.0));
    let mut desc = ur_exp_command_buffer_desc_t::default();
    let (size, mut told) = (size_of_val(&desc), 0);
    ok!(CommandBufferExp.pfnGetInfoExp(
        buffer.0,
        UR_EXP_COMMAND_BUFFER_INFO_DESCRIPTOR,
        size,
        (&raw mut desc).cast(),
        &mut told
    ));
    assert_eq!(told, size);
    assert_eq!(desc.stype, UR_STRUCTURE_TYPE_EXP_COMMAND_BUFFER_DESC);
    assert_eq!(
        (desc.isUpdatable, desc.isInOrder, desc.enableProfiling),
        (1, 0, 1)
    );
    assert!(desc.pNext.is_null());
}

#[test]
fn the_device_says_so() {
    let flag = |name| {
        let mut yes = 9u8;
        ok!(Device.pfnGetInfo(device(), name, 1, (&raw mut yes).cast(), null_mut()));
        yes
    };
    assert_eq!(flag(UR_DEVICE_INFO_COMMAND_BUFFER_SUPPORT_EXP), 1);
    assert_eq!(flag(UR_DEVICE_INFO_COMMAND_BUFFER_EVENT_SUPPORT_EXP), 1);
    assert_eq!(flag(UR_DEVICE_INFO_COMMAND_BUFFER_SUBGRAPH_SUPPORT_EXP), 0);
    let mut flags = 0u32;
    let name = UR_DEVICE_INFO_COMMAND_BUFFER_UPDATE_CAPABILITIES_EXP;
    ok!(Device.pfnGetInfo(device(), name, 4, (&raw mut flags).cast(), null_mut()));
    assert_eq!(flags, 0x3f);
}

#[test]
fn events_link_a_buffer_with_the_outside() {
    let context = Context::new();
    let queue = context.queue_with(UR_QUEUE_FLAG_OUT_OF_ORDER_EXEC_MODE_ENABLE.0);
    let (a, mut b) = ([5u8; 8], [0u8; 8]);
    let how = How {
        updatable: true,
        profiled: true,
        ..How::default()
    };
    let buffer = Buffer::new(&context, how);
    let (go, held) = queue.block();
    let (mut event, mut command) = (null_mut(), null_mut());
    ok!(CommandBufferExp.pfnAppendUSMMemcpyExp(
        buffer.0,
        out(&mut b),
        of(&a),
        8,
        0,
        null(),
        1,
        &held.0,
        null_mut(),
        &mut event,
        &mut command,
    ));
    let event = Event(event);
    buffer.finalize();
    assert_eq!(event.status(), UR_EVENT_STATUS_QUEUED);
    // A command may wait for the event before the buffer is enqueued.
    let after = queue.wait_event(&[event.0]);
    let whole = buffer.enqueue(&queue, &[]);
    std::thread::sleep(std::time::Duration::from_millis(10));
    assert_ne!(after.status(), UR_EVENT_STATUS_COMPLETE);
    assert_eq!(b, [0; 8]);
    drop(go);
    after.wait();
    assert_eq!(b, a);
    event.wait();
    assert_eq!(
        event_info(event.0, UR_EVENT_INFO_COMMAND_TYPE),
        UR_COMMAND_USM_MEMCPY.0
    );
    whole.wait();
    let (start, end) = (
        UR_PROFILING_INFO_COMMAND_START,
        UR_PROFILING_INFO_COMMAND_END,
    );
    assert!(event.time(start) <= event.time(end));

    // The event was for one run; the next has a new one, and waits for something else.
    let mut next = null_mut();
    ok!(CommandBufferExp.pfnUpdateSignalEventExp(command, &mut next));
    let next = Event(next);
    let (go, other) = queue.block();
    ok!(CommandBufferExp.pfnUpdateWaitEventsExp(command, 1, &other.0));
    b.fill(0);
    buffer.enqueue(&queue, &[]);
    std::thread::sleep(std::time::Duration::from_millis(10));
    assert_ne!(next.status(), UR_EVENT_STATUS_COMPLETE);
    drop(go);
    next.wait();
    assert_eq!(b, a);
    // With a complete event to wait for it runs freely; their number stays.
    ok!(CommandBufferExp.pfnUpdateWaitEventsExp(command, 1, &next.0));
    assert_eq!(
        ur!(CommandBufferExp.pfnUpdateWaitEventsExp(command, 0, null())),
        UR_RESULT_ERROR_INVALID_EVENT_WAIT_LIST
    );
    buffer.enqueue(&queue, &[]).wait();
}

#[test]
fn an_event_of_a_buffer_that_goes_unused_fails() {
    let context = Context::new();
    let buffer = Buffer::new(&context, How::default());
    let mut bytes = [0u8; 8];
    let mut event = null_mut();
    ok!(CommandBufferExp.pfnAppendUSMMemcpyExp(
        buffer.0,
        out(&mut bytes),
        of(&[1u8; 8]),
        8,
        0,
        null(),
        0,
        null(),
        null_mut(),
        &mut event,
        null_mut(),
    ));
    let event = Event(event);
    drop(buffer);
    assert_eq!(event.status(), UR_EVENT_STATUS_ERROR);
    assert_eq!(
        ur!(Event.pfnWait(1, &event.0)),
        UR_RESULT_ERROR_IN_EVENT_LIST_EXEC_STATUS
    );
}

#[test]
fn a_failure_before_the_buffer_is_one_of_its_event() {
    let context = Context::new();
    let queue = context.queue_with(UR_QUEUE_FLAG_OUT_OF_ORDER_EXEC_MODE_ENABLE.0);
    let (a, mut b) = ([5u8; 8], [0u8; 8]);
    // An event that has failed: that of a command buffer that never runs.
    let failed = {
        let unused = Buffer::new(&context, How::default());
        let mut event = null_mut();
        ok!(CommandBufferExp.pfnAppendUSMMemcpyExp(
            unused.0,
            out(&mut b),
            of(&a),
            8,
            0,
            null(),
            0,
            null(),
            null_mut(),
            &mut event,
            null_mut(),
        ));
        Event(event)
    };
    let buffer = Buffer::new(&context, How::default());
    buffer.copy(out(&mut b), of(&a), 8, &[]);
    buffer.finalize();
    let event = buffer.enqueue(&queue, &[failed.0]);
    assert_eq!(
        ur!(Event.pfnWait(1, &event.0)),
        UR_RESULT_ERROR_IN_EVENT_LIST_EXEC_STATUS
    );
    assert_eq!(b, [0; 8], "the copy must not have run");
    // The next replay is not tainted.
    buffer.enqueue(&queue, &[]).wait();
    assert_eq!(b, a);
}

#[test]
fn a_released_buffer_still_runs() {
    let context = Context::new();
    let queue = context.queue();
    let (a, mut b) = ([3u8; 8], [0u8; 8]);
    let (go, _held) = queue.block();
    let event = {
        let buffer = Buffer::new(&context, How::default());
        buffer.copy(out(&mut b), of(&a), 8, &[]);
        buffer.finalize();
        buffer.enqueue(&queue, &[])
    };
    drop(go);
    event.wait();
    assert_eq!(b, a);
}

#[test]
fn times_of_a_buffer() {
    let context = Context::new();
    let queue = context.queue_with(UR_QUEUE_FLAG_PROFILING_ENABLE.0);
    let a = vec![1u8; 8 << 20];
    let mut b = vec![0u8; 8 << 20];
    let buffer = Buffer::new(&context, How::default());
    buffer.copy(out(&mut b), of(&a), a.len(), &[]);
    buffer.finalize();
    let event = buffer.enqueue(&queue, &[]);
    event.wait();
    let times = [
        UR_PROFILING_INFO_COMMAND_QUEUED,
        UR_PROFILING_INFO_COMMAND_SUBMIT,
        UR_PROFILING_INFO_COMMAND_START,
        UR_PROFILING_INFO_COMMAND_END,
    ]
    .map(|which| event.time(which));
    assert!(times.is_sorted(), "{times:?}");
    // Eight megabytes take longer than a thousand nanoseconds on any machine.
    assert!(times[3] - times[2] > 1000, "{times:?}");
}

fn ints(count: usize, f: impl Fn(i32) -> i32) -> Vec<i32> {
    (0..count as i32).map(f).collect()
}

/// An update of pointers, values or sizes.
fn update(
    buffer: &Buffer,
    command: Command,
    change: impl FnOnce(&mut ur_exp_command_buffer_update_kernel_launch_desc_t),
) -> ur_result_t {
    let mut desc = ur_exp_command_buffer_update_kernel_launch_desc_t {
        stype: UR_STRUCTURE_TYPE_EXP_COMMAND_BUFFER_UPDATE_KERNEL_LAUNCH_DESC,
        hCommand: command,
        newWorkDim: 1,
        ..Default::default()
    };
    change(&mut desc);
    ur!(CommandBufferExp.pfnUpdateKernelLaunchExp(buffer.0, 1, &desc))
}

#[test]
fn launches_are_recorded_and_updated() {
    let context = Context::new();
    let queue = context.queue();
    let program = context.program("vector_add.spv");
    let kernel = program.kernel("vector_add_n");
    let (a, b) = (ints(100, |i| i), ints(100, |i| i * 1000));
    let (mut c, mut d) = (vec![0i32; 100], vec![0i32; 100]);
    let n = 100u32.to_ne_bytes();
    let buffer = Buffer::new(&context, UPDATABLE);
    let mut command = null_mut();
    let args = [
        Arg::Pointer(of(&a)),
        Arg::Pointer(of(&b)),
        Arg::Pointer(out(&mut c)),
        Arg::Value(&n),
    ];
    let outcome = buffer.launch(&kernel, &[], 100, &args, &mut command);
    assert_eq!(outcome, UR_RESULT_SUCCESS, "{}", last_error());
    let pointer = |index, to: *const c_void| ur_exp_command_buffer_update_pointer_arg_desc_t {
        stype: UR_STRUCTURE_TYPE_EXP_COMMAND_BUFFER_UPDATE_POINTER_ARG_DESC,
        argIndex: index,
        pNewPointerArg: to,
        ..Default::default()
    };
    let to_d = [pointer(2, out(&mut d))];
    let retarget = |desc: &mut ur_exp_command_buffer_update_kernel_launch_desc_t| {
        desc.numNewPointerArgs = 1;
        desc.pNewPointerArgList = to_d.as_ptr();
    };
    assert_eq!(
        update(&buffer, command, retarget),
        UR_RESULT_ERROR_INVALID_OPERATION,
        "before it is finalized"
    );
    buffer.finalize();
    let sums = ints(100, |i| i * 1001);
    buffer.enqueue(&queue, &[]).wait();
    assert_eq!(c, sums);

    // A replay in flight keeps what it was enqueued with.
    c.fill(0);
    let (go, _held) = queue.block();
    let early = buffer.enqueue(&queue, &[]);
    assert_eq!(update(&buffer, command, retarget), UR_RESULT_SUCCESS);
    drop(go);
    early.wait();
    assert_eq!((c.as_slice(), d[99]), (sums.as_slice(), 0));
    buffer.enqueue(&queue, &[]).wait();
    assert_eq!(d, sums);

    // The bound, then the global size.
    let fewer = 10u32;
    let value = [ur_exp_command_buffer_update_value_arg_desc_t {
        stype: UR_STRUCTURE_TYPE_EXP_COMMAND_BUFFER_UPDATE_VALUE_ARG_DESC,
        argIndex: 3,
        argSize: 4,
        pNewValueArg: (&raw const fewer).cast(),
        ..Default::default()
    }];
    d.fill(-1);
    let bound = |desc: &mut ur_exp_command_buffer_update_kernel_launch_desc_t| {
        desc.numNewValueArgs = 1;
        desc.pNewValueArgList = value.as_ptr();
    };
    assert_eq!(update(&buffer, command, bound), UR_RESULT_SUCCESS);
    buffer.enqueue(&queue, &[]).wait();
    assert_eq!((d[9], d[10]), (9 * 1001, -1));
    d.fill(-1);
    let (mut offset, mut global, mut local) = (4usize, 4usize, 2usize);
    let range = |desc: &mut ur_exp_command_buffer_update_kernel_launch_desc_t| {
        desc.newWorkDim = 1;
        desc.pNewGlobalWorkOffset = &mut offset;
        desc.pNewGlobalWorkSize = &mut global;
        desc.pNewLocalWorkSize = &mut local;
    };
    assert_eq!(update(&buffer, command, range), UR_RESULT_SUCCESS);
    buffer.enqueue(&queue, &[]).wait();
    let touched: Vec<_> = (0..100).filter(|i| d[*i] != -1).collect();
    assert_eq!(touched, [4, 5, 6, 7]);

    // What is wrong is refused and changes nothing.
    let wrong = [pointer(9, out(&mut c))];
    let outcome = update(&buffer, command, |desc| {
        desc.numNewPointerArgs = 1;
        desc.pNewPointerArgList = wrong.as_ptr();
    });
    assert_eq!(outcome, UR_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_INDEX);
    let mut odd = 3usize;
    let outcome = update(&buffer, command, |desc| {
        desc.newWorkDim = 1;
        desc.pNewLocalWorkSize = &mut odd;
    });
    assert_eq!(outcome, UR_RESULT_ERROR_INVALID_WORK_GROUP_SIZE);
    d.fill(-1);
    buffer.enqueue(&queue, &[]).wait();
    assert_eq!(d.iter().filter(|value| **value != -1).count(), 4);
}

#[test]
fn a_launch_changes_to_an_alternative_kernel() {
    let context = Context::new();
    let queue = context.queue();
    let program = context.program("vector_add.spv");
    let (ints_kernel, floats) = (program.kernel("vector_add_n"), program.kernel("vector_add"));
    let other = program.kernel("vector_add");
    let (a, b) = ([1.5f32; 8], [2.25f32; 8]);
    let mut c = [0f32; 8];
    let n = 8u32.to_ne_bytes();
    let buffer = Buffer::new(&context, UPDATABLE);
    let mut command = null_mut();
    let args = [
        Arg::Pointer(of(&a)),
        Arg::Pointer(of(&b)),
        Arg::Pointer(out(&mut c)),
        Arg::Value(&n),
    ];
    let outcome = buffer.launch(&ints_kernel, &[&floats], 8, &args, &mut command);
    assert_eq!(outcome, UR_RESULT_SUCCESS, "{}", last_error());
    buffer.finalize();
    let change = |kernel: &Kernel| update(&buffer, command, |desc| desc.hNewKernel = kernel.0);
    assert_eq!(change(&other), UR_RESULT_ERROR_INVALID_VALUE);
    assert_eq!(change(&floats), UR_RESULT_SUCCESS, "{}", last_error());
    buffer.enqueue(&queue, &[]).wait();
    assert_eq!(c, [3.75; 8]);
}

#[test]
fn commands_of_other_buffers_and_buffers_that_stay_are_refused() {
    let context = Context::new();
    let (first, second) = (
        Buffer::new(&context, UPDATABLE),
        Buffer::new(&context, UPDATABLE),
    );
    let program = context.program("vector_add.spv");
    let kernel = program.kernel("vector_add");
    let mut data = [0f32; 4];
    let args = [
        Arg::Pointer(of(&data)),
        Arg::Pointer(of(&data)),
        Arg::Pointer(out(&mut data)),
    ];
    let (mut command, mut foreign) = (null_mut(), null_mut());
    assert_eq!(
        first.launch(&kernel, &[], 4, &args, &mut command),
        UR_RESULT_SUCCESS
    );
    assert_eq!(
        second.launch(&kernel, &[], 4, &args, &mut foreign),
        UR_RESULT_SUCCESS
    );
    first.finalize();
    let code = UR_RESULT_ERROR_INVALID_COMMAND_BUFFER_COMMAND_HANDLE_EXP;
    assert_eq!(update(&first, foreign, |_| {}), code);
    assert_eq!(update(&first, command, |_| {}), UR_RESULT_SUCCESS);
    assert_eq!(
        ur!(CommandBufferExp.pfnUpdateKernelLaunchExp(first.0, 0, null())),
        UR_RESULT_ERROR_INVALID_SIZE
    );
    let fixed = Buffer::new(&context, How::default());
    fixed.finalize();
    assert_eq!(
        update(&fixed, command, |_| {}),
        UR_RESULT_ERROR_INVALID_OPERATION
    );
    // A kernel with arguments cannot be recorded without them.
    let outcome = second.launch(&kernel, &[], 4, &[], null_mut());
    assert_eq!(outcome, UR_RESULT_ERROR_INVALID_VALUE);
}
