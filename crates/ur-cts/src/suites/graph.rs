//! Graphs of commands, recorded from queues.

use crate::failure::{Stop, check};
use crate::objects::{
    Arg, Context, Event, Gate, Kernel, Memory, Program, Queue, Range, Usm, UsmKind, or_null,
    problem,
};
use crate::test::Suite;
use crate::world::{Cx, Flags};
use crate::{Outcome, ensure, kernels, ok, refused, same, ur};
use std::ffi::{CString, c_void};
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicU32, Ordering};
use ur_api::*;

/// A recorded graph, destroyed when this goes away.
#[derive(Debug)]
struct Graph(ur_exp_graph_handle_t);

impl Drop for Graph {
    fn drop(&mut self) {
        let code = ur!(urGraphDestroyExp(self.0));
        if code != UR_RESULT_SUCCESS {
            problem(format!("urGraphDestroyExp returned {code}"));
        }
    }
}

impl Graph {
    fn new(context: &Context) -> Result<Graph, Stop> {
        let mut handle = null_mut();
        ok!(urGraphCreateExp(context.get(), &raw mut handle))?;
        ensure!(!handle.is_null(), "there is no graph");
        Ok(Graph(handle))
    }

    fn is_empty(&self) -> Result<bool, Stop> {
        let mut empty = false;
        ok!(urGraphIsEmptyExp(self.0, &raw mut empty))?;
        Ok(empty)
    }

    fn id(&self) -> Result<u64, Stop> {
        let mut id = 0;
        ok!(urGraphGetIdExp(self.0, &raw mut id))?;
        Ok(id)
    }

    fn ready(&self) -> Result<Ready, Stop> {
        let mut handle = null_mut();
        ok!(urGraphInstantiateGraphExp(self.0, &raw mut handle))?;
        ensure!(!handle.is_null(), "there is no graph that can run");
        Ok(Ready(handle))
    }
}

/// A graph that can run, destroyed when this goes away.
#[derive(Debug)]
struct Ready(ur_exp_executable_graph_handle_t);

impl Drop for Ready {
    fn drop(&mut self) {
        let code = ur!(urGraphExecutableGraphDestroyExp(self.0));
        if code != UR_RESULT_SUCCESS {
            problem(format!("urGraphExecutableGraphDestroyExp returned {code}"));
        }
    }
}

impl Ready {
    fn enqueue(&self, queue: &Queue, wait: &[ur_event_handle_t]) -> Result<Event, Stop> {
        Event::made("urEnqueueGraphExp", |out| {
            ur!(urEnqueueGraphExp(
                queue.get(),
                self.0,
                wait.len() as u32,
                or_null(wait),
                out
            ))
        })
    }
}

fn begin(queue: &Queue) -> Outcome {
    ok!(urQueueBeginGraphCaptureExp(queue.get()))?;
    Ok(())
}

fn end(queue: &Queue) -> Result<Graph, Stop> {
    let mut handle = null_mut();
    ok!(urQueueEndGraphCaptureExp(queue.get(), &raw mut handle))?;
    ensure!(!handle.is_null(), "there is no graph");
    Ok(Graph(handle))
}

fn records(queue: &Queue) -> Result<bool, Stop> {
    let mut records = false;
    ok!(urQueueIsGraphCaptureEnabledExp(
        queue.get(),
        &raw mut records
    ))?;
    Ok(records)
}

const SIZE: usize = 128;

/// What captured commands work on.
struct Stage {
    // In this order, so that each goes before what it was made of.
    kernel: Option<Kernel>,
    from: Memory,
    to: Memory,
    usm: Usm,
    host: Box<[u8; SIZE]>,
    calls: Box<AtomicU32>,
    queue: Queue,
    /// Records nothing.
    other: Queue,
    context: Context,
}

/// A kind of command that can be captured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    UsmMemcpy,
    UsmMemcpy2d,
    UsmFill,
    UsmFill2d,
    UsmPrefetch,
    UsmAdvise,
    BufferCopy,
    BufferFill,
    BufferWrite,
    BufferRead,
    BufferCopyRect,
    Launch,
    Wait,
    Barrier,
    HostTask,
}

impl Kind {
    const ALL: [Kind; 15] = [
        Kind::UsmMemcpy,
        Kind::UsmMemcpy2d,
        Kind::UsmFill,
        Kind::UsmFill2d,
        Kind::UsmPrefetch,
        Kind::UsmAdvise,
        Kind::BufferCopy,
        Kind::BufferFill,
        Kind::BufferWrite,
        Kind::BufferRead,
        Kind::BufferCopyRect,
        Kind::Launch,
        Kind::Wait,
        Kind::Barrier,
        Kind::HostTask,
    ];

    fn name(self) -> &'static str {
        match self {
            Kind::UsmMemcpy => "usm_memcpy",
            Kind::UsmMemcpy2d => "usm_memcpy_2d",
            Kind::UsmFill => "usm_fill",
            Kind::UsmFill2d => "usm_fill_2d",
            Kind::UsmPrefetch => "usm_prefetch",
            Kind::UsmAdvise => "usm_advise",
            Kind::BufferCopy => "mem_buffer_copy",
            Kind::BufferFill => "mem_buffer_fill",
            Kind::BufferWrite => "mem_buffer_write",
            Kind::BufferRead => "mem_buffer_read",
            Kind::BufferCopyRect => "mem_buffer_copy_rect",
            Kind::Launch => "kernel_launch",
            Kind::Wait => "events_wait",
            Kind::Barrier => "events_wait_with_barrier",
            Kind::HostTask => "host_task",
        }
    }
}

unsafe extern "C" fn count(calls: *mut c_void) {
    // SAFETY: the counter lives until every queue was finished.
    unsafe { &*calls.cast::<AtomicU32>() }.fetch_add(1, Ordering::SeqCst);
}

impl Stage {
    fn new(cx: &Cx, kind: Option<Kind>, flags: impl Into<Flags>) -> Result<Stage, Stop> {
        cx.needs(UR_DEVICE_INFO_GRAPH_RECORD_AND_REPLAY_SUPPORT_EXP)?;
        if kind == Some(Kind::HostTask) {
            cx.needs(UR_DEVICE_INFO_ENQUEUE_HOST_TASK_SUPPORT_EXP)?;
        }
        let flags = flags.into();
        if flags.0 != 0 {
            cx.needs_bits(UR_DEVICE_INFO_QUEUE_PROPERTIES, flags)?;
        }
        let (context, queue) = cx.queue(flags)?;
        let other = Queue::new(&context, cx.device(), 0)?;
        let mut usm = Usm::new(cx, &context, UsmKind::Host, SIZE)?;
        usm.bytes().fill(0);
        let kernel = match kind {
            Some(Kind::Launch) => {
                let program = Program::built(&context, kernels::BASIC)?;
                Some(Kernel::new(&program, c"fill")?)
            }
            _ => None,
        };
        Ok(Stage {
            kernel,
            from: Memory::with(&context, &[7; SIZE])?,
            to: Memory::with(&context, &[0; SIZE])?,
            usm,
            host: Box::new([0; SIZE]),
            calls: Box::default(),
            queue,
            other,
            context,
        })
    }

    /// Enqueues a command that makes the bytes of its target 7.
    fn enqueue(
        &self,
        kind: Kind,
        wait: &[ur_event_handle_t],
        event: *mut ur_event_handle_t,
    ) -> ur_result_t {
        static SEVENS: [u8; SIZE] = [7; SIZE];
        let queue = self.queue.get();
        let (number, list) = (wait.len() as u32, or_null(wait));
        let (from, to, usm) = (self.from.get(), self.to.get(), self.usm.at);
        let sevens = SEVENS.as_ptr().cast();
        let host = self.host.as_ptr().cast_mut().cast();
        let start = ur_rect_offset_t { x: 0, y: 0, z: 0 };
        let region = ur_rect_region_t {
            width: 16,
            height: 8,
            depth: 1,
        };
        match kind {
            Kind::UsmMemcpy => ur!(urEnqueueUSMMemcpy(
                queue, false, usm, sevens, SIZE, number, list, event
            )),
            Kind::UsmMemcpy2d => ur!(urEnqueueUSMMemcpy2D(
                queue, false, usm, 16, sevens, 16, 16, 8, number, list, event
            )),
            Kind::UsmFill => ur!(urEnqueueUSMFill(
                queue, usm, 1, sevens, SIZE, number, list, event
            )),
            Kind::UsmFill2d => ur!(urEnqueueUSMFill2D(
                queue, usm, 16, 1, sevens, 16, 8, number, list, event
            )),
            Kind::UsmPrefetch => ur!(urEnqueueUSMPrefetch(
                queue, usm, SIZE, 0, number, list, event
            )),
            Kind::UsmAdvise => ur!(urEnqueueUSMAdvise(
                queue,
                usm,
                SIZE,
                UR_USM_ADVICE_FLAG_DEFAULT.0,
                event
            )),
            Kind::BufferCopy => ur!(urEnqueueMemBufferCopy(
                queue, from, to, 0, 0, SIZE, number, list, event
            )),
            Kind::BufferFill => ur!(urEnqueueMemBufferFill(
                queue, to, sevens, 1, 0, SIZE, number, list, event
            )),
            Kind::BufferWrite => ur!(urEnqueueMemBufferWrite(
                queue, to, false, 0, SIZE, sevens, number, list, event
            )),
            Kind::BufferRead => ur!(urEnqueueMemBufferRead(
                queue, from, false, 0, SIZE, host, number, list, event
            )),
            Kind::BufferCopyRect => ur!(urEnqueueMemBufferCopyRect(
                queue, from, to, start, start, region, 16, 128, 16, 128, number, list, event
            )),
            Kind::Launch => {
                let Some(kernel) = &self.kernel else {
                    return UR_RESULT_ERROR_INVALID_KERNEL;
                };
                let args = [Arg::Pointer(usm), Arg::Value(&[7; 4])];
                kernel.enqueue(
                    &self.queue,
                    Range::from(&[SIZE / 4][..]),
                    &args,
                    wait,
                    event,
                )
            }
            Kind::Wait => ur!(urEnqueueEventsWait(queue, number, list, event)),
            Kind::Barrier => ur!(urEnqueueEventsWaitWithBarrier(queue, number, list, event)),
            Kind::HostTask => ur!(urEnqueueHostTaskExp(
                queue,
                Some(count),
                (&raw const *self.calls).cast_mut().cast(),
                null(),
                number,
                list,
                event
            )),
        }
    }

    /// As [`Stage::enqueue`], with an event.
    #[track_caller]
    fn captured(&self, kind: Kind, wait: &[ur_event_handle_t]) -> Result<Event, Stop> {
        Event::made(kind.name(), |out| self.enqueue(kind, wait, out))
    }

    /// What the command's target holds: zeros before, sevens behind it; none for one without.
    fn target(&mut self, kind: Kind) -> Result<Option<Vec<u8>>, Stop> {
        Ok(match kind {
            Kind::UsmMemcpy
            | Kind::UsmMemcpy2d
            | Kind::UsmFill
            | Kind::UsmFill2d
            | Kind::Launch => Some(self.usm.bytes().to_vec()),
            Kind::BufferCopy | Kind::BufferFill | Kind::BufferWrite | Kind::BufferCopyRect => {
                Some(self.to.read(&self.other, SIZE)?)
            }
            Kind::BufferRead => Some(self.host.to_vec()),
            Kind::HostTask => {
                let ran = self.calls.load(Ordering::SeqCst) != 0;
                Some(vec![if ran { 7 } else { 0 }; SIZE])
            }
            Kind::UsmPrefetch | Kind::UsmAdvise | Kind::Wait | Kind::Barrier => None,
        })
    }

    fn reset(&mut self) -> Outcome {
        self.usm.bytes().fill(0);
        self.host.fill(0);
        self.calls.store(0, Ordering::SeqCst);
        let zeros = [0u8; SIZE];
        ok!(urEnqueueMemBufferWrite(
            self.other.get(),
            self.to.get(),
            true,
            0,
            SIZE,
            zeros.as_ptr().cast(),
            0,
            null(),
            null_mut()
        ))?;
        Ok(())
    }

    fn expect(&mut self, kind: Kind, value: u8) -> Outcome {
        if let Some(found) = self.target(kind)? {
            let right = found.iter().all(|byte| *byte == value);
            ensure!(right, "{} left {found:?}, not {value}", kind.name());
        }
        Ok(())
    }

    /// Records a command.
    fn record(&self, kind: Kind) -> Result<Graph, Stop> {
        begin(&self.queue)?;
        check(
            kind.name(),
            UR_RESULT_SUCCESS,
            self.enqueue(kind, &[], null_mut()),
        )?;
        end(&self.queue)
    }
}

pub(crate) fn tests(suite: &mut Suite<'_>) {
    for kind in Kind::ALL {
        let mut suite = suite.part("capture");
        let mut suite = suite.part(kind.name());
        for (order, flags) in [
            ("in_order", 0),
            (
                "out_of_order",
                UR_QUEUE_FLAG_OUT_OF_ORDER_EXEC_MODE_ENABLE.0,
            ),
        ] {
            suite.device(format!("runs_when_enqueued::{order}"), move |cx| {
                let mut stage = Stage::new(cx, Some(kind), flags)?;
                let graph = stage.record(kind)?;
                stage.queue.finish()?;
                stage.expect(kind, 0)?;
                let ready = graph.ready()?;
                stage.expect(kind, 0)?;
                for _ in 0..3 {
                    stage.reset()?;
                    ready.enqueue(&stage.queue, &[])?.wait()?;
                    stage.expect(kind, 7)?;
                }
                Ok(())
            });
        }
        suite.device("its_event_orders_another", move |cx| {
            let flags = UR_QUEUE_FLAG_OUT_OF_ORDER_EXEC_MODE_ENABLE;
            let mut stage = Stage::new(cx, Some(kind), flags)?;
            begin(&stage.queue)?;
            let first = stage.captured(Kind::UsmFill, &[])?;
            let second = stage.captured(kind, &[first.get()])?;
            let third = stage.captured(Kind::Wait, &[second.get()])?;
            let graph = end(&stage.queue)?;
            drop((first, second, third));
            graph.ready()?.enqueue(&stage.queue, &[])?.wait()?;
            stage.expect(kind, 7)
        });
        suite.device("waits_for_events", move |cx| {
            let mut stage = Stage::new(cx, Some(kind), 0)?;
            let ready = stage.record(kind)?.ready()?;
            let gate = Gate::new(cx, &stage.context)?;
            let blocked = gate.block(&stage.other)?;
            let done = ready.enqueue(&stage.queue, &[blocked.get()])?;
            ensure!(!done.ended()?, "it ended before what it waits for");
            gate.open();
            done.wait()?;
            stage.other.finish()?;
            stage.expect(kind, 7)
        });
        suite.device("graph_goes_before_the_run", move |cx| {
            let mut stage = Stage::new(cx, Some(kind), 0)?;
            let graph = stage.record(kind)?;
            let ready = graph.ready()?;
            drop(graph);
            let done = ready.enqueue(&stage.queue, &[])?;
            drop(ready);
            done.wait()?;
            stage.expect(kind, 7)
        });
    }
    states(suite);
    order(suite);
    queries(suite);
}

fn states(suite: &mut Suite<'_>) {
    suite.device("begin::says_so", |cx| {
        let stage = Stage::new(cx, None, 0)?;
        ensure!(!records(&stage.queue)?, "it records from the start");
        begin(&stage.queue)?;
        ensure!(records(&stage.queue)?, "it does not record");
        ensure!(!records(&stage.other)?, "another queue records");
        let graph = end(&stage.queue)?;
        ensure!(!records(&stage.queue)?, "it still records");
        ensure!(graph.is_empty()?, "the graph has commands");
        Ok(())
    });
    suite.device("begin::twice", |cx| {
        let stage = Stage::new(cx, None, 0)?;
        begin(&stage.queue)?;
        let code = ur!(urQueueBeginGraphCaptureExp(stage.queue.get()));
        ensure!(code != UR_RESULT_SUCCESS, "a queue records twice");
        ensure!(records(&stage.queue)?, "it records no more");
        drop(end(&stage.queue)?);
        Ok(())
    });
    suite.device("end::without_begin", |cx| {
        let stage = Stage::new(cx, None, 0)?;
        let mut handle = null_mut();
        let code = ur!(urQueueEndGraphCaptureExp(
            stage.queue.get(),
            &raw mut handle
        ));
        ensure!(code != UR_RESULT_SUCCESS, "a graph out of nothing");
        Ok(())
    });
    suite.device("begin::again_after_end", |cx| {
        let mut stage = Stage::new(cx, None, 0)?;
        for _ in 0..3 {
            let ready = stage.record(Kind::UsmFill)?.ready()?;
            stage.reset()?;
            ready.enqueue(&stage.queue, &[])?.wait()?;
            stage.expect(Kind::UsmFill, 7)?;
        }
        Ok(())
    });
    suite.device("begin_into::records_in_the_graph", |cx| {
        let mut stage = Stage::new(cx, None, 0)?;
        let graph = Graph::new(&stage.context)?;
        ensure!(graph.is_empty()?, "a new graph has commands");
        ok!(urQueueBeginCaptureIntoGraphExp(stage.queue.get(), graph.0))?;
        stage.captured(Kind::UsmFill, &[])?;
        let mut same = null_mut();
        ok!(urQueueEndGraphCaptureExp(stage.queue.get(), &raw mut same))?;
        same!("the graph", same, graph.0);
        ensure!(!graph.is_empty()?, "the graph has no commands");
        graph.ready()?.enqueue(&stage.queue, &[])?.wait()?;
        stage.expect(Kind::UsmFill, 7)
    });
    suite.device("begin_into::what_is_being_recorded", |cx| {
        let stage = Stage::new(cx, None, 0)?;
        let graph = Graph::new(&stage.context)?;
        ok!(urQueueBeginCaptureIntoGraphExp(stage.queue.get(), graph.0))?;
        let code = ur!(urQueueBeginCaptureIntoGraphExp(stage.other.get(), graph.0));
        ensure!(code != UR_RESULT_SUCCESS, "two queues begin one graph");
        let mut same = null_mut();
        ok!(urQueueEndGraphCaptureExp(stage.queue.get(), &raw mut same))?;
        Ok(())
    });
    suite.device("begin_into::graph_of_another_context", |cx| {
        let stage = Stage::new(cx, None, 0)?;
        let context = cx.context()?;
        let graph = Graph::new(&context)?;
        let code = ur!(urQueueBeginCaptureIntoGraphExp(stage.queue.get(), graph.0));
        ensure!(code != UR_RESULT_SUCCESS, "a graph of another context");
        ensure!(!records(&stage.queue)?, "it records");
        Ok(())
    });
    suite.device("get_graph::while_it_records", |cx| {
        let stage = Stage::new(cx, None, 0)?;
        let graph = Graph::new(&stage.context)?;
        ok!(urQueueBeginCaptureIntoGraphExp(stage.queue.get(), graph.0))?;
        let mut told = null_mut();
        ok!(urQueueGetGraphExp(stage.queue.get(), &raw mut told))?;
        same!("the graph", told, graph.0);
        ok!(urQueueEndGraphCaptureExp(stage.queue.get(), &raw mut told))?;
        Ok(())
    });
    suite.device("get_graph::of_its_own", |cx| {
        let stage = Stage::new(cx, None, 0)?;
        begin(&stage.queue)?;
        let mut told = null_mut();
        ok!(urQueueGetGraphExp(stage.queue.get(), &raw mut told))?;
        let graph = end(&stage.queue)?;
        same!("the graph", told, graph.0);
        Ok(())
    });
    suite.device("get_graph::of_none", |cx| {
        let stage = Stage::new(cx, None, 0)?;
        let mut told = null_mut();
        refused!(
            UR_RESULT_ERROR_INVALID_OPERATION,
            urQueueGetGraphExp(stage.queue.get(), &raw mut told)
        )?;
        Ok(())
    });
    suite.device("capture::blocking_call", |cx| {
        let mut stage = Stage::new(cx, None, 0)?;
        begin(&stage.queue)?;
        let code = ur!(urEnqueueUSMMemcpy(
            stage.queue.get(),
            true,
            stage.usm.at,
            [1u8; SIZE].as_ptr().cast(),
            SIZE,
            0,
            null(),
            null_mut()
        ));
        drop(end(&stage.queue)?);
        // A call that waits for what does not run could not end.
        ensure!(
            code != UR_RESULT_SUCCESS,
            "it waited for a recorded command"
        );
        stage.expect(Kind::UsmMemcpy, 0)
    });
    suite.device("capture::released_queue", |cx| {
        let stage = Stage::new(cx, None, 0)?;
        let queue = Queue::new(&stage.context, cx.device(), 0)?;
        begin(&queue)?;
        queue.fill(stage.usm.at, SIZE, 1, &[])?;
        // A recording that nobody ends goes with its queue.
        drop(queue);
        Ok(())
    });
}

fn order(suite: &mut Suite<'_>) {
    for length in [2u8, 20, 200] {
        suite.device(format!("order::chain_of_{length}"), move |cx| {
            let mut stage = Stage::new(cx, None, 0)?;
            begin(&stage.queue)?;
            for value in 1..=length {
                stage.queue.fill(stage.usm.at, SIZE, value, &[])?;
            }
            let ready = end(&stage.queue)?.ready()?;
            for _ in 0..3 {
                stage.usm.bytes().fill(0);
                ready.enqueue(&stage.queue, &[])?.wait()?;
                let right = stage.usm.bytes().iter().all(|b| *b == length);
                ensure!(right, "the last is not the last");
            }
            Ok(())
        });
    }
    suite.device("order::runs_follow_each_other", |cx| {
        let stage = Stage::new(cx, None, 0)?;
        let mut numbers = Usm::new(cx, &stage.context, UsmKind::Host, 64)?;
        numbers.bytes().fill(0);
        let program = Program::built(&stage.context, kernels::BASIC)?;
        let kernel = Kernel::new(&program, c"increment")?;
        begin(&stage.queue)?;
        let range = Range::from(&[16][..]);
        let args = [Arg::Pointer(numbers.at)];
        let code = kernel.enqueue(&stage.queue, range, &args, &[], null_mut());
        check("urEnqueueKernelLaunchWithArgsExp", UR_RESULT_SUCCESS, code)?;
        let ready = end(&stage.queue)?.ready()?;
        for _ in 0..50 {
            ready.enqueue(&stage.queue, &[])?;
        }
        stage.queue.finish()?;
        same!(
            "the counts",
            numbers.bytes(),
            50u32.to_ne_bytes().repeat(16)
        );
        Ok(())
    });
    suite.device("order::two_runs_of_two_graphs_of_one", |cx| {
        let mut stage = Stage::new(cx, None, 0)?;
        let graph = stage.record(Kind::UsmFill)?;
        let (one, two) = (graph.ready()?, graph.ready()?);
        for ready in [&one, &two] {
            stage.reset()?;
            ready.enqueue(&stage.queue, &[])?.wait()?;
            stage.expect(Kind::UsmFill, 7)?;
        }
        Ok(())
    });
    suite.device("order::between_other_commands", |cx| {
        let mut stage = Stage::new(cx, None, 0)?;
        let ready = stage.record(Kind::UsmFill)?.ready()?;
        let mut after = [0u8; SIZE];
        stage.queue.fill(stage.usm.at, SIZE, 1, &[])?;
        ready.enqueue(&stage.queue, &[])?;
        let at = stage.usm.at;
        stage.queue.copy(after.as_mut_ptr().cast(), at, SIZE, &[])?;
        stage.queue.fill(at, SIZE, 2, &[])?;
        stage.queue.finish()?;
        ensure!(
            after.iter().all(|b| *b == 7),
            "what came behind saw {after:?}"
        );
        stage.expect(Kind::UsmFill, 2)
    });
    suite.device("order::another_queue_joins", |cx| {
        let mut stage = Stage::new(cx, None, 0)?;
        begin(&stage.queue)?;
        let first = stage.captured(Kind::UsmFill, &[])?;
        // This is recorded, too, for it waits for a recorded command.
        let second = stage.other.fill(stage.usm.at, SIZE, 9, &[first.get()])?;
        ensure!(records(&stage.other)?, "the other queue does not record");
        let third = stage.captured(Kind::Wait, &[second.get()])?;
        let ready = end(&stage.queue)?.ready()?;
        ensure!(!records(&stage.other)?, "the other queue still records");
        drop((first, second, third));
        stage.expect(Kind::UsmFill, 0)?;
        ready.enqueue(&stage.queue, &[])?.wait()?;
        stage.expect(Kind::UsmFill, 9)
    });
    suite.device("order::in_another_queue", |cx| {
        let mut stage = Stage::new(cx, None, 0)?;
        let ready = stage.record(Kind::UsmFill)?.ready()?;
        ready.enqueue(&stage.other, &[])?.wait()?;
        stage.expect(Kind::UsmFill, 7)
    });
    suite.device("order::recorded_while_others_run", |cx| {
        let mut stage = Stage::new(cx, None, 0)?;
        let mut own = Usm::new(cx, &stage.context, UsmKind::Host, SIZE)?;
        begin(&stage.queue)?;
        stage.captured(Kind::UsmFill, &[])?;
        stage.other.fill(own.at, SIZE, 3, &[])?.wait()?;
        ensure!(
            own.bytes().iter().all(|b| *b == 3),
            "the other does not run"
        );
        let graph = end(&stage.queue)?;
        stage.expect(Kind::UsmFill, 0)?;
        graph.ready()?.enqueue(&stage.queue, &[])?.wait()?;
        stage.expect(Kind::UsmFill, 7)
    });
    suite.device("enqueue::event_and_command", |cx| {
        let stage = Stage::new(cx, None, 0)?;
        let ready = stage.record(Kind::UsmFill)?.ready()?;
        let done = ready.enqueue(&stage.queue, &[])?;
        done.wait()?;
        ensure!(done.ended()?, "the event has not ended after the wait");
        let command: ur_command_t = done.info(UR_EVENT_INFO_COMMAND_TYPE)?;
        same!("the command", command, UR_COMMAND_ENQUEUE_GRAPH_EXP);
        Ok(())
    });
    suite.device("enqueue::without_event", |cx| {
        let mut stage = Stage::new(cx, None, 0)?;
        let ready = stage.record(Kind::UsmFill)?.ready()?;
        let queue = stage.queue.get();
        ok!(urEnqueueGraphExp(queue, ready.0, 0, null(), null_mut()))?;
        stage.queue.finish()?;
        stage.expect(Kind::UsmFill, 7)
    });
    suite.device("enqueue::empty", |cx| {
        let stage = Stage::new(cx, None, 0)?;
        begin(&stage.queue)?;
        let ready = end(&stage.queue)?.ready()?;
        for _ in 0..3 {
            ready.enqueue(&stage.queue, &[])?.wait()?;
        }
        Ok(())
    });
}

fn queries(suite: &mut Suite<'_>) {
    suite.device("is_empty::with_a_command", |cx| {
        let stage = Stage::new(cx, None, 0)?;
        let graph = stage.record(Kind::UsmFill)?;
        ensure!(!graph.is_empty()?, "the graph has no commands");
        Ok(())
    });
    suite.device("get_id::all_differ", |cx| {
        let stage = Stage::new(cx, None, 0)?;
        let graphs: Result<Vec<Graph>, Stop> =
            (0..20).map(|_| Graph::new(&stage.context)).collect();
        let graphs = graphs?;
        let ids: Result<Vec<u64>, Stop> = graphs.iter().map(Graph::id).collect();
        let mut ids = ids?;
        same!("asked again", graphs[0].id()?, ids[0]);
        ids.sort_unstable();
        ids.dedup();
        same!("numbers", ids.len(), 20);
        Ok(())
    });
    for callbacks in [1u32, 2, 10] {
        suite.device(format!("destruction::{callbacks}_callbacks"), move |cx| {
            let stage = Stage::new(cx, None, 0)?;
            let graph = Graph::new(&stage.context)?;
            let calls = AtomicU32::new(0);
            for _ in 0..callbacks {
                let data = (&raw const calls).cast_mut().cast();
                ok!(urGraphSetDestructionCallbackExp(graph.0, Some(count), data))?;
            }
            same!("calls before", calls.load(Ordering::SeqCst), 0);
            drop(graph);
            same!("calls behind", calls.load(Ordering::SeqCst), callbacks);
            Ok(())
        });
    }
    suite.device("dump::writes_a_file", |cx| {
        let stage = Stage::new(cx, None, 0)?;
        let graph = stage.record(Kind::UsmFill)?;
        let number = std::process::id();
        let path = std::env::temp_dir().join(format!("ur-cts-graph-{number}"));
        let name = CString::new(path.as_os_str().as_encoded_bytes()).map_err(Stop::fail)?;
        let code = ur!(urGraphDumpContentsExp(graph.0, name.as_ptr()));
        let size = std::fs::metadata(&path).map(|found| found.len());
        let _ = std::fs::remove_file(&path);
        check("urGraphDumpContentsExp", UR_RESULT_SUCCESS, code)?;
        ensure!(size.map_err(Stop::fail)? > 0, "the file is empty");
        Ok(())
    });
    suite.device("dump::to_no_folder", |cx| {
        let stage = Stage::new(cx, None, 0)?;
        let graph = Graph::new(&stage.context)?;
        let code = ur!(urGraphDumpContentsExp(
            graph.0,
            c"/there/is/no/such/folder".as_ptr()
        ));
        ensure!(code != UR_RESULT_SUCCESS, "it was written somewhere");
        Ok(())
    });
    suite.device("native_handle::asked_or_declined", |cx| {
        let stage = Stage::new(cx, None, 0)?;
        let graph = stage.record(Kind::UsmFill)?;
        let ready = graph.ready()?;
        let either = [UR_RESULT_SUCCESS, UR_RESULT_ERROR_UNSUPPORTED_FEATURE];
        let (mut one, mut two) = (0, 0);
        refused!(either, urGraphGetNativeHandleExp(graph.0, &raw mut one))?;
        refused!(
            either,
            urGraphExecutableGraphGetNativeHandleExp(ready.0, &raw mut two)
        )?;
        Ok(())
    });
}
