//! Launches of kernels.

use crate::cl;
use crate::device::Device;
use crate::event::{Event, submit};
use crate::kernel::Kernel;
use crate::queue::Queue;
use ur_adapter::{Error, Object, Result, Slot, chain};
use ur_api::*;

/// Sizes of a launch as the caller passes them.
#[derive(Clone, Copy, Debug)]
pub struct Range {
    /// Number of dimensions.
    pub work_dim: u32,
    /// Global offset, may be null.
    pub offset: *const usize,
    /// Global size.
    pub global: *const usize,
    /// Work-group size, may be null.
    pub local: *const usize,
}

impl Range {
    /// Looks at what OpenCL permits, or not every driver refuses, and the API does not permit.
    ///
    /// # Errors
    /// `INVALID_WORK_DIMENSION` for a number of dimensions or a global size, `INVALID_WORK_GROUP_SIZE`
    /// for a work-group without work-items, `INVALID_VALUE` for sizes that overflow.
    ///
    /// # Safety
    /// The arrays have as many elements as there are dimensions.
    #[inline]
    pub unsafe fn check(&self) -> Result {
        if !(1..=3).contains(&self.work_dim) {
            return Err(Error::code(UR_RESULT_ERROR_INVALID_WORK_DIMENSION));
        }
        for dimension in 0..self.work_dim as usize {
            // SAFETY: as the caller says.
            let global = unsafe { *self.global.add(dimension) };
            if global == 0 {
                return Err(Error::code(UR_RESULT_ERROR_INVALID_WORK_DIMENSION));
            }
            // SAFETY: as the caller says.
            if !self.local.is_null() && unsafe { *self.local.add(dimension) } == 0 {
                return Err(Error::code(UR_RESULT_ERROR_INVALID_WORK_GROUP_SIZE));
            }
            if !self.offset.is_null() {
                // SAFETY: as the caller says.
                let offset = unsafe { *self.offset.add(dimension) };
                if offset.checked_add(global).is_none() {
                    return Err(Error::value("global offset and size overflow"));
                }
            }
        }
        Ok(())
    }

    /// Looks at what a driver finds only when it launches: whether a device can have work-groups of
    /// this size.
    ///
    /// # Errors
    /// `INVALID_WORK_ITEM_SIZE`, `INVALID_WORK_GROUP_SIZE`.
    ///
    /// # Safety
    /// As for [`Self::check`], which must have succeeded.
    pub unsafe fn check_groups(&self, device: &Device) -> Result {
        if self.local.is_null() {
            return Ok(());
        }
        // SAFETY: as the caller says.
        let local = unsafe { std::slice::from_raw_parts(self.local, self.work_dim as usize) };
        device.facts().groups.expect(local)
    }
}

/// Refuses properties that OpenCL does not have; clients of this release may also set three private
/// bits among the flags.
///
/// # Errors
/// `UNSUPPORTED_FEATURE`.
pub fn check_properties(properties: Option<&ur_kernel_launch_ext_properties_t>) -> Result {
    let Some(properties) = properties else {
        return Ok(());
    };
    if properties.flags & UR_KERNEL_LAUNCH_FLAG_COOPERATIVE.0 != 0 {
        return Err(Error::new(
            UR_RESULT_ERROR_UNSUPPORTED_FEATURE,
            "work-groups of a cooperative launch",
        ));
    }
    for kind in [
        UR_STRUCTURE_TYPE_KERNEL_LAUNCH_CLUSTER_PROPERTY,
        UR_STRUCTURE_TYPE_KERNEL_LAUNCH_WORKGROUP_PROPERTY,
    ] {
        // SAFETY: the program passes a chain of structures of the API, which all begin like this.
        if unsafe { chain::find::<ur_base_desc_t>(properties.pNext, kind) }.is_some() {
            return Err(Error::unsupported());
        }
    }
    Ok(())
}

/// Enqueues a kernel with its arguments.
///
/// # Errors
/// What is wrong with a size, an argument or a property, and what the driver says.
///
/// # Safety
/// The arrays of `range` have as many elements as there are dimensions; pointers and handles in the
/// arguments are what their types say.
#[inline]
pub unsafe fn launch(
    queue: &Object<Queue>,
    kernel: &Object<Kernel>,
    range: &Range,
    args: &[ur_exp_kernel_arg_properties_t],
    properties: Option<&ur_kernel_launch_ext_properties_t>,
    event_wait_list: &[&Object<Event>],
    event: &mut Slot<Event>,
) -> Result {
    check_properties(properties)?;
    // SAFETY: forwarded.
    unsafe { range.check() }?;
    let enqueue = queue.api().clEnqueueNDRangeKernel;
    let mut refused = None;
    let kind = UR_COMMAND_KERNEL_LAUNCH;
    let enqueued = submit(queue, kind, event_wait_list, event, |call| {
        let launched = |native| {
            // SAFETY: live objects; the arrays are as the caller says, and the others `submit`'s.
            unsafe {
                enqueue(
                    call.queue,
                    native,
                    range.work_dim,
                    range.offset,
                    range.global,
                    range.local,
                    call.count,
                    call.waits,
                    call.event,
                )
            }
        };
        // SAFETY: forwarded.
        match unsafe { kernel.with_args(args, launched) } {
            Ok(code) => code,
            Err(error) => {
                refused = Some(error);
                cl::CL_INVALID_KERNEL_ARGS
            }
        }
    });
    match refused {
        Some(error) => Err(error),
        None => enqueued,
    }
}
