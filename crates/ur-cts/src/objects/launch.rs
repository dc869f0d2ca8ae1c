//! Launches of kernels.

use super::event::or_null;
use super::kernel::Kernel;
use super::memory::Memory;
use super::queue::Queue;
use super::sampler::Sampler;
use crate::failure::{Stop, check};
use crate::ur;
use crate::world::Flags;
use std::ffi::c_void;
use std::ptr::{null, null_mut};
use ur_api::*;

/// An argument of a kernel.
#[derive(Clone, Copy, Debug)]
pub enum Arg<'a> {
    /// The bytes of a value.
    Value(&'a [u8]),
    /// An address in USM.
    Pointer(*const c_void),
    /// A buffer or image, and how the kernel uses it.
    Memory(&'a Memory, Flags),
    /// So many bytes of local memory.
    Local(usize),
    /// A sampler.
    Sampler(&'a Sampler),
}

impl<'a> From<&'a Memory> for Arg<'a> {
    fn from(memory: &'a Memory) -> Arg<'a> {
        Arg::Memory(memory, UR_MEM_FLAG_READ_WRITE.into())
    }
}

/// The argument as a call takes it, at its place.
pub fn argument(index: usize, arg: &Arg<'_>) -> ur_exp_kernel_arg_properties_t {
    let (kind, size, value) = match *arg {
        Arg::Value(bytes) => {
            let value = bytes.as_ptr().cast();
            let value = ur_exp_kernel_arg_value_t { value };
            (UR_EXP_KERNEL_ARG_TYPE_VALUE, bytes.len(), value)
        }
        Arg::Pointer(pointer) => {
            let value = ur_exp_kernel_arg_value_t { pointer };
            let size = size_of::<*const c_void>();
            (UR_EXP_KERNEL_ARG_TYPE_POINTER, size, value)
        }
        Arg::Memory(memory, flags) => {
            let value = ur_exp_kernel_arg_value_t {
                memObjTuple: ur_exp_kernel_arg_mem_obj_tuple_t {
                    hMem: memory.get(),
                    flags: flags.0,
                },
            };
            let size = size_of::<ur_mem_handle_t>();
            (UR_EXP_KERNEL_ARG_TYPE_MEM_OBJ, size, value)
        }
        Arg::Local(size) => {
            let value = ur_exp_kernel_arg_value_t { value: null() };
            (UR_EXP_KERNEL_ARG_TYPE_LOCAL, size, value)
        }
        Arg::Sampler(sampler) => {
            let sampler = sampler.get();
            let value = ur_exp_kernel_arg_value_t { sampler };
            let size = size_of::<ur_sampler_handle_t>();
            (UR_EXP_KERNEL_ARG_TYPE_SAMPLER, size, value)
        }
    };
    ur_exp_kernel_arg_properties_t {
        r#type: kind,
        index: index as u32,
        size,
        value,
        ..Default::default()
    }
}

/// How many work-items: global size, and where something else than the usual is wanted, work-group
/// size and offset. All have as many dimensions as the global size.
#[derive(Clone, Copy, Debug, Default)]
pub struct Range<'a> {
    /// Work-items in each dimension.
    pub global: &'a [usize],
    /// Work-items of a work-group in each dimension; empty for the implementation's choice.
    pub local: &'a [usize],
    /// Where global ids begin; empty for 0.
    pub offset: &'a [usize],
}

impl<'a> From<&'a [usize]> for Range<'a> {
    fn from(global: &'a [usize]) -> Range<'a> {
        Range {
            global,
            ..Default::default()
        }
    }
}

impl Kernel {
    /// Calls `urEnqueueKernelLaunchWithArgsExp`. `event` is null or a place for an event.
    pub fn enqueue(
        &self,
        queue: &Queue,
        range: Range<'_>,
        args: &[Arg<'_>],
        wait: &[ur_event_handle_t],
        event: *mut ur_event_handle_t,
    ) -> ur_result_t {
        let given = args.iter().enumerate().map(|(i, arg)| argument(i, arg));
        let given: Vec<_> = given.collect();
        ur!(urEnqueueKernelLaunchWithArgsExp(
            queue.get(),
            self.get(),
            range.global.len() as u32,
            or_null(range.offset),
            range.global.as_ptr(),
            or_null(range.local),
            given.len() as u32,
            given.as_ptr(),
            null(),
            wait.len() as u32,
            or_null(wait),
            event
        ))
    }

    /// Runs the kernel over a range and waits for the queue.
    ///
    /// # Errors
    /// When a call does not succeed.
    #[track_caller]
    pub fn run(&self, queue: &Queue, range: Range<'_>, args: &[Arg<'_>]) -> Result<(), Stop> {
        let code = self.enqueue(queue, range, args, &[], null_mut());
        check("urEnqueueKernelLaunchWithArgsExp", UR_RESULT_SUCCESS, code)?;
        queue.finish()
    }
}
