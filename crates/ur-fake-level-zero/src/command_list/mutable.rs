//! Recorded commands that are changed.

use super::launch::hold_args;
use crate::call::{call, get, list, put};
use crate::command::{Action, Command};
use crate::kernel::Arg;
use crate::launch::{Groups, Launch};
use crate::world::{Kind, World};
use crate::ze::*;
use std::ffi::c_void;
use std::sync::Arc;

/// The number that the next command gets.
fn next_number(
    world: &mut World,
    list: ze_command_list_handle_t,
    desc: *const ze_mutable_command_id_exp_desc_t,
    place: *mut u64,
) -> Answer {
    world.needs_part(list.to_native(), Kind::CommandList, "mutable")?;
    let own = world.command_list(list.to_native())?;
    if !own.mutable || own.closed {
        return world.wrong(
            ZE_RESULT_ERROR_INVALID_ARGUMENT,
            "a number for changes of a list that cannot be changed or is closed",
        );
    }
    // SAFETY: as the callers say.
    let flags = unsafe { get(desc) }?.flags;
    if flags & !0x7f != 0 {
        return Err(ZE_RESULT_ERROR_INVALID_ENUMERATION);
    }
    own.last_number += 1;
    own.next_number = Some(own.last_number);
    let number = own.last_number;
    // SAFETY: as the callers say.
    unsafe { put(place, number) }
}

/// Gives the next command a number, by which it can be changed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeCommandListGetNextCommandIdExp(
    list: ze_command_list_handle_t,
    desc: *const ze_mutable_command_id_exp_desc_t,
    place: *mut u64,
) -> ze_result_t {
    call("zeCommandListGetNextCommandIdExp", |world| {
        next_number(world, list, desc, place)
    })
}

/// As [`zeCommandListGetNextCommandIdExp`], for a launch that may get one of these kernels.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeCommandListGetNextCommandIdWithKernelsExp(
    of: ze_command_list_handle_t,
    desc: *const ze_mutable_command_id_exp_desc_t,
    count: u32,
    kernels: *const ze_kernel_handle_t,
    place: *mut u64,
) -> ze_result_t {
    call("zeCommandListGetNextCommandIdWithKernelsExp", |world| {
        // SAFETY: as the caller says.
        for kernel in unsafe { list(kernels, count as usize) }? {
            world.kernel(kernel.to_native())?;
        }
        next_number(world, of, desc, place)
    })
}

/// Changes a command of a list.
///
/// # Errors
/// `INVALID_ARGUMENT` for a number that no command has, which is a fault; `HANDLE_OBJECT_IN_USE` while
/// the list's commands have not ended, a fault, too; what `change` gives.
fn change(
    world: &mut World,
    list: ze_command_list_handle_t,
    number: u64,
    change: impl FnOnce(&mut World, &mut Command) -> Answer,
) -> Answer {
    world.needs_part(list.to_native(), Kind::CommandList, "mutable")?;
    if world.object(list.to_native(), Kind::CommandList)?.uses > 0 {
        return world.wrong(
            ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE,
            "a command is changed while the list runs",
        );
    }
    let own = world.command_list(list.to_native())?;
    let place = own.commands.iter();
    let place = place
        .map(|one| one.number)
        .position(|one| one == Some(number));
    let Some(place) = place.filter(|_| own.mutable) else {
        return world.wrong(
            ZE_RESULT_ERROR_INVALID_ARGUMENT,
            format!("no command of a list has the number {number}"),
        );
    };
    let mut command = (*own.commands[place]).clone();
    change(world, &mut command)?;
    // The list takes no command before it is closed again.
    let own = world.command_list(list.to_native())?;
    own.commands[place] = Arc::new(command);
    own.closed = false;
    Ok(())
}

/// Changes the launch that a command is.
fn change_launch(
    world: &mut World,
    list: ze_command_list_handle_t,
    number: u64,
    body: impl FnOnce(&mut World, &mut Launch) -> Answer,
) -> Answer {
    change(world, list, number, |world, command| {
        let Action::Launch(launches) = &mut command.action else {
            return Err(ZE_RESULT_ERROR_INVALID_ARGUMENT);
        };
        let launch = launches.first_mut();
        let launch = launch.ok_or(ZE_RESULT_ERROR_INVALID_ARGUMENT)?;
        body(world, launch)?;
        let launch = launch.clone();
        // Arguments that are still to be changed are checked when all changes are made.
        command.memory.clear();
        command.memory.extend(launch.addresses());
        let kernel = command.needs.first().copied();
        command.needs.clear();
        command.needs.extend(kernel);
        if launch.missing().is_none() {
            hold_args(world, command, &launch)?;
        }
        Ok(())
    })
}

/// Makes the changes of a chain.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeCommandListUpdateMutableCommandsExp(
    list: ze_command_list_handle_t,
    desc: *const ze_mutable_commands_exp_desc_t,
) -> ze_result_t {
    call("zeCommandListUpdateMutableCommandsExp", |world| {
        // SAFETY: as the caller says.
        let mut next = unsafe { get(desc) }?.pNext;
        // SAFETY: as the caller says: structures that begin as all do.
        while let Some(head) = unsafe { next.cast::<ze_base_desc_t>().as_ref() } {
            // SAFETY: as the caller says.
            unsafe { update(world, list, head.stype, next) }?;
            next = head.pNext;
        }
        Ok(())
    })
}

/// Makes one change.
///
/// # Safety
/// The place leads to a structure of that type.
unsafe fn update(
    world: &mut World,
    list: ze_command_list_handle_t,
    stype: ze_structure_type_t,
    place: *const c_void,
) -> Answer {
    // SAFETY: as the caller says; what the structures lead to is as they say, too.
    unsafe {
        match stype {
            ZE_STRUCTURE_TYPE_MUTABLE_KERNEL_ARGUMENT_EXP_DESC => {
                let desc = get(place.cast::<ze_mutable_kernel_argument_exp_desc_t>())?;
                change_launch(world, list, desc.commandId, |world, launch| {
                    let index = desc.argIndex;
                    let (size, value) = (desc.argSize, desc.pArgValue);
                    let about = (&*launch.name, &*launch.code);
                    let arg = Arg::take(world, about, index, size, value)?;
                    launch.args[index as usize] = Some(arg);
                    Ok(())
                })
            }
            ZE_STRUCTURE_TYPE_MUTABLE_GROUP_COUNT_EXP_DESC => {
                let desc = get(place.cast::<ze_mutable_group_count_exp_desc_t>())?;
                let groups = get(desc.pGroupCount)?;
                let groups = [groups.groupCountX, groups.groupCountY, groups.groupCountZ];
                change_launch(world, list, desc.commandId, |_, launch| {
                    launch.groups = Groups::Given(groups);
                    Ok(())
                })
            }
            ZE_STRUCTURE_TYPE_MUTABLE_GROUP_SIZE_EXP_DESC => {
                let desc = get(place.cast::<ze_mutable_group_size_exp_desc_t>())?;
                let size = [desc.groupSizeX, desc.groupSizeY, desc.groupSizeZ];
                change_launch(world, list, desc.commandId, |_, launch| {
                    if !crate::kernel::allows(&launch.name, &launch.code, size) {
                        return Err(ZE_RESULT_ERROR_INVALID_GROUP_SIZE_DIMENSION);
                    }
                    launch.group = size;
                    Ok(())
                })
            }
            ZE_STRUCTURE_TYPE_MUTABLE_GLOBAL_OFFSET_EXP_DESC => {
                let desc = get(place.cast::<ze_mutable_global_offset_exp_desc_t>())?;
                let offset = [desc.offsetX, desc.offsetY, desc.offsetZ];
                change_launch(world, list, desc.commandId, |_, launch| {
                    launch.offset = offset;
                    Ok(())
                })
            }
            _ => Err(ZE_RESULT_ERROR_INVALID_ENUMERATION),
        }
    }
}

/// Has a command signal another event.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeCommandListUpdateMutableCommandSignalEventExp(
    list: ze_command_list_handle_t,
    number: u64,
    signal: ze_event_handle_t,
) -> ze_result_t {
    call("zeCommandListUpdateMutableCommandSignalEventExp", |world| {
        change(world, list, number, |world, command| {
            command.signal = match signal.is_null() {
                true => None,
                false => Some(world.refer(signal.to_native(), Kind::Event)?),
            };
            Ok(())
        })
    })
}

/// Has a command wait for other events.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeCommandListUpdateMutableCommandWaitEventsExp(
    of: ze_command_list_handle_t,
    number: u64,
    count: u32,
    waits: *const ze_event_handle_t,
) -> ze_result_t {
    call("zeCommandListUpdateMutableCommandWaitEventsExp", |world| {
        // SAFETY: as the caller says.
        let waits = unsafe { list(waits, count as usize) }?;
        change(world, of, number, |world, command| {
            command.waits.clear();
            for event in waits {
                command.waits.extend(world.wait_on(event)?);
            }
            Ok(())
        })
    })
}

/// Has launches run other kernels, whose arguments are then to be changed, too.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeCommandListUpdateMutableCommandKernelsExp(
    of: ze_command_list_handle_t,
    count: u32,
    numbers: *const u64,
    kernels: *const ze_kernel_handle_t,
) -> ze_result_t {
    call("zeCommandListUpdateMutableCommandKernelsExp", |world| {
        // SAFETY: as the caller says.
        let (numbers, kernels) = unsafe {
            (
                list(numbers, count as usize)?,
                list(kernels, count as usize)?,
            )
        };
        for (number, kernel) in numbers.into_iter().zip(kernels) {
            let object = world.refer(kernel.to_native(), Kind::Kernel)?;
            let own = world.kernel(object.handle)?.clone();
            change(world, of, number, |_, command| {
                let Action::Launch(launches) = &mut command.action else {
                    return Err(ZE_RESULT_ERROR_INVALID_ARGUMENT);
                };
                let launch = launches.first_mut();
                let launch = launch.ok_or(ZE_RESULT_ERROR_INVALID_ARGUMENT)?;
                launch.args = vec![None; own.args.len()];
                launch.name = own.about;
                launch.code = own.code;
                launch.group = own.group;
                launch.offset = own.offset;
                command.needs = vec![object];
                command.memory.clear();
                command.indirect = (own.indirect, own.context);
                Ok(())
            })?;
        }
        Ok(())
    })
}
