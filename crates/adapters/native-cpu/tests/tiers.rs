//! Kernels that start with scalar code and get vectorised code when they have proved to be worth it. Each
//! scenario runs in a process of its own, this test program started again.

mod common;
mod process_parts;
#[path = "process_parts/tiers.rs"]
mod tiers;

use common::*;
use process_parts::watch;
use std::collections::BTreeSet;
use std::ffi::CStr;
use std::path::{Path, PathBuf};
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicU32, Ordering};
use tiers::{Neighbours, SIZE, STEPS};
use ur_api::*;

const SCENARIO: &str = "UR_TEST_SCENARIO";

const TIERED: &CStr = c"-ur-lanes=tiered";

/// Plays the scenario that the environment names; an ordinary test run names none.
#[test]
fn scenario() {
    let Ok(name) = std::env::var(SCENARIO) else {
        return;
    };
    tiers::listen();
    match name.as_str() {
        "two kernels" => two_kernels(),
        "options" => options(),
        "recorded" => recorded(),
        "released" => released(),
        "first process" => first_process(),
        "second process" => second_process(),
        "closed" => closed(),
        other => panic!("no scenario {other}"),
    }
}

fn play(name: &str, variables: &[(&str, &str)]) {
    let end = watch::play_with(SCENARIO, name, variables);
    assert_eq!(end.code, Some(0), "{name}");
}

const UNKEPT: (&str, &str) = ("UR_JIT_CACHE", "off");

/// The sums of the kernel `group_sums` for groups of 256.
fn sums(size: usize, count: u32) -> Vec<u32> {
    let items: Vec<_> = (0..size as u32)
        .map(|id| tiers::steps(id + 7, count))
        .collect();
    let sum = |group: &[u32]| group.iter().fold(0u32, |sum, x| sum.wrapping_add(*x));
    let groups = items.chunks(256).map(|group| (sum(group), group.len()));
    groups.flat_map(|(sum, len)| vec![sum; len]).collect()
}

/// Handles for several threads.
struct Shared(Context, Program, Program);

// SAFETY: the API's objects may be used by several threads at once.
unsafe impl Sync for Shared {}

/// Threads with queues of all kinds launch two kernels until both have better code, and some more.
fn two_kernels() {
    let context = Context::new();
    let program = tiers::program(&context, c"");
    let scalar = tiers::program(&context, c"-ur-lanes=1");
    let shared = &Shared(context, program, scalar);
    let out_of_order = UR_QUEUE_FLAG_OUT_OF_ORDER_EXEC_MODE_ENABLE.0;
    let flags = [0, out_of_order, UR_QUEUE_FLAG_PROFILING_ENABLE.0];
    let size = 16 * 256;
    let expected = sums(size, STEPS);
    let (lanes, items) = (AtomicU32::new(0), AtomicU32::new(0));
    std::thread::scope(|scope| {
        for flags in flags {
            let (expected, lanes, items) = (&expected, &lanes, &items);
            scope.spawn(move || {
                let Shared(context, program, scalar) = shared;
                let queue = context.queue_with(flags);
                let kernel = program.kernel("group_sums");
                let mut out = vec![0u32; size];
                let mut run = |kernel: &Kernel| {
                    out.fill(0);
                    let count = STEPS.to_ne_bytes();
                    let to = Arg::Pointer(out.as_mut_ptr().cast_const().cast());
                    queue.run(kernel, &[size], Some(&[256]), &[to, Arg::Value(&count)]);
                    assert_eq!(out, *expected);
                };
                run(&scalar.kernel("group_sums"));
                let mut neighbours = Neighbours::new(program);
                let mut further = 0;
                while further < 20 {
                    // The one that runs decides; code that is ready now is used by the next.
                    let ready = tiers::ended() == 2;
                    let were_lanes = neighbours.launch(&queue);
                    assert!(were_lanes || !ready, "scalar code is still used");
                    let kind = if were_lanes { lanes } else { items };
                    kind.fetch_add(1, Ordering::Relaxed);
                    run(&kernel);
                    further += u32::from(ready);
                }
                let mut neighbours = Neighbours::new(scalar);
                assert!(!neighbours.launch(&queue));
            });
        }
    });
    let [begun, used] = [&tiers::BEGUN, &tiers::USED].map(|count| count.load(Ordering::Relaxed));
    // Once for each kernel, whoever launched it and how often.
    assert_eq!((begun, used, tiers::ended()), (2, 2, 2));
    assert!(lanes.into_inner() >= 60 && items.into_inner() > 0);
}

/// A build option counts for more than the environment, which asks for both here.
fn options() {
    let context = Context::new();
    let queue = context.queue();
    for (options, lanes) in [
        (c"-ur-lanes=1", false),
        (c"-ur-lanes=0", true),
        (c"-cl-opt-disable", false),
    ] {
        let mut neighbours = Neighbours::new(&tiers::program(&context, options));
        for _ in 0..30 {
            assert_eq!(neighbours.launch(&queue), lanes, "{options:?}");
        }
    }
    assert_eq!(tiers::BEGUN.load(Ordering::Relaxed), 0);
    Neighbours::new(&tiers::program(&context, TIERED)).finish(&queue);
    assert_eq!(tiers::BEGUN.load(Ordering::Relaxed), 1);
}

/// What was recorded keeps the code that it was recorded with, and new launches do not.
fn recorded() {
    let context = Context::new();
    let queue = context.queue();
    let program = tiers::program(&context, TIERED);
    let mut neighbours = Neighbours::new(&program);
    let desc = ur_exp_command_buffer_desc_t {
        stype: UR_STRUCTURE_TYPE_EXP_COMMAND_BUFFER_DESC,
        ..Default::default()
    };
    let mut buffer = null_mut();
    ok!(CommandBufferExp.pfnCreateExp(context.0, device(), &desc, &mut buffer));
    let (args, size) = (neighbours.args(), [SIZE]);
    let outcome = neighbours
        .kernel
        .record(buffer, &[], &size, Some(&size), &args, null_mut());
    assert_eq!(outcome, UR_RESULT_SUCCESS);
    ok!(CommandBufferExp.pfnFinalizeExp(buffer));
    let replay = |neighbours: &mut Neighbours| {
        neighbours.clear();
        ok!(EnqueueExp.pfnCommandBufferExp(queue.0, buffer, 0, null(), null_mut()));
        queue.finish();
        neighbours.were_lanes()
    };
    // Replays prove it, too.
    while tiers::ended() == 0 {
        assert!(!replay(&mut neighbours));
    }
    assert!(neighbours.launch(&queue));
    drop(program);
    assert!(!replay(&mut neighbours));
    assert!(neighbours.launch(&queue));
    ok!(CommandBufferExp.pfnReleaseExp(buffer));
}

/// Kernels and programs go while better code is made for them.
fn released() {
    let context = Context::new();
    let queue = context.queue();
    for round in 1..=3 {
        let program = tiers::program(&context, TIERED);
        let mut neighbours = Neighbours::new(&program);
        neighbours.begin(&queue);
        drop((program, neighbours));
        while tiers::is_compiling() {
            std::thread::yield_now();
        }
        assert_eq!(tiers::ended(), round);
    }
    // The kernel alone: its program has the better code for the next one.
    let program = tiers::program(&context, TIERED);
    let mut neighbours = Neighbours::new(&program);
    neighbours.begin(&queue);
    drop(neighbours);
    while tiers::is_compiling() {
        std::thread::yield_now();
    }
    let mut neighbours = Neighbours::new(&program);
    assert!(neighbours.launch(&queue));
    // The program alone: the kernel keeps what it needs of it.
    let program = tiers::program(&context, TIERED);
    let mut neighbours = Neighbours::new(&program);
    drop(program);
    neighbours.begin(&queue);
    neighbours.finish(&queue);
}

fn jit_is_open() -> bool {
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
    maps.contains("libur_jit.so")
}

fn first_process() {
    let context = Context::new();
    let queue = context.queue();
    let mut neighbours = Neighbours::new(&tiers::program(&context, c""));
    neighbours.begin(&queue);
    neighbours.finish(&queue);
    assert!(jit_is_open());
}

fn second_process() {
    let context = Context::new();
    let queue = context.queue();
    let program = tiers::program(&context, c"");
    let mut neighbours = Neighbours::new(&program);
    for _ in 0..30 {
        assert!(neighbours.launch(&queue));
    }
    assert_eq!(tiers::BEGUN.load(Ordering::Relaxed), 0);
    assert!(!jit_is_open());
}

#[test]
fn two_kernels_on_several_queues_get_better_code() {
    play("two kernels", &[UNKEPT, ("UR_JIT_LANES", "tiered")]);
}

#[test]
fn options_count_for_more_than_the_environment() {
    for lanes in ["0", "1", "tiered"] {
        play("options", &[UNKEPT, ("UR_JIT_LANES", lanes)]);
    }
}

#[test]
fn recordings_keep_their_code() {
    play("recorded", &[UNKEPT]);
}

#[test]
fn kernels_and_programs_are_released_meanwhile() {
    play("released", &[UNKEPT]);
}

/// A folder for code, gone at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let name = format!("ur-tiers-{name}-{}", std::process::id());
        let path = std::env::temp_dir().join(name);
        let _ = std::fs::remove_dir_all(&path);
        Folder(path)
    }

    fn path(&self) -> &str {
        self.0.to_str().unwrap()
    }

    fn files(&self) -> BTreeSet<PathBuf> {
        let list = std::fs::read_dir(&self.0).into_iter().flatten();
        list.map(|file| file.unwrap().path()).collect()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn a_later_process_has_better_code_from_the_start() {
    let folder = Folder::new("later");
    let variables = [("UR_JIT_CACHE", folder.path()), ("UR_JIT_LANES", "tiered")];
    play("first process", &variables);
    // The module, and the kernel twice.
    let files = folder.files();
    assert_eq!(files.len(), 3);
    play("second process", &variables);
    // It is the code of those who want vectors at once.
    let variables = [("UR_JIT_CACHE", folder.path()), ("UR_JIT_LANES", "0")];
    play("second process", &variables);
    assert_eq!(folder.files(), files);
}

/// A second copy of the adapter, opened by name.
fn opened(library: &Path) -> (*mut std::ffi::c_void, ur_dditable_t) {
    let name = std::ffi::CString::new(library.to_str().unwrap()).unwrap();
    // SAFETY: the name is terminated, and the library an ordinary one.
    let handle = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
    assert!(!handle.is_null());
    let mut tables = ur_dditable_t::default();
    macro_rules! read {
        ($($table:ident),*) => {$(
            let name = concat!("urGet", stringify!($table), "ProcAddrTable\0");
            // SAFETY: the library is open, and the name terminated.
            let get = unsafe { libc::dlsym(handle, name.as_ptr().cast()) };
            assert!(!get.is_null());
            // SAFETY: the functions of these names have this type.
            let get = unsafe {
                std::mem::transmute::<
                    *mut std::ffi::c_void,
                    unsafe extern "C" fn(ur_api_version_t, *mut std::ffi::c_void) -> ur_result_t,
                >(get)
            };
            let place = (&raw mut tables.$table).cast();
            // SAFETY: it fills in the table of its name.
            assert_eq!(unsafe { get(UR_API_VERSION_CURRENT, place) }, UR_RESULT_SUCCESS);
        )*};
    }
    read!(
        Adapter, Platform, Device, Context, Queue, Program, Kernel, EnqueueExp
    );
    (handle, tables)
}

/// The adapter is closed while it makes better code, which it then has.
fn closed() {
    let folder = PathBuf::from(std::env::var_os("UR_JIT_CACHE").unwrap());
    let count = || std::fs::read_dir(&folder).map_or(0, |files| files.flatten().count());
    let test = std::env::current_exe().unwrap();
    let library = test.with_file_name("libur_adapter_native_cpu.so");
    let (handle, tables) = opened(&library);
    macro_rules! call {
        ($table:ident.$entry:ident($($arg:expr),* $(,)?)) => {
            // SAFETY: every call below passes what the API asks for.
            let outcome = unsafe { (tables.$table.$entry.unwrap())($($arg),*) };
            assert_eq!(outcome, UR_RESULT_SUCCESS);
        };
    }
    let (mut adapter, mut platform, mut device) = (null_mut(), null_mut(), null_mut());
    call!(Adapter.pfnGet(1, &mut adapter, null_mut()));
    call!(Platform.pfnGet(adapter, 1, &mut platform, null_mut()));
    call!(Device.pfnGet(platform, UR_DEVICE_TYPE_ALL, 1, &mut device, null_mut()));
    let (mut context, mut queue) = (null_mut(), null_mut());
    call!(Context.pfnCreate(1, &device, null(), &mut context));
    call!(Queue.pfnCreate(context, device, null(), &mut queue));
    let (mut program, il) = (null_mut(), module("tiers.spv"));
    call!(Program.pfnCreateWithIL(context, il.as_ptr().cast(), il.len(), null(), &mut program));
    call!(Program.pfnBuild(context, program, TIERED.as_ptr()));
    let mut kernel = null_mut();
    call!(Kernel.pfnCreate(program, c"group_sums".as_ptr(), &mut kernel));
    assert_eq!(count(), 2);
    // Enough for any processor, so that it is known to be worth it when this is over.
    let (size, steps) = (1024, 300_000u32);
    let mut out = vec![0u32; size];
    let steps = steps.to_ne_bytes();
    let args = [
        Arg::Pointer(out.as_mut_ptr().cast_const().cast()).raw(0),
        Arg::Value(&steps).raw(1),
    ];
    call!(EnqueueExp.pfnKernelLaunchWithArgsExp(
        queue,
        kernel,
        1,
        null(),
        &size,
        &64,
        2,
        args.as_ptr(),
        null(),
        0,
        null(),
        null_mut(),
    ));
    // It is asked for after some of the groups.
    let tasks = || std::fs::read_dir("/proc/self/task").unwrap().flatten();
    let is_compiler = |task: std::fs::DirEntry| {
        let name = std::fs::read_to_string(task.path().join("comm"));
        name.is_ok_and(|name| name.starts_with("ur-cpu-compiler"))
    };
    while !tasks().any(is_compiler) {
        std::thread::yield_now();
    }
    assert_eq!(count(), 2, "the compiler was too fast for the test");
    // SAFETY: nothing of it is called below but the end of what is enqueued.
    assert_eq!(unsafe { libc::dlclose(handle) }, 0);
    while count() < 3 {
        std::thread::yield_now();
    }
    // The code is still in memory, since threads sleep in it.
    call!(Queue.pfnFinish(queue));
}

#[test]
fn the_adapter_is_closed_meanwhile() {
    let folder = Folder::new("closed");
    play("closed", &[("UR_JIT_CACHE", folder.path())]);
}
