//! A command of a command buffer that can be changed.

use super::invalid;
use super::launch::Recipe;
use crate::context::Context;
use crate::event::Event;
use crate::fork::Mutex;
use crate::recording::Node;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use ur_adapter::{Error, Handle, Object, Result};
use ur_api::*;

/// What a command handle names: a command of a command buffer that can be changed.
pub struct BufferCommand {
    pub(super) node: Arc<Node>,
    pub(super) kind: ur_command_t,
    /// The command buffer, which outlives its commands' handles; only compared.
    pub(super) buffer: usize,
    pub(super) context: Handle<Context>,
    /// Whether the command buffer's recording has ended.
    pub(super) is_final: Arc<AtomicBool>,
    /// Whether it was recorded with an event to complete.
    pub(super) signals: bool,
    /// How many events it was recorded to wait for.
    pub(super) waits: usize,
    /// For a kernel launch, what it is made of.
    pub(super) launch: Option<Mutex<Recipe>>,
}

impl BufferCommand {
    fn expect_final(&self) -> Result {
        // A command handle is only given out by command buffers that are updatable.
        if !self.is_final.load(Ordering::Relaxed) {
            return Err(invalid("the command buffer is not finalized"));
        }
        Ok(())
    }

    /// A new event for the next run of the command.
    ///
    /// # Errors
    /// `INVALID_OPERATION` before the recording has ended and for a command recorded without an
    /// event.
    pub fn new_signal(&self) -> Result<Handle<Event>> {
        self.expect_final()?;
        if !self.signals {
            return Err(invalid("the command was recorded without an event"));
        }
        let event = Event::promise(&self.context, self.kind, self.node.is_profiled())?;
        self.node.set_signal(event.clone());
        Ok(event)
    }

    /// Other events that later runs wait for.
    ///
    /// # Errors
    /// `INVALID_OPERATION` before the recording has ended, `INVALID_EVENT_WAIT_LIST` for another
    /// number of events than the command was recorded with.
    pub fn set_wait(&self, events: &[&Object<Event>]) -> Result {
        self.expect_final()?;
        if events.len() != self.waits {
            return Err(Error::new(
                UR_RESULT_ERROR_INVALID_EVENT_WAIT_LIST,
                format!("{} events, recorded with {}", events.len(), self.waits),
            ));
        }
        self.node
            .set_wait(events.iter().map(|event| event.handle()).collect());
        Ok(())
    }
}
