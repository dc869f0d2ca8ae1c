//! Command buffers: commands recorded once and enqueued many times.

mod append;
mod command;
mod launch;

use crate::command::{Command, Lane};
use crate::context::Context;
use crate::device::Device;
use crate::enqueue::work::Prepared;
use crate::event::Event;
use crate::fork::{Guard, Mutex};
use crate::graph;
use crate::order::Group;
use crate::queue::Queue;
use crate::recording::{self, Node, NodeWork, SharedWork};
pub use command::BufferCommand;
use launch::Recipe;
use std::mem::MaybeUninit;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use ur_adapter::{Error, Handle, Info, Object, Result, Slot};
use ur_api::*;

/// What a command buffer handle names.
pub struct CommandBuffer {
    context: Handle<Context>,
    device: Handle<Device>,
    is_updatable: bool,
    is_in_order: bool,
    is_profiled: bool,
    /// Whether the recording has ended; changed with the state's lock held.
    is_final: Arc<AtomicBool>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    nodes: Vec<Arc<Node>>,
    /// The last command of the latest replay: replays run one after the other.
    latest: Option<Arc<Command>>,
    /// The handles of commands that were given out. They belong to the command buffer: the API has
    /// no call to release one.
    given: Vec<Handle<BufferCommand>>,
}

/// How a recorded command is reached later: what every append takes and gives besides the command.
pub struct Links<'a> {
    sync_points: &'a [ur_exp_command_buffer_sync_point_t],
    wait: &'a [&'a Object<Event>],
    sync_point: Option<&'a mut MaybeUninit<ur_exp_command_buffer_sync_point_t>>,
    event: &'a mut Slot<Event>,
    command: &'a mut Slot<BufferCommand>,
}

impl<'a> Links<'a> {
    /// From the last parameters of an append.
    fn new(
        sync_points: &'a [ur_exp_command_buffer_sync_point_t],
        wait: &'a [&'a Object<Event>],
        sync_point: Option<&'a mut MaybeUninit<ur_exp_command_buffer_sync_point_t>>,
        event: &'a mut Slot<Event>,
        command: &'a mut Slot<BufferCommand>,
    ) -> Links<'a> {
        Links {
            sync_points,
            wait,
            sync_point,
            event,
            command,
        }
    }
}

fn invalid(message: &'static str) -> Error {
    Error::new(UR_RESULT_ERROR_INVALID_OPERATION, message)
}

impl CommandBuffer {
    /// An empty command buffer.
    ///
    /// # Errors
    /// `INVALID_DEVICE` for a device that is not the context's.
    pub fn create(
        context: &Object<Context>,
        device: &Object<Device>,
        desc: &ur_exp_command_buffer_desc_t,
    ) -> Result<Handle<CommandBuffer>> {
        if !context.has(device) {
            return Err(Error::new(
                UR_RESULT_ERROR_INVALID_DEVICE,
                "the device does not belong to the context",
            ));
        }
        Handle::new(CommandBuffer {
            context: context.handle(),
            device: device.handle(),
            is_updatable: desc.isUpdatable != 0,
            is_in_order: desc.isInOrder != 0,
            is_profiled: desc.enableProfiling != 0,
            is_final: Arc::default(),
            state: Mutex::default(),
        })
    }

    fn state(&self) -> Guard<'_, State> {
        self.state.lock()
    }

    /// The device that its commands are for.
    pub fn device(&self) -> &Device {
        &self.device
    }

    fn is_final(&self) -> bool {
        self.is_final.load(Ordering::Relaxed)
    }

    fn key(&self) -> usize {
        std::ptr::from_ref(self) as usize
    }

    /// Work that every replay runs, on the command buffer's device.
    fn shared(&self, prepared: Prepared) -> NodeWork {
        let prepared = prepared.on(&self.device);
        Some((SharedWork::new(prepared.work), prepared.pieces))
    }

    /// Records work.
    fn append(&self, prepared: Prepared, kind: ur_command_t, links: Links<'_>) -> Result {
        self.append_node(self.shared(prepared), kind, None, links)
    }

    /// Records a command; `launch` says what a kernel launch is made of.
    fn append_node(
        &self,
        work: NodeWork,
        kind: ur_command_t,
        launch: Option<Recipe>,
        links: Links<'_>,
    ) -> Result {
        if links.command.wanted() && !self.is_updatable {
            return Err(invalid("the command buffer is not updatable"));
        }
        let mut state = self.state();
        if self.is_final() {
            return Err(invalid("the command buffer is finalized"));
        }
        let place = state.nodes.len();
        let mut after = Vec::with_capacity(links.sync_points.len() + 1);
        for point in links.sync_points {
            let at = *point as usize;
            if at >= place {
                return Err(Error::new(
                    UR_RESULT_ERROR_INVALID_COMMAND_BUFFER_SYNC_POINT_EXP,
                    format!("no sync point {point}"),
                ));
            }
            after.push(at);
        }
        if self.is_in_order && place > 0 {
            after.push(place - 1);
        }
        let number = ur_exp_command_buffer_sync_point_t::try_from(place)
            .map_err(|_| Error::code(UR_RESULT_ERROR_OUT_OF_RESOURCES))?;
        let wait: Vec<_> = links.wait.iter().map(|event| event.handle()).collect();
        let (signals, waits) = (links.event.wanted(), wait.len());
        let node = Node::new(work, Lane::Compute, self.is_profiled, after, wait);
        if links.event.wanted() {
            let event = Event::promise(&self.context, kind, self.is_profiled)?;
            node.set_signal(event.clone());
            links.event.put(event);
        }
        if links.command.wanted() {
            let command = Handle::new(BufferCommand {
                node: node.clone(),
                kind,
                buffer: self.key(),
                context: self.context.clone(),
                is_final: self.is_final.clone(),
                signals,
                waits,
                launch: launch.map(Mutex::new),
            })?;
            state.given.push(command.clone());
            links.command.put(command);
        }
        state.nodes.push(node);
        if let Some(place) = links.sync_point {
            place.write(number);
        }
        Ok(())
    }

    /// Ends the recording.
    ///
    /// # Errors
    /// `INVALID_OPERATION` when it has ended before.
    pub fn finalize(&self) -> Result {
        let _state = self.state();
        if self.is_final.swap(true, Ordering::Relaxed) {
            return Err(invalid("the command buffer is finalized"));
        }
        Ok(())
    }

    /// Enqueues all commands behind `wait_list`, and behind what was enqueued of this command buffer
    /// before.
    ///
    /// # Errors
    /// `INVALID_OPERATION` for one that is not finalized; `INVALID_QUEUE` for a queue of another
    /// context or device.
    pub fn enqueue(&self, queue: &Object<Queue>, wait_list: &[Arc<Command>]) -> Result<Group> {
        if !queue.context().is(&self.context) || !queue.device().is(&self.device) {
            return Err(Error::new(
                UR_RESULT_ERROR_INVALID_QUEUE,
                "the queue is of another context or device than the command buffer",
            ));
        }
        let unsent = {
            // Two threads that enqueue at the same time agree on the order.
            let mut state = self.state();
            if !self.is_final() {
                return Err(invalid("the command buffer is not finalized"));
            }
            let unsent = recording::replay(&state.nodes, queue, wait_list, state.latest.as_ref());
            state.latest = Some(unsent.group().last.clone());
            unsent
        };
        Ok(unsent.send())
    }

    /// Changes recorded launches: all of them or, if one change is wrong, none.
    ///
    /// # Errors
    /// `INVALID_OPERATION` for a command buffer that is not updatable or not finalized,
    /// `INVALID_COMMAND_BUFFER_COMMAND_HANDLE_EXP` for a command that is no launch of it; what is
    /// wrong with a size or an argument.
    pub fn update(&self, changes: &[ur_exp_command_buffer_update_kernel_launch_desc_t]) -> Result {
        if !self.is_updatable {
            return Err(invalid("the command buffer is not updatable"));
        }
        if changes.is_empty() {
            return Err(Error::code(UR_RESULT_ERROR_INVALID_SIZE));
        }
        if !self.is_final() {
            return Err(invalid("the command buffer is not finalized"));
        }
        let mut done: Vec<(&BufferCommand, Recipe, Prepared)> = Vec::with_capacity(changes.len());
        for change in changes {
            // SAFETY: the program passes a handle that a call here gave it.
            let command = unsafe { Object::<BufferCommand>::from_raw(change.hCommand) }?;
            let launch = command
                .launch
                .as_ref()
                .filter(|_| command.buffer == self.key())
                .ok_or_else(|| {
                    Error::code(UR_RESULT_ERROR_INVALID_COMMAND_BUFFER_COMMAND_HANDLE_EXP)
                })?;
            // Two changes of one launch add up.
            let earlier = done
                .iter()
                .rev()
                .find(|(other, ..)| std::ptr::eq(*other, &**command))
                .map(|(_, recipe, _)| recipe.clone());
            let recipe = earlier.unwrap_or_else(|| launch.lock().clone());
            // SAFETY: the program passes a change as the API says.
            let recipe = unsafe { recipe.changed(change) }?;
            let prepared = recipe.prepare(&self.device)?;
            done.push((command, recipe, prepared));
        }
        // Preparing may wait for a compiler, so the lock is only taken now: a replay sees all of the
        // changes or none.
        let state = self.state();
        let mut old = Vec::with_capacity(done.len());
        for (command, recipe, prepared) in done {
            old.push(command.node.replace_work(self.shared(prepared)));
            if let Some(launch) = &command.launch {
                *launch.lock() = recipe;
            }
        }
        drop(state);
        // Without the lock: that may free buffers.
        drop(old);
        Ok(())
    }

    /// Answers a query.
    ///
    /// # Errors
    /// `UNSUPPORTED_ENUMERATION`.
    pub fn info(&self, name: ur_exp_command_buffer_info_t, info: &mut Info<'_>) -> Result {
        if name != UR_EXP_COMMAND_BUFFER_INFO_DESCRIPTOR {
            return Err(Error::unsupported_query());
        }
        // The structure byte by byte: its padding is to be defined.
        let mut bytes = [0u8; size_of::<ur_exp_command_buffer_desc_t>()];
        let stype = UR_STRUCTURE_TYPE_EXP_COMMAND_BUFFER_DESC.0.to_ne_bytes();
        bytes[..stype.len()].copy_from_slice(&stype);
        for (at, value) in [
            (
                std::mem::offset_of!(ur_exp_command_buffer_desc_t, isUpdatable),
                self.is_updatable,
            ),
            (
                std::mem::offset_of!(ur_exp_command_buffer_desc_t, isInOrder),
                self.is_in_order,
            ),
            (
                std::mem::offset_of!(ur_exp_command_buffer_desc_t, enableProfiling),
                self.is_profiled,
            ),
        ] {
            bytes[at] = u8::from(value);
        }
        info.bytes(&bytes)
    }
}

impl Drop for CommandBuffer {
    fn drop(&mut self) {
        for command in self.state.get_mut().given.drain(..) {
            // SAFETY: the program was given a reference with the handle and no call to give it back;
            // it ends here, with the command buffer.
            drop(unsafe { Handle::from_owned(&command) });
        }
    }
}

/// Enqueues a command buffer, for `urEnqueueCommandBufferExp`.
///
/// # Errors
/// As [`CommandBuffer::enqueue`].
pub fn enqueue(
    queue: &Object<Queue>,
    buffer: &CommandBuffer,
    wait_list: &[&Object<Event>],
    event: &mut Slot<Event>,
) -> Result {
    graph::refuse(queue, wait_list)?;
    let wait_list: Vec<_> = wait_list.iter().map(|event| event.command()).collect();
    let group = buffer.enqueue(queue, &wait_list)?;
    Event::give_group(event, queue, group, UR_COMMAND_ENQUEUE_COMMAND_BUFFER_EXP)
}
