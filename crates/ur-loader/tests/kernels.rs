//! A kernel launched and recorded as programs of earlier releases do it, on the built native CPU
//! adapter and on those that UR_TEST_ADAPTERS lists, such as one of an earlier release.

use std::ffi::c_void;
use std::path::PathBuf;
use std::ptr::{null, null_mut};
use ur_api::*;
use ur_loader::*;

const N: usize = 1000;

fn good(result: ur_result_t) {
    assert_eq!(result, UR_RESULT_SUCCESS);
}

fn built(library: &str) -> PathBuf {
    let root = std::env::var_os("UR_DIST_DIR").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../target/dist"),
        PathBuf::from,
    );
    let path = root.join("lib").join(library);
    let path = std::path::absolute(path).expect("a path");
    assert!(
        path.exists(),
        "{} is missing: run `./x build` first",
        path.display()
    );
    path
}

fn on(adapter: ur_adapter_handle_t) {
    let il = include_bytes!("../../../tests/spirv/vector_add.spv");
    // SAFETY: handles are live, there is room for what is asked for, and memory lives until
    // nothing runs any more.
    unsafe {
        let (mut platform, mut device) = (null_mut(), null_mut());
        good(urPlatformGet(adapter, 1, &raw mut platform, null_mut()));
        good(urDeviceGet(
            platform,
            UR_DEVICE_TYPE_ALL,
            1,
            &raw mut device,
            null_mut(),
        ));
        let (mut context, mut queue) = (null_mut(), null_mut());
        good(urContextCreate(
            1,
            &raw const device,
            null(),
            &raw mut context,
        ));
        good(urQueueCreate(context, device, null(), &raw mut queue));
        let (mut program, mut kernel) = (null_mut(), null_mut());
        let made = urProgramCreateWithIL(
            context,
            il.as_ptr().cast(),
            il.len(),
            null(),
            &raw mut program,
        );
        good(made);
        good(urProgramBuild(context, program, null()));
        good(urKernelCreate(
            program,
            c"vector_add_n".as_ptr(),
            &raw mut kernel,
        ));

        let bytes = N * size_of::<i32>();
        let (mut a, mut c): (*mut c_void, *mut c_void) = (null_mut(), null_mut());
        good(urUSMSharedAlloc(
            context,
            device,
            null(),
            null_mut(),
            bytes,
            &raw mut a,
        ));
        good(urUSMSharedAlloc(
            context,
            device,
            null(),
            null_mut(),
            bytes,
            &raw mut c,
        ));
        let fill = |at: *mut c_void, value: &dyn Fn(i32) -> i32| {
            (0..N).for_each(|i| at.cast::<i32>().add(i).write(value(i as i32)));
        };
        fill(a, &|i| i);
        let mut b = null_mut();
        good(urMemBufferCreate(
            context,
            UR_MEM_FLAG_READ_WRITE.0,
            bytes,
            null(),
            &raw mut b,
        ));
        let tens = vec![10i32; N];
        let from = tens.as_ptr().cast();
        good(urEnqueueMemBufferWrite(
            queue,
            b,
            true,
            0,
            bytes,
            from,
            0,
            null(),
            null_mut(),
        ));

        good(urKernelSetArgPointer(kernel, 0, null(), a));
        good(urKernelSetArgMemObj(kernel, 1, null(), b));
        good(urKernelSetArgPointer(kernel, 2, null(), c));
        let limit = |n: u32| {
            let value = (&raw const n).cast();
            good(urKernelSetArgValue(
                kernel,
                3,
                size_of::<u32>(),
                null(),
                value,
            ));
        };
        let beyond = urKernelSetArgPointer(kernel, 4, null(), a);
        assert_eq!(beyond, UR_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_INDEX);
        let sum = |upto: usize, name: &str| {
            for i in 0..N {
                let want = if i < upto { i as i32 + 10 } else { -1 };
                assert_eq!(c.cast::<i32>().add(i).read(), want, "{name} at {i}");
            }
        };
        let (offset, global) = ([0usize; 3], [N, 1, 1]);
        for upto in [N, 7, 500] {
            fill(c, &|_| -1);
            limit(upto as u32);
            let mut event = null_mut();
            good(urEnqueueKernelLaunch(
                queue,
                kernel,
                1,
                offset.as_ptr(),
                global.as_ptr(),
                null(),
                null(),
                0,
                null(),
                &raw mut event,
            ));
            // Too late for the launch.
            limit(0);
            good(urEventWait(1, &raw const event));
            good(urEventRelease(event));
            sum(upto, "a launch");
        }

        // Recorded with the arguments of that moment, if the adapter records at all.
        let mut recording = null_mut();
        let how = ur_exp_command_buffer_desc_t::default();
        limit(300);
        let made = urCommandBufferCreateExp(context, device, &raw const how, &raw mut recording);
        if made != UR_RESULT_ERROR_UNSUPPORTED_FEATURE {
            good(made);
            good(urCommandBufferAppendKernelLaunchExp(
                recording,
                kernel,
                1,
                offset.as_ptr(),
                global.as_ptr(),
                null(),
                0,
                null_mut(),
                0,
                null(),
                0,
                null(),
                null_mut(),
                null_mut(),
                null_mut(),
            ));
            good(urCommandBufferFinalizeExp(recording));
            limit(0);
            fill(c, &|_| -1);
            good(urEnqueueCommandBufferExp(
                queue,
                recording,
                0,
                null(),
                null_mut(),
            ));
            good(urQueueFinish(queue));
            sum(300, "a recorded launch");
            good(urCommandBufferReleaseExp(recording));
        }

        // The program's own references are the only ones.
        let mut count = 0u32;
        let to = (&raw mut count).cast();
        good(urKernelGetInfo(
            kernel,
            UR_KERNEL_INFO_REFERENCE_COUNT,
            4,
            to,
            null_mut(),
        ));
        assert_eq!(count, 1);
        good(urKernelRelease(kernel));
        good(urProgramRelease(program));
        good(urMemRelease(b));
        good(urUSMFree(context, a));
        good(urUSMFree(context, c));
        good(urQueueRelease(queue));
        good(urContextRelease(context));
    }
}

#[test]
fn launched_and_recorded() {
    let mut adapters = built("libur_adapter_native_cpu.so.0").into_os_string();
    if let Some(more) = std::env::var_os("UR_TEST_ADAPTERS") {
        adapters.push(",");
        adapters.push(more);
    }
    // SAFETY: this is the only test of this program, and no other thread has begun.
    unsafe { std::env::set_var("UR_ADAPTERS_FORCE_LOAD", adapters) };
    let mut found = [null_mut(); 8];
    let mut count = 0;
    // SAFETY: as the API asks.
    unsafe {
        good(urLoaderInit(0, null_mut()));
        good(urAdapterGet(8, found.as_mut_ptr(), &raw mut count));
    }
    assert!(count > 0);
    // All at once.
    std::thread::scope(|scope| {
        for adapter in &found[..count as usize] {
            let adapter = *adapter as usize;
            scope.spawn(move || on(adapter as ur_adapter_handle_t));
        }
    });
    println!("{count} adapters");
    for adapter in &found[..count as usize] {
        // SAFETY: the reference is ours.
        good(unsafe { urAdapterRelease(*adapter) });
    }
    // SAFETY: nothing is used any more.
    good(unsafe { urLoaderTearDown() });
}
