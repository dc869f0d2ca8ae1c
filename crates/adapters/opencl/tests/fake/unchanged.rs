//! Arguments that are the same as in the launch before.

use crate::case;
use crate::driver::{Driver, EVERYTHING};
use crate::support::*;
use crate::ur;
use std::ffi::c_void;
use std::ptr::null_mut;

const SETTERS: [&str; 2] = ["clSetKernelArgMemPointerINTEL", "clSetKernelArg"];

/// How often each function was called meanwhile.
fn meanwhile<const N: usize>(driver: &Driver, names: [&str; N], run: impl FnOnce()) -> [u64; N] {
    let before = names.map(|name| driver.calls(name));
    run();
    std::array::from_fn(|at| driver.calls(names[at]) - before[at])
}

/// What a launch of `fill` sets: pointers, and others.
fn sets(
    driver: &Driver,
    queue: &Queue,
    kernel: &Kernel,
    to: *const c_void,
    value: u32,
) -> [u64; 2] {
    let bytes = value.to_ne_bytes();
    let args = [Arg::Pointer(to), Arg::Value(&bytes)];
    let sets = meanwhile(driver, SETTERS, || {
        drop(queue.launch(kernel, &args, false).expect("a launch"));
    });
    let last = driver.launches() - 1;
    assert_eq!(driver.argument(last, 0), (to as usize).to_ne_bytes());
    assert_eq!(driver.argument(last, 1), bytes);
    sets
}

case! { are_not_set_again, EVERYTHING, not_again }

fn not_again(driver: &Driver) {
    let context = Context::new().expect("a context");
    let queue = context.queue(0).expect("a queue");
    let kernel = context.built().expect("a program").kernel(c"fill");
    let kernel = kernel.expect("a kernel");
    let memory = context.usm(Kind::Device, 64).expect("memory");
    let to = memory.address.cast_const();
    let next = to.wrapping_byte_add(16);
    let sets = |to, value| sets(driver, &queue, &kernel, to, value);
    assert_eq!(sets(to, 1), [1, 1]);
    assert_eq!(sets(to, 1), [0, 0]);
    assert_eq!(sets(to, 2), [0, 1]);
    assert_eq!(sets(next, 2), [1, 0]);
    assert_eq!(sets(to, 1), [1, 1]);
    // A launch that is refused has set what came before.
    driver.fail("clSetKernelArg", -50, 0, 1);
    let args = [Arg::Pointer(next), Arg::Value(&[9; 4])];
    assert!(queue.launch(&kernel, &args, false).is_err());
    assert_eq!(sets(to, 1), [1, 1]);
    // Local memory and values that are too long to be looked at.
    let args = [Arg::Local(8), Arg::Value(&[1; 17])];
    for calls in [2, 1, 1] {
        let launch = || drop(queue.launch(&kernel, &args, false).expect("a launch"));
        assert_eq!(meanwhile(driver, SETTERS, launch), [0, calls]);
    }
    queue.finish().expect("an end");
}

case! { pointers_are_set_again_when_memory_has_come_or_gone, EVERYTHING, memory_changed }

fn memory_changed(driver: &Driver) {
    let context = Context::new().expect("a context");
    let queue = context.queue(0).expect("a queue");
    let kernel = context.built().expect("a program").kernel(c"fill");
    let kernel = kernel.expect("a kernel");
    let memory = context.usm(Kind::Device, 64).expect("memory");
    let sets = || {
        let sets = sets(driver, &queue, &kernel, memory.address, 1);
        queue.finish().expect("an end");
        sets
    };
    assert_eq!((sets(), sets()), ([1, 1], [0, 0]));
    let other = context.usm(Kind::Host, 32).expect("memory");
    assert_eq!((sets(), sets()), ([1, 0], [0, 0]));
    // Kept, and handed out again, it is what it was to the driver.
    drop(other);
    let other = context.usm(Kind::Host, 32).expect("memory");
    assert_eq!(sets(), [0, 0]);
    // The driver frees it, since a command may be pending.
    drop(queue.marker(&[]).expect("a marker"));
    drop(other);
    assert_eq!((sets(), sets()), ([1, 0], [0, 0]));
}

case! { all_are_set_again_once_a_program_may_set_them_itself, EVERYTHING, native }

fn native(driver: &Driver) {
    let context = Context::new().expect("a context");
    let queue = context.queue(0).expect("a queue");
    let kernel = context.built().expect("a program").kernel(c"fill");
    let kernel = kernel.expect("a kernel");
    let memory = context.usm(Kind::Device, 64).expect("memory");
    let sets = || sets(driver, &queue, &kernel, memory.address, 1);
    assert_eq!((sets(), sets()), ([1, 1], [0, 0]));
    let mut native = 0;
    ur!(Kernel.pfnGetNativeHandle(kernel.0, &mut native)).expect("a handle");
    assert_eq!((sets(), sets()), ([1, 1], [1, 1]));
    let mut raw = null_mut();
    let (of, none) = (null_mut(), std::ptr::null());
    ur!(Kernel.pfnCreateWithNativeHandle(native, context.0, of, none, &mut raw)).expect("a kernel");
    drop(Kernel(raw));
    queue.finish().expect("an end");
}

/// A platform with shared virtual memory in the place of USM.
const SVM: &str = "2.0 svm fine il cl_khr_il_program";

case! { so_it_is_with_shared_virtual_memory, SVM, shared_virtual_memory }

fn shared_virtual_memory(driver: &Driver) {
    let context = Context::new().expect("a context");
    let queue = context.queue(0).expect("a queue");
    let kernel = context.built().expect("a program").kernel(c"fill");
    let kernel = kernel.expect("a kernel");
    let memory = context.usm(Kind::Device, 64).expect("memory");
    let sets = || {
        meanwhile(driver, ["clSetKernelArgSVMPointer"], || {
            sets(driver, &queue, &kernel, memory.address, 1);
        })
    };
    assert_eq!((sets(), sets()), ([1], [0]));
    drop(context.usm(Kind::Host, 32).expect("memory"));
    assert_eq!((sets(), sets()), ([1], [0]));
    queue.finish().expect("an end");
}
