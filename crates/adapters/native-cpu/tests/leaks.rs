//! Memory stays flat. Alone in its process, so that nothing else allocates meanwhile.

mod common;

use common::*;
use std::ptr::{null, null_mut};
use ur_api::*;

/// Creates and releases four objects of different kinds, and an allocation.
fn round(context: &Context, queue: &Queue, number: usize) {
    let mut memory = null_mut();
    let (pool, size) = (null_mut(), 1 + number % 500);
    ok!(USM.pfnSharedAlloc(context.0, device(), null(), pool, size, &mut memory));
    let mut mem = null_mut();
    ok!(Mem.pfnBufferCreate(context.0, 0, 64, null(), &mut mem));
    drop(queue.wait_event(&[]));
    drop(context.queue_with((number % 2) as u32));
    drop(Context::new());
    ok!(Mem.pfnRelease(mem));
    ok!(USM.pfnFree(context.0, memory));
}

#[test]
fn a_million_objects_leave_memory_flat() {
    let context = Context::new();
    let queue = context.queue();
    let spirv = module("vector_add.spv");
    let programs = |n: usize| {
        for _ in 0..n {
            drop(context.unbuilt(&spirv));
        }
    };
    for number in 0..50_000 {
        round(&context, &queue, number);
    }
    programs(200);
    let before = resident();
    for number in 0..200_000 {
        round(&context, &queue, number);
    }
    programs(2000);
    let grown = resident().saturating_sub(before);
    assert!(
        grown < 1 << 20,
        "{grown} bytes more after a million objects"
    );
}
