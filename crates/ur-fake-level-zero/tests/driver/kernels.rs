//! Modules and kernels.

use crate::case;
use crate::support::*;
use std::ffi::{CStr, CString, c_void};
use ze_fake::command_list::*;
use ze_fake::command_queue::*;
use ze_fake::control::*;
use ze_fake::event::*;
use ze_fake::kernel::*;
use ze_fake::memory::*;
use ze_fake::module::*;
use ze_fake::ze::*;

/// The bytes of a module of the tests.
pub fn spirv(name: &str) -> Vec<u8> {
    let path = format!(
        "{}/../../tests/spirv/{name}.spv",
        env!("CARGO_MANIFEST_DIR")
    );
    std::fs::read(path).expect("a module")
}

/// Makes a module of bytes, and gives the log.
pub fn build(
    fake: &Fake,
    bytes: &[u8],
    change: impl FnOnce(&mut ze_module_desc_t),
) -> (ze_result_t, ze_module_handle_t, String) {
    let mut desc = ze_module_desc_t::new();
    desc.inputSize = bytes.len();
    desc.pInputModule = bytes.as_ptr();
    change(&mut desc);
    let mut module = ze_module_handle_t::NULL;
    let mut log = ze_module_build_log_handle_t::NULL;
    let (context, device) = (fake.context, fake.device());
    let result = unsafe { zeModuleCreate(context, device, &desc, &mut module, &mut log) };
    if log.is_null() {
        return (result, module, String::new());
    }
    let mut size = 0;
    good(unsafe { zeModuleBuildLogGetString(log, &mut size, std::ptr::null_mut()) });
    let mut text = vec![0u8; size];
    good(unsafe { zeModuleBuildLogGetString(log, &mut size, text.as_mut_ptr().cast()) });
    good(unsafe { zeModuleBuildLogDestroy(log) });
    let text = CStr::from_bytes_with_nul(&text).expect("a terminated text");
    (result, module, text.to_string_lossy().into_owned())
}

/// A module of the tests.
pub fn module(fake: &Fake, name: &str) -> ze_module_handle_t {
    let (result, module, log) = build(fake, &spirv(name), |_| ());
    assert_eq!(result, ZE_RESULT_SUCCESS, "{log}");
    module
}

/// A kernel of a module.
pub fn kernel(module: ze_module_handle_t, name: &str) -> ze_kernel_handle_t {
    let name = CString::new(name).expect("a name");
    let mut desc = ze_kernel_desc_t::new();
    desc.pKernelName = name.as_ptr();
    let mut kernel = ze_kernel_handle_t::NULL;
    good(unsafe { zeKernelCreate(module, &desc, &mut kernel) });
    kernel
}

/// Sets an argument.
pub fn set<T>(kernel: ze_kernel_handle_t, index: u32, value: T) {
    let place: *const T = &value;
    good(unsafe { zeKernelSetArgumentValue(kernel, index, size_of::<T>(), place.cast()) });
}

/// Appends a launch of so many work-groups.
pub fn launch(list: ze_command_list_handle_t, kernel: ze_kernel_handle_t, x: u32) -> ze_result_t {
    let groups = ze_group_count_t {
        groupCountX: x,
        groupCountY: 1,
        groupCountZ: 1,
    };
    unsafe { zeCommandListAppendLaunchKernel(list, kernel, &groups, NONE, 0, std::ptr::null()) }
}

/// Shared memory of so many values.
pub fn values<T>(fake: &Fake, count: usize) -> &'static mut [T] {
    let mut place: *mut c_void = std::ptr::null_mut();
    let (device, host) = (
        ze_device_mem_alloc_desc_t::new(),
        ze_host_mem_alloc_desc_t::new(),
    );
    let size = count * size_of::<T>();
    good(unsafe {
        zeMemAllocShared(
            fake.context,
            &device,
            &host,
            size,
            0,
            fake.device(),
            &mut place,
        )
    });
    unsafe { std::slice::from_raw_parts_mut(place.cast(), count) }
}

case! {
    /// Arguments are taken when a launch is appended.
    launches, "1.15", |fake| {
        let module = module(fake, "vector_add");
        let kernel = kernel(module, "vector_add");
        let (a, b, c) = (
            values::<f32>(fake, 256), values::<f32>(fake, 256), values::<f32>(fake, 256),
        );
        for (place, (a, b)) in a.iter_mut().zip(b.iter_mut()).enumerate() {
            (*a, *b) = (place as f32, 1.0);
        }
        let list = fake.immediate(ZE_COMMAND_QUEUE_FLAG_IN_ORDER);
        good(unsafe { zeKernelSetGroupSize(kernel, 32, 1, 1) });
        set(kernel, 0, a.as_ptr());
        set(kernel, 1, b.as_ptr());
        assert_eq!(launch(list, kernel, 8), ZE_RESULT_ERROR_INVALID_ARGUMENT);
        fault("argument 2 of vector_add is not set");
        set(kernel, 2, c.as_ptr());
        fake_hold(true);
        good(launch(list, kernel, 8));
        set(kernel, 0, c.as_ptr());
        good(launch(list, kernel, 8));
        fake_hold(false);
        good(unsafe { zeCommandListHostSynchronize(list, u64::MAX) });
        assert!(c.iter().enumerate().all(|(place, c)| *c == place as f32 + 2.0));
        for memory in [a, b, c] {
            fake.free(memory.as_mut_ptr().cast());
        }
        good(unsafe { zeCommandListDestroy(list) });
        good(unsafe { zeKernelDestroy(kernel) });
        good(unsafe { zeModuleDestroy(module) });
        fake.end();
    }
}

case! {
    /// What kernels and modules say of themselves, and what is refused.
    properties, "1.15", |fake| {
        let module = module(fake, "vector_add");
        let mut names = [std::ptr::null(); 4];
        let mut count = 4;
        good(unsafe { zeModuleGetKernelNames(module, &mut count, names.as_mut_ptr()) });
        let names = names[..count as usize].iter();
        let names: Vec<_> = names.map(|name| unsafe { CStr::from_ptr(*name) }).collect();
        assert_eq!(names, [c"vector_add", c"vector_add_n"]);
        let own = kernel(module, "vector_add_n");
        let mut properties = ze_kernel_properties_t::new();
        good(unsafe { zeKernelGetProperties(own, &mut properties) });
        assert_eq!(properties.numKernelArgs, 4);
        assert!(properties.maxSubgroupSize > 0);
        let mut sizes = [0; 3];
        let [x, y, z] = &mut sizes;
        good(unsafe { zeKernelSuggestGroupSize(own, 1000, 3, 1, x, y, z) });
        assert!(sizes[0] * sizes[1] <= 256 && 1000 % sizes[0] == 0 && 3 % sizes[1] == 0);
        let wrong = ZE_RESULT_ERROR_INVALID_GROUP_SIZE_DIMENSION;
        assert_eq!(unsafe { zeKernelSetGroupSize(own, 1024, 2, 1) }, wrong);
        assert_eq!(unsafe { zeKernelSetGroupSize(own, 0, 1, 1) }, wrong);
        let value = [0u8; 16];
        let set = |index, size| unsafe {
            zeKernelSetArgumentValue(own, index, size, value.as_ptr().cast())
        };
        assert_eq!(set(4, 4), ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_INDEX);
        assert_eq!(set(3, 8), ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE);
        good(set(3, 4));
        let mut desc = ze_kernel_desc_t::new();
        desc.pKernelName = c"nothing".as_ptr();
        let mut none = ze_kernel_handle_t::NULL;
        let result = unsafe { zeKernelCreate(module, &desc, &mut none) };
        assert_eq!(result, ZE_RESULT_ERROR_INVALID_KERNEL_NAME);
        let used = ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE;
        assert_eq!(unsafe { zeModuleDestroy(module) }, used);
        fault("Module");
        let copies = fake.immediate_on(fake.device(), 1, 0, 0);
        assert_eq!(launch(copies, own, 1), ZE_RESULT_ERROR_INVALID_COMMAND_LIST_TYPE);
        good(unsafe { zeCommandListDestroy(copies) });
        good(unsafe { zeKernelDestroy(own) });
        good(unsafe { zeModuleDestroy(module) });
        fake.end();
    }
}

case! {
    /// Broken modules come with a log; a module is made again of its bytes, with its constants.
    builds, "1.15", |fake| {
        let mut broken = spirv("vector_add");
        let end = broken.len();
        broken.truncate(end - 8);
        let (result, module, log) = build(fake, &broken, |_| ());
        assert_eq!(result, ZE_RESULT_ERROR_MODULE_BUILD_FAILURE);
        assert!(module.is_null() && !log.is_empty());
        let out = values::<u64>(fake, 1);
        let size = 20u32;
        let (ids, places) = ([7u32], [(&raw const size).cast::<c_void>()]);
        let constants = ze_module_constants_t {
            numConstants: 1,
            pConstantIds: ids.as_ptr(),
            pConstantValues: places.as_ptr(),
        };
        let (result, first, log) = build(fake, &spirv("spec_constant"), |desc| {
            desc.pConstants = &constants;
        });
        assert_eq!(result, ZE_RESULT_SUCCESS, "{log}");
        let mut size = 0;
        good(unsafe { zeModuleGetNativeBinary(first, &mut size, std::ptr::null_mut()) });
        let mut bytes = vec![0; size];
        good(unsafe { zeModuleGetNativeBinary(first, &mut size, bytes.as_mut_ptr()) });
        let (result, second, log) = build(fake, &bytes, |desc| {
            desc.format = ZE_MODULE_FORMAT_NATIVE;
        });
        assert_eq!(result, ZE_RESULT_SUCCESS, "{log}");
        let (result, ..) = build(fake, &bytes[1..], |desc| {
            desc.format = ZE_MODULE_FORMAT_NATIVE;
        });
        assert_eq!(result, ZE_RESULT_ERROR_INVALID_NATIVE_BINARY);
        let list = fake.immediate(ZE_COMMAND_QUEUE_FLAG_IN_ORDER);
        for module in [first, second] {
            let kernel = kernel(module, "specialised");
            set(kernel, 0, out.as_mut_ptr());
            good(launch(list, kernel, 1));
            good(unsafe { zeCommandListHostSynchronize(list, u64::MAX) });
            assert_eq!(out[0], 40 + 1 + 81_985_529_216_486_895);
            out[0] = 0;
            good(unsafe { zeKernelDestroy(kernel) });
            good(unsafe { zeModuleDestroy(module) });
        }
        fake.free(out.as_mut_ptr().cast());
        good(unsafe { zeCommandListDestroy(list) });
        fake.end();
    }
}

case! {
    /// Variables are memory; local memory is an argument; groups are counted in memory.
    memory_of_kernels, "1.15", |fake| {
        let variables = module(fake, "variables");
        let (mut place, mut size) = (std::ptr::null_mut(), 0);
        let name = c"series".as_ptr();
        good(unsafe { zeModuleGetGlobalPointer(variables, name, &mut size, &mut place) });
        assert_eq!(size, 16);
        let series = unsafe { std::slice::from_raw_parts(place.cast::<i32>(), 4) };
        let result = unsafe {
            zeModuleGetGlobalPointer(variables, c"x".as_ptr(), &mut size, &mut place)
        };
        assert_eq!(result, ZE_RESULT_ERROR_INVALID_GLOBAL_NAME);
        let list = fake.immediate(ZE_COMMAND_QUEUE_FLAG_IN_ORDER);
        let out = values::<i32>(fake, 64);
        let use_variables = kernel(variables, "use_variables");
        good(unsafe { zeKernelSetGroupSize(use_variables, 4, 1, 1) });
        set(use_variables, 0, out.as_mut_ptr());
        good(launch(list, use_variables, 1));
        good(unsafe { zeCommandListHostSynchronize(list, u64::MAX) });
        assert_eq!(series, [410, 420, 430, 440]);

        let waiting = module(fake, "waiting");
        let early = kernel(waiting, "early_return");
        good(unsafe { zeKernelSetGroupSize(early, 16, 1, 1) });
        out.fill(1);
        set(early, 0, out.as_mut_ptr());
        set(early, 1, 8u32);
        good(unsafe { zeKernelSetArgumentValue(early, 2, 64, std::ptr::null()) });
        let groups = values::<u32>(fake, 3);
        groups.copy_from_slice(&[1, 1, 1]);
        fake_hold(true);
        good(unsafe {
            let groups = groups.as_ptr().cast();
            zeCommandListAppendLaunchKernelIndirect(
                list, early, groups, NONE, 0, std::ptr::null(),
            )
        });
        groups[0] = 2;
        fake_hold(false);
        good(unsafe { zeCommandListHostSynchronize(list, u64::MAX) });
        assert_eq!(out[..24], [[8; 8], [1; 8], [8; 8]].concat());
        assert_eq!(out[24..], [1; 40]);
        fake.free(out.as_mut_ptr().cast());
        fake.free(groups.as_mut_ptr().cast());
        good(unsafe { zeCommandListDestroy(list) });
        for kernel in [use_variables, early] {
            good(unsafe { zeKernelDestroy(kernel) });
        }
        for module in [variables, waiting] {
            good(unsafe { zeModuleDestroy(module) });
        }
        fake.end();
    }
}

case! {
    /// A module that misses something makes no kernel before it is linked.
    linking, "1.15", |fake| {
        let main = module(fake, "link_main");
        let library = module(fake, "link_library");
        let mut properties = ze_module_properties_t::new();
        good(unsafe { zeModuleGetProperties(main, &mut properties) });
        assert_eq!(properties.flags, ZE_MODULE_PROPERTY_FLAG_IMPORTS);
        let mut count = 1;
        let mut name = std::ptr::null();
        good(unsafe { zeModuleGetKernelNames(main, &mut count, &mut name) });
        let mut desc = ze_kernel_desc_t::new();
        desc.pKernelName = name;
        let mut kernel = ze_kernel_handle_t::NULL;
        let mut make = || unsafe { zeKernelCreate(main, &desc, &mut kernel) };
        assert_eq!(make(), ZE_RESULT_ERROR_INVALID_MODULE_UNLINKED);
        let none = std::ptr::null_mut();
        let alone = unsafe { zeModuleDynamicLink(1, &main, none) };
        assert_eq!(alone, ZE_RESULT_ERROR_MODULE_LINK_FAILURE);
        good(unsafe { zeModuleDynamicLink(2, [main, library].as_ptr(), none) });
        good(make());
        good(unsafe { zeKernelDestroy(kernel) });
        for module in [main, library] {
            good(unsafe { zeModuleDestroy(module) });
        }
        fake.end();
    }
}

case! {
    /// A recorded launch gets other arguments, sizes and a kernel.
    changes, "1.15", |fake| {
        let module = module(fake, "vector_add");
        let kernels = ["vector_add_n", "vector_add"].map(|name| kernel(module, name));
        let out = values::<i32>(fake, 64);
        let one = values::<i32>(fake, 64);
        one.fill(1);
        let desc = ze_mutable_command_list_exp_desc_t::new();
        let mut list_desc = ze_command_list_desc_t::new();
        list_desc.pNext = (&raw const desc).cast();
        let mut list = ze_command_list_handle_t::NULL;
        good(unsafe { zeCommandListCreate(fake.context, fake.device(), &list_desc, &mut list) });
        let mut number = 0;
        let id_desc = ze_mutable_command_id_exp_desc_t::new();
        good(unsafe { zeCommandListGetNextCommandIdExp(list, &id_desc, &mut number) });
        let [add_n, add] = kernels;
        for index in 0..2 {
            set(add_n, index, one.as_ptr());
        }
        set(add_n, 2, out.as_mut_ptr());
        set(add_n, 3, 8u32);
        good(unsafe { zeKernelSetGroupSize(add_n, 8, 1, 1) });
        good(launch(list, add_n, 4));
        good(unsafe { zeCommandListClose(list) });
        let mut queue = ze_command_queue_handle_t::NULL;
        let queue_desc = ze_command_queue_desc_t::new();
        let (context, device) = (fake.context, fake.device());
        good(unsafe { zeCommandQueueCreate(context, device, &queue_desc, &mut queue) });
        let run = || {
            let none = ze_fence_handle_t::NULL;
            good(unsafe { zeCommandQueueExecuteCommandLists(queue, 1, &list, none) });
            good(unsafe { zeCommandQueueSynchronize(queue, u64::MAX) });
        };
        run();
        assert_eq!(out.iter().sum::<i32>(), 16);
        let bound = 40u32;
        let mut arg = ze_mutable_kernel_argument_exp_desc_t::new();
        arg.commandId = number;
        arg.argIndex = 3;
        arg.argSize = 4;
        arg.pArgValue = (&raw const bound).cast();
        let groups = ze_group_count_t { groupCountX: 3, groupCountY: 1, groupCountZ: 1 };
        let mut counts = ze_mutable_group_count_exp_desc_t::new();
        counts.commandId = number;
        counts.pGroupCount = &groups;
        counts.pNext = (&raw const arg).cast();
        let mut all = ze_mutable_commands_exp_desc_t::new();
        all.pNext = (&raw const counts).cast();
        out.fill(0);
        good(unsafe { zeCommandListUpdateMutableCommandsExp(list, &all) });
        good(unsafe { zeCommandListClose(list) });
        run();
        assert_eq!(out.iter().sum::<i32>(), 48);
        good(unsafe { zeCommandListUpdateMutableCommandKernelsExp(list, 1, &number, &add) });
        good(unsafe { zeCommandListClose(list) });
        let none = ze_fence_handle_t::NULL;
        let result = unsafe { zeCommandQueueExecuteCommandLists(queue, 1, &list, none) };
        assert_eq!(result, ZE_RESULT_ERROR_INVALID_ARGUMENT);
        fault("argument 0 of vector_add is not set");
        let mut offset = ze_mutable_global_offset_exp_desc_t::new();
        offset.commandId = number + 1;
        all.pNext = (&raw const offset).cast();
        let result = unsafe { zeCommandListUpdateMutableCommandsExp(list, &all) };
        assert_eq!(result, ZE_RESULT_ERROR_INVALID_ARGUMENT);
        fault("no command of a list has the number");
        good(unsafe { zeCommandQueueDestroy(queue) });
        good(unsafe { zeCommandListDestroy(list) });
        for memory in [out, one] {
            fake.free(memory.as_mut_ptr().cast());
        }
        for kernel in kernels {
            good(unsafe { zeKernelDestroy(kernel) });
        }
        good(unsafe { zeModuleDestroy(module) });
        fake.end();
    }
}

case! {
    /// Memory that a kernel uses is not freed before it has ended: what it was given, and what it may
    /// reach.
    memory_is_held, "1.15", |fake| {
        let module = module(fake, "vector_add");
        let kernel = kernel(module, "vector_add");
        let memory = [(); 3].map(|()| values::<f32>(fake, 1).as_mut_ptr());
        let reached = values::<f32>(fake, 1).as_mut_ptr();
        for (index, memory) in memory.iter().enumerate() {
            set(kernel, index as u32, *memory);
        }
        let list = fake.immediate(0);
        let free = |memory: *mut f32| unsafe { zeMemFree(fake.context, memory.cast()) };
        fake_hold(true);
        good(launch(list, kernel, 1));
        assert_eq!(free(memory[2]), ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE);
        assert_eq!(unsafe { zeKernelDestroy(kernel) }, ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE);
        assert_eq!(faults().lines().count(), 2);
        fake_reset();
        good(unsafe { zeCommandListHostSynchronize(list, u64::MAX) });
        fake_hold(true);
        let shared = ZE_KERNEL_INDIRECT_ACCESS_FLAG_SHARED;
        good(unsafe { zeKernelSetIndirectAccess(kernel, shared) });
        good(launch(list, kernel, 1));
        assert_eq!(free(reached), ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE);
        fault("memory is freed");
        good(unsafe { zeCommandListHostSynchronize(list, u64::MAX) });
        good(free(reached));
        for memory in memory {
            good(free(memory));
        }
        good(unsafe { zeCommandListDestroy(list) });
        good(unsafe { zeKernelDestroy(kernel) });
        good(unsafe { zeModuleDestroy(module) });
        fake.end();
    }
}

case! {
    /// Events hold kernels back as they do copies.
    launches_wait, "1.0 -shared", |fake| {
        let module = module(fake, "vector_add");
        let kernel = kernel(module, "vector_add");
        let memory = fake.memory(12);
        for index in 0..3 {
            set(kernel, index, unsafe { memory.add(4 * index as usize) });
        }
        let (pool, [go, done]) = fake.events(0);
        let list = fake.immediate(0);
        let groups = ze_group_count_t { groupCountX: 1, groupCountY: 1, groupCountZ: 1 };
        good(unsafe { zeCommandListAppendLaunchKernel(list, kernel, &groups, done, 1, &go) });
        unsafe { memory.cast::<f32>().write(2.5) };
        good(unsafe { zeEventHostSignal(go) });
        synchronise(done);
        assert_eq!(unsafe { memory.cast::<f32>().add(2).read() }, 2.5);
        good(unsafe { zeEventHostReset(done) });
        good(unsafe { zeCommandListDestroy(list) });
        fake.drop_events((pool, &[go, done]));
        fake.free(memory);
        good(unsafe { zeKernelDestroy(kernel) });
        good(unsafe { zeModuleDestroy(module) });
        fake.end();
    }
}

case! {
    /// Work-groups of a cooperative launch run at the same time; arguments may come with the launch.
    other_launches, "1.15", |fake| {
        let module = module(fake, "vector_add");
        let kernel = kernel(module, "vector_add_n");
        let one = values::<i32>(fake, 64);
        one.fill(1);
        let out = values::<i32>(fake, 64);
        let mut most = 0;
        good(unsafe { zeKernelSuggestMaxCooperativeGroupCount(kernel, &mut most) });
        assert!(most > 1);
        let list = fake.immediate(ZE_COMMAND_QUEUE_FLAG_IN_ORDER);
        let groups = |x| ze_group_count_t { groupCountX: x, groupCountY: 1, groupCountZ: 1 };
        let (a, b, c, n) = (one.as_ptr(), one.as_ptr(), out.as_ptr(), 50u32);
        let args: [*const c_void; 4] = [
            (&raw const a).cast(), (&raw const b).cast(), (&raw const c).cast(),
            (&raw const n).cast(),
        ];
        let size = ze_group_size_t { groupSizeX: 8, groupSizeY: 1, groupSizeZ: 1 };
        let none = std::ptr::null();
        good(unsafe {
            let next = std::ptr::null();
            zeCommandListAppendLaunchKernelWithArguments(
                list, kernel, groups(8), size, args.as_ptr(), next, NONE, 0, none,
            )
        });
        good(unsafe { zeCommandListHostSynchronize(list, u64::MAX) });
        assert_eq!(out.iter().sum::<i32>(), 100);
        // The kernel's own are still not set.
        assert_eq!(launch(list, kernel, 1), ZE_RESULT_ERROR_INVALID_ARGUMENT);
        fault("argument 0");
        set(kernel, 0, a);
        set(kernel, 1, out.as_ptr());
        set(kernel, 2, c);
        set(kernel, 3, n);
        good(unsafe { zeKernelSetGroupSize(kernel, 8, 1, 1) });
        let together = |x| unsafe {
            zeCommandListAppendLaunchCooperativeKernel(list, kernel, &groups(x), NONE, 0, none)
        };
        assert_eq!(together(most + 1), ZE_RESULT_ERROR_INVALID_ARGUMENT);
        good(together(most.min(8)));
        good(unsafe { zeCommandListHostSynchronize(list, u64::MAX) });
        assert_eq!(out.iter().sum::<i32>(), 150);
        let several = values::<ze_group_count_t>(fake, 2);
        several.copy_from_slice(&[groups(1), groups(8)]);
        let count = values::<u32>(fake, 1);
        count[0] = 1;
        good(unsafe {
            let kernels = [kernel, kernel];
            zeCommandListAppendLaunchMultipleKernelsIndirect(
                list, 2, kernels.as_ptr(), count.as_ptr(), several.as_ptr(), NONE, 0, none,
            )
        });
        good(unsafe { zeCommandListHostSynchronize(list, u64::MAX) });
        assert_eq!(out.iter().sum::<i32>(), 158);
        good(unsafe { zeCommandListDestroy(list) });
        for memory in [one.as_mut_ptr(), out.as_mut_ptr(), several.as_mut_ptr().cast()] {
            fake.free(memory.cast());
        }
        fake.free(count.as_mut_ptr().cast());
        good(unsafe { zeKernelDestroy(kernel) });
        good(unsafe { zeModuleDestroy(module) });
        fake.end();
    }
}

case! {
    /// Several modules become one, with the options of each.
    programs, "1.15", |fake| {
        let inputs = ["link_main", "link_library"].map(spirv);
        let (sizes, starts) = (inputs.each_ref().map(Vec::len), inputs.each_ref().map(|x| x.as_ptr()));
        let flags = [c"".as_ptr(), c"-cl-fast-relaxed-math".as_ptr()];
        let mut program = ze_module_program_exp_desc_t::new();
        program.count = 2;
        program.inputSizes = sizes.as_ptr();
        program.pInputModules = starts.as_ptr();
        program.pBuildFlags = flags.as_ptr();
        let (result, whole, log) = build(fake, &[], |desc| {
            desc.pNext = (&raw const program).cast();
        });
        assert_eq!(result, ZE_RESULT_SUCCESS, "{log}");
        let names = ["use", "library_kernel"];
        for name in names {
            good(unsafe { zeKernelDestroy(kernel(whole, name)) });
        }
        good(unsafe { zeModuleDestroy(whole) });
        let (result, ..) = build(fake, &spirv("vector_add"), |desc| {
            desc.pBuildFlags = c"no option".as_ptr();
        });
        assert_eq!(result, ZE_RESULT_ERROR_MODULE_BUILD_FAILURE);
        fake.end();
    }
}
