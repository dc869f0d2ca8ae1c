//! Memory that two processes share: the test starts itself again as the other one.

mod common;

use common::*;
use std::ffi::c_void;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};
use std::ptr::{null, null_mut};
use ur_api::*;

/// Set for the other process: what it is to do.
const ROLE: &str = "UR_TEST_IPC_ROLE";

/// Starts this program again to run the test `name` in a role.
fn other(name: &str, role: &str) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args([name, "--exact", "--nocapture", "--test-threads=1"])
        .env(ROLE, role)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

fn is(role: &str) -> bool {
    std::env::var(ROLE).is_ok_and(|own| own == role)
}

fn device_alloc(context: &Context, size: usize) -> *mut u8 {
    let mut mem = null_mut();
    ok!(USM.pfnDeviceAlloc(context.0, device(), null(), null_mut(), size, &mut mem));
    mem.cast()
}

/// The bytes of a handle, copied, with the pointer to give back.
fn handle(context: &Context, mem: *mut u8) -> (Vec<u8>, *mut c_void) {
    let (mut data, mut size) = (null_mut(), 0);
    ok!(IPCExp.pfnGetMemHandleExp(context.0, mem.cast(), &mut data, &mut size));
    // SAFETY: the call gave that many bytes.
    let bytes = unsafe { std::slice::from_raw_parts(data.cast::<u8>(), size) };
    (bytes.to_vec(), data)
}

fn open(context: &Context, bytes: &[u8]) -> Result<*mut u8, ur_result_t> {
    let mut copy = bytes.to_vec();
    let mut mem = null_mut();
    let outcome = ur!(IPCExp.pfnOpenMemHandleExp(
        context.0,
        device(),
        copy.as_mut_ptr().cast(),
        copy.len(),
        &mut mem
    ));
    if outcome == UR_RESULT_SUCCESS {
        Ok(mem.cast())
    } else {
        Err(outcome)
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn unhex(text: &str) -> Vec<u8> {
    (0..text.len() / 2)
        .map(|at| u8::from_str_radix(&text[2 * at..2 * at + 2], 16).unwrap())
        .collect()
}

#[test]
fn two_processes_share_an_allocation() {
    const SIZE: usize = 100_000;
    if is("reader") {
        let context = Context::new();
        let queue = context.queue();
        let mut lines = std::io::stdin().lines();
        let bytes = unhex(&lines.next().unwrap().unwrap());
        let mem = open(&context, &bytes).unwrap();
        // SAFETY: the memory has that many bytes.
        let view = unsafe { std::slice::from_raw_parts_mut(mem, SIZE) };
        for (at, byte) in view.iter().enumerate() {
            assert_eq!(*byte, at as u8);
        }
        // A command of this process writes, the other process sees it.
        let value = 0xEEu8;
        let pattern = (&raw const value).cast();
        ok!(Enqueue.pfnUSMFill(queue.0, mem.cast(), 1, pattern, SIZE, 0, null(), null_mut()));
        queue.finish();
        println!("\nwritten");
        // And what the other one writes afterwards.
        lines.next().unwrap().unwrap();
        assert_eq!(view[17], 0x11);
        ok!(IPCExp.pfnCloseMemHandleExp(context.0, mem.cast()));
        assert_eq!(
            ur!(IPCExp.pfnCloseMemHandleExp(context.0, mem.cast())),
            UR_RESULT_ERROR_INVALID_VALUE
        );
        return;
    }
    let context = Context::new();
    let mem = device_alloc(&context, SIZE);
    // SAFETY: the allocation has that many bytes.
    let view = unsafe { std::slice::from_raw_parts_mut(mem, SIZE) };
    for (at, byte) in view.iter_mut().enumerate() {
        *byte = at as u8;
    }
    let (bytes, data) = handle(&context, mem);
    // The contents stayed where they were.
    assert!(view.iter().enumerate().all(|(at, byte)| *byte == at as u8));
    let mut child = other("two_processes_share_an_allocation", "reader");
    let mut input = child.stdin.take().unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap()).lines();
    writeln!(input, "{}", hex(&bytes)).unwrap();
    assert!(output.any(|line| line.unwrap() == "written"));
    assert!(view.iter().all(|byte| *byte == 0xEE));
    view[17] = 0x11;
    writeln!(input, "go on").unwrap();
    for line in output {
        println!("other: {}", line.unwrap());
    }
    assert!(child.wait().unwrap().success());
    ok!(IPCExp.pfnPutMemHandleExp(context.0, data));
    ok!(USM.pfnFree(context.0, mem.cast()));
    // The handle names nothing any more.
    assert_eq!(
        open(&context, &bytes).err(),
        Some(UR_RESULT_ERROR_INVALID_VALUE)
    );
}

#[test]
fn memory_within_one_process_and_inside_of_an_allocation() {
    let context = Context::new();
    let mem = device_alloc(&context, 10_000);
    // SAFETY: inside of the allocation.
    let inside = unsafe { mem.add(5000) };
    let (bytes, data) = handle(&context, inside);
    let twin = open(&context, &bytes).unwrap();
    assert_ne!(twin, inside);
    // SAFETY: both are the same byte of 10000.
    unsafe {
        inside.write(42);
        assert_eq!(twin.read(), 42);
        twin.add(1).write(43);
        assert_eq!(inside.add(1).read(), 43);
    }
    // Memory of another process is not freed and not passed on.
    assert_eq!(
        ur!(USM.pfnFree(context.0, twin.wrapping_sub(5000).cast())),
        UR_RESULT_ERROR_INVALID_MEM_OBJECT
    );
    let (mut again, mut size) = (null_mut(), 0);
    assert_eq!(
        ur!(IPCExp.pfnGetMemHandleExp(context.0, twin.cast(), &mut again, &mut size)),
        UR_RESULT_ERROR_INVALID_VALUE
    );
    ok!(IPCExp.pfnPutMemHandleExp(context.0, data));
    // The mapping lives longer than the allocation.
    ok!(USM.pfnFree(context.0, mem.cast()));
    // SAFETY: it was not closed.
    assert_eq!(unsafe { twin.read() }, 42);
    ok!(IPCExp.pfnCloseMemHandleExp(context.0, twin.cast()));
}

#[test]
fn damaged_handles_are_refused() {
    let context = Context::new();
    let mem = device_alloc(&context, 64);
    let (bytes, data) = handle(&context, mem);
    for at in 0..bytes.len() {
        let mut wrong = bytes.clone();
        wrong[at] ^= 0x40;
        // A changed size or offset may still be one that fits, anything else must not.
        if let Ok(opened) = open(&context, &wrong) {
            assert!(at >= 32, "byte {at}");
            ok!(IPCExp.pfnCloseMemHandleExp(context.0, opened.cast()));
        }
    }
    assert_eq!(
        open(&context, &bytes[1..]).err(),
        Some(UR_RESULT_ERROR_INVALID_VALUE)
    );
    assert!(open(&context, &[]).is_err());
    ok!(IPCExp.pfnPutMemHandleExp(context.0, data));
    let mut host = null_mut();
    ok!(USM.pfnHostAlloc(context.0, null(), null_mut(), 64, &mut host));
    let (mut data, mut size) = (null_mut(), 0);
    assert_eq!(
        ur!(IPCExp.pfnGetMemHandleExp(context.0, host, &mut data, &mut size)),
        UR_RESULT_ERROR_INVALID_VALUE,
        "only device memory is shared"
    );
    assert_eq!(
        ur!(IPCExp.pfnGetMemHandleExp(context.0, mem.cast(), null_mut(), &mut size)),
        UR_RESULT_ERROR_INVALID_NULL_POINTER
    );
    ok!(USM.pfnFree(context.0, host));
    ok!(USM.pfnFree(context.0, mem.cast()));
}

#[test]
fn nothing_that_commands_write_is_lost_while_memory_moves() {
    let context = Context::new();
    let queue = context.queue();
    const SIZE: usize = 4 << 20;
    for round in 0..10u8 {
        let mem = device_alloc(&context, SIZE);
        let mut events = Vec::new();
        // Each fill writes a part of its own, and none is written twice.
        for part in 0..64usize {
            let value = part as u8 ^ round;
            let mut event = null_mut();
            ok!(Enqueue.pfnUSMFill(
                queue.0,
                mem.wrapping_add(part * (SIZE / 64)).cast(),
                1,
                (&raw const value).cast(),
                SIZE / 64,
                0,
                null(),
                &mut event
            ));
            events.push(Event(event));
        }
        let (_, data) = handle(&context, mem);
        queue.finish();
        // SAFETY: the allocation has that many bytes.
        let view = unsafe { std::slice::from_raw_parts(mem, SIZE) };
        for (part, bytes) in view.chunks(SIZE / 64).enumerate() {
            let value = part as u8 ^ round;
            assert!(bytes.iter().all(|byte| *byte == value), "part {part}");
        }
        ok!(IPCExp.pfnPutMemHandleExp(context.0, data));
        ok!(USM.pfnFree(context.0, mem.cast()));
    }
}

#[test]
fn freed_memory_is_ordinary_again() {
    let context = Context::new();
    // Small memory is the C library's, large memory a mapping that would be used again.
    for size in [8; 100].into_iter().chain([4 << 20; 20]) {
        let (first, second) = (device_alloc(&context, size), device_alloc(&context, size));
        let (bytes, data) = handle(&context, first);
        ok!(IPCExp.pfnPutMemHandleExp(context.0, data));
        let twin = open(&context, &bytes).unwrap();
        ok!(USM.pfnFree(context.0, first.cast()));
        let next = device_alloc(&context, size);
        // SAFETY: all are of that many bytes; `next` may be where `first` was, but not in the file.
        unsafe {
            for at in [0, size - 1] {
                twin.add(at).write(1);
                next.add(at).write(2);
                second.add(at).write(3);
                let values = [twin, next, second].map(|mem| mem.add(at).read());
                assert_eq!(values, [1, 2, 3]);
            }
        }
        ok!(IPCExp.pfnCloseMemHandleExp(context.0, twin.cast()));
        ok!(USM.pfnFree(context.0, second.cast()));
        ok!(USM.pfnFree(context.0, next.cast()));
    }
}
