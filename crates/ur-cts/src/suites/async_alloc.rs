//! Allocations and frees that are commands of a queue.

use crate::failure::{Stop, check};
use crate::objects::{Context, Event, Gate, Pool, Queue, UsmKind, or_null};
use crate::test::Suite;
use crate::world::{Cx, Flags};
use crate::{Outcome, ensure, same, ur};
use std::ffi::c_void;
use std::ptr::{null, null_mut};
use ur_api::*;

fn call(kind: UsmKind) -> &'static str {
    match kind {
        UsmKind::Host => "urEnqueueUSMHostAllocExp",
        UsmKind::Device => "urEnqueueUSMDeviceAllocExp",
        UsmKind::Shared => "urEnqueueUSMSharedAllocExp",
    }
}

fn command(kind: UsmKind) -> ur_command_t {
    match kind {
        UsmKind::Host => UR_COMMAND_ENQUEUE_USM_HOST_ALLOC_EXP,
        UsmKind::Device => UR_COMMAND_ENQUEUE_USM_DEVICE_ALLOC_EXP,
        UsmKind::Shared => UR_COMMAND_ENQUEUE_USM_SHARED_ALLOC_EXP,
    }
}

/// Enqueues an allocation; the event may be null.
fn allocate(
    queue: &Queue,
    kind: UsmKind,
    pool: ur_usm_pool_handle_t,
    size: usize,
    properties: *const ur_exp_async_usm_alloc_properties_t,
    wait: &[ur_event_handle_t],
    event: *mut ur_event_handle_t,
) -> Result<*mut c_void, Stop> {
    let mut at = null_mut();
    let (queue, number, list) = (queue.get(), wait.len() as u32, or_null(wait));
    let (out, given) = (&raw mut at, properties);
    let code = match kind {
        UsmKind::Host => ur!(urEnqueueUSMHostAllocExp(
            queue, pool, size, given, number, list, out, event
        )),
        UsmKind::Device => ur!(urEnqueueUSMDeviceAllocExp(
            queue, pool, size, given, number, list, out, event
        )),
        UsmKind::Shared => ur!(urEnqueueUSMSharedAllocExp(
            queue, pool, size, given, number, list, out, event
        )),
    };
    check(call(kind), UR_RESULT_SUCCESS, code)?;
    ensure!(!at.is_null(), "{} gave null", call(kind));
    Ok(at)
}

fn free(
    queue: &Queue,
    pool: ur_usm_pool_handle_t,
    at: *mut c_void,
    wait: &[ur_event_handle_t],
) -> Result<Event, Stop> {
    Event::made("urEnqueueUSMFreeExp", |out| {
        ur!(urEnqueueUSMFreeExp(
            queue.get(),
            pool,
            at,
            wait.len() as u32,
            or_null(wait),
            out
        ))
    })
}

fn place(cx: &Cx, kind: UsmKind, flags: impl Into<Flags>) -> Result<(Context, Queue), Stop> {
    cx.needs(UR_DEVICE_INFO_ASYNC_USM_ALLOCATIONS_SUPPORT_EXP)?;
    kind.needed(cx)?;
    let flags = flags.into();
    if flags.0 != 0 {
        cx.needs_bits(UR_DEVICE_INFO_QUEUE_PROPERTIES, flags)?;
    }
    cx.queue(flags)
}

/// Allocates, uses and frees, all enqueued.
fn use_it(cx: &Cx, kind: UsmKind, size: usize, pooled: bool, flags: u32) -> Outcome {
    let (context, queue) = place(cx, kind, flags)?;
    let pool = match pooled {
        true => {
            cx.needs(UR_DEVICE_INFO_USM_POOL_SUPPORT)?;
            Some(Pool::new(&context)?)
        }
        false => None,
    };
    let pool = pool.as_ref().map_or(null_mut(), Pool::get);
    let mut handle = null_mut();
    let at = allocate(&queue, kind, pool, size, null(), &[], &raw mut handle)?;
    ensure!(!handle.is_null(), "there is no event");
    let there: Event = crate::objects::Counted::adopt(handle);
    let told: ur_command_t = there.info(UR_EVENT_INFO_COMMAND_TYPE)?;
    same!("the command", told, command(kind));
    let filled = queue.fill(at, size, 0x3c, &[there.get()])?;
    let mut bytes = vec![0u8; size];
    let read = queue.copy(bytes.as_mut_ptr().cast(), at, size, &[filled.get()])?;
    let gone = free(&queue, pool, at, &[read.get()])?;
    let told: ur_command_t = gone.info(UR_EVENT_INFO_COMMAND_TYPE)?;
    same!("the command", told, UR_COMMAND_ENQUEUE_USM_FREE_EXP);
    gone.wait()?;
    ensure!(bytes.iter().all(|b| *b == 0x3c), "the bytes differ");
    queue.finish()
}

pub(crate) fn tests(suite: &mut Suite<'_>) {
    for kind in UsmKind::ALL {
        let mut suite = suite.part(kind.name());
        for size in [1usize, 100, 4096, 65_537, 1 << 22] {
            for (order, flags) in [
                ("in_order", 0),
                (
                    "out_of_order",
                    UR_QUEUE_FLAG_OUT_OF_ORDER_EXEC_MODE_ENABLE.0,
                ),
            ] {
                for pooled in [false, true] {
                    let from = if pooled { "of_a_pool" } else { "of_the_device" };
                    suite.device(format!("{size}_bytes::{from}::{order}"), move |cx| {
                        use_it(cx, kind, size, pooled, flags)
                    });
                }
            }
        }
        for (name, flags) in [
            ("with_properties", 0),
            ("flag_tbd", UR_EXP_ASYNC_USM_ALLOC_FLAG_TBD.0),
        ] {
            suite.device(name, move |cx| {
                let (_context, queue) = place(cx, kind, 0)?;
                let properties = ur_exp_async_usm_alloc_properties_t {
                    flags,
                    ..Default::default()
                };
                let given = &raw const properties;
                let at = allocate(&queue, kind, null_mut(), 64, given, &[], null_mut())?;
                queue.fill(at, 64, 1, &[])?;
                free(&queue, null_mut(), at, &[])?.wait()
            });
        }
        suite.device("waits_for_events", move |cx| {
            let (context, queue) = place(cx, kind, 0)?;
            let other = Queue::new(&context, cx.device(), 0)?;
            let gate = Gate::new(cx, &context)?;
            let blocked = gate.block(&other)?;
            let mut handle = null_mut();
            let wait = [blocked.get()];
            let at = allocate(&queue, kind, null_mut(), 64, null(), &wait, &raw mut handle)?;
            let there: Event = crate::objects::Counted::adopt(handle);
            ensure!(!there.ended()?, "it ended before what it waits for");
            queue.fill(at, 64, 1, &[])?;
            let gone = free(&queue, null_mut(), at, &[])?;
            ensure!(!gone.ended()?, "it was freed before it was used");
            gate.open();
            gone.wait()?;
            other.finish()
        });
        suite.device("what_it_says_of_itself", move |cx| {
            let (context, queue) = place(cx, kind, 0)?;
            let at = allocate(&queue, kind, null_mut(), 100, null(), &[], null_mut())?;
            queue.finish()?;
            let ask = |query, size, value, out| {
                ur!(urUSMGetMemAllocInfo(
                    context.get(),
                    at,
                    query,
                    size,
                    value,
                    out
                ))
            };
            let found: ur_usm_type_t = crate::info::value("urUSMGetMemAllocInfo", |s, v, o| {
                ask(UR_USM_ALLOC_INFO_TYPE, s, v, o)
            })?;
            same!("the type", found, kind.answer());
            let size: usize = crate::info::value("urUSMGetMemAllocInfo", |s, v, o| {
                ask(UR_USM_ALLOC_INFO_SIZE, s, v, o)
            })?;
            same!("the size", size, 100);
            free(&queue, null_mut(), at, &[])?.wait()
        });
        suite.device("many_at_once_are_apart", move |cx| {
            let (_context, queue) = place(cx, kind, 0)?;
            let mut all = Vec::new();
            for value in 0..100u8 {
                let at = allocate(&queue, kind, null_mut(), 200, null(), &[], null_mut())?;
                queue.fill(at, 200, value, &[])?;
                all.push(at);
            }
            for (value, at) in all.iter().enumerate() {
                let found = queue.fetch(*at, 200)?;
                same!("what it holds", found, [value as u8; 200]);
            }
            for at in all {
                free(&queue, null_mut(), at, &[])?;
            }
            queue.finish()
        });
        suite.device("again_and_again", move |cx| {
            let (_context, queue) = place(cx, kind, 0)?;
            for round in 0..200usize {
                let size = 1 + round * 131 % 9000;
                let at = allocate(&queue, kind, null_mut(), size, null(), &[], null_mut())?;
                queue.fill(at, size, round as u8, &[])?;
                free(&queue, null_mut(), at, &[])?;
            }
            queue.finish()
        });
        suite.device("freed_by_another_queue", move |cx| {
            let (context, queue) = place(cx, kind, 0)?;
            let other = Queue::new(&context, cx.device(), 0)?;
            let at = allocate(&queue, kind, null_mut(), 4096, null(), &[], null_mut())?;
            let filled = queue.fill(at, 4096, 1, &[])?;
            free(&other, null_mut(), at, &[filled.get()])?.wait()?;
            queue.finish()
        });
    }
    suite.device("free::what_was_not_allocated", |cx| {
        let (_context, queue) = place(cx, UsmKind::Device, 0)?;
        let own = Box::new(0u64);
        let code = ur!(urEnqueueUSMFreeExp(
            queue.get(),
            null_mut(),
            (&raw const *own).cast_mut().cast(),
            0,
            null(),
            null_mut()
        ));
        ensure!(code != UR_RESULT_SUCCESS, "memory of the host was freed");
        queue.finish()
    });
    suite.device("declined_where_unsupported", |cx| {
        if cx.has(UR_DEVICE_INFO_ASYNC_USM_ALLOCATIONS_SUPPORT_EXP)? {
            return Ok(());
        }
        let (_context, queue) = cx.queue(0)?;
        for kind in UsmKind::ALL {
            match allocate(&queue, kind, null_mut(), 64, null(), &[], null_mut()) {
                Ok(_) => return Err(Stop::fail("what the device denies succeeds")),
                Err(Stop::Call(failure)) if failure.code == UR_RESULT_ERROR_UNSUPPORTED_FEATURE => {
                }
                Err(other) => return Err(other),
            }
        }
        Ok(())
    });
}
