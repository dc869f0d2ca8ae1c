//! Changes of recorded launches in OpenCL's form.

use super::Kept;
use super::update::{BufferCommand, Launch, sizes};
use crate::cl;
use crate::kernel::Kernel;
use crate::memory::Mem;
use std::ptr::null;
use std::sync::PoisonError;
use ur_adapter::{Error, Object, Result};
use ur_api::*;

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
pub(super) struct Change<'a> {
    command: &'a BufferCommand,
    pub(super) launch: &'a Launch,
    values: Vec<cl::cl_mutable_dispatch_arg_khr>,
    addresses: Vec<cl::cl_mutable_dispatch_arg_khr>,
    /// Handles that values point to: it has room for all from the beginning.
    mems: Vec<cl::cl_mem>,
    pub(super) kept: Vec<Kept>,
    /// The work-group size that is then the program's choice; none if it does not change.
    pub(super) local: Option<Option<Box<[usize; 3]>>>,
    /// The work-group size that the driver is told, where that is the adapter's choice.
    chosen: Option<Box<[usize; 3]>>,
    offset: *const usize,
    global: *const usize,
}

impl<'a> Change<'a> {
    /// # Safety
    /// Pointers and handles in the change are what the API says of them.
    pub(super) unsafe fn new(
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

    pub(super) fn config(&self) -> cl::cl_mutable_dispatch_config_khr {
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
}
