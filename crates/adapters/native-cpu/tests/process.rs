//! What becomes of a process: forks and exits. Each scenario runs in a process of its own, this
//! test program started again.

mod common;

use common::*;
use std::process::{Command, Stdio};
use std::ptr::{null, null_mut};
use std::time::{Duration, Instant};
use ur_api::*;

const SCENARIO: &str = "UR_TEST_SCENARIO";

/// Starts this program again to play a scenario; gives its exit code and how long it took.
fn play(scenario: &str) -> (Option<i32>, Duration) {
    let start = Instant::now();
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "scenario", "--nocapture", "--test-threads=1"])
        .env(SCENARIO, scenario)
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return (status.code(), start.elapsed());
        }
        if start.elapsed() > Duration::from_secs(60) {
            child.kill().unwrap();
            panic!("{scenario} hangs");
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Enqueues a fill that takes the workers, without waiting.
fn work(queue: &Queue, memory: &mut Vec<u8>) {
    memory.resize(8 << 20, 0);
    let (at, pattern) = (memory.as_mut_ptr().cast(), 3u8);
    let from = (&raw const pattern).cast();
    ok!(Enqueue.pfnUSMFill(queue.0, at, 1, from, memory.len(), 0, null(), null_mut()));
}

/// Plays the scenario that the environment names; an ordinary test run names none.
#[test]
fn scenario() {
    let Ok(name) = std::env::var(SCENARIO) else {
        return;
    };
    let context = Context::new();
    let queue = context.queue();
    let mut memory = Vec::new();
    match name.as_str() {
        "exit" => {
            work(&queue, &mut memory);
            std::process::exit(17);
        }
        "leak" => {
            work(&queue, &mut memory);
            queue.finish();
            let (go, _) = queue.block();
            std::mem::forget((go, context, queue));
            std::process::exit(18);
        }
        "_exit" => {
            work(&queue, &mut memory);
            // SAFETY: ends the process.
            unsafe { libc::_exit(19) };
        }
        "atexit" => {
            static QUEUE: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);
            extern "C" fn last() {
                let queue = QUEUE.load(std::sync::atomic::Ordering::Relaxed) as ur_queue_handle_t;
                let mut event = null_mut();
                ok!(Enqueue.pfnEventsWait(queue, 0, null(), &mut event));
                ok!(Event.pfnWait(1, &event));
                ok!(Event.pfnRelease(event));
                ok!(Queue.pfnRelease(queue));
            }
            QUEUE.store(queue.0 as usize, std::sync::atomic::Ordering::Relaxed);
            // SAFETY: the function lives for ever.
            unsafe { libc::atexit(last) };
            work(&queue, &mut memory);
            std::mem::forget(queue);
            std::process::exit(20);
        }
        "busy" => {
            let handle = queue.0 as usize;
            for _ in 0..3 {
                std::thread::spawn(move || {
                    let queue = std::mem::ManuallyDrop::new(Queue(handle as ur_queue_handle_t));
                    let mut memory = Vec::new();
                    loop {
                        work(&queue, &mut memory);
                        queue.finish();
                    }
                });
            }
            std::thread::sleep(Duration::from_millis(50));
            std::process::exit(21);
        }
        "fork" => fork(&context, &queue),
        other => panic!("no scenario {other}"),
    }
}

/// Forks with idle workers and with a command that will never end in the child.
fn fork(context: &Context, queue: &Queue) {
    let mut memory = Vec::new();
    work(queue, &mut memory);
    queue.finish();
    let (go, blocked) = queue.block();
    let pending = queue.wait_event(&[blocked.0]);
    // SAFETY: the child below only uses the API and ends with `_exit`.
    let child = unsafe { libc::fork() };
    if child == 0 {
        std::panic::set_hook(Box::new(|info| {
            eprintln!("{info}");
            // SAFETY: ends the process.
            unsafe { libc::_exit(99) };
        }));
        // What was pending is lost, and waiting for it ends.
        assert_eq!(pending.status(), UR_EVENT_STATUS_ERROR);
        assert_ne!(ur!(Event.pfnWait(1, &pending.0)), UR_RESULT_SUCCESS);
        // The old queue and new ones work, with new workers.
        for queue in [queue, &context.queue(), &context.queue_with(1)] {
            let mut memory = Vec::new();
            work(queue, &mut memory);
            queue.finish();
            assert!(memory.iter().all(|byte| *byte == 3));
            let event = queue.wait_event(&[]);
            event.wait();
        }
        let (go, blocked) = queue.block();
        drop(go);
        blocked.wait();
        // SAFETY: ends the process without what the parent has to clean up.
        unsafe { libc::_exit(0) };
    }
    let mut status = -1;
    // SAFETY: waits for the child just made.
    unsafe { libc::waitpid(child, &mut status, 0) };
    drop(go);
    pending.wait();
    std::process::exit(if status == 0 { 22 } else { 1 });
}

#[test]
fn exits_keep_their_code_and_are_quick() {
    for (name, code) in [
        ("exit", 17),
        ("leak", 18),
        ("_exit", 19),
        ("atexit", 20),
        ("busy", 21),
    ] {
        let (actual, time) = play(name);
        assert_eq!(actual, Some(code), "{name}");
        assert!(time < Duration::from_secs(5), "{name} took {time:?}");
    }
}

#[test]
fn a_forked_child_works() {
    for _ in 0..5 {
        assert_eq!(play("fork").0, Some(22));
    }
}
