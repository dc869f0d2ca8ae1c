//! What a synchronisation point costs: processor time per work-item and point.

#[path = "../tests/common/mod.rs"]
mod common;

use std::time::Duration;

use common::{Arg, Jit, pointer, value};

/// Processor time of this thread, which other load does not change much.
fn now() -> Duration {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: the clock exists on Linux and the result is writable.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) };
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// The least time of several runs, in nanoseconds per unit.
fn least(units: f64, mut run: impl FnMut()) -> f64 {
    (0..5)
        .map(|_| {
            let start = now();
            run();
            (now() - start).as_nanos() as f64 / units
        })
        .fold(f64::INFINITY, f64::min)
}

fn main() {
    let n = 1u64 << 20;
    let mut input = vec![1i32; n as usize];
    let jit = Jit::new("reduce");
    let kernel = jit.kernel("reduce_any");
    for local in [16u64, 64, 256, 1024] {
        let mut out = vec![0i32; (n / local) as usize];
        let barriers = f64::from(1 + local.ilog2());
        let cost = least(n as f64 * barriers, || {
            kernel.run(
                [n, 1, 1],
                [local, 1, 1],
                &[
                    pointer(&mut input),
                    pointer(&mut out),
                    Arg::Local(4 * local as usize),
                    value(n as u32),
                ],
            );
        });
        println!(
            "barrier, local size {local}: {cost:.1} ns, {} bytes a work-item",
            kernel.info.scratch_per_item
        );
    }
    let jit = Jit::new("sub_group");
    let kernel = jit.kernel("collectives");
    let mut out = vec![0i32; 6 * n as usize];
    let cost = least(n as f64 * 7.0, || {
        kernel.run(
            [n, 1, 1],
            [256, 1, 1],
            &[pointer(&mut input), pointer(&mut out)],
        );
    });
    println!(
        "sub-group operation: {cost:.1} ns, {} bytes a work-item",
        kernel.info.scratch_per_item
    );
}
