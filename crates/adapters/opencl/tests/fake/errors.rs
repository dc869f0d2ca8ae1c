//! What each error of OpenCL becomes, for each call that can have one.

mod calls;

use crate::case;
use crate::driver::{Driver, EVERYTHING};
use crate::support::*;
use calls::{CALLS, Objects};
use ur_api::*;

/// OpenCL's errors by their numbers, and what they are in the API.
const CODES: &[(i32, ur_result_t)] = &[
    (-1, UR_RESULT_ERROR_DEVICE_NOT_FOUND),
    (-2, UR_RESULT_ERROR_DEVICE_NOT_AVAILABLE),
    (-3, UR_RESULT_ERROR_COMPILER_NOT_AVAILABLE),
    (-4, UR_RESULT_ERROR_MEM_OBJECT_ALLOCATION_FAILURE),
    (-5, UR_RESULT_ERROR_OUT_OF_RESOURCES),
    (-6, UR_RESULT_ERROR_OUT_OF_HOST_MEMORY),
    (-7, UR_RESULT_ERROR_PROFILING_INFO_NOT_AVAILABLE),
    (-8, UR_RESULT_ERROR_OVERLAPPING_REGIONS),
    (-9, UR_RESULT_ERROR_INVALID_IMAGE_FORMAT_DESCRIPTOR),
    (-10, UR_RESULT_ERROR_UNSUPPORTED_IMAGE_FORMAT),
    (-11, UR_RESULT_ERROR_PROGRAM_BUILD_FAILURE),
    (-12, UR_RESULT_ERROR_OUT_OF_RESOURCES),
    (-13, UR_RESULT_ERROR_MISALIGNED_SUB_BUFFER_OFFSET),
    (-14, UR_RESULT_ERROR_IN_EVENT_LIST_EXEC_STATUS),
    (-15, UR_RESULT_ERROR_PROGRAM_BUILD_FAILURE),
    (-16, UR_RESULT_ERROR_COMPILER_NOT_AVAILABLE),
    (-17, UR_RESULT_ERROR_PROGRAM_LINK_FAILURE),
    (-18, UR_RESULT_ERROR_DEVICE_PARTITION_FAILED),
    (-19, UR_RESULT_ERROR_UNSUPPORTED_FEATURE),
    (-30, UR_RESULT_ERROR_INVALID_VALUE),
    (-31, UR_RESULT_ERROR_INVALID_VALUE),
    (-32, UR_RESULT_ERROR_INVALID_PLATFORM),
    (-33, UR_RESULT_ERROR_INVALID_DEVICE),
    (-34, UR_RESULT_ERROR_INVALID_CONTEXT),
    (-35, UR_RESULT_ERROR_INVALID_QUEUE_PROPERTIES),
    (-36, UR_RESULT_ERROR_INVALID_QUEUE),
    (-37, UR_RESULT_ERROR_INVALID_HOST_PTR),
    (-38, UR_RESULT_ERROR_INVALID_MEM_OBJECT),
    (-39, UR_RESULT_ERROR_INVALID_IMAGE_FORMAT_DESCRIPTOR),
    (-40, UR_RESULT_ERROR_INVALID_IMAGE_SIZE),
    (-41, UR_RESULT_ERROR_INVALID_SAMPLER),
    (-42, UR_RESULT_ERROR_INVALID_BINARY),
    (-43, UR_RESULT_ERROR_INVALID_VALUE),
    (-44, UR_RESULT_ERROR_INVALID_PROGRAM),
    (-45, UR_RESULT_ERROR_INVALID_PROGRAM_EXECUTABLE),
    (-46, UR_RESULT_ERROR_INVALID_KERNEL_NAME),
    (-47, UR_RESULT_ERROR_INVALID_KERNEL),
    (-48, UR_RESULT_ERROR_INVALID_KERNEL),
    (-49, UR_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_INDEX),
    (-50, UR_RESULT_ERROR_INVALID_ARGUMENT),
    (-51, UR_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE),
    (-52, UR_RESULT_ERROR_INVALID_ARGUMENT),
    (-53, UR_RESULT_ERROR_INVALID_WORK_DIMENSION),
    (-54, UR_RESULT_ERROR_INVALID_WORK_GROUP_SIZE),
    (-55, UR_RESULT_ERROR_INVALID_WORK_ITEM_SIZE),
    (-56, UR_RESULT_ERROR_INVALID_VALUE),
    (-57, UR_RESULT_ERROR_INVALID_EVENT_WAIT_LIST),
    (-58, UR_RESULT_ERROR_INVALID_EVENT),
    (-59, UR_RESULT_ERROR_INVALID_OPERATION),
    (-61, UR_RESULT_ERROR_INVALID_BUFFER_SIZE),
    (-63, UR_RESULT_ERROR_INVALID_WORK_DIMENSION),
    (-64, UR_RESULT_ERROR_INVALID_VALUE),
    (-65, UR_RESULT_ERROR_INVALID_IMAGE_FORMAT_DESCRIPTOR),
    (-66, UR_RESULT_ERROR_INVALID_VALUE),
    (-67, UR_RESULT_ERROR_INVALID_VALUE),
    (-68, UR_RESULT_ERROR_INVALID_DEVICE_PARTITION_COUNT),
    (-71, UR_RESULT_ERROR_INVALID_SPEC_ID),
    (-72, UR_RESULT_ERROR_INVALID_SIZE),
    // What the API has no code for, and no error of OpenCL.
    (-60, UR_RESULT_ERROR_UNKNOWN),
    (-62, UR_RESULT_ERROR_UNKNOWN),
    (-69, UR_RESULT_ERROR_UNKNOWN),
    (-70, UR_RESULT_ERROR_UNKNOWN),
    (-25, UR_RESULT_ERROR_UNKNOWN),
    (-9999, UR_RESULT_ERROR_UNKNOWN),
];

case! { every_error_of_every_call_is_the_right_one, EVERYTHING, every_error }

fn every_error(driver: &Driver) {
    let objects = Objects::new().expect("objects");
    // Once in peace, so that what is found once is found.
    for call in CALLS {
        (call.make)(&objects).unwrap_or_else(|code| panic!("{}: {code}", call.name));
    }
    objects.queue.finish().expect("an end");
    let before = driver.alive();
    let mut wrong = Vec::new();
    for call in CALLS {
        for (native, usual) in CODES {
            driver.reset();
            driver.fail(call.name, *native, 0, 1);
            let found = (call.make)(&objects);
            let other = call.others.iter().find(|other| other.0 == *native);
            let wanted = other.map_or(*usual, |other| other.1);
            if found != Err(wanted) || driver.failed() != 1 {
                wrong.push(format!("{} {native}: {found:?}, not {wanted}", call.name));
            }
            driver.reset();
            assert_eq!(driver.alive(), before, "{} {native}", call.name);
        }
    }
    assert_eq!(wrong, [""; 0]);
}

case! {
    /// The number that the driver gave comes along, and a name for people.
    the_driver_s_own_number_is_told, EVERYTHING, |driver: &Driver| {
        let context = Context::new().expect("a context");
        driver.fail("clCreateBuffer", -61, 0, 1);
        assert_eq!(context.buffer(8).err(), Some(UR_RESULT_ERROR_INVALID_BUFFER_SIZE));
        let (mut message, mut number) = (std::ptr::null(), 0);
        crate::ur!(Adapter.pfnGetLastError(adapter(), &mut message, &mut number)).expect("an error");
        // SAFETY: a terminated text of this thread.
        let message = unsafe { std::ffi::CStr::from_ptr(message) };
        assert_eq!(number, -61);
        assert_eq!(message.to_bytes(), b"CL_INVALID_BUFFER_SIZE");
    }
}
