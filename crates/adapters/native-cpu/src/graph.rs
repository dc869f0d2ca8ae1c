//! Graphs: commands that queues record instead of running them, to be run many times.
//!
//! A queue that captures is told so by its own state, and a command that waits for a captured one is
//! captured too, with its queue from then on. The event of a captured command never completes: it
//! serves to order other captured commands, and anybody else finds it failed.

mod capture;
mod entry;

use crate::command::Command;
use crate::context::Context;
use crate::event::Event;
use crate::fork::{Guard, Mutex};
use crate::order::Group;
use crate::queue::Queue;
use crate::recording::{self, Node};
pub use capture::{Capture, Captured, Capturing, refuse};
use std::ffi::c_void;
use std::fmt::Write;
use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use ur_adapter::{Error, Handle, Object, Result, Slot};
use ur_api::*;

/// What is recorded, shared by a graph, the queues that record it and the events of its commands.
pub struct Core {
    id: u64,
    /// Address of the context; only compared.
    context: usize,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    nodes: Vec<(Arc<Node>, ur_command_t)>,
    session: Option<Session>,
}

/// A recording in progress.
#[derive(Clone, Copy)]
struct Session {
    number: u64,
    /// Kept alive by the queue that began the session.
    graph: NonNull<Object<Graph>>,
}

// SAFETY: the pointer is to an object that can be used from any thread.
unsafe impl Send for Session {}

impl Core {
    fn state(&self) -> Guard<'_, State> {
        self.state.lock()
    }

    fn is_recording(&self, session: u64) -> bool {
        self.state()
            .session
            .is_some_and(|own| own.number == session)
    }
}

/// A function of the program to be called when a graph ends.
struct Destruction {
    function: unsafe extern "C" fn(*mut c_void),
    user_data: *mut c_void,
}

// SAFETY: the pointer is only handed back to the program.
unsafe impl Send for Destruction {}

/// What a graph handle names.
pub struct Graph {
    context: Handle<Context>,
    core: Arc<Core>,
    destruction: Mutex<Vec<Destruction>>,
}

impl Graph {
    /// An empty graph.
    ///
    /// # Errors
    /// `OUT_OF_HOST_MEMORY`.
    pub fn create(context: &Object<Context>) -> Result<Handle<Graph>> {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        Handle::new(Graph {
            context: context.handle(),
            core: Arc::new(Core {
                id: NEXT.fetch_add(1, Ordering::Relaxed),
                context: std::ptr::from_ref(context) as usize,
                state: Mutex::default(),
            }),
            destruction: Mutex::default(),
        })
    }

    /// Has a function called when the graph ends.
    fn on_destruction(&self, function: unsafe extern "C" fn(*mut c_void), user_data: *mut c_void) {
        self.destruction.lock().push(Destruction {
            function,
            user_data,
        });
    }

    /// A number that tells it from all others of the process.
    fn id(&self) -> u64 {
        self.core.id
    }

    fn is_empty(&self) -> bool {
        self.core.state().nodes.is_empty()
    }

    /// A graph that can run, of what is recorded now.
    fn instantiate(&self) -> Result<Handle<ExecutableGraph>> {
        let state = self.core.state();
        if state.session.is_some() {
            return Err(invalid("the graph is being recorded"));
        }
        Handle::new(ExecutableGraph {
            context: self.context.clone(),
            nodes: state.nodes.iter().map(|(node, _)| node.clone()).collect(),
            latest: Mutex::default(),
        })
    }

    /// The commands and what they follow, in the language of Graphviz.
    fn describe(&self) -> String {
        let state = self.core.state();
        let mut text = format!("digraph graph_{} {{\n", self.core.id);
        for (at, (node, kind)) in state.nodes.iter().enumerate() {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "  n{at} [label=\"{at}: {kind}\"];");
            for before in node.after() {
                let _ = writeln!(text, "  n{before} -> n{at};");
            }
        }
        text.push_str("}\n");
        text
    }
}

impl Drop for Graph {
    fn drop(&mut self) {
        for Destruction {
            function,
            user_data,
        } in self.destruction.get_mut().drain(..)
        {
            // SAFETY: the program gave the function for this call.
            unsafe { function(user_data) };
        }
    }
}

/// What the handle of a graph that can run names.
pub struct ExecutableGraph {
    context: Handle<Context>,
    nodes: Vec<Arc<Node>>,
    /// The last command of the latest run: runs follow each other.
    latest: Mutex<Option<Arc<Command>>>,
}

impl ExecutableGraph {
    fn enqueue(&self, queue: &Object<Queue>, wait_list: &[&Object<Event>]) -> Result<Group> {
        if !queue.context().is(&self.context) {
            return Err(Error::new(
                UR_RESULT_ERROR_INVALID_QUEUE,
                "the queue is of another context than the graph",
            ));
        }
        refuse(queue, wait_list)?;
        let wait_list: Vec<_> = wait_list.iter().map(|event| event.command()).collect();
        let unsent = {
            let mut latest = self.latest.lock();
            let unsent = recording::replay(&self.nodes, queue, &wait_list, latest.as_ref());
            *latest = Some(unsent.group().last.clone());
            unsent
        };
        Ok(unsent.send())
    }
}

fn invalid(message: &'static str) -> Error {
    Error::new(UR_RESULT_ERROR_INVALID_OPERATION, message)
}

/// Enqueues a graph, for `urEnqueueGraphExp`.
///
/// # Errors
/// `INVALID_QUEUE` for a queue of another context, `INVALID_OPERATION` for one that captures.
pub fn enqueue(
    queue: &Object<Queue>,
    graph: &ExecutableGraph,
    wait_list: &[&Object<Event>],
    event: &mut Slot<Event>,
) -> Result {
    let group = graph.enqueue(queue, wait_list)?;
    Event::give_group(event, queue, group, UR_COMMAND_ENQUEUE_GRAPH_EXP)
}
