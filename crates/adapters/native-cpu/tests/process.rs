//! What becomes of a process: forks and exits. Each scenario runs in a process of its own, this
//! test program started again.

mod common;
#[path = "process_parts/fork.rs"]
mod fork;
mod process_parts;
#[path = "process_parts/tiers.rs"]
mod tiers;

use common::*;
use process_parts::watch::{self, leaving};
use std::mem::ManuallyDrop;
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock, mpsc};
use tiers::Neighbours;
use ur_api::*;

/// Names the scenario to the program started again: state, handles and ending, or a fork.
const SCENARIO: &str = "UR_TEST_SCENARIO";

/// The exit code that every ending is to keep.
const CODE: i32 = 37;

/// What is going on when the process ends.
const STATES: [&str; 6] = ["idle", "pending", "blocked", "busy", "kernel", "compiling"];

/// Whether the program releases what it made.
const HANDLES: [&str; 2] = ["released", "leaked"];

/// How the process ends. A plain return is here that of a test, so its code is 0.
const ENDINGS: [&str; 8] = [
    "return",
    "exit",
    "_exit",
    "atexit",
    "destructor",
    "thread",
    "task",
    "callback",
];

/// Enqueues a fill that takes the workers, without waiting.
fn work(queue: ur_queue_handle_t, memory: &mut Vec<u8>) {
    if memory.is_empty() {
        memory.resize(8 << 20, 0);
    }
    let (at, pattern) = (memory.as_mut_ptr().cast(), 3u8);
    let from = (&raw const pattern).cast();
    let size = memory.len();
    ok!(Enqueue.pfnUSMFill(queue, at, 1, from, size, 0, null(), null_mut()));
}

/// Nothing is found compiled.
const UNKEPT: (&str, &str) = ("UR_JIT_CACHE", "off");

/// Plays the scenario that the environment names; an ordinary test run names none.
#[test]
fn scenario() {
    let Ok(name) = std::env::var(SCENARIO) else {
        return;
    };
    let words: Vec<&str> = name.split(' ').collect();
    match words[..] {
        ["fork", which] => fork::scenario(which),
        [state, handles, ending] => end(state, handles == "leaked", ending),
        _ => panic!("no scenario {name}"),
    }
}

/// The queue of the process, for handlers that cannot be given one.
static QUEUE: AtomicUsize = AtomicUsize::new(0);

extern "C" fn last_calls() {
    let queue = QUEUE.load(Ordering::Relaxed) as ur_queue_handle_t;
    let mut event = null_mut();
    // Of another queue than the one that may be blocked.
    let (mut context, mut other) = (null_mut::<ur_context_handle_t_>(), null_mut());
    let place = (&raw mut context).cast();
    ok!(Queue.pfnGetInfo(queue, UR_QUEUE_INFO_CONTEXT, 8, place, null_mut()));
    ok!(Queue.pfnCreate(context, device(), null(), &mut other));
    let mut memory = Vec::new();
    work(other, &mut memory);
    ok!(Enqueue.pfnEventsWait(other, 0, null(), &mut event));
    ok!(Event.pfnWait(1, &event));
    assert!(memory.iter().all(|byte| *byte == 3));
    ok!(Event.pfnRelease(event));
    ok!(Queue.pfnRelease(other));
}

/// What the program's destructor of global objects does, if it is to do anything.
static LAST: OnceLock<extern "C" fn()> = OnceLock::new();

extern "C" fn destroy() {
    if let Some(last) = LAST.get() {
        last();
        leaving();
    }
}

// Called by the dynamic linker at exit, when handlers registered later than the program's start (as those
// of libraries that it opened) have run.
#[used]
#[unsafe(link_section = ".fini_array")]
static DESTRUCTOR: extern "C" fn() = destroy;

/// The kernel for which better code is being made.
static IMPROVED: Mutex<Option<SendNeighbours>> = Mutex::new(None);

struct SendNeighbours(Neighbours);

// SAFETY: the API's objects may be used by any thread.
unsafe impl Send for SendNeighbours {}

/// Last calls, and launches until the better code is there: its compilation goes on all the time.
extern "C" fn see_better_code() {
    last_calls();
    let queue = ManuallyDrop::new(Queue(QUEUE.load(Ordering::Relaxed) as ur_queue_handle_t));
    let kernel = IMPROVED.lock().unwrap().take();
    kernel.unwrap().0.finish(&queue);
}

/// Brings the process into a state and ends it.
fn end(state: &str, leaked: bool, ending: &str) {
    let context = Context::new();
    let queue = context.queue();
    // Handlers use it after the owners are gone.
    ok!(Queue.pfnRetain(queue.0));
    QUEUE.store(queue.0 as usize, Ordering::Relaxed);
    // The work may write to it until the very end.
    let memory: &'static mut Vec<u8> = Box::leak(Box::default());
    let mut held = None;
    match state {
        "idle" => {
            work(queue.0, memory);
            queue.finish();
        }
        "pending" => (0..20).for_each(|_| work(queue.0, memory)),
        "blocked" => {
            // Nobody ever lets it go on.
            let (go, event) = queue.block();
            std::mem::forget(go);
            held = Some((queue.wait_event(&[event.0]), event));
            work(queue.0, memory);
        }
        "busy" => {
            let (begun, all) = mpsc::channel();
            for _ in 0..3 {
                let (handle, begun) = (queue.0 as usize, begun.clone());
                ok!(Queue.pfnRetain(queue.0));
                std::thread::spawn(move || {
                    let queue = handle as ur_queue_handle_t;
                    let mut memory = Vec::new();
                    for round in 0u64.. {
                        work(queue, &mut memory);
                        ok!(Queue.pfnFinish(queue));
                        if round == 0 {
                            begun.send(()).unwrap();
                        }
                    }
                });
            }
            (0..3).for_each(|_| all.recv().unwrap());
        }
        "kernel" => {
            let program = context.program("vector_add.spv");
            let kernel = program.kernel("vector_add");
            let numbers: &'static mut Vec<f32> = Box::leak(Box::new(vec![1.0; 1 << 20]));
            let args = [0; 3].map(|_| Arg::Pointer(numbers.as_ptr().cast()));
            let (outcome, event) = queue.launch(&kernel, &[1 << 20], None, &args);
            assert_eq!(outcome, UR_RESULT_SUCCESS);
            if leaked {
                std::mem::forget((program, kernel, event));
            }
        }
        "compiling" => {
            tiers::listen();
            let program = tiers::program(&context, c"-ur-lanes=tiered");
            let mut neighbours = Neighbours::new(&program);
            neighbours.begin(&queue);
            if leaked {
                std::mem::forget(program);
            }
            if leaked || ending == "destructor" {
                *IMPROVED.lock().unwrap() = Some(SendNeighbours(neighbours));
            }
        }
        other => panic!("no state {other}"),
    }
    let mut owners = Some((context, queue, held));
    if leaked {
        std::mem::forget(owners.take());
    }
    drop(owners);
    match ending {
        "return" => leaving(),
        "exit" => {
            leaving();
            std::process::exit(CODE);
        }
        "_exit" => {
            leaving();
            // SAFETY: ends the process.
            unsafe { libc::_exit(CODE) };
        }
        "atexit" => {
            // SAFETY: the function lives for ever.
            unsafe { libc::atexit(last_calls) };
            leaving();
            std::process::exit(CODE);
        }
        "destructor" => {
            let last = match state {
                "compiling" => see_better_code,
                _ => last_calls,
            };
            LAST.set(last).unwrap();
            std::process::exit(CODE);
        }
        "thread" => {
            let leave = || {
                leaving();
                std::process::exit(CODE);
            };
            std::thread::spawn(leave).join().unwrap();
        }
        "task" | "callback" => {
            // The exit comes from one of our threads, while this one waits for it.
            unsafe extern "C" fn leave(_: *mut std::ffi::c_void) {
                leaving();
                std::process::exit(CODE);
            }
            unsafe extern "C" fn told(
                _: ur_event_handle_t,
                _: ur_execution_info_t,
                data: *mut std::ffi::c_void,
            ) {
                // SAFETY: it takes nothing.
                unsafe { leave(data) };
            }
            let context = Context::new();
            let queue = context.queue();
            if ending == "task" {
                let (data, none) = (null_mut(), null_mut());
                ok!(EnqueueExp.pfnHostTaskExp(queue.0, Some(leave), data, null(), 0, null(), none));
                queue.finish();
            } else {
                let event = queue.wait_event(&[]);
                let at = UR_EXECUTION_INFO_COMPLETE;
                ok!(Event.pfnSetCallback(event.0, at, Some(told), null_mut()));
                loop {
                    std::thread::park();
                }
            }
        }
        other => panic!("no ending {other}"),
    }
}

#[test]
fn exits_keep_their_code_and_are_quick() {
    for state in STATES {
        for handles in HANDLES {
            for ending in ENDINGS {
                let name = format!("{state} {handles} {ending}");
                let code = if ending == "return" { 0 } else { CODE };
                watch::ends(&name, code, || watch::play_with(SCENARIO, &name, &[UNKEPT]));
            }
        }
    }
}

fn forks(which: &str) {
    let end = watch::play_with(SCENARIO, &format!("fork {which}"), &[UNKEPT]);
    assert_eq!(end.code, Some(0), "{which}");
}

#[test]
fn a_forked_child_works() {
    for _ in 0..5 {
        forks("quiet");
    }
}

#[test]
fn a_child_forked_while_threads_enqueue_works() {
    forks("busy");
}

#[test]
fn a_child_forked_by_a_child_works() {
    forks("nested");
}

#[test]
fn a_child_that_exits_as_usual_keeps_its_code() {
    forks("exit");
}

#[test]
fn a_child_forked_in_a_host_task_works() {
    forks("task");
}

#[test]
fn a_child_compiles_and_runs_kernels() {
    forks("kernel");
}

#[test]
fn a_child_replays_what_its_parent_recorded() {
    forks("recorded");
}

#[test]
fn a_child_forked_while_better_code_is_made_works() {
    forks("compiling");
}
