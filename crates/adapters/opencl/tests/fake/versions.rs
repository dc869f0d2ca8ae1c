//! Platforms of every version, and drivers that answer little.

use crate::driver::{Driver, EVERYTHING};
use crate::support::*;
use crate::{case, ur};
use std::ptr::null_mut;
use std::sync::LazyLock;
use ur_adapter_opencl::cl;
use ur_api::*;

/// All named numbers of an enumeration.
fn names<T: Enumeration>(of: fn(u32) -> T) -> Vec<T> {
    let all = (0..0x1_0000).map(of);
    all.filter(|one| one.name().is_some()).collect()
}

static PLATFORM_INFO: LazyLock<Vec<ur_platform_info_t>> =
    LazyLock::new(|| names(ur_platform_info_t));
static DEVICE_INFO: LazyLock<Vec<ur_device_info_t>> = LazyLock::new(|| names(ur_device_info_t));

/// Asks for an answer as programs do: its size, then the answer.
fn ask(call: impl Fn(usize, *mut std::ffi::c_void, *mut usize) -> Result) -> Result<Vec<u8>> {
    let mut size = 0;
    call(0, null_mut(), &mut size)?;
    if size == 0 {
        return Ok(Vec::new());
    }
    // Some space more, to see that the answer has the size that was told.
    let mut bytes = vec![0xa5u8; size + 8];
    call(size, bytes.as_mut_ptr().cast(), null_mut())?;
    assert_eq!(bytes.split_off(size), [0xa5; 8]);
    Ok(bytes)
}

fn device_info(device: ur_device_handle_t, name: ur_device_info_t) -> Result<Vec<u8>> {
    ask(|size, place, told| ur!(Device.pfnGetInfo(device, name, size, place, told)))
}

/// Asks a platform and its devices everything. What is not known is refused as such; gives how many
/// questions were answered.
fn ask_everything(platform: ur_platform_handle_t, permitted: &[ur_result_t]) -> usize {
    let mut answered = 0;
    let mut note = |name: String, answer: Result<Vec<u8>>| match answer {
        Ok(_) => answered += 1,
        Err(UR_RESULT_ERROR_UNSUPPORTED_ENUMERATION) => {}
        Err(code) => assert!(permitted.contains(&code), "{name}: {code}"),
    };
    for &name in &*PLATFORM_INFO {
        let call = |size, place, told| ur!(Platform.pfnGetInfo(platform, name, size, place, told));
        note(name.to_string(), ask(call));
    }
    for device in devices(platform) {
        for &name in &*DEVICE_INFO {
            note(name.to_string(), device_info(device, name));
        }
    }
    answered
}

/// A flag of a device.
fn has(device: ur_device_handle_t, name: ur_device_info_t) -> bool {
    device_info(device, name)
        .expect("an answer")
        .iter()
        .any(|byte| *byte != 0)
}

case! {
    every_version_is_listed_and_answers, "1.0;1.1;1.2 devices=2;2.0 svm", old_versions
}

case! {
    newer_versions_are_listed_and_answer, "2.1 il;2.2 il;3.0;3.0 il svm", old_versions
}

fn old_versions(_: &Driver) {
    let platforms = platforms();
    assert_eq!(platforms.len(), 4);
    for platform in platforms {
        assert!(!devices(platform).is_empty());
        let answered = ask_everything(platform, &[]);
        assert!(answered > 100, "{answered}");
    }
}

case! {
    /// Such drivers lack functions that every queue needs.
    contexts_need_version_1_2, "1.0;1.1;1.2", |driver: &Driver| {
        let found = platforms().into_iter().map(|platform| {
            Context::of(&devices(platform)).err()
        });
        let refused = Some(UR_RESULT_ERROR_UNSUPPORTED_VERSION);
        assert_eq!(found.collect::<Vec<_>>(), [refused, refused, None]);
        assert_eq!(driver.alive(), 0);
    }
}

/// Looks at what a platform without anything refuses, and that it does all else.
fn refusals(_: &Driver) {
    let device = device();
    for name in [
        UR_DEVICE_INFO_USM_HOST_SUPPORT,
        UR_DEVICE_INFO_USM_DEVICE_SUPPORT,
        UR_DEVICE_INFO_USM_SINGLE_SHARED_SUPPORT,
        UR_DEVICE_INFO_PROGRAM_SET_SPECIALIZATION_CONSTANTS,
        UR_DEVICE_INFO_GLOBAL_VARIABLE_SUPPORT,
    ] {
        assert!(!has(device, name), "{name}");
    }
    let context = Context::new().expect("a context");
    for kind in [Kind::Host, Kind::Device, Kind::Shared] {
        let refused = Some(UR_RESULT_ERROR_UNSUPPORTED_FEATURE);
        assert_eq!(context.usm(kind, 64).err(), refused, "{kind:?}");
    }
    let refused = Some(UR_RESULT_ERROR_COMPILER_NOT_AVAILABLE);
    assert_eq!(context.program(KERNELS).err(), refused);
    let mut time = 0;
    let timer = ur!(Device.pfnGetGlobalTimestamps(device, &mut time, null_mut()));
    assert_eq!(timer, Err(UR_RESULT_ERROR_UNSUPPORTED_FEATURE));

    let queue = context
        .queue(UR_QUEUE_FLAG_PRIORITY_HIGH.0)
        .expect("a queue");
    let program = context.program_of_binary(KERNELS).expect("a program");
    let kernel = program.kernel(c"copy").expect("a kernel");
    let (mem, sampler) = (context.buffer(64).expect("a buffer"), context.sampler());
    let sampler = sampler.expect("a sampler");
    let bytes = [0; 8];
    let args = [Arg::Mem(&mem), Arg::Sampler(&sampler), Arg::Value(&bytes)];
    let event = queue.launch(&kernel, &args, true).expect("a launch");
    queue.read(&mem, &mut [0; 64], true).expect("a read");
    event.expect("an event").wait().expect("an end");
    // Without addresses there is nothing that a pointer could be.
    let args = [
        Arg::Mem(&mem),
        Arg::Sampler(&sampler),
        Arg::Pointer(null_mut()),
    ];
    let refused = queue.launch(&kernel, &args, false).map(|_| ());
    assert_eq!(refused, Err(UR_RESULT_ERROR_UNSUPPORTED_FEATURE));
}

case! { version_1_2_refuses_what_it_has_not, "1.2", refusals }
case! { version_2_0_refuses_what_it_has_not, "2.0", refusals }
// Of 3.0 everything beyond 1.2 is optional; timers come with 2.1 and are left out here.
case! {
    an_extension_makes_programs_of_il_before_2_1, "2.0 il cl_khr_il_program", |driver: &Driver| {
        let context = Context::new().expect("a context");
        context.built().expect("a program").kernel(c"copy").expect("a kernel");
        assert_eq!(driver.calls("clCreateProgramWithILKHR"), 1);
    }
}

case! {
    /// Nobody could touch coarse-grained memory without mapping it.
    coarse_memory_is_memory_of_devices_only, "2.0 svm", |driver: &Driver| {
        let context = Context::new().expect("a context");
        for (kind, name, able) in [
            (Kind::Host, UR_DEVICE_INFO_USM_HOST_SUPPORT, false),
            (Kind::Device, UR_DEVICE_INFO_USM_DEVICE_SUPPORT, true),
            (Kind::Shared, UR_DEVICE_INFO_USM_SINGLE_SHARED_SUPPORT, false),
        ] {
            assert_eq!(has(device(), name), able, "{kind:?}");
            let refused = (!able).then_some(UR_RESULT_ERROR_UNSUPPORTED_FEATURE);
            assert_eq!(context.usm(kind, 64).err(), refused, "{kind:?}");
        }
        drop(context);
        assert_eq!((driver.alive(), driver.calls("clSVMFree")), (0, 1));
    }
}

/// A driver whose function always fails: what is left is still listed, and no question breaks anything.
fn broken(driver: &Driver, name: &str) {
    for code in [
        cl::CL_OUT_OF_RESOURCES,
        cl::CL_INVALID_VALUE,
        cl::CL_INVALID_OPERATION,
    ] {
        driver.fail(name, code, 0, u64::MAX);
        for platform in platforms() {
            let permitted = [
                UR_RESULT_ERROR_OUT_OF_RESOURCES,
                UR_RESULT_ERROR_INVALID_VALUE,
                UR_RESULT_ERROR_INVALID_OPERATION,
            ];
            ask_everything(platform, &permitted);
        }
    }
    assert!(driver.failed() > 0);
}

case! { a_driver_that_tells_nothing_of_devices_is_listed, EVERYTHING, |driver: &Driver| {
    broken(driver, "clGetDeviceInfo");
    assert_eq!(devices(platforms()[0]).len(), 1);
} }

case! { a_driver_that_tells_nothing_of_platforms_breaks_nothing, EVERYTHING, |driver: &Driver| {
    // The OpenCL library itself asks first, and lists no such driver.
    driver.fail("clGetPlatformInfo", cl::CL_OUT_OF_RESOURCES, 0, u64::MAX);
    assert!(platforms().is_empty());
} }

case! { a_driver_that_tells_nothing_after_it_was_found_is_listed, EVERYTHING, |driver: &Driver| {
    assert_eq!(platforms().len(), 1);
    broken(driver, "clGetPlatformInfo");
    assert_eq!(devices(platforms()[0]).len(), 1);
} }

case! { a_driver_that_lists_no_devices_breaks_nothing, EVERYTHING, |driver: &Driver| {
    broken(driver, "clGetDeviceIDs");
    assert_eq!(platforms().len(), 1);
} }

case! { a_driver_without_functions_of_extensions_refuses_them, EVERYTHING, |driver: &Driver| {
    broken(driver, "clGetExtensionFunctionAddressForPlatform");
    let context = Context::new().expect("a context");
    let refused = Some(UR_RESULT_ERROR_UNSUPPORTED_FEATURE);
    assert_eq!(context.usm(Kind::Shared, 64).err(), refused);
    // What it says it has it cannot have.
    assert!(!has(device(), UR_DEVICE_INFO_USM_SINGLE_SHARED_SUPPORT));
} }

case! {
    /// A failure at any one of the questions leaves the driver listed.
    one_failure_while_listing_breaks_nothing, EVERYTHING, |driver: &Driver| {
        let platform = platforms()[0];
        for skip in 0..200 {
            driver.fail("*", cl::CL_OUT_OF_HOST_MEMORY, skip, 1);
            ask_everything(platform, &[UR_RESULT_ERROR_OUT_OF_HOST_MEMORY]);
        }
        assert_eq!(driver.failed(), 200);
    }
}
