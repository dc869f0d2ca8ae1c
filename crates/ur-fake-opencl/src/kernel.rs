//! Kernels, and what they were launched with.

use crate::call::{Raw, call, call_of, code, list, made, tell};
use crate::cl::*;
use crate::world::{Body, Kind, World};
use std::ffi::{CStr, c_char, c_void};

/// A kernel.
#[derive(Clone, Debug)]
pub struct Kernel {
    /// Its program.
    pub program: usize,
    /// Its context.
    pub context: usize,
    name: String,
    /// What each argument was set to: its bytes, or its size for local memory.
    args: Vec<Option<Vec<u8>>>,
}

/// A launch with what it was launched with.
#[derive(Clone, Debug)]
pub struct Launch {
    /// Global size, for each dimension.
    pub global: Vec<usize>,
    /// The bytes of each argument.
    pub args: Vec<Vec<u8>>,
}

impl Kernel {
    /// What a launch of it has now.
    ///
    /// # Errors
    /// `CL_INVALID_KERNEL_ARGS` when an argument was never set.
    pub fn launch(&self, global: Vec<usize>) -> Result<Launch, cl_int> {
        let args: Option<Vec<_>> = self.args.iter().cloned().collect();
        Ok(Launch {
            global,
            args: args.ok_or(CL_INVALID_KERNEL_ARGS)?,
        })
    }
}

/// Makes a kernel.
pub unsafe extern "C" fn clCreateKernel(
    program: cl_program,
    name: *const c_char,
    place: *mut cl_int,
) -> cl_kernel {
    let result = call("clCreateKernel", |world| {
        let program = program.to_native();
        let platform = world.platform_of(program, Kind::Program)?;
        // SAFETY: as the caller says.
        let name = unsafe { CStr::from_ptr(name) }
            .to_string_lossy()
            .into_owned();
        let of = world.program(program)?;
        let kernel = Kernel {
            program,
            context: of.context,
            args: vec![None; of.kernel(&name)? as usize],
            name,
        };
        Ok(world.add(platform, Body::Kernel(kernel), vec![program]))
    });
    // SAFETY: as the caller says.
    unsafe { made(place, result, cl_kernel::from_native) }
}

/// Makes a copy of a kernel with its arguments.
pub unsafe extern "C" fn clCloneKernel(kernel: cl_kernel, place: *mut cl_int) -> cl_kernel {
    let result = call("clCloneKernel", |world| {
        let platform = world.platform_of(kernel.to_native(), Kind::Kernel)?;
        let clone = world.kernel(kernel.to_native())?.clone();
        let program = clone.program;
        Ok(world.add(platform, Body::Kernel(clone), vec![program]))
    });
    // SAFETY: as the caller says.
    unsafe { made(place, result, cl_kernel::from_native) }
}

fn set(world: &mut World, kernel: cl_kernel, index: cl_uint, bytes: Vec<u8>) -> Result<(), cl_int> {
    let kernel = world.kernel(kernel.to_native())?;
    let place = kernel.args.get_mut(index as usize);
    *place.ok_or(CL_INVALID_ARG_INDEX)? = Some(bytes);
    Ok(())
}

/// Sets an argument; for local memory, which has no value, to its size.
pub unsafe extern "C" fn clSetKernelArg(
    kernel: cl_kernel,
    index: cl_uint,
    size: usize,
    value: *const c_void,
) -> cl_int {
    let result = call("clSetKernelArg", |world| {
        if size == 0 {
            return Err(CL_INVALID_ARG_SIZE);
        }
        let bytes = match value.is_null() {
            true => size.raw(),
            // SAFETY: as the caller says.
            false => unsafe { list(value.cast::<u8>(), size) },
        };
        set(world, kernel, index, bytes)
    });
    // Another thread that may touch the kernel, though it must not, gets its chance.
    std::thread::yield_now();
    code(result)
}

/// Sets an argument to a pointer to shared virtual memory.
pub unsafe extern "C" fn clSetKernelArgSVMPointer(
    kernel: cl_kernel,
    index: cl_uint,
    pointer: *const c_void,
) -> cl_int {
    code(call("clSetKernelArgSVMPointer", |world| {
        set(world, kernel, index, (pointer as usize).raw())
    }))
}

/// Sets an argument to a pointer to USM.
pub unsafe extern "C" fn clSetKernelArgMemPointerINTEL<const P: usize>(
    kernel: cl_kernel,
    index: cl_uint,
    pointer: *const c_void,
) -> cl_int {
    let of = (kernel.to_native(), Kind::Kernel);
    code(call_of(P, "clSetKernelArgMemPointerINTEL", of, |world| {
        set(world, kernel, index, (pointer as usize).raw())
    }))
}

/// Sets something about how the kernel runs, which changes nothing.
pub unsafe extern "C" fn clSetKernelExecInfo(
    kernel: cl_kernel,
    _: cl_uint,
    _: usize,
    _: *const c_void,
) -> cl_int {
    code(call("clSetKernelExecInfo", |world| {
        world.kernel(kernel.to_native()).map(|_| ())
    }))
}

/// Answers a question about a kernel.
pub unsafe extern "C" fn clGetKernelInfo(
    kernel: cl_kernel,
    name: cl_uint,
    size: usize,
    value: *mut c_void,
    told: *mut usize,
) -> cl_int {
    code(call("clGetKernelInfo", |world| {
        let kernel = world.kernel(kernel.to_native())?;
        let answer = match name {
            CL_KERNEL_FUNCTION_NAME => kernel.name.as_str().raw(),
            CL_KERNEL_NUM_ARGS => (kernel.args.len() as cl_uint).raw(),
            CL_KERNEL_CONTEXT => kernel.context.raw(),
            CL_KERNEL_PROGRAM => kernel.program.raw(),
            CL_KERNEL_ATTRIBUTES => "".raw(),
            _ => return Err(CL_INVALID_VALUE),
        };
        // SAFETY: as the caller says.
        unsafe { tell(&answer, size, value, told) }
    }))
}

/// Tells nothing about arguments.
pub unsafe extern "C" fn clGetKernelArgInfo(
    kernel: cl_kernel,
    _: cl_uint,
    _: cl_uint,
    _: usize,
    _: *mut c_void,
    _: *mut usize,
) -> cl_int {
    code(call("clGetKernelArgInfo", |world| {
        world.kernel(kernel.to_native())?;
        Err(CL_KERNEL_ARG_INFO_NOT_AVAILABLE)
    }))
}

/// Answers a question about a kernel on a device.
pub unsafe extern "C" fn clGetKernelWorkGroupInfo(
    kernel: cl_kernel,
    _: cl_device_id,
    name: cl_uint,
    size: usize,
    value: *mut c_void,
    told: *mut usize,
) -> cl_int {
    code(call("clGetKernelWorkGroupInfo", |world| {
        world.kernel(kernel.to_native())?;
        let answer = match name {
            CL_KERNEL_WORK_GROUP_SIZE => 64usize.raw(),
            CL_KERNEL_COMPILE_WORK_GROUP_SIZE => [0usize; 3][..].raw(),
            CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE => 8usize.raw(),
            CL_KERNEL_LOCAL_MEM_SIZE
            | CL_KERNEL_PRIVATE_MEM_SIZE
            | CL_KERNEL_SPILL_MEM_SIZE_INTEL => 0u64.raw(),
            _ => return Err(CL_INVALID_VALUE),
        };
        // SAFETY: as the caller says.
        unsafe { tell(&answer, size, value, told) }
    }))
}

/// Every question about sub-groups has the same answer.
const SUB_GROUPS: usize = 8;

/// Answers a question about sub-groups.
pub unsafe extern "C" fn clGetKernelSubGroupInfo(
    kernel: cl_kernel,
    _: cl_device_id,
    _: cl_uint,
    _: usize,
    _: *const c_void,
    size: usize,
    value: *mut c_void,
    told: *mut usize,
) -> cl_int {
    code(call("clGetKernelSubGroupInfo", |world| {
        world.kernel(kernel.to_native())?;
        // SAFETY: as the caller says.
        unsafe { tell(&SUB_GROUPS.raw(), size, value, told) }
    }))
}

/// Answers a question about sub-groups on a platform before 2.1.
pub unsafe extern "C" fn clGetKernelSubGroupInfoKHR<const P: usize>(
    kernel: cl_kernel,
    _: cl_device_id,
    _: cl_uint,
    _: usize,
    _: *const c_void,
    size: usize,
    value: *mut c_void,
    told: *mut usize,
) -> cl_int {
    let of = (kernel.to_native(), Kind::Kernel);
    code(call_of(P, "clGetKernelSubGroupInfoKHR", of, |_| {
        // SAFETY: as the caller says.
        unsafe { tell(&SUB_GROUPS.raw(), size, value, told) }
    }))
}

/// Suggests work-groups of eight, whose arguments must be set.
pub unsafe extern "C" fn clGetKernelSuggestedLocalWorkSizeKHR<const P: usize>(
    queue: cl_command_queue,
    kernel: cl_kernel,
    dimensions: cl_uint,
    _: *const usize,
    global: *const usize,
    suggested: *mut usize,
) -> cl_int {
    let name = "clGetKernelSuggestedLocalWorkSizeKHR";
    code(call_of(
        P,
        name,
        (kernel.to_native(), Kind::Kernel),
        |world| {
            world.queue(queue.to_native())?;
            // SAFETY: as the caller says.
            let global = unsafe { list(global, dimensions as usize) };
            world.kernel(kernel.to_native())?.launch(global)?;
            for dimension in 0..dimensions as usize {
                // SAFETY: the caller has room for a size of each dimension.
                unsafe {
                    suggested
                        .add(dimension)
                        .write(if dimension == 0 { 8 } else { 1 })
                };
            }
            Ok(())
        },
    ))
}

/// Adds a reference.
pub unsafe extern "C" fn clRetainKernel(kernel: cl_kernel) -> cl_int {
    code(call("clRetainKernel", |world| {
        world.retain(kernel.to_native(), Kind::Kernel)
    }))
}

/// Gives a reference up.
pub unsafe extern "C" fn clReleaseKernel(kernel: cl_kernel) -> cl_int {
    code(call("clReleaseKernel", |world| {
        world.release(kernel.to_native(), Kind::Kernel)
    }))
}
