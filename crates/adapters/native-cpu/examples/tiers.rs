//! What two tiers of code bring: `tiers KERNEL COUNT [STEPS]` builds a kernel of `tests/spirv/tiers.spv`
//! and launches it `COUNT` times, `STEPS` steps in each of 65,536 work-items, waiting each time. Prints
//! when the first result was there and when the last, and the CPU time of all threads, in milliseconds
//! from the start of the build.
//!
//! To be run with each of `UR_JIT_LANES=1`, `0` and `tiered`, and with `UR_JIT_CACHE=off`.

mod calls;

use calls::{ok, pointer};
use std::ffi::CString;
use std::ptr::{null, null_mut};
use ur_api::*;

const SIZE: usize = 1 << 16;

/// A clock's time in milliseconds.
fn time(clock: libc::clockid_t) -> f64 {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: a place for the answer.
    unsafe { libc::clock_gettime(clock, &mut time) };
    time.tv_sec as f64 * 1e3 + time.tv_nsec as f64 / 1e6
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let number = |index: usize| Some(words.get(index)?.parse::<u32>().expect("a number"));
    let name = words.first().expect("a kernel").clone();
    let (count, steps) = (number(1).unwrap_or(1), number(2).unwrap_or(100));

    let file = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../../tests/spirv/tiers.spv"
    );
    let il = std::fs::read(file).unwrap_or_else(|error| panic!("{file}: {error}"));
    let (mut adapter, mut platform, mut device) = (null_mut(), null_mut(), null_mut());
    ok!(Adapter.pfnGet(1, &mut adapter, null_mut()));
    ok!(Platform.pfnGet(adapter, 1, &mut platform, null_mut()));
    ok!(Device.pfnGet(platform, UR_DEVICE_TYPE_ALL, 1, &mut device, null_mut()));
    let (mut context, mut queue) = (null_mut(), null_mut());
    ok!(Context.pfnCreate(1, &device, null(), &mut context));
    ok!(Queue.pfnCreate(context, device, null(), &mut queue));

    let mut out = vec![0u32; SIZE];
    let (mut last, mut seen) = (0u32, vec![0u32; SIZE]);
    let pointers = match name.as_str() {
        "neighbours" => vec![&raw mut last, seen.as_mut_ptr(), out.as_mut_ptr()],
        _ => vec![out.as_mut_ptr()],
    };
    let mut args: Vec<_> = (0..)
        .zip(&pointers)
        .map(|(index, start)| pointer(index, start.cast_const()))
        .collect();
    args.push(ur_exp_kernel_arg_properties_t {
        r#type: UR_EXP_KERNEL_ARG_TYPE_VALUE,
        index: pointers.len() as u32,
        size: 4,
        value: ur_exp_kernel_arg_value_t {
            value: (&raw const steps).cast(),
        },
        ..args[0]
    });

    let clocks = [libc::CLOCK_MONOTONIC, libc::CLOCK_PROCESS_CPUTIME_ID];
    let begin = clocks.map(time);
    let since = |index: usize| time(clocks[index]) - begin[index];
    let mut program = null_mut();
    ok!(Program.pfnCreateWithIL(context, il.as_ptr().cast(), il.len(), null(), &mut program));
    ok!(Program.pfnBuild(context, program, null()));
    let (mut kernel, kernel_name) = (null_mut(), CString::new(name).expect("a name"));
    ok!(Kernel.pfnCreate(program, kernel_name.as_ptr(), &mut kernel));
    let mut first = 0.0;
    for round in 0..count {
        ok!(EnqueueExp.pfnKernelLaunchWithArgsExp(
            queue,
            kernel,
            1,
            null(),
            &SIZE,
            &256,
            args.len() as u32,
            args.as_ptr(),
            null(),
            0,
            null(),
            null_mut(),
        ));
        ok!(Queue.pfnFinish(queue));
        if round == 0 {
            first = since(0);
        }
    }
    let [all, cpu] = [0, 1].map(since);
    println!("first {first:.1} ms, all {all:.1} ms, CPU {cpu:.1} ms");
    ok!(Kernel.pfnRelease(kernel));
    ok!(Program.pfnRelease(program));
    ok!(Queue.pfnRelease(queue));
    ok!(Context.pfnRelease(context));
}
