//! Command buffers: what a recorded launch has, what is left when a call fails, and drivers that run
//! one only once at a time or only on a queue like its own.

use crate::case;
use crate::driver::{Driver, EVERYTHING};
use crate::support::*;
use crate::ur;
use std::mem::ManuallyDrop;
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicBool, Ordering};
use ur_adapter_opencl::cl;
use ur_api::*;

/// A command buffer.
struct Buffer(ur_exp_command_buffer_handle_t);

impl Drop for Buffer {
    fn drop(&mut self) {
        ur!(CommandBufferExp.pfnReleaseExp(self.0)).expect("a release");
    }
}

/// A recorded launch, which goes with its command buffer.
type Command = ur_exp_command_buffer_command_handle_t;

/// A driver whose command buffers run only once at a time.
const ONE_AT_A_TIME: &str = "3.0 il cl_khr_command_buffer cl_khr_command_buffer_mutable_dispatch";

impl Buffer {
    fn new(context: &Context, is_updatable: bool) -> Result<Self> {
        Self::of(context, is_updatable, true)
    }

    fn of(context: &Context, is_updatable: bool, is_in_order: bool) -> Result<Self> {
        let desc = ur_exp_command_buffer_desc_t {
            isUpdatable: is_updatable.into(),
            isInOrder: is_in_order.into(),
            ..Default::default()
        };
        let mut raw = null_mut();
        ur!(CommandBufferExp.pfnCreateExp(context.0, device(), &desc, &mut raw))?;
        Ok(Self(raw))
    }

    /// Records a launch for one work-item; its command if it is wanted.
    fn launch(&self, kernel: &Kernel, args: &[Arg<'_>], wanted: bool) -> Result<Command> {
        let args: Vec<_> = args
            .iter()
            .enumerate()
            .map(|(at, arg)| arg.raw(at))
            .collect();
        let mut command = null_mut();
        let place = match wanted {
            true => &raw mut command,
            false => null_mut(),
        };
        ur!(CommandBufferExp.pfnAppendKernelLaunchWithArgsExp(
            self.0,
            kernel.0,
            1,
            null(),
            &1,
            null(),
            args.len() as u32,
            start(&args),
            0,
            null_mut(),
            0,
            null(),
            0,
            null(),
            null_mut(),
            null_mut(),
            place,
        ))?;
        Ok(command)
    }

    /// Records a fill behind a place; gives the new place.
    fn fill(&self, mem: &Mem, behind: &[u32]) -> Result<u32> {
        let (byte, mut place) = (7u8, 0);
        ur!(CommandBufferExp.pfnAppendMemBufferFillExp(
            self.0,
            mem.0,
            (&raw const byte).cast(),
            1,
            0,
            1,
            behind.len() as u32,
            start(behind),
            0,
            null(),
            &mut place,
            null_mut(),
            null_mut(),
        ))?;
        Ok(place)
    }

    fn finalize(&self) -> Result {
        ur!(CommandBufferExp.pfnFinalizeExp(self.0))
    }

    /// Changes the first argument, a value, of a launch.
    fn change(&self, command: Command, index: u32, value: u64) -> Result {
        let value = ur_exp_command_buffer_update_value_arg_desc_t {
            argIndex: index,
            argSize: size_of_val(&value),
            pNewValueArg: (&raw const value).cast(),
            ..Default::default()
        };
        let change = ur_exp_command_buffer_update_kernel_launch_desc_t {
            hCommand: command,
            newWorkDim: 1,
            numNewValueArgs: 1,
            pNewValueArgList: &value,
            ..Default::default()
        };
        ur!(CommandBufferExp.pfnUpdateKernelLaunchExp(self.0, 1, &change))
    }
}

impl Queue {
    /// Runs a command buffer behind events; its event.
    fn run(&self, buffer: &Buffer, waits: &[&Event]) -> Result<Event> {
        let waits = list(waits);
        let count = waits.len() as u32;
        let mut raw = null_mut();
        ur!(EnqueueExp.pfnCommandBufferExp(self.0, buffer.0, count, start(&waits), &mut raw))?;
        Ok(Event(raw))
    }
}

fn number(bytes: &[u8]) -> u64 {
    bytes.try_into().map_or(u64::MAX, u64::from_ne_bytes)
}

case! { launches_run_with_what_they_were_recorded_with, EVERYTHING, arguments }

fn arguments(driver: &Driver) {
    let context = Context::new().expect("a context");
    let queue = context.queue(0).expect("a queue");
    let kernel = context
        .built()
        .and_then(|program| program.kernel(c"fill"))
        .expect("a kernel");
    let mem = context.buffer(16).expect("a buffer");
    let buffer = Buffer::new(&context, true).expect("a command buffer");
    let value = |value: u64| value.to_ne_bytes();
    let record = |number: u64, wanted| {
        let args = [Arg::Value(&value(number)), Arg::Mem(&mem)];
        buffer.launch(&kernel, &args, wanted).expect("a launch")
    };
    record(1, false);
    let second = record(2, true);
    buffer.finalize().expect("an end");
    // What the kernel has afterwards is no matter of the recorded launches.
    let args = [Arg::Value(&value(3)), Arg::Mem(&mem)];
    queue.launch(&kernel, &args, false).expect("a launch");
    drop(queue.run(&buffer, &[]).expect("a run"));
    buffer.change(second, 0, 4).expect("a change");
    drop(queue.run(&buffer, &[]).expect("a run"));
    queue.finish().expect("an end");
    let seen: Vec<_> = (0..driver.launches())
        .map(|launch| number(&driver.argument(launch, 0)))
        .collect();
    assert_eq!(seen, [3, 1, 2, 1, 4]);
    // An index that there is not changes nothing.
    let refused = buffer.change(second, 9, 5);
    assert_eq!(refused, Err(UR_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_INDEX));
    drop((buffer, mem, kernel, queue, context));
    assert_eq!(driver.alive(), 0);
}

case! { a_command_buffer_keeps_what_it_uses, EVERYTHING, keeps }

fn keeps(driver: &Driver) {
    let context = Context::new().expect("a context");
    let queue = context.queue(0).expect("a queue");
    let buffer = Buffer::new(&context, false).expect("a command buffer");
    {
        let program = context.built().expect("a program");
        let kernel = program.kernel(c"fill").expect("a kernel");
        let mem = context.buffer(16).expect("a buffer");
        let sampler = context.sampler().expect("a sampler");
        let args = [Arg::Mem(&mem), Arg::Sampler(&sampler)];
        buffer.launch(&kernel, &args, false).expect("a launch");
        let first = buffer.fill(&mem, &[]).expect("a fill");
        buffer.fill(&mem, &[first]).expect("a fill");
        let refused = buffer.fill(&mem, &[99]);
        assert_eq!(
            refused,
            Err(UR_RESULT_ERROR_INVALID_COMMAND_BUFFER_SYNC_POINT_EXP)
        );
        buffer.finalize().expect("an end");
    }
    // The driver notes a run with an object that is no more.
    queue
        .run(&buffer, &[])
        .expect("a run")
        .wait()
        .expect("an end");
    assert_eq!(driver.faults(), "");
    // One that is released while it runs goes when it has ended.
    let (user, native) = context.user_event().expect("an event");
    let run = queue.run(&buffer, &[&user]).expect("a run");
    drop(buffer);
    assert_eq!(run.status(), Ok(UR_EVENT_STATUS_QUEUED));
    complete(native, cl::CL_COMPLETE);
    run.wait().expect("an end");
    drop((run, user, queue, context));
    assert_eq!(driver.alive(), 0);
}

case! { runs_follow_each_other_where_the_driver_permits_one_only, ONE_AT_A_TIME, one_at_a_time }

fn one_at_a_time(driver: &Driver) {
    runs(driver, "clWaitForEvents");
}

case! {
    /// Where the driver permits many, a run does not keep the caller, but comes behind the one before.
    runs_do_not_keep_the_caller, EVERYTHING,
    |driver| {
        let context = Context::new().expect("a context");
        let queue = context.queue(UR_QUEUE_FLAG_OUT_OF_ORDER_EXEC_MODE_ENABLE.0).expect("a queue");
        let buffer = Buffer::of(&context, false, false).expect("a command buffer");
        buffer.finalize().expect("an end");
        let (user, native) = context.user_event().expect("an event");
        let first = queue.run(&buffer, &[&user]).expect("a run");
        let second = queue.run(&buffer, &[]).expect("a run");
        // It would have ended if it did not wait for the first.
        assert_eq!(second.status(), Ok(UR_EVENT_STATUS_QUEUED));
        complete(native, cl::CL_COMPLETE);
        first.wait().expect("an end");
        second.wait().expect("an end");
        drop((first, second, user, buffer, queue, context));
        assert_eq!(driver.alive(), 0);
    }
}

/// Runs one many times while commands are kept back, and changes it in between. The driver notes what
/// happens while it runs.
fn runs(driver: &Driver, waits: &str) {
    let context = Context::new().expect("a context");
    let queue = context.queue(0).expect("a queue");
    let kernel = context
        .built()
        .and_then(|program| program.kernel(c"fill"))
        .expect("a kernel");
    let buffer = Buffer::new(&context, true).expect("a command buffer");
    let args = [Arg::Value(&[1; 8]), Arg::Value(&[2; 8])];
    let command = buffer.launch(&kernel, &args, true).expect("a launch");
    buffer.finalize().expect("an end");
    driver.lazy(true);
    let before = driver.calls(waits);
    for _ in 0..3 {
        drop(queue.run(&buffer, &[]).expect("a run"));
    }
    assert_eq!(driver.calls(waits) - before, 2);
    // What runs is not changed.
    buffer.change(command, 0, 3).expect("a change");
    assert_eq!(driver.calls(waits) - before, 3);
    assert_eq!(driver.faults(), "");
    queue.finish().expect("an end");
    assert_eq!(driver.launches(), 3);
    drop((buffer, kernel, queue, context));
    assert_eq!(driver.alive(), 0);
}

/// All that one can do with a command buffer, on a queue that is like its own or not.
fn everything(flags: u32) -> Result {
    let context = Context::new()?;
    let queue = context.queue(flags)?;
    let kernel = context.built()?.kernel(c"fill")?;
    let mem = context.buffer(16)?;
    let buffer = Buffer::new(&context, true)?;
    let args = [Arg::Value(&[1; 8]), Arg::Mem(&mem)];
    let command = buffer.launch(&kernel, &args, true)?;
    let place = buffer.fill(&mem, &[])?;
    buffer.fill(&mem, &[place])?;
    buffer.finalize()?;
    let first = queue.run(&buffer, &[])?;
    let second = queue.run(&buffer, &[&first])?;
    buffer.change(command, 0, 2)?;
    let third = queue.run(&buffer, &[&second])?;
    third.wait()?;
    queue.finish()
}

/// Calls whose failure the program need not hear of: pushing what would go on anyway.
const UNTOLD: &str = "clFlush";

/// Lets each call fail, one after the other, and looks for what is left.
fn each_call_fails(driver: &Driver, flags: u32) {
    // Also reads what is kept of platforms and devices.
    everything(flags).expect("no failure");
    assert_eq!((driver.alive(), driver.faults()), (0, String::new()));
    for lazy in [false, true] {
        driver.lazy(lazy);
        let (mut call, mut untold) = (0, 0);
        loop {
            driver.reset();
            driver.fail("*", cl::CL_OUT_OF_RESOURCES, call, 1);
            let result = everything(flags);
            let what = format!("call {call} fails: {result:?}");
            assert_eq!(
                (driver.alive(), driver.faults()),
                (0, String::new()),
                "{what}"
            );
            if driver.failed() == 0 {
                assert_eq!(result, Ok(()));
                assert!(untold <= driver.calls(UNTOLD), "{untold}");
                break;
            }
            untold += u64::from(result.is_ok());
            call += 1;
        }
        // There are that many calls at least.
        assert!(call > 20, "{call}");
    }
}

case! {
    nothing_is_left_whatever_call_fails, EVERYTHING, |driver| each_call_fails(driver, 0)
}

case! {
    nothing_is_left_on_a_driver_that_runs_one_at_a_time, ONE_AT_A_TIME,
    |driver| each_call_fails(driver, 0)
}

case! {
    /// Such a run is enqueued on the command buffer's own queue, between two markers.
    nothing_is_left_on_a_queue_that_is_not_like_its_own, EVERYTHING,
    |driver| each_call_fails(driver, UR_QUEUE_FLAG_OUT_OF_ORDER_EXEC_MODE_ENABLE.0)
}

case! { a_run_on_another_queue_keeps_the_order, EVERYTHING, other_queue }

fn other_queue(driver: &Driver) {
    let context = Context::new().expect("a context");
    let flags = UR_QUEUE_FLAG_PROFILING_ENABLE.0;
    let queue = context.queue(flags).expect("a queue");
    let buffer = Buffer::new(&context, false).expect("a command buffer");
    buffer.finalize().expect("an end");
    let (user, native) = context.user_event().expect("an event");
    driver.lazy(true);
    // The queue is in order, so its command holds the run back, and that the marker.
    let first = queue.marker(&[&user]).expect("a marker");
    let run = queue.run(&buffer, &[]).expect("a run");
    let last = queue.marker(&[]).expect("a marker");
    assert_eq!(run.status(), Ok(UR_EVENT_STATUS_QUEUED));
    complete(native, cl::CL_COMPLETE);
    last.wait().expect("an end");
    for event in [&first, &run, &last] {
        assert_eq!(event.status(), Ok(UR_EVENT_STATUS_COMPLETE));
    }
    drop((first, run, last, user, buffer, queue, context));
    assert_eq!(driver.alive(), 0);
}

case! {
    /// The run is enqueued then, though the caller is told of a failure: what follows waits for it.
    a_run_whose_end_cannot_be_told_is_not_forgotten, ONE_AT_A_TIME, forgotten
}

fn forgotten(driver: &Driver) {
    let context = Context::new().expect("a context");
    let flags = UR_QUEUE_FLAG_PROFILING_ENABLE.0;
    let queue = context.queue(flags).expect("a queue");
    let buffer = Buffer::new(&context, false).expect("a command buffer");
    buffer.finalize().expect("an end");
    let (user, native) = context.user_event().expect("an event");
    // The first marker is before the run, the second one behind it.
    driver.fail("clEnqueueMarkerWithWaitList", cl::CL_OUT_OF_RESOURCES, 1, 1);
    let run = queue.run(&buffer, &[&user]).map(drop);
    assert_eq!(run, Err(UR_RESULT_ERROR_OUT_OF_RESOURCES));
    assert_eq!(driver.failed(), 1);
    let waits = || driver.calls("clWaitForEvents");
    let (before, over) = (waits(), AtomicBool::new(false));
    std::thread::scope(|scope| {
        let (queue, buffer) = (queue.0 as usize, buffer.0 as usize);
        let over = &over;
        scope.spawn(move || {
            let queue = ManuallyDrop::new(Queue(queue as _));
            let buffer = ManuallyDrop::new(Buffer(buffer as _));
            let run = queue.run(&buffer, &[]).map(drop);
            over.store(true, Ordering::SeqCst);
            assert_eq!(run, Ok(()));
        });
        while waits() == before && !over.load(Ordering::SeqCst) {
            std::thread::yield_now();
        }
        complete(native, cl::CL_COMPLETE);
    });
    assert_eq!(driver.faults(), "");
    queue.finish().expect("an end");
    drop((user, buffer, queue, context));
    assert_eq!(driver.alive(), 0);
}

case! { errors_of_the_driver_are_told, EVERYTHING, errors }

fn errors(driver: &Driver) {
    let context = Context::new().expect("a context");
    let queue = context.queue(0).expect("a queue");
    let mem = context.buffer(16).expect("a buffer");
    let codes = [
        (cl::CL_OUT_OF_RESOURCES, UR_RESULT_ERROR_OUT_OF_RESOURCES),
        (
            cl::CL_OUT_OF_HOST_MEMORY,
            UR_RESULT_ERROR_OUT_OF_HOST_MEMORY,
        ),
        (
            cl::CL_INVALID_COMMAND_BUFFER_KHR,
            UR_RESULT_ERROR_INVALID_COMMAND_BUFFER_EXP,
        ),
        (cl::CL_INVALID_OPERATION, UR_RESULT_ERROR_INVALID_OPERATION),
        (-9999, UR_RESULT_ERROR_UNKNOWN),
    ];
    for (code, expected) in codes {
        let fails = |name: &str, call: &dyn Fn() -> Result| {
            driver.fail(name, code, 0, 1);
            assert_eq!(call(), Err(expected), "{name} gives {code}");
        };
        fails("clCreateCommandBufferKHR", &|| {
            Buffer::new(&context, false).map(drop)
        });
        let buffer = Buffer::new(&context, false).expect("a command buffer");
        fails("clCommandFillBufferKHR", &|| {
            buffer.fill(&mem, &[]).map(drop)
        });
        fails("clFinalizeCommandBufferKHR", &|| buffer.finalize());
        // What failed did not end the recording.
        buffer.fill(&mem, &[]).expect("a fill");
        buffer.finalize().expect("an end");
        fails("clEnqueueCommandBufferKHR", &|| {
            queue.run(&buffer, &[]).map(drop)
        });
        queue
            .run(&buffer, &[])
            .expect("a run")
            .wait()
            .expect("an end");
    }
    drop((mem, queue, context));
    assert_eq!(driver.alive(), 0);
}

/// Whether a device says that it has command buffers, and that launches in them can be changed.
fn claims(device: ur_device_handle_t) -> [bool; 2] {
    let names = [
        UR_DEVICE_INFO_COMMAND_BUFFER_SUPPORT_EXP,
        UR_DEVICE_INFO_COMMAND_BUFFER_UPDATE_CAPABILITIES_EXP,
    ];
    names.map(|name| {
        let (mut bytes, mut size) = ([0u8; 8], 0);
        let place = bytes.as_mut_ptr().cast();
        ur!(Device.pfnGetInfo(device, name, 8, place, &mut size)).expect("an answer");
        bytes != [0; 8]
    })
}

case! {
    /// Functions of an earlier version have other parameters: such a driver has none.
    earlier_versions_are_refused, "3.0 il cl_khr_command_buffer=0.9.4", no_command_buffers
}

case! { drivers_without_command_buffers_say_so, "3.0 il", no_command_buffers }

case! { so_do_drivers_before_3_0, "2.1 il cl_khr_command_buffer", no_command_buffers }

fn no_command_buffers(driver: &Driver) {
    assert_eq!(claims(device()), [false, false]);
    let context = Context::new().expect("a context");
    let refused = Buffer::new(&context, false).map(drop);
    assert_eq!(refused, Err(UR_RESULT_ERROR_UNSUPPORTED_FEATURE));
    assert_eq!(driver.calls("clCreateCommandBufferKHR"), 0);
}

case! {
    nothing_can_be_changed_without_the_extension_for_it, "3.0 il cl_khr_command_buffer",
    |_| {
        assert_eq!(claims(device()), [true, false]);
        let context = Context::new().expect("a context");
        let refused = Buffer::new(&context, true).map(drop);
        assert_eq!(refused, Err(UR_RESULT_ERROR_UNSUPPORTED_FEATURE));
        Buffer::new(&context, false).expect("a command buffer");
    }
}
