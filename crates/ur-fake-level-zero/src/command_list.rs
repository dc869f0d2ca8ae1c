//! Command lists.

mod copy;
mod event;
mod exp;
mod image;
mod launch;
mod mutable;

pub use copy::*;
pub use event::*;
pub use exp::*;
pub use image::*;
pub use launch::*;
pub use mutable::*;

use crate::call::{call, code, find, get, list, put, wait};
use crate::command::Command;
use crate::command_queue::until_ended;
use crate::engine::{Engine, Target};
use crate::event::Count;
use crate::world::{Body, Kind, Ref, World};
use crate::ze::*;
use std::sync::Arc;

/// A command list.
#[derive(Clone)]
pub struct CommandList {
    /// Its context.
    pub context: usize,
    /// Where its commands run; the engine's number counts for an immediate list only.
    pub engine: Engine,
    /// Whether its commands follow each other.
    pub in_order: bool,
    /// Whether commands run as they are appended.
    pub immediate: bool,
    /// Whether a command of an immediate list ends before the call returns.
    pub is_synchronous: bool,
    /// Whether it takes no more commands.
    pub closed: bool,
    /// Its commands, if it is not immediate.
    pub commands: Vec<Arc<Command>>,
    /// Whether its commands can be changed.
    pub mutable: bool,
    /// The last number that a command to be changed got.
    pub last_number: u64,
    /// The number that the next command gets.
    pub next_number: Option<u64>,
}

impl World {
    /// Checks that what commands need is still there, and that launches have all arguments.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT`, which is a fault.
    pub fn check_needs(&mut self, commands: &[Arc<Command>]) -> Answer {
        use crate::command::Wait;
        for command in commands {
            let waits = command.waits.iter().filter_map(|wait| match wait {
                Wait::Event(event) => Some(event),
                Wait::Command(_) => None,
            });
            let all = waits.chain(&command.signal).chain(&command.needs);
            if all.cloned().any(|need| !self.is_alive(need)) {
                return self.wrong(
                    ZE_RESULT_ERROR_INVALID_ARGUMENT,
                    format!("a command of {} needs what was destroyed", command.name),
                );
            }
            if let crate::command::Action::Launch(launches) = &command.action {
                for launch in launches {
                    launch::check_args(self, launch)?;
                }
            }
        }
        Ok(())
    }

    /// A list as what its commands are checked against.
    ///
    /// # Errors
    /// As [`World::object`]; `INVALID_ARGUMENT` for one that is closed, which is a fault.
    fn open_list(&mut self, list: ze_command_list_handle_t) -> Answer<&mut CommandList> {
        if self.command_list(list.to_native())?.closed {
            return self.wrong(
                ZE_RESULT_ERROR_INVALID_ARGUMENT,
                "a command is appended to a closed list",
            );
        }
        self.command_list(list.to_native())
    }

    /// Appends a command; submits it if the list is immediate, and gives its number if the caller is to
    /// wait for it.
    ///
    /// # Errors
    /// What is wrong with the list or an event.
    fn append(
        &mut self,
        list: ze_command_list_handle_t,
        mut command: Command,
        signal: ze_event_handle_t,
        waits: &[ze_event_handle_t],
    ) -> Answer<Option<u64>> {
        self.check_lost()?;
        let of = self.refer(list.to_native(), Kind::CommandList)?;
        let in_order = self.open_list(list)?.in_order;
        for event in waits {
            if let Some(wait) = self.wait_on(*event)? {
                command.waits.push(wait);
            }
        }
        if !signal.is_null() {
            let event = self.refer(signal.to_native(), Kind::Event)?;
            let body = self.event(event.handle)?;
            if body.count.is_some() {
                if !in_order {
                    return self.wrong(
                        ZE_RESULT_ERROR_INVALID_ARGUMENT,
                        "a counter-based event is signalled by a list that is not in order",
                    );
                }
                body.count = Some(Count::Recorded);
            }
            command.signal = Some(event);
        }
        let list = self.command_list(list.to_native())?;
        command.number = list.next_number.take();
        let command = Arc::new(command);
        if !list.immediate {
            list.commands.push(command);
            return Ok(None);
        }
        let synchronous = list.is_synchronous;
        let target = Target {
            engine: list.engine,
            owner: of,
            list: of,
            in_order,
            fence: None,
        };
        let id = self.submit(target, &command);
        Ok(synchronous.then_some(id))
    }
}

/// An immediate list, without commands.
///
/// # Errors
/// As [`World::object`]; `INVALID_ARGUMENT` for any other list.
fn open_immediate(world: &mut World, list: ze_command_list_handle_t) -> Answer<(Ref, CommandList)> {
    let of = world.refer(list.to_native(), Kind::CommandList)?;
    let own = world.command_list(of.handle)?;
    match own.immediate {
        true => Ok((of, own.clone_without_commands())),
        false => Err(ZE_RESULT_ERROR_INVALID_ARGUMENT),
    }
}

/// What every function that appends a command does.
///
/// # Safety
/// `waits` is null or has `count` elements.
unsafe fn append(
    name: &'static str,
    of: ze_command_list_handle_t,
    signal: ze_event_handle_t,
    (count, waits): (u32, *const ze_event_handle_t),
    command: impl FnOnce(&mut World, &CommandList, Command) -> Answer<Command>,
) -> ze_result_t {
    let mut wanted = None;
    let result = call(name, |world| {
        let own = world.open_list(of)?.clone_without_commands();
        // SAFETY: as the caller says.
        let waits = unsafe { list(waits, count as usize) }?;
        let command = command(world, &own, Command::new(name))?;
        wanted = world.append(of, command, signal, &waits)?;
        Ok(())
    });
    match (result, wanted) {
        (ZE_RESULT_SUCCESS, Some(id)) => code(until_ended(name, &[id])),
        (code, _) => code,
    }
}

impl CommandList {
    fn clone_without_commands(&self) -> Self {
        Self {
            commands: Vec::new(),
            ..*self
        }
    }

    /// An empty list.
    fn new(context: usize, engine: Engine, in_order: bool) -> Self {
        Self {
            context,
            engine,
            in_order,
            immediate: false,
            is_synchronous: false,
            closed: false,
            commands: Vec::new(),
            mutable: false,
            last_number: 0,
            next_number: None,
        }
    }
}

/// Makes a list to be closed and executed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeCommandListCreate(
    context: ze_context_handle_t,
    device: ze_device_handle_t,
    desc: *const ze_command_list_desc_t,
    place: *mut ze_command_list_handle_t,
) -> ze_result_t {
    call("zeCommandListCreate", |world| {
        // SAFETY: as the caller says.
        let desc = unsafe { get(desc) }?;
        let (context, device) = (context.to_native(), device.to_native());
        let mut queue = ze_command_queue_desc_t::new();
        queue.ordinal = desc.commandQueueGroupOrdinal;
        let engine = world.queue_of(context, device, &queue)?.engine;
        let settings = world.settings_of(device, Kind::Device)?;
        let mut known = ZE_COMMAND_LIST_FLAG_RELAXED_ORDERING
            | ZE_COMMAND_LIST_FLAG_MAXIMIZE_THROUGHPUT
            | ZE_COMMAND_LIST_FLAG_EXPLICIT_ONLY;
        if settings.has("in-order") {
            known |= ZE_COMMAND_LIST_FLAG_IN_ORDER;
        }
        if desc.flags & !known != 0 {
            return Err(ZE_RESULT_ERROR_INVALID_ENUMERATION);
        }
        // SAFETY: as the caller says.
        let mutable = unsafe { find::<ze_mutable_command_list_exp_desc_t>(desc.pNext) };
        if mutable.is_some() && !settings.has("mutable") {
            return Err(ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
        }
        let in_order = desc.flags & ZE_COMMAND_LIST_FLAG_IN_ORDER != 0;
        let list = CommandList {
            mutable: mutable.is_some(),
            ..CommandList::new(context, engine, in_order)
        };
        let driver = world.object(context, Kind::Context)?.driver;
        let handle = world.add(driver, Body::CommandList(list), vec![context]);
        // SAFETY: as the caller says.
        unsafe { put(place, ze_command_list_handle_t::from_native(handle)) }
    })
}

/// Makes an immediate list.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeCommandListCreateImmediate(
    context: ze_context_handle_t,
    device: ze_device_handle_t,
    desc: *const ze_command_queue_desc_t,
    place: *mut ze_command_list_handle_t,
) -> ze_result_t {
    call("zeCommandListCreateImmediate", |world| {
        // SAFETY: as the caller says.
        let desc = unsafe { get(desc) }?;
        let context = context.to_native();
        let queue = world.queue_of(context, device.to_native(), &desc)?;
        let in_order = desc.flags & ZE_COMMAND_QUEUE_FLAG_IN_ORDER != 0;
        let list = CommandList {
            immediate: true,
            is_synchronous: queue.is_synchronous,
            ..CommandList::new(context, queue.engine, in_order)
        };
        let driver = world.object(context, Kind::Context)?.driver;
        let handle = world.add(driver, Body::CommandList(list), vec![context]);
        // SAFETY: as the caller says.
        unsafe { put(place, ze_command_list_handle_t::from_native(handle)) }
    })
}

/// Takes a list away.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeCommandListDestroy(list: ze_command_list_handle_t) -> ze_result_t {
    call("zeCommandListDestroy", |world| {
        world.destroy(list.to_native(), Kind::CommandList)?;
        Ok(())
    })
}

/// Ends the recording.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeCommandListClose(list: ze_command_list_handle_t) -> ze_result_t {
    call("zeCommandListClose", |world| {
        let list = world.command_list(list.to_native())?;
        list.closed = !list.immediate;
        Ok(())
    })
}

/// Makes a list empty. That commands of it have not ended is a fault.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeCommandListReset(list: ze_command_list_handle_t) -> ze_result_t {
    call("zeCommandListReset", |world| {
        let handle = list.to_native();
        if world.object(handle, Kind::CommandList)?.uses > 0 {
            return world.wrong(
                ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE,
                "a list is reset whose commands have not ended",
            );
        }
        let list = world.command_list(handle)?;
        list.closed = false;
        list.commands.clear();
        list.last_number = 0;
        list.next_number = None;
        Ok(())
    })
}

/// Waits until all commands of an immediate list have ended.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeCommandListHostSynchronize(
    list: ze_command_list_handle_t,
    timeout: u64,
) -> ze_result_t {
    let mut found = None;
    let result = call("zeCommandListHostSynchronize", |world| {
        world.needs_part(list.to_native(), Kind::CommandList, "sync")?;
        if !world.command_list(list.to_native())?.immediate {
            return Err(ZE_RESULT_ERROR_INVALID_ARGUMENT);
        }
        found = Some(world.refer(list.to_native(), Kind::CommandList)?);
        Ok(())
    });
    let Some(list) = found else {
        return result;
    };
    code(wait("zeCommandListHostSynchronize", timeout, |world| {
        world.engines.is_idle(list).then_some(Ok(()))
    }))
}
