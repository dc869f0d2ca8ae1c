//! The entry points of experimental commands.

use super::buffer::Ties;
use super::{host_task, native, usm_alloc};
use crate::OpenCl;
use crate::command_buffer::{self, CommandBuffer};
use crate::event::Event;
use crate::kernel::Kernel;
use crate::launch;
use crate::memory::Mem;
use crate::queue::Queue;
use crate::usm::pool::UsmPool;
use std::ffi::c_void;
use ur_adapter::{EnqueueExpFns, Error, Object, Result, Slot};
use ur_api::*;

impl EnqueueExpFns for OpenCl {
    unsafe fn enqueue_kernel_launch_with_args_exp(
        queue: &Object<Queue>,
        kernel: &Object<Kernel>,
        work_dim: u32,
        global_work_offset: *const usize,
        global_work_size: *const usize,
        local_work_size: *const usize,
        args: &[ur_exp_kernel_arg_properties_t],
        launch_prop_list: Option<&ur_kernel_launch_ext_properties_t>,
        event_wait_list: &[&Object<Event>],
        event: &mut Slot<Event>,
    ) -> Result {
        let range = launch::Range {
            work_dim,
            offset: global_work_offset,
            global: global_work_size,
            local: local_work_size,
        };
        // SAFETY: the program passes arrays and arguments as the API says.
        unsafe {
            launch::launch(
                queue,
                kernel,
                &range,
                args,
                launch_prop_list,
                event_wait_list,
                event,
            )
        }
    }

    fn enqueue_command_buffer_exp(
        queue: &Object<Queue>,
        command_buffer: &Object<CommandBuffer>,
        event_wait_list: &[&Object<Event>],
        event: &mut Slot<Event>,
    ) -> Result {
        command_buffer::enqueue(queue, command_buffer, event_wait_list, event)
    }

    fn enqueue_usm_device_alloc_exp(
        queue: &Object<Queue>,
        pool: Option<&Object<UsmPool>>,
        size: usize,
        properties: Option<&ur_exp_async_usm_alloc_properties_t>,
        waits: &[&Object<Event>],
        event: &mut Slot<Event>,
    ) -> Result<*mut c_void> {
        let (kind, ties) = (UR_USM_TYPE_DEVICE, Ties { waits, event });
        usm_alloc::allocate(queue, pool, kind, size, properties, ties)
    }

    fn enqueue_usm_shared_alloc_exp(
        queue: &Object<Queue>,
        pool: Option<&Object<UsmPool>>,
        size: usize,
        properties: Option<&ur_exp_async_usm_alloc_properties_t>,
        waits: &[&Object<Event>],
        event: &mut Slot<Event>,
    ) -> Result<*mut c_void> {
        let (kind, ties) = (UR_USM_TYPE_SHARED, Ties { waits, event });
        usm_alloc::allocate(queue, pool, kind, size, properties, ties)
    }

    fn enqueue_usm_host_alloc_exp(
        queue: &Object<Queue>,
        pool: Option<&Object<UsmPool>>,
        size: usize,
        properties: Option<&ur_exp_async_usm_alloc_properties_t>,
        waits: &[&Object<Event>],
        event: &mut Slot<Event>,
    ) -> Result<*mut c_void> {
        let (kind, ties) = (UR_USM_TYPE_HOST, Ties { waits, event });
        usm_alloc::allocate(queue, pool, kind, size, properties, ties)
    }

    unsafe fn enqueue_usm_free_exp(
        queue: &Object<Queue>,
        _: Option<&Object<UsmPool>>,
        mem: *mut c_void,
        waits: &[&Object<Event>],
        event: &mut Slot<Event>,
    ) -> Result {
        usm_alloc::free(queue, mem, Ties { waits, event })
    }

    unsafe fn enqueue_host_task_exp(
        queue: &Object<Queue>,
        host_task: ur_exp_host_task_function_t,
        data: *mut c_void,
        properties: Option<&ur_exp_host_task_properties_t>,
        waits: &[&Object<Event>],
        event: &mut Slot<Event>,
    ) -> Result {
        if properties.is_some_and(|p| p.flags & UR_EXP_HOST_TASK_FLAGS_MASK != 0) {
            return Err(Error::code(UR_RESULT_ERROR_INVALID_ENUMERATION));
        }
        let function = host_task.ok_or(UR_RESULT_ERROR_INVALID_NULL_POINTER)?;
        // SAFETY: the program gives the function for this.
        unsafe { host_task::enqueue(queue, function, data, Ties { waits, event }) }
    }

    unsafe fn enqueue_native_command_exp(
        queue: &Object<Queue>,
        native_enqueue: ur_exp_enqueue_native_command_function_t,
        data: *mut c_void,
        _: &[&Object<Mem>],
        properties: Option<&ur_exp_enqueue_native_command_properties_t>,
        waits: &[&Object<Event>],
        event: &mut Slot<Event>,
    ) -> Result {
        if properties.is_some_and(|p| p.flags & UR_EXP_ENQUEUE_NATIVE_COMMAND_FLAGS_MASK != 0) {
            return Err(Error::code(UR_RESULT_ERROR_INVALID_ENUMERATION));
        }
        let function = native_enqueue.ok_or(UR_RESULT_ERROR_INVALID_NULL_POINTER)?;
        // SAFETY: the program gives the function for this.
        unsafe { native::enqueue(queue, function, data, Ties { waits, event }) }
    }
}
