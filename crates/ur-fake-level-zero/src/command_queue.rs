//! Command queues.

use crate::call::{call, code, get, list, put, wait};
use crate::command_list::CommandList;
use crate::engine::{Engine, Target};
use crate::world::{Body, Kind, Ref, World};
use crate::ze::*;

/// A queue that takes closed command lists.
#[derive(Clone, Copy, Debug)]
pub struct CommandQueue {
    /// Its context.
    pub context: usize,
    /// Where its commands run.
    pub engine: Engine,
    /// Whether an execution ends before the call returns.
    pub is_synchronous: bool,
}

impl World {
    /// What a description of a queue or an immediate list says.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn queue_of(
        &mut self,
        context: usize,
        device: usize,
        desc: &ze_command_queue_desc_t,
    ) -> Answer<CommandQueue> {
        self.device_in(context, device)?;
        let settings = self.settings_of(device, Kind::Device)?;
        let groups = crate::device::groups(&settings);
        let group = groups.get(desc.ordinal as usize);
        let group = group.ok_or(ZE_RESULT_ERROR_INVALID_ARGUMENT)?;
        if desc.index >= group.numQueues {
            return Err(ZE_RESULT_ERROR_INVALID_ARGUMENT);
        }
        let mut known = ZE_COMMAND_QUEUE_FLAG_EXPLICIT_ONLY;
        if settings.has("in-order") {
            known |= ZE_COMMAND_QUEUE_FLAG_IN_ORDER;
        }
        if desc.flags & !known != 0 || desc.mode > 2 || desc.priority > 2 {
            return Err(ZE_RESULT_ERROR_INVALID_ENUMERATION);
        }
        Ok(CommandQueue {
            context,
            engine: Engine {
                device,
                ordinal: desc.ordinal,
                index: desc.index,
            },
            is_synchronous: desc.mode == ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS,
        })
    }

    /// Submits the commands of closed lists to a queue or immediate list. Gives the numbers of the
    /// commands.
    ///
    /// # Errors
    /// As [`World::object`]; `INVALID_ARGUMENT` for a list that is not closed, which is a fault;
    /// `INVALID_COMMAND_LIST_TYPE` for one of another group of engines.
    pub fn execute(
        &mut self,
        (owner, engine): (Ref, Engine),
        lists: &[ze_command_list_handle_t],
        fence: Option<Ref>,
    ) -> Answer<Vec<u64>> {
        self.check_lost()?;
        let mut submitted = Vec::new();
        for list in lists {
            let list = self.refer(list.to_native(), Kind::CommandList)?;
            let CommandList {
                immediate,
                closed,
                engine: of,
                in_order,
                ref commands,
                ..
            } = *self.command_list(list.handle)?;
            if immediate || !closed {
                return self.wrong(
                    ZE_RESULT_ERROR_INVALID_ARGUMENT,
                    "a list is executed that is not closed",
                );
            }
            let commands = commands.clone();
            if (of.device, of.ordinal) != (engine.device, engine.ordinal) {
                return Err(ZE_RESULT_ERROR_INVALID_COMMAND_LIST_TYPE);
            }
            self.check_needs(&commands)?;
            submitted.push((list, in_order, commands));
        }
        if let Some(fence) = fence {
            let count = submitted.iter().map(|(_, _, commands)| commands.len());
            let count = count.sum::<usize>() as u64;
            let fence = self.fence(fence.handle)?;
            fence.armed = true;
            fence.left += count;
        }
        let mut ids = Vec::new();
        for (list, in_order, commands) in submitted {
            let target = Target {
                engine,
                owner,
                list,
                in_order,
                fence,
            };
            ids.extend(commands.iter().map(|command| self.submit(target, command)));
        }
        Ok(ids)
    }
}

/// Waits until commands have ended.
pub fn until_ended(name: &str, ids: &[u64]) -> Answer {
    wait(name, u64::MAX, |world| {
        let mut ids = ids.iter();
        (!ids.any(|id| world.engines.is_unfinished(*id))).then_some(Ok(()))
    })
}

/// Makes a queue.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeCommandQueueCreate(
    context: ze_context_handle_t,
    device: ze_device_handle_t,
    desc: *const ze_command_queue_desc_t,
    place: *mut ze_command_queue_handle_t,
) -> ze_result_t {
    call("zeCommandQueueCreate", |world| {
        // SAFETY: as the caller says.
        let desc = unsafe { get(desc) }?;
        let context = context.to_native();
        let queue = world.queue_of(context, device.to_native(), &desc)?;
        let driver = world.object(context, Kind::Context)?.driver;
        let handle = world.add(driver, Body::CommandQueue(queue), vec![context]);
        // SAFETY: as the caller says.
        unsafe { put(place, ze_command_queue_handle_t::from_native(handle)) }
    })
}

/// Takes a queue away.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeCommandQueueDestroy(queue: ze_command_queue_handle_t) -> ze_result_t {
    call("zeCommandQueueDestroy", |world| {
        world.destroy(queue.to_native(), Kind::CommandQueue)?;
        Ok(())
    })
}

/// Executes closed lists.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeCommandQueueExecuteCommandLists(
    queue: ze_command_queue_handle_t,
    count: u32,
    lists: *const ze_command_list_handle_t,
    fence: ze_fence_handle_t,
) -> ze_result_t {
    let name = "zeCommandQueueExecuteCommandLists";
    let mut wanted = Vec::new();
    let result = call(name, |world| {
        let queue = world.refer(queue.to_native(), Kind::CommandQueue)?;
        let own = *world.command_queue(queue.handle)?;
        // SAFETY: as the caller says.
        let lists = unsafe { list(lists, count as usize) }?;
        if lists.is_empty() {
            return Err(ZE_RESULT_ERROR_INVALID_SIZE);
        }
        let fence = match fence.is_null() {
            true => None,
            false => Some(world.refer(fence.to_native(), Kind::Fence)?),
        };
        let ids = world.execute((queue, own.engine), &lists, fence)?;
        if own.is_synchronous {
            wanted = ids;
        }
        Ok(())
    });
    match result {
        ZE_RESULT_SUCCESS => code(until_ended(name, &wanted)),
        error => error,
    }
}

/// Waits until all commands of a queue have ended.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeCommandQueueSynchronize(
    queue: ze_command_queue_handle_t,
    timeout: u64,
) -> ze_result_t {
    let mut found = None;
    let result = call("zeCommandQueueSynchronize", |world| {
        found = Some(world.refer(queue.to_native(), Kind::CommandQueue)?);
        Ok(())
    });
    let Some(queue) = found else {
        return result;
    };
    code(wait("zeCommandQueueSynchronize", timeout, |world| {
        world.engines.is_idle(queue).then_some(Ok(()))
    }))
}

/// The group of engines of a queue.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeCommandQueueGetOrdinal(
    queue: ze_command_queue_handle_t,
    place: *mut u32,
) -> ze_result_t {
    call("zeCommandQueueGetOrdinal", |world| {
        world.needs(queue.to_native(), Kind::CommandQueue, 9)?;
        let ordinal = world.command_queue(queue.to_native())?.engine.ordinal;
        // SAFETY: as the caller says.
        unsafe { put(place, ordinal) }
    })
}

/// The number of a queue's engine in its group.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeCommandQueueGetIndex(
    queue: ze_command_queue_handle_t,
    place: *mut u32,
) -> ze_result_t {
    call("zeCommandQueueGetIndex", |world| {
        world.needs(queue.to_native(), Kind::CommandQueue, 9)?;
        let index = world.command_queue(queue.to_native())?.engine.index;
        // SAFETY: as the caller says.
        unsafe { put(place, index) }
    })
}
