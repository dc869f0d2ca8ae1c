//! Kernels launched by many threads.

use crate::case;
use crate::driver::{Driver, EVERYTHING};
use crate::support::*;
use std::ffi::c_void;

const THREADS: usize = 32;
const LAUNCHES: usize = 1000;

/// The pointer and the local size that go with a value.
fn others(value: u64) -> (usize, usize) {
    ((value as usize + 1) * 16, value as usize % 1000 + 1)
}

fn number(bytes: &[u8]) -> u64 {
    bytes.try_into().map_or(u64::MAX, u64::from_ne_bytes)
}

case! {
    /// OpenCL keeps arguments on the kernel, so whoever sets one between another's last one and its
    /// launch spoils that launch.
    threads_launch_one_kernel_with_their_own_arguments, EVERYTHING, many_threads
}

fn many_threads(driver: &Driver) {
    let context = Context::new().expect("a context");
    let kernel = context
        .built()
        .expect("a program")
        .kernel(c"copy")
        .expect("a kernel");
    let raw = kernel.0 as usize;
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            let context = context.0 as usize;
            scope.spawn(move || {
                let context = std::mem::ManuallyDrop::new(Context(context as _));
                let kernel = std::mem::ManuallyDrop::new(Kernel(raw as _));
                let queue = context.queue(0).expect("a queue");
                for launch in 0..LAUNCHES {
                    let value = (thread * LAUNCHES + launch) as u64;
                    let (pointer, local) = others(value);
                    let args = [
                        Arg::Value(&value.to_ne_bytes()),
                        Arg::Pointer(pointer as *const c_void),
                        Arg::Local(local),
                    ];
                    let event = queue.launch(&kernel, &args, launch % 2 == 0);
                    drop(event.expect("a launch"));
                }
                queue.finish().expect("an end");
            });
        }
    });
    let all = driver.launches();
    assert_eq!(all, THREADS * LAUNCHES);
    let mut seen = vec![false; all];
    for launch in 0..all {
        let [value, pointer, local] = [0, 1, 2].map(|at| number(&driver.argument(launch, at)));
        let of_value = others(value);
        assert_eq!(
            (pointer as usize, local as usize),
            of_value,
            "launch {launch}"
        );
        assert!(
            !std::mem::replace(&mut seen[value as usize], true),
            "{value} twice"
        );
    }
    drop((kernel, context));
    assert_eq!(driver.alive(), 0);
}

case! { every_kind_of_argument_arrives, EVERYTHING, kinds }

fn kinds(driver: &Driver) {
    let context = Context::new().expect("a context");
    let kernel = context
        .built()
        .expect("a program")
        .kernel(c"copy")
        .expect("a kernel");
    let queue = context.queue(0).expect("a queue");
    let (mem, sampler) = (context.buffer(8).expect("a buffer"), context.sampler());
    let sampler = sampler.expect("a sampler");
    let args = [
        Arg::Mem(&mem),
        Arg::Sampler(&sampler),
        Arg::Value(&[1, 2, 3]),
    ];
    queue.launch(&kernel, &args, false).expect("a launch");
    let mut native = [0; 2];
    crate::ur!(Mem.pfnGetNativeHandle(mem.0, device(), &mut native[0])).expect("a handle");
    crate::ur!(Sampler.pfnGetNativeHandle(sampler.0, &mut native[1])).expect("a handle");
    assert_eq!(number(&driver.argument(0, 0)), native[0] as u64);
    assert_eq!(number(&driver.argument(0, 1)), native[1] as u64);
    assert_eq!(driver.argument(0, 2), [1, 2, 3]);
    // What an earlier launch left is no argument of a later one.
    assert!(queue.launch(&kernel, &args[..2], false).is_err());
    assert_eq!(driver.launches(), 1);
}
