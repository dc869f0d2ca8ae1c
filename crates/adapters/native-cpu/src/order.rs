//! The order of a queue: what a new command waits for besides its wait list.
//!
//! An in-order queue is a chain: each command waits for the one before. An out-of-order queue has a
//! *gate*, a command in the making that counts every command enqueued since the last barrier; a
//! barrier is the gate being closed, and later commands wait for it.

use crate::command::{Command, Lane, Work};
use crate::fork::{Guard, Mutex};
use crate::{fork, pool};
use std::sync::Arc;

/// How a command stands in its queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Waits for what the queue's order and the wait list say.
    Normal,
    /// Also waits for everything enqueued before; what follows does not wait for it.
    Marker,
    /// Everything after waits for it.
    Fence,
    /// Waits for everything enqueued before, and everything after waits for it.
    Barrier,
}

/// What a command is to run, and how.
pub struct Submission {
    /// The work and its number of pieces; none for a command that only orders others.
    pub work: Option<(Box<dyn Work>, u64)>,
    /// Where it runs.
    pub lane: Lane,
    /// Whether times are recorded.
    pub profiled: bool,
    /// Whether the calling thread may run it at once when nothing holds it back.
    pub inline: bool,
    /// How it stands in the queue.
    pub kind: Kind,
}

/// A group of commands that was enqueued as one.
pub struct Group {
    /// Ends when the group may begin.
    pub first: Arc<Command>,
    /// Ends when the group has ended.
    pub last: Arc<Command>,
}

/// A group of commands that has its place in a queue but may not run yet.
#[must_use]
pub struct Unsent {
    group: Group,
    inside: Vec<Arc<Command>>,
}

impl Unsent {
    /// The first and the last command.
    pub fn group(&self) -> &Group {
        &self.group
    }

    /// Lets the group run.
    pub fn send(self) -> Group {
        // Nothing runs before the first command does, so the order of these is free.
        let ends = [&self.group.last, &self.group.first];
        for command in self.inside.iter().chain(ends) {
            if command.enqueued() {
                pool::get().dispatch(command.clone());
            }
        }
        self.group
    }
}

enum State {
    InOrder {
        last: Option<Arc<Command>>,
    },
    OutOfOrder {
        gate: Arc<Command>,
        barrier: Option<Arc<Command>>,
        generation: u32,
    },
}

/// See the module documentation.
pub struct Order(Mutex<State>);

fn fresh_gate() -> Arc<Command> {
    Command::new(None, Lane::Compute, true, None)
}

impl Order {
    /// The order of an empty queue.
    pub fn new(in_order: bool) -> Order {
        Order(Mutex::new(if in_order {
            State::InOrder { last: None }
        } else {
            State::OutOfOrder {
                gate: fresh_gate(),
                barrier: None,
                generation: fork::generation(),
            }
        }))
    }

    fn state(&self) -> Guard<'_, State> {
        let mut state = self.0.lock();
        if let State::OutOfOrder {
            gate,
            barrier,
            generation,
        } = &mut *state
            && *generation != fork::generation()
        {
            // What the gate counted was left behind in the parent.
            *gate = fresh_gate();
            *barrier = None;
            *generation = fork::generation();
        }
        state
    }

    /// Enqueues a command behind `wait_list`, whose failures it inherits, and hands it to the pool
    /// once it is ready.
    pub fn submit<'a>(
        &self,
        submission: Submission,
        wait_list: impl IntoIterator<Item = &'a Arc<Command>>,
    ) -> Arc<Command> {
        let Submission {
            work,
            lane,
            profiled,
            inline,
            kind,
        } = submission;
        let command = {
            let mut state = self.state();
            match &mut *state {
                State::InOrder { last } => {
                    let command = Command::new(work, lane, profiled, None);
                    if let Some(last) = last.as_ref() {
                        command.depend_on(last, false);
                    }
                    *last = Some(command.clone());
                    command
                }
                State::OutOfOrder { gate, barrier, .. } => match kind {
                    Kind::Normal | Kind::Fence => {
                        let command = Command::new(work, lane, profiled, Some(gate.clone()));
                        if let Some(earlier) = barrier.as_ref() {
                            if earlier.is_finished() {
                                *barrier = None;
                            } else {
                                command.depend_on(earlier, false);
                            }
                        }
                        if kind == Kind::Fence {
                            *barrier = Some(command.clone());
                        }
                        command
                    }
                    Kind::Marker | Kind::Barrier => {
                        let command = std::mem::replace(gate, fresh_gate());
                        // What the old gate counts is still running: the next one waits for it too.
                        gate.depend_on(&command, false);
                        if let Some(earlier) = barrier.as_ref() {
                            command.depend_on(earlier, false);
                        }
                        if kind == Kind::Barrier {
                            *barrier = Some(command.clone());
                        }
                        command
                    }
                },
            }
        };
        for dependency in wait_list {
            command.depend_on(dependency, true);
        }
        if command.enqueued() {
            let pool = pool::get();
            if inline || command.is_idle() {
                pool.run_here(&command);
            } else {
                pool.dispatch(command.clone());
            }
        }
        command
    }

    /// Makes a group of commands that is enqueued as one: a first command behind `wait_list`, those
    /// that `fill` makes, and a last one. `fill` is given the first command, makes each of its
    /// commands wait for it (directly or through others), does not enqueue them and returns them all.
    /// A failure of any is one of the last command, which stands for the group.
    ///
    /// The group has its place in the order; nothing of it runs before [`Unsent::send`].
    pub fn group<'a>(
        &self,
        profiled: bool,
        wait_list: impl IntoIterator<Item = &'a Arc<Command>>,
        fill: impl FnOnce(&Arc<Command>) -> Vec<Arc<Command>>,
    ) -> Unsent {
        let group = {
            let mut state = self.state();
            let order = |gate: Option<&Arc<Command>>| {
                Command::new(None, Lane::Compute, profiled, gate.cloned())
            };
            match &mut *state {
                State::InOrder { last } => {
                    let (first, end) = (order(None), order(None));
                    if let Some(last) = last.as_ref() {
                        first.depend_on(last, false);
                    }
                    *last = Some(end.clone());
                    Group { first, last: end }
                }
                State::OutOfOrder { gate, barrier, .. } => {
                    let first = order(None);
                    if let Some(earlier) = barrier.as_ref() {
                        first.depend_on(earlier, false);
                    }
                    let last = order(Some(gate));
                    Group { first, last }
                }
            }
        };
        for dependency in wait_list {
            group.first.depend_on(dependency, true);
        }
        group.last.depend_on(&group.first, true);
        let inside = fill(&group.first);
        for command in &inside {
            group.last.depend_on(command, true);
        }
        Unsent { group, inside }
    }

    /// A command whose end means that everything enqueued so far has ended; none if that is so.
    pub fn tail(&self) -> Option<Arc<Command>> {
        match &mut *self.state() {
            State::InOrder { last } => {
                return last.clone();
            }
            State::OutOfOrder { gate, barrier, .. } => {
                if gate.is_unblocked() && barrier.as_ref().is_none_or(|b| b.is_finished()) {
                    return None;
                }
            }
        }
        Some(self.submit(
            Submission {
                work: None,
                lane: Lane::Compute,
                profiled: false,
                inline: true,
                kind: Kind::Barrier,
            },
            &[],
        ))
    }

    /// Whether everything enqueued so far has ended.
    pub fn is_empty(&self) -> bool {
        match &*self.state() {
            State::InOrder { last } => last.as_ref().is_none_or(|last| last.is_finished()),
            State::OutOfOrder { gate, barrier, .. } => {
                gate.is_unblocked() && barrier.as_ref().is_none_or(|b| b.is_finished())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;
    use std::sync::atomic::{AtomicU64, Ordering};
    use std::sync::mpsc;
    use ur_api::{
        UR_EVENT_STATUS_COMPLETE, UR_EVENT_STATUS_ERROR, UR_RESULT_ERROR_OUT_OF_RESOURCES,
        ur_result_t,
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
}
