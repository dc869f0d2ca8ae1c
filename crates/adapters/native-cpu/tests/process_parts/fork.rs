//! Scenarios in which the process forks.

use crate::common::*;
use crate::tiers::{self, Neighbours};
use crate::{ok, ur, work};
use std::ffi::c_void;
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::sync::mpsc;
use ur_api::*;

/// Seconds after which a child that hangs is ended by a signal.
const PATIENCE: u32 = 30;

/// Exit code of a child whose checks failed.
const FAILED: i32 = 99;

/// Runs `body` in a forked child and gives its exit code, 0 unless `body` ends it otherwise.
fn fork(body: impl FnOnce()) -> Option<i32> {
    // SAFETY: the child runs `body` and ends.
    let child = unsafe { libc::fork() };
    assert!(child >= 0);
    if child == 0 {
        // SAFETY: a signal without a handler ends the process.
        unsafe { libc::alarm(PATIENCE) };
        let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(body));
        // SAFETY: ends the process without what the parent has to clean up.
        unsafe { libc::_exit(if caught.is_ok() { 0 } else { FAILED }) };
    }
    let mut status = 0;
    // SAFETY: waits for the child just made.
    assert_eq!(unsafe { libc::waitpid(child, &mut status, 0) }, child);
    libc::WIFEXITED(status).then(|| libc::WEXITSTATUS(status))
}

/// What a child may do with a queue, new or inherited.
fn use_queue(context: &Context, queue: &Queue) {
    // More than the calling thread does by itself.
    let mut memory = vec![0u8; 300_000];
    for _ in 0..3 {
        work(queue.0, &mut memory);
        queue.finish();
        assert!(memory.iter().all(|byte| *byte == 3));
        memory.fill(0);
    }
    let first = queue.wait_event(&[]);
    let second = queue.wait_event(&[first.0]);
    second.wait();
    assert_eq!(second.status(), UR_EVENT_STATUS_COMPLETE);
    let (go, blocked) = queue.block();
    assert_ne!(blocked.status(), UR_EVENT_STATUS_COMPLETE);
    drop(go);
    blocked.wait();
    queue.finish();
    let mut block = null_mut();
    ok!(USM.pfnSharedAlloc(context.0, device(), null(), null_mut(), 4096, &mut block));
    let from = [5u8; 4096];
    ok!(Enqueue.pfnUSMMemcpy(
        queue.0,
        true,
        block,
        from.as_ptr().cast(),
        4096,
        0,
        null(),
        null_mut()
    ));
    // SAFETY: the block has that many bytes, which were just written.
    let block_bytes = unsafe { std::slice::from_raw_parts(block.cast::<u8>(), 4096) };
    assert_eq!(block_bytes, from);
    ok!(USM.pfnFree(context.0, block));
}

/// New queues and contexts in a child.
fn use_new(context: &Context) {
    for flags in [0, UR_QUEUE_FLAG_OUT_OF_ORDER_EXEC_MODE_ENABLE.0] {
        use_queue(context, &context.queue_with(flags));
        let own = Context::new();
        use_queue(&own, &own.queue_with(flags));
    }
}

fn out_of_order(context: &Context) -> Queue {
    context.queue_with(UR_QUEUE_FLAG_OUT_OF_ORDER_EXEC_MODE_ENABLE.0)
}

/// Ends by itself if what it tests does not hold.
pub fn scenario(which: &str) {
    match which {
        "quiet" => quiet(),
        "busy" => busy(),
        "nested" => nested(),
        "exit" => exit(),
        "task" => task(),
        "kernel" => kernel(),
        "recorded" => recorded(),
        "compiling" => compiling(),
        other => panic!("no scenario {other}"),
    }
}

/// Idle workers, and commands that will never end in the child.
fn quiet() {
    let context = Context::new();
    let queues = [context.queue(), out_of_order(&context)];
    for queue in &queues {
        let mut memory = Vec::new();
        work(queue.0, &mut memory);
        queue.finish();
    }
    let held: Vec<_> = queues
        .iter()
        .map(|queue| {
            let (go, blocked) = queue.block();
            let after = queue.wait_event(&[blocked.0]);
            (go, blocked, after)
        })
        .collect();
    let code = fork(|| {
        for (_, blocked, after) in &held {
            for event in [blocked, after] {
                assert_eq!(event.status(), UR_EVENT_STATUS_ERROR);
                assert_eq!(
                    ur!(Event.pfnWait(1, &event.0)),
                    UR_RESULT_ERROR_IN_EVENT_LIST_EXEC_STATUS
                );
            }
            // A callback comes at once; here, who waits for what is lost is lost too.
            static TOLD: AtomicBool = AtomicBool::new(false);
            unsafe extern "C" fn told(
                _: ur_event_handle_t,
                _: ur_execution_info_t,
                _: *mut c_void,
            ) {
                TOLD.store(true, Ordering::Release);
            }
            TOLD.store(false, Ordering::Relaxed);
            let at = UR_EXECUTION_INFO_COMPLETE;
            ok!(Event.pfnSetCallback(after.0, at, Some(told), null_mut()));
            while !TOLD.load(Ordering::Acquire) {
                std::thread::yield_now();
            }
            let dependent = queues[0].wait_event(&[after.0]);
            assert_ne!(ur!(Event.pfnWait(1, &dependent.0)), UR_RESULT_SUCCESS);
        }
        // Said or not, that something was lost: it ends, and the queue works from then on.
        let _ = ur!(DeviceExp.pfnWaitExp(device()));
        for queue in &queues {
            let _ = ur!(Queue.pfnFinish(queue.0));
            use_queue(&context, queue);
        }
        use_new(&context);
        ok!(DeviceExp.pfnWaitExp(device()));
    });
    assert_eq!(code, Some(0));
    for (go, blocked, after) in held {
        drop(go);
        blocked.wait();
        after.wait();
    }
    use_queue(&context, &queues[0]);
}

/// Threads enqueue, allocate, make and release objects of all kinds the whole time.
fn busy() {
    let context = Context::new();
    let queues = [context.queue(), out_of_order(&context)];
    let stop = AtomicBool::new(false);
    let (begun, all) = mpsc::channel();
    let handles = queues.each_ref().map(|queue| queue.0 as usize);
    let home = context.0 as usize;
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let (stop, begun) = (&stop, begun.clone());
            let queue = handles[thread % 2];
            scope.spawn(move || {
                let context = std::mem::ManuallyDrop::new(Context(home as ur_context_handle_t));
                let queue = std::mem::ManuallyDrop::new(Queue(queue as ur_queue_handle_t));
                let mut memory = vec![0u8; 1 << 16];
                let mut round = 0u64;
                while !stop.load(Ordering::Relaxed) {
                    churn(&context, &queue, &mut memory);
                    if round == 0 {
                        begun.send(()).unwrap();
                    }
                    round += 1;
                }
            });
        }
        (0..4).for_each(|_| all.recv().unwrap());
        for round in 0..40 {
            let code = fork(|| {
                for queue in &queues {
                    let _ = ur!(Queue.pfnFinish(queue.0));
                    use_queue(&context, queue);
                }
                use_new(&context);
            });
            if code != Some(0) {
                eprintln!("round {round}: {code:?}");
                std::process::exit(1);
            }
        }
        stop.store(true, Ordering::Relaxed);
    });
    use_queue(&context, &queues[0]);
}

/// Some of everything that takes a lock.
fn churn(context: &Context, queue: &Queue, memory: &mut [u8]) {
    let (at, pattern) = (memory.as_mut_ptr().cast(), 1u8);
    let (from, size) = ((&raw const pattern).cast(), memory.len());
    for size in [64, size] {
        ok!(Enqueue.pfnUSMFill(queue.0, at, 1, from, size, 0, null(), null_mut()));
    }
    let event = queue.wait_event(&[]);
    let after = queue.wait_event(&[event.0]);
    let mut block = null_mut();
    ok!(USM.pfnDeviceAlloc(context.0, device(), null(), null_mut(), 4096, &mut block));
    let own = context.queue();
    drop(own.wait_event(&[after.0]));
    let mut range = null_mut();
    ok!(VirtualMem.pfnReserve(context.0, null(), 4096, &mut range));
    ok!(VirtualMem.pfnFree(context.0, range, 4096));
    let mut pool = null_mut();
    ok!(USMExp.pfnPoolGetDefaultDevicePoolExp(context.0, device(), &mut pool));
    ok!(USM.pfnFree(context.0, block));
    let (go, blocked) = own.block();
    go.send(()).unwrap();
    blocked.wait();
    queue.finish();
}

/// A child forks in its turn, after it has workers of its own.
fn nested() {
    let context = Context::new();
    let queue = context.queue();
    let mut memory = Vec::new();
    work(queue.0, &mut memory);
    let code = fork(|| {
        use_new(&context);
        let own = context.queue();
        let (go, blocked) = own.block();
        let code = fork(|| {
            assert_eq!(blocked.status(), UR_EVENT_STATUS_ERROR);
            let code = fork(|| use_new(&context));
            assert_eq!(code, Some(0));
            use_new(&context);
        });
        assert_eq!(code, Some(0));
        drop(go);
        blocked.wait();
        own.finish();
    });
    assert_eq!(code, Some(0));
    queue.finish();
}

/// A child that ends by `exit` with work of its own pending.
fn exit() {
    let context = Context::new();
    let queue = context.queue();
    let (go, blocked) = queue.block();
    let code = fork(|| {
        let own = context.queue();
        let memory: &'static mut Vec<u8> = Box::leak(Box::default());
        work(own.0, memory);
        let held = own.block();
        std::mem::forget(held);
        std::process::exit(41);
    });
    assert_eq!(code, Some(41));
    drop(go);
    blocked.wait();
}

/// The fork comes from one of the adapter's own threads.
fn task() {
    static CODE: AtomicI32 = AtomicI32::new(-1);
    unsafe extern "C" fn body(data: *mut c_void) {
        // SAFETY: the context lives until the queue has finished.
        let context = unsafe { &*data.cast::<Context>() };
        let code = fork(|| use_new(context));
        CODE.store(code.unwrap_or(-2), Ordering::Relaxed);
    }
    let context = Context::new();
    let queue = context.queue();
    let data = (&raw const context).cast_mut().cast();
    ok!(EnqueueExp.pfnHostTaskExp(queue.0, Some(body), data, null(), 0, null(), null_mut()));
    queue.finish();
    assert_eq!(CODE.load(Ordering::Relaxed), 0);
}

/// Kernels compiled before the fork and after it.
fn kernel() {
    fn add(context: &Context, kernel: &Kernel) {
        let numbers: Vec<f32> = (0..5000u16).map(f32::from).collect();
        let mut sums = vec![0f32; numbers.len()];
        let args = [
            Arg::Pointer(numbers.as_ptr().cast()),
            Arg::Pointer(numbers.as_ptr().cast()),
            Arg::Pointer(sums.as_mut_ptr().cast_const().cast()),
        ];
        context.queue().run(kernel, &[numbers.len()], None, &args);
        assert!(sums.iter().zip(&numbers).all(|(sum, n)| *sum == n + n));
    }
    let context = Context::new();
    let program = context.program("vector_add.spv");
    let kernel = program.kernel("vector_add");
    add(&context, &kernel);
    let code = fork(|| {
        add(&context, &kernel);
        let own = context.program("vector_add.spv");
        add(&context, &own.kernel("vector_add"));
        add(&context, &program.kernel("vector_add"));
    });
    assert_eq!(code, Some(0));
    add(&context, &kernel);
}

/// A command buffer and a graph made, and run, by the parent.
fn recorded() {
    let context = Context::new();
    let queue = context.queue();
    let mut memory = vec![0u8; 1000];
    let (at, pattern) = (memory.as_mut_ptr().cast::<c_void>(), 9u8);
    let from = (&raw const pattern).cast();
    let desc = ur_exp_command_buffer_desc_t {
        stype: UR_STRUCTURE_TYPE_EXP_COMMAND_BUFFER_DESC,
        ..Default::default()
    };
    let mut buffer = null_mut();
    ok!(CommandBufferExp.pfnCreateExp(context.0, device(), &desc, &mut buffer));
    ok!(CommandBufferExp.pfnAppendUSMFillExp(
        buffer,
        at,
        from,
        1,
        500,
        0,
        null(),
        0,
        null(),
        null_mut(),
        null_mut(),
        null_mut()
    ));
    ok!(CommandBufferExp.pfnFinalizeExp(buffer));
    let (mut graph, mut runnable) = (null_mut(), null_mut());
    ok!(QueueExp.pfnBeginGraphCaptureExp(queue.0));
    // SAFETY: the memory has 1,000 bytes.
    let half = unsafe { at.cast::<u8>().add(500) }.cast();
    ok!(Enqueue.pfnUSMFill(queue.0, half, 1, from, 500, 0, null(), null_mut()));
    ok!(QueueExp.pfnEndGraphCaptureExp(queue.0, &mut graph));
    ok!(GraphExp.pfnInstantiateGraphExp(graph, &mut runnable));
    let mut replay = || {
        memory.fill(0);
        ok!(EnqueueExp.pfnCommandBufferExp(queue.0, buffer, 0, null(), null_mut()));
        ok!(EnqueueExp.pfnGraphExp(queue.0, runnable, 0, null(), null_mut()));
        queue.finish();
        assert!(memory.iter().all(|byte| *byte == 9));
    };
    replay();
    // A run of each is pending when the process forks.
    let (go, blocked) = queue.block();
    ok!(EnqueueExp.pfnCommandBufferExp(queue.0, buffer, 0, null(), null_mut()));
    ok!(EnqueueExp.pfnGraphExp(queue.0, runnable, 0, null(), null_mut()));
    assert_eq!(fork(&mut replay), Some(0));
    drop(go);
    blocked.wait();
    queue.finish();
    replay();
    ok!(GraphExp.pfnExecutableGraphDestroyExp(runnable));
    ok!(GraphExp.pfnDestroyExp(graph));
    ok!(CommandBufferExp.pfnReleaseExp(buffer));
}

/// Better code is being made when the process forks, and more waits to be made.
fn compiling() {
    tiers::listen();
    let context = Context::new();
    let queue = context.queue();
    for _ in 0..3 {
        let program = tiers::program(&context, c"-ur-lanes=tiered");
        let mut neighbours = Neighbours::new(&program);
        neighbours.begin(&queue);
        let code = fork(|| {
            // With the one code or the other: the fork waited for the compilation, but maybe not for its
            // end to be noted.
            for _ in 0..20 {
                neighbours.launch(&queue);
            }
            // A thread of its own, and all anew.
            for context in [&context, &Context::new()] {
                let queue = context.queue();
                let program = tiers::program(context, c"-ur-lanes=tiered");
                Neighbours::new(&program).finish(&queue);
            }
        });
        assert_eq!(code, Some(0));
        neighbours.finish(&queue);
    }
}
