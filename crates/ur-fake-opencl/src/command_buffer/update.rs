//! Changes of recorded launches.

use super::CommandBuffer;
use crate::call::{call_of, code, list};
use crate::cl::*;
use crate::kernel::Launch;
use crate::world::Kind;
use std::ffi::c_void;

/// A change of a recorded launch.
struct Change {
    place: usize,
    launch: Launch,
}

/// What a recorded launch is after a change.
///
/// # Safety
/// The lists in `asked` have as many elements as it says.
unsafe fn changed(
    buffer: &CommandBuffer,
    asked: &cl_mutable_dispatch_config_khr,
) -> Result<Change, cl_int> {
    let wanted = asked.command.to_native();
    let mut commands = buffer.commands.iter();
    let place = commands.position(|one| one.handle == wanted && wanted != 0);
    let place = place.ok_or(CL_INVALID_MUTABLE_COMMAND_KHR)?;
    let launch = buffer.commands[place].launch.clone();
    let mut launch = launch.ok_or(CL_INVALID_MUTABLE_COMMAND_KHR)?;
    // SAFETY: as the caller says.
    let (values, addresses) = unsafe {
        (
            list(asked.arg_list, asked.num_args as usize),
            list(asked.arg_svm_list, asked.num_svm_args as usize),
        )
    };
    let values = values.iter().map(|arg| {
        let bytes = match arg.arg_value.is_null() {
            true => arg.arg_size.to_ne_bytes().to_vec(),
            // SAFETY: as the caller says.
            false => unsafe { list(arg.arg_value.cast::<u8>(), arg.arg_size) },
        };
        (arg.arg_index, bytes)
    });
    let addresses = addresses.iter().map(|arg| {
        let bytes = (arg.arg_value as usize).to_ne_bytes();
        (arg.arg_index, bytes.to_vec())
    });
    for (index, bytes) in values.chain(addresses) {
        let place = launch.args.get_mut(index as usize);
        *place.ok_or(CL_INVALID_ARG_INDEX)? = bytes;
    }
    if !asked.global_work_size.is_null() {
        // SAFETY: as the caller says.
        launch.global = unsafe { list(asked.global_work_size, asked.work_dim as usize) };
    }
    Ok(Change { place, launch })
}

/// Changes recorded launches: all or none.
pub unsafe extern "C" fn clUpdateMutableCommandsKHR<const P: usize>(
    buffer: cl_command_buffer_khr,
    count: cl_uint,
    kinds: *const cl_uint,
    configs: *const *const c_void,
) -> cl_int {
    // SAFETY: as the caller says.
    let (kinds, configs) = unsafe { (list(kinds, count as usize), list(configs, count as usize)) };
    let handle = buffer.to_native();
    let of = (handle, Kind::CommandBuffer);
    code(call_of(P, "clUpdateMutableCommandsKHR", of, |world| {
        let buffer = world.prune(handle)?;
        if !buffer.is_final || !buffer.is_mutable() {
            return Err(CL_INVALID_OPERATION);
        }
        if !buffer.pending().is_empty() {
            world.fault("a command buffer is changed while it runs".to_owned());
            return Err(CL_INVALID_OPERATION);
        }
        let known = CL_STRUCTURE_TYPE_MUTABLE_DISPATCH_CONFIG_KHR;
        if kinds.is_empty() || kinds.iter().any(|kind| *kind != known) {
            return Err(CL_INVALID_VALUE);
        }
        let mut changes = Vec::new();
        for config in configs {
            let config = config.cast::<cl_mutable_dispatch_config_khr>();
            // SAFETY: the caller passes a change of the kind that was looked at.
            changes.push(unsafe { changed(buffer, &*config) }?);
        }
        for Change { place, launch } in changes {
            let mems = world.mems_in(&launch);
            let command = &mut world.command_buffer(handle)?.commands[place];
            command.uses.retain(|(_, kind)| *kind != Kind::Mem);
            command.uses.extend(mems);
            command.launch = Some(launch);
        }
        Ok(())
    }))
}
