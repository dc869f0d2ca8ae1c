//! Memory: what is freed while commands use it, and what is left when calls fail.

use crate::case;
use crate::driver::{Driver, MEMORY, NEWEST};
use crate::support::*;
use crate::ur;
use std::ffi::c_void;
use std::ptr::{null, null_mut};
use ur_adapter_level_zero::ze;
use ur_api::*;

/// Device memory.
fn allocate(context: &Context, size: usize) -> Result<*mut c_void> {
    let mut at = null_mut();
    ur!(USM.pfnDeviceAlloc(context.0, device(), null(), null_mut(), size, &mut at))?;
    Ok(at)
}

fn free(context: &Context, at: *mut c_void) -> Result {
    ur!(USM.pfnFree(context.0, at))
}

/// Fills with a byte.
fn fill(queue: &Queue, at: *mut c_void, size: usize, byte: u8) -> Result {
    let pattern = (&raw const byte).cast();
    ur!(Enqueue.pfnUSMFill(queue.0, at, 1, pattern, size, 0, null(), null_mut()))
}

/// A buffer of so many bytes.
fn buffer(context: &Context, size: usize) -> Result<Mem> {
    let mut raw = null_mut();
    let flags = UR_MEM_FLAG_READ_WRITE.0;
    ur!(Mem.pfnBufferCreate(context.0, flags, size, null(), &mut raw))?;
    Ok(Mem(raw))
}

case! { memory_goes_when_its_commands_have_ended, &[NEWEST, "1.0", "1.15 fifo"], in_use }

fn in_use(driver: &Driver) {
    let context = Context::new().expect("a context");
    let queues = [0, FREE, BATCHED].map(|flags| context.queue(flags).expect("a queue"));
    driver.hold(true);
    let at = allocate(&context, 4096).expect("memory");
    for queue in &queues {
        fill(queue, at, 4096, 1).expect("a fill");
    }
    free(&context, at).expect("freed");
    assert_eq!(driver.alive_of(MEMORY), 1, "commands use it");
    driver.hold(false);
    for queue in &queues {
        queue.finish().expect("an end");
    }
    assert_eq!(driver.alive_of(MEMORY), 0);
    // What nobody uses goes at once.
    let at = allocate(&context, 4096).expect("memory");
    free(&context, at).expect("freed");
    assert_eq!(driver.alive_of(MEMORY), 0);
}

case! { freed_memory_is_found_when_there_is_none, &["1.15 memory=64"], full }

fn full(driver: &Driver) {
    let context = Context::new().expect("a context");
    let queue = context.queue(0).expect("a queue");
    let piece = 8 << 20;
    driver.hold(true);
    let mut count = 0;
    // All there is, used by commands and freed.
    while let Ok(at) = allocate(&context, piece) {
        fill(&queue, at, piece, 1).expect("a fill");
        free(&context, at).expect("freed");
        count += 1;
        assert!(count < 100, "memory has no end");
    }
    assert!(count > 1 && driver.alive_of(MEMORY) == count);
    driver.hold(false);
    while driver.unfinished() > 0 {
        std::thread::yield_now();
    }
    let at = allocate(&context, piece).expect("memory that was freed");
    free(&context, at).expect("freed");
}

case! { a_buffer_goes_after_its_commands_and_maps, &[NEWEST, "1.3 integrated"], buffers }

fn buffers(driver: &Driver) {
    let context = Context::new().expect("a context");
    let queue = context.queue(0).expect("a queue");
    let (mem, mut at) = (buffer(&context, 256).expect("a buffer"), null_mut());
    driver.hold(true);
    let flags = UR_MAP_FLAG_WRITE.0;
    ur!(Enqueue.pfnMemBufferMap(
        queue.0,
        mem.0,
        false,
        flags,
        0,
        256,
        0,
        null(),
        null_mut(),
        &mut at
    ))
    .expect("a map");
    ur!(Enqueue.pfnMemUnmap(queue.0, mem.0, at, 0, null(), null_mut())).expect("an end of it");
    let again = ur!(Enqueue.pfnMemUnmap(queue.0, mem.0, at, 0, null(), null_mut()));
    assert_eq!(again, Err(UR_RESULT_ERROR_INVALID_VALUE));
    drop(mem);
    assert!(driver.alive_of(MEMORY) > 0, "commands use it");
    driver.hold(false);
    queue.finish().expect("an end");
    assert_eq!(driver.alive_of(MEMORY), 0);
}

/// Much of what can be done with memory, as far as it goes.
fn everything(context: &Context, queue: &Queue) -> Result {
    let at = allocate(context, 1024)?;
    let filled = fill(queue, at, 1024, 7);
    let odd = [1u8, 2, 3];
    let odd = odd.as_ptr().cast();
    let filled = filled.and(ur!(Enqueue.pfnUSMFill(
        queue.0,
        at,
        3,
        odd,
        999,
        0,
        null(),
        null_mut()
    )));
    // Memory that cannot be freed because a question failed is freed the next time.
    if free(context, at).is_err() {
        free(context, at)?;
    }
    filled?;
    let mem = buffer(context, 256)?;
    let (mut host, mut map) = ([5u8; 256], null_mut());
    let from = host.as_mut_ptr().cast();
    ur!(Enqueue.pfnMemBufferWrite(queue.0, mem.0, true, 0, 256, from, 0, null(), null_mut()))?;
    let flags = UR_MAP_FLAG_WRITE.0;
    ur!(Enqueue.pfnMemBufferMap(
        queue.0,
        mem.0,
        true,
        flags,
        0,
        256,
        0,
        null(),
        null_mut(),
        &mut map
    ))?;
    ur!(Enqueue.pfnMemUnmap(queue.0, mem.0, map, 0, null(), null_mut()))?;
    queue.finish()
}

case! { calls_that_fail_leave_nothing, &[NEWEST, "1.0"], failing }

fn failing(driver: &Driver) {
    for skip in 0..1000 {
        let context = Context::new().expect("a context");
        let queue = context.queue(0).expect("a queue");
        driver.fail("*", ze::ZE_RESULT_ERROR_DEVICE_LOST, skip, 1);
        let before = driver.failed();
        let result = everything(&context, &queue);
        driver.fail("*", ze::ZE_RESULT_SUCCESS, 0, 0);
        let failed = driver.failed() > before;
        // A failure may be one that nobody needs to know of.
        assert!(failed || result.is_ok(), "{result:?} of itself");
        queue.finish().ok();
        drop((queue, context));
        driver.expect_nothing();
        if !failed {
            assert!(skip > 10, "only {skip} calls");
            return;
        }
    }
    panic!("the calls have no end");
}
