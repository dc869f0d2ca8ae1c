//! Sequences of calls that release what they made, wherever they end.

use crate::support::*;
use crate::ur;
use std::ffi::c_void;
use std::ptr::{null, null_mut};
use ur_api::*;

const OUT_OF_ORDER: u32 = UR_QUEUE_FLAG_OUT_OF_ORDER_EXEC_MODE_ENABLE.0;

pub fn contexts_and_queues() -> Result {
    let context = Context::new()?;
    for flags in [0, OUT_OF_ORDER, UR_QUEUE_FLAG_PRIORITY_LOW.0] {
        let queue = context.queue(flags)?;
        drop(queue.marker(&[])?);
        ur!(Queue.pfnFlush(queue.0))?;
        let mut empty: ur_bool_t = Default::default();
        let (size, place) = (size_of_val(&empty), (&raw mut empty).cast());
        ur!(Queue.pfnGetInfo(queue.0, UR_QUEUE_INFO_EMPTY, size, place, null_mut()))?;
        queue.finish()?;
    }
    Ok(())
}

/// The halves of the first device.
fn halves() -> Result<Vec<Device>> {
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
    Ok(raw.map(Device).into())
}

pub fn sub_devices() -> Result {
    let parts = halves()?;
    let context = Context::of(&[parts[0].0, parts[1].0])?;
    let queue = context.queue_on(parts[1].0, 0)?;
    drop(parts);
    let mut device: ur_device_handle_t = null_mut();
    let size = size_of_val(&device);
    let place = (&raw mut device).cast();
    ur!(Queue.pfnGetInfo(queue.0, UR_QUEUE_INFO_DEVICE, size, place, null_mut()))?;
    let mut native = 0;
    ur!(Device.pfnGetNativeHandle(device, &mut native))?;
    let mut again = null_mut();
    ur!(Device.pfnCreateWithNativeHandle(native, adapter(), null(), &mut again))?;
    drop(Device(again));
    queue.finish()
}

pub fn memory() -> Result {
    let context = Context::new()?;
    let buffer = context.buffer(4096)?;
    let region = ur_buffer_region_t {
        stype: UR_STRUCTURE_TYPE_BUFFER_REGION,
        origin: 1024,
        size: 64,
        ..Default::default()
    };
    let mut raw = null_mut();
    let kind = UR_BUFFER_CREATE_TYPE_REGION;
    ur!(Mem.pfnBufferPartition(buffer.0, 0, kind, &region, &mut raw))?;
    let part = Mem(raw);
    // A part keeps its buffer, and all keep the context.
    drop(buffer);
    let image = context.image()?;
    let sampler = context.sampler()?;
    drop(context);
    let mut pitch = 0usize;
    let place = (&raw mut pitch).cast();
    ur!(Mem.pfnImageGetInfo(image.0, UR_IMAGE_INFO_ROW_PITCH, 8, place, null_mut()))?;
    drop((part, sampler));
    Ok(())
}

/// Goes on only after this error.
fn expect_refusal(outcome: Result, code: ur_result_t) -> Result {
    match outcome {
        Err(found) if found == code => Ok(()),
        Err(other) => Err(other),
        Ok(()) => panic!("nothing was refused"),
    }
}

pub fn programs() -> Result {
    let context = Context::new()?;
    let (one, other) = (
        context.program(KERNELS)?,
        context.program(b"kernels more/1")?,
    );
    for program in [&one, &other] {
        ur!(Program.pfnCompile(context.0, program.0, null()))?;
    }
    let mut raw = null_mut();
    let both = [one.0, other.0];
    ur!(Program.pfnLink(context.0, 2, both.as_ptr(), null(), &mut raw))?;
    let linked = Program(raw);
    drop((one, other));
    drop(linked.kernel(c"more")?);

    // One that does not link and one that does not build.
    let unbuilt = context.program(KERNELS)?;
    let mut raw = null_mut();
    let refused = ur!(Program.pfnLink(context.0, 1, &unbuilt.0, null(), &mut raw));
    assert!(raw.is_null());
    expect_refusal(refused, UR_RESULT_ERROR_INVALID_OPERATION)?;
    let broken = context.program(b"kernels broken")?;
    let refused = ur!(Program.pfnBuild(context.0, broken.0, null()));
    expect_refusal(refused, UR_RESULT_ERROR_PROGRAM_BUILD_FAILURE)?;

    let binary = context.program_of_binary(KERNELS)?;
    let mut count = 0usize;
    let place = (&raw mut count).cast();
    ur!(Program.pfnGetInfo(binary.0, UR_PROGRAM_INFO_NUM_KERNELS, 8, place, null_mut()))?;
    assert_eq!(count, 3);
    Ok(())
}

pub fn kernels() -> Result {
    let context = Context::new()?;
    let kernel = context.built()?.kernel(c"copy")?;
    let yes: ur_bool_t = true as _;
    let (name, size) = (UR_KERNEL_EXEC_INFO_USM_INDIRECT_ACCESS, size_of_val(&yes));
    let value = (&raw const yes).cast();
    ur!(Kernel.pfnSetExecInfo(kernel.0, name, size, null(), value))?;
    let mut size = 0usize;
    let place = (&raw mut size).cast();
    let name = UR_KERNEL_GROUP_INFO_WORK_GROUP_SIZE;
    ur!(Kernel.pfnGetGroupInfo(kernel.0, device(), name, 8, place, null_mut()))?;
    let mut number = 0u32;
    let place = (&raw mut number).cast();
    let name = UR_KERNEL_SUB_GROUP_INFO_MAX_SUB_GROUP_SIZE;
    ur!(Kernel.pfnGetSubGroupInfo(kernel.0, device(), name, 4, place, null_mut()))?;
    let queue = context.queue(0)?;
    let (mem, sampler) = (context.buffer(64)?, context.sampler()?);
    let args = [Arg::Mem(&mem), Arg::Sampler(&sampler), Arg::Local(8)];
    drop(queue.launch(&kernel, &args, true)?);
    queue.launch(&kernel, &args, false)?;
    queue.finish()
}

pub fn kernels_on_usm() -> Result {
    let context = Context::new()?;
    let kernel = context.built()?.kernel(c"fill")?;
    let queue = context.queue(0)?;
    let (one, other) = (context.usm(Kind::Host, 64)?, context.usm(Kind::Shared, 64)?);
    let yes: ur_bool_t = true as _;
    let (name, size) = (UR_KERNEL_EXEC_INFO_USM_INDIRECT_ACCESS, size_of_val(&yes));
    let value = (&raw const yes).cast();
    ur!(Kernel.pfnSetExecInfo(kernel.0, name, size, null(), value))?;
    let args = [Arg::Pointer(one.address), Arg::Pointer(other.address)];
    queue.launch(&kernel, &args, false)?;
    drop(other);
    let args = [Arg::Pointer(one.address), Arg::Value(&[1])];
    drop(queue.launch(&kernel, &args, true)?);
    queue.finish()
}

/// Counts calls.
unsafe extern "C" fn count(_: ur_event_handle_t, _: ur_execution_info_t, calls: *mut c_void) {
    // SAFETY: the counter lives as long as the process.
    unsafe { &*calls.cast::<std::sync::atomic::AtomicU32>() }
        .fetch_add(1, std::sync::atomic::Ordering::SeqCst);
}

pub fn events() -> Result {
    static CALLS: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
    let context = Context::new()?;
    let (one, other) = (
        context.queue(UR_QUEUE_FLAG_PROFILING_ENABLE.0)?,
        context.queue(OUT_OF_ORDER)?,
    );
    let first = one.marker(&[])?;
    let second = other.marker(&[&first])?;
    // More than fit without an allocation.
    let many: Vec<_> = (0..10).map(|_| other.marker(&[])).collect::<Result<_>>()?;
    let third = one.marker(&many.iter().collect::<Vec<_>>())?;
    let data = (&raw const CALLS).cast_mut().cast();
    let status = UR_EXECUTION_INFO_COMPLETE;
    ur!(Event.pfnSetCallback(second.0, status, Some(count), data))?;
    let all = list(&[&first, &second, &third]);
    ur!(Event.pfnWait(3, all.as_ptr()))?;
    first.status()?;
    let mut time = 0u64;
    let place = (&raw mut time).cast();
    let name = UR_PROFILING_INFO_COMMAND_END;
    ur!(Event.pfnGetProfilingInfo(first.0, name, 8, place, null_mut()))?;
    let mut raw = null_mut();
    ur!(Enqueue.pfnEventsWaitWithBarrier(other.0, 0, null(), &mut raw))?;
    drop(Event(raw));
    Ok(())
}

pub fn reusable_events() -> Result {
    let context = Context::new()?;
    let queue = context.queue(0)?;
    let desc = ur_exp_event_desc_t {
        stype: UR_STRUCTURE_TYPE_EXP_EVENT_DESC,
        ..Default::default()
    };
    let mut raw = null_mut();
    ur!(EventExp.pfnCreateExp(context.0, device(), &desc, &mut raw))?;
    let event = Event(raw);
    for _ in 0..3 {
        let mut place = event.0;
        let waits = &raw const event.0;
        ur!(Enqueue.pfnEventsWaitWithBarrierExt(queue.0, null(), 1, waits, &mut place))?;
        assert_eq!(place, event.0);
        event.wait()?;
    }
    queue.finish()
}

/// The number of events to wait for, the list, and the place for the event of a command.
macro_rules! ties {
    ($waits:expr, $place:expr) => {
        ($waits.len() as u32, start(&$waits), &raw mut $place)
    };
}

pub fn buffer_commands() -> Result {
    let context = Context::new()?;
    let queue = context.queue(OUT_OF_ORDER)?;
    let (one, other) = (context.buffer(64)?, context.buffer(64)?);
    let before = queue.marker(&[])?;
    let waits = [before.0];
    let mut bytes = [0u8; 64];
    queue.read(&one, &mut bytes, true)?;
    let host = bytes.as_mut_ptr().cast::<c_void>();
    let mut made = Vec::new();
    let mut add = |outcome: Result, raw: ur_event_handle_t| outcome.map(|()| made.push(Event(raw)));
    let mut raw = null_mut();
    let (count, list, event) = ties!(waits, raw);
    let (from, to) = (one.0, other.0);
    let write =
        ur!(Enqueue.pfnMemBufferWrite(queue.0, from, false, 0, 64, host, count, list, event));
    add(write, raw)?;
    let copy = ur!(Enqueue.pfnMemBufferCopy(queue.0, from, to, 0, 0, 64, count, list, event));
    add(copy, raw)?;
    let fill = ur!(Enqueue.pfnMemBufferFill(queue.0, from, host, 4, 0, 64, count, list, event));
    add(fill, raw)?;
    let origin = ur_rect_offset_t::default();
    let region = ur_rect_region_t {
        width: 4,
        height: 4,
        depth: 1,
    };
    let copy = ur!(Enqueue.pfnMemBufferCopyRect(
        queue.0, from, to, origin, origin, region, 8, 32, 8, 32, count, list, event
    ));
    add(copy, raw)?;
    let read = ur!(Enqueue.pfnMemBufferReadRect(
        queue.0, from, true, origin, origin, region, 8, 32, 8, 32, host, count, list, event
    ));
    add(read, raw)?;
    let mut mapped = null_mut();
    let flags = UR_MAP_FLAG_READ.0;
    let map = ur!(Enqueue.pfnMemBufferMap(
        queue.0,
        from,
        true,
        flags,
        0,
        64,
        count,
        list,
        event,
        &mut mapped
    ));
    add(map, raw)?;
    let unmap = ur!(Enqueue.pfnMemUnmap(queue.0, from, mapped, count, list, event));
    add(unmap, raw)?;
    queue.finish()
}

pub fn image_commands() -> Result {
    let context = Context::new()?;
    let queue = context.queue(0)?;
    let (one, other) = (context.image()?, context.image()?);
    let mut bytes = [0u8; 64];
    let host = bytes.as_mut_ptr().cast::<c_void>();
    let origin = ur_rect_offset_t::default();
    let region = ur_rect_region_t {
        width: 4,
        height: 4,
        depth: 1,
    };
    let mut raw = null_mut();
    let none: [ur_event_handle_t; 0] = [];
    let (count, list, event) = ties!(none, raw);
    ur!(Enqueue.pfnMemImageWrite(
        queue.0, one.0, false, origin, region, 16, 0, host, count, list, event
    ))?;
    drop(Event(raw));
    ur!(Enqueue.pfnMemImageCopy(
        queue.0, one.0, other.0, origin, origin, region, count, list, event
    ))?;
    drop(Event(raw));
    ur!(Enqueue.pfnMemImageRead(
        queue.0, other.0, true, origin, region, 16, 0, host, count, list, event
    ))?;
    drop(Event(raw));
    queue.finish()
}

pub fn usm() -> Result {
    let context = Context::new()?;
    for kind in [Kind::Host, Kind::Device, Kind::Shared] {
        let memory = context.usm(kind, 100)?;
        for name in [
            UR_USM_ALLOC_INFO_TYPE,
            UR_USM_ALLOC_INFO_BASE_PTR,
            UR_USM_ALLOC_INFO_SIZE,
            UR_USM_ALLOC_INFO_DEVICE,
        ] {
            let mut answer = [0u8; 8];
            let place = answer.as_mut_ptr().cast();
            let none = null_mut();
            ur!(USM.pfnGetMemAllocInfo(context.0, memory.address, name, 8, place, none))?;
        }
    }
    Ok(())
}

pub fn usm_commands() -> Result {
    let context = Context::new()?;
    let (one, other) = (context.usm(Kind::Device, 96)?, context.usm(Kind::Host, 96)?);
    let queue = context.queue(0)?;
    let (to, from) = (one.address, other.address);
    let before = queue.marker(&[])?;
    let waits = [before.0];
    let mut raw = null_mut();
    let (count, list, event) = ties!(waits, raw);
    let none = null_mut();
    ur!(Enqueue.pfnUSMMemcpy(queue.0, true, to, from, 96, count, list, none))?;
    ur!(Enqueue.pfnUSMMemcpy(queue.0, false, to, from, 96, count, list, event))?;
    drop(Event(raw));
    // A pattern of the driver's, and one that it has not.
    for size in [4, 3] {
        let pattern = from.cast_const();
        ur!(Enqueue.pfnUSMFill(queue.0, to, size, pattern, 96, count, list, event))?;
        drop(Event(raw));
        ur!(Enqueue.pfnUSMFill(queue.0, to, size, pattern, 96, 0, null(), none))?;
    }
    ur!(Enqueue.pfnUSMPrefetch(queue.0, to, 96, 0, count, list, event))?;
    drop(Event(raw));
    ur!(Enqueue.pfnUSMAdvise(queue.0, to, 96, 0, event))?;
    drop(Event(raw));
    queue.finish()
}

pub fn rows() -> Result {
    let context = Context::new()?;
    let (one, other) = (context.usm(Kind::Device, 96)?, context.usm(Kind::Host, 96)?);
    let (to, from) = (one.address, other.address);
    for flags in [0, OUT_OF_ORDER] {
        let queue = context.queue(flags)?;
        let before = queue.marker(&[])?;
        let waits = [before.0];
        let mut raw = null_mut();
        let (count, list, event) = ties!(waits, raw);
        for blocking in [false, true] {
            ur!(Enqueue.pfnUSMMemcpy2D(
                queue.0, blocking, to, 16, from, 32, 8, 3, count, list, event
            ))?;
            drop(Event(raw));
        }
        let pattern = from.cast_const();
        ur!(Enqueue.pfnUSMFill2D(queue.0, to, 16, 4, pattern, 8, 3, count, list, event))?;
        drop(Event(raw));
        queue.finish()?;
    }
    Ok(())
}

pub fn native_handles() -> Result {
    let context = Context::new()?;
    let queue = context.queue(0)?;
    let (mem, image, sampler) = (context.buffer(64)?, context.image()?, context.sampler()?);
    let program = context.built()?;
    let kernel = program.kernel(c"copy")?;
    let event = queue.marker(&[])?;

    let mut native = 0;
    let mut raw = null_mut();
    let of = context.native()?;
    ur!(Context.pfnCreateWithNativeHandle(of, adapter(), 0, null(), null(), &mut raw))?;
    drop(Context(raw));

    ur!(Queue.pfnGetNativeHandle(queue.0, null_mut(), &mut native))?;
    let mut raw = null_mut();
    ur!(Queue.pfnCreateWithNativeHandle(native, context.0, null_mut(), null(), &mut raw))?;
    let again = Queue(raw);
    again.finish()?;

    ur!(Mem.pfnGetNativeHandle(mem.0, device(), &mut native))?;
    let mut raw = null_mut();
    ur!(Mem.pfnBufferCreateWithNativeHandle(native, context.0, null(), &mut raw))?;
    drop(Mem(raw));

    ur!(Mem.pfnGetNativeHandle(image.0, device(), &mut native))?;
    let (format, desc) = (ur_image_format_t::default(), ur_image_desc_t::default());
    let mut raw = null_mut();
    ur!(Mem.pfnImageCreateWithNativeHandle(native, context.0, &format, &desc, null(), &mut raw))?;
    drop(Mem(raw));

    ur!(Sampler.pfnGetNativeHandle(sampler.0, &mut native))?;
    let mut raw = null_mut();
    ur!(Sampler.pfnCreateWithNativeHandle(native, context.0, null(), &mut raw))?;
    drop(Sampler(raw));

    ur!(Program.pfnGetNativeHandle(program.0, &mut native))?;
    let mut raw = null_mut();
    ur!(Program.pfnCreateWithNativeHandle(native, context.0, null(), &mut raw))?;
    drop(Program(raw));

    // With its program, and without.
    ur!(Kernel.pfnGetNativeHandle(kernel.0, &mut native))?;
    for of in [program.0, null_mut()] {
        let mut raw = null_mut();
        ur!(Kernel.pfnCreateWithNativeHandle(native, context.0, of, null(), &mut raw))?;
        drop(Kernel(raw));
    }

    // One that stays the program's, and one that is given away.
    ur!(Event.pfnGetNativeHandle(event.0, &mut native))?;
    let mut raw = null_mut();
    ur!(Event.pfnCreateWithNativeHandle(native, context.0, null(), &mut raw))?;
    drop(Event(raw));
    let (user, _) = context.user_event()?;
    drop(user);
    queue.finish()
}
