//! Program-scope variables, by name and by address.

mod common;

use common::*;
use std::ptr::null_mut;
use ur_api::*;

#[test]
fn variables_are_read_and_written_by_name() {
    let context = Context::new();
    let queue = context.queue();
    let program = context.program("variables.spv");
    let kernel = program.kernel("use_variables");
    let mut out = [0i32; 4];
    let args = [Arg::Pointer(out.as_mut_ptr().cast())];
    queue.run(&kernel, &[4], None, &args);
    assert_eq!(out, [41, 42, 43, 44], "the initial values");

    let read = |name: &std::ffi::CStr, offset: usize, into: &mut [i32]| {
        ur!(Enqueue.pfnDeviceGlobalVariableRead(
            queue.0,
            program.0,
            name.as_ptr(),
            true,
            size_of_val(into),
            offset,
            into.as_mut_ptr().cast(),
            0,
            std::ptr::null(),
            null_mut()
        ))
    };
    let write = |name: &std::ffi::CStr, offset: usize, from: &[i32]| {
        ur!(Enqueue.pfnDeviceGlobalVariableWrite(
            queue.0,
            program.0,
            name.as_ptr(),
            true,
            size_of_val(from),
            offset,
            from.as_ptr().cast(),
            0,
            std::ptr::null(),
            null_mut()
        ))
    };
    let mut series = [0i32; 4];
    assert_eq!(read(c"series", 0, &mut series), UR_RESULT_SUCCESS);
    assert_eq!(series, [410, 420, 430, 440]);
    assert_eq!(write(c"counter", 0, &[1000]), UR_RESULT_SUCCESS);
    assert_eq!(write(c"series", 8, &[7, 8]), UR_RESULT_SUCCESS);
    queue.run(&kernel, &[4], None, &args);
    assert_eq!(out, [1410, 1420, 1007, 1008]);

    let (mut address, mut size) = (null_mut(), 0usize);
    ok!(Program.pfnGetGlobalVariablePointer(
        device(),
        program.0,
        c"counter".as_ptr(),
        &mut size,
        &mut address
    ));
    assert_eq!(size, 4);
    // SAFETY: the call gave the address of four bytes.
    assert_eq!(unsafe { address.cast::<i32>().read() }, 1000);

    let value = UR_RESULT_ERROR_INVALID_VALUE;
    assert_eq!(read(c"series", 12, &mut [0; 2]), value, "beyond its end");
    assert_eq!(write(c"nothing", 0, &[1]), value);
    // Each program has its own.
    let other = context.program("variables.spv");
    queue.run(&other.kernel("use_variables"), &[4], None, &args);
    assert_eq!(out, [41, 42, 43, 44]);
}

#[test]
fn kernels_have_no_address() {
    let context = Context::new();
    let program = context.program("variables.spv");
    let mut address = null_mut();
    let mut ask = |name: &std::ffi::CStr| {
        ur!(Program.pfnGetFunctionPointer(device(), program.0, name.as_ptr(), &mut address))
    };
    assert_eq!(
        ask(c"use_variables"),
        UR_RESULT_ERROR_FUNCTION_ADDRESS_NOT_AVAILABLE
    );
    assert_eq!(ask(c"nothing"), UR_RESULT_ERROR_INVALID_KERNEL_NAME);
}

#[test]
fn pipes_are_honestly_missing() {
    let context = Context::new();
    let queue = context.queue();
    let program = context.program("variables.spv");
    let mut byte = 0u8;
    assert_eq!(
        ur!(Enqueue.pfnReadHostPipe(
            queue.0,
            program.0,
            c"pipe".as_ptr(),
            true,
            (&raw mut byte).cast(),
            1,
            0,
            std::ptr::null(),
            null_mut()
        )),
        UR_RESULT_ERROR_UNSUPPORTED_FEATURE
    );
    let mut yes = 9u8;
    let name = UR_DEVICE_INFO_HOST_PIPE_READ_WRITE_SUPPORT;
    ok!(Device.pfnGetInfo(device(), name, 1, (&raw mut yes).cast(), null_mut()));
    assert_eq!(yes, 0);
}
