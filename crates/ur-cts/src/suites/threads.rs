//! Calls from several threads at once, on objects of their own and on shared ones.

use crate::failure::Stop;
use crate::objects::{
    Arg, Context, Counted, Event, Gate, Kernel, Memory, Program, Queue, Range, Usm, UsmKind,
};
use crate::test::Suite;
use crate::world::Cx;
use crate::{Outcome, ensure, kernels, ok, same};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Barrier, Mutex};
use ur_api::*;

/// Runs a function on so many threads that begin together, and gives the first failure.
fn together(threads: usize, body: impl Fn(usize) -> Outcome + Sync) -> Outcome {
    let start = Barrier::new(threads);
    let (start, body) = (&start, &body);
    std::thread::scope(|scope| {
        let all: Vec<_> = (0..threads)
            .map(|number| {
                scope.spawn(move || {
                    start.wait();
                    body(number)
                })
            })
            .collect();
        all.into_iter().try_for_each(|thread| {
            let join = thread.join();
            join.map_err(|_| Stop::fail("a thread panicked"))?
        })
    })
}

const ROUNDS: usize = 50;

type Body = fn(&Cx, usize) -> Outcome;

const TESTS: [(&str, Body); 15] = [
    ("own_contexts", own_contexts),
    ("own_queues", own_queues),
    ("shared_queue::in_order", |cx, n| shared_queue(cx, n, 0)),
    ("shared_queue::out_of_order", |cx, n| {
        shared_queue(cx, n, UR_QUEUE_FLAG_OUT_OF_ORDER_EXEC_MODE_ENABLE.0)
    }),
    ("retain_and_release_of_one_object", retain_release),
    ("buffers_of_one_context", buffers),
    ("usm_of_one_context", usm),
    ("programs_of_one_context", programs),
    ("kernels_of_one_program", kernels_of_one),
    ("launches_of_one_kernel", launches),
    ("waits_for_one_event", waits),
    ("events_passed_around", passed),
    ("finish_of_one_queue", finish),
    ("queries_of_everything", queries),
    ("sums_are_right", sums),
];

pub(crate) fn tests(suite: &mut Suite<'_>) {
    for (name, body) in TESTS {
        for threads in [2usize, 4, 16] {
            suite.device(format!("{name}::{threads}_threads"), move |cx| {
                body(cx, threads)
            });
        }
    }
}

fn own_contexts(cx: &Cx, threads: usize) -> Outcome {
    together(threads, |number| {
        for round in 0..10 {
            let (context, queue) = cx.queue(0)?;
            let value = (number * 10 + round) as u8;
            let buffer = Memory::with(&context, &[value; 64])?;
            same!("what it holds", buffer.read(&queue, 64)?, [value; 64]);
        }
        Ok(())
    })
}

fn own_queues(cx: &Cx, threads: usize) -> Outcome {
    let context = cx.context()?;
    let before = context.count()?;
    together(threads, |number| {
        let queue = Queue::new(&context, cx.device(), 0)?;
        let mut usm = Usm::new(cx, &context, UsmKind::Host, 1000)?;
        for round in 0..ROUNDS {
            let value = (number + round) as u8;
            queue.fill(usm.at, 1000, value, &[])?;
            queue.finish()?;
            ensure!(
                usm.bytes().iter().all(|b| *b == value),
                "{value} is missing"
            );
        }
        Ok(())
    })?;
    same!("the context's count", context.count()?, before);
    Ok(())
}

fn shared_queue(cx: &Cx, threads: usize, flags: u32) -> Outcome {
    if flags != 0 {
        cx.needs_bits(UR_DEVICE_INFO_QUEUE_PROPERTIES, flags)?;
    }
    let (context, queue) = cx.queue(flags)?;
    together(threads, |number| {
        let mut usm = Usm::new(cx, &context, UsmKind::Host, 1000)?;
        for round in 0..ROUNDS {
            let value = (number * 3 + round) as u8;
            let event = queue.fill(usm.at, 1000, value, &[])?;
            event.wait()?;
            ensure!(
                usm.bytes().iter().all(|b| *b == value),
                "{value} is missing"
            );
        }
        Ok(())
    })?;
    queue.finish()
}

fn retain_release(cx: &Cx, threads: usize) -> Outcome {
    let (context, queue) = cx.queue(0)?;
    let buffer = Memory::with(&context, &[1; 64])?;
    let event = Event::after(&queue, &[])?;
    event.wait()?;
    let counts = || {
        Ok::<_, Stop>([
            context.count()?,
            queue.count()?,
            buffer.count()?,
            event.count()?,
        ])
    };
    let before = counts()?;
    together(threads, |_| {
        for _ in 0..ROUNDS {
            let held = (
                context.retain()?,
                queue.retain()?,
                buffer.retain()?,
                event.retain()?,
            );
            held.3.release()?;
            held.2.release()?;
            held.1.release()?;
            held.0.release()?;
        }
        Ok(())
    })?;
    same!("the counts", counts()?, before);
    Ok(())
}

fn buffers(cx: &Cx, threads: usize) -> Outcome {
    let context = cx.context()?;
    together(threads, |number| {
        let queue = Queue::new(&context, cx.device(), 0)?;
        for round in 0..ROUNDS {
            let size = 1 + (number * 37 + round * 91) % 5000;
            let bytes = vec![number as u8; size];
            let buffer = Memory::with(&context, &bytes)?;
            ensure!(buffer.read(&queue, size)? == bytes, "the bytes differ");
        }
        Ok(())
    })
}

fn usm(cx: &Cx, threads: usize) -> Outcome {
    let context = cx.context()?;
    together(threads, |number| {
        for round in 0..ROUNDS {
            let size = 1 + (number * 113 + round * 77) % 9000;
            let mut one = Usm::new(cx, &context, UsmKind::Host, size)?;
            one.bytes().fill(number as u8);
            let other = Usm::new(cx, &context, UsmKind::Device, size)?;
            let found: usize = other.info(UR_USM_ALLOC_INFO_SIZE)?;
            ensure!(found >= size, "{found} of {size} bytes");
            ensure!(
                one.bytes().iter().all(|b| *b == number as u8),
                "overwritten"
            );
            other.free()?;
            one.free()?;
        }
        Ok(())
    })
}

fn programs(cx: &Cx, threads: usize) -> Outcome {
    let context = cx.context()?;
    has_kernels(cx, &context)?;
    together(threads, |number| {
        let queue = Queue::new(&context, cx.device(), 0)?;
        for _ in 0..(12 / threads).max(1) {
            let program = Program::built(&context, kernels::BASIC)?;
            let kernel = Kernel::new(&program, c"fill")?;
            fills(cx, &context, &queue, &kernel, number as u8 + 1)?;
        }
        Ok(())
    })
}

/// Ends the test as unsupported if kernels do nothing, which tests of kernels find.
fn has_kernels(cx: &Cx, context: &Context) -> Outcome {
    let queue = Queue::new(context, cx.device(), 0)?;
    let program = Program::built(context, kernels::BASIC)?;
    let mut usm = Usm::new(cx, context, UsmKind::Host, 64)?;
    usm.bytes().fill(0);
    let args = [Arg::Pointer(usm.at), Arg::Value(&[1; 4])];
    Kernel::new(&program, c"fill")?.run(&queue, Range::from(&[1][..]), &args)?;
    if usm.bytes()[0] == 1 {
        return Ok(());
    }
    let reason = "kernels have no effect on this device";
    Err(Stop::Unsupported(reason.into()))
}

/// Runs `fill` with a byte and looks at what it wrote.
fn fills(cx: &Cx, context: &Context, queue: &Queue, kernel: &Kernel, value: u8) -> Outcome {
    let mut usm = Usm::new(cx, context, UsmKind::Host, 256)?;
    usm.bytes().fill(0);
    let bytes = [value; 4];
    let args = [Arg::Pointer(usm.at), Arg::Value(&bytes)];
    let done = Event::made("urEnqueueKernelLaunchWithArgsExp", |out| {
        kernel.enqueue(queue, Range::from(&[64][..]), &args, &[], out)
    })?;
    done.wait()?;
    let found = usm.bytes();
    ensure!(
        found.iter().all(|b| *b == value),
        "{found:?} instead of {value}"
    );
    Ok(())
}

fn kernels_of_one(cx: &Cx, threads: usize) -> Outcome {
    let context = cx.context()?;
    has_kernels(cx, &context)?;
    let program = Program::built(&context, kernels::BASIC)?;
    together(threads, |number| {
        let queue = Queue::new(&context, cx.device(), 0)?;
        for _ in 0..10 {
            let kernel = Kernel::new(&program, c"fill")?;
            fills(cx, &context, &queue, &kernel, number as u8 + 1)?;
        }
        Ok(())
    })?;
    same!("the program's count", program.count()?, 1);
    Ok(())
}

/// Arguments come with the launch: one kernel may be launched from everywhere.
fn launches(cx: &Cx, threads: usize) -> Outcome {
    let (context, queue) = cx.queue(0)?;
    has_kernels(cx, &context)?;
    let program = Program::built(&context, kernels::BASIC)?;
    let kernel = Kernel::new(&program, c"fill")?;
    together(threads, |number| {
        for round in 0..20u8 {
            let value = number as u8 * 10 + round + 1;
            fills(cx, &context, &queue, &kernel, value)?;
        }
        Ok(())
    })
}

fn waits(cx: &Cx, threads: usize) -> Outcome {
    let (context, queue) = cx.queue(0)?;
    let gate = Gate::new(cx, &context)?;
    let event = gate.block(&queue)?;
    let waiting = AtomicU32::new(0);
    together(threads, |number| {
        if waiting.fetch_add(1, Ordering::SeqCst) as usize + 1 == threads {
            gate.open();
        }
        if number % 2 == 0 {
            event.wait()?;
        } else {
            queue.finish()?;
        }
        ensure!(event.ended()?, "it has not ended after the wait");
        Ok(())
    })
}

/// Commands of all threads, each behind the one before it, whoever enqueued that.
fn passed(cx: &Cx, threads: usize) -> Outcome {
    let context = cx.context()?;
    let queues: Result<Vec<Queue>, Stop> = (0..threads)
        .map(|_| Queue::new(&context, cx.device(), 0))
        .collect();
    let queues = queues?;
    let mut area = Usm::new(cx, &context, UsmKind::Host, 64)?;
    area.bytes().fill(0);
    let at = &area;
    // The event of the last command, and how many there were.
    let last = Mutex::new((Event::after(&queues[0], &[])?, 0));
    together(threads, |number| {
        for _ in 0..ROUNDS {
            let mut last = last.lock().map_err(|_| Stop::fail("a thread panicked"))?;
            let value = (last.1 % 251) as u8;
            last.0 = queues[number].fill(at.at, 64, value, &[last.0.get()])?;
            last.1 += 1;
        }
        Ok(())
    })?;
    let (last, count) = last
        .into_inner()
        .map_err(|_| Stop::fail("a thread panicked"))?;
    last.wait()?;
    for queue in &queues {
        queue.finish()?;
    }
    same!("commands", count, threads * ROUNDS);
    let value = ((count - 1) % 251) as u8;
    ensure!(
        area.bytes().iter().all(|b| *b == value),
        "the last is missing"
    );
    Ok(())
}

fn finish(cx: &Cx, threads: usize) -> Outcome {
    let (context, queue) = cx.queue(0)?;
    let areas: Result<Vec<Usm>, Stop> = (0..threads)
        .map(|_| Usm::new(cx, &context, UsmKind::Host, 100))
        .collect();
    let mut areas = areas?;
    together(threads, |number| {
        for round in 0..ROUNDS {
            queue.fill(areas[number].at, 100, round as u8, &[])?;
            queue.finish()?;
        }
        Ok(())
    })?;
    for area in &mut areas {
        let last = ROUNDS as u8 - 1;
        ensure!(
            area.bytes().iter().all(|b| *b == last),
            "the last is missing"
        );
    }
    Ok(())
}

fn queries(cx: &Cx, threads: usize) -> Outcome {
    let (context, queue) = cx.queue(0)?;
    let buffer = Memory::with(&context, &[1; 64])?;
    let event = Event::after(&queue, &[])?;
    let units = cx.device_info::<u32>(UR_DEVICE_INFO_MAX_COMPUTE_UNITS)?;
    together(threads, |_| {
        for _ in 0..ROUNDS {
            let told = cx.device_info::<u32>(UR_DEVICE_INFO_MAX_COMPUTE_UNITS)?;
            same!("compute units", told, units);
            let told: ur_context_handle_t = queue.info(UR_QUEUE_INFO_CONTEXT)?;
            same!("the context", told, context.get());
            let told: usize = buffer.info(UR_MEM_INFO_SIZE)?;
            same!("the size", told, 64);
            let told: ur_context_handle_t = event.info(UR_EVENT_INFO_CONTEXT)?;
            same!("the context", told, context.get());
        }
        Ok(())
    })?;
    queue.finish()
}

/// Launches of all threads add to one area through one in-order queue.
fn sums(cx: &Cx, threads: usize) -> Outcome {
    let (context, queue) = cx.queue(0)?;
    has_kernels(cx, &context)?;
    let program = Program::built(&context, kernels::BASIC)?;
    let kernel = Kernel::new(&program, c"increment")?;
    let mut area = Usm::new(cx, &context, UsmKind::Host, 256)?;
    area.bytes().fill(0);
    let at = &area;
    together(threads, |_| {
        for _ in 0..ROUNDS {
            let done = Event::made("urEnqueueKernelLaunchWithArgsExp", |out| {
                let args = [Arg::Pointer(at.at)];
                kernel.enqueue(&queue, Range::from(&[64][..]), &args, &[], out)
            })?;
            drop(done);
        }
        ok!(urQueueFlush(queue.get()))?;
        Ok(())
    })?;
    queue.finish()?;
    let sum = (threads * ROUNDS) as u32;
    same!("the sums", area.bytes(), sum.to_ne_bytes().repeat(64));
    Ok(())
}
