//! A recorded kernel launch, kept in a form that can be changed and prepared again.

use crate::device::Device;
use crate::enqueue::kernel::{self, Range};
use crate::enqueue::work::Prepared;
use crate::kernel::Kernel;
use crate::launch::Ready;
use crate::memory::Mem;
use crate::sampler::Sampler;
use std::collections::BTreeMap;
use std::ptr::{null, null_mut};
use ur_adapter::{Error, Handle, Object, Result};
use ur_api::*;

/// An argument, with nothing in it that belongs to the caller.
#[derive(Clone)]
enum Arg {
    Value(Box<[u8]>),
    Pointer(usize),
    Mem(Option<Handle<Mem>>),
    Local(usize),
    Sampler(Handle<Sampler>),
}

/// See the module documentation.
#[derive(Clone)]
pub struct Recipe {
    kernel: Handle<Kernel>,
    alternatives: Vec<Handle<Kernel>>,
    work_dim: u32,
    offset: [usize; 3],
    global: [usize; 3],
    local: Option<[usize; 3]>,
    args: BTreeMap<u32, Arg>,
}

/// `count` sizes at `from`, 0 for the rest.
///
/// # Safety
/// `from` has `count` elements.
unsafe fn sizes(from: *const usize, count: usize) -> [usize; 3] {
    std::array::from_fn(|index| {
        if index < count {
            // SAFETY: inside of the array.
            unsafe { from.add(index).read() }
        } else {
            0
        }
    })
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

impl Arg {
    /// # Safety
    /// Pointers and handles in it are what its type says.
    unsafe fn take(arg: &ur_exp_kernel_arg_properties_t) -> Result<Arg> {
        Ok(match arg.r#type {
            UR_EXP_KERNEL_ARG_TYPE_VALUE => {
                // SAFETY: the type says which member is set.
                let value = unsafe { arg.value.value };
                if value.is_null() {
                    return Err(Error::code(UR_RESULT_ERROR_INVALID_NULL_POINTER));
                }
                // SAFETY: the program passes `size` bytes.
                Arg::Value(unsafe { std::slice::from_raw_parts(value.cast(), arg.size) }.into())
            }
            // SAFETY: the type says which member is set.
            UR_EXP_KERNEL_ARG_TYPE_POINTER => Arg::Pointer(unsafe { arg.value.pointer } as usize),
            UR_EXP_KERNEL_ARG_TYPE_MEM_OBJ => {
                // SAFETY: the type says which member is set.
                let raw = unsafe { arg.value.memObjTuple.hMem };
                // SAFETY: the program passes a live handle or null.
                unsafe { Arg::mem(raw) }?
            }
            UR_EXP_KERNEL_ARG_TYPE_LOCAL => Arg::Local(arg.size),
            UR_EXP_KERNEL_ARG_TYPE_SAMPLER => {
                // SAFETY: the type says which member is set, and the program passes a live handle.
                Arg::Sampler(unsafe { Object::<Sampler>::from_raw(arg.value.sampler) }?.handle())
            }
            _ => return Err(Error::code(UR_RESULT_ERROR_INVALID_ENUMERATION)),
        })
    }

    /// # Safety
    /// The handle is null or names a live object.
    unsafe fn mem(raw: ur_mem_handle_t) -> Result<Arg> {
        if raw.is_null() {
            return Ok(Arg::Mem(None));
        }
        // SAFETY: as the caller says.
        let mem = unsafe { Object::<Mem>::from_raw(raw) }?;
        Ok(Arg::Mem(Some(mem.handle())))
    }

    /// The argument as the API has it; points into `self`.
    fn give(&self, index: u32) -> ur_exp_kernel_arg_properties_t {
        let (kind, size, value) = match self {
            Arg::Value(bytes) => (
                UR_EXP_KERNEL_ARG_TYPE_VALUE,
                bytes.len(),
                ur_exp_kernel_arg_value_t {
                    value: bytes.as_ptr().cast(),
                },
            ),
            Arg::Pointer(address) => (
                UR_EXP_KERNEL_ARG_TYPE_POINTER,
                size_of::<usize>(),
                ur_exp_kernel_arg_value_t {
                    pointer: *address as *const _,
                },
            ),
            Arg::Mem(mem) => (
                UR_EXP_KERNEL_ARG_TYPE_MEM_OBJ,
                size_of::<usize>(),
                ur_exp_kernel_arg_value_t {
                    memObjTuple: ur_exp_kernel_arg_mem_obj_tuple_t {
                        hMem: mem.as_ref().map_or(null_mut(), |mem| mem.raw()),
                        flags: 0,
                    },
                },
            ),
            Arg::Local(size) => (
                UR_EXP_KERNEL_ARG_TYPE_LOCAL,
                *size,
                ur_exp_kernel_arg_value_t { value: null() },
            ),
            Arg::Sampler(sampler) => (
                UR_EXP_KERNEL_ARG_TYPE_SAMPLER,
                size_of::<usize>(),
                ur_exp_kernel_arg_value_t {
                    sampler: sampler.raw(),
                },
            ),
        };
        ur_exp_kernel_arg_properties_t {
            stype: UR_STRUCTURE_TYPE_EXP_KERNEL_ARG_PROPERTIES,
            pNext: null_mut(),
            r#type: kind,
            index,
            size,
            value,
        }
    }
}

impl Recipe {
    /// A copy of what a caller passes.
    ///
    /// # Errors
    /// `INVALID_WORK_DIMENSION`, `INVALID_VALUE` for a kernel that is its own alternative, or what is
    /// wrong with an argument.
    ///
    /// # Safety
    /// The arrays of `range` have as many elements as there are dimensions; pointers and handles in
    /// the arguments are what their types say.
    pub unsafe fn take(
        kernel: &Object<Kernel>,
        alternatives: &[&Object<Kernel>],
        range: &Range,
        args: &[ur_exp_kernel_arg_properties_t],
    ) -> Result<Recipe> {
        let dims = crate::enqueue::dimensions(range.work_dim)?;
        if alternatives
            .iter()
            .any(|other| std::ptr::eq(*other, kernel))
        {
            return Err(Error::value("the kernel is among its own alternatives"));
        }
        let mut taken = BTreeMap::new();
        for arg in args {
            // SAFETY: forwarded.
            taken.insert(arg.index, unsafe { Arg::take(arg) }?);
        }
        let or_none = |from: *const usize| {
            // SAFETY: not null, and as the caller says.
            (!from.is_null()).then(|| unsafe { sizes(from, dims) })
        };
        Ok(Recipe {
            kernel: kernel.handle(),
            alternatives: alternatives.iter().map(|kernel| kernel.handle()).collect(),
            work_dim: range.work_dim,
            offset: or_none(range.offset).unwrap_or([0; 3]),
            global: or_none(range.global).unwrap_or([0; 3]),
            local: or_none(range.local),
            args: taken,
        })
    }

    /// The launch as work for commands on `device`.
    ///
    /// # Errors
    /// What is wrong with a size or an argument.
    pub fn prepare(&self, device: &Device) -> Result<Prepared> {
        let args: Vec<_> = self
            .args
            .iter()
            .map(|(index, arg)| arg.give(*index))
            .collect();
        let range = Range {
            work_dim: self.work_dim,
            offset: self.offset.as_ptr(),
            global: self.global.as_ptr(),
            local: self.local.as_ref().map_or(null(), |local| local.as_ptr()),
        };
        let mut ready = Ready::none();
        let compiled =
            // SAFETY: the arrays have three elements each, and the arguments point into `self`.
            unsafe { kernel::prepare(&mut ready, &self.kernel, device, &range, &args, None) }?;
        Ok(kernel::take_prepared(compiled, &mut ready))
    }

    /// The recipe with a change.
    ///
    /// # Errors
    /// `INVALID_WORK_DIMENSION`; `INVALID_VALUE` for a kernel that is no alternative and for sizes
    /// that do not make an NDRange; what is wrong with an argument.
    ///
    /// # Safety
    /// Pointers and handles in the change are what the API says of them.
    pub unsafe fn changed(
        &self,
        change: &ur_exp_command_buffer_update_kernel_launch_desc_t,
    ) -> Result<Recipe> {
        let mut new = self.clone();
        if !change.hNewKernel.is_null() {
            // SAFETY: the program passes a live handle.
            let kernel = unsafe { Object::<Kernel>::from_raw(change.hNewKernel) }?;
            let known = |own: &Handle<Kernel>| own.is(kernel);
            if !known(&self.kernel) && !self.alternatives.iter().any(known) {
                return Err(Error::value("the kernel is no alternative of the launch"));
            }
            if !known(&self.kernel) {
                // The one that it replaces stays possible.
                let old = std::mem::replace(&mut new.kernel, kernel.handle());
                new.alternatives.push(old);
                // An argument that only the old kernel has is not one any more.
                let count = kernel.compiled().info().arg_count;
                new.args.retain(|index, _| *index < count);
            }
        }
        // SAFETY: forwarded.
        unsafe { new.change_range(change) }?;
        // SAFETY: the lists have that many elements, each as the API says.
        unsafe {
            for arg in list(change.numNewMemObjArgs, change.pNewMemObjArgList)? {
                new.set(arg.argIndex, Arg::mem(arg.hNewMemObjArg)?)?;
            }
            for arg in list(change.numNewPointerArgs, change.pNewPointerArgList)? {
                new.set(arg.argIndex, Arg::Pointer(arg.pNewPointerArg as usize))?;
            }
            for arg in list(change.numNewValueArgs, change.pNewValueArgList)? {
                // A value without bytes is the size of a local argument.
                let value = if arg.pNewValueArg.is_null() {
                    Arg::Local(arg.argSize)
                } else {
                    let bytes = std::slice::from_raw_parts(arg.pNewValueArg.cast(), arg.argSize);
                    Arg::Value(bytes.into())
                };
                new.set(arg.argIndex, value)?;
            }
        }
        Ok(new)
    }

    /// # Safety
    /// The arrays have as many elements as there are new dimensions.
    unsafe fn change_range(
        &mut self,
        change: &ur_exp_command_buffer_update_kernel_launch_desc_t,
    ) -> Result {
        let dims = crate::enqueue::dimensions(change.newWorkDim)?;
        let reshaped = change.newWorkDim != self.work_dim;
        let missing = change.pNewGlobalWorkSize.is_null() || change.pNewGlobalWorkOffset.is_null();
        if reshaped && missing {
            return Err(Error::value(
                "other dimensions without a global size and offset",
            ));
        }
        let or_none = |from: *mut usize| {
            // SAFETY: not null, and as the caller says.
            (!from.is_null()).then(|| unsafe { sizes(from, dims) })
        };
        if let Some(offset) = or_none(change.pNewGlobalWorkOffset) {
            self.offset = offset;
        }
        let global = or_none(change.pNewGlobalWorkSize);
        match or_none(change.pNewLocalWorkSize) {
            Some(local) => self.local = Some(local),
            // A new global size without a local one leaves the choice again.
            None if global.is_some() => self.local = None,
            None => {}
        }
        if let Some(global) = global {
            self.global = global;
        }
        self.work_dim = change.newWorkDim;
        Ok(())
    }

    fn set(&mut self, index: u32, arg: Arg) -> Result {
        let count = self.kernel.compiled().info().arg_count;
        if index >= count {
            return Err(Error::new(
                UR_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_INDEX,
                format!("argument {index} of {count}"),
            ));
        }
        self.args.insert(index, arg);
        Ok(())
    }
}
