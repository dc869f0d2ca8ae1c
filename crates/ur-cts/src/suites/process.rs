//! How processes begin, fork and end.

use crate::acts::{Act, Player, Scene, tell};
use crate::failure::Stop;
use crate::objects::{Context, Event, Memory, Queue, Usm, UsmKind};
use crate::test::Suite;
use crate::world::{Cx, World};
use crate::{Outcome, ensure, ok, same};

/// The exit code that an act chooses, unlike any of its own accord.
const CODE: i32 = 7;

/// What an act has when it ends.
const STATES: [&str; 5] = ["opened", "started", "stopped", "objects", "pending"];

/// How it ends.
const WAYS: [&str; 6] = ["return", "exit", "quick_exit", "_exit", "thread", "atexit"];

pub(crate) fn tests(suite: &mut Suite<'_>) {
    for state in STATES {
        for way in WAYS {
            suite.device(format!("exit::{state}::{way}"), move |cx| {
                let act = Player::start(cx, "process_exit", &format!("{state} {way}"))?;
                let ending = act.ending()?;
                let wanted = if way == "return" { 0 } else { CODE };
                ensure!(ending.said.contains("leaving"), "{ending:?}");
                same!("the exit code", ending.code, Ok(wanted));
                Ok(())
            });
        }
    }
    for (name, act) in [
        ("init::twice", "process_init_twice"),
        ("init::again_after_teardown", "process_init_again"),
        ("init::five_times_with_work", "process_many_lives"),
        ("init::by_eight_threads", "process_init_threads"),
        (
            "init::adapters_got_and_released_twice",
            "process_adapters_twice",
        ),
        ("fork::before_init", "process_fork_before"),
        ("fork::after_init_child_leaves", "process_fork_leaves"),
        ("fork::after_work_child_exits", "process_fork_exits"),
        ("fork::with_work_pending", "process_fork_pending"),
        ("fork::child_starts_another_program", "process_fork_exec"),
    ] {
        suite.device(name, move |cx| Player::start(cx, act, "")?.end());
    }
    suite.device("two_at_once::both_work", |cx| {
        let mut one = Player::start(cx, "process_talks", "1")?;
        let mut two = Player::start(cx, "process_talks", "2")?;
        for _ in 0..5 {
            one.tell("go")?;
            two.tell("go")?;
            same!("what one says", one.hear()?, "1 works");
            same!("what the other says", two.hear()?, "2 works");
        }
        one.end()?;
        two.end()
    });
}

/// Moves bytes through the device.
fn work(cx: &Cx) -> Outcome {
    let (context, queue) = cx.queue(0)?;
    let buffer = Memory::with(&context, &[1, 2, 3, 4])?;
    same!("what it holds", buffer.read(&queue, 4)?, [1, 2, 3, 4]);
    if UsmKind::Device.needed(cx).is_ok() {
        let usm = Usm::new(cx, &context, UsmKind::Device, 4096)?;
        queue.put(usm.at, &[9; 4096])?;
        same!("what it holds", queue.fetch(usm.at, 4096)?, [9; 4096]);
    }
    Ok(())
}

fn stop(world: &World) -> Outcome {
    world.stop(crate::api()).map_err(Stop::fail)
}

/// Fills that take longer than a process to end.
fn pending(cx: &Cx) -> Result<(Context, Queue, Usm, Event), Stop> {
    let (context, queue) = cx.queue(0)?;
    let usm = Usm::new(cx, &context, UsmKind::Device, 1 << 24)?;
    let mut last = Event::after(&queue, &[])?;
    for value in 0..20 {
        last = queue.fill(usm.at, usm.size, value, &[])?;
    }
    ok!(urQueueFlush(queue.get()))?;
    Ok((context, queue, usm, last))
}

fn exit(scene: &Scene) -> Outcome {
    let (state, way) = scene.input.split_once(' ').unwrap_or(("", ""));
    match state {
        "opened" => {
            scene.open()?;
        }
        "started" => {
            scene.start()?;
        }
        "stopped" => {
            let cx = scene.begin()?;
            work(&cx)?;
            stop(cx.world())?;
        }
        "objects" => {
            let cx = scene.begin()?;
            work(&cx)?;
            let (context, queue) = cx.queue(0)?;
            let event = Event::after(&queue, &[])?;
            std::mem::forget((context, queue, event));
        }
        _ => {
            let cx = scene.begin()?;
            std::mem::forget(pending(&cx)?);
        }
    }
    tell("leaving")?;
    match way {
        "return" => {}
        "exit" => std::process::exit(CODE),
        // SAFETY: ends the process, with the handlers for this way.
        "quick_exit" => unsafe { quick_exit(CODE) },
        // SAFETY: ends the process at once.
        "_exit" => unsafe { libc::_exit(CODE) },
        "thread" => {
            let other = std::thread::spawn(|| std::process::exit(CODE));
            let _ = other.join();
        }
        _ => {
            extern "C" fn last() {}
            // SAFETY: the function may be called at any time.
            unsafe { libc::atexit(last) };
            std::process::exit(CODE);
        }
    }
    Ok(())
}

unsafe extern "C" {
    fn quick_exit(code: i32) -> !;
}

fn init_twice(scene: &Scene) -> Outcome {
    let cx = scene.begin()?;
    ok!(urLoaderInit(0, std::ptr::null_mut()))?;
    work(&cx)?;
    ok!(urLoaderTearDown())?;
    // One is left.
    work(&cx)?;
    stop(cx.world())
}

fn init_again(scene: &Scene) -> Outcome {
    for _ in 0..2 {
        let world = scene.start()?;
        work(&scene.device(world)?)?;
        stop(world)?;
    }
    Ok(())
}

fn many_lives(scene: &Scene) -> Outcome {
    for _ in 0..5 {
        let world = scene.start()?;
        let cx = scene.device(world)?;
        for _ in 0..3 {
            work(&cx)?;
        }
        stop(world)?;
    }
    Ok(())
}

fn init_threads(scene: &Scene) -> Outcome {
    scene.open()?;
    let ended = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..8)
            .map(|_| {
                scope.spawn(|| -> Outcome {
                    ok!(urLoaderInit(0, std::ptr::null_mut()))?;
                    Ok(())
                })
            })
            .collect();
        threads
            .into_iter()
            .try_for_each(|t| t.join().map_err(|_| Stop::fail("a panic"))?)
    });
    ended?;
    let world = scene.start()?;
    work(&scene.device(world)?)?;
    stop(world)?;
    for _ in 0..8 {
        ok!(urLoaderTearDown())?;
    }
    Ok(())
}

fn adapters_twice(scene: &Scene) -> Outcome {
    let one = scene.start()?;
    let two = scene.start()?;
    same!("adapters", one.adapters.len(), two.adapters.len());
    for (one, two) in one.adapters.iter().zip(&two.adapters) {
        same!("an adapter", one.handle, two.handle);
    }
    work(&scene.device(one)?)?;
    stop(one)?;
    work(&scene.device(two)?)?;
    stop(two)
}

/// Forks; the child does something and leaves by `_exit` with 0 if that went well.
fn fork(child: impl FnOnce() -> Outcome) -> Result<libc::pid_t, Stop> {
    // SAFETY: the child goes on with this thread alone, and only does what the test is about.
    let id = unsafe { libc::fork() };
    ensure!(id >= 0, "fork failed");
    if id == 0 {
        let code = match child() {
            Ok(()) => 0,
            Err(stop) => {
                eprintln!("the child: {stop:?}");
                1
            }
        };
        // SAFETY: ends the child at once.
        unsafe { libc::_exit(code) };
    }
    Ok(id)
}

/// Waits for a child, which must end with a code.
fn reap(id: libc::pid_t, code: i32) -> Outcome {
    let mut status = 0;
    // SAFETY: the child is this process's own and the place is valid.
    let found = unsafe { libc::waitpid(id, &raw mut status, 0) };
    same!("the child", found, id);
    ensure!(libc::WIFEXITED(status), "the child ended by {status:#x}");
    same!("the child's exit code", libc::WEXITSTATUS(status), code);
    Ok(())
}

fn fork_before(scene: &Scene) -> Outcome {
    let both = || {
        let world = scene.start()?;
        work(&scene.device(world)?)?;
        stop(world)
    };
    let child = fork(both)?;
    both()?;
    reap(child, 0)
}

fn fork_leaves(scene: &Scene) -> Outcome {
    let cx = scene.begin()?;
    work(&cx)?;
    let child = fork(|| Ok(()))?;
    work(&cx)?;
    reap(child, 0)?;
    work(&cx)?;
    stop(cx.world())
}

/// The child runs the handlers of an exit.
fn fork_exits(scene: &Scene) -> Outcome {
    let cx = scene.begin()?;
    work(&cx)?;
    let child = fork(|| std::process::exit(CODE))?;
    reap(child, CODE)?;
    work(&cx)?;
    stop(cx.world())
}

fn fork_pending(scene: &Scene) -> Outcome {
    let cx = scene.begin()?;
    {
        let (_context, queue, usm, last) = pending(&cx)?;
        let child = fork(|| Ok(()))?;
        last.wait()?;
        let found = queue.fetch(usm.at, 64)?;
        same!("what the last left", found, [19; 64]);
        reap(child, 0)?;
    }
    work(&cx)?;
    stop(cx.world())
}

fn fork_exec(scene: &Scene) -> Outcome {
    let cx = scene.begin()?;
    {
        let (_context, queue, ..) = pending(&cx)?;
        let status = std::process::Command::new("/bin/true").status();
        ensure!(status.map_err(Stop::fail)?.success(), "the program failed");
        queue.finish()?;
    }
    work(&cx)?;
    stop(cx.world())
}

fn talks(scene: &Scene) -> Outcome {
    let cx = scene.begin()?;
    while !crate::acts::hear()?.is_empty() {
        work(&cx)?;
        tell(&format!("{} works", scene.input))?;
    }
    stop(cx.world())
}

pub(crate) const ACTS: &[(&str, Act)] = &[
    ("process_exit", exit),
    ("process_init_twice", init_twice),
    ("process_init_again", init_again),
    ("process_many_lives", many_lives),
    ("process_init_threads", init_threads),
    ("process_adapters_twice", adapters_twice),
    ("process_fork_before", fork_before),
    ("process_fork_leaves", fork_leaves),
    ("process_fork_exits", fork_exits),
    ("process_fork_pending", fork_pending),
    ("process_fork_exec", fork_exec),
    ("process_talks", talks),
];
