//! Queues.

use crate::call::{Raw, call, call_of, code, made, tell, wait};
use crate::cl::*;
use crate::world::{Body, Kind, World};
use std::ffi::c_void;

/// A queue.
#[derive(Clone, Debug)]
pub struct Queue {
    /// Its context.
    pub context: usize,
    /// Its device.
    pub device: usize,
    /// What it is like, by OpenCL's flags.
    pub properties: cl_bitfield,
}

impl Queue {
    /// Whether each command waits for the one before.
    pub fn is_in_order(&self) -> bool {
        self.properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE == 0
    }
}

fn create(
    world: &mut World,
    context: cl_context,
    device: cl_device_id,
    properties: cl_bitfield,
) -> Result<usize, cl_int> {
    let (context, device) = (context.to_native(), device.to_native());
    let platform = world.platform_of(context, Kind::Context)?;
    if world.platform_of(device, Kind::Device)? != platform {
        return Err(CL_INVALID_DEVICE);
    }
    let queue = Queue {
        context,
        device,
        properties,
    };
    Ok(world.add(platform, Body::Queue(queue), vec![context, device]))
}

/// Makes a queue.
pub unsafe extern "C" fn clCreateCommandQueue(
    context: cl_context,
    device: cl_device_id,
    properties: cl_bitfield,
    place: *mut cl_int,
) -> cl_command_queue {
    let result = call("clCreateCommandQueue", |world| {
        create(world, context, device, properties)
    });
    // SAFETY: as the caller says.
    unsafe { made(place, result, cl_command_queue::from_native) }
}

/// What a list of properties has under a name, 0 if it has not.
///
/// # Safety
/// `list` is null or a list of pairs that ends with zero.
pub unsafe fn property(mut list: *const cl_properties64, wanted: cl_properties64) -> u64 {
    let mut found = 0;
    // SAFETY: the caller passes null or a list of pairs that ends with zero.
    while let Some(&name) = unsafe { list.as_ref() }.filter(|name| **name != 0) {
        if name == wanted {
            // SAFETY: as above.
            found = unsafe { *list.add(1) };
        }
        // SAFETY: as above.
        list = unsafe { list.add(2) };
    }
    found
}

/// The flags of a queue.
unsafe fn flags(list: *const cl_properties64) -> cl_bitfield {
    // SAFETY: as the caller says.
    unsafe { property(list, CL_QUEUE_PROPERTIES.into()) }
}

/// Makes a queue.
pub unsafe extern "C" fn clCreateCommandQueueWithProperties(
    context: cl_context,
    device: cl_device_id,
    list: *const cl_properties64,
    place: *mut cl_int,
) -> cl_command_queue {
    let result = call("clCreateCommandQueueWithProperties", |world| {
        // SAFETY: as the caller says.
        create(world, context, device, unsafe { flags(list) })
    });
    // SAFETY: as the caller says.
    unsafe { made(place, result, cl_command_queue::from_native) }
}

/// Makes a queue on a platform before 2.0.
pub unsafe extern "C" fn clCreateCommandQueueWithPropertiesKHR<const P: usize>(
    context: cl_context,
    device: cl_device_id,
    list: *const cl_properties64,
    place: *mut cl_int,
) -> cl_command_queue {
    let name = "clCreateCommandQueueWithPropertiesKHR";
    let result = call_of(P, name, (context.to_native(), Kind::Context), |world| {
        // SAFETY: as the caller says.
        create(world, context, device, unsafe { flags(list) })
    });
    // SAFETY: as the caller says.
    unsafe { made(place, result, cl_command_queue::from_native) }
}

/// Answers a question about a queue.
pub unsafe extern "C" fn clGetCommandQueueInfo(
    queue: cl_command_queue,
    name: cl_uint,
    size: usize,
    value: *mut c_void,
    told: *mut usize,
) -> cl_int {
    code(call("clGetCommandQueueInfo", |world| {
        let queue = world.queue(queue.to_native())?;
        let answer = match name {
            CL_QUEUE_CONTEXT => queue.context.raw(),
            CL_QUEUE_DEVICE => queue.device.raw(),
            CL_QUEUE_PROPERTIES => queue.properties.raw(),
            _ => return Err(CL_INVALID_VALUE),
        };
        // SAFETY: as the caller says.
        unsafe { tell(&answer, size, value, told) }
    }))
}

/// Adds a reference.
pub unsafe extern "C" fn clRetainCommandQueue(queue: cl_command_queue) -> cl_int {
    code(call("clRetainCommandQueue", |world| {
        world.retain(queue.to_native(), Kind::Queue)
    }))
}

/// Gives a reference up; what was enqueued is flushed.
pub unsafe extern "C" fn clReleaseCommandQueue(queue: cl_command_queue) -> cl_int {
    code(call("clReleaseCommandQueue", |world| {
        world.queue(queue.to_native())?;
        world.flush(queue.to_native());
        world.release(queue.to_native(), Kind::Queue)
    }))
}

/// Lets commands begin.
pub unsafe extern "C" fn clFlush(queue: cl_command_queue) -> cl_int {
    code(call("clFlush", |world| {
        world.queue(queue.to_native())?;
        world.flush(queue.to_native());
        Ok(())
    }))
}

/// Waits for all commands.
pub unsafe extern "C" fn clFinish(queue: cl_command_queue) -> cl_int {
    let flushed = call("clFinish", |world| {
        world.queue(queue.to_native())?;
        world.flush(queue.to_native());
        Ok(())
    });
    code(flushed.and_then(|()| {
        wait("clFinish", |world| {
            world.is_idle(queue.to_native()).then_some(Ok(()))
        })
    }))
}
