//! What a queue's order promises.

use super::*;
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
        let enters = || order.enter().is_some();
        assert!(enters() && order.is_empty());
        let (go, blocked) = blocker();
        order.submit(blocked, &[]);
        // Commands of an out-of-order queue do not wait for each other, but for barriers.
        assert_eq!(enters(), !in_order);
        let barrier = order.submit(marker(Kind::Barrier), &[]);
        assert!(!enters());
        go.send(()).unwrap();
        pool::get().wait(&barrier);
        assert!(enters() && order.is_empty() && order.tail().is_none());
    }
}

#[test]
fn later_commands_wait_for_what_is_done_without_one() {
    for in_order in [true, false] {
        for kind in [Kind::Normal, Kind::Marker, Kind::Fence, Kind::Barrier] {
            let order = Order::new(in_order);
            let pass = order.enter().unwrap();
            assert!(!order.is_empty());
            let waits = in_order || matches!(kind, Kind::Marker | Kind::Barrier);
            let command = order.submit(marker(kind), &[]);
            assert_eq!(command.is_finished(), !waits, "{in_order} {kind:?}");
            let tail = order.tail().unwrap();
            assert!(!tail.is_finished() && !order.is_empty());
            drop(pass);
            pool::get().wait(&command);
            pool::get().wait(&tail);
            assert!(order.is_empty() && order.enter().is_some());
        }
    }
}

#[test]
fn a_queue_is_waited_for_while_something_is_done_without_a_command() {
    for in_order in [true, false] {
        let order = Order::new(in_order);
        let pass = order.enter().unwrap();
        let tail = order.tail().unwrap();
        assert!(!tail.is_finished());
        drop(pass);
        pool::get().wait(&tail);
        assert_eq!(tail.outcome(), Ok(()));
        assert!(order.is_empty());
    }
}

/// Threads that go past an in-order queue's lock and that do not, all the time: never two at once, and
/// nothing is lost.
#[test]
fn an_in_order_queue_runs_one_thing_at_a_time() {
    let order = Order::new(true);
    let busy = Arc::new(AtomicU64::new(0));
    let done = Arc::new(AtomicU64::new(0));
    let alone = |busy: &AtomicU64, done: &AtomicU64| {
        assert_eq!(busy.fetch_add(1, Ordering::AcqRel), 0);
        done.fetch_add(1, Ordering::Relaxed);
        assert_eq!(busy.fetch_sub(1, Ordering::AcqRel), 1);
    };
    const EACH: u64 = 3000;
    std::thread::scope(|scope| {
        for thread in 0..4u64 {
            let (order, busy, done) = (&order, busy.clone(), done.clone());
            scope.spawn(move || {
                for number in 0..EACH {
                    if (number + thread) % 5 != 0
                        && let Some(_pass) = order.enter()
                    {
                        alone(&busy, &done);
                        continue;
                    }
                    let (busy, done) = (busy.clone(), done.clone());
                    let run = move |_| {
                        alone(&busy, &done);
                        Ok(())
                    };
                    let command = order.submit(work(1, run), &[]);
                    if number % 7 == 0 {
                        pool::get().wait(&command);
                        assert_eq!(command.outcome(), Ok(()));
                    }
                }
            });
        }
    });
    if let Some(tail) = order.tail() {
        pool::get().wait(&tail);
    }
    assert_eq!(done.load(Ordering::Relaxed), 4 * EACH);
    assert!(order.is_empty());
}

/// Work for a limited number of threads, and how many were in it at most.
struct Limited {
    threads: u32,
    now: AtomicU64,
    most: AtomicU64,
    pieces: AtomicU64,
}

impl Work for Arc<Limited> {
    fn run(&self, _: u64) -> Result<(), ur_result_t> {
        let now = self.now.fetch_add(1, Ordering::AcqRel) + 1;
        self.most.fetch_max(now, Ordering::AcqRel);
        self.pieces.fetch_add(1, Ordering::Relaxed);
        std::thread::yield_now();
        self.now.fetch_sub(1, Ordering::AcqRel);
        Ok(())
    }

    fn threads(&self) -> Option<u32> {
        Some(self.threads)
    }
}

#[test]
fn no_more_threads_run_a_command_than_may() {
    for threads in [1, 2, 1000] {
        let order = Order::new(false);
        let all: Vec<_> = (0..20)
            .map(|_| {
                let limited = Arc::new(Limited {
                    threads,
                    now: AtomicU64::new(0),
                    most: AtomicU64::new(0),
                    pieces: AtomicU64::new(0),
                });
                let mut submission = work(0, |_| Ok(()));
                submission.work = Some((Box::new(limited.clone()), 500));
                (order.submit(submission, &[]), limited)
            })
            .collect();
        // Several threads wait, each for another one first.
        std::thread::scope(|scope| {
            for from in 0..3 {
                let all = &all;
                scope.spawn(move || {
                    for (command, _) in all.iter().cycle().skip(from * 7).take(all.len()) {
                        pool::get().wait(command);
                    }
                });
            }
        });
        let most = u64::from(threads).min(pool::thread_count() as u64);
        for (command, limited) in &all {
            assert!(command.is_finished());
            assert_eq!(limited.pieces.load(Ordering::Relaxed), 500);
            assert!(limited.most.load(Ordering::Relaxed) <= most);
        }
    }
}

/// Nobody waits: whoever begins wakes the others.
#[test]
fn heavy_work_wakes_threads_by_itself() {
    let all = pool::thread_count();
    let order = Order::new(true);
    let here = Arc::new(std::sync::Barrier::new(all));
    let command = order.submit(
        // Every thread takes one piece and none can take two.
        work(all as u64, move |_| {
            here.wait();
            Ok(())
        }),
        &[],
    );
    while !command.is_finished() {
        std::thread::yield_now();
    }
    assert_eq!(command.outcome(), Ok(()));
}
