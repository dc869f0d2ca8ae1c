//! How launches run: at once or on workers, and on how many threads.

mod common;

use common::*;
use std::ffi::{CStr, c_char, c_void};
use std::process::Command;
use std::ptr::{null, null_mut};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};
use ur_api::*;

/// SPIR-V of a kernel `wait(uint *flag)` that loads the flag, an atomic, until it is not 0.
const WAIT: [u32; 78] = [
    0x7230203, 0x10000, 0, 0x10, 0, // header
    0x20011, 4, // Addresses
    0x20011, 6, // Kernel
    0x3000e, 2, 2, // Physical64, OpenCL
    0x5000f, 6, 1, 0x74696177, 0, // entry point "wait"
    0x20013, 2, // void
    0x40015, 3, 32, 0, // u32
    0x20014, 4, // bool
    0x40020, 5, 5, 3, // pointer to it in global memory
    0x40021, 6, 2, 5, // function type
    0x4002b, 3, 7, 0, // constants
    0x4002b, 3, 8, 1, //
    0x4002b, 3, 9, 2, // acquire
    0x50036, 2, 1, 0, 6, // function
    0x30037, 5, 10, // parameter
    0x200f8, 11, // label
    0x200f9, 12, // branch
    0x200f8, 12, // label of the loop
    0x600e3, 3, 13, 10, 7, 9, // atomic load
    0x500aa, 4, 14, 13, 7, // is 0?
    0x400fa, 14, 12, 15, // then again
    0x200f8, 15, // label of the end
    0x100fd, 0x10038, // return, end
];

fn launch(queue: &Queue, kernel: &Kernel, global: usize, args: &[Arg]) -> Event {
    let (outcome, event) = queue.launch(kernel, &[global], None, args);
    assert_eq!(outcome, UR_RESULT_SUCCESS, "{}", last_error());
    event.unwrap()
}

#[test]
fn quick_kernels_are_done_when_their_enqueueing_returns() {
    let context = Context::new();
    let kernel = context.program("vector_add.spv").kernel("vector_add");
    let (a, b) = ([1.0f32], [2.0f32]);
    for flags in [
        0,
        UR_QUEUE_FLAG_OUT_OF_ORDER_EXEC_MODE_ENABLE.0,
        UR_QUEUE_FLAG_PROFILING_ENABLE.0,
    ] {
        let queue = context.queue_with(flags);
        let mut at_once = 0;
        for round in 0..300 {
            let mut c = [0.0f32];
            let pointer = |from: *const f32| Arg::Pointer(from.cast());
            let args = [
                pointer(a.as_ptr()),
                pointer(b.as_ptr()),
                pointer(c.as_mut_ptr().cast_const()),
            ];
            let event = launch(&queue, &kernel, 1, &args);
            at_once += u32::from(event.status() == UR_EVENT_STATUS_COMPLETE);
            ok!(Event.pfnWait(1, &event.0));
            assert_eq!(c, [3.0], "{round}");
            if flags == UR_QUEUE_FLAG_PROFILING_ENABLE.0 {
                let mut last = 1u64;
                for time in [
                    UR_PROFILING_INFO_COMMAND_QUEUED,
                    UR_PROFILING_INFO_COMMAND_SUBMIT,
                    UR_PROFILING_INFO_COMMAND_START,
                    UR_PROFILING_INFO_COMMAND_END,
                ] {
                    let mut next = 0u64;
                    let place = (&raw mut next).cast();
                    ok!(Event.pfnGetProfilingInfo(event.0, time, 8, place, null_mut()));
                    assert!(next >= last);
                    last = next;
                }
            }
        }
        // A thread that loses its CPU in between makes the kernel look slow for a while.
        assert!(at_once >= 30, "{at_once} of 300");
    }
}

/// However quick a kernel was before: if it could wait for the enqueueing thread, it must not run there.
#[test]
fn kernels_that_wait_for_the_host_find_it_free() {
    let context = Context::new();
    let program = context.unbuilt(bytes(&WAIT));
    ok!(Program.pfnBuild(context.0, program.0, null()));
    let kernel = program.kernel("wait");
    let queue = context.queue();
    let flag = AtomicU32::new(1);
    let args = [Arg::Pointer(flag.as_ptr().cast_const().cast())];
    for _ in 0..50 {
        let event = launch(&queue, &kernel, 1, &args);
        ok!(Event.pfnWait(1, &event.0));
    }
    flag.store(0, Ordering::Release);
    let event = launch(&queue, &kernel, 1, &args);
    assert_ne!(event.status(), UR_EVENT_STATUS_COMPLETE);
    flag.store(1, Ordering::Release);
    ok!(Event.pfnWait(1, &event.0));
    queue.finish();
}

/// Names the part to this program started again.
const PART: &str = "UR_TEST_PART";

static SAID: Mutex<Vec<String>> = Mutex::new(Vec::new());

extern "C" fn listen(_: ur_logger_level_t, message: *const c_char, _: *mut c_void) {
    // SAFETY: the adapter passes a terminated text.
    let text = unsafe { CStr::from_ptr(message) };
    let text = text.to_string_lossy().into_owned();
    SAID.lock().unwrap().push(text);
}

/// What a process with a number of threads in its environment tells.
#[test]
fn part() {
    let Ok(expected) = std::env::var(PART) else {
        return;
    };
    let mut adapter = null_mut();
    ok!(Adapter.pfnGet(1, &mut adapter, null_mut()));
    let level = UR_LOGGER_LEVEL_WARN;
    ok!(Adapter.pfnSetLoggerCallback(adapter, Some(listen), null_mut(), level));
    let mut units = 0u32;
    let place = (&raw mut units).cast();
    ok!(Device.pfnGetInfo(
        device(),
        UR_DEVICE_INFO_MAX_COMPUTE_UNITS,
        4,
        place,
        null_mut()
    ));
    let said = SAID.lock().unwrap().clone();
    let all = std::thread::available_parallelism().unwrap().get();
    match expected.parse::<u32>() {
        Ok(expected) => assert_eq!((units, said), (expected, Vec::new())),
        Err(_) => {
            assert_eq!(units as usize, all);
            assert!(
                said.len() == 1 && said[0].contains("UR_NATIVE_CPU_THREADS"),
                "{said:?}"
            );
        }
    }
    // Whatever was asked for, kernels run.
    let context = Context::new();
    let kernel = context.program("vector_add.spv").kernel("vector_add");
    let (a, mut b) = (vec![1.0f32; 100_000], vec![2.0f32; 100_000]);
    let pointer = |from: *const f32| Arg::Pointer(from.cast());
    for _ in 0..3 {
        let to = pointer(b.as_mut_ptr().cast_const());
        let args = [pointer(a.as_ptr()), pointer(b.as_ptr()), to];
        context.queue().run(&kernel, &[100_000], None, &args);
    }
    assert!(b.iter().all(|b| *b == 5.0));
    drop(a);
}

#[test]
fn the_environment_says_how_many_threads_there_are() {
    for (value, expected) in [
        ("1", "1"),
        ("3", "3"),
        ("0", "warning"),
        ("many", "warning"),
    ] {
        let outcome = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "part", "--nocapture"])
            .env("UR_NATIVE_CPU_THREADS", value)
            .env(PART, expected)
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&outcome.stderr);
        assert!(outcome.status.success(), "{value}: {said}");
    }
}
