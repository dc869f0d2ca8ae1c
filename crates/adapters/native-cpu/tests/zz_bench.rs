mod common;
use common::*;
use std::ptr::{null, null_mut};
use std::time::Instant;
use ur_api::*;
#[test]
fn bench() {
    let context = Context::new();
    let queue = context.queue();
    let program = context.program("vector_add.spv");
    let kernel = program.kernel("vector_add");
    let mut m = vec![0f32; 1024];
    let p = m.as_mut_ptr() as usize;
    let args = || [Arg::Pointer(p as _), Arg::Pointer(p as _), Arg::Pointer(p as _)];
    let n = 100_000;
    for global in [1usize, 64, 1024] {
        let t = Instant::now();
        for _ in 0..n { let (_, e) = queue.launch(&kernel, &[global], None, &args()); e.unwrap().wait(); }
        println!("launch {global} + wait {:?}", t.elapsed() / n);
        let t = Instant::now();
        for _ in 0..n { let (_, _e) = queue.launch(&kernel, &[global], None, &args()); }
        println!("submit {global} {:?}", t.elapsed() / n);
        queue.finish();
        println!("  with finish {:?}", t.elapsed() / n);
    }
    let (a, mut b) = ([0u8; 64], [0u8; 64]);
    let t = Instant::now();
    for _ in 0..n { ok!(Enqueue.pfnUSMMemcpy(queue.0, false, b.as_mut_ptr().cast(), a.as_ptr().cast(), 64, 0, null(), null_mut())); queue.finish(); }
    println!("copy64+finish {:?}", t.elapsed() / n);
    let t = Instant::now();
    for _ in 0..n { let mut e = null_mut(); ok!(Enqueue.pfnUSMMemcpy(queue.0, false, b.as_mut_ptr().cast(), a.as_ptr().cast(), 64, 0, null(), &mut e)); let e = Event(e); e.wait(); }
    println!("copy64+event+wait {:?}", t.elapsed() / n);
    let t = Instant::now();
    for _ in 0..n { let mut q = null_mut(); ok!(USM.pfnHostAlloc(context.0, null(), null_mut(), 64, &mut q)); ok!(USM.pfnFree(context.0, q)); }
    println!("alloc+free {:?}", t.elapsed() / n);
}
