//! What a queue's order promises.

use super::*;
use std::cell::Cell;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc;
use ur_api::{
    UR_EVENT_STATUS_COMPLETE, UR_EVENT_STATUS_ERROR, UR_RESULT_ERROR_OUT_OF_RESOURCES, ur_result_t,
};

struct Run<F>(F);

impl<F: Fn(u64) -> Result<(), ur_result_t> + Send + Sync> Work for Run<F> {
    fn run(&self, piece: u64) -> Result<(), ur_result_t> {
        (self.0)(piece)
    }
}

fn work(
    pieces: u64,
    f: impl Fn(u64) -> Result<(), ur_result_t> + Send + Sync + 'static,
) -> Submission {
    Submission {
        work: Some((Box::new(Run(f)), pieces)),
        lane: Lane::Compute,
        profiled: true,
        inline: false,
        kind: Kind::Normal,
    }
}

fn marker(kind: Kind) -> Submission {
    Submission {
        work: None,
        lane: Lane::Compute,
        profiled: true,
        inline: false,
        kind,
    }
}

/// A host command that ends when the sender is used or dropped.
fn blocker() -> (mpsc::Sender<()>, Submission) {
    let (sender, receiver) = mpsc::channel::<()>();
    let receiver = Mutex::new(receiver);
    let mut submission = work(1, move |_| {
        let _ = receiver.lock().unwrap().recv();
        Ok(())
    });
    submission.lane = Lane::Host;
    (sender, submission)
}

#[test]
fn every_piece_runs_once() {
    let order = Order::new(true);
    for pieces in [1u64, 2, 3, 17, 1000] {
        let counts: Arc<Vec<AtomicU64>> =
            Arc::new((0..pieces).map(|_| AtomicU64::new(0)).collect());
        let seen = counts.clone();
        let command = order.submit(
            work(pieces, move |piece| {
                seen[piece as usize].fetch_add(1, Ordering::Relaxed);
                Ok(())
            }),
            &[],
        );
        pool::get().wait(&command);
        assert!(counts.iter().all(|c| c.load(Ordering::Relaxed) == 1));
        // The work (and the counts it shares) is gone once the command is finished.
        assert_eq!(Arc::strong_count(&counts), 1);
    }
}

#[test]
fn in_order_commands_run_one_after_the_other() {
    let order = Order::new(true);
    let value = Arc::new(AtomicU64::new(0));
    for expected in 0..10_000 {
        let value = value.clone();
        order.submit(
            work(1, move |_| {
                match value.compare_exchange(
                    expected,
                    expected + 1,
                    Ordering::Relaxed,
                    Ordering::Relaxed,
                ) {
                    Ok(_) => Ok(()),
                    Err(_) => Err(UR_RESULT_ERROR_OUT_OF_RESOURCES),
                }
            }),
            &[],
        );
    }
    let tail = order.tail().unwrap();
    pool::get().wait(&tail);
    assert_eq!(value.load(Ordering::Relaxed), 10_000);
    assert!(order.is_empty());
}

#[test]
fn a_barrier_waits_for_all_and_holds_all() {
    let order = Order::new(false);
    let (go, blocked) = blocker();
    let before = order.submit(blocked, &[]);
    let free = order.submit(work(1, |_| Ok(())), &[]);
    let barrier = order.submit(marker(Kind::Barrier), &[]);
    let after = order.submit(work(1, |_| Ok(())), &[]);
    pool::get().wait(&free);
    assert!(!before.is_finished() && !barrier.is_finished() && !after.is_finished());
    assert!(!order.is_empty());
    go.send(()).unwrap();
    pool::get().wait(&after);
    assert!(before.is_finished() && barrier.is_finished());
    if let Some(tail) = order.tail() {
        pool::get().wait(&tail);
    }
    assert!(order.is_empty());
    let (b, e) = (before.times(), barrier.times());
    assert!(b.queued <= b.submitted && b.submitted <= b.started && b.started <= b.ended);
    assert!(e.ended >= b.ended);
}

#[test]
fn a_queue_is_empty_once_its_last_command_was_waited_for() {
    for in_order in [false, true] {
        let order = Order::new(in_order);
        for round in 0..5_000 {
            let command = order.submit(work(1 + round % 2, |_| Ok(())), &[]);
            let last = if round % 3 == 0 {
                order.submit(marker(Kind::Barrier), &[])
            } else {
                command
            };
            pool::get().wait(&last);
            assert!(order.is_empty(), "round {round}, in order: {in_order}");
        }
    }
}

#[test]
fn tail_of_a_busy_out_of_order_queue_ends_after_everything() {
    let order = Order::new(false);
    let count = Arc::new(AtomicU64::new(0));
    for round in 1..=50 {
        for _ in 0..20 {
            let count = count.clone();
            order.submit(
                work(3, move |_| {
                    count.fetch_add(1, Ordering::Relaxed);
                    Ok(())
                }),
                &[],
            );
        }
        if let Some(tail) = order.tail() {
            pool::get().wait(&tail);
        }
        assert_eq!(count.load(Ordering::Relaxed), round * 60);
    }
}

#[test]
fn failures_pass_along_wait_lists_only() {
    let order = Order::new(false);
    let failed = order.submit(work(4, |_| Err(UR_RESULT_ERROR_OUT_OF_RESOURCES)), &[]);
    let dependent = order.submit(
        work(1, |_| panic!("must not run")),
        std::slice::from_ref(&failed),
    );
    let second = order.submit(marker(Kind::Normal), std::slice::from_ref(&dependent));
    pool::get().wait(&second);
    for command in [&failed, &dependent, &second] {
        assert_eq!(command.status(), UR_EVENT_STATUS_ERROR);
        assert_eq!(command.outcome(), Err(UR_RESULT_ERROR_OUT_OF_RESOURCES));
    }
    let barrier = order.submit(marker(Kind::Barrier), &[]);
    pool::get().wait(&barrier);
    assert_eq!(barrier.status(), UR_EVENT_STATUS_COMPLETE);
    // A dependency that had already failed counts as well.
    let late = order.submit(marker(Kind::Normal), &[failed]);
    assert_eq!(late.outcome(), Err(UR_RESULT_ERROR_OUT_OF_RESOURCES));
}

#[test]
fn a_panic_is_an_error() {
    let order = Order::new(true);
    let command = order.submit(work(2, |piece| panic!("on purpose, piece {piece}")), &[]);
    pool::get().wait(&command);
    assert_eq!(command.status(), UR_EVENT_STATUS_ERROR);
}

#[test]
fn a_million_dependent_commands_need_no_stack() {
    const COUNT: u64 = 1_000_000;
    let order = Order::new(false);
    let (go, blocked) = blocker();
    let mut last = order.submit(blocked, &[]);
    let count = Arc::new(AtomicU64::new(0));
    for i in 0..COUNT {
        // Markers and work in turn: the first are finished in a loop, the second queued.
        let submission = if i % 2 == 0 {
            marker(Kind::Normal)
        } else {
            let count = count.clone();
            work(1, move |_| {
                count.fetch_add(1, Ordering::Relaxed);
                Ok(())
            })
        };
        last = order.submit(submission, &[last]);
    }
    assert!(!last.is_finished());
    drop(go);
    pool::get().wait(&last);
    assert_eq!(count.load(Ordering::Relaxed), COUNT / 2);
}

#[test]
fn finishes_without_a_waiter() {
    let order = Order::new(true);
    let command = order.submit(work(5, |_| Ok(())), &[]);
    let end = std::time::Instant::now() + std::time::Duration::from_secs(30);
    while !command.is_finished() {
        assert!(std::time::Instant::now() < end, "nobody runs the command");
        std::thread::yield_now();
    }
}

#[test]
fn callbacks_come_once_and_late_ones_are_handed_back() {
    let order = Order::new(true);
    let (go, blocked) = blocker();
    let command = order.submit(blocked, &[]);
    let (told, heard) = mpsc::channel();
    for _ in 0..3 {
        let told = told.clone();
        let back = command.when(
            UR_EVENT_STATUS_COMPLETE,
            Box::new(move |state| told.send(state).unwrap()),
        );
        assert!(back.is_none());
    }
    assert!(heard.try_recv().is_err());
    go.send(()).unwrap();
    for _ in 0..3 {
        assert_eq!(heard.recv().unwrap(), UR_EVENT_STATUS_COMPLETE);
    }
    let late = command.when(UR_EVENT_STATUS_COMPLETE, Box::new(|_| ()));
    assert_eq!(late.unwrap().0, UR_EVENT_STATUS_COMPLETE);
    drop(told);
    assert!(heard.recv().is_err());
}

#[test]
fn many_threads_share_one_queue() {
    for in_order in [false, true] {
        let order = Arc::new(Order::new(in_order));
        let count = Arc::new(AtomicU64::new(0));
        std::thread::scope(|scope| {
            for _ in 0..8 {
                let (order, count) = (order.clone(), count.clone());
                scope.spawn(move || {
                    let mut last = Vec::new();
                    for i in 0..2000u64 {
                        let count = count.clone();
                        let command = order.submit(
                            work(1 + i % 3, move |_| {
                                count.fetch_add(1, Ordering::Relaxed);
                                Ok(())
                            }),
                            &last,
                        );
                        if i % 100 == 99 {
                            pool::get().wait(&command);
                        }
                        last = vec![command];
                    }
                    if let Some(tail) = order.tail() {
                        pool::get().wait(&tail);
                    }
                });
            }
        });
        let expected: u64 = (0..2000u64).map(|i| 1 + i % 3).sum::<u64>() * 8;
        assert_eq!(count.load(Ordering::Relaxed), expected);
    }
}

#[test]
fn work_without_a_command_runs_only_when_nothing_holds_it_back() {
    for in_order in [true, false] {
        let order = Order::new(in_order);
        let ran = Cell::new(0);
        let run = || ran.set(ran.get() + 1);
        assert!(order.at_once(run) && order.is_empty());
        let (go, blocked) = blocker();
        order.submit(blocked, &[]);
        // Commands of an out-of-order queue do not wait for each other, but for barriers.
        assert_eq!(order.at_once(run), !in_order);
        let barrier = order.submit(marker(Kind::Barrier), &[]);
        let before = ran.get();
        assert!(!order.at_once(run));
        assert_eq!(ran.get(), before);
        go.send(()).unwrap();
        pool::get().wait(&barrier);
        assert!(order.at_once(run));
        assert_eq!(ran.get(), before + 1);
        assert!(order.is_empty());
    }
}
