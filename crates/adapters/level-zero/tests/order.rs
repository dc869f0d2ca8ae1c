//! Two queues whose commands wait for each other, in all interleavings of a few threads: what is behind a
//! queue's lock is the adapter's own, the lock and the device are the model's.

use loom::sync::{Arc, Condvar, Mutex as LoomMutex};
use loom::thread;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// The lock that the adapter's file takes.
mod sync {
    pub use loom::sync::{Mutex, MutexGuard};
}

#[path = "../src/queue/backlog.rs"]
#[allow(dead_code, reason = "the model needs a part of it")]
mod backlog;

use backlog::{Backlog, COMPUTE, End, Execute, Kept, Order};

/// What the device has: ends that are there, and commands that wait for some.
#[derive(Default)]
struct Device {
    ended: LoomMutex<Vec<u64>>,
    more: Condvar,
}

/// A command of the model.
#[derive(Clone)]
struct Command {
    name: u64,
    waits: Vec<u64>,
}

impl Device {
    /// Runs commands of one list, in their order, as soon as what they wait for has ended. Whoever hands
    /// over a command before what it waits for would wait here for ever.
    fn run(&self, commands: Vec<Command>) {
        let mut ended = self.ended.lock().unwrap();
        for command in commands {
            for wait in &command.waits {
                assert!(ended.contains(wait), "{} before {wait}", command.name);
            }
            ended.push(command.name);
        }
        self.more.notify_all();
    }

    fn wait(&self, name: u64) {
        let mut ended = self.ended.lock().unwrap();
        while !ended.contains(&name) {
            ended = self.more.wait(ended).unwrap();
        }
    }
}

/// The end of a command of the model.
struct Ended {
    name: u64,
    number: AtomicU64,
    submitted: AtomicBool,
    ended: AtomicBool,
    /// Dropped with [`End::release`], which must come without a lock.
    load: LoomMutex<Option<Load>>,
    device: Arc<Device>,
}

/// Something whose end looks at a queue, as a free of memory does.
struct Load(std::sync::Weak<Queue>);

impl Drop for Load {
    fn drop(&mut self) {
        // After a failure nothing of the model works any more.
        if let Some(queue) = self.0.upgrade().filter(|_| !std::thread::panicking()) {
            assert!(queue.backlog.flush().is_ok());
        }
    }
}

impl End for Ended {
    type Error = ();

    fn number(&self) -> u64 {
        self.number.load(Ordering::Relaxed)
    }

    fn set_number(&self, number: u64) {
        self.number.store(number, Ordering::Relaxed);
    }

    fn is_silent(&self) -> bool {
        false
    }

    fn is_by_host(&self) -> bool {
        false
    }

    fn is_submitted(&self) -> bool {
        self.submitted.load(Ordering::Acquire)
    }

    fn note_submitted(&self) {
        self.submitted.store(true, Ordering::Release);
    }

    fn has_ended(&self) -> bool {
        self.ended.load(Ordering::Acquire)
    }

    fn note_ended(&self) {
        self.ended.store(true, Ordering::Release);
    }

    fn note_failed(&self, (): &()) {
        unreachable!("the model's device takes all");
    }

    fn ask(&self) -> bool {
        let ended = self.device.ended.lock().unwrap().contains(&self.name);
        if ended {
            self.note_ended();
        }
        ended
    }

    fn release(&self) {
        let load = self.load.lock().unwrap().take();
        drop(load);
    }
}

/// A list that keeps commands back.
struct List {
    open: Vec<Command>,
    device: Arc<Device>,
}

impl Execute for List {
    type Error = ();

    fn note(&mut self) -> Kept {
        Kept::Yes
    }

    fn execute(&mut self) -> Result<bool, ()> {
        let commands = std::mem::take(&mut self.open);
        if commands.is_empty() {
            return Ok(false);
        }
        self.device.run(commands);
        Ok(true)
    }
}

struct Queue {
    backlog: Backlog<Ended, List>,
    device: Arc<Device>,
}

impl Queue {
    fn new(order: Order, device: &Arc<Device>) -> std::sync::Arc<Self> {
        let list = List {
            open: Vec::new(),
            device: device.clone(),
        };
        std::sync::Arc::new(Self {
            backlog: Backlog::new(order, list),
            device: device.clone(),
        })
    }

    /// A command that waits for others of other queues. They are handed over first, as `Waits::of` does,
    /// or, as it must not be done, with the own lock held.
    fn append(
        self: &std::sync::Arc<Self>,
        name: u64,
        others: &[(&Self, &std::sync::Arc<Ended>)],
        locked: bool,
    ) -> std::sync::Arc<Ended> {
        let end = std::sync::Arc::new(Ended {
            name,
            number: AtomicU64::new(0),
            submitted: AtomicBool::new(false),
            ended: AtomicBool::new(false),
            load: LoomMutex::new(Some(Load(std::sync::Arc::downgrade(self)))),
            device: self.device.clone(),
        });
        let push = || {
            for (queue, end) in others {
                if !end.is_submitted() {
                    queue.backlog.flush().unwrap();
                }
            }
        };
        if !locked {
            push();
        }
        let mut waits: Vec<_> = others.iter().map(|(_, end)| end.name).collect();
        let pushed = self.backlog.append(|state| {
            if locked {
                push();
            }
            state.waits(COMPUTE, false, |other| waits.push(other.name));
            state.lists.open.push(Command { name, waits });
            state.push(&end, COMPUTE, false)
        });
        pushed.unwrap();
        end
    }

    fn wait(&self, end: &Ended) {
        if !end.is_submitted() {
            self.backlog.flush().unwrap();
        }
        self.device.wait(end.name);
        end.note_ended();
        self.backlog.settle(end);
    }

    fn finish(&self) {
        let (next, ends) = self.backlog.tail().unwrap();
        for end in ends {
            self.device.wait(end.name);
            end.note_ended();
        }
        self.backlog.note_ended(next);
    }
}

/// Each of two threads has a queue, with a command that is kept back, and enqueues one that waits for the
/// other's.
fn cross(order: Order, locked: bool) {
    let device = Arc::new(Device::default());
    let queues = [Queue::new(order, &device), Queue::new(order, &device)];
    let firsts = [
        queues[0].append(10, &[], false),
        queues[1].append(20, &[], false),
    ];
    let there = {
        let (queues, firsts) = (queues.clone(), firsts.clone());
        thread::spawn(move || {
            let end = queues[1].append(21, &[(&queues[0], &firsts[0])], locked);
            queues[1].wait(&end);
        })
    };
    queues[0].append(11, &[(&queues[1], &firsts[1])], locked);
    queues[0].finish();
    there.join().unwrap();
    for name in [10, 11, 20, 21] {
        assert!(device.ended.lock().unwrap().contains(&name), "{name}");
    }
    assert!(queues[0].backlog.last().is_empty(), "all have ended");
}

#[test]
fn queues_that_wait_for_each_other_go_on() {
    for order in [Order::Chain, Order::Free] {
        loom::model(move || cross(order, false));
    }
}

/// That the model sees what it is for. It ends its process then, so that is another one.
#[test]
fn whoever_flushes_under_a_lock_is_found() {
    const VARIABLE: &str = "UR_TEST_LOCKED";
    if std::env::var_os(VARIABLE).is_some() {
        loom::model(|| cross(Order::Chain, true));
        return;
    }
    let own = std::env::current_exe().unwrap();
    let mut child = std::process::Command::new(own);
    child.args([
        "--exact",
        "whoever_flushes_under_a_lock_is_found",
        "--nocapture",
    ]);
    let output = child.env(VARIABLE, "1").output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(
        !output.status.success() && said.contains("deadlock;"),
        "{said}"
    );
}

/// Two threads finish one queue while a third command comes.
#[test]
fn two_threads_may_finish_a_queue() {
    loom::model(|| {
        let device = Arc::new(Device::default());
        let queue = Queue::new(Order::Chain, &device);
        queue.append(1, &[], false);
        let there = {
            let queue = queue.clone();
            thread::spawn(move || {
                queue.append(2, &[], false);
                queue.finish();
                assert!(queue.device.ended.lock().unwrap().contains(&2));
            })
        };
        queue.finish();
        assert!(device.ended.lock().unwrap().contains(&1));
        there.join().unwrap();
        assert!(queue.backlog.last().is_empty());
    });
}
