//! Commands that launch kernels.

use super::{CommandList, append, needs_compute};
use crate::call::{get, list};
use crate::command::{Action, Command};
use crate::device::MAX_COOPERATIVE;
use crate::kernel::Arg;
use crate::launch::{Groups, Launch};
use crate::world::{Kind, World};
use crate::ze::*;
use std::ffi::c_void;

/// A launch of a kernel as it is now.
///
/// # Errors
/// What is wrong with the list or the kernel.
pub(super) fn prepare(
    world: &mut World,
    list: &CommandList,
    command: &mut Command,
    kernel: ze_kernel_handle_t,
    groups: Groups,
) -> Answer<Launch> {
    needs_compute(world, list)?;
    let of = world.refer(kernel.to_native(), Kind::Kernel)?;
    let own = world.kernel(of.handle)?.clone();
    if own.context != list.context {
        return world.wrong(
            ZE_RESULT_ERROR_INVALID_ARGUMENT,
            "a kernel of another context",
        );
    }
    let launch = Launch {
        name: own.about,
        code: own.code,
        args: own.args,
        group: own.group,
        offset: own.offset,
        groups,
        cooperative: false,
        below: None,
    };
    command.needs.push(of);
    command.indirect.0 |= own.indirect;
    command.indirect.1 = own.context;
    Ok(launch)
}

/// Checks that a launch has all arguments.
///
/// # Errors
/// `INVALID_ARGUMENT`, which is a fault.
pub(super) fn check_args(world: &mut World, launch: &Launch) -> Answer {
    match launch.missing() {
        None => Ok(()),
        Some(missing) => {
            let name = &launch.name.name;
            world.wrong(
                ZE_RESULT_ERROR_INVALID_ARGUMENT,
                format!("argument {missing} of {name} is not set"),
            )
        }
    }
}

/// Has the command hold what a launch's arguments need.
///
/// # Errors
/// As [`check_args`].
pub(super) fn hold_args(world: &mut World, command: &mut Command, launch: &Launch) -> Answer {
    check_args(world, launch)?;
    command.memory.extend(launch.addresses());
    for arg in launch.args.iter().flatten() {
        if let Arg::Image(image, _) = arg {
            command.needs.push(*image);
        }
    }
    Ok(())
}

/// The work-groups that a program passes.
///
/// # Safety
/// `groups` is null or leads to them.
unsafe fn given(groups: *const ze_group_count_t) -> Answer<Groups> {
    // SAFETY: as the caller says.
    let groups = unsafe { get(groups) }?;
    Ok(Groups::Given([
        groups.groupCountX,
        groups.groupCountY,
        groups.groupCountZ,
    ]))
}

/// Appends a launch.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeCommandListAppendLaunchKernel(
    of: ze_command_list_handle_t,
    kernel: ze_kernel_handle_t,
    groups: *const ze_group_count_t,
    signal: ze_event_handle_t,
    count: u32,
    waits: *const ze_event_handle_t,
) -> ze_result_t {
    let name = "zeCommandListAppendLaunchKernel";
    // SAFETY: as the caller says.
    unsafe {
        append(
            name,
            of,
            signal,
            (count, waits),
            |world, list, mut command| {
                let launch = prepare(world, list, &mut command, kernel, given(groups)?)?;
                hold_args(world, &mut command, &launch)?;
                command.action = Action::Launch(vec![launch]);
                Ok(command)
            },
        )
    }
}

/// Checks that work-groups may wait for each other.
fn check_cooperative(world: &mut World, list: &CommandList, groups: Groups) -> Answer {
    world.needs_part(list.context, Kind::Context, "cooperative")?;
    let Groups::Given(groups) = groups else {
        return Err(ZE_RESULT_ERROR_INVALID_ARGUMENT);
    };
    let all = groups
        .iter()
        .try_fold(1u32, |all, one| all.checked_mul(*one));
    match all {
        Some(all) if all <= MAX_COOPERATIVE => Ok(()),
        _ => Err(ZE_RESULT_ERROR_INVALID_ARGUMENT),
    }
}

/// Appends a launch whose work-groups may wait for each other.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeCommandListAppendLaunchCooperativeKernel(
    of: ze_command_list_handle_t,
    kernel: ze_kernel_handle_t,
    groups: *const ze_group_count_t,
    signal: ze_event_handle_t,
    count: u32,
    waits: *const ze_event_handle_t,
) -> ze_result_t {
    let name = "zeCommandListAppendLaunchCooperativeKernel";
    // SAFETY: as the caller says.
    unsafe {
        append(
            name,
            of,
            signal,
            (count, waits),
            |world, list, mut command| {
                let groups = given(groups)?;
                check_cooperative(world, list, groups)?;
                let mut launch = prepare(world, list, &mut command, kernel, groups)?;
                launch.cooperative = true;
                hold_args(world, &mut command, &launch)?;
                command.action = Action::Launch(vec![launch]);
                Ok(command)
            },
        )
    }
}

/// Appends a launch with as many work-groups as memory says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeCommandListAppendLaunchKernelIndirect(
    of: ze_command_list_handle_t,
    kernel: ze_kernel_handle_t,
    groups: *const ze_group_count_t,
    signal: ze_event_handle_t,
    count: u32,
    waits: *const ze_event_handle_t,
) -> ze_result_t {
    let name = "zeCommandListAppendLaunchKernelIndirect";
    // SAFETY: as the caller says.
    unsafe {
        append(
            name,
            of,
            signal,
            (count, waits),
            |world, list, mut command| {
                let groups = world.range(groups as usize, size_of::<ze_group_count_t>())?;
                command.memory.push(groups);
                let launch = prepare(world, list, &mut command, kernel, Groups::At(groups))?;
                hold_args(world, &mut command, &launch)?;
                command.action = Action::Launch(vec![launch]);
                Ok(command)
            },
        )
    }
}

/// Appends as many launches of a list as memory says, each with as many work-groups as memory says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeCommandListAppendLaunchMultipleKernelsIndirect(
    of: ze_command_list_handle_t,
    number: u32,
    kernels: *const ze_kernel_handle_t,
    below: *const u32,
    groups: *const ze_group_count_t,
    signal: ze_event_handle_t,
    count: u32,
    waits: *const ze_event_handle_t,
) -> ze_result_t {
    let name = "zeCommandListAppendLaunchMultipleKernelsIndirect";
    // SAFETY: as the caller says.
    unsafe {
        append(
            name,
            of,
            signal,
            (count, waits),
            |world, own, mut command| {
                let kernels = list(kernels, number as usize)?;
                let below = world.range(below as usize, size_of::<u32>())?;
                let size = size_of::<ze_group_count_t>();
                let groups = world.range(groups as usize, size * kernels.len())?;
                command.memory.extend([below, groups]);
                let mut launches = Vec::new();
                for (place, kernel) in kernels.into_iter().enumerate() {
                    let at = Groups::At(groups + place * size);
                    let mut launch = prepare(world, own, &mut command, kernel, at)?;
                    launch.below = Some((below, place as u32));
                    hold_args(world, &mut command, &launch)?;
                    launches.push(launch);
                }
                command.action = Action::Launch(launches);
                Ok(command)
            },
        )
    }
}

/// Appends a launch with its arguments and its size of work-groups; those of the kernel stay.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeCommandListAppendLaunchKernelWithArguments(
    of: ze_command_list_handle_t,
    kernel: ze_kernel_handle_t,
    groups: ze_group_count_t,
    size: ze_group_size_t,
    args: *const *const c_void,
    next: *const c_void,
    signal: ze_event_handle_t,
    count: u32,
    waits: *const ze_event_handle_t,
) -> ze_result_t {
    let name = "zeCommandListAppendLaunchKernelWithArguments";
    // SAFETY: as the caller says.
    unsafe {
        append(
            name,
            of,
            signal,
            (count, waits),
            |world, own, mut command| {
                world.needs(of.to_native(), Kind::CommandList, 14)?;
                let groups = given(&groups)?;
                let mut launch = prepare(world, own, &mut command, kernel, groups)?;
                let about = world.kernel(kernel.to_native())?.clone();
                launch.group = [size.groupSizeX, size.groupSizeY, size.groupSizeZ];
                if !about.allows(launch.group) {
                    return Err(ZE_RESULT_ERROR_INVALID_GROUP_SIZE_DIMENSION);
                }
                let values = list(args, launch.args.len())?;
                for (place, value) in values.into_iter().enumerate() {
                    let info = launch.code.args()[place];
                    // For local memory the value is its size.
                    let (bytes, value) = match info.kind {
                        ur_jit_abi::ArgKind::Local => {
                            (get(value.cast::<usize>())?, std::ptr::null())
                        }
                        _ => (info.size as usize, value),
                    };
                    let kernel = (&*about.about, &*about.code);
                    let arg = Arg::take(world, kernel, place as u32, bytes, value)?;
                    launch.args[place] = Some(arg);
                }
                let together = crate::call::find::<
                    ze_command_list_append_launch_kernel_param_cooperative_desc_t,
                >(next);
                if let Some(together) = together.and_then(|desc| desc.as_ref())
                    && together.isCooperative != 0
                {
                    check_cooperative(world, own, groups)?;
                    launch.cooperative = true;
                }
                hold_args(world, &mut command, &launch)?;
                command.action = Action::Launch(vec![launch]);
                Ok(command)
            },
        )
    }
}
