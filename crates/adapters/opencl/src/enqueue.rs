//! Enqueueing of commands.

use crate::OpenCl;
use crate::event::Event;
use crate::kernel::Kernel;
use crate::launch;
use crate::queue::Queue;
use ur_adapter::{EnqueueExpFns, EnqueueFns, Object, Result, Slot};
use ur_api::*;

impl EnqueueFns for OpenCl {}

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
}
