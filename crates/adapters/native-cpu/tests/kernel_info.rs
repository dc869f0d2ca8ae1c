//! What kernels tell of themselves, and that launches obey it.

mod common;

use common::*;
use std::ptr::null_mut;
use ur_api::*;

fn group<T: Copy + Default>(kernel: &Kernel, name: ur_kernel_group_info_t) -> T {
    let (mut value, mut size) = (T::default(), 0);
    let (len, place) = (size_of::<T>(), (&raw mut value).cast());
    ok!(Kernel.pfnGetGroupInfo(kernel.0, device(), name, len, place, &mut size));
    assert_eq!(size, len);
    value
}

fn sub_group(kernel: &Kernel, name: ur_kernel_sub_group_info_t) -> u32 {
    let mut value = 0u32;
    let place = (&raw mut value).cast();
    ok!(Kernel.pfnGetSubGroupInfo(kernel.0, device(), name, 4, place, null_mut()));
    value
}

fn attributes(kernel: &Kernel) -> String {
    let (name, mut size) = (UR_KERNEL_INFO_ATTRIBUTES, 0);
    ok!(Kernel.pfnGetInfo(kernel.0, name, 0, null_mut(), &mut size));
    let mut text = vec![0u8; size];
    let place = text.as_mut_ptr().cast();
    ok!(Kernel.pfnGetInfo(kernel.0, name, size, place, null_mut()));
    String::from_utf8_lossy(&text[..size - 1]).into_owned()
}

/// Launches a kernel that stores each work-item's first global id.
fn launch(
    queue: &Queue,
    kernel: &Kernel,
    global: &[usize],
    local: Option<&[usize]>,
) -> ur_result_t {
    let mut out = vec![u64::MAX; global[0]];
    let args = [Arg::Pointer(out.as_mut_ptr().cast_const().cast())];
    let (outcome, event) = queue.launch(kernel, global, local, &args);
    if let Some(event) = event {
        event.wait();
        assert!(out.iter().zip(0..).all(|(got, id)| *got == id));
    }
    outcome
}

const OK: ur_result_t = UR_RESULT_SUCCESS;
const BAD_SIZE: ur_result_t = UR_RESULT_ERROR_INVALID_WORK_GROUP_SIZE;

#[test]
fn largest_groups_and_dimensions() {
    let context = Context::new();
    let program = context.program("limits.spv");
    let kernel = program.kernel("limited");
    let name = UR_KERNEL_GROUP_INFO_COMPILE_MAX_WORK_GROUP_SIZE;
    assert_eq!(group::<[usize; 3]>(&kernel, name), [8, 4, 1]);
    let name = UR_KERNEL_GROUP_INFO_COMPILE_MAX_LINEAR_WORK_GROUP_SIZE;
    assert_eq!(group::<usize>(&kernel, name), 32);
    let name = UR_KERNEL_GROUP_INFO_WORK_GROUP_SIZE;
    assert_eq!(group::<usize>(&kernel, name), 32);
    let queue = context.queue();
    for local in [None, Some(&[8usize, 4][..]), Some(&[1, 1]), Some(&[2, 4])] {
        assert_eq!(launch(&queue, &kernel, &[16, 8], local), OK);
    }
    for local in [[16usize, 1], [1, 8], [16, 2]] {
        assert_eq!(launch(&queue, &kernel, &[16, 8], Some(&local)), BAD_SIZE);
    }
    assert_eq!(
        launch(&queue, &kernel, &[16, 8, 1], None),
        UR_RESULT_ERROR_INVALID_WORK_DIMENSION
    );
}

#[test]
fn required_sub_groups() {
    let context = Context::new();
    let program = context.program("limits.spv");
    let kernel = program.kernel("grouped");
    let size = UR_KERNEL_SUB_GROUP_INFO_MAX_SUB_GROUP_SIZE;
    assert_eq!(sub_group(&kernel, size), 8);
    let compiled = UR_KERNEL_SUB_GROUP_INFO_SUB_GROUP_SIZE_INTEL;
    assert_eq!(sub_group(&kernel, compiled), 8);
    let count = UR_KERNEL_SUB_GROUP_INFO_COMPILE_NUM_SUB_GROUPS;
    assert_eq!(sub_group(&kernel, count), 2);
    assert!(sub_group(&kernel, UR_KERNEL_SUB_GROUP_INFO_MAX_NUM_SUB_GROUPS) >= 2);
    let name = UR_KERNEL_GROUP_INFO_PREFERRED_WORK_GROUP_SIZE_MULTIPLE;
    assert_eq!(group::<usize>(&kernel, name), 8);
    assert_eq!(attributes(&kernel), "intel_reqd_sub_group_size(8)");
    let queue = context.queue();
    assert_eq!(launch(&queue, &kernel, &[48], None), OK);
    assert_eq!(launch(&queue, &kernel, &[48], Some(&[16])), OK);
    assert_eq!(launch(&queue, &kernel, &[36], Some(&[12])), OK, "8 and 4");
    for local in [8usize, 24, 48] {
        assert_eq!(launch(&queue, &kernel, &[48], Some(&[local])), BAD_SIZE);
    }
    assert_eq!(launch(&queue, &kernel, &[40], None), BAD_SIZE);
}

#[test]
fn hints_and_kernels_that_ask_for_nothing() {
    let context = Context::new();
    let program = context.program("limits.spv");
    let kernel = program.kernel("hinted");
    assert_eq!(attributes(&kernel), "work_group_size_hint(32,2,1)");
    let sizes = [
        UR_KERNEL_GROUP_INFO_COMPILE_WORK_GROUP_SIZE,
        UR_KERNEL_GROUP_INFO_COMPILE_MAX_WORK_GROUP_SIZE,
    ];
    for name in sizes {
        assert_eq!(group::<[usize; 3]>(&kernel, name), [0; 3]);
    }
    let name = UR_KERNEL_GROUP_INFO_COMPILE_MAX_LINEAR_WORK_GROUP_SIZE;
    assert_eq!(group::<usize>(&kernel, name), 0);
    let name = UR_KERNEL_GROUP_INFO_LOCAL_MEM_SIZE;
    assert_eq!(group::<usize>(&kernel, name), 0);
    let compiled = UR_KERNEL_SUB_GROUP_INFO_SUB_GROUP_SIZE_INTEL;
    assert_eq!(sub_group(&kernel, compiled), 0);
    let count = UR_KERNEL_SUB_GROUP_INFO_COMPILE_NUM_SUB_GROUPS;
    assert_eq!(sub_group(&kernel, count), 0);
    let largest = group::<usize>(&kernel, UR_KERNEL_GROUP_INFO_WORK_GROUP_SIZE);
    let multiple = sub_group(&kernel, UR_KERNEL_SUB_GROUP_INFO_MAX_SUB_GROUP_SIZE) as usize;
    let groups = sub_group(&kernel, UR_KERNEL_SUB_GROUP_INFO_MAX_NUM_SUB_GROUPS) as usize;
    assert_eq!(groups, largest.div_ceil(multiple));
    let queue = context.queue();
    assert_eq!(launch(&queue, &kernel, &[largest], Some(&[largest])), OK);
    let more = largest + 1;
    assert_eq!(launch(&queue, &kernel, &[more], Some(&[more])), BAD_SIZE);
    let name = UR_KERNEL_GROUP_INFO_GLOBAL_WORK_SIZE;
    assert_eq!(
        ur!(Kernel.pfnGetGroupInfo(kernel.0, device(), name, 0, null_mut(), &mut 0)),
        UR_RESULT_ERROR_UNSUPPORTED_ENUMERATION
    );
}

#[test]
fn constants_are_a_matter_of_programs() {
    let context = Context::new();
    let program = context.program("spec_constant.spv");
    let kernel = program.kernel("specialised");
    let value = 1u32;
    let info = ur_specialization_constant_info_t {
        id: 7,
        size: 4,
        pValue: (&raw const value).cast(),
    };
    assert_eq!(
        ur!(Kernel.pfnSetSpecializationConstants(kernel.0, 1, &info)),
        UR_RESULT_ERROR_UNSUPPORTED_FEATURE
    );
    let bool_of = |name| {
        let mut yes = 9u8;
        ok!(Device.pfnGetInfo(device(), name, 1, (&raw mut yes).cast(), null_mut()));
        yes
    };
    let of_kernels = UR_DEVICE_INFO_KERNEL_SET_SPECIALIZATION_CONSTANTS;
    let of_programs = UR_DEVICE_INFO_PROGRAM_SET_SPECIALIZATION_CONSTANTS;
    assert_eq!((bool_of(of_kernels), bool_of(of_programs)), (0, 1));
}
