//! Programs, kernels and launches. Needs the JIT library, which is built with the tests.

mod common;

use common::*;
use std::ffi::c_void;
use std::ptr::{null, null_mut};
use ur_api::*;

/// Adds two vectors with a work-group size, and checks the sums.
fn add(queue: &Queue, kernel: &Kernel, size: usize, local: Option<usize>) {
    let a: Vec<f32> = (0..size).map(|i| i as f32).collect();
    let b: Vec<f32> = (0..size).map(|i| (size - i) as f32 * 0.5).collect();
    let mut c = vec![-1f32; size + 1];
    let args = [
        Arg::Pointer(a.as_ptr().cast()),
        Arg::Pointer(b.as_ptr().cast()),
        Arg::Pointer(c.as_mut_ptr().cast_const().cast()),
    ];
    let local = local.map(|local| [local]);
    queue.run(kernel, &[size], local.as_ref().map(|l| &l[..]), &args);
    for i in 0..size {
        assert_eq!(c[i], a[i] + b[i], "element {i} of {size}");
    }
    assert_eq!(c[size], -1.0);
}

#[test]
fn sums_of_all_sizes() {
    let context = Context::new();
    let program = context.program("vector_add.spv");
    let kernel = program.kernel("vector_add");
    let queue = context.queue();
    for size in [1, 2, 7, 64, 97, 1000, 1009, 65_536, 1_000_003] {
        add(&queue, &kernel, size, None);
    }
    for (size, local) in [(64, 1), (64, 64), (1000, 8), (8192, 8192), (1009, 1009)] {
        add(&queue, &kernel, size, Some(local));
    }
    for local in [3, 48, 8193, 0] {
        let args = [
            Arg::Pointer(null()),
            Arg::Pointer(null()),
            Arg::Pointer(null()),
        ];
        let (outcome, event) = queue.launch(&kernel, &[64], Some(&[local]), &args);
        assert_eq!(outcome, UR_RESULT_ERROR_INVALID_WORK_GROUP_SIZE, "{local}");
        assert!(event.is_none());
    }
}

#[test]
fn uneven_groups_where_the_options_allow_them() {
    let context = Context::new();
    let program = context.unbuilt(&module("vector_add.spv"));
    ok!(Program.pfnBuild(context.0, program.0, c"-cl-std=CL2.0".as_ptr()));
    let kernel = program.kernel("vector_add");
    let queue = context.queue();
    for (size, local) in [(1009, 64), (1000, 7), (5, 8)] {
        add(&queue, &kernel, size, Some(local));
    }
}

#[test]
fn launch_parameters_are_checked() {
    let context = Context::new();
    let program = context.program("vector_add.spv");
    let kernel = program.kernel("vector_add");
    let queue = context.queue();
    let mut memory = [0f32; 3];
    let at = (&raw mut memory) as usize;
    let good = || Arg::Pointer(at as *const c_void);
    let launch = |global: &[usize], args: &[Arg]| queue.launch(&kernel, global, None, args).0;
    let three = [good(), good(), good()];
    assert_eq!(launch(&[1], &three), UR_RESULT_SUCCESS);
    queue.finish();
    assert_eq!(launch(&[0], &three), UR_RESULT_ERROR_INVALID_WORK_DIMENSION);
    assert_eq!(
        launch(&[1, 0], &three),
        UR_RESULT_ERROR_INVALID_WORK_DIMENSION
    );
    assert_eq!(
        launch(&[1, 1, 1, 1], &three),
        UR_RESULT_ERROR_INVALID_WORK_DIMENSION
    );
    assert_eq!(launch(&[1], &three[..2]), UR_RESULT_ERROR_INVALID_VALUE);
    let four = [good(), good(), good(), good()];
    assert_eq!(
        launch(&[1], &four),
        UR_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_INDEX
    );
    let short = [good(), good(), Arg::Value(&[0; 4])];
    assert_eq!(
        launch(&[1], &short),
        UR_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE
    );
    let local = [good(), good(), Arg::Local(64)];
    assert_eq!(launch(&[1], &local), UR_RESULT_ERROR_INVALID_VALUE);
    // A pointer passed by its value is one all the same.
    let address = at.to_ne_bytes();
    let by_value = [good(), good(), Arg::Value(&address)];
    assert_eq!(launch(&[1], &by_value), UR_RESULT_SUCCESS);
    queue.finish();
}

#[test]
fn every_id_and_size_in_three_dimensions() {
    let context = Context::new();
    let program = context.program("matmul.spv");
    let kernel = program.kernel("ids");
    let queue = context.queue();
    let (global, local, offset) = ([6usize, 4, 5], [3usize, 2, 1], [10usize, 20, 30]);
    let count: usize = global.iter().product();
    let mut out = vec![0u64; count * 7];
    let arg = ur_exp_kernel_arg_properties_t {
        stype: UR_STRUCTURE_TYPE_EXP_KERNEL_ARG_PROPERTIES,
        pNext: null_mut(),
        r#type: UR_EXP_KERNEL_ARG_TYPE_POINTER,
        index: 0,
        size: 8,
        value: ur_exp_kernel_arg_value_t {
            pointer: out.as_mut_ptr().cast_const().cast(),
        },
    };
    // Private launch flags of this release's headers are accepted.
    let properties = ur_kernel_launch_ext_properties_t {
        stype: UR_STRUCTURE_TYPE_KERNEL_LAUNCH_EXT_PROPERTIES,
        pNext: null_mut(),
        flags: 0x70,
    };
    ok!(EnqueueExp.pfnKernelLaunchWithArgsExp(
        queue.0,
        kernel.0,
        3,
        offset.as_ptr(),
        global.as_ptr(),
        local.as_ptr(),
        1,
        &arg,
        &properties,
        0,
        null(),
        null_mut(),
    ));
    queue.finish();
    let join = |v: [usize; 3]| (v[0] + 1000 * v[1] + 1_000_000 * v[2]) as u64;
    for i in 0..count {
        let at = [i % 6, i / 6 % 4, i / 24];
        let each = |f: &dyn Fn(usize) -> usize| join(std::array::from_fn(f));
        let expected = [
            each(&|d| at[d] + offset[d]),
            each(&|d| at[d] % local[d]),
            each(&|d| at[d] / local[d]),
            each(&|d| local[d]),
            each(&|d| global[d] / local[d]),
            each(&|d| offset[d]),
            3,
        ];
        assert_eq!(out[i * 7..i * 7 + 7], expected, "work-item {at:?}");
    }
}

#[test]
fn required_group_sizes_and_fixed_local_memory() {
    let context = Context::new();
    let program = context.program("reduce.spv");
    let kernel = program.kernel("reduce_fixed");
    let queue = context.queue();
    let input: Vec<i32> = (0..64 * 50).collect();
    let source = context.buffer(bytes(&input));
    let target = context.buffer(bytes(&[0i32; 50]));
    let args = [Arg::Mem(&source), Arg::Mem(&target)];
    for local in [None, Some(&[64usize][..])] {
        queue.run(&kernel, &[64 * 50], local, &args);
        let mut sums = [0i32; 50];
        queue.read(&target, bytes_mut(&mut sums));
        for (sum, part) in sums.iter().zip(input.chunks(64)) {
            assert_eq!(*sum, part.iter().sum::<i32>());
        }
    }
    let (outcome, _) = queue.launch(&kernel, &[64], Some(&[32]), &args);
    assert_eq!(outcome, UR_RESULT_ERROR_INVALID_WORK_GROUP_SIZE);
    let (outcome, _) = queue.launch(&kernel, &[65], None, &args);
    assert_eq!(outcome, UR_RESULT_ERROR_INVALID_WORK_GROUP_SIZE);
    let mut sizes = [0usize; 3];
    let place = (&raw mut sizes).cast();
    let name = UR_KERNEL_GROUP_INFO_COMPILE_WORK_GROUP_SIZE;
    ok!(Kernel.pfnGetGroupInfo(kernel.0, device(), name, 24, place, null_mut()));
    assert_eq!(sizes, [64, 1, 1]);
    let mut local = 0usize;
    let place = (&raw mut local).cast();
    let name = UR_KERNEL_GROUP_INFO_LOCAL_MEM_SIZE;
    ok!(Kernel.pfnGetGroupInfo(kernel.0, device(), name, 8, place, null_mut()));
    assert!(local >= 256);
}

#[test]
fn local_arguments() {
    const N: usize = 32;
    let context = Context::new();
    let program = context.program("matmul.spv");
    let kernel = program.kernel("matmul");
    let queue = context.queue();
    let a: Vec<f32> = (0..N * N).map(|i| (i % 7) as f32).collect();
    let b: Vec<f32> = (0..N * N).map(|i| (i % 5) as f32 - 2.0).collect();
    let mut c = vec![0f32; N * N];
    for tile in [1usize, 4, 8, 16] {
        c.fill(-1.0);
        let args = [
            Arg::Pointer(a.as_ptr().cast()),
            Arg::Pointer(b.as_ptr().cast()),
            Arg::Pointer(c.as_mut_ptr().cast_const().cast()),
            Arg::Value(&(N as i32).to_ne_bytes()),
            Arg::Local(tile * tile * 4),
            Arg::Local(tile * tile * 4),
        ];
        queue.run(&kernel, &[N, N], Some(&[tile, tile]), &args);
        for y in 0..N {
            for x in 0..N {
                let sum: f32 = (0..N).map(|k| a[y * N + k] * b[k * N + x]).sum();
                assert_eq!(c[y * N + x], sum, "{x} {y}, tiles of {tile}");
            }
        }
    }
    let args = |size| {
        [
            Arg::Pointer(null()),
            Arg::Pointer(null()),
            Arg::Pointer(null()),
            Arg::Value(&[0; 4]),
            Arg::Local(4),
            Arg::Local(size),
        ]
    };
    let (outcome, _) = queue.launch(&kernel, &[1, 1], None, &args(300 << 10));
    assert_eq!(outcome, UR_RESULT_ERROR_OUT_OF_RESOURCES);
}

/// The arguments and the pattern belong to the caller again once the call is back.
#[test]
fn arguments_are_copied_when_enqueued() {
    const N: usize = 16;
    let context = Context::new();
    let program = context.program("matmul.spv");
    let kernel = program.kernel("matmul");
    let queue = context.queue();
    let ones = vec![1f32; N * N];
    let mut out = vec![0f32; N * N];
    let (go, blocked) = queue.block();
    let mut size = (N as i32).to_ne_bytes();
    let (outcome, event) = {
        let args = [
            Arg::Pointer(ones.as_ptr().cast()),
            Arg::Pointer(ones.as_ptr().cast()),
            Arg::Pointer(out.as_mut_ptr().cast_const().cast()),
            Arg::Value(&size),
            Arg::Local(64 * 4),
            Arg::Local(64 * 4),
        ];
        queue.launch_after(&kernel, &[N, N], Some(&[8, 8]), &args, &[blocked.0])
    };
    assert_eq!(outcome, UR_RESULT_SUCCESS);
    size.fill(0xff);
    let mut filled = [0u8; 8];
    let mut pattern = [5u8];
    let (at, from) = (filled.as_mut_ptr().cast(), pattern.as_ptr().cast());
    ok!(Enqueue.pfnUSMFill(queue.0, at, 1, from, 8, 0, null(), null_mut()));
    pattern[0] = 6;
    // The kernel and its program go too; the launch keeps what it needs.
    drop(kernel);
    drop(program);
    go.send(()).unwrap();
    event.unwrap().wait();
    queue.finish();
    assert!(out.iter().all(|value| *value == N as f32));
    assert_eq!(filled, [5; 8]);
    assert_ne!((size, pattern), ((N as i32).to_ne_bytes(), [5]));
}

#[test]
fn dependent_launches_on_an_out_of_order_queue() {
    let context = Context::new();
    let program = context.program("vector_add.spv");
    let kernel = program.kernel("vector_add");
    let queue = context.queue_with(UR_QUEUE_FLAG_OUT_OF_ORDER_EXEC_MODE_ENABLE.0);
    let ones = vec![1f32; 1000];
    let mut sum = vec![0f32; 1000];
    let mut last: Option<Event> = None;
    for _ in 0..500 {
        let at = sum.as_mut_ptr().cast_const().cast();
        let args = [
            Arg::Pointer(at),
            Arg::Pointer(ones.as_ptr().cast()),
            Arg::Pointer(at),
        ];
        let wait_list: Vec<_> = last.iter().map(|event| event.0).collect();
        let (outcome, event) = queue.launch_after(&kernel, &[1000], None, &args, &wait_list);
        assert_eq!(outcome, UR_RESULT_SUCCESS);
        last = event;
    }
    queue.finish();
    assert!(sum.iter().all(|value| *value == 500.0));
}

#[test]
fn threads_share_one_kernel() {
    let context = Context::new();
    let program = context.program("reduce.spv");
    let kernel = program.kernel("reduce_fixed");
    let (context_raw, kernel_raw) = (context.0 as usize, kernel.0 as usize);
    std::thread::scope(|scope| {
        for thread in 0..8i32 {
            scope.spawn(move || {
                ok!(Context.pfnRetain(context_raw as _));
                ok!(Kernel.pfnRetain(kernel_raw as _));
                let (context, kernel) = (Context(context_raw as _), Kernel(kernel_raw as _));
                let queue = context.queue();
                let input = vec![thread; 6400];
                let mut sums = vec![0i32; 100];
                for _ in 0..50 {
                    sums.fill(-1);
                    let args = [
                        Arg::Pointer(input.as_ptr().cast()),
                        Arg::Pointer(sums.as_mut_ptr().cast_const().cast()),
                    ];
                    queue.run(&kernel, &[6400], Some(&[64]), &args);
                    assert!(sums.iter().all(|sum| *sum == 64 * thread));
                }
            });
        }
    });
}

#[test]
fn programs_are_saved_and_loaded() {
    let context = Context::new();
    let program = context.program("vector_add.spv");
    let sizes = |program: &Program| {
        let mut size = 0usize;
        let place = (&raw mut size).cast();
        ok!(Program.pfnGetInfo(
            program.0,
            UR_PROGRAM_INFO_BINARY_SIZES,
            8,
            place,
            null_mut()
        ));
        size
    };
    let size = sizes(&program);
    assert!(size > 0);
    let mut saved = vec![0u8; size];
    let mut place = saved.as_mut_ptr();
    let name = UR_PROGRAM_INFO_BINARIES;
    ok!(Program.pfnGetInfo(program.0, name, 8, (&raw mut place).cast(), null_mut()));
    let load = |bytes: &[u8]| {
        let (mut device, mut len, mut start) = (device(), bytes.len(), bytes.as_ptr());
        let mut program = null_mut();
        let outcome = ur!(Program.pfnCreateWithBinary(
            context.0,
            1,
            &mut device,
            &mut len,
            &mut start,
            null(),
            &mut program
        ));
        (outcome, (!program.is_null()).then(|| Program(program)))
    };
    let (outcome, loaded) = load(&saved);
    assert_eq!(outcome, UR_RESULT_SUCCESS);
    let loaded = loaded.unwrap();
    assert_eq!(sizes(&loaded), size, "saved as it was loaded");
    ok!(Program.pfnBuild(context.0, loaded.0, null()));
    add(&context.queue(), &loaded.kernel("vector_add"), 100, None);
    for len in [0, 1, 39, size - 1] {
        assert_eq!(load(&saved[..len]).0, UR_RESULT_ERROR_INVALID_NATIVE_BINARY);
        assert!(!last_error().is_empty());
    }
    assert_eq!(
        load(&module("vector_add.spv")).0,
        UR_RESULT_ERROR_INVALID_NATIVE_BINARY
    );
}

fn text(program: &Program, name: ur_program_info_t) -> String {
    let mut size = 0;
    ok!(Program.pfnGetInfo(program.0, name, 0, null_mut(), &mut size));
    let mut text = vec![0u8; size];
    let place = text.as_mut_ptr().cast();
    ok!(Program.pfnGetInfo(program.0, name, size, place, null_mut()));
    String::from_utf8_lossy(&text[..size - 1]).into_owned()
}

#[test]
fn programs_tell_what_is_in_them() {
    let context = Context::new();
    let spirv = module("matmul.spv");
    let program = context.unbuilt(&spirv);
    let mut kernel = null_mut();
    assert_eq!(
        ur!(Kernel.pfnCreate(program.0, c"matmul".as_ptr(), &mut kernel)),
        UR_RESULT_ERROR_INVALID_PROGRAM_EXECUTABLE
    );
    ok!(Program.pfnBuild(context.0, program.0, c"-O2".as_ptr()));
    assert_eq!(text(&program, UR_PROGRAM_INFO_KERNEL_NAMES), "matmul;ids");
    let mut size = 0;
    ok!(Program.pfnGetInfo(program.0, UR_PROGRAM_INFO_IL, 0, null_mut(), &mut size));
    assert_eq!(size, spirv.len());
    assert_eq!(
        ur!(Kernel.pfnCreate(program.0, c"nothing".as_ptr(), &mut kernel)),
        UR_RESULT_ERROR_INVALID_KERNEL_NAME
    );
    assert!(kernel.is_null());
    let kernel = program.kernel("matmul");
    let mut args = 0u32;
    let place = (&raw mut args).cast();
    ok!(Kernel.pfnGetInfo(kernel.0, UR_KERNEL_INFO_NUM_ARGS, 4, place, null_mut()));
    assert_eq!(args, 6);
    let mut owner = 0usize;
    let place = (&raw mut owner).cast();
    ok!(Kernel.pfnGetInfo(kernel.0, UR_KERNEL_INFO_PROGRAM, 8, place, null_mut()));
    assert_eq!(owner, program.0 as usize);
    let (global, mut local) = ([1000usize, 10], [0usize; 2]);
    let queue = context.queue();
    let offset = [0usize; 2];
    ok!(Kernel.pfnGetSuggestedLocalWorkSize(
        kernel.0,
        queue.0,
        2,
        offset.as_ptr(),
        global.as_ptr(),
        local.as_mut_ptr()
    ));
    assert!(local[0] > 0 && local[1] > 0);
    assert!(1000usize.is_multiple_of(local[0]) && 10usize.is_multiple_of(local[1]));
}

#[test]
fn specialisation_constants() {
    let context = Context::new();
    let program = context.unbuilt(&module("spec_constant.spv"));
    let set = |id, value: &[u8]| {
        let info = ur_specialization_constant_info_t {
            id,
            size: value.len(),
            pValue: value.as_ptr().cast(),
        };
        ur!(Program.pfnSetSpecializationConstants(program.0, 1, &info))
    };
    assert_eq!(set(99, &[0; 4]), UR_RESULT_ERROR_INVALID_SPEC_ID);
    assert_eq!(set(7, &[0; 8]), UR_RESULT_ERROR_INVALID_VALUE);
    assert_eq!(set(7, &20u32.to_ne_bytes()), UR_RESULT_SUCCESS);
    assert_eq!(set(7, &21u32.to_ne_bytes()), UR_RESULT_SUCCESS);
    assert_eq!(set(9, &1000u64.to_ne_bytes()), UR_RESULT_SUCCESS);
    assert_eq!(set(10, &3f32.to_ne_bytes()), UR_RESULT_SUCCESS);
    ok!(Program.pfnBuild(context.0, program.0, null()));
    let mut out = [0u64; 4];
    let args = [Arg::Pointer((&raw mut out).cast_const().cast())];
    context
        .queue()
        .run(&program.kernel("specialised"), &[4], None, &args);
    // Twice the first, the second (false), the float as a number, the 64-bit one.
    assert_eq!(out, [42 + 3 + 1000; 4]);
}

/// Each word of a module replaced, and the module cut at each word: an error that names the word, or
/// a program that can be released.
#[test]
fn malformed_spirv_is_refused_and_never_crashes() {
    let context = Context::new();
    let good = module("vector_add.spv");
    let create = |bytes: &[u8]| {
        let mut program = null_mut();
        let start = bytes.as_ptr().cast();
        let outcome =
            ur!(Program.pfnCreateWithIL(context.0, start, bytes.len(), null(), &mut program));
        if outcome == UR_RESULT_SUCCESS {
            let program = Program(program);
            let _ = ur!(Program.pfnBuild(context.0, program.0, null()));
            // Cut before its entry point, a module is a legal one without kernels.
            if bytes.len() < good.len() {
                assert_eq!(text(&program, UR_PROGRAM_INFO_KERNEL_NAMES), "");
            }
        } else {
            assert!(program.is_null());
            assert_eq!(outcome, UR_RESULT_ERROR_INVALID_BINARY);
            assert!(last_error().contains("word"), "{}", last_error());
        }
        outcome
    };
    for words in 1..good.len() / 4 {
        create(&good[..words * 4]);
    }
    for word in 0..good.len() / 4 {
        for value in [0u32, 1, u32::MAX] {
            let mut changed = good.clone();
            changed[word * 4..word * 4 + 4].copy_from_slice(&value.to_ne_bytes());
            create(&changed);
        }
    }
    assert_eq!(
        create(&good[..good.len() - 1]),
        UR_RESULT_ERROR_INVALID_BINARY
    );
    assert_eq!(
        create(b"not a module at all!"),
        UR_RESULT_ERROR_INVALID_BINARY
    );
    let mut program = null_mut();
    assert_eq!(
        ur!(Program.pfnCreateWithIL(context.0, good.as_ptr().cast(), 0, null(), &mut program)),
        UR_RESULT_ERROR_INVALID_SIZE
    );
}

#[test]
fn compiling_and_linking_one_program() {
    let context = Context::new();
    let program = context.unbuilt(&module("vector_add.spv"));
    let mut linked = null_mut();
    let link = |count, list: &[ur_program_handle_t], out: &mut ur_program_handle_t| {
        ur!(Program.pfnLink(context.0, count, list.as_ptr(), null(), out))
    };
    assert_eq!(
        link(1, &[program.0], &mut linked),
        UR_RESULT_ERROR_INVALID_OPERATION
    );
    ok!(Program.pfnCompile(context.0, program.0, null()));
    let two = [program.0, program.0];
    // Both export the same kernel.
    assert_eq!(
        link(2, &two, &mut linked),
        UR_RESULT_ERROR_PROGRAM_LINK_FAILURE
    );
    assert!(linked.is_null());
    assert_eq!(link(1, &[program.0], &mut linked), UR_RESULT_SUCCESS);
    let linked = Program(linked);
    add(&context.queue(), &linked.kernel("vector_add"), 100, None);
}

#[test]
fn linking_two_programs() {
    let context = Context::new();
    let compiled = |name| {
        let program = context.unbuilt(&module(name));
        ok!(Program.pfnCompile(context.0, program.0, null()));
        program
    };
    let (user, library) = (compiled("link_main.spv"), compiled("link_library.spv"));
    // Alone, the user has nothing to call.
    let mut linked = null_mut();
    assert_eq!(
        ur!(Program.pfnLink(context.0, 1, &user.0, null(), &mut linked)),
        UR_RESULT_ERROR_PROGRAM_LINK_FAILURE
    );
    assert!(last_error().contains("lookup"), "{}", last_error());
    let both = [user.0, library.0];
    ok!(Program.pfnLink(context.0, 2, both.as_ptr(), null(), &mut linked));
    let linked = Program(linked);
    let kernel = linked.kernel("use");
    drop((user, library));
    context.uses(&kernel);
}

/// Freeing memory that a kernel still uses is the program's fault, but only the program's.
#[test]
fn many_live_allocations_and_frees_while_kernels_run() {
    let context = Context::new();
    let program = context.program("vector_add.spv");
    let kernel = program.kernel("vector_add");
    let queue = context.queue();
    let mut live = Vec::new();
    for i in 0..10_000usize {
        let mut memory = null_mut();
        ok!(USM.pfnDeviceAlloc(
            context.0,
            device(),
            null(),
            null_mut(),
            64 + i % 100,
            &mut memory
        ));
        live.push(memory);
    }
    let (a, mut c) = (vec![1f32; 100_000], vec![0f32; 100_000]);
    let from = || Arg::Pointer(a.as_ptr().cast());
    let args = [
        from(),
        from(),
        Arg::Pointer(c.as_mut_ptr().cast_const().cast()),
    ];
    let (outcome, event) = queue.launch(&kernel, &[100_000], None, &args);
    assert_eq!(outcome, UR_RESULT_SUCCESS);
    for memory in live {
        ok!(USM.pfnFree(context.0, memory));
    }
    event.unwrap().wait();
    assert!(c.iter().all(|value| *value == 2.0));
}
