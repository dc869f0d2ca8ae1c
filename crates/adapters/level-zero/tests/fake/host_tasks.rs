//! Functions of the host as commands of a queue.

use crate::case;
use crate::driver::{Driver, NEWEST};
use crate::support::*;
use std::ffi::c_void;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

/// A task that says when it runs, and ends when it is told.
struct Gate {
    begun: SyncSender<u32>,
    go: Receiver<()>,
    number: u32,
}

unsafe extern "C" fn pass(data: *mut c_void) {
    // SAFETY: the box that the test gave away.
    let gate = unsafe { Box::from_raw(data.cast::<Gate>()) };
    gate.begun.send(gate.number).expect("somebody receives");
    gate.go.recv().expect("somebody sends");
}

/// A task with its number in a queue, and what lets it end.
fn gate(
    queue: &Queue,
    number: u32,
    begun: &SyncSender<u32>,
    waits: &[&Event],
) -> (Event, SyncSender<()>) {
    let (let_go, go) = sync_channel(1);
    let begun = begun.clone();
    let gate = Box::new(Gate { begun, go, number });
    let data = Box::into_raw(gate).cast();
    (queue.task(pass, data, waits).expect("a task"), let_go)
}

const ALL: &[&str] = &[NEWEST, "1.15 -in-order", "1.0", "1.9 fifo"];

case! { tasks_have_their_place_in_a_queue, ALL, in_order }

fn in_order(_: &Driver) {
    let context = Context::new().expect("a context");
    for flags in [0, BATCHED] {
        let queue = context.queue(flags).expect("a queue");
        let (begun, begins) = sync_channel(9);
        let (one, let_one) = gate(&queue, 1, &begun, &[]);
        let between = queue.marker(&[]).expect("a marker");
        let (two, let_two) = gate(&queue, 2, &begun, &[]);
        let last = queue.marker(&[]).expect("a marker");
        assert_eq!(begins.recv(), Ok(1));
        assert!(!one.is_complete() && !between.is_complete());
        assert_eq!(queue.is_empty(), Ok(false));
        let_one.send(()).expect("the task waits");
        between.wait().expect("an end");
        assert!(one.is_complete());
        assert_eq!(begins.recv(), Ok(2));
        assert!(!two.is_complete() && !last.is_complete());
        let_two.send(()).expect("the task waits");
        queue.finish().expect("an end");
        assert!(two.is_complete() && last.is_complete());
    }
}

case! { a_barrier_waits_for_tasks, ALL, barrier }

fn barrier(_: &Driver) {
    let context = Context::new().expect("a context");
    let queue = context.queue(FREE).expect("a queue");
    let (begun, begins) = sync_channel(9);
    let (one, let_one) = gate(&queue, 1, &begun, &[]);
    let (two, let_two) = gate(&queue, 2, &begun, &[]);
    let barrier = queue.barrier(&[]).expect("a barrier");
    let behind = queue.marker(&[]).expect("a marker");
    let mut both = [begins.recv(), begins.recv()];
    both.sort_unstable_by_key(|number| number.unwrap_or(0));
    assert_eq!(both, [Ok(1), Ok(2)]);
    let_two.send(()).expect("the task waits");
    two.wait().expect("an end");
    assert!(!one.is_complete() && !barrier.is_complete() && !behind.is_complete());
    let_one.send(()).expect("the task waits");
    behind.wait().expect("an end");
    assert!(barrier.is_complete());
}

case! { a_queue_may_go_before_its_task, ALL, released }

fn released(driver: &Driver) {
    let context = Context::new().expect("a context");
    let queue = context.queue(0).expect("a queue");
    let (begun, begins) = sync_channel(9);
    let (event, let_go) = gate(&queue, 1, &begun, &[]);
    queue.mark().expect("a marker");
    drop((event, queue, context));
    assert_eq!(begins.recv(), Ok(1));
    let_go.send(()).expect("the task waits");
    // The context lives until the last command has ended and somebody has seen it.
    crate::ur!(DeviceExp.pfnWaitExp(device())).expect("an end");
    driver.expect_nothing();
}
