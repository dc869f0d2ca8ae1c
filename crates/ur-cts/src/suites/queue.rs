//! Queues.

use crate::failure::{Stop, check};
use crate::objects::{Counted, Event, Gate, Memory, Queue, Usm, UsmKind, or_null};
use crate::test::Suite;
use crate::world::Cx;
use crate::{Outcome, ensure, ok, refused, same, ur};
use std::ptr::{null, null_mut};
use ur_api::*;

const FLAGS: [ur_queue_flag_t; 12] = [
    UR_QUEUE_FLAG_OUT_OF_ORDER_EXEC_MODE_ENABLE,
    UR_QUEUE_FLAG_PROFILING_ENABLE,
    UR_QUEUE_FLAG_ON_DEVICE,
    UR_QUEUE_FLAG_ON_DEVICE_DEFAULT,
    UR_QUEUE_FLAG_DISCARD_EVENTS,
    UR_QUEUE_FLAG_PRIORITY_LOW,
    UR_QUEUE_FLAG_PRIORITY_HIGH,
    UR_QUEUE_FLAG_SUBMISSION_BATCHED,
    UR_QUEUE_FLAG_SUBMISSION_IMMEDIATE,
    UR_QUEUE_FLAG_USE_DEFAULT_STREAM,
    UR_QUEUE_FLAG_SYNC_WITH_DEFAULT_STREAM,
    UR_QUEUE_FLAG_LOW_POWER_EVENTS_SUPPORT_EXP,
];

/// `out_of_order_exec_mode_enable` of `UR_QUEUE_FLAG_OUT_OF_ORDER_EXEC_MODE_ENABLE`.
fn short(flag: ur_queue_flag_t) -> String {
    let name = flag.to_string().to_lowercase();
    name.trim_start_matches("ur_queue_flag_").to_owned()
}

/// A write and a read through the queue.
fn works(cx: &Cx, queue: &Queue, context: &crate::objects::Context) -> Outcome {
    let buffer = Memory::with(context, &[1, 2, 3, 4])?;
    same!("what a buffer holds", buffer.read(queue, 4)?, [1, 2, 3, 4]);
    let device: ur_device_handle_t = queue.info(UR_QUEUE_INFO_DEVICE)?;
    same!("the queue's device", device, cx.device());
    Ok(())
}

/// A queue with these flags, or unsupported where the device does not claim one and refuses it.
fn with(cx: &Cx, flags: u32) -> Outcome {
    let claimed = cx
        .device_info::<u32>(UR_DEVICE_INFO_QUEUE_PROPERTIES)?
        .unwrap_or(0);
    let context = cx.context()?;
    let properties = ur_queue_properties_t {
        flags,
        ..Default::default()
    };
    let mut handle = null_mut();
    let code = ur!(urQueueCreate(
        context.get(),
        cx.device(),
        &raw const properties,
        &raw mut handle
    ));
    let declined = [
        UR_RESULT_ERROR_INVALID_QUEUE_PROPERTIES,
        UR_RESULT_ERROR_UNSUPPORTED_FEATURE,
        UR_RESULT_ERROR_INVALID_VALUE,
    ];
    if declined.contains(&code) && claimed & flags != flags {
        return Err(Stop::Unsupported(format!(
            "QUEUE_PROPERTIES is {claimed:#x}, without {flags:#x}"
        )));
    }
    check("urQueueCreate", UR_RESULT_SUCCESS, code)?;
    let queue = Queue::adopt(handle);
    let told: u32 = queue.info(UR_QUEUE_INFO_FLAGS)?;
    ensure!(
        told & flags & claimed == flags & claimed,
        "flags {told:#x} of {flags:#x}"
    );
    // What the host enqueues does not go to a queue of the device.
    let of_the_device = UR_QUEUE_FLAG_ON_DEVICE.0 | UR_QUEUE_FLAG_ON_DEVICE_DEFAULT.0;
    if flags & of_the_device != 0 {
        return Ok(());
    }
    works(cx, &queue, &context)
}

fn fill(queue: &Queue, usm: &Usm, value: u8, wait: &[ur_event_handle_t]) -> Result<Event, Stop> {
    Event::made("urEnqueueUSMFill", |out| {
        ur!(urEnqueueUSMFill(
            queue.get(),
            usm.at,
            1,
            (&raw const value).cast(),
            usm.size,
            wait.len() as u32,
            or_null(wait),
            out
        ))
    })
}

pub(crate) fn tests(suite: &mut Suite<'_>) {
    suite.device("create::no_properties", |cx| {
        let context = cx.context()?;
        let queue = Queue::made("urQueueCreate", |out| {
            ur!(urQueueCreate(context.get(), cx.device(), null(), out))
        })?;
        same!("the count", queue.count()?, 1);
        works(cx, &queue, &context)
    });
    suite.device("create::no_flags", |cx| with(cx, 0));
    for flag in FLAGS {
        suite.device(format!("create::{}", short(flag)), move |cx| {
            with(cx, flag.0)
        });
    }
    for (at, one) in FLAGS.iter().enumerate() {
        for two in &FLAGS[at + 1..] {
            let (one, two) = (*one, *two);
            // These are contradictions.
            let priorities = two == UR_QUEUE_FLAG_PRIORITY_HIGH;
            let submissions = two == UR_QUEUE_FLAG_SUBMISSION_IMMEDIATE;
            if one == UR_QUEUE_FLAG_PRIORITY_LOW && priorities
                || one == UR_QUEUE_FLAG_SUBMISSION_BATCHED && submissions
            {
                continue;
            }
            let name = format!("create::{}_and_{}", short(one), short(two));
            suite.device(name, move |cx| with(cx, one.0 | two.0));
        }
    }
    suite.device("create::index_of_each_engine", |cx| {
        let engines = cx.device_info::<u32>(UR_DEVICE_INFO_MAX_COMPUTE_QUEUE_INDICES)?;
        let context = cx.context()?;
        for index in 0..engines.unwrap_or(1).max(1) {
            let mut engine = ur_queue_index_properties_t {
                computeIndex: index,
                ..Default::default()
            };
            let properties = ur_queue_properties_t {
                pNext: (&raw mut engine).cast(),
                ..Default::default()
            };
            let queue = Queue::made("urQueueCreate", |out| {
                let properties = &raw const properties;
                ur!(urQueueCreate(context.get(), cx.device(), properties, out))
            })?;
            works(cx, &queue, &context)?;
        }
        Ok(())
    });
    suite.device("get_info::context_and_device", |cx| {
        let (context, queue) = cx.queue(0)?;
        let asked: ur_context_handle_t = queue.info(UR_QUEUE_INFO_CONTEXT)?;
        same!("the context", asked, context.get());
        let asked: ur_device_handle_t = queue.info(UR_QUEUE_INFO_DEVICE)?;
        same!("the device", asked, cx.device());
        Ok(())
    });
    suite.device("get_info::asking_adds_no_owner", |cx| {
        let (context, queue) = cx.queue(0)?;
        let before = context.count()?;
        for _ in 0..10 {
            queue.info::<ur_context_handle_t>(UR_QUEUE_INFO_CONTEXT)?;
        }
        same!("the context's count", context.count()?, before);
        Ok(())
    });
    suite.device("get_info::empty", |cx| {
        let (context, queue) = cx.queue(0)?;
        let mut size = 0;
        let code = queue.ask(UR_QUEUE_INFO_EMPTY, 0, null_mut(), &raw mut size);
        if code == UR_RESULT_ERROR_UNSUPPORTED_ENUMERATION {
            return Err(Stop::Unsupported("QUEUE_INFO_EMPTY is declined".into()));
        }
        same!(
            "empty at first",
            queue.info::<ur_bool_t>(UR_QUEUE_INFO_EMPTY)?,
            1
        );
        let gate = Gate::new(cx, &context)?;
        let event = gate.block(&queue)?;
        same!(
            "empty with a command",
            queue.info::<ur_bool_t>(UR_QUEUE_INFO_EMPTY)?,
            0
        );
        gate.open();
        event.wait()?;
        queue.finish()?;
        same!(
            "empty at the end",
            queue.info::<ur_bool_t>(UR_QUEUE_INFO_EMPTY)?,
            1
        );
        Ok(())
    });
    for times in [1, 2, 100] {
        suite.device(format!("retain::{times}_times"), move |cx| {
            let (context, queue) = cx.queue(0)?;
            let mut more = Vec::new();
            for count in 2..times + 2 {
                more.push(queue.retain()?);
                same!("the count", queue.count()?, count);
            }
            while let Some(one) = more.pop() {
                one.release()?;
                same!("the count", queue.count()? as usize, more.len() + 1);
            }
            works(cx, &queue, &context)
        });
    }
    for (name, flags) in [
        ("in_order", 0),
        (
            "out_of_order",
            UR_QUEUE_FLAG_OUT_OF_ORDER_EXEC_MODE_ENABLE.0,
        ),
    ] {
        suite.device(format!("finish::empty::{name}"), move |cx| {
            let (_context, queue) = cx.queue(flags)?;
            queue.finish()?;
            queue.finish()
        });
        suite.device(format!("flush::empty::{name}"), move |cx| {
            let (_context, queue) = cx.queue(flags)?;
            ok!(urQueueFlush(queue.get()))?;
            Ok(())
        });
        suite.device(format!("finish::waits_for_all::{name}"), move |cx| {
            let (context, queue) = cx.queue(flags)?;
            let mut areas = Vec::new();
            for value in 0..16u8 {
                let usm = Usm::new(cx, &context, UsmKind::Host, 1000)?;
                fill(&queue, &usm, value, &[])?;
                areas.push(usm);
            }
            queue.finish()?;
            for (value, usm) in areas.iter_mut().enumerate() {
                let filled = usm.bytes().iter().all(|byte| *byte == value as u8);
                ensure!(filled, "area {value} is not filled");
            }
            Ok(())
        });
        suite.device(format!("finish::waits_for_blocked::{name}"), move |cx| {
            let (context, queue) = cx.queue(flags)?;
            let gate = Gate::new(cx, &context)?;
            let event = gate.block(&queue)?;
            ensure!(!event.ended()?, "the command ended before its gate opened");
            let opener = std::thread::scope(|scope| {
                let opener = scope.spawn(|| gate.open());
                let finished = queue.finish();
                opener.join().map_err(|_| Stop::fail("a panic"))?;
                finished
            });
            opener?;
            ensure!(event.ended()?, "finish returned before the command's end");
            Ok(())
        });
        suite.device(format!("flush::does_not_wait::{name}"), move |cx| {
            let (context, queue) = cx.queue(flags)?;
            let gate = Gate::new(cx, &context)?;
            let event = gate.block(&queue)?;
            ok!(urQueueFlush(queue.get()))?;
            ensure!(!event.ended()?, "the command ended before its gate opened");
            gate.open();
            queue.finish()
        });
        suite.device(format!("release::commands_go_on::{name}"), move |cx| {
            let (context, queue) = cx.queue(flags)?;
            let mut usm = Usm::new(cx, &context, UsmKind::Host, 100)?;
            let gate = Gate::new(cx, &context)?;
            let blocked = gate.block(&queue)?;
            let last = fill(&queue, &usm, 7, &[blocked.get()])?;
            gate.open();
            queue.release()?;
            last.wait()?;
            ensure!(usm.bytes().iter().all(|b| *b == 7), "it was not filled");
            Ok(())
        });
    }
    for length in [2, 10, 100] {
        suite.device(format!("in_order::chain_of_{length}"), move |cx| {
            let (context, queue) = cx.queue(0)?;
            let mut usm = Usm::new(cx, &context, UsmKind::Host, 64)?;
            for step in 0..length {
                fill(&queue, &usm, step as u8, &[])?;
            }
            queue.finish()?;
            let last = (length - 1) as u8;
            ensure!(usm.bytes().iter().all(|b| *b == last), "{:?}", usm.bytes());
            Ok(())
        });
        suite.device(format!("out_of_order::chain_of_{length}"), move |cx| {
            let (context, queue) = cx.queue(UR_QUEUE_FLAG_OUT_OF_ORDER_EXEC_MODE_ENABLE)?;
            let mut usm = Usm::new(cx, &context, UsmKind::Host, 64)?;
            let mut before: Vec<Event> = Vec::new();
            for step in 0..length {
                let wait: Vec<_> = before.iter().map(Event::get).collect();
                before = vec![fill(&queue, &usm, step as u8, &wait)?];
            }
            queue.finish()?;
            let last = (length - 1) as u8;
            ensure!(usm.bytes().iter().all(|b| *b == last), "{:?}", usm.bytes());
            Ok(())
        });
    }
    suite.device("in_order::nothing_passes_a_blocked_command", |cx| {
        let (context, queue) = cx.queue(0)?;
        let gate = Gate::new(cx, &context)?;
        let _blocked = gate.block(&queue)?;
        let behind = Event::after(&queue, &[])?;
        ensure!(!behind.ended()?, "a command passed one before it");
        gate.open();
        behind.wait()?;
        queue.finish()
    });
    suite.device("two::an_event_of_the_other_holds_a_command", |cx| {
        let (context, queue) = cx.queue(0)?;
        let other = Queue::new(&context, cx.device(), 0)?;
        let gate = Gate::new(cx, &context)?;
        let blocked = gate.block(&queue)?;
        let behind = Event::after(&other, &[blocked.get()])?;
        ensure!(!behind.ended()?, "it did not wait");
        gate.open();
        behind.wait()?;
        ensure!(blocked.ended()?, "the first has not ended");
        queue.finish()
    });
    for number in [2, 8, 32] {
        suite.device(format!("many::{number}_queues_of_a_context"), move |cx| {
            let context = cx.context()?;
            let queues: Result<Vec<Queue>, Stop> = (0..number)
                .map(|_| Queue::new(&context, cx.device(), 0))
                .collect();
            let queues = queues?;
            let mut areas = Vec::new();
            for (value, queue) in queues.iter().enumerate() {
                let usm = Usm::new(cx, &context, UsmKind::Host, 256)?;
                fill(queue, &usm, value as u8, &[])?;
                areas.push(usm);
            }
            for queue in &queues {
                queue.finish()?;
            }
            for (value, usm) in areas.iter_mut().enumerate() {
                let filled = usm.bytes().iter().all(|byte| *byte == value as u8);
                ensure!(filled, "area {value} is not filled");
            }
            Ok(())
        });
    }
    suite.device("native_handle::there_and_back", |cx| {
        let (context, queue) = cx.queue(0)?;
        let mut native = 0;
        let mut desc = ur_queue_native_desc_t::default();
        ok!(urQueueGetNativeHandle(
            queue.get(),
            &raw mut desc,
            &raw mut native
        ))?;
        let properties = ur_queue_native_properties_t::default();
        let back = Queue::made("urQueueCreateWithNativeHandle", |out| {
            ur!(urQueueCreateWithNativeHandle(
                native,
                context.get(),
                cx.device(),
                &raw const properties,
                out
            ))
        })?;
        works(cx, &back, &context)
    });
    suite.validated().global("null_handles", |_| {
        let null_handle = UR_RESULT_ERROR_INVALID_NULL_HANDLE;
        refused!(null_handle, urQueueRetain(null_mut()))?;
        refused!(null_handle, urQueueRelease(null_mut()))?;
        refused!(null_handle, urQueueFinish(null_mut()))?;
        refused!(null_handle, urQueueFlush(null_mut()))?;
        Ok(())
    });
}
