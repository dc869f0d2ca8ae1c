//! Calls of the API, each with the function of OpenCL that it stands and falls with.

use crate::support::*;
use crate::ur;
use std::ffi::c_void;
use std::ptr::{null, null_mut};
use ur_api::*;

/// A call.
pub struct Call {
    /// OpenCL's function.
    pub name: &'static str,
    /// The call; what it makes is released.
    pub make: fn(&Objects) -> Result,
    /// Errors that mean something else here than elsewhere.
    pub others: &'static [(i32, ur_result_t)],
}

/// What the calls need.
pub struct Objects {
    pub context: &'static Context,
    pub queue: Queue,
    buffer: Mem,
    image: Mem,
    program: Program,
    kernel: Kernel,
    event: Event,
    device: Usm<'static>,
    host: Usm<'static>,
}

impl Objects {
    pub fn new() -> Result<Self> {
        // As the process ends, so does the context.
        let context: &'static Context = Box::leak(Box::new(Context::new()?));
        let queue = context.queue(UR_QUEUE_FLAG_PROFILING_ENABLE.0)?;
        let program = context.built()?;
        Ok(Self {
            buffer: context.buffer(4096)?,
            image: context.image()?,
            kernel: program.kernel(c"copy")?,
            event: queue.marker(&[])?,
            device: context.usm(Kind::Device, 64)?,
            host: context.usm(Kind::Host, 64)?,
            program,
            queue,
            context,
        })
    }

    fn launch(&self, args: &[Arg<'_>]) -> Result {
        self.queue.launch(&self.kernel, args, false).map(drop)
    }
}

const ORIGIN: ur_rect_offset_t = ur_rect_offset_t { x: 0, y: 0, z: 0 };
const REGION: ur_rect_region_t = ur_rect_region_t {
    width: 4,
    height: 4,
    depth: 1,
};
const PARTITION: &[(i32, ur_result_t)] = &[(-30, UR_RESULT_ERROR_DEVICE_PARTITION_FAILED)];
const BINARY: &[(i32, ur_result_t)] = &[
    (-30, UR_RESULT_ERROR_INVALID_NATIVE_BINARY),
    (-42, UR_RESULT_ERROR_INVALID_NATIVE_BINARY),
];
const ARGUMENT: &[(i32, ur_result_t)] = &[(-50, UR_RESULT_ERROR_INVALID_VALUE)];
const ALLOCATION: &[(i32, ur_result_t)] = &[(-61, UR_RESULT_ERROR_INVALID_USM_SIZE)];

/// Enqueues without events.
macro_rules! enqueue {
    ($o:ident.$entry:ident($($arg:expr),* $(,)?)) => {
        ur!(Enqueue.$entry($o.queue.0, $($arg,)* 0, null(), null_mut()))
    };
}

macro_rules! others {
    () => {
        &[]
    };
    ($others:expr) => {
        $others
    };
}

macro_rules! calls {
    ($($name:literal $(except $others:expr)?, |$o:ident| $make:expr;)*) => {
        /// All calls.
        pub const CALLS: &[Call] = &[$(Call {
            name: $name,
            make: |$o| $make,
            others: others!($($others)?),
        },)*];
    };
}

/// Half of the device, twice.
fn split() -> Result {
    let mut property = ur_device_partition_property_t {
        r#type: UR_DEVICE_PARTITION_EQUALLY,
        ..Default::default()
    };
    property.value.equally = 2;
    let properties = ur_device_partition_properties_t {
        stype: UR_STRUCTURE_TYPE_DEVICE_PARTITION_PROPERTIES,
        pProperties: &raw const property,
        PropCount: 1,
        ..Default::default()
    };
    let mut raw = [null_mut(); 2];
    let place = raw.as_mut_ptr();
    ur!(Device.pfnPartition(device(), &properties, 2, place, null_mut()))?;
    drop(raw.map(Device));
    Ok(())
}

fn part(buffer: &Mem) -> Result {
    let region = ur_buffer_region_t {
        stype: UR_STRUCTURE_TYPE_BUFFER_REGION,
        origin: 0,
        size: 64,
        ..Default::default()
    };
    let mut raw = null_mut();
    let kind = UR_BUFFER_CREATE_TYPE_REGION;
    ur!(Mem.pfnBufferPartition(buffer.0, 0, kind, &region, &mut raw))?;
    drop(Mem(raw));
    Ok(())
}

fn link(context: &Context) -> Result {
    let program = context.program(KERNELS)?;
    ur!(Program.pfnCompile(context.0, program.0, null()))?;
    let mut raw = null_mut();
    ur!(Program.pfnLink(context.0, 1, &program.0, null(), &mut raw))?;
    drop(Program(raw));
    Ok(())
}

unsafe extern "C" fn nothing(_: ur_event_handle_t, _: ur_execution_info_t, _: *mut c_void) {}

/// An answer of at most eight bytes.
fn ask(call: impl Fn(usize, *mut c_void) -> Result) -> Result {
    let mut place = 0u64;
    call(8, (&raw mut place).cast())
}

fn suggest(o: &Objects) -> Result {
    let (offset, global, mut size) = (0, 64, 0);
    o.launch(&[Arg::Value(&[1]), Arg::Local(8), Arg::Mem(&o.buffer)])?;
    let (kernel, queue) = (o.kernel.0, o.queue.0);
    ur!(Kernel.pfnGetSuggestedLocalWorkSize(kernel, queue, 1, &offset, &global, &mut size))
}

fn own_event(o: &Objects) -> Result {
    let mut native = 0;
    ur!(Event.pfnGetNativeHandle(o.event.0, &mut native))?;
    let mut raw = null_mut();
    ur!(Event.pfnCreateWithNativeHandle(native, o.context.0, null(), &mut raw))?;
    drop(Event(raw));
    Ok(())
}

calls! {
    "clCreateSubDevices" except PARTITION, |_o| split();
    "clCreateContext", |_o| Context::new().map(drop);
    "clCreateCommandQueue", |o| o.context.queue(0).map(drop);
    "clCreateCommandQueueWithProperties",
        |o| o.context.queue(UR_QUEUE_FLAG_PRIORITY_LOW.0).map(drop);
    "clFlush", |o| ur!(Queue.pfnFlush(o.queue.0));
    "clFinish", |o| o.queue.finish();
    "clCreateBuffer", |o| o.context.buffer(8).map(drop);
    "clCreateSubBuffer", |o| part(&o.buffer);
    // Said where devices have images, it is about the format.
    "clCreateImage" except &[(-59, UR_RESULT_ERROR_UNSUPPORTED_IMAGE_FORMAT)], |o| o.context.image().map(drop);
    "clGetImageInfo", |o| o.context.image().map(drop);
    "clGetMemObjectInfo", |o| o.context.image().map(drop);
    "clCreateSampler", |o| o.context.sampler().map(drop);
    "clCreateProgramWithIL" except &[(-30, UR_RESULT_ERROR_INVALID_BINARY)],
        |o| o.context.program(KERNELS).map(drop);
    "clCreateProgramWithBinary" except BINARY,
        |o| o.context.program_of_binary(KERNELS).map(drop);
    "clBuildProgram", |o| o.context.built().map(drop);
    "clCompileProgram", |o| link(o.context);
    "clLinkProgram", |o| link(o.context);
    "clGetProgramInfo", |o| o.context.program(KERNELS).map(drop);
    "clGetProgramBuildInfo", |o| ask(|size, place| {
        let (name, none) = (UR_PROGRAM_BUILD_INFO_STATUS, null_mut());
        ur!(Program.pfnGetBuildInfo(o.program.0, device(), name, size, place, none))
    });
    "clCreateKernel", |o| o.program.kernel(c"fill").map(drop);
    "clGetKernelInfo", |o| o.program.kernel(c"fill").map(drop);
    "clSetKernelArg" except ARGUMENT,
        |o| o.launch(&[Arg::Value(&[1]), Arg::Local(8), Arg::Mem(&o.buffer)]);
    "clSetKernelArgMemPointerINTEL" except ARGUMENT,
        |o| o.launch(&[Arg::Pointer(o.host.address), Arg::Local(8), Arg::Local(8)]);
    "clGetKernelWorkGroupInfo", |o| ask(|size, place| {
        let (name, none) = (UR_KERNEL_GROUP_INFO_WORK_GROUP_SIZE, null_mut());
        ur!(Kernel.pfnGetGroupInfo(o.kernel.0, device(), name, size, place, none))
    });
    "clGetKernelSubGroupInfo" except &[(-59, UR_RESULT_ERROR_UNSUPPORTED_ENUMERATION)],
        |o| ask(|size, place| {
            let (name, none) = (UR_KERNEL_SUB_GROUP_INFO_MAX_NUM_SUB_GROUPS, null_mut());
            ur!(Kernel.pfnGetSubGroupInfo(o.kernel.0, device(), name, size, place, none))
        });
    "clGetKernelSuggestedLocalWorkSizeKHR" except &[(-52, UR_RESULT_ERROR_UNSUPPORTED_FEATURE)],
        |o| suggest(o);
    "clEnqueueNDRangeKernel",
        |o| o.launch(&[Arg::Value(&[1]), Arg::Local(8), Arg::Mem(&o.buffer)]);
    "clWaitForEvents", |o| o.event.wait();
    "clGetEventInfo", |o| o.event.status().map(drop);
    "clRetainEvent", |o| own_event(o);
    "clGetEventProfilingInfo", |o| ask(|size, place| {
        let (name, none) = (UR_PROFILING_INFO_COMMAND_END, null_mut());
        ur!(Event.pfnGetProfilingInfo(o.event.0, name, size, place, none))
    });
    "clSetEventCallback", |o| {
        let (status, none) = (UR_EXECUTION_INFO_COMPLETE, null_mut());
        ur!(Event.pfnSetCallback(o.event.0, status, Some(nothing), none))
    };
    "clGetDeviceAndHostTimer" except &[(-59, UR_RESULT_ERROR_UNSUPPORTED_FEATURE)], |_o| {
        let mut time = 0;
        ur!(Device.pfnGetGlobalTimestamps(device(), &mut time, null_mut()))
    };
    "clEnqueueMarkerWithWaitList", |o| o.queue.marker(&[&o.event]).map(drop);
    "clEnqueueBarrierWithWaitList", |o| enqueue!(o.pfnEventsWaitWithBarrier());
    "clEnqueueReadBuffer", |o| o.queue.read(&o.buffer, &mut [0; 8], true);
    "clEnqueueWriteBuffer",
        |o| enqueue!(o.pfnMemBufferWrite(o.buffer.0, true, 0, 8, o.host.address));
    "clEnqueueReadBufferRect", |o| enqueue!(o.pfnMemBufferReadRect(
        o.buffer.0, true, ORIGIN, ORIGIN, REGION, 8, 32, 8, 32, o.host.address,
    ));
    "clEnqueueWriteBufferRect", |o| enqueue!(o.pfnMemBufferWriteRect(
        o.buffer.0, true, ORIGIN, ORIGIN, REGION, 8, 32, 8, 32, o.host.address,
    ));
    "clEnqueueCopyBuffer",
        |o| enqueue!(o.pfnMemBufferCopy(o.buffer.0, o.buffer.0, 0, 64, 32));
    "clEnqueueCopyBufferRect", |o| enqueue!(o.pfnMemBufferCopyRect(
        o.buffer.0, o.buffer.0, ORIGIN, ur_rect_offset_t { x: 64, ..ORIGIN }, REGION, 0, 0, 0, 0,
    ));
    "clEnqueueFillBuffer",
        |o| enqueue!(o.pfnMemBufferFill(o.buffer.0, o.host.address, 4, 0, 64));
    "clEnqueueReadImage", |o| enqueue!(o.pfnMemImageRead(
        o.image.0, true, ORIGIN, REGION, 0, 0, o.host.address,
    ));
    "clEnqueueWriteImage", |o| enqueue!(o.pfnMemImageWrite(
        o.image.0, true, ORIGIN, REGION, 0, 0, o.host.address,
    ));
    "clEnqueueCopyImage", |o| {
        let other = o.context.image()?;
        enqueue!(o.pfnMemImageCopy(o.image.0, other.0, ORIGIN, ORIGIN, REGION))
    };
    "clEnqueueMapBuffer", |o| {
        let mut mapped = null_mut();
        let (flags, none) = (UR_MAP_FLAG_READ.0, null_mut());
        ur!(Enqueue.pfnMemBufferMap(
            o.queue.0, o.buffer.0, true, flags, 0, 64, 0, null(), none, &mut mapped
        ))
    };
    "clEnqueueUnmapMemObject", |o| enqueue!(o.pfnMemUnmap(o.buffer.0, o.host.address));
    "clHostMemAllocINTEL" except ALLOCATION, |o| o.context.usm(Kind::Host, 8).map(drop);
    "clDeviceMemAllocINTEL" except ALLOCATION, |o| o.context.usm(Kind::Device, 8).map(drop);
    "clSharedMemAllocINTEL" except ALLOCATION, |o| o.context.usm(Kind::Shared, 8).map(drop);
    "clEnqueueMemcpyINTEL",
        |o| enqueue!(o.pfnUSMMemcpy(true, o.device.address, o.host.address, 64));
    "clEnqueueMemFillINTEL",
        |o| enqueue!(o.pfnUSMFill(o.device.address, 4, o.host.address, 64));
    "clGetMemAllocInfoINTEL", |o| ask(|size, place| {
        let (name, none) = (UR_USM_ALLOC_INFO_SIZE, null_mut());
        ur!(USM.pfnGetMemAllocInfo(o.context.0, o.host.address, name, size, place, none))
    });
}
