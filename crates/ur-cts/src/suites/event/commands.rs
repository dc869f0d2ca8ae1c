//! What the event of each kind of command says of itself.

use crate::failure::Stop;
use crate::objects::{
    Arg, Context, Counted, Event, Kernel, Memory, Program, Queue, RGBA8, Range, Usm, UsmKind, flat,
};
use crate::test::Suite;
use crate::world::Cx;
use crate::{Outcome, ensure, kernels, ok, same, ur};
use std::ptr::{null, null_mut};
use ur_api::*;

/// Enqueues a command; the event comes out at the place.
type Enqueue = fn(&Cx, &Context, &Queue) -> Result<Event, Stop>;

fn buffer(context: &Context) -> Result<Memory, Stop> {
    Memory::buffer(context, UR_MEM_FLAG_READ_WRITE, 64)
}

const ORIGIN: ur_rect_offset_t = ur_rect_offset_t { x: 0, y: 0, z: 0 };
const REGION: ur_rect_region_t = ur_rect_region_t {
    width: 4,
    height: 4,
    depth: 1,
};

/// An event of a call whose memory of the host may go as soon as it has ended.
macro_rules! event {
    ($name:ident($($arg:expr),* $(,)?)) => {{
        let event = Event::made(stringify!($name), |out| ur!($name($($arg,)* 0, null(), out)))?;
        event.wait()?;
        Ok(event)
    }};
}

const COMMANDS: [(&str, ur_command_t, Enqueue); 21] = [
    ("events_wait", UR_COMMAND_EVENTS_WAIT, |_, _, queue| {
        Event::after(queue, &[])
    }),
    (
        "barrier",
        UR_COMMAND_EVENTS_WAIT_WITH_BARRIER,
        |_, _, queue| Event::barrier(queue, &[]),
    ),
    (
        "kernel_launch",
        UR_COMMAND_KERNEL_LAUNCH,
        |_, context, queue| {
            let program = Program::built(context, kernels::BASIC)?;
            let kernel = Kernel::new(&program, c"fill")?;
            let buffer = buffer(context)?;
            Event::made("urEnqueueKernelLaunchWithArgsExp", |out| {
                let args = [Arg::from(&buffer), Arg::Value(&[1, 0, 0, 0])];
                kernel.enqueue(queue, Range::from(&[4][..]), &args, &[], out)
            })
        },
    ),
    (
        "buffer_read",
        UR_COMMAND_MEM_BUFFER_READ,
        |_, context, queue| {
            let (buffer, mut host) = (buffer(context)?, [0u8; 64]);
            let to = host.as_mut_ptr().cast();
            event!(urEnqueueMemBufferRead(
                queue.get(),
                buffer.get(),
                false,
                0,
                64,
                to
            ))
        },
    ),
    (
        "buffer_write",
        UR_COMMAND_MEM_BUFFER_WRITE,
        |_, context, queue| {
            let (buffer, host) = (buffer(context)?, [0u8; 64]);
            let from = host.as_ptr().cast();
            event!(urEnqueueMemBufferWrite(
                queue.get(),
                buffer.get(),
                false,
                0,
                64,
                from
            ))
        },
    ),
    (
        "buffer_read_rect",
        UR_COMMAND_MEM_BUFFER_READ_RECT,
        |_, context, queue| {
            let (buffer, mut host) = (buffer(context)?, [0u8; 64]);
            event!(urEnqueueMemBufferReadRect(
                queue.get(),
                buffer.get(),
                false,
                ORIGIN,
                ORIGIN,
                REGION,
                4,
                16,
                4,
                16,
                host.as_mut_ptr().cast()
            ))
        },
    ),
    (
        "buffer_write_rect",
        UR_COMMAND_MEM_BUFFER_WRITE_RECT,
        |_, context, queue| {
            let (buffer, mut host) = (buffer(context)?, [0u8; 64]);
            event!(urEnqueueMemBufferWriteRect(
                queue.get(),
                buffer.get(),
                false,
                ORIGIN,
                ORIGIN,
                REGION,
                4,
                16,
                4,
                16,
                host.as_mut_ptr().cast()
            ))
        },
    ),
    (
        "buffer_copy",
        UR_COMMAND_MEM_BUFFER_COPY,
        |_, context, queue| {
            let (from, to) = (buffer(context)?, buffer(context)?);
            event!(urEnqueueMemBufferCopy(
                queue.get(),
                from.get(),
                to.get(),
                0,
                0,
                64
            ))
        },
    ),
    (
        "buffer_copy_rect",
        UR_COMMAND_MEM_BUFFER_COPY_RECT,
        |_, context, queue| {
            let (from, to) = (buffer(context)?, buffer(context)?);
            event!(urEnqueueMemBufferCopyRect(
                queue.get(),
                from.get(),
                to.get(),
                ORIGIN,
                ORIGIN,
                REGION,
                4,
                16,
                4,
                16
            ))
        },
    ),
    (
        "buffer_fill",
        UR_COMMAND_MEM_BUFFER_FILL,
        |_, context, queue| {
            let (buffer, value) = (buffer(context)?, 5u32);
            let pattern = (&raw const value).cast();
            event!(urEnqueueMemBufferFill(
                queue.get(),
                buffer.get(),
                pattern,
                4,
                0,
                64
            ))
        },
    ),
    (
        "buffer_map",
        UR_COMMAND_MEM_BUFFER_MAP,
        |_, context, queue| {
            let buffer = buffer(context)?;
            let mut mapped = null_mut();
            let event = Event::made("urEnqueueMemBufferMap", |out| {
                ur!(urEnqueueMemBufferMap(
                    queue.get(),
                    buffer.get(),
                    false,
                    UR_MAP_FLAG_READ.0,
                    0,
                    64,
                    0,
                    null(),
                    out,
                    &raw mut mapped
                ))
            })?;
            event.wait()?;
            ok!(urEnqueueMemUnmap(
                queue.get(),
                buffer.get(),
                mapped,
                0,
                null(),
                null_mut()
            ))?;
            queue.finish()?;
            Ok(event)
        },
    ),
    ("unmap", UR_COMMAND_MEM_UNMAP, |_, context, queue| {
        let buffer = buffer(context)?;
        let mut mapped = null_mut();
        ok!(urEnqueueMemBufferMap(
            queue.get(),
            buffer.get(),
            true,
            UR_MAP_FLAG_READ.0,
            0,
            64,
            0,
            null(),
            null_mut(),
            &raw mut mapped
        ))?;
        event!(urEnqueueMemUnmap(queue.get(), buffer.get(), mapped))
    }),
    (
        "image_read",
        UR_COMMAND_MEM_IMAGE_READ,
        |cx, context, queue| {
            let (image, mut host) = (image(cx, context)?, [0u8; 64]);
            event!(urEnqueueMemImageRead(
                queue.get(),
                image.get(),
                false,
                ORIGIN,
                REGION,
                0,
                0,
                host.as_mut_ptr().cast()
            ))
        },
    ),
    (
        "image_write",
        UR_COMMAND_MEM_IMAGE_WRITE,
        |cx, context, queue| {
            let (image, mut host) = (image(cx, context)?, [0u8; 64]);
            event!(urEnqueueMemImageWrite(
                queue.get(),
                image.get(),
                false,
                ORIGIN,
                REGION,
                0,
                0,
                host.as_mut_ptr().cast()
            ))
        },
    ),
    (
        "image_copy",
        UR_COMMAND_MEM_IMAGE_COPY,
        |cx, context, queue| {
            let (from, to) = (image(cx, context)?, image(cx, context)?);
            event!(urEnqueueMemImageCopy(
                queue.get(),
                from.get(),
                to.get(),
                ORIGIN,
                ORIGIN,
                REGION
            ))
        },
    ),
    ("usm_fill", UR_COMMAND_USM_FILL, |cx, context, queue| {
        let (usm, value) = (Usm::new(cx, context, UsmKind::Device, 64)?, 5u32);
        event!(urEnqueueUSMFill(
            queue.get(),
            usm.at,
            4,
            (&raw const value).cast(),
            64
        ))
    }),
    ("usm_memcpy", UR_COMMAND_USM_MEMCPY, |cx, context, queue| {
        let from = Usm::new(cx, context, UsmKind::Device, 64)?;
        let to = Usm::new(cx, context, UsmKind::Device, 64)?;
        event!(urEnqueueUSMMemcpy(queue.get(), false, to.at, from.at, 64))
    }),
    (
        "usm_prefetch",
        UR_COMMAND_USM_PREFETCH,
        |cx, context, queue| {
            let usm = Usm::new(cx, context, UsmKind::Shared, 64)?;
            event!(urEnqueueUSMPrefetch(queue.get(), usm.at, 64, 0))
        },
    ),
    ("usm_advise", UR_COMMAND_USM_ADVISE, |cx, context, queue| {
        let usm = Usm::new(cx, context, UsmKind::Shared, 64)?;
        let event = Event::made("urEnqueueUSMAdvise", |out| {
            let advice = UR_USM_ADVICE_FLAG_DEFAULT.0;
            ur!(urEnqueueUSMAdvise(queue.get(), usm.at, 64, advice, out))
        })?;
        event.wait()?;
        Ok(event)
    }),
    (
        "usm_fill_2d",
        UR_COMMAND_USM_FILL_2D,
        |cx, context, queue| {
            let (usm, value) = (Usm::new(cx, context, UsmKind::Device, 64)?, 5u32);
            let pattern = (&raw const value).cast();
            event!(urEnqueueUSMFill2D(
                queue.get(),
                usm.at,
                16,
                4,
                pattern,
                8,
                4
            ))
        },
    ),
    (
        "usm_memcpy_2d",
        UR_COMMAND_USM_MEMCPY_2D,
        |cx, context, queue| {
            let from = Usm::new(cx, context, UsmKind::Device, 64)?;
            let to = Usm::new(cx, context, UsmKind::Device, 64)?;
            event!(urEnqueueUSMMemcpy2D(
                queue.get(),
                false,
                to.at,
                16,
                from.at,
                16,
                8,
                4
            ))
        },
    ),
];

fn image(cx: &Cx, context: &Context) -> Result<Memory, Stop> {
    cx.needs(UR_DEVICE_INFO_IMAGE_SUPPORT)?;
    Memory::image(context, UR_MEM_FLAG_READ_WRITE, &RGBA8, &flat(4, 4))
}

fn says(cx: &Cx, kind: ur_command_t, enqueue: Enqueue, flags: u32) -> Outcome {
    let (context, queue) = cx.queue(flags)?;
    let event = enqueue(cx, &context, &queue)?;
    let own: ur_command_t = event.info(UR_EVENT_INFO_COMMAND_TYPE)?;
    same!("the kind", own, kind);
    let own: ur_queue_handle_t = event.info(UR_EVENT_INFO_COMMAND_QUEUE)?;
    same!("the queue", own, queue.get());
    let own: ur_context_handle_t = event.info(UR_EVENT_INFO_CONTEXT)?;
    same!("the context", own, context.get());
    same!("the count", event.count()?, 1);
    event.wait()?;
    ensure!(event.ended()?, "it has not ended");
    queue.finish()
}

fn times(cx: &Cx, enqueue: Enqueue) -> Outcome {
    let flag = UR_QUEUE_FLAG_PROFILING_ENABLE;
    cx.needs_bits(UR_DEVICE_INFO_QUEUE_PROPERTIES, flag)?;
    let (context, queue) = cx.queue(flag)?;
    let event = enqueue(cx, &context, &queue)?;
    event.wait()?;
    let mut last = 0;
    for query in super::TIMES {
        let time = event.time(query)?;
        ensure!(
            time >= last,
            "{query} is {time}, what comes before is {last}"
        );
        last = time;
    }
    queue.finish()
}

pub(super) fn tests(suite: &mut Suite<'_>) {
    let out_of_order = UR_QUEUE_FLAG_OUT_OF_ORDER_EXEC_MODE_ENABLE.0;
    for (name, kind, enqueue) in COMMANDS {
        suite.device(format!("{name}::in_order"), move |cx| {
            says(cx, kind, enqueue, 0)
        });
        suite.device(format!("{name}::out_of_order"), move |cx| {
            says(cx, kind, enqueue, out_of_order)
        });
        suite.device(format!("{name}::times"), move |cx| times(cx, enqueue));
    }
}
