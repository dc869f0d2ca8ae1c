//! Graphs: capture from queues, replay, and what cannot be captured.

mod common;

use common::*;
use std::ffi::{CString, c_void};
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicU32, Ordering};
use ur_api::*;

/// A graph, destroyed at the end.
struct Graph(ur_exp_graph_handle_t);

impl Drop for Graph {
    fn drop(&mut self) {
        ok!(GraphExp.pfnDestroyExp(self.0));
    }
}

/// A graph that can run, destroyed at the end.
struct Executable(ur_exp_executable_graph_handle_t);

impl Drop for Executable {
    fn drop(&mut self) {
        ok!(GraphExp.pfnExecutableGraphDestroyExp(self.0));
    }
}

impl Graph {
    fn instantiate(&self) -> Executable {
        let mut graph = null_mut();
        ok!(GraphExp.pfnInstantiateGraphExp(self.0, &mut graph));
        Executable(graph)
    }

    fn is_empty(&self) -> bool {
        let mut empty = false;
        ok!(GraphExp.pfnIsEmptyExp(self.0, &mut empty));
        empty
    }

    fn id(&self) -> u64 {
        let mut id = 0;
        ok!(GraphExp.pfnGetIdExp(self.0, &mut id));
        id
    }

    fn dump(&self) -> String {
        let path =
            std::env::temp_dir().join(format!("ur-graph-{}-{}", std::process::id(), self.id()));
        let name = CString::new(path.to_str().unwrap()).unwrap();
        ok!(GraphExp.pfnDumpContentsExp(self.0, name.as_ptr()));
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        text
    }
}

impl Executable {
    fn enqueue(&self, queue: &Queue) -> Event {
        let mut event = null_mut();
        ok!(EnqueueExp.pfnGraphExp(queue.0, self.0, 0, null(), &mut event));
        Event(event)
    }
}

fn begin(queue: &Queue) {
    ok!(QueueExp.pfnBeginGraphCaptureExp(queue.0));
}

fn end(queue: &Queue) -> Graph {
    let mut graph = null_mut();
    ok!(QueueExp.pfnEndGraphCaptureExp(queue.0, &mut graph));
    Graph(graph)
}

fn captures(queue: &Queue) -> bool {
    let mut yes = false;
    ok!(QueueExp.pfnIsGraphCaptureEnabledExp(queue.0, &mut yes));
    yes
}

/// Enqueues a copy after some events.
fn copy<T>(queue: &Queue, to: &mut [T], from: &[T], after: &[ur_event_handle_t]) -> Event {
    let mut event = null_mut();
    ok!(Enqueue.pfnUSMMemcpy(
        queue.0,
        false,
        to.as_mut_ptr().cast(),
        from.as_ptr().cast(),
        size_of_val(from),
        after.len() as u32,
        if after.is_empty() {
            null()
        } else {
            after.as_ptr()
        },
        &mut event
    ));
    Event(event)
}

const INVALID: ur_result_t = UR_RESULT_ERROR_INVALID_OPERATION;

#[test]
fn a_queue_records_instead_of_running() {
    let context = Context::new();
    let queue = context.queue();
    let (mut a, mut b, mut c) = (vec![1u32; 50_000], vec![0u32; 50_000], vec![0u32; 50_000]);
    assert!(!captures(&queue));
    begin(&queue);
    assert!(captures(&queue));
    assert_eq!(ur!(QueueExp.pfnBeginGraphCaptureExp(queue.0)), INVALID);
    let first = copy(&queue, &mut b, &a, &[]);
    copy(&queue, &mut c, &b, &[]);
    let graph = end(&queue);
    assert!(!captures(&queue));
    assert!(!graph.is_empty());
    queue.finish();
    assert_eq!((b[0], c[0]), (0, 0), "captured commands do not run");
    // The event of a captured command is nothing to wait for.
    assert_eq!(
        ur!(Event.pfnWait(1, &first.0)),
        UR_RESULT_ERROR_IN_EVENT_LIST_EXEC_STATUS
    );
    let executable = graph.instantiate();
    for round in 1..=20 {
        a.fill(round);
        executable.enqueue(&queue);
        let event = executable.enqueue(&queue);
        event.wait();
        assert!(c.iter().all(|value| *value == round));
        assert_eq!(
            event_info(event.0, UR_EVENT_INFO_COMMAND_TYPE),
            UR_COMMAND_ENQUEUE_GRAPH_EXP.0
        );
    }
    // The graph may go before what was made of it.
    drop(graph);
    a.fill(77);
    executable.enqueue(&queue).wait();
    assert_eq!(c[49_999], 77);
}

#[test]
fn kernels_and_other_queues_are_captured() {
    let context = Context::new();
    let (main, side) = (context.queue(), context.queue());
    let program = context.program("vector_add.spv");
    let kernel = program.kernel("vector_add_n");
    let n = 1000u32;
    let mut a: Vec<i32> = (0..1000).collect();
    let (mut left, mut right) = (vec![0i32; 1000], vec![0i32; 1000]);
    let mut sum = vec![0i32; 1000];
    begin(&main);
    let start = copy(&main, &mut left, &a, &[]);
    // The side queue joins by the event, and its next command stays with it.
    let bytes = n.to_ne_bytes();
    let args = [
        Arg::Pointer(a.as_ptr().cast()),
        Arg::Pointer(left.as_ptr().cast()),
        Arg::Pointer(right.as_mut_ptr().cast()),
        Arg::Value(&bytes),
    ];
    let (outcome, _) = side.launch_after(&kernel, &[1000], None, &args, &[start.0]);
    assert_eq!(outcome, UR_RESULT_SUCCESS, "{}", last_error());
    assert!(captures(&side));
    let (outcome, done) = side.launch(
        &kernel,
        &[1000],
        None,
        &[
            Arg::Pointer(right.as_ptr().cast()),
            Arg::Pointer(left.as_ptr().cast()),
            Arg::Pointer(right.as_mut_ptr().cast()),
            Arg::Value(&bytes),
        ],
    );
    assert_eq!(outcome, UR_RESULT_SUCCESS);
    let done = done.unwrap();
    copy(&main, &mut sum, &right, &[done.0]);
    assert_eq!(
        ur!(QueueExp.pfnEndGraphCaptureExp(side.0, &mut null_mut())),
        INVALID,
        "only the queue that began it ends it"
    );
    let graph = end(&main);
    assert!(!captures(&side), "the side queue is out as well");
    let text = graph.dump();
    for line in ["n0 -> n1;", "n1 -> n2;", "n2 -> n3;", "n0 -> n3;"] {
        assert!(text.contains(line), "{line} in {text}");
    }
    assert!(text.contains("UR_COMMAND_KERNEL_LAUNCH"), "{text}");
    let executable = graph.instantiate();
    for round in 0..5 {
        a.iter_mut().for_each(|value| *value += round);
        executable.enqueue(&side).wait();
        assert!(sum.iter().zip(&a).all(|(sum, a)| *sum == 3 * a));
    }
}

#[test]
fn out_of_order_capture_keeps_barriers() {
    let context = Context::new();
    let queue = context.queue_with(UR_QUEUE_FLAG_OUT_OF_ORDER_EXEC_MODE_ENABLE.0);
    let a = [9u8; 64];
    let (mut b, mut c, mut d) = ([0u8; 64], [0u8; 64], [0u8; 64]);
    begin(&queue);
    copy(&queue, &mut b, &a, &[]);
    copy(&queue, &mut c, &a, &[]);
    ok!(Enqueue.pfnEventsWaitWithBarrier(queue.0, 0, null(), null_mut()));
    copy(&queue, &mut d, &b, &[]);
    let graph = end(&queue);
    let text = graph.dump();
    let links: Vec<_> = text.lines().filter(|line| line.contains("->")).collect();
    assert_eq!(links, ["  n0 -> n2;", "  n1 -> n2;", "  n2 -> n3;"]);
    graph.instantiate().enqueue(&queue).wait();
    assert_eq!((c, d), (a, a));
}

#[test]
fn capture_into_a_graph_adds_to_it() {
    let context = Context::new();
    let (queue, other) = (context.queue(), context.queue());
    let mut raw = null_mut();
    ok!(GraphExp.pfnCreateExp(context.0, &mut raw));
    let graph = Graph(raw);
    assert!(graph.is_empty());
    let (a, mut b, mut c) = ([4u8; 8], [0u8; 8], [0u8; 8]);
    assert_eq!(
        ur!(QueueExp.pfnGetGraphExp(queue.0, &mut null_mut())),
        INVALID
    );
    for target in [&mut b, &mut c] {
        ok!(QueueExp.pfnBeginCaptureIntoGraphExp(queue.0, graph.0));
        assert_eq!(
            ur!(QueueExp.pfnBeginCaptureIntoGraphExp(other.0, graph.0)),
            INVALID,
            "recorded already"
        );
        let mut same = null_mut();
        ok!(QueueExp.pfnGetGraphExp(queue.0, &mut same));
        assert_eq!(same, graph.0);
        assert_eq!(
            ur!(GraphExp.pfnInstantiateGraphExp(graph.0, &mut null_mut())),
            INVALID
        );
        copy(&queue, target, &a, &[]);
        let mut same = null_mut();
        ok!(QueueExp.pfnEndGraphCaptureExp(queue.0, &mut same));
        assert_eq!(same, graph.0);
    }
    graph.instantiate().enqueue(&other).wait();
    assert_eq!((b, c), (a, a));
    let foreign = Context::new().queue();
    assert_eq!(
        ur!(QueueExp.pfnBeginCaptureIntoGraphExp(foreign.0, graph.0)),
        INVALID
    );
    let another = {
        begin(&queue);
        end(&queue)
    };
    assert_ne!(another.id(), graph.id());
    // An empty graph runs too.
    another.instantiate().enqueue(&queue).wait();
}

#[test]
fn what_cannot_be_captured_is_refused() {
    let context = Context::new();
    let queue = context.queue();
    let graph = {
        begin(&queue);
        end(&queue)
    };
    let executable = graph.instantiate();
    assert_eq!(
        ur!(QueueExp.pfnEndGraphCaptureExp(queue.0, &mut null_mut())),
        INVALID
    );
    begin(&queue);
    let mut bytes = [0u8; 8];
    let place: *mut c_void = bytes.as_mut_ptr().cast();
    assert_eq!(
        ur!(Enqueue.pfnUSMMemcpy(queue.0, true, place, place, 8, 0, null(), null_mut())),
        INVALID
    );
    assert_eq!(ur!(Queue.pfnFinish(queue.0)), INVALID);
    assert_eq!(
        ur!(EnqueueExp.pfnGraphExp(queue.0, executable.0, 0, null(), null_mut())),
        INVALID
    );
    let mut mem = null_mut();
    assert_eq!(
        ur!(EnqueueExp.pfnUSMHostAllocExp(
            queue.0,
            null_mut(),
            8,
            null(),
            0,
            null(),
            &mut mem,
            null_mut()
        )),
        INVALID
    );
    let graph = end(&queue);
    assert!(graph.is_empty());
    // A queue that goes while it captures ends the capture.
    let graph = {
        let mut raw = null_mut();
        ok!(GraphExp.pfnCreateExp(context.0, &mut raw));
        Graph(raw)
    };
    {
        let lost = context.queue();
        ok!(QueueExp.pfnBeginCaptureIntoGraphExp(lost.0, graph.0));
    }
    graph.instantiate();
}

#[test]
fn host_tasks_run_with_every_replay_and_destruction_is_told() {
    static CALLS: AtomicU32 = AtomicU32::new(0);
    static ENDS: AtomicU32 = AtomicU32::new(0);
    unsafe extern "C" fn called(_: *mut c_void) {
        CALLS.fetch_add(1, Ordering::Relaxed);
    }
    unsafe extern "C" fn ended(data: *mut c_void) {
        ENDS.fetch_add(data as usize as u32, Ordering::Relaxed);
    }
    let context = Context::new();
    let queue = context.queue();
    begin(&queue);
    ok!(EnqueueExp.pfnHostTaskExp(
        queue.0,
        Some(called),
        null_mut(),
        null(),
        0,
        null(),
        null_mut()
    ));
    let graph = end(&queue);
    ok!(GraphExp.pfnSetDestructionCallbackExp(graph.0, Some(ended), 5 as *mut c_void));
    let executable = graph.instantiate();
    for _ in 0..3 {
        executable.enqueue(&queue).wait();
    }
    assert_eq!(CALLS.load(Ordering::Relaxed), 3);
    assert_eq!(ENDS.load(Ordering::Relaxed), 0);
    drop(graph);
    assert_eq!(ENDS.load(Ordering::Relaxed), 5);
}

#[test]
fn a_device_is_waited_for() {
    let context = Context::new();
    let (mut big, from) = (vec![0u8; 16 << 20], vec![8u8; 16 << 20]);
    let kept = context.queue_with(UR_QUEUE_FLAG_OUT_OF_ORDER_EXEC_MODE_ENABLE.0);
    let mut small = [0u8; 8];
    {
        // The queue is gone while its work still runs.
        let lost = context.queue();
        let (go, held) = kept.block();
        copy(&lost, &mut big, &from, &[held.0]);
        drop(go);
    }
    copy(&kept, &mut small, &from[..8], &[]);
    ok!(DeviceExp.pfnWaitExp(device()));
    assert_eq!(small, [8; 8]);
    assert!(big.iter().all(|byte| *byte == 8));
    for name in [
        UR_DEVICE_INFO_DEVICE_WAIT_SUPPORT_EXP,
        UR_DEVICE_INFO_GRAPH_RECORD_AND_REPLAY_SUPPORT_EXP,
    ] {
        let mut yes = 0u8;
        ok!(Device.pfnGetInfo(device(), name, 1, (&raw mut yes).cast(), null_mut()));
        assert_eq!(yes, 1);
    }
}
