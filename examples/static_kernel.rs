//! A program that compiles and runs a kernel and needs no other file of ours: the loader, the native
//! CPU adapter and the compiler are part of it.
//!
//! ```text
//! cargo run --release -p ur-static --features alone,jit --example static_kernel \
//!     tests/spirv/vector_add.spv
//! ```

use std::ptr::{null, null_mut};
use ur_api::*;
use ur_static::ur_loader::*;

const SIZE: usize = 1000;

fn check(call: &str, result: ur_result_t) {
    assert_eq!(result, UR_RESULT_SUCCESS, "{call}");
}

fn main() {
    let path = std::env::args_os()
        .nth(1)
        .expect("usage: static_kernel vector_add.spv");
    let module = std::fs::read(path).expect("the module can be read");
    ur_static::native_cpu();
    let none = null_mut();
    let (mut adapter, mut platform, mut device) = (null_mut(), null_mut(), null_mut());
    let (mut context, mut queue) = (null_mut(), null_mut());
    let (mut program, mut kernel) = (null_mut(), null_mut());
    // SAFETY: the calls are made as the API asks: handles are live, memory is as large as is said
    // and stays until the queue is finished, and each reference is given back once.
    unsafe {
        check("urLoaderInit", urLoaderInit(0, null_mut()));
        check("urAdapterGet", urAdapterGet(1, &mut adapter, none));
        check(
            "urPlatformGet",
            urPlatformGet(adapter, 1, &mut platform, none),
        );
        let all = UR_DEVICE_TYPE_ALL;
        check(
            "urDeviceGet",
            urDeviceGet(platform, all, 1, &mut device, none),
        );
        check(
            "urContextCreate",
            urContextCreate(1, &device, null(), &mut context),
        );
        check(
            "urQueueCreate",
            urQueueCreate(context, device, null(), &mut queue),
        );
        let (il, size) = (module.as_ptr().cast(), module.len());
        let result = urProgramCreateWithIL(context, il, size, null(), &mut program);
        check("urProgramCreateWithIL", result);
        check("urProgramBuild", urProgramBuild(context, program, null()));
        let name = c"vector_add".as_ptr();
        check("urKernelCreate", urKernelCreate(program, name, &mut kernel));

        let arrays: Vec<*mut f32> = (0..3)
            .map(|_| {
                let mut memory = null_mut();
                let size = SIZE * size_of::<f32>();
                let (pool, desc) = (null_mut(), null());
                let result = urUSMSharedAlloc(context, device, desc, pool, size, &mut memory);
                check("urUSMSharedAlloc", result);
                memory.cast()
            })
            .collect();
        for index in 0..SIZE {
            arrays[0].add(index).write(index as f32);
            arrays[1].add(index).write(1000.0);
        }
        let args: Vec<ur_exp_kernel_arg_properties_t> = (0..)
            .zip(&arrays)
            .map(|(index, &array)| ur_exp_kernel_arg_properties_t {
                r#type: UR_EXP_KERNEL_ARG_TYPE_POINTER,
                index,
                size: size_of_val(&array),
                value: ur_exp_kernel_arg_value_t {
                    pointer: array.cast_const().cast(),
                },
                ..Default::default()
            })
            .collect();
        let (offset, global) = ([0], [SIZE]);
        let result = urEnqueueKernelLaunchWithArgsExp(
            queue,
            kernel,
            1,
            offset.as_ptr(),
            global.as_ptr(),
            null(),
            args.len() as u32,
            args.as_ptr(),
            null(),
            0,
            null(),
            null_mut(),
        );
        check("urEnqueueKernelLaunchWithArgsExp", result);
        check("urQueueFinish", urQueueFinish(queue));
        let right = (0..SIZE).all(|index| *arrays[2].add(index) == index as f32 + 1000.0);
        println!(
            "{SIZE} sums, {}",
            if right { "all right" } else { "some wrong" }
        );

        for array in arrays {
            check("urUSMFree", urUSMFree(context, array.cast()));
        }
        check("urKernelRelease", urKernelRelease(kernel));
        check("urProgramRelease", urProgramRelease(program));
        check("urQueueRelease", urQueueRelease(queue));
        check("urContextRelease", urContextRelease(context));
        check("urDeviceRelease", urDeviceRelease(device));
        check("urAdapterRelease", urAdapterRelease(adapter));
        check("urLoaderTearDown", urLoaderTearDown());
    }
}
