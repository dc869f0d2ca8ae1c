//! Objects that outlive the handles of what they were made of, and the counts at the end.

use crate::failure::{Stop, check};
use crate::objects::{
    Arg, Context, Counted, Event, Gate, Kernel, Memory, Pool, Program, Queue, RGBA8, Range,
    Sampler, Usm, UsmKind, flat,
};
use crate::test::Suite;
use crate::world::Cx;
use crate::{Outcome, ensure, kernels, ok, same, ur};
use std::ptr::null_mut;
use ur_api::*;

/// Where a command is held until it is let go.
struct Held {
    blocked: Event,
    gate: Gate,
    other: Queue,
    queue: Queue,
    context: Context,
}

fn held(cx: &Cx) -> Result<Held, Stop> {
    let (context, queue) = cx.queue(0)?;
    let other = Queue::new(&context, cx.device(), 0)?;
    let gate = Gate::new(cx, &context)?;
    let blocked = gate.block(&other)?;
    Ok(Held {
        blocked,
        gate,
        other,
        queue,
        context,
    })
}

type Body = fn(&Cx) -> Outcome;

const TESTS: [(&str, Body); 22] = [
    ("context::before_its_queue", context_before_queue),
    ("context::before_its_buffer", context_before_buffer),
    ("context::before_its_program", context_before_program),
    ("context::before_its_sampler", context_before_sampler),
    ("context::before_its_image", context_before_image),
    ("context::before_its_pool", context_before_pool),
    ("context::before_its_event", context_before_event),
    ("program::before_its_kernel", program_before_kernel),
    ("program::before_its_kernel_has_run", program_before_run),
    ("kernel::before_it_has_run", kernel_before_run),
    (
        "kernel::its_arguments_before_it_has_run",
        arguments_before_run,
    ),
    ("buffer::before_it_was_copied", buffer_before_copy),
    ("buffer::before_its_part", buffer_before_part),
    ("buffer::before_its_part_is_used", buffer_before_part_used),
    ("queue::before_its_commands_end", queue_before_commands),
    ("queue::before_its_event", queue_before_event),
    ("event::before_its_command_ends", event_before_command),
    ("event::in_a_wait_list", event_in_wait_list),
    ("event::chain_without_handles", event_chain),
    ("all::in_order_of_creation", all_in_order),
    ("all::in_reverse_order", all_in_reverse),
    ("pool::before_its_allocation", pool_before_allocation),
];

pub(crate) fn tests(suite: &mut Suite<'_>) {
    for (name, body) in TESTS {
        suite.device(name, body);
    }
    for rounds in [10, 100] {
        suite.device(
            format!("counts::{rounds}_rounds_leave_nothing"),
            move |cx| counts(cx, rounds),
        );
        suite.device(
            format!("device::count_after_{rounds}_contexts"),
            move |cx| {
                let count =
                    || crate::info::of_device::<u32>(cx.device(), UR_DEVICE_INFO_REFERENCE_COUNT);
                let before = count()?;
                for _ in 0..rounds {
                    let (context, queue) = cx.queue(0)?;
                    queue.finish()?;
                    drop((queue, context));
                }
                same!("the device's count", count()?, before);
                Ok(())
            },
        );
    }
}

fn context_before_queue(cx: &Cx) -> Outcome {
    let (context, queue) = cx.queue(0)?;
    let handle = context.get();
    context.release()?;
    let told: ur_context_handle_t = queue.info(UR_QUEUE_INFO_CONTEXT)?;
    same!("the context", told, handle);
    let event = Event::after(&queue, &[])?;
    event.wait()?;
    queue.finish()
}

fn context_before_buffer(cx: &Cx) -> Outcome {
    let (context, queue) = cx.queue(0)?;
    let buffer = Memory::with(&context, &[1, 2, 3, 4])?;
    context.release()?;
    same!("what it holds", buffer.read(&queue, 4)?, [1, 2, 3, 4]);
    queue.release()?;
    let size: usize = buffer.info(UR_MEM_INFO_SIZE)?;
    same!("the size", size, 4);
    Ok(())
}

fn context_before_program(cx: &Cx) -> Outcome {
    let context = cx.context()?;
    let handle = context.get();
    let program = Program::built(&context, kernels::BASIC)?;
    context.release()?;
    let told: ur_context_handle_t = program.info(UR_PROGRAM_INFO_CONTEXT)?;
    same!("the context", told, handle);
    Kernel::new(&program, c"fill")?;
    Ok(())
}

fn context_before_sampler(cx: &Cx) -> Outcome {
    cx.needs(UR_DEVICE_INFO_IMAGE_SUPPORT)?;
    let context = cx.context()?;
    let handle = context.get();
    let sampler = Sampler::new(&context, &ur_sampler_desc_t::default())?;
    context.release()?;
    let told: ur_context_handle_t = sampler.info(UR_SAMPLER_INFO_CONTEXT)?;
    same!("the context", told, handle);
    Ok(())
}

fn context_before_image(cx: &Cx) -> Outcome {
    cx.needs(UR_DEVICE_INFO_IMAGE_SUPPORT)?;
    let context = cx.context()?;
    let handle = context.get();
    let image = Memory::image(&context, UR_MEM_FLAG_READ_WRITE, &RGBA8, &flat(8, 8))?;
    context.release()?;
    let told: ur_context_handle_t = image.info(UR_MEM_INFO_CONTEXT)?;
    same!("the context", told, handle);
    Ok(())
}

fn context_before_pool(cx: &Cx) -> Outcome {
    cx.needs(UR_DEVICE_INFO_USM_POOL_SUPPORT)?;
    let context = cx.context()?;
    let handle = context.get();
    let pool = Pool::new(&context)?;
    context.release()?;
    let told: ur_context_handle_t = pool.info(UR_USM_POOL_INFO_CONTEXT)?;
    same!("the context", told, handle);
    Ok(())
}

fn context_before_event(cx: &Cx) -> Outcome {
    let (context, queue) = cx.queue(0)?;
    let event = Event::after(&queue, &[])?;
    queue.finish()?;
    queue.release()?;
    context.release()?;
    event.wait()?;
    ensure!(event.ended()?, "it has not ended");
    Ok(())
}

/// Runs `fill` and looks at what it wrote.
fn fills(cx: &Cx, context: &Context, queue: &Queue, kernel: &Kernel) -> Outcome {
    let mut usm = Usm::new(cx, context, UsmKind::Host, 64)?;
    usm.bytes().fill(0);
    let value = [9u8; 4];
    let args = [Arg::Pointer(usm.at), Arg::Value(&value)];
    kernel.run(queue, Range::from(&[16][..]), &args)?;
    let found = usm.bytes();
    if found.iter().all(|b| *b == 0) {
        let reason = "kernels have no effect on this device";
        return Err(Stop::Unsupported(reason.into()));
    }
    ensure!(found.iter().all(|b| *b == 9), "{found:?}");
    Ok(())
}

fn program_before_kernel(cx: &Cx) -> Outcome {
    let (context, queue) = cx.queue(0)?;
    let program = Program::built(&context, kernels::BASIC)?;
    let kernel = Kernel::new(&program, c"fill")?;
    let handle = program.get();
    program.release()?;
    let told: ur_program_handle_t = kernel.info(UR_KERNEL_INFO_PROGRAM)?;
    same!("the program", told, handle);
    fills(cx, &context, &queue, &kernel)
}

/// Enqueues `fill` behind a gate, lets handles go, opens the gate and looks.
fn held_fill(cx: &Cx, forget: impl FnOnce(Kernel, Program) -> Outcome) -> Outcome {
    let held = held(cx)?;
    let program = Program::built(&held.context, kernels::BASIC)?;
    let kernel = Kernel::new(&program, c"fill")?;
    let mut usm = Usm::new(cx, &held.context, UsmKind::Host, 64)?;
    usm.bytes().fill(0);
    let value = [5u8; 4];
    let done = Event::made("urEnqueueKernelLaunchWithArgsExp", |out| {
        let args = [Arg::Pointer(usm.at), Arg::Value(&value)];
        let wait = [held.blocked.get()];
        kernel.enqueue(&held.queue, Range::from(&[16][..]), &args, &wait, out)
    })?;
    forget(kernel, program)?;
    held.gate.open();
    done.wait()?;
    held.other.finish()?;
    ensure!(usm.bytes().iter().all(|b| *b == 5), "{:?}", usm.bytes());
    Ok(())
}

fn program_before_run(cx: &Cx) -> Outcome {
    held_fill(cx, |_kernel, program| program.release())
}

fn kernel_before_run(cx: &Cx) -> Outcome {
    held_fill(cx, |kernel, program| {
        kernel.release()?;
        program.release()
    })
}

fn arguments_before_run(cx: &Cx) -> Outcome {
    let held = held(cx)?;
    let program = Program::built(&held.context, kernels::BASIC)?;
    let kernel = Kernel::new(&program, c"copy")?;
    let from = Memory::with(&held.context, &[6; 64])?;
    let to = Memory::with(&held.context, &[0; 64])?;
    let done = Event::made("urEnqueueKernelLaunchWithArgsExp", |out| {
        let args = [Arg::from(&from), Arg::from(&to)];
        let wait = [held.blocked.get()];
        kernel.enqueue(&held.queue, Range::from(&[16][..]), &args, &wait, out)
    })?;
    from.release()?;
    held.gate.open();
    done.wait()?;
    held.other.finish()?;
    same!("what it holds", to.read(&held.queue, 64)?, [6; 64]);
    Ok(())
}

fn buffer_before_copy(cx: &Cx) -> Outcome {
    let held = held(cx)?;
    let from = Memory::with(&held.context, &[8; 64])?;
    let to = Memory::with(&held.context, &[0; 64])?;
    let wait = held.blocked.get();
    ok!(urEnqueueMemBufferCopy(
        held.queue.get(),
        from.get(),
        to.get(),
        0,
        0,
        64,
        1,
        &raw const wait,
        null_mut()
    ))?;
    from.release()?;
    held.gate.open();
    held.queue.finish()?;
    held.other.finish()?;
    same!("what it holds", to.read(&held.queue, 64)?, [8; 64]);
    Ok(())
}

fn part(buffer: &Memory) -> Result<Memory, Stop> {
    let region = ur_buffer_region_t {
        origin: 0,
        size: 128,
        ..Default::default()
    };
    Memory::made("urMemBufferPartition", |out| {
        ur!(urMemBufferPartition(
            buffer.get(),
            UR_MEM_FLAG_READ_WRITE.0,
            UR_BUFFER_CREATE_TYPE_REGION,
            &raw const region,
            out
        ))
    })
}

fn buffer_before_part(cx: &Cx) -> Outcome {
    let (context, queue) = cx.queue(0)?;
    let buffer = Memory::with(&context, &[3; 256])?;
    let part = part(&buffer)?;
    buffer.release()?;
    same!("what it holds", part.read(&queue, 128)?, [3; 128]);
    Ok(())
}

fn buffer_before_part_used(cx: &Cx) -> Outcome {
    let held = held(cx)?;
    let buffer = Memory::with(&held.context, &[4; 256])?;
    let part = part(&buffer)?;
    let to = Memory::with(&held.context, &[0; 128])?;
    let wait = held.blocked.get();
    ok!(urEnqueueMemBufferCopy(
        held.queue.get(),
        part.get(),
        to.get(),
        0,
        0,
        128,
        1,
        &raw const wait,
        null_mut()
    ))?;
    buffer.release()?;
    part.release()?;
    held.gate.open();
    held.queue.finish()?;
    held.other.finish()?;
    same!("what it holds", to.read(&held.queue, 128)?, [4; 128]);
    Ok(())
}

fn queue_before_commands(cx: &Cx) -> Outcome {
    let held = held(cx)?;
    let mut usm = Usm::new(cx, &held.context, UsmKind::Host, 64)?;
    usm.bytes().fill(0);
    let done = held.queue.fill(usm.at, 64, 7, &[held.blocked.get()])?;
    // Before the gate opens: a release may wait for the commands, so another thread opens it.
    let Held {
        gate, other, queue, ..
    } = held;
    std::thread::scope(|scope| {
        scope.spawn(|| gate.open());
        queue.release()
    })?;
    done.wait()?;
    other.finish()?;
    ensure!(usm.bytes().iter().all(|b| *b == 7), "it did not run");
    Ok(())
}

fn queue_before_event(cx: &Cx) -> Outcome {
    let (context, queue) = cx.queue(0)?;
    let event = Event::after(&queue, &[])?;
    event.wait()?;
    let handle = queue.get();
    queue.release()?;
    let told: ur_queue_handle_t = event.info(UR_EVENT_INFO_COMMAND_QUEUE)?;
    same!("the queue", told, handle);
    let told: ur_context_handle_t = event.info(UR_EVENT_INFO_CONTEXT)?;
    same!("the context", told, context.get());
    ensure!(event.ended()?, "it has not ended");
    Ok(())
}

fn event_before_command(cx: &Cx) -> Outcome {
    let held = held(cx)?;
    let mut usm = Usm::new(cx, &held.context, UsmKind::Host, 64)?;
    usm.bytes().fill(0);
    let done = held.queue.fill(usm.at, 64, 7, &[held.blocked.get()])?;
    done.release()?;
    held.gate.open();
    held.queue.finish()?;
    held.other.finish()?;
    ensure!(usm.bytes().iter().all(|b| *b == 7), "it did not run");
    Ok(())
}

fn event_in_wait_list(cx: &Cx) -> Outcome {
    let held = held(cx)?;
    let mut usm = Usm::new(cx, &held.context, UsmKind::Host, 64)?;
    usm.bytes().fill(0);
    let done = held.queue.fill(usm.at, 64, 7, &[held.blocked.get()])?;
    held.blocked.release()?;
    ensure!(!done.ended()?, "it ended before what it waits for");
    held.gate.open();
    done.wait()?;
    held.other.finish()?;
    ensure!(usm.bytes().iter().all(|b| *b == 7), "it did not run");
    Ok(())
}

fn event_chain(cx: &Cx) -> Outcome {
    let held = held(cx)?;
    let flag = UR_QUEUE_FLAG_OUT_OF_ORDER_EXEC_MODE_ENABLE;
    cx.needs_bits(UR_DEVICE_INFO_QUEUE_PROPERTIES, flag)?;
    let queue = Queue::new(&held.context, cx.device(), flag)?;
    let mut usm = Usm::new(cx, &held.context, UsmKind::Host, 64)?;
    let mut last = held.blocked;
    for value in 1..=100u8 {
        // The handle of each goes as soon as the next has it in its list.
        last = queue.fill(usm.at, 64, value, &[last.get()])?;
    }
    held.gate.open();
    last.wait()?;
    held.other.finish()?;
    ensure!(usm.bytes().iter().all(|b| *b == 100), "the last is missing");
    Ok(())
}

/// One of everything, in the order of creation.
fn everything(cx: &Cx) -> Result<Vec<Box<dyn FnOnce() -> Outcome>>, Stop> {
    let (context, queue) = cx.queue(0)?;
    let buffer = Memory::with(&context, &[1; 256])?;
    let part = part(&buffer)?;
    let program = Program::built(&context, kernels::BASIC)?;
    let kernel = Kernel::new(&program, c"copy")?;
    let to = Memory::with(&context, &[0; 256])?;
    let args = [Arg::from(&buffer), Arg::from(&to)];
    let event = Event::made("urEnqueueKernelLaunchWithArgsExp", |out| {
        kernel.enqueue(&queue, Range::from(&[32][..]), &args, &[], out)
    })?;
    let second = Event::after(&queue, &[event.get()])?;
    second.wait()?;
    Ok(vec![
        Box::new(move || context.release()),
        Box::new(move || queue.release()),
        Box::new(move || buffer.release()),
        Box::new(move || part.release()),
        Box::new(move || program.release()),
        Box::new(move || kernel.release()),
        Box::new(move || to.release()),
        Box::new(move || event.release()),
        Box::new(move || second.release()),
    ])
}

fn all_in_order(cx: &Cx) -> Outcome {
    everything(cx)?
        .into_iter()
        .try_for_each(|release| release())
}

fn all_in_reverse(cx: &Cx) -> Outcome {
    let all = everything(cx)?;
    all.into_iter().rev().try_for_each(|release| release())
}

fn pool_before_allocation(cx: &Cx) -> Outcome {
    cx.needs(UR_DEVICE_INFO_USM_POOL_SUPPORT)?;
    UsmKind::Device.needed(cx)?;
    let (context, queue) = cx.queue(0)?;
    let pool = Pool::new(&context)?;
    let usm = Usm::with(cx, &context, UsmKind::Device, None, pool.get(), 4096)?;
    let second = pool.retain()?;
    pool.release()?;
    queue.put(usm.at, &[2; 4096])?;
    same!("what it holds", queue.fetch(usm.at, 4096)?, [2; 4096]);
    usm.free()?;
    second.release()
}

/// Objects come and go, and the count of their context is what it was.
fn counts(cx: &Cx, rounds: usize) -> Outcome {
    let context = cx.context()?;
    let before = context.count()?;
    for _ in 0..rounds {
        let queue = Queue::new(&context, cx.device(), 0)?;
        let buffer = Memory::with(&context, &[1; 64])?;
        let part = part(&Memory::with(&context, &[1; 256])?)?;
        let usm = Usm::new(cx, &context, UsmKind::Device, 64)?;
        let event = queue.fill(usm.at, 64, 1, &[])?;
        let barrier = Event::barrier(&queue, &[event.get()])?;
        check(
            "urQueueFinish",
            UR_RESULT_SUCCESS,
            ur!(urQueueFinish(queue.get())),
        )?;
        same!("the queue's count is at least", queue.count()? >= 1, true);
        same!("what it holds", buffer.read(&queue, 64)?, [1; 64]);
        drop((barrier, event, usm, part, buffer, queue));
    }
    same!("the context's count", context.count()?, before);
    Ok(())
}
