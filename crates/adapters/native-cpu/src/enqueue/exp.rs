//! Enqueues of experimental features.

use super::call::Call;
use super::kernel;
use super::work::HostTask;
use crate::NativeCpu;
use crate::command::Lane;
use crate::command_buffer::{self, CommandBuffer};
use crate::event::Event;
use crate::graph::{self, ExecutableGraph};
use crate::kernel::Kernel;
use crate::launch::Ready;
use crate::order::{Kind, Submission};
use crate::queue::Queue;
use crate::usm::async_alloc;
use crate::usm::pool::UsmPool;
use std::ffi::c_void;
use ur_adapter::{EnqueueExpFns, Error, Object, Result, Slot};
use ur_api::*;

impl EnqueueExpFns for NativeCpu {
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
        let range = kernel::Range {
            work_dim,
            offset: global_work_offset,
            global: global_work_size,
            local: local_work_size,
        };
        let mut ready = Ready::none();
        // SAFETY: the program passes arrays and arguments as the API says.
        let compiled = unsafe {
            let device = queue.device();
            kernel::prepare(&mut ready, kernel, device, &range, args, launch_prop_list)
        }?;
        let kind = UR_COMMAND_KERNEL_LAUNCH;
        Call::new(queue, event_wait_list, event, kind).launch(kernel, compiled, &mut ready)
    }

    fn enqueue_timestamp_recording_exp(
        queue: &Object<Queue>,
        blocking: bool,
        event_wait_list: &[&Object<Event>],
        event: &mut Slot<Event>,
    ) -> Result {
        graph::refuse(queue, event_wait_list)?;
        let kind = UR_COMMAND_TIMESTAMP_RECORDING_EXP;
        let submission = Submission {
            work: None,
            lane: Lane::Compute,
            // The event has its times whatever the queue records.
            profiled: true,
            inline: true,
            kind: Kind::Normal,
        };
        Call::new(queue, event_wait_list, event, kind).submit(submission, blocking)
    }

    fn enqueue_usm_device_alloc_exp(
        queue: &Object<Queue>,
        pool: Option<&Object<UsmPool>>,
        size: usize,
        properties: Option<&ur_exp_async_usm_alloc_properties_t>,
        event_wait_list: &[&Object<Event>],
        event: &mut Slot<Event>,
    ) -> Result<*mut c_void> {
        let call = Call::new(
            queue,
            event_wait_list,
            event,
            UR_COMMAND_ENQUEUE_USM_DEVICE_ALLOC_EXP,
        );
        call.allocate(pool, UR_USM_TYPE_DEVICE, size, properties)
    }

    fn enqueue_usm_shared_alloc_exp(
        queue: &Object<Queue>,
        pool: Option<&Object<UsmPool>>,
        size: usize,
        properties: Option<&ur_exp_async_usm_alloc_properties_t>,
        event_wait_list: &[&Object<Event>],
        event: &mut Slot<Event>,
    ) -> Result<*mut c_void> {
        let call = Call::new(
            queue,
            event_wait_list,
            event,
            UR_COMMAND_ENQUEUE_USM_SHARED_ALLOC_EXP,
        );
        call.allocate(pool, UR_USM_TYPE_SHARED, size, properties)
    }

    fn enqueue_usm_host_alloc_exp(
        queue: &Object<Queue>,
        pool: Option<&Object<UsmPool>>,
        size: usize,
        properties: Option<&ur_exp_async_usm_alloc_properties_t>,
        event_wait_list: &[&Object<Event>],
        event: &mut Slot<Event>,
    ) -> Result<*mut c_void> {
        let call = Call::new(
            queue,
            event_wait_list,
            event,
            UR_COMMAND_ENQUEUE_USM_HOST_ALLOC_EXP,
        );
        call.allocate(pool, UR_USM_TYPE_HOST, size, properties)
    }

    unsafe fn enqueue_usm_free_exp(
        queue: &Object<Queue>,
        _: Option<&Object<UsmPool>>,
        mem: *mut c_void,
        event_wait_list: &[&Object<Event>],
        event: &mut Slot<Event>,
    ) -> Result {
        graph::refuse(queue, event_wait_list)?;
        // The allocation knows its pool.
        let work = async_alloc::release(queue, mem)?;
        let kind = UR_COMMAND_ENQUEUE_USM_FREE_EXP;
        Call::new(queue, event_wait_list, event, kind).work(work, false, Lane::Compute)
    }

    fn enqueue_graph_exp(
        queue: &Object<Queue>,
        graph: &Object<ExecutableGraph>,
        event_wait_list: &[&Object<Event>],
        event: &mut Slot<Event>,
    ) -> Result {
        graph::enqueue(queue, graph, event_wait_list, event)
    }

    fn enqueue_command_buffer_exp(
        queue: &Object<Queue>,
        command_buffer: &Object<CommandBuffer>,
        event_wait_list: &[&Object<Event>],
        event: &mut Slot<Event>,
    ) -> Result {
        command_buffer::enqueue(queue, command_buffer, event_wait_list, event)
    }

    unsafe fn enqueue_host_task_exp(
        queue: &Object<Queue>,
        host_task: ur_exp_host_task_function_t,
        data: *mut c_void,
        properties: Option<&ur_exp_host_task_properties_t>,
        event_wait_list: &[&Object<Event>],
        event: &mut Slot<Event>,
    ) -> Result {
        if properties.is_some_and(|p| p.flags & UR_EXP_HOST_TASK_FLAGS_MASK != 0) {
            return Err(Error::code(UR_RESULT_ERROR_INVALID_ENUMERATION));
        }
        let function =
            host_task.ok_or_else(|| Error::code(UR_RESULT_ERROR_INVALID_NULL_POINTER))?;
        let work = HostTask::prepare(function, data);
        Call::new(queue, event_wait_list, event, UR_COMMAND_HOST_TASK_EXP).work(
            work,
            false,
            Lane::Host,
        )
    }
}
