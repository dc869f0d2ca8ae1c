//! Objects that a call cannot take: memory of the wrong kind, a device of another context.

use crate::failure::{Stop, check};
use crate::objects::{Context, Counted, Device, Memory, Queue, RGBA8, flat};
use crate::test::Suite;
use crate::world::Cx;
use crate::{Outcome, ensure, ur};
use std::ffi::c_void;
use std::ptr::{null, null_mut};
use ur_api::*;

const ORIGIN: ur_rect_offset_t = ur_rect_offset_t { x: 0, y: 0, z: 0 };
const REGION: ur_rect_region_t = ur_rect_region_t {
    width: 4,
    height: 4,
    depth: 1,
};

/// What a call with memory is given: a buffer, an image, and memory of the host.
struct Scene {
    queue: ur_queue_handle_t,
    buffer: ur_mem_handle_t,
    image: ur_mem_handle_t,
    host: *mut c_void,
}

type Call = fn(&Scene) -> ur_result_t;

/// A call with a scene's queue, the rest, and no events.
macro_rules! call {
    ($name:ident(|$scene:ident| $($arg:expr),* $(,)?)) => {
        |$scene: &Scene| ur!($name($scene.queue, $($arg,)* 0, null(), null_mut()))
    };
}

/// Calls that have an image where the API wants a buffer, or a buffer where it wants an image; with
/// two of them, the other one is right.
const WRONG: [(&str, Call); 15] = [
    (
        "urEnqueueMemBufferRead",
        call!(urEnqueueMemBufferRead(|s| s.image, true, 0, 16, s.host)),
    ),
    (
        "urEnqueueMemBufferWrite",
        call!(urEnqueueMemBufferWrite(|s| s.image, true, 0, 16, s.host)),
    ),
    (
        "urEnqueueMemBufferReadRect",
        call!(urEnqueueMemBufferReadRect(
            |s| s.image,
            true,
            ORIGIN,
            ORIGIN,
            REGION,
            4,
            16,
            4,
            16,
            s.host
        )),
    ),
    (
        "urEnqueueMemBufferWriteRect",
        call!(urEnqueueMemBufferWriteRect(
            |s| s.image,
            true,
            ORIGIN,
            ORIGIN,
            REGION,
            4,
            16,
            4,
            16,
            s.host
        )),
    ),
    (
        "urEnqueueMemBufferCopy from",
        call!(urEnqueueMemBufferCopy(|s| s.image, s.buffer, 0, 0, 16)),
    ),
    (
        "urEnqueueMemBufferCopy to",
        call!(urEnqueueMemBufferCopy(|s| s.buffer, s.image, 0, 0, 16)),
    ),
    (
        "urEnqueueMemBufferCopyRect from",
        call!(urEnqueueMemBufferCopyRect(
            |s| s.image,
            s.buffer,
            ORIGIN,
            ORIGIN,
            REGION,
            4,
            16,
            4,
            16
        )),
    ),
    (
        "urEnqueueMemBufferCopyRect to",
        call!(urEnqueueMemBufferCopyRect(
            |s| s.buffer,
            s.image,
            ORIGIN,
            ORIGIN,
            REGION,
            4,
            16,
            4,
            16
        )),
    ),
    (
        "urEnqueueMemBufferFill",
        call!(urEnqueueMemBufferFill(|s| s.image, s.host, 4, 0, 16)),
    ),
    ("urEnqueueMemBufferMap", |s| {
        let (queue, flags, mut at) = (s.queue, UR_MAP_FLAG_READ.0, null_mut());
        let (list, out) = (null(), &raw mut at);
        ur!(urEnqueueMemBufferMap(
            queue,
            s.image,
            true,
            flags,
            0,
            16,
            0,
            list,
            null_mut(),
            out
        ))
    }),
    (
        "urEnqueueMemImageRead",
        call!(urEnqueueMemImageRead(
            |s| s.buffer,
            true,
            ORIGIN,
            REGION,
            0,
            0,
            s.host
        )),
    ),
    (
        "urEnqueueMemImageWrite",
        call!(urEnqueueMemImageWrite(
            |s| s.buffer,
            true,
            ORIGIN,
            REGION,
            0,
            0,
            s.host
        )),
    ),
    (
        "urEnqueueMemImageCopy from",
        call!(urEnqueueMemImageCopy(
            |s| s.buffer,
            s.image,
            ORIGIN,
            ORIGIN,
            REGION
        )),
    ),
    (
        "urEnqueueMemImageCopy to",
        call!(urEnqueueMemImageCopy(
            |s| s.image,
            s.buffer,
            ORIGIN,
            ORIGIN,
            REGION
        )),
    ),
    ("urMemImageGetInfo", |s| {
        let (query, mut size) = (UR_IMAGE_INFO_WIDTH, 0);
        let out = &raw mut size;
        ur!(urMemImageGetInfo(s.buffer, query, 0, null_mut(), out))
    }),
];

/// The call is refused, and changes nothing of what it was given.
fn wrong_kind(cx: &Cx, function: &'static str, call: Call) -> Outcome {
    cx.needs(UR_DEVICE_INFO_IMAGE_SUPPORT)?;
    let (context, queue) = cx.queue(0)?;
    let buffer = Memory::with(&context, &[3; 64])?;
    let image = Memory::image(&context, UR_MEM_FLAG_READ_WRITE, &RGBA8, &flat(4, 4))?;
    let mut host = [9u8; 64];
    let code = call(&Scene {
        queue: queue.get(),
        buffer: buffer.get(),
        image: image.get(),
        host: host.as_mut_ptr().cast(),
    });
    check(function, UR_RESULT_ERROR_INVALID_MEM_OBJECT, code)?;
    ensure!(host == [9; 64], "the host's memory changed");
    ensure!(buffer.read(&queue, 64)? == [3; 64], "the buffer changed");
    Ok(())
}

type OfDevice = fn(ur_context_handle_t, ur_device_handle_t) -> ur_result_t;

/// Calls with a context and one of its devices.
const OF_DEVICE: [(&str, OfDevice); 4] = [
    ("urQueueCreate", |context, device| {
        let mut out = null_mut();
        ur!(urQueueCreate(context, device, null(), &raw mut out))
    }),
    ("urCommandBufferCreateExp", |context, device| {
        let (desc, mut out) = (ur_exp_command_buffer_desc_t::default(), null_mut());
        let (desc, out) = (&raw const desc, &raw mut out);
        ur!(urCommandBufferCreateExp(context, device, desc, out))
    }),
    ("urVirtualMemGranularityGetInfo", |context, device| {
        let query = UR_VIRTUAL_MEM_GRANULARITY_INFO_MINIMUM;
        let (value, mut size) = (null_mut(), 0);
        let out = &raw mut size;
        ur!(urVirtualMemGranularityGetInfo(
            context, device, 4096, query, 0, value, out
        ))
    }),
    (
        "urMemoryExportAllocExportableMemoryExp",
        |context, device| {
            let (kind, mut at) = (UR_EXP_EXTERNAL_MEM_TYPE_OPAQUE_FD, null_mut());
            let out = &raw mut at;
            ur!(urMemoryExportAllocExportableMemoryExp(
                context, device, 0, 4096, kind, out
            ))
        },
    ),
];

/// A part of a device is refused with a context that has only another part.
fn other_device(cx: &Cx, function: &'static str, call: OfDevice) -> Outcome {
    if function.starts_with("urVirtualMem") {
        cx.needs(UR_DEVICE_INFO_VIRTUAL_MEMORY_SUPPORT)?;
    }
    let parts = halves(cx)?;
    let context = Context::new(&[parts[0].get()])?;
    let queue = Queue::new(&context, parts[0].get(), 0)?;
    let code = call(context.get(), parts[1].get());
    check(function, UR_RESULT_ERROR_INVALID_DEVICE, code)?;
    queue.finish()
}

/// Two parts of the test's device.
fn halves(cx: &Cx) -> Result<Vec<Device>, Stop> {
    let units = cx.device_info::<u32>(UR_DEVICE_INFO_MAX_COMPUTE_UNITS)?;
    let kinds: Vec<ur_device_partition_t> =
        crate::info::values("urDeviceGetInfo", |size, value, out| {
            let query = UR_DEVICE_INFO_SUPPORTED_PARTITIONS;
            ur!(urDeviceGetInfo(cx.device(), query, size, value, out))
        })?;
    let half = units.unwrap_or(0) / 2;
    if half == 0 || !kinds.contains(&UR_DEVICE_PARTITION_EQUALLY) {
        return Err(Stop::Unsupported("the device cannot be halved".into()));
    }
    let mut property = ur_device_partition_property_t {
        r#type: UR_DEVICE_PARTITION_EQUALLY,
        ..Default::default()
    };
    property.value.equally = half;
    let all = ur_device_partition_properties_t {
        pProperties: &raw const property,
        PropCount: 1,
        ..Default::default()
    };
    let (device, mut parts) = (cx.device(), [null_mut(); 2]);
    let code = ur!(urDevicePartition(
        device,
        &raw const all,
        2,
        parts.as_mut_ptr(),
        null_mut()
    ));
    check("urDevicePartition", UR_RESULT_SUCCESS, code)?;
    Ok(parts.into_iter().map(Device::adopt).collect())
}

pub(super) fn tests(suite: &mut Suite<'_>) {
    for (name, call) in WRONG {
        let function = name.split(' ').next().unwrap_or(name);
        suite
            .part("wrong_kind_of_memory")
            .device(name.replace(' ', "_"), move |cx| {
                wrong_kind(cx, function, call)
            });
    }
    for (function, call) in OF_DEVICE {
        suite
            .part("device_of_another_context")
            .device(function, move |cx| other_device(cx, function, call));
    }
}
