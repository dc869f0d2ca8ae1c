//! Launches of kernels.

use crate::device::Device;
use crate::event::{Command, Event, submit};
use crate::kernel::Kernel;
use crate::kernel::args::Objects;
use crate::kernel::range::Range;
use crate::kernel::suggest::runs_cooperative;
use crate::queue::Queue;
use crate::ze::check;
use ur_adapter::{Error, Object, Result, Slot, chain};
use ur_api::*;

/// Whether a launch is cooperative. Clients of this release may also set three private bits among the
/// flags.
///
/// # Errors
/// `UNSUPPORTED_FEATURE` for properties that Level Zero or the device does not have.
pub fn is_cooperative(
    device: &Device,
    properties: Option<&ur_kernel_launch_ext_properties_t>,
) -> Result<bool> {
    let Some(properties) = properties else {
        return Ok(false);
    };
    for kind in [
        UR_STRUCTURE_TYPE_KERNEL_LAUNCH_CLUSTER_PROPERTY,
        UR_STRUCTURE_TYPE_KERNEL_LAUNCH_WORKGROUP_PROPERTY,
    ] {
        // SAFETY: the program passes a chain of structures of the API, which all begin like this.
        if unsafe { chain::find::<ur_base_desc_t>(properties.pNext, kind) }.is_some() {
            return Err(Error::unsupported());
        }
    }
    let asked = properties.flags & UR_KERNEL_LAUNCH_FLAG_COOPERATIVE.0 != 0;
    if asked && !runs_cooperative(device) {
        return Err(Error::new(
            UR_RESULT_ERROR_UNSUPPORTED_FEATURE,
            "work-groups of a cooperative launch",
        ));
    }
    Ok(asked)
}

/// Enqueues a kernel with its arguments.
///
/// # Errors
/// What is wrong with a size, an argument or a property, and what the driver says.
///
/// # Safety
/// Pointers and handles in the arguments are what their types say.
#[inline]
pub unsafe fn launch(
    queue: &Object<Queue>,
    kernel: &Object<Kernel>,
    range: &Range,
    args: &[ur_exp_kernel_arg_properties_t],
    properties: Option<&ur_kernel_launch_ext_properties_t>,
    waits: &[&Object<Event>],
    event: &mut Slot<Event>,
) -> Result {
    let cooperative = is_cooperative(queue.device(), properties)?;
    let code = kernel.for_queue(queue)?;
    // SAFETY: forwarded.
    let mut objects = unsafe { Objects::of(queue.device(), args) }?;
    let keep = (code.clone(), objects.keep());
    let command = Command::new(UR_COMMAND_KERNEL_LAUNCH, waits);
    submit(queue, &command, event, keep, |call| {
        let append = match cooperative {
            true => call.api.zeCommandListAppendLaunchCooperativeKernel,
            false => call.api.zeCommandListAppendLaunchKernel,
        };
        // SAFETY: forwarded.
        unsafe {
            code.with_args(args, &objects, |held| {
                let groups = held.groups(range)?;
                held.set_group(groups.size)?;
                held.set_offset(groups.offset)?;
                // SAFETY: a list that `submit` has for itself, a live kernel that is this thread's,
                // and live events.
                check(append(
                    call.list,
                    code.native(),
                    &raw const groups.count,
                    call.signal,
                    call.count,
                    call.waits,
                ))
            })
        }
    })
}
