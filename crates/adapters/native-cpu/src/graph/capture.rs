//! How a queue captures.

use super::{Core, Graph, Session, invalid};
use crate::event::Event;
use crate::fork::{Guard, Mutex};
use crate::order::{Kind, Submission};
use crate::queue::Queue;
use crate::recording::{Node, SharedWork};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use ur_adapter::{Handle, Object, Result, Slot};
use ur_api::*;

/// What an event knows of the captured command that it stands for.
#[derive(Clone)]
pub struct Captured {
    core: Arc<Core>,
    session: u64,
    node: usize,
}

/// A queue's part in a session.
pub struct Capture {
    core: Arc<Core>,
    session: u64,
    /// For the queue that began the session: the graph, and whether the program owns it already.
    begun: Option<(Handle<Graph>, bool)>,
    /// What every further command follows.
    before: Vec<usize>,
    /// What the next barrier or marker follows besides.
    loose: Vec<usize>,
}

impl Drop for Capture {
    fn drop(&mut self) {
        if self.begun.is_some() {
            let mut state = self.core.state();
            if state.session.is_some_and(|own| own.number == self.session) {
                state.session = None;
            }
        }
    }
}

/// Whether a queue captures, and how.
#[derive(Default)]
pub struct Capturing {
    /// Spares the common case the lock.
    active: AtomicBool,
    capture: Mutex<Option<Capture>>,
}

impl Capturing {
    /// The part in a session that is still going on.
    fn get(&self) -> Guard<'_, Option<Capture>> {
        let mut capture = self.capture.lock();
        let is_over = |own: &mut Capture| !own.core.is_recording(own.session);
        if capture.take_if(is_over).is_some() {
            self.active.store(false, Ordering::Release);
        }
        capture
    }

    fn set(&self, slot: &mut Option<Capture>, capture: Capture) {
        *slot = Some(capture);
        self.active.store(true, Ordering::Release);
    }

    /// Whether the queue captures.
    pub fn is_active(&self) -> bool {
        self.active.load(Ordering::Acquire) && self.get().is_some()
    }

    /// Begins a session that records `graph`, which the program owns or, for a new one, will own
    /// when it ends.
    ///
    /// # Errors
    /// `INVALID_OPERATION` when the queue captures already or the graph is being recorded.
    pub fn begin(&self, graph: Handle<Graph>, owned: bool) -> Result {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let mut capture = self.get();
        if capture.is_some() {
            return Err(invalid("the queue captures already"));
        }
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let core = graph.core.clone();
        {
            let mut state = core.state();
            if state.session.is_some() {
                return Err(invalid("the graph is being recorded"));
            }
            state.session = Some(Session {
                number,
                graph: std::ptr::NonNull::from(&*graph),
            });
        }
        let begun = Capture {
            core,
            session: number,
            begun: Some((graph, owned)),
            before: Vec::new(),
            loose: Vec::new(),
        };
        self.set(&mut capture, begun);
        Ok(())
    }

    /// Ends the session and gives the graph, and whether the program owned it before.
    ///
    /// # Errors
    /// `INVALID_OPERATION` when the queue began none.
    pub fn end(&self) -> Result<(Handle<Graph>, bool)> {
        let mut own = {
            let mut capture = self.get();
            if capture.as_ref().is_none_or(|own| own.begun.is_none()) {
                return Err(invalid("the queue began no capture"));
            }
            self.active.store(false, Ordering::Release);
            capture.take()
        };
        let own = own.as_mut().ok_or_else(|| invalid("no capture"))?;
        own.core.state().session = None;
        own.begun.take().ok_or_else(|| invalid("no capture"))
    }

    /// The graph that the queue records.
    ///
    /// # Errors
    /// `INVALID_OPERATION` when it records none.
    pub fn graph(&self) -> Result<Handle<Graph>> {
        let none = || invalid("the queue records no graph");
        let capture = self.get();
        let own = capture.as_ref().ok_or_else(none)?;
        let state = own.core.state();
        let session = state.session.ok_or_else(none)?;
        // SAFETY: the queue that began the session holds the graph until it ends, which needs the
        // lock held here.
        Ok(unsafe { session.graph.as_ref() }.handle())
    }
}

/// The session among the events of a wait list that is still going on.
fn joined(wait_list: &[&Object<Event>]) -> Option<Captured> {
    wait_list
        .iter()
        .filter_map(|event| event.captured())
        .find(|captured| captured.core.is_recording(captured.session))
}

/// Refuses what cannot be captured.
///
/// # Errors
/// `INVALID_OPERATION` when the queue captures or would begin to by a wait list.
pub fn refuse(queue: &Object<Queue>, wait_list: &[&Object<Event>]) -> Result {
    if queue.capturing().is_active() || joined(wait_list).is_some() {
        return Err(invalid("this cannot be captured in a graph"));
    }
    Ok(())
}

impl Capture {
    /// What a command follows, and what later ones do.
    fn place(&mut self, at: usize, kind: Kind, in_order: bool) -> Vec<usize> {
        let mut after = self.before.clone();
        if in_order {
            self.before = vec![at];
            return after;
        }
        match kind {
            Kind::Normal => self.loose.push(at),
            Kind::Fence => {
                self.before = vec![at];
                self.loose.push(at);
            }
            Kind::Marker => {
                after.append(&mut self.loose.clone());
                self.loose.push(at);
            }
            Kind::Barrier => {
                after.append(&mut self.loose);
                self.before = vec![at];
            }
        }
        after
    }

    /// Records a command if its queue captures or is to because of an event that it waits for; gives
    /// it back otherwise.
    ///
    /// # Errors
    /// `INVALID_OPERATION` for a call that is to block, and for events of several graphs.
    pub fn record(
        queue: &Object<Queue>,
        wait_list: &[&Object<Event>],
        event: &mut Slot<Event>,
        kind: ur_command_t,
        submission: Submission,
        blocking: bool,
    ) -> Result<Option<Submission>> {
        let capturing = queue.capturing();
        let mut slot = if capturing.is_active() {
            capturing.get()
        } else if let Some(captured) = joined(wait_list) {
            if captured.core.context != std::ptr::from_ref(&**queue.context()) as usize {
                return Err(invalid("events of a graph of another context"));
            }
            let mut slot = capturing.get();
            if slot.is_none() {
                let joining = Capture {
                    core: captured.core.clone(),
                    session: captured.session,
                    begun: None,
                    before: Vec::new(),
                    loose: Vec::new(),
                };
                capturing.set(&mut slot, joining);
            }
            slot
        } else {
            return Ok(Some(submission));
        };
        let Some(own) = slot.as_mut() else {
            // The session ended between the two looks.
            return Ok(Some(submission));
        };
        if blocking {
            return Err(invalid("a captured command cannot be waited for"));
        }
        let (mut inside, mut outside) = (Vec::new(), Vec::new());
        for event in wait_list {
            match event.captured() {
                Some(captured) if Arc::ptr_eq(&captured.core, &own.core) => {
                    inside.push(captured.node);
                }
                Some(_) => return Err(invalid("events of several graphs")),
                None => outside.push(event.handle()),
            }
        }
        let core = own.core.clone();
        let mut state = core.state();
        let at = state.nodes.len();
        let mut after = own.place(at, submission.kind, queue.is_in_order());
        after.append(&mut inside);
        after.sort_unstable();
        after.dedup();
        let work = submission
            .work
            .map(|(work, pieces)| (SharedWork::new(work), pieces));
        let node = Node::new(work, submission.lane, false, after, outside);
        state.nodes.push((node, kind));
        drop(state);
        if event.wanted() {
            let captured = Captured {
                core: own.core.clone(),
                session: own.session,
                node: at,
            };
            Event::give_captured(event, queue, kind, captured)?;
        }
        Ok(None)
    }
}
