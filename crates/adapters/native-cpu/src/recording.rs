//! Commands that are recorded once and enqueued many times: what command buffers and graphs are
//! made of.
//!
//! A recording is a list of nodes, each with work that can be run again and again and the earlier
//! nodes that it follows. Every replay makes new commands of them, so that replays, changes of the
//! recording and its end do not disturb each other.

use crate::command::{Command, Lane, Work};
use crate::event::Event;
use crate::fork::{Guard, Mutex};
use crate::order::Unsent;
use crate::queue::Queue;
use crate::share::Pace;
use std::ops::Range;
use std::sync::Arc;
use ur_adapter::{Handle, Object};
use ur_api::ur_result_t;

/// Work that several commands run.
#[derive(Clone)]
pub struct SharedWork(Arc<dyn Work>);

impl SharedWork {
    /// Makes work that one command would run one that many can.
    pub fn new(work: Box<dyn Work>) -> SharedWork {
        SharedWork(work.into())
    }
}

impl Work for SharedWork {
    fn run(&self, piece: u64) -> Result<(), ur_result_t> {
        self.0.run(piece)
    }

    fn run_all(&self, pieces: Range<u64>) -> Result<(), ur_result_t> {
        self.0.run_all(pieces)
    }

    fn pace(&self) -> Option<(&Pace, u64)> {
        self.0.pace()
    }

    fn proved(&self) {
        self.0.proved();
    }

    fn threads(&self) -> Option<u32> {
        self.0.threads()
    }
}

/// What a node runs: work in pieces, or nothing.
pub type NodeWork = Option<(SharedWork, u64)>;

/// A recorded command.
pub struct Node {
    lane: Lane,
    profiled: bool,
    /// Places in the recording of the nodes that it follows.
    after: Vec<usize>,
    changing: Mutex<Changing>,
}

/// What of a node can change after it was recorded.
#[derive(Default)]
struct Changing {
    work: NodeWork,
    /// Events from outside of the recording that it waits for.
    wait: Vec<Handle<Event>>,
    /// An event that its next run completes.
    signal: Option<Handle<Event>>,
}

impl Node {
    /// A node that runs `work` after others and after events from outside.
    pub fn new(
        work: NodeWork,
        lane: Lane,
        profiled: bool,
        after: Vec<usize>,
        wait: Vec<Handle<Event>>,
    ) -> Arc<Node> {
        Arc::new(Node {
            lane,
            profiled,
            after,
            changing: Mutex::new(Changing {
                work,
                wait,
                signal: None,
            }),
        })
    }

    fn changing(&self) -> Guard<'_, Changing> {
        self.changing.lock()
    }

    /// Whether its commands record times.
    pub fn is_profiled(&self) -> bool {
        self.profiled
    }

    /// The nodes that it follows.
    pub fn after(&self) -> &[usize] {
        &self.after
    }

    /// Replaces what later replays run, and gives what it was.
    pub fn replace_work(&self, work: NodeWork) -> NodeWork {
        std::mem::replace(&mut self.changing().work, work)
    }

    /// Replaces the events that later replays wait for.
    pub fn set_wait(&self, wait: Vec<Handle<Event>>) {
        let old = std::mem::replace(&mut self.changing().wait, wait);
        drop(old);
    }

    /// Sets the event that the next replay completes; one set before and not completed fails.
    pub fn set_signal(&self, event: Handle<Event>) {
        let old = self.changing().signal.replace(event);
        if let Some(old) = old {
            old.abandon();
        }
    }

    /// A command that runs the node now, after `before`.
    fn command(&self, queue: &Object<Queue>, before: &[&Arc<Command>]) -> Arc<Command> {
        let (work, wait, signal) = {
            let mut changing = self.changing();
            let work = changing
                .work
                .clone()
                .map(|(work, pieces)| (Box::new(work) as Box<dyn Work>, pieces));
            (work, changing.wait.clone(), changing.signal.take())
        };
        let command = Command::new(work, self.lane, self.profiled, None);
        for earlier in before {
            command.depend_on(earlier, true);
        }
        for event in &wait {
            command.depend_on(&event.command(), true);
        }
        if let Some(event) = signal {
            event.keep(queue, &command);
        }
        command
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        if let Some(event) = self.changing.get_mut().signal.take() {
            event.abandon();
        }
    }
}

/// Makes commands of all nodes, for `queue`, behind `wait_list` and `previous`, the last command of the replay
/// before.
pub fn replay(
    nodes: &[Arc<Node>],
    queue: &Object<Queue>,
    wait_list: &[Arc<Command>],
    previous: Option<&Arc<Command>>,
) -> Unsent {
    queue
        .order()
        .group(queue.is_profiled(), wait_list, |first| {
            if let Some(previous) = previous {
                first.depend_on(previous, false);
            }
            let mut commands: Vec<Arc<Command>> = Vec::with_capacity(nodes.len());
            for node in nodes {
                let mut before: Vec<_> = node
                    .after
                    .iter()
                    .filter_map(|at| commands.get(*at))
                    .collect();
                if before.is_empty() {
                    before.push(first);
                }
                let command = node.command(queue, &before);
                commands.push(command);
            }
            commands
        })
}
