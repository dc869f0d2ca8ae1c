//! Launches of kernels.

use super::event::or_null;
use super::kernel::Kernel;
use super::memory::Memory;
use super::queue::Queue;
use super::sampler::Sampler;
use crate::api::api;
use crate::failure::{Stop, check};
use crate::ur;
use crate::world::Flags;
use std::ffi::c_void;
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use ur_api::*;

/// Whether a launch with arguments was declined, and the older functions did it.
static DECLINED: AtomicBool = AtomicBool::new(false);

/// Whoever sets arguments and launches.
static ARGUMENTS: Mutex<()> = Mutex::new(());

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
    /// The function that [`Kernel::enqueue`] calls: `urEnqueueKernelLaunchWithArgsExp`, or
    /// `urEnqueueKernelLaunch` where only that is there.
    pub fn launches_by(&self) -> &'static str {
        if DECLINED.load(Ordering::Relaxed) {
            "urEnqueueKernelLaunch"
        } else {
            "urEnqueueKernelLaunchWithArgsExp"
        }
    }

    /// Launches the kernel. `event` is null or a place for an event.
    pub fn enqueue(
        &self,
        queue: &Queue,
        range: Range<'_>,
        args: &[Arg<'_>],
        wait: &[ur_event_handle_t],
        event: *mut ur_event_handle_t,
    ) -> ur_result_t {
        let list = or_null(wait);
        let count = wait.len() as u32;
        self.enqueue_to(queue.get(), range, args, count, list, event)
    }

    /// Launches the kernel with a wait list as it is given.
    pub fn enqueue_to(
        &self,
        queue: ur_queue_handle_t,
        range: Range<'_>,
        args: &[Arg<'_>],
        count: u32,
        list: *const ur_event_handle_t,
        event: *mut ur_event_handle_t,
    ) -> ur_result_t {
        let given = args.iter().enumerate().map(|(i, arg)| argument(i, arg));
        let given: Vec<_> = given.collect();
        let code = ur!(urEnqueueKernelLaunchWithArgsExp(
            queue,
            self.get(),
            range.global.len() as u32,
            or_null(range.offset),
            range.global.as_ptr(),
            or_null(range.local),
            given.len() as u32,
            given.as_ptr(),
            null(),
            count,
            list,
            event
        ));
        if code != UR_RESULT_ERROR_UNSUPPORTED_FEATURE || !api().has("urEnqueueKernelLaunch") {
            return code;
        }
        // An adapter of a release before: the arguments are the kernel's until the launch, which no
        // other thread may come between.
        DECLINED.store(true, Ordering::Relaxed);
        let _alone = ARGUMENTS.lock().unwrap_or_else(PoisonError::into_inner);
        for arg in &given {
            let code = self.set(arg);
            if code != UR_RESULT_SUCCESS {
                return code;
            }
        }
        self.enqueue_given(queue, range, null(), count, list, event)
    }

    /// Launches the kernel with the arguments that were set before.
    pub fn enqueue_given(
        &self,
        queue: ur_queue_handle_t,
        range: Range<'_>,
        properties: *const ur_kernel_launch_ext_properties_t,
        count: u32,
        list: *const ur_event_handle_t,
        event: *mut ur_event_handle_t,
    ) -> ur_result_t {
        ur!(urEnqueueKernelLaunch(
            queue,
            self.get(),
            range.global.len() as u32,
            or_null(range.offset),
            range.global.as_ptr(),
            or_null(range.local),
            properties,
            count,
            list,
            event
        ))
    }

    /// Sets arguments by functions of their own, where the loader still has them: of some calls
    /// without arguments they are a part there.
    ///
    /// # Errors
    /// When a call does not succeed.
    #[track_caller]
    pub fn give(&self, args: &[Arg<'_>]) -> Result<(), Stop> {
        if !api().has("urKernelSetArgValue") {
            return Ok(());
        }
        for (index, arg) in args.iter().enumerate() {
            let code = self.set(&argument(index, arg));
            check("urKernelSetArgValue", UR_RESULT_SUCCESS, code)?;
        }
        Ok(())
    }

    /// Sets an argument by the function for its kind.
    fn set(&self, arg: &ur_exp_kernel_arg_properties_t) -> ur_result_t {
        let (kernel, index) = (self.get(), arg.index);
        match arg.r#type {
            UR_EXP_KERNEL_ARG_TYPE_VALUE => {
                // SAFETY: the type says which member is set.
                let value = unsafe { arg.value.value };
                ur!(urKernelSetArgValue(kernel, index, arg.size, null(), value))
            }
            UR_EXP_KERNEL_ARG_TYPE_POINTER => {
                // SAFETY: as above.
                let pointer = unsafe { arg.value.pointer };
                // The address itself, although the parameter looks like the place of one.
                ur!(urKernelSetArgPointer(kernel, index, null(), pointer))
            }
            UR_EXP_KERNEL_ARG_TYPE_MEM_OBJ => {
                // SAFETY: as above.
                let tuple = unsafe { arg.value.memObjTuple };
                let properties = ur_kernel_arg_mem_obj_properties_t {
                    memoryAccess: tuple.flags,
                    ..Default::default()
                };
                let properties = &raw const properties;
                ur!(urKernelSetArgMemObj(kernel, index, properties, tuple.hMem))
            }
            UR_EXP_KERNEL_ARG_TYPE_LOCAL => {
                ur!(urKernelSetArgLocal(kernel, index, arg.size, null()))
            }
            _ => {
                // SAFETY: as above.
                let sampler = unsafe { arg.value.sampler };
                ur!(urKernelSetArgSampler(kernel, index, null(), sampler))
            }
        }
    }

    /// Runs the kernel over a range and waits for the queue.
    ///
    /// # Errors
    /// When a call does not succeed.
    #[track_caller]
    pub fn run(&self, queue: &Queue, range: Range<'_>, args: &[Arg<'_>]) -> Result<(), Stop> {
        let code = self.enqueue(queue, range, args, &[], null_mut());
        check(self.launches_by(), UR_RESULT_SUCCESS, code)?;
        queue.finish()
    }
}
