//! Nothing is left, and nothing is released twice: when all goes well, and when any one call of OpenCL
//! fails.

mod scenarios;

use crate::case;
use crate::driver::{Driver, EVERYTHING};
use crate::support::*;
use ur_adapter_opencl::cl;

/// Functions whose failure the program need not hear of, at least not always.
const UNTOLD: [&str; 6] = [
    // What is not pushed goes on sooner or later.
    "clFlush",
    // What a device has not told it has not; what a program exports is known only as far as it is told.
    "clGetDeviceInfo",
    "clGetProgramInfo",
    // Instead of being told the adapter waits.
    "clSetEventCallback",
    // A queue that is released leaves a marker behind, if it can. Of markers that a program asks for
    // `errors` has the failures.
    "clEnqueueMarkerWithWaitList",
    // Freeing shared virtual memory has another way to wait.
    "clFinish",
];

/// Runs a sequence of calls, and again for each call of OpenCL in it, which fails then. Whatever the
/// sequence has made, it releases. Afterwards nothing of it may be left.
fn every_failure(driver: &Driver, scenario: fn() -> Result) {
    // What is found once in a process is found now.
    scenario().expect("it works");
    assert_eq!(driver.alive(), 0);
    for lazy in [false, true] {
        driver.lazy(lazy);
        for skip in 0.. {
            driver.reset();
            driver.fail("*", cl::CL_OUT_OF_RESOURCES, skip, 1);
            let outcome = scenario();
            let (failed, name) = (driver.failed(), driver.failed_last());
            let what = format!("call {skip}, {name}: {outcome:?}");
            assert_eq!(driver.faults(), "", "{what}");
            assert_eq!(driver.alive(), 0, "{what}");
            if failed == 0 {
                outcome.expect("no call failed");
                break;
            }
            assert!(outcome.is_err() || UNTOLD.contains(&&*name), "{what}");
        }
    }
}

macro_rules! leaks {
    ($($name:ident)*) => {$(
        case! { $name, EVERYTHING, |driver| every_failure(driver, scenarios::$name) }
    )*};
}

leaks! {
    contexts_and_queues
    sub_devices
    memory
    programs
    kernels
    events
    reusable_events
    buffer_commands
    image_commands
    usm
    usm_commands
    rows
    native_handles
}

/// A platform with shared virtual memory in the place of USM.
const SVM: &str = "2.0 svm fine il cl_khr_il_program";

case! { usm_by_shared_virtual_memory, SVM, |driver| every_failure(driver, scenarios::usm) }
case! { commands_on_shared_virtual_memory, SVM, |driver| every_failure(driver, scenarios::usm_commands) }
case! { kernels_with_shared_virtual_memory, SVM, |driver| every_failure(driver, scenarios::kernels_on_usm) }
case! { kernels_with_usm, EVERYTHING, |driver| every_failure(driver, scenarios::kernels_on_usm) }
