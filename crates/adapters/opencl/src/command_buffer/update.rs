//! Recorded launches that can be changed.

use super::{CommandBuffer, Kept, invalid};
use crate::cl::error::{failed, has_ended};
use crate::cl::{self, check};
use crate::kernel::Kernel;
use crate::launch::Range;
use crate::memory::Mem;
use std::ffi::c_void;
use std::ptr::null;
use std::sync::{Mutex, PoisonError};
use ur_adapter::{Error, Handle, Object, Result};
use ur_api::*;

/// What a command handle names: a command of a command buffer.
#[derive(Debug)]
pub struct BufferCommand {
    native: cl::cl_mutable_command_khr,
    /// The command buffer, which outlives its commands' handles; only compared.
    buffer: usize,
    /// For a launch, what is known of it.
    launch: Option<Launch>,
}

/// A recorded launch.
#[derive(Debug)]
pub struct Launch {
    kernel: Handle<Kernel>,
    work_dim: u32,
    /// The work-group size that the program chose, if it did.
    local: Mutex<Option<[usize; 3]>>,
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
unsafe fn sizes(from: *const usize, dimensions: u32) -> Option<[usize; 3]> {
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

/// The elements of an array that may be null when it has none.
///
/// # Safety
/// `from` has `count` elements unless `count` is 0.
unsafe fn list<'a, T>(count: u32, from: *const T) -> Result<&'a [T]> {
    if count == 0 {
        return Ok(&[]);
    }
    if from.is_null() {
        return Err(Error::code(UR_RESULT_ERROR_INVALID_VALUE));
    }
    // SAFETY: as the caller says.
    Ok(unsafe { std::slice::from_raw_parts(from, count as usize) })
}

/// A change in OpenCL's form. What it points to stays where it is while the value is moved.
struct Change<'a> {
    command: &'a BufferCommand,
    launch: &'a Launch,
    values: Vec<cl::cl_mutable_dispatch_arg_khr>,
    addresses: Vec<cl::cl_mutable_dispatch_arg_khr>,
    /// Handles that values point to: it has room for all from the beginning.
    mems: Vec<cl::cl_mem>,
    kept: Vec<Kept>,
    /// The work-group size that is then the program's choice; none if it does not change.
    local: Option<Option<Box<[usize; 3]>>>,
    /// The work-group size that the driver is told, where that is the adapter's choice.
    chosen: Option<Box<[usize; 3]>>,
    offset: *const usize,
    global: *const usize,
}

impl<'a> Change<'a> {
    /// # Safety
    /// Pointers and handles in the change are what the API says of them.
    unsafe fn new(
        command: &'a BufferCommand,
        launch: &'a Launch,
        asked: &ur_exp_command_buffer_update_kernel_launch_desc_t,
    ) -> Result<Self> {
        let mut change = Change {
            command,
            launch,
            values: Vec::new(),
            addresses: Vec::new(),
            mems: Vec::with_capacity(asked.numNewMemObjArgs as usize),
            kept: Vec::new(),
            local: None,
            chosen: None,
            offset: asked.pNewGlobalWorkOffset,
            global: asked.pNewGlobalWorkSize,
        };
        if !asked.hNewKernel.is_null() {
            // SAFETY: the program passes a live handle.
            let kernel = unsafe { Object::<Kernel>::from_raw(asked.hNewKernel) }?;
            if !launch.kernel.is(kernel) {
                return Err(Error::value("the kernel is no alternative of the launch"));
            }
        }
        // SAFETY: forwarded.
        unsafe {
            change.set_sizes(asked)?;
            change.set_args(asked)?;
        }
        Ok(change)
    }

    /// # Safety
    /// The arrays have as many elements as there are new dimensions.
    unsafe fn set_sizes(
        &mut self,
        asked: &ur_exp_command_buffer_update_kernel_launch_desc_t,
    ) -> Result {
        if !(1..=3).contains(&asked.newWorkDim) {
            return Err(Error::code(UR_RESULT_ERROR_INVALID_WORK_DIMENSION));
        }
        if asked.newWorkDim != self.launch.work_dim {
            let missing =
                asked.pNewGlobalWorkSize.is_null() || asked.pNewGlobalWorkOffset.is_null();
            return Err(match missing {
                true => Error::value("other dimensions without a global size and offset"),
                // OpenCL keeps the number of dimensions.
                false => Error::unsupported(),
            });
        }
        // SAFETY: as the caller says.
        let (global, local) = unsafe {
            (
                sizes(asked.pNewGlobalWorkSize, asked.newWorkDim),
                sizes(asked.pNewLocalWorkSize, asked.newWorkDim),
            )
        };
        if global.is_some_and(|global| global.contains(&0)) {
            return Err(Error::code(UR_RESULT_ERROR_INVALID_WORK_DIMENSION));
        }
        if local.is_some_and(|local| local.contains(&0)) {
            return Err(Error::code(UR_RESULT_ERROR_INVALID_WORK_GROUP_SIZE));
        }
        let old = *self
            .launch
            .local
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        match (global, local, old) {
            (_, Some(local), _) => self.local = Some(Some(Box::new(local))),
            // A new global size without a local one leaves the choice again, which OpenCL takes for no
            // change. A part of the old one that divides the new size is a choice, too.
            (Some(global), None, Some(old)) => {
                self.local = Some(None);
                let parts = [0, 1, 2].map(|axis| common_divisor(old[axis], global[axis]));
                self.chosen = Some(Box::new(parts));
            }
            _ => {}
        }
        Ok(())
    }

    /// # Safety
    /// The lists have that many elements, each as the API says.
    unsafe fn set_args(
        &mut self,
        asked: &ur_exp_command_buffer_update_kernel_launch_desc_t,
    ) -> Result {
        let count = self.launch.kernel.arg_count();
        let expect = |index: u32| match index < count {
            true => Ok(()),
            false => Err(Error::new(
                UR_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_INDEX,
                format!("argument {index} of {count}"),
            )),
        };
        // SAFETY: as the caller says.
        for arg in unsafe { list(asked.numNewMemObjArgs, asked.pNewMemObjArgList) }? {
            expect(arg.argIndex)?;
            let mut native = cl::cl_mem::NULL;
            if !arg.hNewMemObjArg.is_null() {
                // SAFETY: the program passes a live handle.
                let mem = unsafe { Object::<Mem>::from_raw(arg.hNewMemObjArg) }?;
                native = mem.native();
                self.kept.push(mem.into());
            }
            self.mems.push(native);
            self.values.push(cl::cl_mutable_dispatch_arg_khr {
                arg_index: arg.argIndex,
                arg_size: size_of::<cl::cl_mem>(),
                arg_value: self
                    .mems
                    .last()
                    .map_or(null(), |mem| std::ptr::from_ref(mem).cast()),
            });
        }
        // SAFETY: as the caller says.
        for arg in unsafe { list(asked.numNewPointerArgs, asked.pNewPointerArgList) }? {
            expect(arg.argIndex)?;
            self.addresses.push(cl::cl_mutable_dispatch_arg_khr {
                arg_index: arg.argIndex,
                arg_size: 0,
                arg_value: arg.pNewPointerArg,
            });
        }
        // SAFETY: as the caller says.
        for arg in unsafe { list(asked.numNewValueArgs, asked.pNewValueArgList) }? {
            expect(arg.argIndex)?;
            self.values.push(cl::cl_mutable_dispatch_arg_khr {
                arg_index: arg.argIndex,
                arg_size: arg.argSize,
                arg_value: arg.pNewValueArg,
            });
        }
        Ok(())
    }

    fn config(&self) -> cl::cl_mutable_dispatch_config_khr {
        let own = self.local.as_ref().and_then(Option::as_ref);
        let local = own.or(self.chosen.as_ref());
        let any_size = local.is_some() || !self.offset.is_null() || !self.global.is_null();
        cl::cl_mutable_dispatch_config_khr {
            command: self.command.native,
            num_args: self.values.len() as u32,
            num_svm_args: self.addresses.len() as u32,
            num_exec_infos: 0,
            work_dim: if any_size { self.launch.work_dim } else { 0 },
            arg_list: pointer(&self.values),
            arg_svm_list: pointer(&self.addresses),
            exec_info_list: null(),
            global_work_offset: self.offset,
            global_work_size: self.global,
            local_work_size: local.map_or(null(), |local| local.as_ptr()),
        }
    }
}

fn pointer<T>(list: &[T]) -> *const T {
    match list {
        [] => null(),
        list => list.as_ptr(),
    }
}

fn common_divisor(a: usize, b: usize) -> usize {
    match b {
        0 => a.max(1),
        b => common_divisor(b, a % b),
    }
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
    fn common_divisors_divide_both() {
        assert_eq!(common_divisor(8, 12), 4);
        assert_eq!(common_divisor(1, 7), 1);
        assert_eq!(common_divisor(7, 13), 1);
        assert_eq!(common_divisor(16, 16), 16);
    }

    #[test]
    fn changes_are_the_drivers() {
        assert_eq!(changes(0), 0);
        let arguments = UR_DEVICE_COMMAND_BUFFER_UPDATE_CAPABILITY_FLAG_KERNEL_ARGUMENTS.0;
        assert_eq!(changes(cl::CL_MUTABLE_DISPATCH_ARGUMENTS_KHR), arguments);
        assert_eq!(changes(u64::MAX).count_ones(), 4);
    }
}
