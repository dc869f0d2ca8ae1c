//! Recorded launches that can be changed.

use super::change::Change;
use super::{CommandBuffer, invalid};
use crate::cl::error::{failed, has_ended};
use crate::cl::{self, check};
use crate::kernel::Kernel;
use crate::launch::Range;
use std::ffi::c_void;
use std::sync::{Mutex, PoisonError};
use ur_adapter::{Error, Handle, Object, Result};
use ur_api::*;

/// What a command handle names: a command of a command buffer.
#[derive(Debug)]
pub struct BufferCommand {
    pub(super) native: cl::cl_mutable_command_khr,
    /// The command buffer, which outlives its commands' handles; only compared.
    buffer: usize,
    /// For a launch, what is known of it.
    launch: Option<Launch>,
}

/// A recorded launch.
#[derive(Debug)]
pub struct Launch {
    pub(super) kernel: Handle<Kernel>,
    pub(super) work_dim: u32,
    /// The work-group size that the program chose, if it did.
    pub(super) local: Mutex<Option<[usize; 3]>>,
}

impl Launch {
    /// A launch of a kernel.
    ///
    /// # Safety
    /// The arrays of `range` have as many elements as there are dimensions.
    pub unsafe fn new(kernel: &Object<Kernel>, range: &Range) -> Self {
        Self {
            kernel: kernel.handle(),
            work_dim: range.work_dim,
            // SAFETY: forwarded.
            local: Mutex::new(unsafe { sizes(range.local, range.work_dim) }),
        }
    }
}

/// The sizes at `from`, 1 for further dimensions; none if there is no array.
///
/// # Safety
/// `from` is null or has that many elements.
pub(super) unsafe fn sizes(from: *const usize, dimensions: u32) -> Option<[usize; 3]> {
    if from.is_null() {
        return None;
    }
    let mut sizes = [1; 3];
    for (index, size) in sizes.iter_mut().take(dimensions as usize).enumerate() {
        // SAFETY: not null, so inside of the array.
        *size = unsafe { from.add(index).read() };
    }
    Some(sizes)
}

/// What can change in a recorded launch, as the API's flags.
pub fn changes(mutable: cl::cl_bitfield) -> u32 {
    let flags = [
        (
            cl::CL_MUTABLE_DISPATCH_ARGUMENTS_KHR,
            UR_DEVICE_COMMAND_BUFFER_UPDATE_CAPABILITY_FLAG_KERNEL_ARGUMENTS,
        ),
        (
            cl::CL_MUTABLE_DISPATCH_LOCAL_SIZE_KHR,
            UR_DEVICE_COMMAND_BUFFER_UPDATE_CAPABILITY_FLAG_LOCAL_WORK_SIZE,
        ),
        (
            cl::CL_MUTABLE_DISPATCH_GLOBAL_SIZE_KHR,
            UR_DEVICE_COMMAND_BUFFER_UPDATE_CAPABILITY_FLAG_GLOBAL_WORK_SIZE,
        ),
        (
            cl::CL_MUTABLE_DISPATCH_GLOBAL_OFFSET_KHR,
            UR_DEVICE_COMMAND_BUFFER_UPDATE_CAPABILITY_FLAG_GLOBAL_WORK_OFFSET,
        ),
    ];
    let able = flags.iter().filter(|(flag, _)| mutable & flag != 0);
    able.fold(0, |all, (_, flag)| all | flag.0)
}

impl BufferCommand {
    /// A command of a command buffer; OpenCL's own handle is null unless it can be changed.
    pub(super) fn new(
        buffer: &CommandBuffer,
        native: cl::cl_mutable_command_khr,
        launch: Option<Launch>,
    ) -> Self {
        Self {
            native,
            buffer: buffer.key(),
            launch,
        }
    }
}

impl CommandBuffer {
    fn key(&self) -> usize {
        std::ptr::from_ref(self) as usize
    }

    /// Changes recorded launches: all of them or, if one change is wrong, none.
    ///
    /// # Errors
    /// `INVALID_OPERATION` for a command buffer that is not updatable or not finalized,
    /// `INVALID_COMMAND_BUFFER_COMMAND_HANDLE_EXP` for a command that is no launch of it; what is wrong
    /// with a size or an argument, and what the driver says.
    pub fn update(&self, asked: &[ur_exp_command_buffer_update_kernel_launch_desc_t]) -> Result {
        if !self.is_updatable {
            return Err(invalid("the command buffer is not updatable"));
        }
        if asked.is_empty() {
            return Err(Error::code(UR_RESULT_ERROR_INVALID_SIZE));
        }
        let update = self.extensions().clUpdateMutableCommandsKHR;
        let update = update.ok_or_else(Error::unsupported)?;
        let mut state = self.state();
        if !state.is_final {
            return Err(invalid("the command buffer is not finalized"));
        }
        let mut changes = Vec::with_capacity(asked.len());
        for one in asked {
            // SAFETY: the program passes a handle that a call here gave it.
            let command = unsafe { Object::<BufferCommand>::from_raw(one.hCommand) }?;
            let launch = command.launch.as_ref();
            let launch = launch.filter(|_| command.buffer == self.key());
            let launch = launch.ok_or(UR_RESULT_ERROR_INVALID_COMMAND_BUFFER_COMMAND_HANDLE_EXP)?;
            // SAFETY: the program passes a change as the API says.
            let change = unsafe { Change::new(command, launch, one) }?;
            if let Some(Some(local)) = &change.local {
                self.device.facts().groups.expect(&local[..])?;
            }
            changes.push(change);
        }
        if let Some(latest) = &state.latest {
            // What runs must not change.
            let (wait, native) = (latest.api().clWaitForEvents, latest.get());
            // SAFETY: a live event.
            let code = unsafe { wait(1, &raw const native) };
            if !has_ended(code) {
                return Err(failed(code));
            }
            state.latest = None;
        }
        let configs: Vec<_> = changes.iter().map(Change::config).collect();
        let kinds = vec![cl::CL_STRUCTURE_TYPE_MUTABLE_DISPATCH_CONFIG_KHR; configs.len()];
        let places: Vec<*const c_void> = configs
            .iter()
            .map(|config| std::ptr::from_ref(config).cast())
            .collect();
        let count = places.len() as cl::cl_uint;
        // SAFETY: a live command buffer, and that many changes; what they point to is in `changes` and
        // with the caller.
        check(unsafe { update(self.native(), count, kinds.as_ptr(), places.as_ptr()) })?;
        for change in changes {
            if let Some(local) = change.local {
                let place = change.launch.local.lock();
                *place.unwrap_or_else(PoisonError::into_inner) = local.map(|local| *local);
            }
            state.kept.extend(change.kept);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_the_drivers() {
        assert_eq!(changes(0), 0);
        let arguments = UR_DEVICE_COMMAND_BUFFER_UPDATE_CAPABILITY_FLAG_KERNEL_ARGUMENTS.0;
        assert_eq!(changes(cl::CL_MUTABLE_DISPATCH_ARGUMENTS_KHR), arguments);
        assert_eq!(changes(u64::MAX).count_ones(), 4);
    }
}
